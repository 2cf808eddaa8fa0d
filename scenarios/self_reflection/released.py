"""The authors' released totals, cell by cell, and whether what is measured here differs from them.

``released_totals.csv`` holds the last released total reward over 100,000 steps of every agent (RC is its reality check)
in every environment and its opposite, seeds 1 to 5. Their means are the cells of Tables 1 and 2 of Alexander et al.
2021. One row is missing (RC(Simple), seed 2, opposite of NthRewardMultipliedByN).

Two comparisons. *To the last digit*, seed by seed: the same random numbers are drawn here, so a total is the same
unless rounding decides something. *As a sample*: the seeds from 6 on are independent of the released ones, and a cell
differs if a rank test (Mann and Whitney) says so after Bonferroni's correction for the cells of its agent. A cell
agrees if it does not differ and the same test would have seen the released values shifted by `SHIFT` a step, up or
down. Otherwise it is not decided. Five released values of a cell that scatters decide nothing.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from extenv.measurement import PUBLISHED_STEPS, Measurement
from multislot.statistics import CONFIDENCE, UNDECIDED, Interval
from scenarios.table import Measured

RELEASED = Path(__file__).with_name("released_totals.csv")
RELEASED_SEEDS = (1, 2, 3, 4, 5)
SHIFT = 0.2
"""A planted difference in reward per step, a fifth of the largest reward."""
DIFFERS, AGREES, NONE, SOME = "differs", "agrees", "none differs", "some differ"


@cache
def totals_as_released() -> Mapping[tuple[str, str, bool], Mapping[int, float]]:
    """Return the released totals by seed, by agent, environment and whether it is the opposite."""
    found: dict[tuple[str, str, bool], dict[int, float]] = {}
    with RELEASED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = row["agent"], row["environment"], row["opposite"] == "1"
            found.setdefault(cell, {})[int(row["seed"])] = float(row["total"])
    return found


@dataclass(frozen=True)
class ReleasedCell:
    """One agent in one environment or its opposite, here and as released, in reward per step.

    Attributes:
        agent: its name in tables.
        environment: its name.
        opposite: whether it is the opposite.
        ours: one value a seed.
        released: one value a seed.
    """

    agent: str
    environment: str
    opposite: bool
    ours: Mapping[int, float]
    released: Mapping[int, float]

    @property
    def compared(self) -> list[int]:
        """The seeds of both."""
        return [seed for seed in self.ours if seed in self.released]

    @property
    def identical(self) -> int:
        """For how many seeds the totals are the same to the last digit."""
        return sum(abs(self.ours[seed] - self.released[seed]) * PUBLISHED_STEPS < 0.5 for seed in self.compared)

    @property
    def independent(self) -> list[float]:
        """Our values of seeds that the released ones do not have."""
        return [value for seed, value in self.ours.items() if seed not in self.released]

    @property
    def difference(self) -> float:
        """Mean of all our seeds less mean of the released ones."""
        return fmean(self.ours.values()) - fmean(self.released.values())

    @property
    def interval(self) -> Interval:
        """Welch's confidence interval of the difference of the means, from independent seeds."""
        from scipy.stats import ttest_ind

        test = ttest_ind(self.independent, list(self.released.values()), equal_var=False)
        low, high = test.confidence_interval(CONFIDENCE)
        return float(low), float(high)

    def verdict(self, cells: int) -> str:
        """Return whether the cell differs, agrees or is not decided, as one of so many `cells` of an agent."""
        ours, released = self.independent, list(self.released.values())
        if differ(ours, released, cells):
            return DIFFERS
        shifted = ([value + shift for value in released] for shift in (-SHIFT, SHIFT))
        return AGREES if all(differ(ours, other, cells) for other in shifted) else UNDECIDED


def differ(ours: Sequence[float], released: Sequence[float], cells: int) -> bool:
    """Return whether two samples differ by their ranks, as one of so many comparisons."""
    from scipy.stats import mannwhitneyu

    if not ours or len(set(ours) | set(released)) == 1:
        return False
    return bool(mannwhitneyu(ours, released, method="exact").pvalue < (1 - CONFIDENCE) / cells)


def released_cells(found: Measurement, shift: float = 0.0) -> list[ReleasedCell]:
    """Return the cells of an agent that were released, with `shift` added to all that is ours.

    Only runs of as many steps as released are compared.
    """
    if found.steps != PUBLISHED_STEPS:
        return []
    cells: dict[tuple[str, bool], dict[int, float]] = {}
    for score in found.scores:
        cells.setdefault((score.environment, score.opposite), {})[score.seed] = score.mean_reward + shift
    return [
        ReleasedCell(
            found.agent, environment, opposite, ours, {s: total / found.steps for s, total in released.items()}
        )
        for (environment, opposite), ours in cells.items()
        if (released := totals_as_released().get((found.agent, environment, opposite)))
    ]


def verdicts(cells: Iterable[ReleasedCell]) -> list[str]:
    """Return the verdict of every cell of one agent."""
    listed = list(cells)
    return [cell.verdict(len(listed)) for cell in listed]


def released_rows(found: Measurement, condition: str) -> list[Measured]:
    """Return rows that compare an agent with what was released: to the last digit, and as samples.

    The control shifts all that is ours by `SHIFT`: the claim must fail.
    """
    cells = released_cells(found)
    compared = sum(len(cell.compared) for cell in cells)
    if not compared:
        return []
    identical = sum(cell.identical for cell in cells)
    rows = [Measured(f"released totals met to the last digit, of {compared}", condition, identical)]
    if not any(cell.independent for cell in cells):
        return rows
    decided, shifted = verdicts(cells), verdicts(released_cells(found, SHIFT))
    claim = Measured(
        "cells that differ from the released ones", condition, summary(decided), paper=NONE, kind="claim", source=SOURCE
    )
    control = Measured(
        f"the same with {SHIFT} a step added here",
        condition,
        summary(shifted),
        paper=SOME,
        kind="control",
        source=SOURCE,
    )
    counts = [
        Measured(f"cells compared with the released ones: {word}", condition, decided.count(word))
        for word in (AGREES, DIFFERS, UNDECIDED)
    ]
    return [*rows, claim, control, *counts]


SOURCE = "the authors' released totals, seeds 1 to 5"


def summary(decided: Sequence[str]) -> str:
    """Return what the verdicts of an agent's cells say together: one that differs is enough; all may be undecided."""
    if DIFFERS in decided:
        return SOME
    return NONE if AGREES in decided else UNDECIDED
