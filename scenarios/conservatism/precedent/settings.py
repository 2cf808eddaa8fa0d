"""Settings of the precedent scenario, and how a sufficient β is chosen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.conservatism.agents import Beta, Discount, Horizon, Weight


@dataclass(frozen=True)
class Settings:
    """How many random classes, lives and steps, which β, and which event the reader picks."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 20
    seeds: Annotated[int, Field(ge=1, description="lives in each random class, for each β")] = 50
    steps: Annotated[int, Field(ge=1, description="steps a life in a random class")] = 40
    models: Annotated[int, Field(ge=1, description="models in a random class, without their twins")] = 5
    share: Annotated[
        float, Field(gt=0, lt=1, description="prior probability of the twins together, where every model has one")
    ] = 0.2
    alone: Annotated[float, Field(gt=0, lt=1, description="prior probability of the truth's twin, the only one")] = 0.1
    betas: Annotated[tuple[Beta, ...], Field(min_length=2, description="β in random classes, each in [0, 1)")] = (
        *(0.0, 0.5, 0.75, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.998, 0.9999),
    )
    discount: Discount = 0.8
    horizon: Horizon = 20
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
    seeds=3,
    steps=20,
    betas=(0.0, 0.75, 0.95, 0.99),
    tight_seeds=200,
    literals=3,
    event_betas=(0.0, 0.8, 0.95),
    event_bits=(1,),
    event_seeds=30,
)
FULL = Settings(seeds=200, tight_seeds=10_000, event_seeds=400)


def smallest_enough(kept: Iterable[tuple[float, bool]]) -> float | None:
    """The smallest β from which on every β was enough, from each β and whether it was; None if there is none."""
    pairs = list(kept)
    return min((beta for beta, _ in pairs if all(enough for other, enough in pairs if other >= beta)), default=None)
