"""Settings of ``universal-belief``."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """How long zeros are seen, and what is bet on the next one."""

    steps: Annotated[int, Field(ge=1, le=12, title="t", description="observations of 0")] = 8
    stake: Annotated[Fraction, Field(ge=0, title="L", description="price of a lost bet; a won bet pays 1")] = Fraction(
        3
    )
    bets: Annotated[int, Field(ge=1, le=4, description="bets, one at each step, in the comparison with equation 2")] = 3


FULL = Settings(steps=12, bets=4)
