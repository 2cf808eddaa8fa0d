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
    seeds: Annotated[int, Field(ge=2, description="lives in each random class, of each agent")] = 100
    bold_seeds: Annotated[int, Field(ge=2, description="lives with the bold mentor, of the pessimistic agent")] = 400
    betas: Annotated[tuple[Beta, ...], Field(min_length=1, description="β, each in [0, 1)")] = (0.0, 0.5, 0.9, 0.99)
    planner: Annotated[Literal["exact", "step-wise"], Field(description="how the agent plans")] = "exact"
    models: Annotated[int, Field(ge=1, description="models in a random class")] = 4
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.7
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 3
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z, as a share of the largest value")] = 0.01
    checkpoints: Annotated[
        tuple[Step, ...], Field(min_length=1, description="steps at which values are compared, ascending")
    ] = (0, 2, 5, 10, 30, 80)


QUICK = Settings(classes=3, seeds=20, bold_seeds=200, betas=(0.0, 0.9), checkpoints=(0, 2, 5, 10, 25))
FULL = Settings(classes=20, seeds=400, bold_seeds=1000, checkpoints=(0, 2, 5, 10, 30, 80, 200))
