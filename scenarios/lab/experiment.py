"""An offer that is accepted or refused: exact rows, closed forms over a grid, a decision map, and learners.

The scenarios about identity and the anthropic puzzles are experiments of this kind. The cells are independent: the
exact rows, the grid, the map, and one learner each.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Any

from multislot.exact import DecisionMap
from multislot.exact.maps.map_results import Axis
from multislot.statistics import clopper_pearson, mean_and_error, verdict
from scenarios.lab.cells import Result, Results, collect, select
from scenarios.lab.table import Kind, Row, share_row

ENOUGH_ROUNDS = 200
"""With fewer rounds learners have not learned: what they do is measured and not compared."""
SYMBOLS = {"discount": "γ", "horizon": "T"}


@dataclass(frozen=True)
class Cell:
    """One piece of work: a part of a scenario, and which."""

    settings: Any
    part: str
    which: str = ""
    seed: int = 0


@dataclass(frozen=True)
class ExactRows:
    """A scenario in which nothing is random: one cell makes all rows."""

    rows: Callable[[Any], Iterable[Row]]

    def cells(self, settings: Any) -> list[Cell]:
        """List the one cell."""
        return [Cell(settings, "exact")]

    def run_cell(self, cell: Cell) -> Result:
        """Make the rows, as JSON values."""
        return {"rows": [row.as_json() for row in self.rows(cell.settings)]}

    def table(self, settings: Any, results: Results) -> list[Row]:
        """Read the rows of the cells."""
        return list(exact_rows(results))


@dataclass(frozen=True)
class LearningCase:
    """Learners under one condition, and what they should come to do.

    Attributes:
        name: what distinguishes them from the others.
        learn: from a seed to the share that accepts, round by round.
        accepts: whether they should come to accept; None if nothing is claimed.
        control: why the learners should do the opposite of what is claimed; empty for the claim itself.
        is_clear: whether the choice is far enough from a tie for learners to find it; otherwise nothing is compared.
    """

    name: str
    learn: Callable[[int], list[Any]]
    accepts: bool | None = None
    control: str = ""
    is_clear: bool = True


class Experiment(ABC):
    """An offer, asked of exact agents and of learners.

    Its settings have `resolution`, `seeds` and `rounds`.

    Attributes:
        price: the setting on the vertical axis of the map.
        words: what accepting and refusing are called.
        compared: what the closed forms are called in the table: the plural, the possessive, and the points of the grid.
        learning_cases: lists the learners for settings.
    """

    price: str
    learning_cases: Callable[[Any], Sequence[LearningCase]]
    words: Mapping[bool, str] = MappingProxyType({True: "accepts", False: "stays"})
    compared = ("closed forms", "closed form's", "worths")

    @abstractmethod
    def rows(self, settings: Any) -> Iterable[Row]:
        """Yield everything exact, with its closed form."""

    @abstractmethod
    def differences(self, settings: Any) -> Iterable[Fraction]:
        """Yield the engine's numbers minus the closed forms, over a grid of settings."""

    @abstractmethod
    def decisions(self, settings: Any) -> DecisionMap:
        """Map what the engine decides over two settings; the second action accepts."""

    @abstractmethod
    def accept_by_formula(self, settings: Any, x: Fraction, y: Fraction) -> Sequence[bool]:
        """Return who accepts at a point of that map, by closed form, in the order of the map's values."""

    def cells(self, settings: Any) -> list[Cell]:
        """List the exact parts first, since everything else is worth little without them."""
        learners = product(self.learning_cases(settings), range(settings.seeds))
        return [
            *(Cell(settings, part) for part in ("exact", "grid", "map")),
            *(Cell(settings, "learner", case.name, seed) for case, seed in learners),
        ]

    def run_cell(self, cell: Cell) -> Result:
        """Run one part."""
        if cell.part == "exact":
            return ExactRows(self.rows).run_cell(cell)
        if cell.part == "grid":
            sizes = [abs(difference) for difference in self.differences(cell.settings)]
            return {"compared": len(sizes), "largest": max(sizes)}
        if cell.part == "map":
            return self._map(cell.settings)
        (case,) = (case for case in self.learning_cases(cell.settings) if case.name == cell.which)
        return {"accepted": case.learn(cell.seed)}

    def _map(self, settings: Any) -> Result:
        """Map the decisions, and count the points at which they are unlike the closed form."""
        decided = self.decisions(settings)
        points = compared_points(settings, decided)
        differing = sum(
            [decided.best[value][i][j] == decided.actions[1] for value in decided.values]
            != list(self.accept_by_formula(settings, x, y))
            for (i, x), (j, y) in points
        )
        return {"map": decided.as_json(), "points": len(points), "differing": differing}

    def table(self, settings: Any, results: Results) -> list[Row]:
        """Compare exact rows, the grid and the map with closed forms, and learners with what they should come to do."""
        plural, possessive, counted = self.compared
        rows = list(exact_rows(results))
        for grid in select(results, part="grid"):
            quantity, condition = f"largest difference from the {plural}", f"{grid['compared']} {counted} of a grid"
            rows.append(Row(quantity, condition, Fraction(grid["largest"]), paper=0))
        for mapped in select(results, part="map"):
            condition = f"{mapped['points']} points of the decision map"
            rows.append(Row(f"decisions unlike the {possessive}", condition, mapped["differing"], paper=0))
        return [*rows, *self.learner_rows(settings, results)]

    def learner_rows(self, settings: Any, results: Results) -> Iterator[Row]:
        """Yield the share that accepts in the last quarter of the rounds; for a claim, the verdict on it."""
        common = f"{settings.rounds} rounds, {settings.seeds} seeds"
        for case in self.learning_cases(settings):
            shares = last_shares(settings, results, case.name)
            if case.accepts is None:
                if shares:
                    name = f"{case.name} goes on, {common}"
                    yield Row("learners accept at last (share)", name, *mean_and_error(shares))
                continue
            accepted = sum(share > 0.5 for share in shares)
            yield share_row("learners that come to accept (share)", case.name, common, accepted, len(shares))
            kind: Kind = "control" if case.control else "claim"
            yield Row(
                "what learners come to do",
                f"{case.name}, {common}",
                verdict(clopper_pearson(accepted, len(shares)), 0.5, self.words[False], self.words[True]),
                paper=self.words[case.accepts != bool(case.control)],
                kind=kind if case.is_clear and settings.rounds >= ENOUGH_ROUNDS else "measured",
                case=case.name,
                source="copies that explore apart do not find out that they act alike"
                if case.control
                else "closed form",
            )


