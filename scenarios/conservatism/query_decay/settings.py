"""Settings of the query-decay scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

Beta = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True)
class Settings:
    """How many random classes and lives, and which β."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 80
    seeds: Annotated[int, Field(ge=1, description="lives in each class, of each agent")] = 1
    betas: Annotated[tuple[Beta, ...], Field(min_length=1, description="β, each in [0, 1)")] = (0.0, 0.5, 0.9, 0.99)
    models: Annotated[int, Field(ge=1, description="models in a class, without their twins")] = 4
    share: Annotated[
        float, Field(gt=0, lt=1, description="prior probability of the twins together, where there are some")
    ] = 0.2
    example: Annotated[
        float, Field(gt=0, lt=1, description="where there are twins: the mentor's chance of the event in its state")
    ] = 0.05
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.7
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 3
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z, as a share of the largest value")] = 0.01
    steps: Annotated[int, Field(ge=16, description="steps a life, a power of 2")] = 256


QUICK = Settings(classes=30, betas=(0.9,), example=0.2, horizon=2, steps=128)
FULL = Settings(classes=200, seeds=5, steps=1024)
