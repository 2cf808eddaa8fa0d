"""Settings of ``crying-baby``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import AgentNames


@dataclass(frozen=True)
class Settings:
    """Who is parent and baby, how long, how often, and how much of it is drawn."""

    agents: AgentNames = ("Constant", "Simple", "Naive", "Q")
    steps: Annotated[int, Field(ge=1, description="turns a run")] = 10_000
    shown: Annotated[int, Field(ge=1, le=2000, description="turns drawn")] = 200
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=2_000, seeds=2)
FULL = Settings(steps=100_000)
