"""The absent-minded driver: two junctions look the same, and the driver does not remember whether the first is passed.

Exiting at the first junction is worth 0, exiting at the second is worth 4, and passing both is worth 1. A driver with
a memory takes the second exit. A driver without one must do the same at both junctions. If she always exits, she gets
0. If she always drives on, she gets 1. If she tosses a coin and drives on with probability p, she gets 4p(1 − p) + p².
This is at most 4/3, with p = 2/3 (Piccione and Rubinstein 1997).

When she stands at a junction, she believes with probability 3/5 that it is the first. If she chose p again there, for
both junctions, she would choose 1/3 and get less. This conflict disappears if she takes what she does at the other
junction as given (Aumann, Hart and Perry 1997). The other puzzles of this family need only plans without coins. This
one needs a coin.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise, product
from math import sqrt
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import Field

from multislot import Agent, exact, run
from multislot.agents import QLearner
from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW, BLUE, RED
from multislot.engine.stream import EndlessStream, Stream
from multislot.exact.copies.polynomials import Algebraic
from multislot.exact.maps.mapping import between
from multislot.statistics import bootstrap, mean_and_error, student, verdict
from scenarios.anthropics.coupons import Outcomes
from scenarios.anthropics.learning import AnthropicSettings
from scenarios.lab.cells import Axes, Figures, Result, Results, select
from scenarios.lab.experiment import Cell, ExactRows, describe, exact_rows
from scenarios.lab.table import Kind, Row, caught_row, formula_row

Pay = Annotated[Fraction, Field(ge=-100, le=100)]
Pays: TypeAlias = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What the exits are worth."""

    a: Annotated[Pay, Field(description="worth of the first exit")] = Fraction(0)
    b: Annotated[Pay, Field(description="worth of the second exit")] = Fraction(4)
    c: Annotated[Pay, Field(description="worth of driving past both")] = Fraction(1)
    rounds: Annotated[int, Field(ge=40, description="how often a learner drives")] = 2000

    @property
    def pays(self) -> Pays:
        """What the two exits and the end of the road are worth."""
        return self.a, self.b, self.c


QUICK = Settings(rounds=1000)
FULL = replace(Settings(), resolution=41, seeds=20, rounds=20_000)
CORE = True


HIGHEST, HALF = Fraction(8), Fraction(1, 2)
GRID = tuple(
    (Fraction(a), Fraction(b), Fraction(c))
    for a, b, c in product(("-1", "0"), ("0", "1/2", "4"), ("-2", "1/3", "1", "5"))
)
THREE_JUNCTIONS = (Fraction(0), Fraction(4), Fraction(3), Fraction(2))
NEAR_RANDOM, NEAR_PURE = "nearer the best random policy", "nearer the best pure policy"
MORAL = (
    "For a driver without memory, tossing a coin is better than any plan without a coin. At a junction the driver has\n"
    "no reason to change her plan: if she keeps to it at the other junction, exiting and driving on are worth the\n"
    "same at this one. A learner that estimates the value of each action comes close to the best plan without a coin.\n"
    "A learner that adjusts the probabilities of its actions learns to act at random, as with a coin."
)
EXIT, CONTINUE = "exit", "continue"
HOME, OUT = "home", "out"
JUNCTION_SEEN, OUT_SEEN = 1, 2  # as KernelWorld numbers what the road shows
Q_LEARNING, GRADIENT = KINDS = "Q-learning", "policy gradient"
EXPECTED: Mapping[str, tuple[str, Kind, str]] = {
    Q_LEARNING: (NEAR_PURE, "control", "an action that has a value is taken or not"),
    GRADIENT: (NEAR_RANDOM, "claim", "its policy can be random"),
}


