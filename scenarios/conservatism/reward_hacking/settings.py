"""Settings of the reward-hacking scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

Beta = Annotated[float, Field(ge=0, lt=1)]
Weight = Annotated[float, Field(gt=0, lt=1)]
Pay = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Settings:
    """What the operators pay, and the grid of beliefs and pessimism."""

    good_work: Annotated[float, Field(gt=0, le=1, description="reward for good work")] = 0.6
    bad_work: Annotated[float, Field(gt=0, le=1, description="reward for bad work")] = 0.2
    takeovers: Annotated[
        tuple[Pay, ...], Field(min_length=1, description="what a takeover truly pays at each step, each in [0, 1]")
    ] = (0.0, 0.05)
    weights: Annotated[
        tuple[Weight, ...], Field(min_length=1, description="prior weights of the keys, each in (0, 1)")
    ] = (*(0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95),)
    betas: Annotated[tuple[Beta, ...], Field(min_length=1, description="β, each in [0, 1)")] = (
        *(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97),
    )
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.9
    horizon: Annotated[int, Field(ge=2, description="rewards that every value looks ahead")] = 20
    steps: Annotated[int, Field(ge=1, description="steps of Q-learning's lives")] = 200
    seeds: Annotated[int, Field(ge=1, description="lives of Q-learning, and of each agent that draws")] = 20


QUICK = Settings(weights=(0.25, 0.85), betas=(0.0, 0.5, 0.9), steps=100)
CORE = True
