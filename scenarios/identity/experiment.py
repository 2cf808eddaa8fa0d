"""One question, asked of three exact agents and of learners: what all identity scenarios do.

An `Experiment` names a kernel whose first action is to stay and whose second is to accept, and what accepting should be
worth by formula. Its cells are independent: the values at the settings, the formulas over a grid, one column of the
decision map each, one learner each.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, get_type_hints

from multislot import Trace
from multislot.errors import SettingError
from multislot.exact import Kernel, action_values
from multislot.exact.kernel import Number
from multislot.statistics import mean_and_error
from scenarios.identity.formulas import geometric
from scenarios.identity.settings import IdentitySettings
from scenarios.rounds import HEIRS, acceptances, scripted
from scenarios.table import Measured

GRID_DISCOUNTS = tuple(map(Fraction, ("1/3", "9/10", "1")))
LARGEST_MAPPED_DISCOUNT = Fraction(49, 50)
LEARNER = {"learning_rate": 0.05, "epsilon": 0.3}
WORDS = {True: "accepts", False: "stays"}

Results = Sequence[tuple["Cell", dict[str, Any]]]


@dataclass(frozen=True)
class Asked:
    """An agent that is asked: its name, its value (``cpy``, ``sta``, ``dyn``), and how its question differs."""

    name: str
    kind: str
    changes: Mapping[str, Any] = field(default_factory=dict)


THREE_AGENTS = (Asked("copy-centred", "cpy"), Asked("static", "sta"), Asked("dynamic", "dyn"))


@dataclass(frozen=True)
class Cell:
    """One piece of work: a part of the experiment, and which."""

    settings: Any
    part: str
    discount: Fraction | None = None
    heir: str = ""
    seed: int = 0


@dataclass(frozen=True)
class Experiment:
    """A question about identity.

    Attributes:
        kernel: the world that settings describe; its first action is to stay, its second to accept.
        formula: what accepting is worth for a kind of agent, by formula.
        reward: the setting on the vertical axis of the decision map.
        highest: where that axis ends; it begins at 0.
        grid: values of the settings over which the formulas are checked; discounts are added.
        script: what everyone does, step by step, in the lineage that is drawn: action numbers.
        moral: what came out, in words, printed under the table.
        agents: who is asked.
        delay: the setting that counts steps before something happens, which it must do within the horizon; if any.
    """

    kernel: Callable[[Any], Kernel]
    formula: Callable[[Any, str], Fraction]
    reward: str
    highest: Fraction
    grid: Mapping[str, Sequence[object]]
    script: Sequence[int]
    moral: str
    agents: Sequence[Asked] = THREE_AGENTS
    delay: str | None = None

    def cells(self, settings: IdentitySettings) -> list[Cell]:
        """The values first, since everything else is worth little without them.

        Raises:
            SettingError: the delay is longer than the horizon.
        """
        if self.delay and getattr(settings, self.delay) > settings.horizon:
            given = f"{self.delay}={getattr(settings, self.delay)} is beyond horizon={settings.horizon}"
            raise SettingError(f"{given}, the number T of steps that count; give {self.delay} ≤ T")
        learners = [Cell(settings, "learner", None, heir, seed) for heir in HEIRS for seed in range(settings.seeds)]
        return [
            Cell(settings, "values"),
            *(Cell(settings, "grid", discount) for discount in GRID_DISCOUNTS),
            *(Cell(settings, "map", discount) for discount in mapped_discounts(settings)),
            *learners,
        ]

    def run_cell(self, cell: Cell) -> dict[str, object]:
        """What one cell gives."""
        if cell.part == "learner":
            return {"accepted": self._learn(cell)}
        if cell.part == "values":
            return {agent.name: self.values(agent, cell.settings) for agent in self.agents}
        if cell.part == "grid":
            return self._check_grid(replace(cell.settings, discount=cell.discount))
        return self._map_column(replace(cell.settings, discount=cell.discount))

    def values(self, agent: Asked, settings: IdentitySettings) -> list[Fraction]:
        """What staying and accepting are worth to an agent, exactly."""
        asked = replace(settings, **agent.changes)
        found = action_values(self.kernel(asked), agent.kind, discount=asked.discount, horizon=asked.horizon)
        return [Fraction(found[action]) for action in found]

    def expected(self, agent: Asked, settings: IdentitySettings) -> list[Fraction]:
        """The same by formula."""
        asked = replace(settings, **agent.changes)
        return [asked.r_s * geometric(asked.discount, asked.horizon), self.formula(asked, agent.kind)]

    def _check_grid(self, settings: IdentitySettings) -> dict[str, object]:
        compared, largest = 0, Fraction(0)
        for values in itertools.product(*self.grid.values()):
            asked = replace(settings, **dict[str, Any](zip(self.grid, values, strict=True)))
            for agent in self.agents:
                pairs = zip(self.values(agent, asked), self.expected(agent, asked), strict=True)
                largest = max(largest, *(abs(ours - formula) for ours, formula in pairs))
                compared += 1
        return {"compared": compared, "largest": largest}

    def _map_column(self, settings: IdentitySettings) -> dict[str, object]:
        """Who accepts, for every reward: indices of agents; and in how many of these decisions the formulas differ."""
        column, differing = [], 0
        for reward in mapped_rewards(self, settings):
            change: dict[str, Any] = {self.reward: reward}
            asked = replace(settings, **change)
            ours = [_accepts(self.values(agent, asked)) for agent in self.agents]
            differing += sum(
                own != _accepts(self.expected(agent, asked)) for own, agent in zip(ours, self.agents, strict=True)
            )
            column.append([index for index, own in enumerate(ours) if own])
        return {"accepting": column, "differing": differing}

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

    def table(self, settings: IdentitySettings, results: Results) -> list[Measured]:
        """Exact values and decisions, the formulas' test, and what learners came to do."""
        parts = by_part(results)
        return [*self._exact_rows(settings, parts["values"][0]), *_check_rows(parts), *learner_rows(settings, results)]

    def _exact_rows(self, settings: IdentitySettings, values: Mapping[str, list[str]]) -> Iterator[Measured]:
        for agent in self.agents:
            condition = described(replace(settings, **agent.changes))
            ours, formula = list(map(Fraction, values[agent.name])), self.expected(agent, settings)
            yield Measured(f"value of accepting, {agent.name}", condition, ours[1], paper=formula[1])
            decision = WORDS[_accepts(ours)]
            yield Measured(f"decision, {agent.name}", condition, decision, paper=WORDS[_accepts(formula)])

    def lineage(self, settings: IdentitySettings) -> Trace:
        """Who is copied from whom if everyone follows the script."""
        return scripted(self.kernel(settings), self.script)

    def story(self, settings: IdentitySettings, results: Results) -> str:
        """The lineage of accepting, what learners came to do, and the moral."""
        shares = [
            f"{row.ours:.2f} ± {row.uncertainty:.2f} where {row.condition}" for row in learner_rows(settings, results)
        ]
        explored = f"exploring {LEARNER['epsilon']:.0%} of the time"
        learned = f"share of Q-learners, {explored}, that accept in the last quarter:\n  " + "\n  ".join(shares)
        return (
            f"who is copied from whom, accepting:\n{self.lineage(settings).lineage.text()}\n\n{learned}\n\n{self.moral}"
        )


