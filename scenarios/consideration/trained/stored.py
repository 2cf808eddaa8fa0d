"""The run of ten seeds that the documentation shows, read from ``measured_cells.csv``.

The file is the ``cells.csv`` that ``multislot run trained`` leaves in its folder, one row for each training.
"""

import csv
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from multislot.drawing.showing import whole_table
from multislot.statistics import student
from scenarios.consideration.behavior import join_returns
from scenarios.consideration.trained import Cell, Settings, by_condition, exact
from scenarios.lab.cells import Results

if TYPE_CHECKING:
    import pandas as pd

MEASURED = Path(__file__).with_name("measured_cells.csv")


def stored_run() -> tuple[Settings, Results]:
    results = []
    with MEASURED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            weights = tuple(Fraction(row[name]) for name in ("weights.0_exact", "weights.1_exact") if row[name])
            cell = Cell(row["task"], row["algorithm"], row["design"], weights, int(row["steps"]), int(row["seed"]))
            returns = [float(value) for name, value in row.items() if name.startswith("returns.") and value]
            results.append((cell, {"returns": returns}))
    return Settings(seeds=len({cell.seed for cell, _ in results})), results


def comparison(results: Results) -> "pd.DataFrame":
    """A row for each algorithm and design: exact and learned returns, and how many seeds are exact.

    Learned returns are means over seeds with 95% confidence intervals.
    """
    rows = []
    for cell, runs in by_condition(results).values():
        optimal = exact(cell)
        row: dict[str, object] = {"algorithm": cell.algorithm, "design": cell.design}
        row |= {"weights": ", ".join(map(str, cell.weights)), "exact": " or ".join(map(join_returns, optimal))}
        for number in range(len(runs[0])):
            values = [run[number] for run in runs]
            low, high = student(values)
            row[f"agent {number + 1}"] = f"{fmean(values):.2f} [{low:.2f}, {high:.2f}]"
        rows.append(row | {"exact runs": f"{sum(run in optimal for run in runs)} of {len(runs)}"})
    return whole_table(rows)
