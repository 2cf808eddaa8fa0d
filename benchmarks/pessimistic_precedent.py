"""The whole ``precedent`` scenario on two cores, at its full size: both families of classes; target: under 5 minutes.

Beside it, one cell with its plans remembered against the same with every plan made again in every life.
"""

import tempfile
from dataclasses import replace
from time import perf_counter
from unittest import mock

from multislot.bayes import ModelClass
from scenarios.conservatism.precedent.drawn import cells, run_cell
from scenarios.conservatism.precedent.settings import FULL
from scenarios.lab import registry, runner

JOBS, TARGET = 2, 300


def main() -> None:
    cell = cells(replace(FULL, seeds=10))[4]
    start = perf_counter()
    remembering = run_cell(cell)
    remembered = perf_counter() - start
    with mock.patch.object(ModelClass, "remembered", lambda self, key, make: make()):
        start = perf_counter()
        forgetting = run_cell(cell)
        again = perf_counter() - start
    assert remembering == forgetting
    print(
        f"plans remembered {remembered:.2f} s, made again in every life {again:.2f} s: ratio {again / remembered:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        seconds = runner.run(registry.find("precedent"), FULL, jobs=JOBS, results=folder).seconds
    verdict = "met" if seconds < TARGET else "missed"
    lives = FULL.seeds * len(cells(FULL))
    print(f"whole scenario, {lives} lives, on {JOBS} cores: {seconds:.0f} s; target under {TARGET} s: {verdict}")


if __name__ == "__main__":
    main()
