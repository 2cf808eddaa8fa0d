"""Settings of ``copy-dilemma``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from multislot.errors import SettingError
from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings

Pay = Annotated[Fraction, Field(ge=-100, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """The payoffs, and how much the copies differ."""

    T: Annotated[Pay, Field(title="T", description="for defecting against a cooperator")] = Fraction(5)
    R: Annotated[Pay, Field(title="R", description="for cooperating with a cooperator")] = Fraction(3)
    P: Annotated[Pay, Field(title="P", description="for defecting against a defector")] = Fraction(1)
    S: Annotated[Pay, Field(title="S", description="for cooperating with a defector")] = Fraction(0)
    rounds: Annotated[int, Field(ge=40, description="how often the copies of a learner play")] = 300
    δ: Annotated[
        Fraction, Field(ge=0, le=1, title="δ", description="probability that the two see different signals")
    ] = Fraction(3, 4)

    def __post_init__(self) -> None:
        if not self.T > self.R > self.P > self.S:
            raise SettingError(
                f"got T={self.T}, R={self.R}, P={self.P}, S={self.S}; expected T > R > P > S, the order of a "
                "prisoner's dilemma"
            )


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)