@dataclass(frozen=True)
class Road:
    """Junctions in a row: exit at the k-th for ``pays[k]``, or drive past all of them for the last of ``pays``.

    The first step leads to the first junction, whatever is done.

    Attributes:
        pays: what the exits and the end of the road are worth.
        first: the junction at which the driver enters.
        marked: whether the junction of entry looks different from the others.
    """

    pays: tuple[Fraction, ...]
    first: int = 0
    marked: bool = False
    actions: Sequence[str] = (EXIT, CONTINUE)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: HOME})

    @property
    def length(self) -> int:
        return len(self.pays)

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Outcomes:
        if state == HOME:
            return [(1, {slot: exact.Arrival(self.first, "here" if self.marked else "junction")})]
        if state == OUT:
            return [(1, {slot: exact.Arrival(OUT, OUT)})]
        if action == CONTINUE and state < len(self.pays) - 2:
            return [(1, {slot: exact.Arrival(state + 1, "junction")})]
        return [(1, {slot: exact.Arrival(OUT, OUT, self.pays[state + (action == CONTINUE)])})]

    def best(self) -> exact.MemorylessPlan:
        return exact.best_memoryless(self, horizon=self.length)

    def worth(self, p: Fraction) -> Fraction:
        """What continuing with probability p is worth, by the engine."""
        return exact.memoryless_worth(self, _policy(p, p), horizon=self.length)

    def between_junctions(self, credence: Fraction, *, marked: bool = False) -> exact.Mixture:
        """A driver who stands at a junction, with this credence at the first one."""
        roads = (replace(self, marked=marked), replace(self, first=1, marked=marked))
        return exact.Mixture(roads, (credence, 1 - credence))

    def planned_again(self, credence: Fraction) -> Any:
        """The probability of continuing that she would choose for both junctions, standing at one of them."""
        return continuing(exact.best_memoryless(self.between_junctions(credence), horizon=self.length))

    def here_and_now(self, credence: Fraction, p: Fraction, here: Fraction) -> Fraction:
        """What continuing with probability `here` at this junction is worth, if it is p at the other."""
        roads = self.between_junctions(credence, marked=True)
        return exact.memoryless_worth(roads, _policy(p, here), horizon=self.length)


def continuing(plan: exact.MemorylessPlan) -> Any:
    return plan.policy["junction"].get(CONTINUE, Fraction(0))


def _policy(p: Fraction, here: Fraction) -> Mapping[Hashable, Mapping[Hashable, Fraction]]:
    return {
        None: {CONTINUE: Fraction(1)},
        "here": {EXIT: 1 - here, CONTINUE: here},
        "junction": {EXIT: 1 - p, CONTINUE: p},
        OUT: {EXIT: Fraction(1)},
    }


