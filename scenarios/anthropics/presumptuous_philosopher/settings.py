"""Settings of ``presumptuous-philosopher``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many observers each theory has, and what the coupon costs."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 400
    n: Annotated[int, Field(ge=1, le=12, title="n", description="observers by the small theory")] = 1
    N: Annotated[int, Field(ge=2, le=12, title="N", description="observers by the populous theory")] = 4
    x: Annotated[Fraction, Field(ge=0, le=1, title="x", description="price of the coupon")] = Fraction(13, 20)


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)
