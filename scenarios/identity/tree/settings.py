"""Settings of ``tree``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What the three slots pay, and whether the first copies see which they are."""

    r_1: Annotated[
        Fraction, Field(ge=0, title="r_1", description="reward of each step in slot 1, from the third on")
    ] = Fraction(0)
    r_2: Annotated[
        Fraction, Field(ge=0, title="r_2", description="reward of each step in slot 2, from the third on")
    ] = Fraction(6)
    r_3: Annotated[
        Fraction, Field(ge=0, title="r_3", description="reward of each step in slot 3, from the third on")
    ] = Fraction(6)
    told: Annotated[bool, Field(title="told", description="whether the first two copies see which they are")] = False


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
