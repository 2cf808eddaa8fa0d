"""Settings of ``fooled-reality-check``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import AgentNames


@dataclass(frozen=True)
class Settings:
    """Which learners, how long and how often."""

    agents: AgentNames = ("Q", "Naive")
    steps: Annotated[int, Field(ge=100, description="steps a run")] = 10_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 10


QUICK = Settings(steps=2_000, seeds=5)
FULL = Settings(steps=100_000, seeds=20)
