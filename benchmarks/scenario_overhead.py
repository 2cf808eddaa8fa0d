"""What running cells through the runner costs: stored one by one, against calling them in a loop.

    python benchmarks/scenario_overhead.py

Each cell works for some 20 ms; storing it durably should cost little beside that. Target: at most 1.25 times the loop.
Times are of the process, so that a busy machine disturbs them little.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

from scenarios import registry, runner
from scenarios.registry import Scenario, Settings

TARGET = 1.25


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def bare(scenario: Scenario, settings: Settings) -> None:
    for cell in scenario.cells(settings):
        scenario.run_cell(cell)


def main() -> None:
    scenario = registry.find("copy")
    settings = replace(scenario.settings(), seeds=40, rounds=400, resolution=2)
    bare(scenario, replace(settings, seeds=1))
    loop = seconds(lambda: bare(scenario, settings))
    with tempfile.TemporaryDirectory() as results:
        stored = seconds(lambda: runner.run(scenario, settings, results=results))
        resumed = seconds(lambda: runner.run(scenario, settings, results=results))
    cells = len(scenario.cells(settings))
    print(f"{cells} cells: loop {loop:.2f} s, run, stored and drawn {stored:.2f} s, found again {resumed:.2f} s")
    print(f"less drawing and tables, {(stored - resumed) / loop:.2f} times the loop (target: at most {TARGET})")


if __name__ == "__main__":
    main()
