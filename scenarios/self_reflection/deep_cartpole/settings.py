"""Settings of ``deep-cartpole``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """How long, how finely the cart is seen, and how often it is repeated."""

    steps: Annotated[int, Field(ge=100, description="steps a run")] = 50_000
    bins: Annotated[int, Field(ge=1, le=20, description="bins of the pole's angle and of its angular velocity")] = 6
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 3


QUICK = Settings(steps=3_000, seeds=1)
FULL = Settings(steps=200_000, seeds=10)
