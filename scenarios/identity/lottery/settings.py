"""Settings of ``lottery``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """What is paid, how many rooms there are, and how finely the map is drawn."""

    discount: Annotated[Fraction, Field(ge=0, le=1, title="γ", description="discount")] = Fraction(9, 10)
    horizon: Annotated[int, Field(ge=1, le=12, title="T", description="steps that count")] = 3
    r_s: Annotated[Fraction, Field(gt=0, le=4, title="r_s", description="reward of each step if one stays")] = Fraction(
        1
    )
    r: Annotated[Fraction, Field(gt=0, le=4, title="r", description="reward of each step in any room")] = Fraction(2)
    n: Annotated[int, Field(ge=2, le=12, title="n", description="number of rooms")] = 4
    drift: Annotated[int, Field(ge=1, le=12, description="steps of the agent that a coin moves")] = 10
    rooms: Annotated[int, Field(ge=2, le=12, description="number of rooms up to which the map goes, or n")] = 8

    @property
    def most_rooms(self) -> int:
        """The largest number of rooms on the map, on which n has a place."""
        return max(self.rooms, self.n)


FULL = replace(Settings(), rooms=12)
