"""The booth, as three kernels with copies."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from multislot.exact import Arrival
from multislot.exact.kernel import Number

Does = Literal["moves", "copies", "deletes"]
STAY, STEP_IN = 0, 1
SEEN = ("home", "away", "booth")
HOME, AWAY, BOOTH = range(3)


@dataclass(frozen=True)
class Booth:
    """A booth for day trips; an agent that is away comes home the next day, whatever it does.

    Attributes:
        does: what it does to an agent that steps in.
        pays: reward of a day at home or behind in the booth, and of a day away.
        actions: stay, or step in.
        start: one agent, at home.
    """

    does: Does
    pays: tuple[Number, Number]
    actions: tuple[str, str] = ("stay", "step in")
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "home"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[tuple[int, dict[int, Arrival]]]:
        """Return the one outcome; a trip leads to the next slot, and back home nobody changes slots."""
        home, away = self.pays
        if state == "doomed":
            return [(1, {})]
        if state == "away" or action == "stay":
            return [(1, {slot: Arrival("home", "home", home)})]
        arrives = {slot + 1: Arrival("away", "away", away)}
        behind = {slot: Arrival("doomed", "booth", home)}
        return [(1, {"moves": arrives, "copies": behind | arrives, "deletes": {}}[self.does])]
