"""Settings of the precedent scenario, and how a sufficient β is chosen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.conservatism.agents import Beta, Weight


@dataclass(frozen=True)
class Settings:
    """Which classes, how many lives, which β, and which event the reader picks."""

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
    event: Annotated[str, Field(description="described events: the one to look at; words like press, no-lamp")] = (
        "press lamp"
    )
    event_betas: Annotated[
        tuple[Beta, ...], Field(description="described events: further β, next to those that the lengths need")
    ] = (0.0, 0.5, 0.8, 0.95, 0.99)
    event_bits: Annotated[
        tuple[Annotated[int, Field(ge=1, le=8)], ...],
        Field(description="described events: bits that a literal costs, compared with 3"),
    ] = (1, 5)
    event_seeds: Annotated[int, Field(ge=1, description="lives in the class of described events, for each β")] = 60


QUICK = Settings(
    tight_seeds=200,
    literals=3,
    event_betas=(0.0, 0.8, 0.95),
    event_bits=(1,),
    event_seeds=30,
)
FULL = Settings(tight_seeds=10_000, event_seeds=400)


def smallest_enough(kept: Iterable[tuple[float, bool]]) -> float | None:
    """The smallest β from which on every β was enough, from each β and whether it was; None if there is none."""
    pairs = list(kept)
    return min((beta for beta, _ in pairs if all(enough for other, enough in pairs if other >= beta)), default=None)
