"""Settings of the wide-class scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """How many suspects, and how the agent lives among them."""

    suspects: Annotated[tuple[int, ...], Field(description="suspect cells, 1 to 10; a class has 2^n models")] = (
        *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    )
    risk: Annotated[float, Field(gt=0, lt=1, description="probability that a suspect cell is a cliff, as believed")] = (
        0.02
    )
    beta: Annotated[float, Field(ge=0, lt=1, description="β")] = 0.99
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.95
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 60
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z")] = 0.002
    steps: Annotated[int, Field(ge=1, description="steps a life")] = 100
    seeds: Annotated[
        int, Field(ge=1, description="lives in each class; in every second one, one suspect is a cliff")
    ] = 20


QUICK = Settings(suspects=(1, 3, 5), steps=40, seeds=12)
FULL = Settings(seeds=100)
CORE = True
