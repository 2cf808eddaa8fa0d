"""What all anthropic puzzles do: exact rows, closed forms over a grid, a decision map, learners.

A `Puzzle` asks of one settings object whether an offer is accepted, as a function of the caring coefficient α and of a
price, and knows the answer in closed form. Its cells are independent: the exact rows, the grid, one column of the map
for each α, one learner each.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from multislot.exact import DecisionMap
from multislot.statistics import clopper_pearson, verdict
from scenarios.anthropics.learning import Lesson
from scenarios.anthropics.settings import AnthropicSettings
from scenarios.lab.table import Kind, Row, parse_value, share_row

Results = Sequence[tuple["Cell", dict[str, Any]]]
Decision = Callable[[Any, Fraction, Fraction], bool]
"""From settings, α and the price to whether the offer is accepted."""

Mapped = Callable[[Any, Sequence[Fraction], Sequence[Fraction]], DecisionMap]
"""From settings, values of α and prices to the map."""

WORDS = {True: "accepts", False: "refuses"}
ENOUGH_ROUNDS = 200
"""With fewer rounds learners have not learned: what they do is measured and not compared."""


@dataclass(frozen=True)
class Cell:
    """One piece of work: a part of the puzzle, and which."""

    settings: Any
    part: str
    which: str = ""
    seed: int = 0


@dataclass(frozen=True)
class LearningCase:
    """Learners under one condition, and what they should come to do.

    Attributes:
        name: what tells them from the others.
        lesson: what they repeat.
        memory: whose memory goes on, one of `scenarios.anthropics.learning.MEMORIES`.
        caring: α.
        accepts: whether they should come to accept.
        apart: whether every copy draws random numbers of its own, so that copies do not act alike.
        control: why the learners should do the opposite of what is claimed; empty for the claim itself.
        is_clear: whether the choice is far enough from a tie for learners to find it; otherwise nothing is compared.
    """

    name: str
    lesson: Lesson
    memory: str
    caring: Fraction
    accepts: bool
    apart: bool = False
    control: str = ""
    is_clear: bool = True


@dataclass(frozen=True)
class Puzzle:
    """A question about copies.

    Attributes:
        mapped: what the engine decides from the beginning, over α and the price; the second action accepts.
        formula: whether the offer is accepted, in closed form.
        price: the setting on the vertical axis of the map.
        highest: where that axis ends; it begins at 0.
        rows: everything else that is exact, with its closed form.
        grid: pairs of a worth by the engine and in closed form, over a grid of settings.
        learning_cases: the learners.
        words: what accepting and refusing are called.
    """

    mapped: Mapped
    formula: Decision
    price: str
    highest: Fraction
    rows: Callable[[Any], Sequence[Row]]
    grid: Callable[[Any], Iterator[tuple[Fraction, Fraction]]]
    learning_cases: Callable[[Any], Sequence[LearningCase]]
    words: Mapping[bool, str] = field(default_factory=lambda: WORDS)

    def cells(self, settings: AnthropicSettings) -> list[Cell]:
        """The exact rows first, since everything else is worth little without them."""
        return [
            Cell(settings, "exact"),
            Cell(settings, "grid"),
            Cell(settings, "map"),
            *(
                Cell(settings, "learner", one.name, seed)
                for one in self.learning_cases(settings)
                for seed in range(settings.seeds)
            ),
        ]

    def run_cell(self, cell: Cell) -> dict[str, object]:
        """What one cell gives."""
        if cell.part == "exact":
            return {"rows": [asdict(row) for row in self.rows(cell.settings)]}
        if cell.part == "grid":
            differences = [abs(ours - formula) for ours, formula in self.grid(cell.settings)]
            return {"compared": len(differences), "largest": max(differences)}
        if cell.part == "map":
            return self._map(cell.settings)
        group = {group.name: group for group in self.learning_cases(cell.settings)}[cell.which]
        return {"accepted": group.lesson.decisions(group.memory, group.caring, cell.seed, apart=group.apart)}

    def _map(self, settings: AnthropicSettings) -> dict[str, object]:
        """Return the map, and at how many of its points it is unlike the closed form."""
        alphas, prices = steps(Fraction(1), settings.resolution), self.prices(settings)
        found = self.mapped(settings, alphas, prices)
        ours = [one == found.actions[1] for column in found.best[found.values[0]] for one in column]
        formula = [self.formula(settings, caring, price) for caring in alphas for price in prices]
        differing = sum(a != b for a, b in zip(ours, formula, strict=True))
        return {"map": found.as_json(), "points": len(ours), "differing": differing}

    def prices(self, settings: AnthropicSettings) -> list[Fraction]:
        """The vertical axis of the decision map."""
        return steps(self.highest, settings.resolution)

    def table(self, settings: AnthropicSettings, results: Results) -> list[Row]:
        """The exact rows, the tests of the closed forms, and what learners came to do."""
        return [*exact_rows(results), *_check_rows(results), *self.learner_rows(settings, results)]

    def learner_rows(self, settings: AnthropicSettings, results: Results) -> Iterator[Row]:
        """How many learners come to accept, with an exact interval, and the verdict on what is learned."""
        common = f"{settings.rounds} rounds, {settings.seeds} seeds"
        found = last_decisions(settings, results)
        for one in self.learning_cases(settings):
            accepted, seeds = sum(found[one.name]), len(found[one.name])
            yield share_row("learners that come to accept (share)", one.name, common, accepted, seeds)
            said = verdict(clopper_pearson(accepted, seeds), 0.5, self.words[False], self.words[True])
            kind: Kind = "control" if one.control else "claim"
            if not one.is_clear or settings.rounds < ENOUGH_ROUNDS:
                kind = "measured"
            yield Row(
                "what learners come to do",
                f"{one.name}, {common}",
                said,
                paper=self.words[one.accepts != bool(one.control)],
                kind=kind,
                case=one.name,
                source="copies that explore apart do not find out that they act alike"
                if one.control
                else "closed form",
            )


def steps(highest: Fraction, resolution: int) -> list[Fraction]:
    """Return so many numbers from 0 to the highest, at equal distances."""
    return [highest * Fraction(k, resolution - 1) for k in range(resolution)]


def by_part(results: Results, part: str) -> list[tuple[Cell, dict[str, Any]]]:
    """Return the cells of one part, with their results."""
    return [(cell, result) for cell, result in results if cell.part == part]


def exact_rows(results: Results) -> Iterator[Row]:
    """Yield the exact rows as they were measured."""
    for _, result in by_part(results, "exact"):
        for row in result["rows"]:
            known = {name: _number(value) if name in ("ours", "paper") else value for name, value in row.items()}
            yield Row(**known)


def _number(value: Any) -> Any:
    return parse_value(value) if isinstance(value, str) else value


def _check_rows(results: Results) -> Iterator[Row]:
    for _, result in by_part(results, "grid"):
        largest = Fraction(result["largest"])
        yield Row(
            "largest difference from the closed forms", f"{result['compared']} worths of a grid", largest, paper=0
        )
    for _, result in by_part(results, "map"):
        yield Row(
            "decisions unlike the closed form's",
            f"{result['points']} points of the decision map",
            result["differing"],
            paper=0,
        )


def curves(results: Results) -> Mapping[str, list[list[float]]]:
    """Return the share that accepted, round by round, by condition: shape [seeds, rounds] each."""
    found: dict[str, list[list[float]]] = defaultdict(list)
    for cell, result in by_part(results, "learner"):
        found[cell.which].append(result["accepted"])
    return found


def last_decisions(settings: AnthropicSettings, results: Results) -> Mapping[str, list[bool]]:
    """Return whether each learner accepted in most of the last quarter of the rounds, by condition."""
    last = settings.rounds // 4
    return {name: [2 * sum(one[-last:]) > last for one in some] for name, some in curves(results).items()}
