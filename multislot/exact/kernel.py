"""Kernels: history-based multi-slot environments that one can compute with (Orseau 2014, Def. 9).

What a slot is copied to, and what those copies observe, depends only on the history of the agent in it and on slot
numbers. A kernel writes that as a finite list of outcomes for each (slot, hidden state, action):
``(probability, {target slot: Arrival(next state, observation, reward)})``. One outcome is one copy set with the
observations that its members receive; an empty mapping deletes the agent. Different slots draw independently.

Numbers are exact wherever they are ints or Fractions, and floats otherwise.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from numbers import Integral
from typing import NamedTuple, Protocol, TypeAlias

from multislot.errors import SettingError
from multislot.exact.affine import NotLinearError, is_moving

Number: TypeAlias = Fraction | float

PROBABILITY_TOLERANCE = 1e-9


class Arrival(NamedTuple):
    """What one copy finds where it arrives.

    Args:
        state: the hidden state of its slot; the agent does not see it.
        observation: what it observes; this and its action is all that its history keeps.
        reward: what that observation is worth, ``r(o)``. An agent can condition on it only as far as its
            observation tells it.
    """

    state: Hashable
    observation: Hashable
    reward: Number = 0


Outcome: TypeAlias = tuple[Number, Mapping[int, Arrival]]  # a plain (state, observation, reward) will do, too


class Kernel(Protocol):
    """What a history-based world must provide to be computed with."""

    @property
    def actions(self) -> Sequence[Hashable]:
        """The actions; ties between them go to the first."""

    @property
    def start(self) -> Mapping[int, Hashable]:
        """The hidden state of each slot that holds an agent at t = 0; the paper has slot 1 alone."""

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterable[Outcome]:
        """List what may happen to the agent in `slot`: probabilities that sum to 1, each with its arrivals."""


def exact(number: object, what: str = "number") -> Number:
    """Return ints (of any kind) and Fractions as Fraction, everything else as float.

    Raises:
        SettingError: it is not a finite number; `what` names it.
    """
    if isinstance(number, Fraction) or is_moving(number):
        return number  # type: ignore[return-value]  # a number that moves passes for one
    if isinstance(number, Integral):
        return Fraction(int(number))
    try:
        value = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise SettingError(f"{what} is {number!r}; a number is needed") from None
    if not isfinite(value):
        raise SettingError(f"{what} is {value}; a finite number is needed")
    return value


@dataclass(frozen=True)
class CheckedKernel:
    """A kernel whose answers are checked, made exact where they can be, and asked for once.

    Raises:
        SettingError: there is no action, two are equal, no slot is occupied, one is not a positive integer, or an
            action or state is not hashable.
    """

    kernel: Kernel
    actions: tuple[Hashable, ...] = field(init=False)
    start: Mapping[int, Hashable] = field(init=False)
    _known: dict[tuple[int, Hashable, Hashable], tuple[Outcome, ...]] = field(default_factory=dict, repr=False)
    _chances: set[type] = field(default_factory=set, repr=False)
    _rewards: set[type] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        actions, start = tuple(self.kernel.actions), dict(self.kernel.start)
        for action in actions:
            check_hashable(action, "a kernel's list of actions")
        if not actions or len(set(actions)) < len(actions):
            raise SettingError(f"a kernel's actions are {actions}; at least one is needed, each once")
        if not start:
            raise SettingError("a kernel starts with no occupied slot; start is {slot: hidden state}")
        for slot, state in start.items():
            check_slot(slot, "the start")
            check_hashable(state, f"the start's slot {slot}")
        object.__setattr__(self, "actions", actions)
        object.__setattr__(self, "start", start)

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> tuple[Outcome, ...]:
        """Return the possible outcomes, with those of probability 0 left out.

        Raises:
            SettingError: a probability is negative, they do not sum to 1, a target slot is not a positive integer,
                something is not of the form (probability, {slot: Arrival}), or a state or observation not hashable.
        """
        key = slot, state, action
        if key not in self._known:
            self._known[key] = tuple(_checked(self.kernel.outcomes(slot, state, action), key))
            for probability, arrivals in self._known[key]:
                self._chances.add(type(probability))
                self._rewards.update(type(found.reward) for found in arrivals.values())
        return self._known[key]

    @property
    def is_exact(self) -> bool:
        """Whether all numbers met so far were ints or Fractions."""
        return self.has_exact_chances and float not in self._rewards

    @property
    def has_exact_chances(self) -> bool:
        """Whether all probabilities met so far were ints or Fractions."""
        return float not in self._chances


@dataclass(frozen=True)
class InFractions:
    """A kernel with all probabilities as Fractions that sum to 1 exactly.

    Args:
        kernel: the kernel, whose own probabilities may be floats.
    """

    kernel: CheckedKernel

    @property
    def actions(self) -> Sequence[Hashable]:
        """The kernel's actions."""
        return self.kernel.actions

    @property
    def start(self) -> Mapping[int, Hashable]:
        """The kernel's start."""
        return self.kernel.start

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterator[Outcome]:
        """Yield the kernel's outcomes."""
        found = self.kernel.outcomes(slot, state, action)
        total = sum((Fraction(probability) for probability, _ in found), Fraction())
        for probability, arrivals in found:
            yield Fraction(probability) / total, arrivals


