"""Settings that every question about identity has; the questions add their own rewards and delays."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field


@dataclass(frozen=True)
class IdentitySettings:
    """What is asked, how exactly it is mapped, and how long learners are given; a field's title is its symbol."""

    discount: Annotated[Fraction, Field(ge=0, le=1, title="γ", description="discount")] = Fraction(9, 10)
    horizon: Annotated[
        int, Field(ge=1, le=8, title="T", description="steps that count, and steps a learner's round")
    ] = 3
    r_s: Annotated[Fraction, Field(title="r_s", description="reward of each step if one stays")] = Fraction(1)
    resolution: Annotated[int, Field(ge=2, description="points along each side of the decision map")] = 13
    seeds: Annotated[int, Field(ge=1, description="independent runs of each kind of learner")] = 8
    rounds: Annotated[int, Field(ge=8, description="how often a learner meets the question")] = 1200


QUICK_SIZE: dict[str, Any] = {"seeds": 4, "rounds": 800}
FULL_SIZE: dict[str, Any] = {"resolution": 41, "seeds": 40, "rounds": 4000}
