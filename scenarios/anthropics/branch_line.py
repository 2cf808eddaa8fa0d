"""The branch line: you are copied to Mars, and the original dies a little later.

Parfit's teletransporter (1984) used to destroy the body that it scanned. A new one does not: the original lives on for
d steps next to its replica on Mars, and then dies. Is that as bad as ordinary death, or about as good as ordinary
survival? Parfit says that nothing important would be lost if the original died at once. Then a few steps in which both
live should not matter much. The scenario computes from which reward on the offer is accepted: for eleven values, for
several α, and for an agent that counts only the worst of all lives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from multislot.exact import Kernel, copy_delete, teleport
from scenarios.anthropics.learning import EVERYONE, FAST, FULL_SIZE, ONE_SURVIVOR, AnthropicSettings, Lesson
from scenarios.anthropics.survivals import HALF, WORST, ClosedForms, SurvivalPuzzle
from scenarios.lab.experiment import LearningCase, geometric
from scenarios.lab.table import Row, formula_row

Reward = Annotated[Fraction, Field(ge=0, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What is paid to whom, and for how long the two lives overlap."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 300
    discount: Annotated[Fraction, Field(gt=0, le=1, description="discount")] = Fraction(9, 10)
    T: Annotated[int, Field(ge=2, le=8, description="steps that count")] = 4
    d: Annotated[int, Field(ge=1, le=7, description="steps in which both live, below T")] = 2
    r_s: Annotated[Reward, Field(description="reward of each step if one stays")] = Fraction(1)
    r_b: Annotated[Reward, Field(description="reward of each copy while both live")] = Fraction(1, 2)
    r_2: Annotated[Reward, Field(description="reward of each step on Mars afterwards")] = Fraction(13, 10)

    def __post_init__(self) -> None:
        if self.d >= self.T:
            raise ValueError(f"d={self.d} is not below T={self.T}; the replica must outlive the original")


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


CLEAR = Fraction(1, 8)
"""Change of r_2 that must not turn the decision, for learners to find it."""
MORAL = (
    "Whoever counts the average over the living copies does not care how long the original lives: until it dies, both\n"
    "get the same. Whoever counts the sum of the copies' rewards gains while original and copy both live. Whoever\n"
    "counts copies in equal shares counts what Mars pays only half, even after the original has died. Whoever counts\n"
    "only the rewards in the old place, or only the worse of the two lives, gives no weight to what Mars pays."
)


def kernel(settings: Settings) -> Kernel:
    return copy_delete(settings.r_s, settings.r_b, settings.r_2, settings.d)


def closed_forms(settings: Settings, alphas: Sequence[Fraction]) -> ClosedForms:
    """For each value, the worth of r_b while both live, and of a reward of 1 on Mars afterwards."""
    both = geometric(settings.discount, settings.d)
    mars = geometric(settings.discount, settings.T) - both
    follows, average = (both, Fraction(0)), (both, HALF * mars)
    parts = {
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
        **{f"α={caring}": ((1 + caring) * both, mars) for caring in alphas},
        WORST: follows,
    }
    return {name: (settings.r_b * both, mars) for name, (both, mars) in parts.items()}


def overlap_rows(settings: Settings) -> Iterator[Row]:
    """Yield what each value loses if the original is deleted a few steps later, and not at once; all pay is equal."""
    gamma, horizon, reward = settings.discount, settings.T, settings.r_2
    at_once = replace(PUZZLE, kernel=lambda asked: teleport(asked.r_s, reward)).worths(settings)
    later = PUZZLE.worths(replace(settings, r_b=reward))
    both, total = geometric(gamma, settings.d), geometric(gamma, horizon)
    factors = {"cpy": HALF * (total - both), "α=0": Fraction(0), "α=1": -both}
    common = f"γ={gamma}, T={horizon}, d={settings.d}, r_b=r_2={reward}"
    for name, factor in factors.items():
        lost = at_once[name] - later[name]
        yield formula_row("lost by the overlap", name, common, lost, factor * reward, "closed form")


def learning_cases(settings: Settings) -> list[LearningCase]:
    """The survivor's memory, without and with caring; everyone's, in which the dead have learned what they lived."""
    conditions = ((ONE_SURVIVOR, Fraction(0)), (ONE_SURVIVOR, Fraction(1)), (EVERYONE, Fraction(0)))
    asked = kernel(settings), 2, settings.T, (0, None), settings.rounds
    cases = []
    for memory, caring in conditions:
        lesson = Lesson(*asked, memory, caring, float(settings.discount), FAST)
        rewards = settings.r_2 - CLEAR, settings.r_2 + CLEAR
        [below], [above] = (PUZZLE.accept_by_formula(settings, caring, reward) for reward in rewards)
        cases.append(LearningCase(f"{memory}, α={caring}", lesson, above, is_clear=below == above))
    return cases


PUZZLE = SurvivalPuzzle(
    "branch-line",
    kernel,
    closed_forms,
    reward="r_2",
    price="r_2",
    highest=Fraction(4),
    common=("T", "d", "r_s", "r_b"),
    grid={"discount": (HALF, Fraction(1)), "T": (3, 5), "d": (1, 2)},
    control=(
        "the copy-centered formula for α = 0",
        "cpy",
        "the average over the living does not remember that there were two",
    ),
    learning_cases=learning_cases,
    more_rows=overlap_rows,
    axis="reward on Mars $r_2$",
    reward_axis="reward on Mars above which it is accepted",
)
cells, run_cell, table, figures = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table, PUZZLE.figures
