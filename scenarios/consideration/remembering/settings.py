"""Settings of the scenario ``remembering``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True)
class Settings:
    """How many doughnuts there are, and how long to learn."""

    doughnuts: Annotated[int, Field(ge=2, le=8, multiple_of=2, description="doughnuts for two customers")] = 4
    steps: Annotated[int, Field(ge=100, description="steps of learning, for three customers")] = 1800
    seeds: Annotated[int, Field(ge=2, description="independent learners of each kind")] = 20


QUICK = Settings(seeds=4)
