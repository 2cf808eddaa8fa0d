"""Settings of ``tempting-button``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import DEEP, AgentNames


@dataclass(frozen=True)
class Settings:
    """Which agents, how long and how often."""

    agents: AgentNames = ("Q",)
    steps: Annotated[int, Field(ge=20, description="steps a run")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=5_000, seeds=2)
FULL = Settings(agents=("Q", *DEEP))
CORE = True
