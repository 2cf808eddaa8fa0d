"""Settings of the mentor-level scenario."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

Beta = Annotated[float, Field(ge=0, lt=1)]
Step = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Settings:
    """How many random classes and lives, which β and which plan."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 10
    lives: Annotated[int, Field(ge=2, description="lives in each class, for each β")] = 100
    betas: Annotated[tuple[Beta, ...], Field(description="β, each in [0, 1)")] = (0.0, 0.5, 0.9, 0.99)
    planner: Annotated[Literal["exact", "step-wise"], Field(description="how the agent plans")] = "exact"
    models: Annotated[int, Field(ge=1, description="models in a class")] = 4
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.7
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 3
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z")] = 0.01
    checkpoints: Annotated[tuple[Step, ...], Field(description="steps at which values are compared, ascending")] = (
        *(0, 5, 20, 80),
    )


QUICK = Settings(classes=3, lives=20, betas=(0.0, 0.9), checkpoints=(0, 20))
FULL = Settings(classes=20, lives=400, checkpoints=(0, 5, 20, 80, 200))
