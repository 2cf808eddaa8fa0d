"""Settings of the precedent scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

Beta = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True)
class Settings:
    """How many random classes, lives and steps, and which β."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 20
    lives: Annotated[int, Field(ge=1, description="lives in each class, for each β")] = 50
    steps: Annotated[int, Field(ge=1, description="steps a life")] = 40
    models: Annotated[int, Field(ge=1, description="models in a class, beside their twins")] = 5
    share: Annotated[
        float, Field(gt=0, lt=1, description="prior probability of the twins together, where every model has one")
    ] = 0.2
    alone: Annotated[float, Field(gt=0, lt=1, description="prior probability of the truth's twin, the only one")] = 0.1
    betas: Annotated[tuple[Beta, ...], Field(description="β, each in [0, 1)")] = (
        *(0.0, 0.5, 0.75, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.998, 0.9999),
    )
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.8
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 20


QUICK = Settings(classes=20, lives=3, steps=20, betas=(0.0, 0.75, 0.95, 0.99))
FULL = Settings(lives=200)
