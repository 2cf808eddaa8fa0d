"""Settings of the formulations scenario."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from considerate.craftworld import PAPER_TASKS


@dataclass(frozen=True)
class Settings:
    """The tasks of Craft-World."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1, description="names of tasks")] = tuple(PAPER_TASKS)
