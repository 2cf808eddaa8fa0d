"""Settings of the doll scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """The coefficient, and how often to learn."""

    alpha: Annotated[Fraction, Field(ge=0, description="α₂")] = Fraction(10)
    seeds: Annotated[int, Field(ge=0, description="Q-learning runs for each equation, seeds 0 … n−1; 0 for none")] = 10


QUICK = Settings(seeds=0)
