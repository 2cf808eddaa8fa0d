"""The one question that needs a world of its own; the others are files of `multislot.exact`."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from multislot.exact import Arrival, UniversalKernel
from multislot.exact.kernel import Outcome

STAY, ACCEPT = "stay", "accept"
ASKED, STAYED = "asked", "stayed"


@dataclass(frozen=True)
class EnterUniversal:
    """A choice at the first step: stay, or enter the universal world at its first step.

    Attributes:
        r_s: reward of staying.
        r: what observing 1 pays.
        exchange: whether action 1 exchanges the two observations (Orseau 2014, footnote 3).
    """

    r_s: Fraction
    r: Fraction
    exchange: bool

    @property
    def actions(self) -> Sequence[str]:
        """To stay, and to accept."""
        return (STAY, ACCEPT)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: ASKED}

    @property
    def observations(self) -> Sequence[Hashable]:
        """All that can be seen; the time, which is the hidden state, grows without limit."""
        return (STAYED, 0, 1)

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Sequence[Outcome]:
        """Return the one outcome."""
        if state == STAYED or (state, action) == (ASKED, STAY):
            return [(Fraction(1), {slot: Arrival(STAYED, STAYED, self.r_s)})]
        world = UniversalKernel(rewards=(Fraction(0), self.r), exchange=self.exchange)
        return world.outcomes(slot, 0 if state == ASKED else int(str(state)), int(action == ACCEPT))
