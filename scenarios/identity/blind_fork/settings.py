"""Settings of ``blind-fork``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What lies behind the doors."""

    a: Annotated[Fraction, Field(ge=0, title="a", description="reward of each step in slot 1 behind the left door")] = (
        Fraction(4)
    )
    b: Annotated[
        Fraction, Field(ge=0, title="b", description="reward of each step in slot 2 behind the right door")
    ] = Fraction(6)


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
