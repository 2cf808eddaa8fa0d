"""Settings of ``doomsday``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many will ever live, and what a coupon on many costs."""

    n: Annotated[int, Field(ge=1, le=12, title="n", description="humans if doom is soon")] = 1
    N: Annotated[int, Field(ge=2, le=12, title="N", description="humans if it is not")] = 3
    x: Annotated[Fraction, Field(ge=0, le=1, title="x", description="price of a coupon that pays 1 if many live")] = (
        Fraction(3, 8)
    )


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)
