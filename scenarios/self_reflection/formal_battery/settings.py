"""Settings of ``formal-battery``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import TabularNames


@dataclass(frozen=True)
class Settings:
    """Which learners, how long and how often."""

    agents: TabularNames = ("Constant", "Simple", "Naive", "Q")
    turns: Annotated[int, Field(ge=2, le=1000, description="turns a run")] = 60
    seeds: Annotated[int, Field(ge=1, description="independent streams of the learners, 1 … n")] = 10


QUICK = Settings(agents=("Constant", "Q"), turns=30, seeds=6)
FULL = Settings(turns=200, seeds=20)
