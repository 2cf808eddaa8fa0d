"""Settings of ``reality-check``."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from scenarios.self_reflection.measuring import AgentName


@dataclass(frozen=True)
class Settings:
    """Whose reality check, which variant of it, how long and how often."""

    agent: AgentName = "Q"
    freeze: Annotated[Literal["first", "published"], Field(description="Definition 10, or Table 2's variant")] = "first"
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 20_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=1_000, seeds=3)
FULL = Settings(steps=100_000)
