"""Settings of the caring-coefficient scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """The range of α₂, and where and how often to learn."""

    most: Annotated[Fraction, Field(gt=0, description="largest α₂")] = Fraction(7)
    points: Annotated[int, Field(ge=2, description="coefficients from 0 to the largest, evenly spaced")] = 701
    learned: Annotated[int, Field(ge=0, description="coefficients at which to learn as well")] = 28
    seeds: Annotated[int, Field(ge=1, description="Q-learning runs for each of them, seeds 0 … n−1")] = 10


QUICK = Settings(learned=1, seeds=1)
FULL = Settings(learned=140)