def _accepts(values: Sequence[Fraction]) -> bool:
    return values[1] > values[0]


def mapped_discounts(settings: IdentitySettings) -> list[Fraction]:
    """The horizontal axis of the decision map."""
    return [LARGEST_MAPPED_DISCOUNT * Fraction(k, settings.resolution - 1) for k in range(settings.resolution)]


def mapped_rewards(experiment: Experiment, settings: IdentitySettings) -> list[Fraction]:
    """The vertical axis of the decision map."""
    return [experiment.highest * Fraction(k, settings.resolution - 1) for k in range(settings.resolution)]


def described(settings: IdentitySettings, without: Sequence[str] = ()) -> str:
    """The settings that have a symbol, ``γ=9/10, T=3, r_s=1``: all that move an exact value, some left out."""
    hints = get_type_hints(type(settings), include_extras=True)
    words = []
    for one in fields(settings):
        symbol = next((note.title for note in getattr(hints[one.name], "__metadata__", ()) if note.title), None)
        if symbol and one.name not in without:
            words.append(f"{symbol}={getattr(settings, one.name)}")
    return ", ".join(words)


def accepting_by_formula(
    experiment: Experiment, settings: IdentitySettings, discount: Number, reward: Number
) -> tuple[int, ...]:
    """Which agents accept at a point of the decision map, by index; floats will do for a picture."""
    change: dict[str, Any] = {experiment.reward: reward, "discount": discount}
    asked = replace(settings, **change)
    agents = enumerate(experiment.agents)
    return tuple(index for index, agent in agents if _accepts(experiment.expected(agent, asked)))


def mapped_by_formula(experiment: Experiment, settings: IdentitySettings) -> list[tuple[int, ...]]:
    """Which agents accept at every point of the decision map, column by column, by formula."""
    points = itertools.product(mapped_discounts(settings), mapped_rewards(experiment, settings))
    return [accepting_by_formula(experiment, settings, *point) for point in points]


def by_part(results: Results) -> dict[str, list[dict[str, Any]]]:
    """The results of each part, in order."""
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for cell, result in results:
        parts[cell.part].append(result)
    return parts


def _check_rows(parts: Mapping[str, list[dict[str, Any]]]) -> Iterator[Measured]:
    compared = sum(result["compared"] for result in parts["grid"])
    largest = max(Fraction(result["largest"]) for result in parts["grid"])
    yield Measured("largest difference from the formulas", f"{compared} questions of a grid", largest, paper=0)
    differing = sum(result["differing"] for result in parts["map"])
    points = sum(len(result["accepting"]) for result in parts["map"])
    yield Measured("decisions unlike the formulas'", f"{points} points of the decision map", differing, paper=0)


def learning_curves(results: Results) -> dict[str, list[list[int]]]:
    """Whether each learner accepted, round by round, by whose memory goes on: shape [seeds, rounds] each."""
    curves: dict[str, list[list[int]]] = defaultdict(list)
    for cell, result in results:
        if cell.part == "learner":
            curves[cell.heir].append(result["accepted"])
    return dict(curves)


def learner_rows(settings: IdentitySettings, results: Results) -> Iterator[Measured]:
    """The share of learners that accept in the last quarter of the rounds, with its standard error over seeds."""
    last = settings.rounds // 4
    for heir, curves in learning_curves(results).items():
        share, error = mean_and_error([sum(curve[-last:]) / last for curve in curves])
        condition = f"{heir} goes on, {settings.rounds} rounds, {settings.seeds} seeds"
        yield Measured("learners accept at last (share)", condition, share, error)
