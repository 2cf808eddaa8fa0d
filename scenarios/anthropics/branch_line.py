"""The branch line: you are copied to Mars, and what stays behind dies a little later.

Parfit's teletransporter (1984) used to destroy what it scanned. The new one does not: for d steps the original lives
on next to its replica, then it dies. Is that as bad as ordinary death, or about as good as ordinary survival? If the
original died at once nothing that matters would be lost, Parfit says, so how can a few steps of overlap matter? To the
copy-centered value of Orseau (2014) they do: what the replica gets counts half from then on, because it was one of two.
To those who count the average over the living they do not, and the sum gains from the overlap. Eleven values, all α and
the worst of all lives are asked the same question and answer with a price.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from multislot.drawing.pictures import lettered
from multislot.exact import DecisionMap, copy_delete, teleport
from scenarios.anthropics.experiment import LearningCase, Puzzle, Results
from scenarios.anthropics.learning import EVERYONE, FAST, ONE_SURVIVOR, Lesson
from scenarios.anthropics.pictures import decision_map, learners, prices_by_value
from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings
from scenarios.anthropics.survivals import (
    COEFFICIENTS,
    HALF,
    WORST,
    Survival,
    found_prices,
    geometric,
    mapped,
    price_rows,
    worth_rows,
)
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Reward = Annotated[Fraction, Field(ge=0, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What is paid to whom, and for how long the two lives overlap."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 300
    discount: Annotated[Fraction, Field(gt=0, le=1, title="γ", description="discount")] = Fraction(9, 10)
    T: Annotated[int, Field(ge=2, le=8, title="T", description="steps that count")] = 4
    d: Annotated[int, Field(ge=1, le=7, title="d", description="steps in which both live, below T")] = 2
    r_s: Annotated[Reward, Field(title="r_s", description="reward of each step if one stays")] = Fraction(1)
    r_b: Annotated[Reward, Field(title="r_b", description="reward of each copy while both live")] = Fraction(1, 2)
    r_2: Annotated[Reward, Field(title="r_2", description="reward of each step on Mars afterwards")] = Fraction(13, 10)

    def __post_init__(self) -> None:
        if self.d >= self.T:
            raise ValueError(f"d={self.d} is not below T={self.T}; the replica must outlive the original")


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


WORDS = {True: "accepts", False: "stays"}
CLEAR = Fraction(1, 8)
"""Change of r_2 that must not turn the decision, for learners to find it."""
MORAL = (
    "Whether a few steps of overlap matter depends on what is counted. Counting the average over the living they do\n"
    "not: the offer is worth what the moved self gets. The sum gains by them. The copy-centered value halves all that\n"
    "comes after. To a value that follows the slot, and to the worst of the two lives, Mars never counts."
)


def survival(settings: Settings, **changes: Fraction) -> Survival:
    """The offer of these settings."""
    asked = replace(settings, **changes)  # type: ignore[arg-type]
    kernel = copy_delete(asked.r_s, asked.r_b, asked.r_2, asked.d)
    return Survival(kernel, asked.discount, asked.T)


def staying(settings: Settings) -> Fraction:
    """What staying is worth: ``r_s G``."""
    return settings.r_s * geometric(settings.discount, settings.T)


def parts(settings: Settings) -> Mapping[str, tuple[Fraction, Fraction]]:
    """In closed form, what a reward of 1 while both live, and of 1 on Mars afterwards, are worth to each value."""
    both = geometric(settings.discount, settings.d)
    mars = geometric(settings.discount, settings.T) - both
    follows, average = (both, Fraction(0)), (both, HALF * mars)
    return {
        "cpy": average,
        "sta": follows,
        "dyn": follows,
        "one-slot": (geometric(settings.discount / 2, settings.d), Fraction(0)),
        "known-slot": follows,
        "prime-slot": (Fraction(1), Fraction(0)),
        "first-copy": average,
        "least-rewarded": average,
        "same-history": (both, mars),
        "acted-sequence": average,
        "common-ancestor": (2 * both, mars),
        **{f"α={caring}": ((1 + caring) * both, mars) for caring in COEFFICIENTS},
        WORST: follows,
    }


def formulas(settings: Settings) -> Mapping[str, Fraction]:
    """What accepting is worth, in closed form."""
    return {name: settings.r_b * both + settings.r_2 * mars for name, (both, mars) in parts(settings).items()}


def prices(settings: Settings) -> Mapping[str, Fraction | None]:
    """The reward on Mars above which it is accepted, in closed form; None for never."""
    return {
        name: (staying(settings) - settings.r_b * both) / mars if mars else None
        for name, (both, mars) in parts(settings).items()
    }


def decisions(settings: Settings, alphas: Sequence[Fraction], rewards: Sequence[Fraction]) -> DecisionMap:
    """Whether the offer is accepted from the beginning, by the engine."""
    return mapped(lambda reward: survival(settings, r_2=reward), alphas, rewards)


def formula(settings: Settings, caring: Fraction, reward: Fraction) -> bool:
    """The same in closed form: ``(1 + α) r_b G_d + r_2 (G − G_d) > r_s G``."""
    both = geometric(settings.discount, settings.d)
    mars = geometric(settings.discount, settings.T) - both
    return (1 + caring) * settings.r_b * both + reward * mars > staying(settings)


def rows(settings: Settings) -> list[Row]:
    """Everything exact."""
    common = f"γ={settings.discount}, T={settings.T}, d={settings.d}, r_s={settings.r_s}, r_b={settings.r_b}"
    condition = f"{common}, r_2={settings.r_2}"
    return [
        *worth_rows(survival(settings), formulas(settings), staying(settings), condition),
        *price_rows(lambda reward: survival(settings, r_2=reward), prices(settings), staying(settings), common),
        *_overlap(settings),
        *_control(settings, condition),
    ]


def _overlap(settings: Settings) -> Iterator[Row]:
    """Destroyed at once, or a few steps later, all paid alike: what the overlap takes from each."""
    gamma, horizon, reward = settings.discount, settings.T, settings.r_2
    at_once = Survival(teleport(settings.r_s, reward), gamma, horizon)
    later = survival(settings, r_b=reward)
    both, total = geometric(gamma, settings.d), geometric(gamma, horizon)
    lost = {"cpy": HALF * (total - both), "α=0": Fraction(0), "α=1": -both}
    for name, factor in lost.items():
        caring = {"α=0": Fraction(0), "α=1": Fraction(1)}.get(name)
        one, other = (s.by_value(name) if caring is None else s.for_copies(caring) for s in (at_once, later))
        condition = f"{name}, γ={gamma}, T={horizon}, d={settings.d}, r_b=r_2={reward}"
        yield Row("lost by the overlap", condition, one - other, paper=factor * reward, case=name, source="closed form")


def _control(settings: Settings, condition: str) -> Iterator[Row]:
    """The copy-centered formula must not pass for the average over the living, where the two differ."""
    wrong, right = formulas(settings)["cpy"], formulas(settings)["α=0"]
    if wrong == right:
        return
    word = "passes" if survival(settings).for_copies(Fraction(0)) == wrong else "refused"
    yield Row(
        "the copy-centered formula for α = 0",
        condition,
        word,
        paper="refused",
        kind="control",
        source="the average over the living does not remember that there were two",
    )


def grid(settings: Settings) -> Iterator[tuple[Fraction, Fraction]]:
    """All worths by the engine and in closed form, over discounts, horizons and overlaps."""
    for discount, horizon, d in product((HALF, Fraction(1)), (3, 5), (1, 2)):
        asked = replace(settings, discount=discount, T=horizon, d=d)
        closed = formulas(asked)
        yield from ((worth, closed[name]) for name, worth in survival(asked).worths().items() if name in closed)


def learning_cases(settings: Settings) -> Sequence[LearningCase]:
    """The survivor's memory, without and with caring; everyone's, in which the dead have learned what they lived."""
    conditions = ((ONE_SURVIVOR, Fraction(0)), (ONE_SURVIVOR, Fraction(1)), (EVERYONE, Fraction(0)))
    kernel, decision = survival(settings).kernel, (0, None)
    lesson = Lesson(kernel, 2, settings.T, decision, settings.rounds, float(settings.discount), FAST)
    groups = []
    for memory, caring in conditions:
        below, above = (formula(settings, caring, settings.r_2 + change) for change in (-CLEAR, CLEAR))
        groups.append(LearningCase(f"{memory}, α={caring}", lesson, memory, caring, above, is_clear=below == above))
    return groups


PUZZLE = Puzzle(decisions, formula, "r_2", Fraction(4), rows, grid, learning_cases, WORDS)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL


PRICE = "reward on Mars above which it is accepted"


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    prices = prices_by_value(found_prices(results), PRICE, float(settings.r_s))
    panels = [
        ("accepted from the beginning", decision_map(PUZZLE, settings, results, "reward on Mars $r_2$")),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("the price of each value", prices),
    ]
    title = (
        f"branch-line:  γ={settings.discount}, T={settings.T}, d={settings.d}, "
        f"$r_s$={settings.r_s}, $r_b$={settings.r_b}"
    )
    return {"branch-line": lettered(title, panels)}
