"""Settings of the toy: how many, how slow, and which fail."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    seeds: Annotated[int, Field(ge=1, description="independent runs")] = 3
    factor: Annotated[Fraction, Field(gt=0, description="times what")] = Fraction(1, 2)
    offsets: tuple[int, ...] = (0,)
    seconds: float = 0.0
    failing: int | None = None
    dying: int | None = None


QUICK = Settings(seeds=2)
FULL = Settings(seeds=4)
