"""Sleeping Beauty: a fair coin, one awakening or several, and the price at which to bet on the coin.

Beauty is put to sleep and a fair coin is tossed. After heads she is woken once; after tails n copies of her are woken,
who cannot tell each other apart. Each may buy a coupon that pays 1 if the coin fell tails. How much is it worth?
Halfers say that waking up tells her nothing: a half (Lewis 2001). Thirders say that a waking is more likely one of
many: n/(n+1) (Elga 2000). Neither prints prices: what a bet pays under each credence is in Hitchcock 2004 and Briggs
2010. The rule `exists` is full non-indexical conditioning (Neal 2006); Lewis, once Beauty is told that it is Monday,
agrees with `sequential`. Halpern 2004 and Meacham 2008 compare such rules. Armstrong's anthropic decision theory
(2011) asks for no credence: the policy is chosen before the coin is tossed, and the price follows from what the copies
are to each other. If Beauty counts the average over her copies the coupon is worth a half; if she counts their sum it
is worth n/(n+1). Nobody has to say where she probably is.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from multislot.drawing.pictures import lettered
from multislot.exact import DecisionMap, Mixture, Situations, frontier_for_copies, memoryless_worth, plan_for_copies
from multislot.statistics import mean_and_error, student, verdict
from scenarios.anthropics import coupons
from scenarios.anthropics.coupon_pictures import losses, rules
from scenarios.anthropics.coupons import AWAKE, BUY, REFUSE, RULES, Coupon
from scenarios.anthropics.experiment import WORDS, Cell, LearningCase, Puzzle, Results, by_part
from scenarios.anthropics.learning import EVERYONE
from scenarios.anthropics.pictures import decision_map, learners
from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings
from scenarios.anthropics.sleeping_beauty import memory, ppo
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many awakenings, and what the coupon costs."""

    n: Annotated[int, Field(ge=2, le=12, title="n", description="awakenings after tails")] = 2
    x: Annotated[Fraction, Field(ge=0, le=1, title="x", description="price of the coupon")] = Fraction(7, 12)
    x_2: Annotated[
        Fraction, Field(ge=0, le=1, title="x_2", description="a higher price, for the learners who all remember")
    ] = Fraction(11, 15)
    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 800
    ppo: Annotated[int, Field(ge=0, description="runs of a PPO that all copies share (extras deep and interop)")] = 0


FULL = replace(Settings(), **FULL_SIZE, ppo=5)


POPULATIONS = ((1, 2), (1, 3), (1, 5))
APART = "copies that explore apart do not find out that they act alike"
MORAL = (
    "The price follows from what Beauty's copies are to each other, not from where she probably is: the average over\n"
    "them gives 1/2, their sum n/(n+1). Upon waking, a credence is right only together with the coupons that go with\n"
    "it. Learners show the same table. If one survivor's memory goes on, the halfer's credence is built in; if\n"
    "everyone's does, the thirder's. Caring for the other copies counts all coupons instead of one's own."
)


def coupon(settings: Settings) -> Coupon:
    """The coupon of these settings: one copy after heads, n after tails."""
    return Coupon(1, settings.n, settings.x)


def decisions(settings: Settings, alphas: Sequence[Fraction], prices: Sequence[Fraction]) -> DecisionMap:
    """Whether it is bought from the beginning."""
    return coupons.mapped(coupon(settings), alphas, prices)


def formula(settings: Settings, caring: Fraction, price: Fraction) -> bool:
    """The same in closed form: ``x < (1 + α(n − 1)) / (2 + α(n − 1))``."""
    extra = caring * (settings.n - 1)
    return price < (1 + extra) / (2 + extra)


def rows(settings: Settings) -> list[Row]:
    """Everything exact."""
    asked, condition = coupon(settings), f"n={settings.n}"
    return [
        *coupons.from_the_beginning(asked, condition),
        _staircase(settings),
        *coupons.upon_waking(asked, condition),
        *coupons.agreeing(asked, condition),
        *_coin_inside(asked, condition),
        *_one_after_the_other(settings.n, condition),
        coupons.control_of_the_grid(POPULATIONS, told=False),
    ]


def _staircase(settings: Settings) -> Row:
    """At which α the policy changes, at the price of the settings."""
    found = frontier_for_copies(coupon(settings).mixture(), discount=1, horizon=2).thresholds
    alpha = (2 * settings.x - 1) / ((1 - settings.x) * (settings.n - 1)) if settings.x < 1 else Fraction(2)
    return Row(
        "α above which it is bought",
        f"n={settings.n}, x={settings.x}",
        found[0] if found else "none",
        paper=alpha if 0 < alpha < 1 else "none",
        source="(2x − 1) / ((1 − x)(n − 1))",
    )


