"""Kernels: history-based multi-slot environments that one can compute with (Orseau 2014, Def. 9).

The copies of a slot and their observations depend only on the history of its agent and on slot numbers. A kernel gives
them as a finite list of outcomes for each (slot, hidden state, action):
``(probability, {target slot: Arrival(next state, observation, reward)})``. One outcome is one copy set with the
observations of its members; an empty mapping deletes the agent. Different slots draw independently.

Ints and Fractions stay exact; other numbers become floats.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite, nan
from numbers import Integral
from typing import NamedTuple, Protocol, TypeAlias

from multislot.checks import checked_hashable, checked_items, checked_mapping, checked_parts, refusal, whole
from multislot.errors import show_value
from multislot.exact.files.affine import NotLinearError, is_moving

Number: TypeAlias = Fraction | float

PROBABILITY_TOLERANCE = 1e-9


class Arrival(NamedTuple):
    """The arrival of one copy in its slot.

    Args:
        state: the hidden state of the slot; the agent does not see it.
        observation: what the copy observes. Its history holds only this and its action.
        reward: the reward of the observation, ``r(o)``. An agent knows it only as far as the observation shows it.
    """

    state: Hashable
    observation: Hashable
    reward: Number = 0


Outcome: TypeAlias = tuple[Number, Mapping[int, Arrival]]  # a plain tuple (state, observation, reward) is allowed too


class Kernel(Protocol):
    """The interface of a history-based world that one can compute with (Orseau 2014, Definition 9).

    If nobody is copied or deleted, it is a POMDP: hidden states, observations, rewards.
    """

    @property
    def actions(self) -> Sequence[Hashable]:
        """The actions; ties between them go to the first."""

    @property
    def start(self) -> Mapping[int, Hashable]:
        """The hidden state of each slot occupied at t = 0; in the paper this is slot 1 only."""

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterable[Outcome]:
        """List the possible outcomes for the agent in `slot`: probabilities that sum to 1, each with its arrivals."""


def exact(number: object, what: str = "number") -> Number:
    """Return ints (of any kind) and Fractions as Fraction, everything else as float."""
    if isinstance(number, Fraction) or is_moving(number):
        return number  # type: ignore[return-value]  # a number that moves passes for one
    if isinstance(number, Integral):
        return Fraction(int(number))
    try:
        value = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        value = nan
    if not isfinite(value):
        raise refusal(what, number, "a finite number")
    return value


@dataclass(frozen=True)
class CheckedKernel:
    """A kernel with checked answers. Each is made exact if possible, and is asked for once.

    With `in_fractions` float probabilities become Fractions that sum to 1 exactly.
    """

    kernel: Kernel
    in_fractions: bool = False
    actions: tuple[Hashable, ...] = field(init=False)
    start: Mapping[int, Hashable] = field(init=False)
    _known: dict[tuple[int, Hashable, Hashable], tuple[Outcome, ...]] = field(default_factory=dict, repr=False)
    _chances: set[type] = field(default_factory=set, repr=False)
    _rewards: set[type] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        checked_parts("kernel", self.kernel, "actions", "start", "outcomes")
        actions = tuple(checked_items("kernel.actions", self.kernel.actions, object))
        start = dict(checked_mapping("kernel.start", self.kernel.start))
        for action in actions:
            checked_hashable("kernel.actions", action)
        if not actions or len(set(actions)) < len(actions):
            raise refusal("kernel.actions", actions, "at least one action, each once")
        if not start:
            raise refusal("kernel.start", start, "at least one occupied slot, {slot: hidden state}")
        for slot, state in start.items():
            check_slot(slot, "kernel.start")
            checked_hashable(f"kernel.start[{slot}]", state)
        object.__setattr__(self, "actions", actions)
        object.__setattr__(self, "start", start)

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> tuple[Outcome, ...]:
        """Return the possible outcomes without those of probability 0."""
        key = slot, state, action
        if key not in self._known:
            outcomes = tuple(_checked(self.kernel.outcomes(slot, state, action), key))
            for probability, arrivals in outcomes:
                self._chances.add(type(probability))
                self._rewards.update(type(arrival.reward) for arrival in arrivals.values())
            if self.in_fractions:
                total = sum((Fraction(probability) for probability, _ in outcomes), Fraction())
                outcomes = tuple((Fraction(probability) / total, arrivals) for probability, arrivals in outcomes)
            self._known[key] = outcomes
        return self._known[key]

    @property
    def is_exact(self) -> bool:
        """Whether all numbers met so far were ints or Fractions."""
        return self.has_exact_chances and float not in self._rewards

    @property
    def has_exact_chances(self) -> bool:
        """Whether all probabilities met so far were ints or Fractions."""
        return float not in self._chances


def checked_kernel(kernel: Kernel) -> CheckedKernel:
    """Return a kernel with checked answers, which are asked for once."""
    return kernel if isinstance(kernel, CheckedKernel) else CheckedKernel(kernel)


def checked_history(history: Iterable[object]) -> tuple[tuple[Hashable, Hashable], ...]:
    """Return a history as pairs of action and observation."""
    if isinstance(history, str) or not isinstance(history, Iterable):
        raise refusal("history", history, "a sequence of (action, observation) pairs")
    pairs = []
    for place, pair in enumerate(history):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise refusal(f"history[{place}]", pair, "a pair (action, observation)")
        pairs.append(checked_hashable(f"history[{place}]", (pair[0], pair[1])))
    return tuple(pairs)


def check_slot(slot: object, where: str = "") -> None:
    """Check that a slot is a positive integer; `where` names what holds it (Orseau 2014, Def. 1)."""
    whole(f"slot in {where}" if where else "slot", slot)


def _checked(outcomes: Iterable[Outcome], key: tuple[int, Hashable, Hashable]) -> Iterator[Outcome]:
    where = "kernel.outcomes({}, {}, {})".format(*map(show_value, key))
    total: Number = Fraction()
    if not isinstance(outcomes, Iterable):
        raise refusal(where, outcomes, "a list of (probability, {slot: Arrival})")
    for outcome in outcomes:
        if not isinstance(outcome, tuple | list) or len(outcome) != 2 or not isinstance(outcome[1], Mapping):
            raise refusal(f"outcome in {where}", outcome, "(probability, {slot: Arrival})")
        chance, arrivals = outcome
        probability = exact(chance, f"probability in {where}")
        if is_moving(probability):
            raise NotLinearError("a probability moves")
        if not probability >= 0:
            raise refusal(f"probability in {where}", probability, "a finite number, at least 0")
        total += probability
        if probability:
            checked = {}
            for slot, arrival in arrivals.items():
                check_slot(slot, where)
                if not isinstance(arrival, tuple | list) or not 2 <= len(arrival) <= 3:
                    raise refusal(f"arrival in {where}", arrival, "Arrival(state, observation, reward)")
                state, observation, reward = Arrival(*arrival)
                checked_hashable(f"hidden state in {where}", state)
                checked_hashable(f"observation in {where}", observation)
                checked[slot] = Arrival(state, observation, exact(reward, f"reward in {where}"))
            yield probability, checked
    tolerance = 0 if isinstance(total, Fraction) else PROBABILITY_TOLERANCE
    if not -tolerance <= total - 1 <= tolerance:
        raise refusal(f"sum of probabilities in {where}", total, "1")
