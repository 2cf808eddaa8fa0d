"""Settings of ``teleport``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What the other place pays."""

    r_2: Annotated[Fraction, Field(ge=0, title="r_2", description="reward of each step in slot 2")] = Fraction(2)


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
CORE = True
