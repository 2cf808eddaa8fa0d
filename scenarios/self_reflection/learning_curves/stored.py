"""Stored learning curves, for the page about Table 2; running them takes long.

``stored.csv`` holds one row a point: agent, whether it is the reality check, width of its network, learning rate (0 for
its own), steps, seed and the measure, as ``multislot run learning-curves`` gives it. One seed lived a million
steps, five lived a tenth of that.
"""

import csv
from pathlib import Path

from scenarios.self_reflection.learning_curves import Line
from scenarios.self_reflection.learning_curves.plot import Curve

STORED = Path(__file__).with_name("stored.csv")
COLUMNS = ("agent", "checked", "width", "learning_rate", "steps", "seed", "measure")


def stored_curves(varied: bool = False, most: int | None = None, path: Path = STORED) -> dict[Line, Curve]:
    """The stored curves.

    Args:
        varied: those with learning rates that are given, for several widths; otherwise those of the agents' own.
        most: steps up to which they go, with all seeds that lived so long; without it, they are as long as there are.
        path: where they are stored.
    """
    measures: dict[Line, dict[int, dict[int, float]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            line = Line(row["agent"], row["checked"] == "1", int(row["width"]), float(row["learning_rate"]))
            if bool(line.learning_rate) == varied:
                of_seed = measures.setdefault(line, {}).setdefault(int(row["seed"]), {})
                of_seed[int(row["steps"])] = float(row["measure"])
    return {line: _curve(list(seeds.values()), most) for line, seeds in measures.items()}


def _curve(seeds: list[dict[int, float]], most: int | None) -> Curve:
    longest = max(map(max, seeds)) if most is None else most
    chosen = [measures for measures in seeds if max(measures) >= longest]
    points = [point for point in chosen[0] if point <= longest]
    return points, [[measures[point] for point in points] for measures in chosen]
