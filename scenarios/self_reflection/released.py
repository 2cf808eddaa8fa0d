"""The authors' released totals, cell by cell, and whether what is measured here differs from them.

``released.csv`` holds the last released total reward over 100,000 steps of every agent (RC is its reality check)
in every environment and its opposite, seeds 1 to 5. Their means are the cells of Tables 1 and 2 of Alexander et al.
2021. One row is missing (RC(Simple), seed 2, opposite of NthRewardMultipliedByN).

Two tests of every cell, each at a level that is corrected for both tests and all cells of an agent (Bonferroni).
*Paired*: the same random numbers are drawn here, so that a total is the same unless rounding decides something. The
differences of the seeds that both have get Student's interval; if all are 0, its width is 0. *As samples*: the seeds
from 6 on are independent of the released ones, and are compared by their ranks (Mann and Whitney), which needs about
ten of them.

A cell *differs* if one of the tests says so. It *agrees* if none does and one of them would have seen the released
values shifted by `SHIFT` a step, up or down. Otherwise it is *not decided*.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean

from extenv.measuring.measurement import PUBLISHED_STEPS, Measurement
from multislot.statistics import CONFIDENCE, UNDECIDED, Interval, student
from scenarios.lab.table import Row, word_row

RELEASED = Path(__file__).with_name("released.csv")
SHIFT = 0.2
"""A planted difference in reward per step, a fifth of the largest reward."""
TESTS = 2
SOURCE = "the authors' released totals, seeds 1 to 5"
DIFFERS, AGREES, NONE, SOME = "differs", "agrees", "none differs", "some differ"


@cache
def totals_as_released() -> Mapping[tuple[str, str, bool], Mapping[int, float]]:
    """The released totals by seed, by agent, environment and whether it is the opposite."""
    totals: dict[tuple[str, str, bool], dict[int, float]] = {}
    with RELEASED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = row["agent"], row["environment"], row["opposite"] == "1"
            totals.setdefault(cell, {})[int(row["seed"])] = float(row["total"])
    return totals


@dataclass(frozen=True)
class ReleasedCell:
    """One agent in one environment or its opposite, here and as released, in reward per step.

    Attributes:
        ours: one value a seed.
        released: one value a seed.
        cells: how many cells are compared together.
    """

    agent: str
    environment: str
    opposite: bool
    ours: Mapping[int, float]
    released: Mapping[int, float]
    cells: int = 1

    @property
    def compared(self) -> list[int]:
        return [seed for seed in self.ours if seed in self.released]

    @property
    def identical(self) -> int:
        """For how many seeds the totals are the same to the last digit."""
        return self.differences.count(0.0)

    @property
    def level(self) -> float:
        """The chance of a false alarm of one test."""
        return (1 - CONFIDENCE) / (TESTS * self.cells)

    @cached_property
    def differences(self) -> list[float]:
        """Ours − released, one a seed that both have; 0 where totals are the same to the last digit."""
        gaps = [self.ours[seed] - self.released[seed] for seed in self.compared]
        return [gap if abs(gap) * PUBLISHED_STEPS >= 0.5 else 0.0 for gap in gaps]

    @property
    def difference(self) -> float:
        """Mean difference of the seeds that both have; without any, of the means."""
        gaps = self.differences or [fmean(self.ours.values()) - fmean(self.released.values())]
        return fmean(gaps)

    @cached_property
    def interval(self) -> Interval:
        """Student's interval of the paired difference, for all cells of an agent together; infinite without pairs."""
        return student(self.differences, 1 - self.level) if len(self.differences) > 1 else (-math.inf, math.inf)

    def differs(self, shift: float = 0.0) -> bool:
        """Whether a test tells ours from the released values, the latter shifted."""
        low, high = self.interval
        moved = [value + shift for value in self.released.values()]
        independent = [value for seed, value in self.ours.items() if seed not in self.released]
        return not low <= shift <= high or ranks_differ(independent, moved, self.level)

    @property
    def verdict(self) -> str:
        """Whether the cell differs, agrees or is not decided."""
        if self.differs():
            return DIFFERS
        return AGREES if self.differs(SHIFT) and self.differs(-SHIFT) else UNDECIDED


def ranks_differ(ours: Sequence[float], released: Sequence[float], level: float) -> bool:
    from scipy.stats import mannwhitneyu

    if not ours or len(set(ours) | set(released)) == 1:
        return False
    return bool(mannwhitneyu(ours, released, method="exact").pvalue < level)


def released_cells(runs: Measurement, shift: float = 0.0) -> list[ReleasedCell]:
    """The cells of an agent that were released, with `shift` added to all that is ours.

    Only runs of as many steps as released are compared.
    """
    if runs.steps != PUBLISHED_STEPS:
        return []
    cells: dict[tuple[str, bool], dict[int, float]] = {}
    for score in runs.scores:
        cells.setdefault((score.environment, score.opposite), {})[score.seed] = score.mean_reward + shift
    return [
        ReleasedCell(
            runs.agent,
            environment,
            opposite,
            ours,
            {s: total / runs.steps for s, total in released.items()},
            len(cells),
        )
        for (environment, opposite), ours in cells.items()
        if (released := totals_as_released().get((runs.agent, environment, opposite)))
    ]


def released_rows(runs: Measurement, condition: str) -> list[Row]:
    """Rows that compare an agent with what was released: to the last digit, and as samples.

    The control shifts all that is ours by `SHIFT`: the claim must fail.
    """
    cells = released_cells(runs)
    compared = sum(len(cell.compared) for cell in cells)
    if not compared:
        return []
    identical = sum(cell.identical for cell in cells)
    rows = [Row(f"released totals met to the last digit, of {compared}", condition, identical)]
    if compared < 2 * len(cells):
        return rows
    decided, shifted = (
        [cell.verdict for cell in compared_cells] for compared_cells in (cells, released_cells(runs, SHIFT))
    )
    claim = word_row("cells that differ from the released ones", condition, summary(decided), NONE, SOURCE)
    added = f"the same with {SHIFT} a step added here"
    control = word_row(added, condition, summary(shifted), SOME, SOURCE, control=True)
    counts = [
        Row(f"cells compared with the released ones: {word}", condition, decided.count(word))
        for word in (AGREES, DIFFERS, UNDECIDED)
    ]
    return [*rows, claim, control, *counts]


def summary(decided: Sequence[str]) -> str:
    """The verdict on all cells of an agent: one that differs is enough; otherwise one that agrees."""
    if DIFFERS in decided:
        return SOME
    return NONE if AGREES in decided else UNDECIDED
