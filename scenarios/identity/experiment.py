"""One question, asked of three exact agents and of learners: what all identity scenarios do.

An `Experiment` names a kernel whose first action is to stay and whose second is to accept, and what accepting should be
worth by formula. Its cells are independent: the values at the settings, the formulas over a grid, the decision map, one
learner each.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, get_type_hints

from multislot import Trace
from multislot.errors import SettingError
from multislot.exact import Kernel, action_values, decision_map
from multislot.exact.kernel import Number
from multislot.exact.maps.map_results import DecisionMap
from multislot.exact.maps.mapping import between
from multislot.statistics import mean_and_error
from scenarios.identity.formulas import geometric
from scenarios.identity.pictures import three_panels
from scenarios.identity.questions import (
    LEARNER,
    MUTANTS,
    THREE_AGENTS,
    Accepting,
    Asked,
    Cell,
    Decided,
    Mutant,
    Piece,
)
from scenarios.identity.settings import IdentitySettings
from scenarios.lab.rounds import HEIRS, acceptances, scripted
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRID_DISCOUNTS = tuple(map(Fraction, ("1/3", "9/10", "1")))
LARGEST_MAPPED_DISCOUNT = Fraction(49, 50)
DRAWN_DISCOUNTS = between(0, LARGEST_MAPPED_DISCOUNT, 50)
WORDS = {True: "accepts", False: "stays"}
REFUSED, PASSES = "refused", "passes"

Results = Sequence[tuple[Cell, dict[str, Any]]]


@dataclass(frozen=True)
class Experiment:
    """A question about identity.

    Attributes:
        name: the scenario.
        kernel: the world that settings describe; its first action is to stay, its second to accept.
        formula: what accepting is worth for a kind of agent, by formula.
        reward: the setting on the vertical axis of the decision map.
        highest: where that axis ends; it begins at 0.
        grid: values of the settings over which the formulas are checked; discounts are added.
        moral: what came out, in words, printed under the table.
        agents: who is asked.
        mutants: values that the formulas must refuse.
        delay: the setting that counts steps before something happens, which it must do within the horizon; if any.
        script: the action numbers that all follow in the lineage; after them all stay.
    """

    name: str
    kernel: Callable[[Any], Kernel]
    formula: Callable[[Any, str], Fraction]
    reward: str
    highest: Fraction
    grid: Mapping[str, Sequence[object]]
    moral: str
    agents: Sequence[Asked] = THREE_AGENTS
    mutants: Sequence[Mutant] = MUTANTS
    delay: str | None = None
    script: tuple[int, ...] = (1,)

    def cells(self, settings: IdentitySettings) -> list[Cell]:
        """Return the pieces of work, the values first."""
        if self.delay and getattr(settings, self.delay) > settings.horizon:
            given = f"{self.delay}={getattr(settings, self.delay)} is beyond horizon={settings.horizon}"
            raise SettingError(f"{given}, the number T of steps that count; give {self.delay} ≤ T")
        learners = [Cell(settings, "learner", None, heir, seed) for heir in HEIRS for seed in range(settings.seeds)]
        grid = [Cell(settings, "grid", discount) for discount in GRID_DISCOUNTS]
        return [Cell(settings, "values"), *grid, Cell(settings, "mutants"), Cell(settings, "map"), *learners]

    def run_cell(self, cell: Cell) -> dict[str, object]:
        """Return what one cell gives."""
        if cell.part == "learner":
            return {"accepted": self._learn(cell)}
        if cell.part == "values":
            return {agent.name: self.values(agent, cell.settings) for agent in self.agents}
        if cell.part == "mutants":
            return {mutant.name: self._judged(mutant, cell.settings) for mutant in self.mutants}
        if cell.part == "grid":
            return self._check_grid(replace(cell.settings, discount=cell.discount))
        return self._map(cell.settings)

    def values(self, agent: Asked, settings: IdentitySettings) -> list[Fraction]:
        """Return what staying and accepting are worth to an agent, exactly."""
        asked = replace(settings, **agent.changes)
        found = action_values(self.kernel(asked), agent.kind, discount=asked.discount, horizon=asked.horizon)
        return [Fraction(found[action]) for action in found]

    def expected(self, agent: Asked, settings: IdentitySettings) -> list[Fraction]:
        """Return the same by formula."""
        asked = replace(settings, **agent.changes)
        return [asked.r_s * geometric(asked.discount, asked.horizon), self.formula(asked, agent.kind)]

    def _check_grid(self, settings: IdentitySettings) -> dict[str, object]:
        compared, largest = 0, Fraction(0)
        for asked in self._asked_on_grid(settings):
            for agent in self.agents:
                pairs = zip(self.values(agent, asked), self.expected(agent, asked), strict=True)
                largest = max(largest, *(abs(ours - formula) for ours, formula in pairs))
                compared += 1
        return {"compared": compared, "largest": largest}

    def _asked_on_grid(self, settings: IdentitySettings) -> Iterator[IdentitySettings]:
        for values in itertools.product(*self.grid.values()):
            yield replace(settings, **dict[str, Any](zip(self.grid, values, strict=True)))

    def _judged(self, mutant: Mutant, settings: IdentitySettings) -> str:
        """Return whether a mutant differs from the formulas anywhere on the grid."""
        right = next(agent for agent in self.agents if agent.kind == mutant.kind)
        wrong = replace(right, kind=mutant.value)
        differs = (self.values(wrong, asked) != self.expected(right, asked) for asked in self._asked_on_grid(settings))
        return REFUSED if any(differs) else PASSES

    def _maps(self, settings: IdentitySettings, discounts: Sequence[Fraction]) -> list[tuple[str, DecisionMap]]:
        """Return the decision map of each agent, with the value that it has in it."""
        axes = ("discount", discounts), (self.reward, mapped_rewards(self, settings))
        found: dict[tuple[Any, ...], DecisionMap] = {}
        for agent in self.agents:
            changes = tuple(agent.changes.items())
            asked = replace(settings, **agent.changes)
            kinds = dict.fromkeys(one.kind for one in self.agents if one.changes == agent.changes)
            if changes not in found:
                found[changes] = decision_map(
                    lambda asked=asked, **parameter: self.kernel(replace(asked, **parameter)),
                    x=axes[0],
                    y=axes[1],
                    values=list(kinds),
                    horizon=settings.horizon,
                )
        return [(agent.kind, found[tuple(agent.changes.items())]) for agent in self.agents]

    def _map(self, settings: IdentitySettings) -> dict[str, object]:
        """Return who accepts at each point, and for each discount that is drawn from which reward on."""
        maps = self._maps(settings, mapped_discounts(settings))
        found = [
            tuple(index for index, (kind, one) in enumerate(maps) if one.best[kind][x][y] == one.actions[1])
            for x, y in itertools.product(range(settings.resolution), repeat=2)
        ]
        drawn = self._maps(settings, DRAWN_DISCOUNTS)
        return {"accepting": found, "columns": [self._column(drawn, x) for x in range(len(DRAWN_DISCOUNTS))]}

    def _column(self, maps: Sequence[tuple[str, DecisionMap]], x: int) -> list[Piece]:
        pieces: list[Piece] = []
        for start in sorted({Fraction(0), *(turn.at for kind, one in maps for turn in one.turns[kind][x])}):
            found = tuple(
                index for index, (kind, one) in enumerate(maps) if one.decision(kind, x, start) == one.actions[1]
            )
            if not pieces or pieces[-1][1] != found:
                pieces.append((start, found))
        return pieces

    def _learn(self, cell: Cell) -> list[int]:
        asked = cell.settings
        return acceptances(
            self.kernel(asked),
            cell.heir,
            length=asked.horizon,
            rounds=asked.rounds,
            seed=cell.seed,
            discount=float(asked.discount),
            **LEARNER,
        )

    def table(self, settings: IdentitySettings, results: Results) -> list[Row]:
        """Return exact values and decisions, the formulas' test, and what learners came to do."""
        parts = by_part(results)
        return [
            *self._exact_rows(settings, parts["values"][0]),
            *self._check_rows(settings, parts),
            *learner_rows(settings, results),
        ]

    def _exact_rows(self, settings: IdentitySettings, values: Mapping[str, list[str]]) -> Iterator[Row]:
        for agent in self.agents:
            condition = described(replace(settings, **agent.changes))
            ours, formula = list(map(Fraction, values[agent.name])), self.expected(agent, settings)
            yield Row(f"value of accepting, {agent.name}", condition, ours[1], kind="formula", paper=formula[1])
            decision = WORDS[_accepts(ours)]
            yield Row(f"decision, {agent.name}", condition, decision, kind="formula", paper=WORDS[_accepts(formula)])

    def _check_rows(self, settings: IdentitySettings, parts: Mapping[str, list[dict[str, Any]]]) -> Iterator[Row]:
        compared = sum(result["compared"] for result in parts["grid"])
        largest = max(Fraction(result["largest"]) for result in parts["grid"])
        yield Row("largest difference from the formulas", f"{compared} questions of a grid", largest, paper=0)
        for mutant in self.mutants:
            condition = f"{mutant.name}: {mutant.value} in place of {mutant.kind}"
            judged = parts["mutants"][0][mutant.name]
            yield Row("the formulas, for a mutant", condition, judged, kind="control", paper=REFUSED)
        ours = [tuple(found) for found in parts["map"][0]["accepting"]]
        differing = sum(own != other for own, other in zip(ours, mapped_by_formula(self, settings), strict=True))
        yield Row("decisions unlike the formulas'", f"{len(ours)} points of the decision map", differing, paper=0)

    def lineage(self, settings: IdentitySettings) -> Trace:
        """Return who is copied from whom if all follow the script, for as many steps as count."""
        staying = [0] * (settings.horizon - len(self.script))
        return scripted(self.kernel(settings), [*self.script, *staying][: settings.horizon])

    def story(self, settings: IdentitySettings, results: Results) -> str:
        """Return the lineage of accepting, what learners came to do, and the moral."""
        shares = [
            f"{row.ours:.2f} ± {row.uncertainty:.2f} where {row.condition}" for row in learner_rows(settings, results)
        ]
        explored = f"exploring {LEARNER['epsilon']:.0%} of the time"
        learned = f"share of Q-learners, {explored}, that accept in the last quarter:\n  " + "\n  ".join(shares)
        return (
            f"who is copied from whom, accepting:\n{self.lineage(settings).lineage.text()}\n\n{learned}\n\n{self.moral}"
        )

    def figures(self, settings: IdentitySettings, results: Results) -> "dict[str, Figure]":
        """Return one figure of three panels: decision map, learning curves, lineage."""
        drawn = three_panels(
            f"{self.name}:  {described(settings)}",
            self.decided(settings, results),
            settings,
            learning_curves(results),
            self.lineage(settings).lineage,
        )
        return {self.name: drawn}

    def decided(self, settings: IdentitySettings, results: Results) -> Decided:
        """Return the decision map of finished cells."""
        columns = by_part(results)["map"][0]["columns"]
        return Decided(
            DRAWN_DISCOUNTS,
            [[(Fraction(start), tuple(found)) for start, found in column] for column in columns],
            self.highest,
            self.reward,
            (float(settings.discount), float(getattr(settings, self.reward))),
            self.agents,
        )


