"""What keeping every finished cell costs: a cell that is run and stored durably, against one that is only run.

Run with ``python benchmarks/scenario_overhead.py``. Times are by the clock, since waiting for the disk is what could
cost; the two are measured in turns, so that a busy machine disturbs both alike.
"""

import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from multislot.cells import CellStore, as_json, cell_key
from multislot.cells.executors import answer
from scenarios.lab import registry
from scenarios.lab.runner import perform

TARGET = 1.1


def main() -> None:
    scenario = registry.find("copy")
    settings = replace(scenario.settings(), seeds=20, rounds=400, resolution=2)
    running = keeping = 0.0
    with tempfile.TemporaryDirectory() as folder, CellStore(Path(folder) / "cells.sqlite") as store:
        cells = scenario.cells(settings)
        for cell in cells:
            began = time.perf_counter()
            as_json(scenario.run_cell(cell))
            middle = time.perf_counter()
            store.add([answer(partial(perform, scenario.module), cell_key(cell), cell)])
            running, keeping = running + middle - began, keeping + time.perf_counter() - middle
    each = 1000 / len(cells)
    print(f"{len(cells)} cells: run {running * each:.2f} ms, run and kept {keeping * each:.2f} ms each")
    print(f"ratio {keeping / running:.3f} (target: at most {TARGET})")


if __name__ == "__main__":
    main()
