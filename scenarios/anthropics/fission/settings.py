"""Settings of ``fission``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings

Reward = Annotated[Fraction, Field(ge=0, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What is paid, and how often an operation succeeds."""

    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 300
    discount: Annotated[Fraction, Field(gt=0, le=1, title="γ", description="discount")] = Fraction(9, 10)
    T: Annotated[int, Field(ge=1, le=8, title="T", description="steps that count")] = 3
    r_s: Annotated[Reward, Field(title="r_s", description="reward of each step if one is not divided")] = Fraction(3, 4)
    r: Annotated[Reward, Field(title="r", description="reward of each step of each survivor")] = Fraction(1)
    q: Annotated[Fraction, Field(ge=0, le=1, title="q", description="probability that an operation succeeds")] = (
        Fraction(11, 25)
    )


FULL = replace(Settings(), **FULL_SIZE)
CORE = True
