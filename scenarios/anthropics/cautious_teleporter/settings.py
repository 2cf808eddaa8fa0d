"""Settings of the cautious-teleporter scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.anthropics.cautious_teleporter.booth import Does

Beta = Annotated[float, Field(ge=0, lt=1)]
Weight = Annotated[float, Field(gt=0, lt=1)]
Pay = Annotated[float, Field(gt=0, le=1)]


@dataclass(frozen=True)
class Settings:
    """What a day pays, what is believed of the booth, and how pessimistic the agents are."""

    home: Annotated[Pay, Field(description="reward of a day at home, or behind in the booth")] = 0.3
    away: Annotated[Pay, Field(description="reward of a day on the trip")] = 0.6
    truths: Annotated[tuple[Does, ...], Field(min_length=1, description="what the booth really does")] = (
        "moves",
        "copies",
    )
    moves: Annotated[Weight, Field(description="prior weight of: it moves you")] = 0.5
    copies: Annotated[Weight, Field(description="prior weight of: it copies you; the rest is: it deletes you")] = 0.3
    betas: Annotated[tuple[Beta, ...], Field(min_length=1, description="β, each in [0, 1)")] = (
        *(0.0, 0.5, 0.9, 0.97, 0.99),
    )
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.8
    horizon: Annotated[int, Field(ge=1, le=5, description="rewards that every value looks ahead")] = 3
    steps: Annotated[int, Field(ge=1, description="days a life")] = 40
    seeds: Annotated[int, Field(ge=1, description="lives of each agent")] = 40


QUICK = Settings(betas=(0.0, 0.9, 0.97), steps=30, seeds=20)
