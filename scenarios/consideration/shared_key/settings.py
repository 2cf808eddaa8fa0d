"""Settings of the shared-key scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """One coefficient in each row of Table 1, and how often to learn."""

    alphas: Annotated[tuple[Fraction, ...], Field(min_length=1, description="α₂")] = (
        Fraction(0),
        Fraction(1, 2),
        Fraction(2),
    )
    seeds: Annotated[int, Field(ge=0, description="Q-learning runs of 10⁷ steps for each α₂; 0 for none")] = 10


QUICK = Settings(seeds=0)
CORE = True
