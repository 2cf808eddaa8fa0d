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

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from considerate.copies import considerate_copies
from multislot import exact
from multislot.errors import MissingExtraError
from multislot.statistics import mean_and_error, student, verdict
from multislot.zoo.vectors import vector_env
from scenarios.anthropics import coupons
from scenarios.anthropics.coupons import AWAKE, BUY, REFUSE, RULES, Coupon, CouponPuzzle, Outcomes
from scenarios.anthropics.learning import EVERYONE, FULL_SIZE, AnthropicSettings
from scenarios.lab.cells import Result, Results, select
from scenarios.lab.experiment import Cell, LearningCase
from scenarios.lab.table import Row, formula_row


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many awakenings, and what the coupon costs."""

    n: Annotated[int, Field(ge=2, le=12, description="awakenings after tails")] = 2
    x: Annotated[Fraction, Field(ge=0, le=1, description="price of the coupon")] = Fraction(7, 12)
    x_2: Annotated[Fraction, Field(ge=0, le=1, description="a higher price, for the learners who all remember")] = (
        Fraction(11, 15)
    )
    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 800
    ppo: Annotated[int, Field(ge=0, description="runs of a PPO that all copies share (extras deep and interop)")] = 0


FULL = replace(Settings(), **FULL_SIZE, ppo=5)


POPULATIONS = ((1, 2), (1, 3), (1, 5))
APART = "copies that explore apart do not find out that they act alike"
PPO_STEPS = 12_000
PPO_SETTINGS = {"n_steps": 32, "batch_size": 128, "n_epochs": 4, "gamma": 1.0, "learning_rate": 3e-3, "ent_coef": 0.01}
SIDE_BY_SIDE = 8
MORAL = (
    "The price depends on how the copies of Beauty count, and not on where she probably is: the average over the\n"
    "copies pays 1/2, their sum n/(n+1). When she wakes, a credence gives the right price only together with the\n"
    "number of coupons that it counts. Learners show the same table. If the memory of one survivor goes on, they\n"
    "learn the halfer's credence; if the memory of every copy goes on, the thirder's. Caring for the other copies\n"
    "counts all coupons."
)


def coupon(settings: Settings) -> Coupon:
    """The coupon of these settings: one copy after heads, n after tails."""
    return Coupon(1, settings.n, settings.x)


@dataclass(frozen=True)
class Days:
    """The older version: one agent is woken so many days in a row, sees the same each day, and may buy a coupon.

    There is one Beauty at a time, so every α gives the same worth: the sum over her awakenings. A policy that reads the
    whole history could tell the days apart; hers may not, so it is a policy without memory. The state is the day.
    """

    awakenings: int
    pays: Fraction
    price: Fraction
    actions: Sequence[str] = (REFUSE, BUY)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: 0})

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Outcomes:
        """The next day, and the pay for what was bought on this one."""
        paid = self.pays - self.price if action == BUY and 0 < state <= self.awakenings else 0
        return [(1, {slot: exact.Arrival(state + 1, "awake" if state < self.awakenings else "over", paid)})]


def days(n: int, price: Fraction) -> exact.Mixture:
    """The two worlds of the coin: one awakening after heads, n after tails."""
    half = Fraction(1, 2)
    return exact.Mixture((Days(1, Fraction(0), price), Days(n, Fraction(1), price)), (half, half))


def worth_with_memory(n: int, price: Fraction) -> Fraction:
    """What the best policy is worth if Beauty remembers her awakenings."""
    return Fraction(exact.plan_for_copies(days(n, price), discount=1, horizon=n + 1).value)


def more_rows(settings: Settings) -> Iterator[Row]:
    """Yield where the policy changes with α, the coin inside one world, and awakenings one after the other."""
    condition = f"n={settings.n}"
    thresholds = exact.frontier_for_copies(coupon(settings).mixture(), discount=1, horizon=2).thresholds
    alpha = (2 * settings.x - 1) / ((1 - settings.x) * (settings.n - 1)) if settings.x < 1 else Fraction(2)
    yield Row(
        "α above which it is bought",
        f"{condition}, x={settings.x}",
        thresholds[0] if thresholds else "none",
        paper=alpha if 0 < alpha < 1 else "none",
        source="(2x − 1) / ((1 − x)(n − 1))",
    )
    yield from _coin_inside(coupon(settings), condition)
    yield from _one_after_the_other(settings.n, condition)


def _coin_inside(asked: Coupon, condition: str) -> Iterator[Row]:
    """With the coin inside one world every rule counts copies; what is chosen from the beginning stays the same."""
    inside = asked.inside()
    for rule in RULES:
        belief = exact.Situations(exact.Mixture((inside,), (), rule)).belief((AWAKE,))
        tails = sum((weight for place, weight in belief.weights.items() if place.state[0] == "tails"), Fraction())  # type: ignore[index]
        quantity = f"credence in the larger world, {rule}, coin inside one kernel"
        formula = Fraction(asked.many, asked.many + 1)
        source = "inside a kernel chance is followed by expected numbers of copies, whatever the rule between worlds"
        yield formula_row(quantity, "", condition, tails, formula, source)
    for caring in (Fraction(0), Fraction(1)):
        outside, within = (
            exact.plan_for_copies(world, caring=caring, discount=1, horizon=2).value
            for world in (asked.mixture(), inside)
        )
        quantity = "worth of the best policy, coin inside one kernel"
        source = "the same as with the coin between two kernels"
        asked_at = f"α={caring}, {condition}, x={asked.price}"
        yield formula_row(quantity, "", asked_at, Fraction(within), Fraction(outside), source)


def _one_after_the_other(n: int, condition: str) -> Iterator[Row]:
    """The version with days and without memory, and what memory would change."""
    policy: Mapping[Hashable, Mapping[Hashable, Fraction]] = {
        None: {REFUSE: Fraction(1)},
        "awake": {BUY: Fraction(1)},
        "over": {REFUSE: Fraction(1)},
    }
    ours = coupons.price_where_equal(lambda x: exact.memoryless_worth(days(n, x), policy, horizon=n + 1))
    quantity = "price below which it is bought, awakenings one after the other"
    source = "one agent at a time: the sum over its awakenings, so the price of copies at α = 1"
    yield formula_row(quantity, "", f"any α, {condition}", ours, Fraction(n, n + 1), source)
    x = Fraction(3, 5)
    quantity = "worth of the best policy, awakenings remembered"
    formula = max(Fraction(0), (1 - 2 * x) / 2) + (n - 1) * (1 - x) / 2
    source = "½ max(0, 1 − 2x) + ½ (n − 1)(1 − x): from the second day on the coin is known"
    yield formula_row(quantity, "", f"any α, {condition}, x={x}", worth_with_memory(n, x), formula, source)


def learning_cases(settings: Settings) -> list[LearningCase]:
    """Two memories, with and without caring; a higher price; and copies that explore apart."""
    low, rounds, all_alike = coupon(settings), settings.rounds, Fraction(1)
    high = replace(low, price=settings.x_2)
    alone, alike = coupons.learners(low, rounds), coupons.learners(low, rounds, caring=all_alike)
    # the control fails as it must only at prices at which acting alike makes a difference
    is_applicable = alike.accepts != alone.accepts and alike.is_clear and alone.is_clear
    return [
        alone,
        alike,
        coupons.learners(low, rounds, memory=EVERYONE),
        *(coupons.learners(high, rounds, memory=EVERYONE, caring=Fraction(caring)) for caring in (0, 1)),
        *([coupons.learners(low, rounds, caring=all_alike, control=APART)] if is_applicable else []),
    ]


SHOWN = ("exists", "count")
PUZZLE = CouponPuzzle("sleeping-beauty", coupon, POPULATIONS, learning_cases, more_rows, shown=SHOWN)
figures = PUZZLE.figures


def cells(settings: Settings) -> list[Cell]:
    asked = [(settings.x, Fraction(0)), (settings.x_2, Fraction(1))]
    extra = [Cell(settings, "ppo", f"{x} {caring}", seed) for x, caring in asked for seed in range(settings.ppo)]
    return [*PUZZLE.cells(settings), *extra]


def run_cell(cell: Cell) -> Result:
    if cell.part != "ppo":
        return PUZZLE.run_cell(cell)
    x, caring = map(Fraction, cell.which.split())
    return {"chance": chance_of_buying(replace(coupon(cell.settings), price=x), caring, cell.seed)}


def table(settings: Settings, results: Results) -> list[Row]:
    return [*PUZZLE.table(settings, results), *_ppo_rows(settings, results)]


def _ppo_rows(settings: Settings, results: Results) -> Iterator[Row]:
    for which in dict.fromkeys(cell.which for cell, _ in results if cell.part == "ppo"):
        chances = [result["chance"] for result in select(results, part="ppo", which=which)]
        x, caring = map(Fraction, which.split())
        case = f"PPO, α={caring}, x={x}"
        condition = f"{case}, n={settings.n}, {PPO_STEPS} steps, {settings.ppo} seeds"
        yield Row("probability of buying", condition, *mean_and_error(chances), case=case)
        yield Row(
            "what a PPO that all copies share comes to do",
            condition,
            verdict(student(chances), 0.5, PUZZLE.words[False], PUZZLE.words[True]),
            paper=PUZZLE.words[x < Fraction(settings.n, settings.n + 1)],
            kind="claim",
            case=case,
            source="it learns from every copy and draws for each apart: x < n/(n+1), whatever α",
        )


def chance_of_buying(coupon: Coupon, caring: Fraction, seed: int, steps: int = PPO_STEPS) -> float:
    """The probability with which a PPO buys on waking that all copies share, through the PettingZoo view.

    It learns from everyone and draws for each copy apart. So its credence is built like that of ``everyone``, but no
    copy ever sees what it brings about by being copied: caring for the others changes nothing, and it buys below
    n/(n+1) for every α. The seed sets the networks, the exploration and the worlds. `steps` counts those of all slots
    of all worlds together.
    """
    try:
        import torch
        from stable_baselines3 import PPO

        from considerate.training.models import quiet, threads
    except ImportError:
        raise MissingExtraError("a PPO", "deep") from None
    world = exact.KernelWorld(coupon.inside())
    env = considerate_copies(world, coupon.many, float(caring), max_cycles=coupon.length)
    model = PPO("MlpPolicy", vector_env(env, SIDE_BY_SIDE), seed=seed, device="cpu", **PPO_SETTINGS)  # type: ignore[arg-type]
    quiet(model)
    with threads(1):
        model.learn(steps)
    awake = np.zeros((1, 1 + world.n_observations), dtype=np.float32)
    awake[0, [0, 2 + world.coding.observations.index("awake")]] = 1
    distribution: Any = model.policy.get_distribution(torch.as_tensor(awake)).distribution
    return float(distribution.probs[0, 1].detach())
