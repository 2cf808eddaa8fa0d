"""Settings of the trained scenario."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

Coefficient = Annotated[Fraction, Field(ge=0)]


@dataclass(frozen=True)
class Settings:
    """What to train, for how long, and how often."""

    task: Annotated[str, Field(description="a task of Craft-World by name")] = "kitchen-cookie"
    algorithms: Annotated[
        tuple[Literal["DQN", "PPO"], ...], Field(min_length=1, description="of Stable-Baselines3")
    ] = (
        "DQN",
        "PPO",
    )
    alphas: Annotated[tuple[Coefficient, ...], Field(min_length=1, description="α₂")] = (
        Fraction(0),
        Fraction(1, 4),
        Fraction(3, 4),
        Fraction(1),
        Fraction(2),
    )
    envy: Annotated[Fraction, Field(ge=0, description="inequity aversion: weight of having less")] = Fraction(1, 2)
    guilt: Annotated[Fraction, Field(ge=0, description="inequity aversion: weight of having more")] = Fraction(1, 4)
    steps: Annotated[int, Field(ge=1000, le=10**7, description="of each training")] = 12_000
    seeds: Annotated[int, Field(ge=1, description="trainings of each kind, seeds 0 … n−1")] = 10


QUICK = None
