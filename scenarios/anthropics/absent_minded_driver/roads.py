"""The road of the absent-minded driver, and what can be asked about it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multislot.exact import Arrival, MemorylessPlan, Mixture, best_memoryless, memoryless_worth, plan_for_copies
from scenarios.anthropics.coupons import Outcomes

EXIT, CONTINUE = "exit", "continue"
HOME, OUT = "home", "out"


@dataclass(frozen=True)
class Road:
    """Junctions in a row: exit at the k-th for ``pays[k]``, or drive past all of them for the last of ``pays``.

    The first step leads to the first junction, whatever is done.

    Attributes:
        pays: what the exits and the end of the road are worth.
        first: the junction at which the driver enters.
        marked: whether the junction of entry looks like no other.
    """

    pays: tuple[Fraction, ...]
    first: int = 0
    marked: bool = False

    @property
    def actions(self) -> Sequence[str]:
        """To exit, and to continue."""
        return (EXIT, CONTINUE)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One driver, at home."""
        return {1: HOME}

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.pays)

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Outcomes:
        """The next junction, or the way out."""
        if state == HOME:
            return [(1, {slot: Arrival(self.first, "here" if self.marked else "junction")})]
        if state == OUT:
            return [(1, {slot: Arrival(OUT, OUT)})]
        last = len(self.pays) - 2
        if action == CONTINUE and state < last:
            return [(1, {slot: Arrival(state + 1, "junction")})]
        return [(1, {slot: Arrival(OUT, OUT, self.pays[state + (action == CONTINUE)])})]


def best(pays: tuple[Fraction, ...]) -> MemorylessPlan:
    """Return the best policy without memory."""
    road = Road(pays)
    return best_memoryless(road, horizon=road.length)


def continuing(plan: MemorylessPlan) -> Any:
    """Return the probability of continuing at a junction."""
    return plan.policy["junction"].get(CONTINUE, Fraction(0))


def with_memory(pays: tuple[Fraction, ...]) -> Fraction:
    """Return what a driver with a memory gets."""
    road = Road(pays)
    return Fraction(plan_for_copies(road, discount=1, horizon=road.length).value)


def worth(pays: tuple[Fraction, ...], p: Fraction) -> Fraction:
    """Return what continuing with probability p is worth, by the engine."""
    road = Road(pays)
    return memoryless_worth(road, _policy(p), horizon=road.length)


def _policy(p: Fraction, here: Fraction | None = None) -> Mapping[Hashable, Mapping[Hashable, Fraction]]:
    mixed: Mapping[Hashable, Fraction] = {EXIT: 1 - p, CONTINUE: p}
    first: Mapping[Hashable, Fraction] = mixed if here is None else {EXIT: 1 - here, CONTINUE: here}
    return {None: {CONTINUE: Fraction(1)}, "here": first, "junction": mixed, OUT: {EXIT: Fraction(1)}}


def planned_again(pays: tuple[Fraction, ...], credence: Fraction) -> Any:
    """Return the probability of continuing that a driver at a junction would choose for both junctions.

    Args:
        pays: what the exits and the end of the road are worth.
        credence: how likely she finds it that this is the first junction.
    """
    both = Mixture((Road(pays), Road(pays, first=1)), (credence, 1 - credence))
    return continuing(best_memoryless(both, horizon=len(pays)))


def here_and_now(pays: tuple[Fraction, ...], credence: Fraction, p: Fraction, here: Fraction) -> Fraction:
    """Return what continuing with probability `here` at this junction is worth, if it is p at the other."""
    roads = (Road(pays, marked=True), Road(pays, first=1, marked=True))
    return memoryless_worth(Mixture(roads, (credence, 1 - credence)), _policy(p, here), horizon=len(pays))
