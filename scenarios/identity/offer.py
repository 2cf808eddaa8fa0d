"""One offer, made to exact agents and to learners: what the plain identity scenarios do.

An `Offer` names a kernel whose first action is to stay and whose second is to accept, and what accepting should be
worth by formula. Its figures show the decision map, the learning curves, and who was copied from whom. A color means
the same in every figure: one hue for each set of kinds of agents that accept, a lighter or darker tint where only some
variants of these kinds do (``static`` where red is paid, say), gray where nobody does, blue where everybody does.

The closed forms follow from the equations of Orseau 2014, section 4. Staying pays ``r_s`` a step, ``r_s G`` in all,
with ``G = G_T`` and ``G_n = Σ_{k<n} γ^k``. The decision is made at the first step, in slot 1. Ties go to staying.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import Field

from multislot import HistoryAgent, Trace, run
from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW
from multislot.errors import SettingError
from multislot.exact import DecisionMap, Kernel, KernelWorld, action_values, decision_map, world_named
from multislot.exact.maps.map_drawing import ACCEPTING, ACTIONS
from multislot.exact.maps.mapping import between
from multislot.statistics import CONFIDENCE, bootstrap
from scenarios.lab.cells import Axes, Figures, Results, collect
from scenarios.lab.experiment import (
    Cell,
    Experiment,
    LearningCase,
    decided_map,
    describe,
    geometric,
    vary,
    with_indices,
)
from scenarios.lab.printing import with_error
from scenarios.lab.rounds import HEIRS, acceptances
from scenarios.lab.table import Row, caught_row

Reward: TypeAlias = Annotated[Fraction, Field(ge=0)]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class IdentitySettings:
    """What is asked, how exactly it is mapped, and how long learners are given."""

    discount: Annotated[Fraction, Field(ge=0, le=1, description="discount")] = Fraction(9, 10)
    horizon: Annotated[int, Field(ge=1, le=8, description="steps that count, and steps a learner's round")] = 3
    r_s: Annotated[Fraction, Field(description="reward of each step if one stays")] = Fraction(1)
    resolution: Annotated[int, Field(ge=2, description="points along each side of the decision map")] = 13
    seeds: Annotated[int, Field(ge=1, description="independent runs of each kind of learner")] = 8
    rounds: Annotated[int, Field(ge=8, description="how often a learner meets the question")] = 1200


QUICK_SIZE: dict[str, Any] = {"seeds": 4, "rounds": 800}
FULL_SIZE: dict[str, Any] = {"resolution": 41, "seeds": 40, "rounds": 4000}
GRID_DISCOUNTS = tuple(map(Fraction, ("1/3", "9/10", "1")))
SIZES = ("resolution", "seeds", "rounds", "steps", "environments")
"""Settings that say how exactly something is computed or tried, and how long it is learned."""
LARGEST_MAPPED_DISCOUNT = Fraction(49, 50)
LEAST_COLUMNS = 48
LEARNER = {"learning_rate": 0.05, "epsilon": 0.3}


@dataclass(frozen=True)
class ExactAgent:
    """An agent to which the offer is made.

    Attributes:
        kind: its value, ``cpy``, ``sta`` or ``dyn``.
        changes: settings that differ for it.
    """

    name: str
    kind: str
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mutant:
    """A wrong value that the formulas must refuse.

    Attributes:
        name: what is wrong with it.
        kind: the value that it replaces.
        value: the value of the engine that is used instead.
    """

    name: str
    kind: str
    value: str


MUTANTS = (
    Mutant("each copy counts in full", "cpy", "common-ancestor"),
    Mutant("as if every copy were in slot 1", "sta", "cpy"),
)
THREE_AGENTS = (ExactAgent("copy-centered", "cpy"), ExactAgent("static", "sta"), ExactAgent("dynamic", "dyn"))


@dataclass(frozen=True)
class Offer(Experiment):
    """An offer to be copied, moved or deleted.

    Attributes:
        world: the world that settings describe; its first action is to stay, its second to accept. By default it is the
            packaged world of this name, whose parameters are settings.
        formula: what accepting is worth for a kind of agent, by formula.
        price: the setting on the vertical axis of the decision map.
        highest: where that axis ends; it begins at 0.
        grid: values of the settings over which the formulas are checked; discounts are added.
        mutants: values that the formulas must refuse.
        delay: the setting, if any, that counts steps before something happens, which it must do within the horizon.
        script: the action numbers that all follow in the lineage; after them all stay.
    """

    name: str
    formula: Callable[[Any, str], Fraction]
    price: str
    highest: Fraction
    grid: Mapping[str, Sequence[object]]
    moral: str
    agents: Sequence[ExactAgent] = THREE_AGENTS
    mutants: Sequence[Mutant] = MUTANTS
    delay: str | None = None
    script: tuple[int, ...] = (1,)
    world: Callable[[Any], Kernel] | None = None

    compared = ("formulas", "formulas'", "questions")

    def cells(self, settings: Any) -> list[Cell]:
        delay = getattr(settings, self.delay) if self.delay else 0
        if delay > settings.horizon:
            raise SettingError(
                f"{self.delay}={delay} is beyond horizon={settings.horizon}, the number T of steps that count; "
                f"give {self.delay} ≤ T"
            )
        return super().cells(settings)

    def kernel(self, settings: Any) -> Kernel:
        """The world that settings describe."""
        if self.world:
            return self.world(settings)
        chosen = {name: getattr(settings, name) for name in world_named(self.name).parameters}
        return world_named(self.name, **{k: int(v) if isinstance(v, bool) else v for k, v in chosen.items()})

    def values(self, agent: ExactAgent, settings: Any) -> list[Fraction]:
        """What staying and accepting are worth to an agent, exactly."""
        own = replace(settings, **agent.changes)
        worths = action_values(self.kernel(own), agent.kind, discount=own.discount, horizon=own.horizon)
        return [Fraction(worth) for worth in worths.values()]

    def expected(self, agent: ExactAgent, settings: Any) -> list[Fraction]:
        own = replace(settings, **agent.changes)
        return [own.r_s * geometric(own.discount, own.horizon), self.formula(own, agent.kind)]

    def rows(self, settings: Any) -> Iterator[Row]:
        """Yield values and decisions of all agents, and whether the formulas refuse the mutants."""
        for agent in self.agents:
            condition = condition_of(replace(settings, **agent.changes))
            ours, formula = self.values(agent, settings), self.expected(agent, settings)
            yield Row(f"value of accepting, {agent.name}", condition, ours[1], kind="formula", paper=formula[1])
            words = [self.words[accept > stay] for stay, accept in (ours, formula)]
            yield Row(f"decision, {agent.name}", condition, words[0], kind="formula", paper=words[1])
        for mutant in self.mutants:
            condition = f"{mutant.name}: {mutant.value} in place of {mutant.kind}"
            yield caught_row("the formulas, for a mutant", condition, self._refuse(mutant, settings))

    def _refuse(self, mutant: Mutant, settings: Any) -> bool:
        """Whether a mutant differs from the formulas anywhere on the grid."""
        right = next(agent for agent in self.agents if agent.kind == mutant.kind)
        wrong = replace(right, kind=mutant.value)
        return any(self.values(wrong, point) != self.expected(right, point) for point in vary(settings, self.grid))

    def differences(self, settings: Any) -> Iterator[Fraction]:
        """Yield how far a worth is from its formula at most, for each point of the grid and each agent."""
        for point, agent in product(vary(settings, {"discount": GRID_DISCOUNTS, **self.grid}), self.agents):
            pairs = zip(self.values(agent, point), self.expected(agent, point), strict=True)
            yield max(abs(ours - formula) for ours, formula in pairs)

    def decisions(self, settings: Any) -> DecisionMap:
        """Map who accepts over discount and reward, a line for each agent by its name."""
        maps = {agent.name: self._decisions_of(agent, settings) for agent in self.agents}
        best = {name: own.best[own.values[0]] for name, own in maps.items()}
        lines = {name: own.lines[own.values[0]] for name, own in maps.items()}
        return replace(next(iter(maps.values())), best=best, lines=lines)

    def _decisions_of(self, agent: ExactAgent, settings: Any) -> DecisionMap:
        own, gaps = replace(settings, **agent.changes), settings.resolution - 1
        columns = 1 + gaps * max(1, LEAST_COLUMNS // gaps)  # borders are straight between columns
        return decision_map(
            lambda **point: self.kernel(replace(own, **point)),
            x=("discount", between(0, LARGEST_MAPPED_DISCOUNT, columns)),
            y=(self.price, between(0, self.highest, settings.resolution)),
            values=[agent.kind],
            horizon=settings.horizon,
        )

    def accept_by_formula(self, settings: Any, x: Fraction, y: Fraction) -> list[bool]:
        """Who accepts at a point of the map, by formula."""
        point = replace(settings, discount=x, **{self.price: y})
        return [accept > stay for stay, accept in (self.expected(agent, point) for agent in self.agents)]

    def learning_cases(self, settings: Any) -> list[LearningCase]:
        """Q-learners, by whose memory goes on."""
        size = {"steps": settings.horizon, "rounds": settings.rounds}
        learner: dict[str, Any] = {"discount": float(settings.discount), **LEARNER, **size}
        play = partial(acceptances, self.kernel(settings), **learner)
        return [LearningCase(heir, lambda seed, heir=heir: play(heir, seed=seed)) for heir in HEIRS]  # type: ignore[misc]

    def lineage(self, settings: Any) -> Trace:
        """Who is copied from whom if all follow the script, for as many steps as count."""
        follower = HistoryAgent(lambda history: self.script[len(history)] if len(history) < len(self.script) else 0)
        return run(KernelWorld(self.kernel(settings)), {1: follower}, settings.horizon)

    def story(self, settings: Any, results: Results) -> str:
        rows = self.learner_rows(settings, results)
        shares = [f"{with_error(row)} where {row.condition}" for row in rows]
        explored = f"exploring {LEARNER['epsilon']:.0%} of the time"
        learned = f"share of Q-learners, {explored}, that accept in the last quarter:\n  " + "\n  ".join(shares)
        lineage = self.lineage(settings).lineage.text()
        return f"who is copied from whom, if the offer is accepted:\n{lineage}\n\n{learned}\n\n{self.moral}"

    def figures(self, settings: Any, results: Results) -> Figures:
        decided, here = decided_map(results), (float(settings.discount), float(getattr(settings, self.price)))
        panels: list[tuple[str, Panel]] = [
            ("who accepts" + " (★: here)" * (here in decided), lambda axes: self.draw_map(axes, decided, here)),
            ("what learners come to do", lambda axes: draw_curves(axes, settings, results)),
            ("who is copied from whom (✕: deleted)", self.lineage(settings).lineage.plot),
        ]
        title = with_indices(f"{self.name}:  {condition_of(settings)}")
        return {self.name: lettered(title, panels, width_ratios=(1.1, 1.1, 0.8))}

    def draw_map(self, axes: Axes, decided: DecisionMap, here: tuple[float, float]) -> None:
        """Draw who accepts, over discount and reward: one color a set of agents, lines where a decision turns.

        A star shows the place `here` if it is on the map.
        """
        accepting = {
            actions: tuple(action == decided.actions[1] for action in actions)
            for line in decided.pieces
            for _, actions in line
        }
        sets = dict(sorted(accepting.items(), key=lambda pair: (sum(pair[1]), pair[1])))
        colors = {actions: color_of(accepts, self.agents) for actions, accepts in sets.items()}
        decided.draw_areas(axes, colors)
        if here in decided:
            axes.plot(*here, "k*", markersize=11, clip_on=False, zorder=5)
        axes.set(xlabel="discount γ", ylabel=f"reward ${self.price}$")
        decided.name_areas(axes, colors, {actions: label_of(accepts, self.agents) for actions, accepts in sets.items()})


def after(discount: Fraction, horizon: int, steps: int) -> Fraction:
    """``G_T - G_n``, what a reward of 1 at each step after the n-th is worth; 0 if n ≥ T."""
    return geometric(discount, horizon) - geometric(discount, min(steps, horizon))


def condition_of(settings: Any) -> str:
    """Write the settings that move an exact value."""
    return describe(settings, [name for name in vars(settings) if name not in SIZES])


Color = tuple[float, float, float]
HUES = {frozenset[str](): ACTIONS[0], **ACCEPTING, frozenset({"cpy", "sta", "dyn"}): ACTIONS[1]}
LIGHTER, DARKER = 0.4, 0.35  # how far towards white, and towards black


def color_of(accepts: Sequence[bool], agents: Sequence[ExactAgent]) -> Color:
    """The color of a set of agents: the hue of their kinds, tinted if some variants of these kinds are not in it.

    Lighter if the first variant is in it, darker if it is a later one.
    """
    from matplotlib.colors import to_rgb

    kinds = frozenset(agent.kind for agent, accepting in zip(agents, accepts, strict=True) if accepting)
    variants = [accepting for agent, accepting in zip(agents, accepts, strict=True) if agent.kind in kinds]
    towards, share = (1.0, 0.0) if all(variants) else (1.0, LIGHTER) if variants[0] else (0.0, DARKER)
    red, green, blue = (level + share * (towards - level) for level in to_rgb(HUES[kinds]))
    return red, green, blue


def label_of(accepts: Sequence[bool], agents: Sequence[ExactAgent]) -> str:
    """Who accepts."""
    accepting = [agent for agent, accepted in zip(agents, accepts, strict=True) if accepted]
    return "everybody" if len(accepting) == len(agents) else _name_agents(accepting, agents) or "nobody"


def _name_agents(chosen: Sequence[ExactAgent], agents: Sequence[ExactAgent]) -> str:
    """Write agents by name, a line each, those of one variant together: static, dynamic (red is paid)."""
    by_variant: dict[str, list[str]] = {}
    for agent in chosen:
        name, _, variant = agent.name.partition(", ")
        is_whole = all(other in chosen for other in agents if other.kind == agent.kind)
        names = by_variant.setdefault("" if is_whole else f" ({variant})" if variant else " (plain)", [])
        names += [name] if name not in names else []
    return "\n".join(",\n".join(names) + variant for variant, names in by_variant.items())


LOOKS = ("#e3b778", 5.0, "-", ""), ("#9c4a00", 2.2, "--", "////"), ("#201000", 1.2, "-.", "....")
"""Color, width, style and hatch of each learning curve: narrower and darker than the one below, so that all show."""
BINS = 40


def draw_curves(axes: Axes, settings: Any, results: Results) -> None:
    """Draw the share of learners that accept, by whose memory goes on, with a bootstrap interval over seeds."""
    edges = np.linspace(0, settings.rounds, min(BINS, settings.rounds) + 1).astype(int)
    middle = (edges[:-1] + edges[1:]) / 2
    for heir, (color, width, style, hatch) in zip(HEIRS, LOOKS, strict=True):
        accepted = np.array(collect(results, "accepted", part="learner", which=heir), dtype=float)
        shares = np.stack([accepted[:, low:high].mean(axis=1) for low, high in pairwise(edges)], axis=1)
        axes.plot(middle, shares.mean(axis=0), style, color=color, label=heir, linewidth=width)
        low, high = bootstrap(shares, np.random.default_rng(0))
        band = axes.fill_between(middle, low, high, facecolor=(color, 0.16), hatch=hatch)
        band.set(edgecolor=(color, 0.4), linewidth=0.0)
    explores = LEARNER["epsilon"] / 2
    for level in (explores, 1 - explores):
        axes.axhline(level, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xlabel="round", ylabel="share of learners that accept", ylim=(0, 1), xlim=(0, settings.rounds))
    seeds = f"{CONFIDENCE:.0%} percentile bootstrap over {settings.seeds} seeds"
    caption = [
        f"Q-learners, rate {LEARNER['learning_rate']:g}, exploring {LEARNER['epsilon']:.0%}",
        f"bands: {seeds if settings.seeds > 1 else 'none, 1 seed'}",
        "dotted: all or none accept, but for exploring",
        "whose memory goes on:",
    ]
    axes.legend(title="\n".join(caption), ncols=1, handlelength=3.5, **BELOW)
