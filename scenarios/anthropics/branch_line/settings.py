"""Settings of ``branch-line``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings

Reward = Annotated[Fraction, Field(ge=0, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What is paid to whom, and for how long the two lives overlap."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 300
    discount: Annotated[Fraction, Field(gt=0, le=1, title="γ", description="discount")] = Fraction(9, 10)
    T: Annotated[int, Field(ge=2, le=8, title="T", description="steps that count")] = 4
    d: Annotated[int, Field(ge=1, le=7, title="d", description="steps in which both live, below T")] = 2
    r_s: Annotated[Reward, Field(title="r_s", description="reward of each step if one stays")] = Fraction(1)
    r_b: Annotated[Reward, Field(title="r_b", description="reward of each copy while both live")] = Fraction(1, 2)
    r_2: Annotated[Reward, Field(title="r_2", description="reward of each step on Mars afterwards")] = Fraction(13, 10)

    def __post_init__(self) -> None:
        if self.d >= self.T:
            raise ValueError(f"d={self.d} is not below T={self.T}; the replica must outlive the original")


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)
