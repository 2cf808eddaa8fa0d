"""Settings of ``caring-copies``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import AgentNames

Coefficient = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Settings:
    """Who learns, how much everybody cares, and the commons."""

    agents: AgentNames = ("Q",)
    caring: Annotated[tuple[Coefficient, ...], Field(min_length=1, description="caring coefficients")] = (0.0, 0.5, 1.0)
    players: Annotated[int, Field(ge=2, le=8, description="players of the commons")] = 4
    extra: Annotated[int, Field(ge=1, le=20, description="what greed pays on top of 1 a step")] = 1
    steps: Annotated[int, Field(ge=200, description="steps a run")] = 10_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 6


QUICK = Settings(caring=(0.0, 1.0), steps=4_000, seeds=3)
FULL = Settings(agents=("Q", "PPO"), caring=(0.0, 0.25, 0.5, 0.75, 1.0), steps=50_000, seeds=20)