def describe(settings: Any, names: Iterable[str]) -> str:
    """Write settings in the symbols of the papers, ``γ=9/10, T=3, r_s=1``; those that there are not are left out."""
    return ", ".join(
        f"{SYMBOLS.get(name, name)}={getattr(settings, name)}" for name in names if hasattr(settings, name)
    )


def with_indices(words: str) -> str:
    """Write settings in mathematical letters, ``r_s=1`` with an index."""
    return re.sub(r"\b(\w)_(\w)=", r"$\1_\2$=", words)


def vary(settings: Any, grid: Mapping[str, Iterable[Any]]) -> Iterator[Any]:
    """Yield settings at every point of a grid, by values of some of them."""
    for values in product(*grid.values()):
        yield replace(settings, **dict(zip(grid, values, strict=True)))


def geometric(discount: Fraction, steps: int) -> Fraction:
    """``G_n = Σ_{k<n} γ^k``, what a reward of 1 at each of n steps is worth."""
    return sum((discount**k for k in range(steps)), Fraction(0))


def exact_rows(results: Results, part: str = "exact") -> Iterator[Row]:
    """Yield the rows that cells of a part have made."""
    for result in select(results, part=part):
        yield from map(Row.from_json, result["rows"])


def compared_points(settings: Any, decided: DecisionMap) -> list[tuple[tuple[int, Fraction], tuple[int, Fraction]]]:
    """The points of a map that closed forms are compared with: `resolution` columns and rows of those drawn."""

    def chosen(axis: Axis) -> list[tuple[int, Fraction]]:
        return list(enumerate(axis.values))[:: (len(axis.values) - 1) // (settings.resolution - 1)]

    return list(product(chosen(decided.x), chosen(decided.y)))


def decided_map(results: Results) -> DecisionMap:
    """Read the decision map of finished cells."""
    (result,) = select(results, part="map")
    return DecisionMap.from_json(result["map"])


def last_shares(settings: Any, results: Results, case: str) -> list[float]:
    """The share that accepted in the last quarter of the rounds, for each seed."""
    last = settings.rounds // 4
    return [sum(accepted[-last:]) / last for accepted in collect(results, "accepted", part="learner", which=case)]
