"""Finite distributions over what others' futures may be: value functions, reward functions and options.

Alizadeh Alamdari et al. 2021: P(V) over value functions (section 3.1), P(V_ij) for each agent i (section 3.2), P(r_ij)
over reward functions (section 3.3), P(I) over the initiation sets of options ⟨I, π, β⟩ (appendix A). Numbers may be of
any real kind; results from integers and fractions are exact.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from numbers import Rational, Real
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from multislot.checks import (
    checked_callable,
    checked_hashable,
    checked_index,
    checked_items,
    number,
    refusal,
    wrong_type,
)
from multislot.errors import SettingError, show_value

Number: TypeAlias = int | float | Fraction
State: TypeAlias = Any
AgentName: TypeAlias = Hashable
ValueFunction: TypeAlias = Callable[[State], Number]
"""What a state is worth to an agent."""
RewardFunction: TypeAlias = Callable[[State, Any, State], Number]
"""What an agent is paid for a transition: (state, action, next state)."""
Item = TypeVar("Item")

ROUNDING = 1e-9
"""How far from 1 the sum of probabilities may be, if they are not all rational."""
MOST_ITEMS = 2**16
"""The largest number of items of a uniform distribution."""
MOST_STATES = 10**7
"""The largest initiation set of an option that is given as a set."""


def is_finite(value: object) -> bool:
    """Whether ``value`` is a finite real number; of any size, if it is rational."""
    if type(value) is float:  # evaluated at every step, and isinstance is slow with abstract classes
        return math.isfinite(value)
    return isinstance(value, Rational) or (isinstance(value, Real) and math.isfinite(value))


def value_at(function: Callable[..., Any], *arguments: Any) -> Any:
    """Evaluate a value function at a state, or a reward function at a step; NumPy's integers become Python's."""
    value = function(*arguments)
    if not is_finite(value):
        remedy = "; .item() makes a number of an array or a tensor" if hasattr(value, "item") else ""
        raise SettingError(
            f"{show_value(function)} gave {show_value(value)} for {show_value(arguments)}; expected a finite number"
            f"{remedy}"
        )
    return int(value) if isinstance(value, np.integer) else value


def check_probabilities(name: str, probabilities: Sequence[Number]) -> None:
    """Refuse probabilities of which one is negative, or whose sum is not 1."""
    for index, probability in enumerate(probabilities):
        number(f"{name}[{index}]", probability, 0)
    total = sum(probabilities)
    if total != 1 if isinstance(total, Rational) else abs(total - 1) > ROUNDING:
        raise refusal(name, probabilities, "a sum of 1", f"their sum is {total}")


@dataclass(frozen=True)
class Distribution(Generic[Item]):
    """A finite probability distribution over value functions, reward functions or options.

    With rational probabilities and rational values every expectation is a rational number, exactly.

    Args:
        items: the possible functions or options.
        probabilities: one for each item, none negative; they sum to 1, exactly if all are rational, within
            `ROUNDING` otherwise.
    """

    items: tuple[Item, ...]
    probabilities: tuple[Number, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "probabilities", tuple(self.probabilities))
        if not self.items or len(self.items) != len(self.probabilities):
            raise SettingError(
                f"got {len(self.items)} items and {len(self.probabilities)} probabilities; expected at least one item "
                "and a probability for each"
            )
        check_probabilities("probabilities", self.probabilities)

    @classmethod
    def certain(cls, item: Item) -> "Distribution[Item]":
        """Return the distribution in which ``item`` has probability 1."""
        return cls((item,), (1,))

    @classmethod
    def uniform(cls, items: Iterable[Item]) -> "Distribution[Item]":
        """Return a distribution in which every item has the same probability, as a fraction."""
        items = tuple(islice(items, MOST_ITEMS + 1))
        if len(items) > MOST_ITEMS:
            raise SettingError(f"got more than {MOST_ITEMS} items; give fewer")
        return cls(items, (Fraction(1, max(len(items), 1)),) * len(items))

    @classmethod
    def pooled(cls, distributions: Sequence["Distribution[Item]"]) -> "Distribution[Item]":
        """Return the mixture of ``distributions`` with equal weights."""
        distributions = checked_items("distributions", distributions, Distribution)
        weight = Fraction(1, max(len(distributions), 1))
        pairs = [(item, weight * p) for d in distributions for item, p in zip(d.items, d.probabilities, strict=True)]
        return cls(tuple(item for item, _ in pairs), tuple(probability for _, probability in pairs))

    def support(self) -> Iterator[tuple[Number, Item]]:
        """Yield (probability, item) for every item of positive probability."""
        for probability, item in zip(self.probabilities, self.items, strict=True):
            if probability > 0:
                yield probability, item

    def expect(self, function: Callable[[Item], Number]) -> Number:
        """Return the expectation of ``function(item)``; it is not called for items of probability 0."""
        if self.probabilities == (1,):  # this common case is evaluated at every step
            return function(self.items[0])
        return sum(probability * function(item) for probability, item in self.support())


@dataclass(frozen=True)
class Table:
    """A value function from a table: ``Table(values)(state)`` is ``values[state]``.

    Args:
        values: a mapping from states to numbers, or an array [S] if states are indices.
    """

    values: Mapping[Any, Number] | Sequence[Number] | NDArray[Any]

    def __call__(self, state: State) -> Number:
        """Return the value of ``state``; a state that is not in the table raises SettingError."""
        try:
            is_named = isinstance(self.values, Mapping)
            value: Any = self.values[state if is_named else checked_index("state", state, len(self.values))]
        except (LookupError, TypeError, SettingError):
            raise refusal("state", state, "a state in the table of values", "give every end state a value") from None
        return value  # type: ignore[no-any-return]  # numbers of every kind are checked where they are used


@dataclass(frozen=True)
class Option:
    """An option ⟨I, π, β⟩ (appendix A, after Sutton et al. 1999), optionally with a value function.

    Equation 7 looks at the initiation set alone, equation 8 at the value function as well. Neither needs π or β;
    `considerate.futures.option_values` computes V from them.

    Args:
        initiation: the set I of states where the option can start, or its indicator function.
        value: V, the expected return of an agent that starts the option in a state.
    """

    initiation: Callable[[State], bool] | Iterable[State]
    value: ValueFunction | None = None

    def __post_init__(self) -> None:
        if self.value is not None:
            checked_callable("value", self.value, "a function of states", "Table(values) makes one of a table")
        if callable(self.initiation):
            return
        if not isinstance(self.initiation, Iterable):
            raise wrong_type("initiation", self.initiation, "a set of states, or a function of a state")
        remedy = "give a function that says whether a state is in the set"
        states = list(islice(self.initiation, MOST_STATES + 1))
        if len(states) > MOST_STATES:
            raise refusal("initiation", self.initiation, f"at most {MOST_STATES} states", remedy)
        try:
            object.__setattr__(self, "initiation", frozenset(states))
        except TypeError:  # a state cannot be hashed
            raise wrong_type("initiation", self.initiation, "hashable states", remedy) from None

    def can_start(self, state: State) -> bool:
        """Whether ``state`` is in the initiation set."""
        if callable(self.initiation):
            return bool(self.initiation(state))
        return checked_hashable("state", state, "give the initiation set as a function") in self.initiation


def as_distribution(future: Any) -> Distribution[Any]:
    """Return one agent's future as a distribution.

    Args:
        future: a `Distribution`; or a single value function, reward function, `Option` or table of values (a mapping
            from states), which is then certain; or a sequence of (probability, one of those).
    """
    if isinstance(future, Distribution):
        return future
    if callable(future) or isinstance(future, Option):
        return Distribution.certain(future)
    if isinstance(future, Mapping):
        return Distribution.certain(Table(future))
    try:
        pairs = [(probability, item) for probability, item in future]
    except (TypeError, ValueError):
        expected = (
            "a Distribution, a function, an Option, a table of values, or pairs of a probability and one of those"
        )
        raise refusal("future", future, expected) from None
    items = tuple(Table(item) if isinstance(item, Mapping) else item for _, item in pairs)
    return Distribution(items, tuple(probability for probability, _ in pairs))