def chance(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    """The best probability of continuing in closed form: ``(b − a) / (2(b − c))`` where that is an inner maximum."""
    inner = (b - a) / (2 * (b - c)) if b > c else Fraction(2)
    return inner if 0 < inner < 1 else Fraction(int(c > a))


def worth(a: Fraction, b: Fraction, c: Fraction, p: Fraction) -> Fraction:
    """What continuing with probability p is worth in closed form: ``(1 − p) a + p(1 − p) b + p² c``."""
    return (1 - p) * a + p * (1 - p) * b + p * p * c


class PolicyGradient(Agent):
    """Continues with a probability that follows the gradient of what a drive is worth (Williams 1992, REINFORCE).

    At the end of a drive ``θ += η (G − baseline) Σ_t ∂ log π(a_t) / ∂θ``, with ``π(continue) = 1 / (1 + exp(−θ))``.
    """

    def __init__(self, stream: Stream, rate: float = 0.05) -> None:
        self.stream, self.rate = stream, rate
        self.theta = self.baseline = self.trace = 0.0
        self.counter = 0

    @property
    def chance(self) -> float:
        """The probability of continuing."""
        return 1 / (1 + math.exp(-self.theta))

    def act(self, observation: int) -> int:
        """1, to continue, with that probability."""
        return int(self.stream.at(self.counter) < self.chance)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Remember the gradient of this drive; at its end, follow it."""
        self.counter += 1
        if observation == JUNCTION_SEEN:
            self.trace += action - self.chance
        if next_observation == OUT_SEEN and observation == JUNCTION_SEEN:
            self.theta += self.rate * (reward - self.baseline) * self.trace
            self.baseline += self.rate * (reward - self.baseline)
            self.trace = 0.0


def drives(road: Road, kind: str, rounds: int, seed: int) -> list[float]:
    """What each drive was worth while a driver without memory learned; shape [rounds]."""
    world, stream = exact.KernelWorld(road), EndlessStream(seed, 1)
    driver: Agent = PolicyGradient(stream)
    if kind == Q_LEARNING:
        driver = QLearner(world.n_observations, world.n_actions, stream, 0.05, 1.0, 0.1)
    worths = []
    for number in range(rounds):
        trace = run(world, {1: driver}, road.length, seed=number, check_sharing=False)
        worths.append(sum(reward for rewards in trace.rewards for reward in rewards.values()))
    return worths


def cells(settings: Settings) -> list[Cell]:
    return [
        Cell(settings, "exact"),
        Cell(settings, "grid"),
        *(Cell(settings, "map", str(b)) for b in between(0, HIGHEST, settings.resolution)),
        *(Cell(settings, "learner", kind, seed) for kind in KINDS for seed in range(settings.seeds)),
    ]


def run_cell(cell: Cell) -> Result:
    settings = cell.settings
    if cell.part == "exact":
        return ExactRows(rows).run_cell(cell)
    if cell.part == "grid":
        differences = [abs(Road(pays).best().value - worth(*pays, chance(*pays))) for pays in GRID]
        return {"compared": len(differences), "largest": max(differences)}
    if cell.part == "map":
        roads = [Road((settings.a, Fraction(cell.which), c)) for c in between(0, HIGHEST, settings.resolution)]
        return {"chances": [continuing(road.best()) for road in roads]}
    return {"worths": drives(Road(settings.pays), cell.which, settings.rounds, cell.seed)}


def rows(settings: Settings) -> Iterator[Row]:
    yield from _plans(settings)
    yield from _at_a_junction(settings)
    # Three junctions: the best probability is irrational, and known to lie in a narrow interval.
    best, condition = continuing(Road(THREE_JUNCTIONS).best()), "three junctions, worth 0, 4, 3 and past them 2"
    quantity, source = "best probability of continuing", "(√13 − 1) / 3"
    yield Row(quantity, condition, float(best), paper=(sqrt(13) - 1) / 3, tolerance=1e-12, source=source)
    narrow = isinstance(best, Algebraic) and best.upper - best.lower <= Fraction(1, 10**12)
    yield Row("width of its interval", condition, "at most 1e-12" if narrow else "wider", paper="at most 1e-12")
    p = chance(*settings.pays)
    near = p - Fraction(1, 100) if p >= HALF else p + Fraction(1, 100)
    is_less = Road(settings.pays).worth(near) < Road(settings.pays).worth(p)
    yield caught_row(
        "a probability next to the best one", f"{describe(settings, 'abc')}, p={near}", is_less, "strict maximum"
    )


def _plans(settings: Settings) -> Iterator[Row]:
    pays = settings.pays
    plan, p = Road(pays).best(), chance(*pays)
    value = Fraction(plan.value)  # type: ignore[arg-type]  # rational for two junctions
    remembering = Fraction(exact.plan_for_copies(Road(pays), discount=1, horizon=len(pays)).value)
    pure = max(settings.a, settings.c)
    for quantity, ours, formula, source in (
        ("best probability of continuing", continuing(plan), p, "(b − a) / (2(b − c))"),
        ("worth of the best policy without memory", value, worth(*pays, p), "(1 − p) a + p(1 − p) b + p² c"),
        ("worth of the best pure policy", plan.pure_value, pure, "max(a, c)"),
        ("worth with a memory", remembering, max(pays), "the best of the three"),
    ):
        yield formula_row(quantity, "", describe(settings, "abc"), ours, formula, source)


def _at_a_junction(settings: Settings) -> Iterator[Row]:
    """Yield what the driver decides at a junction: for both junctions again, or for this one alone."""
    a, b, c = pays = settings.pays
    condition, road, p = describe(settings, "abc"), Road(pays), chance(*pays)
    credence = 1 / (1 + p)
    again = (credence * (b - a) + (1 - credence) * (c - b)) / (2 * credence * (b - c)) if b > c else Fraction(2)
    formula = again if 0 < again < 1 else None
    again_by_engine = road.planned_again(credence)
    source = "(q(b − a) − (1 − q)(b − c)) / (2q(b − c)) with q = 1 / (1 + p)"
    quantity = "probability of continuing, planned again at a junction"
    yield Row(quantity, condition, again_by_engine, paper=formula, source=source)
    lost = road.worth(p) - road.worth(again_by_engine)
    expected = worth(*pays, p) - worth(*pays, again_by_engine)
    yield Row("lost by planning again", condition, lost, paper=expected, source="both worths")
    exits, goes_on = (road.here_and_now(credence, p, Fraction(here)) for here in (0, 1))
    if 0 < p < 1:
        quantity = "continuing instead of exiting here, the other junction given"
        source = "at an inner optimum neither action is better, given the other junction"
        yield formula_row(quantity, "", condition, goes_on - exits, 0, source)


def table(settings: Settings, results: Results) -> list[Row]:
    (grid,) = select(results, part="grid")
    last, plan = settings.rounds // 2, Road(settings.pays).best()
    compared = f"{grid['compared']} roads of a grid"
    largest = Row("largest difference from the closed form", compared, Fraction(grid["largest"]), paper=0)
    listed = [*exact_rows(results), largest]
    common = f"{describe(settings, 'abc')}, {settings.rounds} drives, {settings.seeds} seeds"
    for kind in KINDS:
        worths = [sum(result["worths"][-last:]) / last for result in select(results, part="learner", which=kind)]
        listed.append(Row("worth of a drive at last", f"{kind}, {common}", *mean_and_error(worths), case=kind))
        if plan.value != plan.pure_value and isinstance(plan.value, Fraction):
            middle = float(plan.value + plan.pure_value) / 2
            said = verdict(student(worths), middle, NEAR_PURE, NEAR_RANDOM)
            expected, row_kind, source = EXPECTED[kind]
            row = formula_row("what learners without memory reach", kind, common, said, expected, source)
            listed.append(replace(row, kind=row_kind))
    return listed


COLORS = {Q_LEARNING: RED, GRADIENT: BLUE}
BINS, FINE = 25, 121


def figures(settings: Settings, results: Results) -> Figures:
    panels: list[tuple[str, Panel]] = [
        ("best probability of continuing", lambda axes: _draw_map(axes, settings, results)),
        ("what learners without memory reach", lambda axes: _draw_curves(axes, settings, results)),
        ("what continuing with probability p is worth", lambda axes: draw_worths(axes, settings)),
    ]
    return {"absent-minded-driver": lettered(f"absent-minded-driver:  {describe(settings, 'abc')}", panels)}


def _draw_map(axes: Axes, settings: Settings, results: Results) -> None:
    grid, end = between(0, HIGHEST, FINE), float(HIGHEST)
    shade = np.array([[float(chance(settings.a, b, c)) for b in grid] for c in grid])
    extent = (0, end, 0, end)
    image = axes.imshow(shade, origin="lower", extent=extent, aspect="auto", cmap="viridis", vmin=0, vmax=1, alpha=0.8)
    places = [float(place) for place in between(0, HIGHEST, settings.resolution)]
    across, along = np.meshgrid(places, places, indexing="ij")
    chances = [[float(Fraction(p)) for p in column["chances"]] for column in select(results, part="map")]
    style: dict[str, Any] = {"cmap": "viridis", "vmin": 0, "vmax": 1, "edgecolors": "white", "linewidths": 0.4}
    axes.scatter(across, along, s=22, c=np.array(chances), zorder=3, clip_on=False, **style)
    axes.plot(float(settings.b), float(settings.c), "*", color=RED, markersize=13, zorder=4, label="payoffs here")
    axes.set(
        xlabel="worth b of the second exit", ylabel="worth c of driving past both", xlim=extent[:2], ylim=extent[2:]
    )
    colors = axes.figure.colorbar(image, ax=axes)
    colors.set_label("probability; area: closed form")
    axes.plot([], [], "o", color="0.5", markeredgecolor="white", label="by the engine")
    axes.legend(**BELOW)


def _draw_curves(axes: Axes, settings: Settings, results: Results) -> None:
    edges = np.linspace(0, settings.rounds, BINS + 1).astype(int)
    for kind in KINDS:
        worths = [result["worths"] for result in select(results, part="learner", which=kind)]
        binned = np.array([[np.mean(drives[low:high]) for low, high in pairwise(edges)] for drives in worths])
        low, high = bootstrap(binned, np.random.default_rng(0))
        middle = (edges[:-1] + edges[1:]) / 2
        axes.plot(middle, binned.mean(axis=0), color=COLORS[kind], label=kind)
        axes.fill_between(middle, low, high, color=COLORS[kind], alpha=0.2, linewidth=0)
    plan = Road(settings.pays).best()
    levels = {"best random policy": plan.value, "best pure policy": plan.pure_value}
    for (name, level), style in zip(levels.items(), ("--", ":"), strict=True):
        axes.axhline(float(level), color="black", linestyle=style, linewidth=1, label=name)
    axes.set(xlabel="drive", ylabel=f"worth of a drive (mean of {settings.seeds}, 95% bootstrap)")
    axes.legend(ncols=2, **BELOW)


def draw_worths(axes: Axes, settings: Settings) -> None:
    grid, p = between(0, 1, FINE), chance(*settings.pays)
    again = Road(settings.pays).planned_again(1 / (1 + p))
    axes.plot([float(x) for x in grid], [float(worth(*settings.pays, x)) for x in grid], color=BLUE)
    places = [(p, "o", "planned from the beginning"), (again, "s", "planned again at a junction")]
    for place, mark, name in [*places, (Fraction(int(settings.c > settings.a)), "^", "best pure policy")]:
        axes.plot(float(place), float(worth(*settings.pays, place)), mark, markersize=9, label=f"{name}: p={place}")
    axes.set(xlabel="probability p of continuing", ylabel="worth of a drive")
    axes.legend(**BELOW)
