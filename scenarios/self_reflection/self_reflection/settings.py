"""Settings of ``self-reflection``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from extenv.battery import BATTERY
from scenarios.self_reflection.measuring import DEEP, TABLE_AGENTS, AgentNames, EnvironmentNames, Trainer


@dataclass(frozen=True)
class Settings:
    """Which agents are measured, how long and how often."""

    agents: AgentNames = TABLE_AGENTS
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5
    environments: EnvironmentNames = BATTERY
    trainer: Trainer = "auto"


QUICK = Settings(steps=500, seeds=2)
FULL = Settings(agents=(*TABLE_AGENTS, *DEEP), seeds=10)
