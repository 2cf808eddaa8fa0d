"""Stored learning curves, for the page about Table 2; running them takes long.

``stored.csv`` holds one row a point: agent, whether it is the reality check, width of its network, learning rate (0 for
its own), steps, seed and the measure, as ``multislot run learning-curves`` gives it. One seed lived a million
steps, five lived a tenth of that.
"""

from pathlib import Path
from typing import Any

from scenarios.self_reflection.learning_curves import Line
from scenarios.self_reflection.learning_curves.plot import Curve

STORED = Path(__file__).with_name("stored.csv")


def stored_curves(varied: bool = False, most: int | None = None) -> dict[Line, Curve]:
    """Read the stored curves.

    Args:
        varied: those of several widths with learning rates that are given; otherwise those of the agents' own.
        most: steps up to which they go, with all seeds that lived so long; by default they are as long as possible.
    """
    import pandas

    rows = pandas.read_csv(STORED).query("(learning_rate > 0) == @varied")
    curves: dict[Line, Curve] = {}
    identity: Any
    for identity, own in rows.groupby(["agent", "checked", "width", "learning_rate"], sort=False):
        agent, checked, width, rate = identity
        measures = own.pivot_table(index="seed", columns="steps", values="measure", sort=False)
        longest = most or int(own.steps.max())
        points: list[int] = sorted(own.steps[own.steps <= longest].unique().tolist())
        chosen = measures.loc[measures[longest].notna(), points]
        curves[Line(agent, bool(checked), int(width), float(rate))] = points, chosen.to_numpy().tolist()
    return curves
