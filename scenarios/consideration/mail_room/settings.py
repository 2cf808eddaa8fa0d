"""Settings of the mail-room scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """Coefficients of the others' options, and how often to learn."""

    alphas: Annotated[tuple[Fraction, ...], Field(min_length=1, description="α₂")] = (
        Fraction(1),
        Fraction(5),
        Fraction(25),
    )
    seeds: Annotated[int, Field(ge=0, description="Q-learning runs for each α₂, seeds 0 … n−1; 0 for none")] = 10


QUICK = Settings(seeds=1)
