"""Who is asked, in which pieces the work is done, and how learners are made: plain data that all else here shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

LEARNER = {"learning_rate": 0.05, "epsilon": 0.3}

Accepting: TypeAlias = tuple[int, ...]
"""Which of the agents asked accept, by index."""
Piece: TypeAlias = tuple[Fraction, Accepting]
"""From which reward on who accepts."""


@dataclass(frozen=True)
class Asked:
    """An agent that is asked.

    Attributes:
        name: what it is called.
        kind: its value, ``cpy``, ``sta`` or ``dyn``.
        changes: settings that differ in its question.
    """

    name: str
    kind: str
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mutant:
    """A value that the formulas must refuse.

    Attributes:
        name: what is wrong with it.
        kind: the value that it stands in for, ``cpy``, ``sta`` or ``dyn``.
        value: the value that it is.
    """

    name: str
    kind: str
    value: str


MUTANTS = (
    Mutant("each copy counts in full", "cpy", "common-ancestor"),
    Mutant("as if every copy were in slot 1", "sta", "cpy"),
)
THREE_AGENTS = (Asked("copy-centered", "cpy"), Asked("static", "sta"), Asked("dynamic", "dyn"))


@dataclass(frozen=True)
class Cell:
    """One piece of work: a part of the experiment, and which."""

    settings: Any
    part: str
    discount: Fraction | None = None
    heir: str = ""
    seed: int = 0


@dataclass(frozen=True)
class Decided:
    """Who accepts, over discount and reward.

    Attributes:
        discounts: the discounts that were mapped.
        columns: for each of them, from which reward on who accepts, exactly; the first piece begins at 0.
        highest: where rewards end.
        reward: the setting on the vertical axis.
        here: discount and reward of the settings.
        agents: who is asked.
    """

    discounts: Sequence[Fraction]
    columns: Sequence[Sequence[Piece]]
    highest: Fraction
    reward: str
    here: tuple[float, float]
    agents: Sequence[Asked]
