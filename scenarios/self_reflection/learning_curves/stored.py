"""Stored learning curves, for the page about Table 2; running them takes long.

``stored.csv`` holds one row a point: agent, whether it is the reality check, width of its network, learning rate (0 for
its own), steps, seed and the measure, as ``multislot run learning-curves`` gives it.
"""

import csv
from pathlib import Path

from scenarios.self_reflection.learning_curves.plot import Curve
from scenarios.self_reflection.learning_curves.run import Line

STORED = Path(__file__).with_name("stored.csv")
COLUMNS = ("agent", "checked", "width", "learning_rate", "steps", "seed", "measure")


def stored_curves(varied: bool = False, path: Path = STORED) -> dict[Line, Curve]:
    """Return the stored curves.

    Args:
        varied: those with learning rates that are given, for several widths; otherwise those of the agents' own.
        path: where they are stored.
    """
    found: dict[Line, dict[int, dict[int, float]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            line = Line(row["agent"], row["checked"] == "1", int(row["width"]), float(row["learning_rate"]))
            if bool(line.learning_rate) == varied:
                of_seed = found.setdefault(line, {}).setdefault(int(row["seed"]), {})
                of_seed[int(row["steps"])] = float(row["measure"])
    return {
        line: (list(next(iter(seeds.values()))), [list(points.values()) for points in seeds.values()])
        for line, seeds in found.items()
    }
