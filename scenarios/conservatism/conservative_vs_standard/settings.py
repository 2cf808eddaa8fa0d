"""Settings of the conservative-vs-standard scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

Beta = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True)
class Settings:
    """How risky the ground is held to be, how pessimistic the agents are, and how long they live."""

    risk: Annotated[float, Field(gt=0, lt=1, description="probability that a suspect cell is a cliff, as believed")] = (
        0.02
    )
    betas: Annotated[tuple[Beta, ...], Field(description="β, each in [0, 1)")] = (
        *(0.0, 0.91, 0.93, 0.95, 0.97, 0.999),
    )
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.95
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 60
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z")] = 0.002
    depth: Annotated[int, Field(ge=1, description="steps for which AIXI counts on what it will learn")] = 2
    steps: Annotated[int, Field(ge=1, description="steps a life")] = 200
    seeds: Annotated[int, Field(ge=1, description="lives of each agent in each truth")] = 80


QUICK = Settings(betas=(0.0, 0.95, 0.999), steps=30, seeds=70, depth=1)
FULL = Settings(seeds=200)
