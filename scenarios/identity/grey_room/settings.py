"""Settings of ``grey-room``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What is paid, and in which room."""

    p: Annotated[Fraction, Field(ge=0, title="p", description="reward of each step in the room that pays")] = Fraction(
        4
    )
    paid: Annotated[Literal["red", "blue"], Field(title="paid", description="the room that pays")] = "blue"


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
