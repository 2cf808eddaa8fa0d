"""A cache of a fixed size that forgets the least recently used answer first."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")

PLANS = 1024  # of an agent's settings
SETTINGS = 32  # of a class: discounts, horizons, kinds of plans
LAWS = 4096  # of a world
UNKNOWN: Any = object()


class Memory(Generic[Kept]):
    """The answers to the latest questions; a forgotten answer is computed again.

    A deep copy is the memory itself: agents that are copied share their plans.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._kept: dict[Hashable, Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Memory[Kept]":
        return self

    def once(self, question: Hashable, answer: Callable[[], Kept]) -> Kept:
        """Return the answer to a question, computed if it is not kept; it must depend on the question alone."""
        value: Kept = self._kept.pop(question, UNKNOWN)
        self._kept[question] = value = answer() if value is UNKNOWN else value
        if len(self._kept) > self.size:
            del self._kept[next(iter(self._kept))]
        return value
