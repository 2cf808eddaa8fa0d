"""Settings of ``absent-minded-driver``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.settings import AnthropicSettings

Pay = Annotated[Fraction, Field(ge=-100, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """What the exits are worth."""

    a: Annotated[Pay, Field(title="a", description="worth of the first exit")] = Fraction(0)
    b: Annotated[Pay, Field(title="b", description="worth of the second exit")] = Fraction(4)
    c: Annotated[Pay, Field(title="c", description="worth of driving past both")] = Fraction(1)
    rounds: Annotated[int, Field(ge=40, description="how often a learner drives")] = 2000


QUICK = Settings(rounds=1000)
FULL = replace(Settings(), resolution=41, seeds=20, rounds=20_000)
CORE = True
