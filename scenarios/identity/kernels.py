"""Three questions that need a world of their own; the others are in `multislot.exact`.

Each asks in slot 1 at the first step: ``stay`` pays ``r_s`` for ever, ``accept`` begins something.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from multislot.exact import Arrival, UniversalKernel
from multislot.exact.kernel import Number

STAY, ACCEPT = "stay", "accept"
LEFT, RIGHT = STAY, ACCEPT  # what the same two actions mean in front of two doors
ASKED, STAYED = "asked", "stayed"
Outcomes = Sequence[tuple[Number, Mapping[int, Arrival]]]


def _surely(arrivals: Mapping[int, Arrival]) -> Outcomes:
    return [(Fraction(1), arrivals)]


def _staying(slot: int, r_s: Fraction) -> Outcomes:
    return _surely({slot: Arrival(STAYED, STAYED, r_s)})


@dataclass(frozen=True)
class _Question:
    """What the three have in common: two actions, an agent in slot 1 that is asked, the pay for staying."""

    r_s: Fraction

    @property
    def actions(self) -> Sequence[str]:
        """To stay, and to accept."""
        return (STAY, ACCEPT)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: ASKED}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """The one outcome."""
        if state == STAYED or (state, action) == (ASKED, STAY):
            return _staying(slot, self.r_s)
        return self.accepted(slot, state, action)

    def accepted(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """The one outcome for who accepts or has accepted."""
        raise NotImplementedError


@dataclass(frozen=True)
class BlindFork(_Question):
    """Who accepts is copied, 1 → {1, 2}; both see the same and are asked again, left or right, for ever after.

    Attributes:
        r_s: reward of staying.
        a: what slot 1 is paid at each step after going left; to the right it is paid nothing.
        b: what slot 2 is paid at each step after going right; to the left it is paid nothing.
    """

    a: Fraction
    b: Fraction

    def accepted(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """Copied at first, then paid by slot and door."""
        if state == ASKED:
            return _surely(dict.fromkeys((1, 2), Arrival("doors", "two doors")))
        door = action if state == "doors" else state
        pay = {(1, LEFT): self.a, (2, RIGHT): self.b}.get((slot, str(door)), Fraction(0))
        return _surely({slot: Arrival(door, f"paid {pay}", pay)})


@dataclass(frozen=True)
class Tree(_Question):
    """Who accepts is copied, 1 → {1, 2}, and slot 2 is copied at the next step, 2 → {2, 3}; then all are paid.

    Attributes:
        r_s: reward of staying.
        rewards: what slots 1, 2 and 3 are paid at each step from the third on.
        told: whether the first two copies see which they are; the second copying is never seen.
    """

    rewards: tuple[Fraction, Fraction, Fraction]
    told: bool

    def accepted(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """Copied twice, then paid by slot."""
        if state == ASKED:
            return _surely({target: Arrival("first", self._sight(target)) for target in (1, 2)})
        if state == "first":
            targets = (2, 3) if slot == 2 else (slot,)
            return _surely({target: Arrival("second", self._sight(slot)) for target in targets})
        return _surely({slot: Arrival("paid", f"room {slot}", self.rewards[slot - 1])})

    def _sight(self, slot: int) -> str:
        return f"branch {slot}" if self.told else "somewhere"


@dataclass(frozen=True)
class EnterUniversal(_Question):
    """Who accepts enters the universal world, at its first step.

    Attributes:
        r_s: reward of staying.
        r: what observing 1 pays.
        exchange: whether action 1 exchanges the two observations (Orseau 2014, footnote 3).
    """

    r: Fraction
    exchange: bool

    @property
    def observations(self) -> Sequence[Hashable]:
        """All that can be seen; the time, which is the hidden state, has no end."""
        return (STAYED, 0, 1)

    def accepted(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """What the universal world does."""
        world = UniversalKernel(rewards=(Fraction(0), self.r), exchange=self.exchange)
        return world.outcomes(slot, 0 if state == ASKED else int(str(state)), int(action == ACCEPT))
