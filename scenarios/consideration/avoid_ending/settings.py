"""Settings of the avoid-ending scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """What the next agent loses or gains, and how long the search looks."""

    harm: Annotated[Fraction, Field(gt=0, description="what a door that has shut costs the next agent")] = Fraction(100)
    discount: Annotated[Fraction, Field(gt=0, lt=1, description="γ where it is below 1")] = Fraction(9, 10)
    steps: Annotated[int, Field(ge=100, le=10_000, description="how long policies that stay are followed")] = 500