def checked_history(history: Iterable[object]) -> tuple[tuple[Hashable, Hashable], ...]:
    """Return a history as pairs of action and observation.

    Raises:
        SettingError: it does not consist of such pairs.
    """
    if isinstance(history, str) or not isinstance(history, Iterable):
        raise SettingError(f"the history is {history!r}; a sequence of (action, observation) pairs is needed")
    pairs = []
    for step, pair in enumerate(history, start=1):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise SettingError(f"step {step} of the history is {pair!r}; a pair (action, observation) is needed")
        pairs.append((pair[0], pair[1]))
    try:
        hash(tuple(pairs))
    except TypeError:
        for step, known in enumerate(pairs, start=1):
            check_hashable(known, f"step {step} of the history")
    return tuple(pairs)


def check_hashable(given: object, where: str) -> None:
    """Check that an action, hidden state or observation can be looked up.

    Raises:
        SettingError: it is not hashable; `where` says whose it is.
    """
    try:
        hash(given)
    except TypeError:
        raise SettingError(
            f"{where} holds {given!r}, which is not hashable; use numbers, strings or tuples, not lists or arrays"
        ) from None


def check_slot(slot: object, where: str) -> None:
    """Check that a slot is a positive integer.

    Raises:
        SettingError: it is not; `where` says whose it is.
    """
    if isinstance(slot, bool) or not isinstance(slot, Integral) or int(slot) < 1:
        raise SettingError(f"{where} names slot {slot!r}; slots are positive integers (Orseau 2014, Def. 1)")


def _checked(outcomes: Iterable[Outcome], key: tuple[int, Hashable, Hashable]) -> Iterator[Outcome]:
    where = "the kernel's outcomes of slot {}, state {!r}, action {!r}".format(*key)
    total: Number = Fraction()
    for outcome in outcomes:
        if not isinstance(outcome, tuple | list) or len(outcome) != 2 or not isinstance(outcome[1], Mapping):
            raise SettingError(f"{where} hold {outcome!r}; (probability, {{slot: Arrival}}) is needed")
        given, arrivals = outcome
        probability = exact(given, f"a probability in {where}")
        if is_moving(probability):
            raise NotLinearError("a probability moves")
        if not probability >= 0:
            raise SettingError(f"{where} hold the probability {probability}; it may not be negative")
        total += probability
        if probability:
            yield probability, {slot: _checked_arrival(slot, arrivals[slot], where) for slot in arrivals}
    tolerance = 0 if isinstance(total, Fraction) else PROBABILITY_TOLERANCE
    if not -tolerance <= total - 1 <= tolerance:
        raise SettingError(f"{where} have probabilities that sum to {total}; they must sum to 1")


def _checked_arrival(slot: int, arrival: Arrival, where: str) -> Arrival:
    check_slot(slot, where)
    if not isinstance(arrival, tuple | list) or not 2 <= len(arrival) <= 3:
        raise SettingError(f"{where} hold the arrival {arrival!r}; Arrival(state, observation, reward) is needed")
    state, observation, reward = Arrival(*arrival)
    check_hashable(state, f"{where}: the hidden state")
    check_hashable(observation, f"{where}: the observation")
    return Arrival(state, observation, exact(reward, f"a reward in {where}"))
