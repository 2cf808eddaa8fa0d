"""Settings of the precedent scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.conservatism.agents import Weight


@dataclass(frozen=True)
class Settings:
    """Which classes, and how many lives."""

    believed: Annotated[
        tuple[Weight, ...], Field(min_length=1, description="tight classes: prior weights of the model sure of luck")
    ] = (0.98, 0.9)
    luck: Annotated[
        tuple[Weight, ...], Field(min_length=1, description="tight classes: the true probability of luck, one for each")
    ] = (0.1, 0.2)
    tight_seeds: Annotated[int, Field(ge=1, description="lives in each tight class")] = 1000
    literals: Annotated[
        int, Field(ge=1, le=4, description="described events: literals of the longest one that has twins")
    ] = 4
    event_seeds: Annotated[int, Field(ge=1, description="lives in the class of described events, for each β")] = 60


QUICK = Settings(tight_seeds=200, literals=3, event_seeds=30)
FULL = Settings(tight_seeds=10_000, event_seeds=400)
