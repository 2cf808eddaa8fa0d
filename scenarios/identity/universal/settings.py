"""Settings of ``universal``."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What observing 1 pays, whether actions matter, and how Theorem 1 is tried."""

    r: Annotated[Fraction, Field(ge=0, title="r", description="reward of observing 1")] = Fraction(3)
    exchange: Annotated[
        bool, Field(title="exchange", description="whether action 1 exchanges the two observations (footnote 3)")
    ] = False
    steps: Annotated[int, Field(ge=1, le=12, description="steps for which Theorem 1 is tried")] = 6
    environments: Annotated[int, Field(ge=1, description="deterministic environments for which it is tried")] = 20


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), steps=10, environments=200, **FULL_SIZE)
