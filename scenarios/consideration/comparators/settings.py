"""Settings of the comparators scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field

Strength = Annotated[Fraction, Field(ge=0)]


@dataclass(frozen=True)
class Settings:
    """How much every design weighs its auxiliary term."""

    strengths: Annotated[tuple[Strength, ...], Field(min_length=1, description="α₂, β and λ")] = (
        Fraction(1),
        Fraction(10),
    )


QUICK = Settings(strengths=(Fraction(10),))
