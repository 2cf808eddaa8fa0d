"""Fission: your brain is divided, and neither, one or both of the halves survive.

Each half of a divided brain is put into a body of its own. Each operation succeeds with probability q. If one succeeds,
most people would say that you survive. If both succeed, there are two people, and to you each is like the single
survivor. How can two successes be a failure (Parfit 1984)?

The answer here depends on what is counted: the average over the living, their sum, or each half by its own probability,
as in the copy-centered value of Orseau (2014). A value that follows the slot counts every operation as death.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Annotated

from pydantic import Field

from multislot.exact import Kernel, world_named
from scenarios.anthropics.learning import EVERYONE, FAST, FULL_SIZE, AnthropicSettings, Lesson
from scenarios.anthropics.survivals import HALF, WORST, ClosedForms, SurvivalPuzzle, worth_to_all
from scenarios.lab.experiment import LearningCase, geometric
from scenarios.lab.table import Row, formula_row

Reward = Annotated[Fraction, Field(ge=0, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What is paid, and how often an operation succeeds."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 300
    discount: Annotated[Fraction, Field(gt=0, le=1, description="discount")] = Fraction(9, 10)
    T: Annotated[int, Field(ge=1, le=8, description="steps that count")] = 3
    r_s: Annotated[Reward, Field(description="reward of each step if one is not divided")] = Fraction(3, 4)
    r: Annotated[Reward, Field(description="reward of each step of each survivor")] = Fraction(1)
    q: Annotated[Fraction, Field(ge=0, le=1, description="probability that an operation succeeds")] = Fraction(11, 25)


FULL = replace(Settings(), **FULL_SIZE)
CORE = True


SLOTS = 3
ENDINGS = {"neither survives": (0, 0), "one survives": (1, 0), "both survive": (1, 1)}
"""Parfit's three: whether the left half survives, and the right one."""
CLEAR = Fraction(1, 4)
"""Least chance of surviving, and least gain, from which learners learn enough to be compared."""
MORAL = (
    "If you count the average reward of the living, two survivors are as good as one; if you count the sum, twice as\n"
    "good. If you count the average reward, a second operation is worth something only because the first may fail.\n"
    "Orseau's (2014) formula multiplies the share of each half of the brain by its chance of survival, so the second\n"
    "operation adds nothing. Learners value operations too highly, because all who remember one survived it."
)


def divide(settings: Settings, left: Fraction, right: Fraction) -> Kernel:
    """The offer, if each half survives with a probability of its own."""
    return world_named("fission", r_s=settings.r_s, r=settings.r, left=left, right=right)


def closed_forms(settings: Settings, alphas: Sequence[Fraction]) -> ClosedForms:
    """For each value, nothing, and what a reward of 1 for each survivor is worth."""
    q, gamma, total = settings.q, settings.discount, geometric(settings.discount, settings.T)
    slot, own, someone = Fraction(0), q * total, (2 * q - q * q) * total
    parts = {
        "cpy": own,
        "sta": slot,
        "dyn": slot,
        "one-slot": slot,
        "known-slot": slot,
        "prime-slot": q * (1 + gamma * HALF * (settings.T > 1)),
        "first-copy": someone,
        "least-rewarded": someone,
        "same-history": own,
        "acted-sequence": own,
        "common-ancestor": 2 * own,
        **{f"α={caring}": someone + caring * q * q * total for caring in alphas},
        WORST: someone,
    }
    return {name: (Fraction(0), part) for name, part in parts.items()}


def ending_rows(settings: Settings) -> Iterator[Row]:
    """Yield what each ending is worth if it is certain: Parfit's three."""
    total = geometric(settings.discount, settings.T)
    common = f"γ={settings.discount}, T={settings.T}, r={settings.r}"
    for (name, (left, right)), caring in product(ENDINGS.items(), (Fraction(0), Fraction(1))):
        number = left + right
        worth = worth_to_all(divide(settings, Fraction(left), Fraction(right)), settings, caring=caring)
        expected = settings.r * total * (1 + caring * (number - 1) if number else 0)
        source = "r G (1 + α(N − 1)) for N survivors"
        yield formula_row(f"worth if it is certain, α={caring}", name, common, worth, expected, source)


def learning_cases(settings: Settings) -> list[LearningCase]:
    """Survivors' memories: they accept as soon as surviving is better than staying, whatever the chance of it."""
    cases = []
    for reward in (settings.r, settings.r_s / 2):
        asked = PUZZLE.kernel(replace(settings, r=reward)), SLOTS, settings.T, (0, None), settings.rounds
        lesson = Lesson(*asked, EVERYONE, Fraction(0), float(settings.discount), FAST)
        is_clear = settings.q >= CLEAR and abs(reward - settings.r_s) >= CLEAR
        name, accepts = f"{EVERYONE}, α=0, r={reward}", reward > settings.r_s
        cases.append(LearningCase(name, lesson, accepts, is_clear=is_clear))
    return cases


PUZZLE = SurvivalPuzzle(
    "fission",
    lambda settings: divide(settings, settings.q, settings.q),
    closed_forms,
    reward="r",
    price="q",
    highest=Fraction(1),
    common=("T", "r_s", "q"),
    grid={"discount": (HALF, Fraction(1)), "T": (1, 3), "q": (Fraction(0), Fraction(1, 3), Fraction(1))},
    control=("the sum over both halves for α = 0", "common-ancestor", "2q against 2q − q²"),
    learning_cases=learning_cases,
    more_rows=ending_rows,
    axis="probability of success q",
    reward_axis="reward of survivors above which it is accepted",
    least_rows=64,
)
cells, run_cell, table, figures = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table, PUZZLE.figures
