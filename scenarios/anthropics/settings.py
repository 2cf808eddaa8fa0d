"""Settings that every anthropic puzzle has; the puzzles add populations, prices and payoffs."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field


@dataclass(frozen=True)
class AnthropicSettings:
    """How exactly a puzzle is mapped, and how long learners are given; a field's title is its symbol."""

    resolution: Annotated[int, Field(ge=2, le=101, description="points along each side of the decision map")] = 9
    seeds: Annotated[int, Field(ge=1, description="independent runs of each kind of learner")] = 6
    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 500


FULL_SIZE: dict[str, Any] = {"resolution": 41, "seeds": 20, "rounds": 3000}