def _accepts(values: Sequence[Number]) -> bool:
    return values[1] > values[0]


def mapped_discounts(settings: IdentitySettings) -> Sequence[Fraction]:
    """Return the horizontal axis of the decision map."""
    return between(0, LARGEST_MAPPED_DISCOUNT, settings.resolution)


def mapped_rewards(experiment: Experiment, settings: IdentitySettings) -> Sequence[Fraction]:
    """Return the vertical axis of the decision map."""
    return between(0, experiment.highest, settings.resolution)


def described(settings: IdentitySettings, without: Sequence[str] = ()) -> str:
    """Return the settings that have a symbol, ``γ=9/10, T=3, r_s=1``: all that move an exact value, some left out."""
    hints = get_type_hints(type(settings), include_extras=True)
    words = []
    for one in fields(settings):
        symbol = next((note.title for note in getattr(hints[one.name], "__metadata__", ()) if note.title), None)
        if symbol and one.name not in without:
            words.append(f"{symbol}={getattr(settings, one.name)}")
    return ", ".join(words)


def mapped_by_formula(experiment: Experiment, settings: IdentitySettings) -> list[Accepting]:
    """Return who accepts at every point of the decision map, column by column, by formula."""
    found = []
    for discount, reward in itertools.product(mapped_discounts(settings), mapped_rewards(experiment, settings)):
        change: dict[str, Any] = {experiment.reward: reward, "discount": discount}
        asked = replace(settings, **change)
        accepts = [_accepts(experiment.expected(agent, asked)) for agent in experiment.agents]
        found.append(tuple(index for index, accepted in enumerate(accepts) if accepted))
    return found


def by_part(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the results of each part, in order."""
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for cell, result in results:
        parts[cell.part].append(result)
    return parts


def learning_curves(results: Results) -> dict[str, list[list[int]]]:
    """Return whether each learner accepted, round by round, by whose memory goes on: shape [seeds, rounds] each."""
    curves: dict[str, list[list[int]]] = defaultdict(list)
    for cell, result in results:
        if cell.part == "learner":
            curves[cell.heir].append(result["accepted"])
    return dict(curves)


def learner_rows(settings: IdentitySettings, results: Results) -> Iterator[Row]:
    """Yield the share of learners that accept in the last quarter of the rounds, with its standard error over seeds."""
    last = settings.rounds // 4
    for heir, curves in learning_curves(results).items():
        share, error = mean_and_error([sum(curve[-last:]) / last for curve in curves])
        condition = f"{heir} goes on, {settings.rounds} rounds, {settings.seeds} seeds"
        yield Row("learners accept at last (share)", condition, share, error)
