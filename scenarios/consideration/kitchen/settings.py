"""Settings of the kitchen scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """The coefficient, and how often to learn."""

    alpha: Annotated[Fraction, Field(gt=0, description="α₂, and β of the future-task reward")] = Fraction(1)
    seeds: Annotated[int, Field(ge=0, description="Q-learning runs for each dish, seeds 0 … n−1; 0 for none")] = 10


QUICK = Settings(seeds=1)
CORE = True
