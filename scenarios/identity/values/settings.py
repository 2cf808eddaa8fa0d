"""Settings of ``values``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """How many random worlds are compared."""

    kernels: Annotated[int, Field(ge=1, description="random worlds that a seed draws")] = 120
    seeds: Annotated[int, Field(ge=1, description="independent searches")] = 4


QUICK = Settings(kernels=50, seeds=2)
FULL = Settings(kernels=2000, seeds=8)
