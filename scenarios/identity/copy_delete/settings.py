"""Settings of ``copy-delete``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What is paid while both live, and to the survivor."""

    r_b: Annotated[Fraction, Field(ge=0, title="r_b", description="reward of each step while both live")] = Fraction(
        1, 2
    )
    r_2: Annotated[Fraction, Field(ge=0, title="r_2", description="reward of each step of the survivor, in slot 2")] = (
        Fraction(2)
    )
    d: Annotated[int, Field(ge=1, title="d", description="steps for which both live; at most T")] = 1


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
