"""Settings of ``copy``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What the two copies are paid, and when they part."""

    r_1: Annotated[Fraction, Field(ge=0, title="r_1", description="reward of each step in slot 1, once parted")] = (
        Fraction(1, 2)
    )
    r_2: Annotated[Fraction, Field(ge=0, title="r_2", description="reward of each step in slot 2, once parted")] = (
        Fraction(4)
    )
    b: Annotated[
        int, Field(ge=0, title="b", description="steps in which the copies see the same, unpaid; at most T")
    ] = 1


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
CORE = True
