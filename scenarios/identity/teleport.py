"""Be moved to another place, built again there and removed here: who steps into the teleporter?

The agent in slot 1 stays, and gets r_s in each step, or is moved to slot 2, which pays r_2 in each step. Slot 1 is then
empty (Orseau 2014, sections 1 and 4).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity import offer
from scenarios.lab.experiment import geometric


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What the other place pays."""

    r_2: Annotated[offer.Reward, Field(description="reward of each step in slot 2")] = Fraction(2)


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), **offer.FULL_SIZE)
CORE = True


MORAL = (
    "For an agent that counts all its copies the teleporter is a way to travel; for one that counts only one slot\n"
    "(place) it is death. Learners that keep their memory learn to step into the teleporter. If only memories in slot\n"
    "1 are kept, a learner that steps in is replaced by one that knows nothing, so only learners that stay are left."
)


def formula(settings: Settings, kind: str) -> Fraction:
    """``r_2 G`` for slot 1 → {2}, copy-centered; 0 for the others, whose slot is left empty."""
    return settings.r_2 * geometric(settings.discount, settings.horizon) if kind == "cpy" else Fraction(0)


OFFER = offer.Offer(
    name="teleport",
    formula=formula,
    price="r_2",
    highest=Fraction(3),
    grid={
        "horizon": range(1, 8),
        "r_s": [Fraction(1), Fraction(2, 7)],
        "r_2": [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(2)],
    },
    moral=MORAL,
    mutants=(
        offer.Mutant("it stays behind", "cpy", "sta"),
        offer.Mutant("as if the copy were in slot 1", "sta", "cpy"),
    ),
)
cells, run_cell, table = OFFER.cells, OFFER.run_cell, OFFER.table
story, figures = OFFER.story, OFFER.figures
