"""Settings of ``self-models``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.self_models.agent import Rule


@dataclass(frozen=True)
class Settings:
    """Which planners, how long and how often."""

    rules: Annotated[tuple[Rule, ...], Field(min_length=1, description="how models are weighed")] = (
        "bayes",
        "most likely",
        "thompson",
        "pessimist",
    )
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 500
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(rules=("bayes",), steps=120, seeds=4)
FULL = Settings(steps=5_000, seeds=10)
