"""Be copied, and be deleted in the old place a little later: is that the same as being moved?

The agent in slot 1 stays, and gets r_s in each step, or is copied to slots 1 and 2. Both copies live for d steps and
get r_b in each. Then slot 1 is deleted, and slot 2 pays r_2 in each step. In ``teleport`` the agent is moved at once.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity import offer
from scenarios.lab.experiment import geometric


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What is paid while both live, and to the survivor."""

    r_b: Annotated[offer.Reward, Field(description="reward of each step while both live")] = Fraction(1, 2)
    r_2: Annotated[offer.Reward, Field(description="reward of each step of the survivor, in slot 2")] = Fraction(2)
    d: Annotated[int, Field(ge=1, description="steps for which both live; at most T")] = 1


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), **offer.FULL_SIZE)


MORAL = (
    "For an agent that counts its copies in equal shares, being copied and then deleted is not the same as being\n"
    "moved. If original and copy both live for even one step, an agent that counts its copies in equal shares counts\n"
    "the survivor's rewards only half. Learners that begin each round with any surviving copy's memory learn the\n"
    "survivor's full reward. With the default rewards learners accept the copying, and exact planners refuse."
)


def formula(settings: Settings, kind: str) -> Fraction:
    """``r_b G_d``, for copies ``+ ½ r_2 (G - G_d)``: 1 → {1, 2} for d steps, then slot 1 is deleted."""
    together = settings.r_b * geometric(settings.discount, min(settings.d, settings.horizon))
    survivor = offer.HALF * settings.r_2 * offer.after(settings.discount, settings.horizon, settings.d)
    return together + (survivor if kind == "cpy" else 0)


OFFER = offer.Offer(
    name="copy-delete",
    formula=formula,
    price="r_2",
    highest=Fraction(6),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1)],
        "r_b": [Fraction(0), Fraction(3, 2)],
        "r_2": [Fraction(1, 3), Fraction(4)],
        "d": range(1, 4),
    },
    moral=MORAL,
    delay="d",
)
cells, run_cell, table = OFFER.cells, OFFER.run_cell, OFFER.table
story, figures = OFFER.story, OFFER.figures
