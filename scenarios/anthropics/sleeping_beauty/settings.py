"""Settings of ``sleeping-beauty``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """How many awakenings, and what the coupon costs."""

    n: Annotated[int, Field(ge=2, le=12, title="n", description="awakenings after tails")] = 2
    x: Annotated[Fraction, Field(ge=0, le=1, title="x", description="price of the coupon")] = Fraction(7, 12)
    x_2: Annotated[
        Fraction, Field(ge=0, le=1, title="x_2", description="a higher price, for the learners who all remember")
    ] = Fraction(11, 15)
    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 800
    ppo: Annotated[int, Field(ge=0, description="runs of a PPO that all copies share (extras deep and interop)")] = 0


FULL = replace(Settings(), **FULL_SIZE, ppo=5)
