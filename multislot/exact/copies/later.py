"""A choice that comes later, as the first choice of another kernel.

`plan_for_copies` gives the worth of each first action. The first action of a `LaterChoice` is done after a history, on
the way to which its own actions are taken. So it is worth as much as the best plan that comes to the question and takes
this action there.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multislot.exact.kernel import Arrival, Kernel, Outcome

__all__: list[str] = []


@dataclass(frozen=True)
class LaterChoice:
    """A kernel whose first action is taken after a history of (action, observation) pairs, at least one.

    A hidden state holds how many of these pairs the agent has, None if its history is another one; the action of the
    choice; and the hidden state of the world.
    """

    kernel: Kernel
    history: tuple[tuple[Hashable, Hashable], ...]

    @property
    def actions(self) -> Sequence[Hashable]:
        """Those of the world."""
        return self.kernel.actions

    @property
    def start(self) -> Mapping[int, Hashable]:
        """Nothing has happened yet."""
        return {slot: (0, None, state) for slot, state in self.kernel.start.items()}

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Iterator[Outcome]:
        """Those of the world, for the action that is taken there."""
        step, chosen, place = state
        chosen = action if step == 0 else chosen
        expected, seen = (action, None) if step is None else (*self.history, (chosen, None))[step]
        follows = (None, None) if step in (None, len(self.history)) else (step + 1, chosen)
        for chance, arrivals in self.kernel.outcomes(slot, place, expected):
            yield (
                chance,
                {
                    target: Arrival((*(follows if found == seen else (None, None)), after), found, *reward)
                    for target, (after, found, *reward) in arrivals.items()
                },
            )