def _coin_inside(asked: Coupon, condition: str) -> Iterator[Row]:
    """With the coin inside one world every rule counts copies; what is chosen from the beginning stays the same."""
    inside = asked.inside()
    for rule in RULES:
        belief = Situations(Mixture((inside,), (), rule)).belief((AWAKE,))
        tails = sum((weight for one, weight in belief.weights.items() if one.state[0] == "tails"), Fraction())  # type: ignore[index]
        yield Row(
            f"credence in the larger world, {rule}, coin inside one kernel",
            condition,
            tails,
            paper=Fraction(asked.many, asked.many + 1),
            source="inside a kernel chance is followed by expected numbers of copies, whatever the rule between worlds",
        )
    for caring in (Fraction(0), Fraction(1)):
        outside, within = (
            plan_for_copies(world, caring=caring, discount=1, horizon=2).value for world in (asked.mixture(), inside)
        )
        yield Row(
            "worth of the best policy, coin inside one kernel",
            f"α={caring}, {condition}, x={asked.price}",
            Fraction(within),
            paper=Fraction(outside),
            source="the same as with the coin between two kernels",
        )


def _one_after_the_other(n: int, condition: str) -> Iterator[Row]:
    """The version with days and without memory, and what memory would change."""
    policy: Mapping[Hashable, Mapping[Hashable, Fraction]] = {
        None: {REFUSE: Fraction(1)},
        "awake": {BUY: Fraction(1)},
        "over": {REFUSE: Fraction(1)},
    }
    found = coupons.price_where_equal(lambda x: memoryless_worth(memory.days(n, x), policy, horizon=n + 1))
    yield Row(
        "price below which it is bought, awakenings one after the other",
        f"any α, {condition}",
        found,
        paper=Fraction(n, n + 1),
        source="one agent at a time: the sum over its awakenings, so the price of copies at α = 1",
    )
    x = Fraction(3, 5)
    yield Row(
        "worth of the best policy, awakenings remembered",
        f"any α, {condition}, x={x}",
        memory.worth_with_memory(n, x),
        paper=max(Fraction(0), (1 - 2 * x) / 2) + (n - 1) * (1 - x) / 2,
        source="½ max(0, 1 − 2x) + ½ (n − 1)(1 − x): from the second day on the coin is known",
    )


def learning_cases(settings: Settings) -> Sequence[LearningCase]:
    """Two memories, with and without caring; a higher price; and copies that explore apart."""
    asked, rounds = coupon(settings), settings.rounds
    high, none, all_alike = replace(asked, price=settings.x_2), Fraction(0), Fraction(1)
    alike = coupons.learners(asked, rounds, caring=all_alike)
    apart = replace(alike, name=f"{alike.name}, exploring apart", apart=True, control=APART)
    alone = coupons.learners(asked, rounds, caring=none)
    # the control fails as it must only at prices at which acting alike makes a difference
    is_applicable = alike.accepts != alone.accepts and alike.is_clear and alone.is_clear
    return [
        alone,
        alike,
        coupons.learners(asked, rounds, memory=EVERYONE, caring=none),
        *(coupons.learners(high, rounds, memory=EVERYONE, caring=caring) for caring in (none, all_alike)),
        *([apart] if is_applicable else []),
    ]


def grid(settings: Settings) -> Iterator[tuple[Fraction, Fraction]]:
    """Worths by the engine and in closed form."""
    return coupons.grid(False, POPULATIONS)


PUZZLE = Puzzle(decisions, formula, "x", Fraction(1), rows, grid, learning_cases)


def cells(settings: Settings) -> list[Cell]:
    """Those of every puzzle, and a PPO if it is asked for."""
    asked = [(settings.x, Fraction(0)), (settings.x_2, Fraction(1))]
    extra = [Cell(settings, "ppo", f"{x} {caring}", seed) for x, caring in asked for seed in range(settings.ppo)]
    return [*PUZZLE.cells(settings), *extra]


def run_cell(cell: Cell) -> dict[str, object]:
    """What one cell gives."""
    if cell.part != "ppo":
        return PUZZLE.run_cell(cell)
    x, caring = map(Fraction, cell.which.split())
    return {"chance": ppo.chance_of_buying(replace(coupon(cell.settings), price=x), caring, cell.seed)}


def table(settings: Settings, results: Results) -> list[Row]:
    """Those of every puzzle, and what a PPO comes to do."""
    return [*PUZZLE.table(settings, results), *_ppo_rows(settings, results)]


def _ppo_rows(settings: Settings, results: Results) -> Iterator[Row]:
    found: dict[str, list[float]] = defaultdict(list)
    for cell, result in by_part(results, "ppo"):
        found[cell.which].append(result["chance"])
    for which, chances in found.items():
        x, caring = map(Fraction, which.split())
        case = f"PPO, α={caring}, x={x}"
        condition = f"{case}, n={settings.n}, {ppo.STEPS} steps, {settings.ppo} seeds"
        yield Row("probability of buying", condition, *mean_and_error(chances), case=case)
        yield Row(
            "what a PPO that all copies share comes to do",
            condition,
            verdict(student(chances), 0.5, WORDS[False], WORDS[True]),
            paper=WORDS[x < Fraction(settings.n, settings.n + 1)],
            kind="claim",
            case=case,
            source="it learns from every copy and draws for each apart: x < n/(n+1), whatever α",
        )


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL


SHOWN = ("exists", "count")


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    lines = rules(coupon(settings), SHOWN)
    panels = [
        (
            "bought from the beginning; lines: rules upon waking",
            decision_map(PUZZLE, settings, results, "price x", lines),
        ),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("what deciding upon waking can lose", losses(results)),
    ]
    return {"sleeping-beauty": lettered(f"sleeping-beauty:  n={settings.n}, x={settings.x}", panels)}
