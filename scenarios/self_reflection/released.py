"""The authors' released totals, and how many of those measured here are the same to the last digit.

``released.csv`` holds the last released total reward over 100,000 steps of every agent (RC is its reality check)
in every environment and its opposite, seeds 1 to 5. Their means are the cells of Tables 1 and 2 of Alexander et al.
2021. One row is missing (RC(Simple), seed 2, opposite of NthRewardMultipliedByN).
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from extenv.measuring.measurement import PUBLISHED_STEPS, Measurement
from scenarios.lab.table import Row

RELEASED = Path(__file__).with_name("released.csv")
SOURCE = "the authors' released totals, seeds 1 to 5"


@cache
def totals_as_released() -> Mapping[tuple[str, str, bool], Mapping[int, float]]:
    """The released totals by seed, by agent, environment and whether it is the opposite."""
    totals: dict[tuple[str, str, bool], dict[int, float]] = {}
    with RELEASED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = row["agent"], row["environment"], row["opposite"] == "1"
            totals.setdefault(cell, {})[int(row["seed"])] = float(row["total"])
    return totals


def released_pairs(runs: Measurement) -> list[tuple[float, float]]:
    """The total here and the released total of each run that was released; only runs of as many steps are compared."""
    if runs.steps != PUBLISHED_STEPS:
        return []
    return [
        (score.total_reward, released[score.seed])
        for score in runs.scores
        if score.seed in (released := totals_as_released().get((runs.agent, score.environment, score.opposite), {}))
    ]


def count_equal(pairs: list[tuple[float, float]]) -> int:
    """How many totals are the same to the last digit; rewards are whole numbers."""
    return sum(abs(ours - released) < 0.5 for ours, released in pairs)


def released_rows(runs: Measurement, condition: str) -> list[Row]:
    """How many totals of an agent are those that were released, as a row; none if nothing was released."""
    pairs = released_pairs(runs)
    quantity = f"released totals met to the last digit, of {len(pairs)}"
    return [Row(quantity, condition, count_equal(pairs))] if pairs else []
