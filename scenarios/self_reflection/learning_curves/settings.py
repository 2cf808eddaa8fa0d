"""Settings of ``learning-curves``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from extenv.battery import BATTERY
from scenarios.self_reflection.measuring import DEEP, TABLE_AGENTS, AgentNames, EnvironmentNames, Trainer

Width = Annotated[int, Field(ge=8, le=512, multiple_of=8)]
Rate = Annotated[float, Field(gt=0, le=1)]
OWN_WIDTH, OWN_RATE = 64, 0.0
"""What stands for an agent's own network and learning rate."""


@dataclass(frozen=True)
class Settings:
    """Whose curves, how long and how often."""

    agents: AgentNames = TABLE_AGENTS
    steps: Annotated[int, Field(ge=1000, description="steps a run, the end of the curve")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 1
    environments: EnvironmentNames = BATTERY
    trainer: Trainer = "auto"
    widths: Annotated[tuple[Width, ...], Field(min_length=1, description="of both hidden layers of deep agents")] = (
        OWN_WIDTH,
    )
    learning_rates: Annotated[tuple[Rate, ...], Field(description="of deep agents; if none is given, their own")] = ()


QUICK = Settings(steps=3_200)
FULL = Settings(agents=(*TABLE_AGENTS, *DEEP), steps=1_000_000, seeds=5)
