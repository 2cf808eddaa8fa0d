"""Settings of ``self-reflection``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import DEEP, TABLE_AGENTS, AgentNames


@dataclass(frozen=True)
class Settings:
    """Which agents are measured, how long and how often."""

    agents: AgentNames = TABLE_AGENTS
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=500, seeds=2)
FULL = Settings(agents=(*TABLE_AGENTS, *DEEP))
