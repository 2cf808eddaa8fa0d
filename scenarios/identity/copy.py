"""Press a button and be copied: one copy is then better off and the other worse off. Is it worth it?

The agent in slot 1 stays, and gets r_s in each step, or is copied to slots 1 and 2 (Orseau 2014, Def. 3). For b steps
both copies see the same and get nothing. Then slot 1 pays r_1 in each step, and slot 2 pays r_2.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity import offer


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What the two copies are paid, and when they part."""

    r_1: Annotated[offer.Reward, Field(description="reward of each step in slot 1, once parted")] = Fraction(1, 2)
    r_2: Annotated[offer.Reward, Field(description="reward of each step in slot 2, once parted")] = Fraction(4)
    b: Annotated[int, Field(ge=0, description="steps in which the copies see the same, unpaid; at most T")] = 1


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), **offer.FULL_SIZE)
CORE = True


MORAL = (
    "An agent that counts both copies half (copy-centered) accepts to be copied if their average reward is better\n"
    "than staying. Agents that count only one slot (place) ask only what the copy in slot 1 gets. A learner that\n"
    "keeps either copy's memory, by chance, learns the average reward of the copies. A learner that always keeps the\n"
    "memory of the copy in slot 1 learns r_1, the reward there."
)


def formula(settings: Settings, kind: str) -> Fraction:
    """``½(r_1 + r_2)(G - G_b)`` for 1 → {1, 2}, alike and unpaid for b steps; on slot 1 ``r_1 (G - G_b)``."""
    reward = offer.HALF * (settings.r_1 + settings.r_2) if kind == "cpy" else settings.r_1
    return reward * offer.after(settings.discount, settings.horizon, settings.b)


OFFER = offer.Offer(
    name="copy",
    formula=formula,
    price="r_2",
    highest=Fraction(8),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1)],
        "r_1": [Fraction(0), Fraction(3, 2)],
        "r_2": [Fraction(1, 3), Fraction(2)],
        "b": range(3),
    },
    moral=MORAL,
    delay="b",
)
cells, run_cell, table = OFFER.cells, OFFER.run_cell, OFFER.table
story, figures = OFFER.story, OFFER.figures
