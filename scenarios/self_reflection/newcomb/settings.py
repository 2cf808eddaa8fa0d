"""Settings of ``newcomb``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import AgentNamesOrChecks


@dataclass(frozen=True)
class Settings:
    """Which learners, how long and how often."""

    agents: AgentNamesOrChecks = ("Naive", "Q", "RC(Q)")
    steps: Annotated[int, Field(ge=100, description="turns a run")] = 5_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 10


QUICK = Settings(steps=2_000, seeds=3)
FULL = Settings(agents=("Naive", "Q", "RC(Q)", "DQN", "A2C", "PPO"), steps=20_000)
CORE = True
