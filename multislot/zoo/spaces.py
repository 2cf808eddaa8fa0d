"""Gymnasium spaces as indices: the engine's observations and actions are numbers in a range.

`FiniteSpace` numbers the values of Discrete, MultiDiscrete, MultiBinary, Tuple and Dict spaces. A value is a row
of digits, each with a base of its own; its index is the number that the digits write, the first digit the highest.
Observations in any other space need an *encoder*; `Bins` is the one for boxes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from operator import index
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces

from multislot.checks import checked_float, checked_index, checked_items, checked_parts, python_number, refusal, whole
from multislot.errors import SettingError, show_value

__all__ = ["Bins", "Encoder", "FiniteSpace", "encoder_of", "index_of"]

LARGEST_COUNT = 2**31
"""The largest number of values of a space, so that tables over them stay possible."""

WRAP = "wrap the environment so that it has one"
INSIDE = "give limits of your own: a point outside them is in the outermost bin"
ENCODE = "or give an encoder, such as Bins(low, high, counts), that turns observations into indices"


class Encoder(Protocol):
    """Any callable that turns an observation into an index in ``range(n_observations)``."""

    @property
    def n_observations(self) -> int:
        """The number of indices."""
        ...

    def __call__(self, observation: Any, /) -> int:
        """Return the index of `observation`."""
        ...


class FiniteSpace:
    """Numbers the values of a finite Gymnasium space; it is an `Encoder` of them.

    Args:
        what: name of the values in messages: ``"observation"``, ``"action of 'player_0'"``.
        space: Discrete, MultiDiscrete, MultiBinary, or Tuple or Dict of these.
        remedy: the advice for a space that is not finite.

    Attributes:
        count: the number of values.
    """

    def __init__(self, what: str, space: "spaces.Space[Any]", remedy: str = WRAP) -> None:
        bases = _bases(space)
        if bases is None:
            raise SettingError(
                f"got the {what} space {space}; expected a finite one: Discrete, MultiDiscrete, MultiBinary, or Tuple "
                f"or Dict of these; {remedy}"
            )
        self.what, self.space, self.bases, self.count = what, space, bases, prod(bases)
        if self.count > LARGEST_COUNT:
            raise SettingError(
                f"got the {what} space {space} of {self.count} values; expected at most {LARGEST_COUNT}; {remedy}"
            )

    @property
    def n_observations(self) -> int:
        """The number of values, under the name that encoders have for it."""
        return self.count

    def __call__(self, value: Any) -> int:
        """Return the index of a value."""
        try:
            digits = list(_digits(self.space, value))
        except (TypeError, ValueError, KeyError, IndexError, OverflowError):
            digits = []
        inside = len(digits) == len(self.bases)
        number = 0
        for digit, base in zip(digits, self.bases, strict=False):
            inside = inside and 0 <= digit < base
            number = number * base + digit
        if not inside:
            raise SettingError(f"got the {self.what} {show_value(value)}; expected one in {self.space}")
        return number

    def value(self, index: int) -> Any:
        """Return the value of an index."""
        digits, index = [], checked_index("index", index, self.count)
        for base in reversed(self.bases):
            index, digit = divmod(index, base)
            digits.append(digit)
        return _value(self.space, reversed(digits))

    def describe(self, index: int) -> str:
        """Return the value of an index as text."""
        return str(_plain(self.value(index)))


@dataclass(frozen=True)
class Bins:
    """Cuts a box into equal bins along each axis; a point outside is in the outermost bin.

    Attributes:
        low: where the first bin begins, one number an axis.
        high: where the last bin ends.
        counts: the number of bins along each axis; 1 ignores the axis.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("low", "high", "counts"):
            values = checked_items(name, getattr(self, name), object)
            object.__setattr__(self, name, tuple(map(python_number, values)))
        if not len(self.low) == len(self.high) == len(self.counts) or not len(self.counts):
            lengths = f"{len(self.low)}, {len(self.high)} and {len(self.counts)}"
            raise SettingError(f"got low, high and counts of {lengths} entries; expected one entry an axis in each")
        for count in self.counts:
            whole("counts", count)
        if self.n_observations > LARGEST_COUNT:
            raise refusal("counts", self.counts, f"at most {LARGEST_COUNT} bins in all")
        for axis, (first, last) in enumerate(zip(self.low, self.high, strict=True)):
            low = checked_float(f"low[{axis}]", first, remedy=INSIDE)
            high = checked_float(f"high[{axis}]", last, remedy=INSIDE)
            checked_float(f"high[{axis}] - low[{axis}]", high - low, above=0, remedy=INSIDE)

    @property
    def n_observations(self) -> int:
        """The number of bins in all."""
        return prod(self.counts)

    def __call__(self, observation: Any) -> int:
        """Return the index of the bin that `observation`, shape [axes], lies in."""
        low, high, counts = np.array(self.low, float), np.array(self.high, float), np.array(self.counts)
        try:
            point = np.atleast_1d(np.asarray(observation, dtype=float))
        except (TypeError, ValueError):  # it is a mapping, or ragged
            point = np.empty(0)
        if point.shape != low.shape or np.isnan(point).any():
            raise SettingError(
                f"got observation {show_value(observation)}; expected {len(counts)} numbers, none of them NaN"
            )
        places = np.clip((point - low) / (high - low) * counts, 0, counts - 1).astype(int)
        return int(np.ravel_multi_index(tuple(places), self.counts))


def encoder_of(space: "spaces.Space[Any]", whose: str, encoder: Encoder | None = None) -> Encoder:
    """Return an encoder; without one, that of a finite space of observations."""
    if encoder is None:
        return FiniteSpace(f"observation of {whose}", space, f"{WRAP}, {ENCODE}")
    name = f"encoder of {whose}"
    checked_parts(name, encoder, "n_observations", "__call__", remedy="Bins(low, high, counts) makes one")
    whole(f"n_observations of the {name}", encoder.n_observations)
    return encoder


def index_of(encoder: Encoder, observation: Any, whose: str) -> int:
    """Return the index of an observation."""
    number = encoder(observation)
    try:
        return whole("index", number, 0, encoder.n_observations - 1)
    except SettingError:
        raise SettingError(
            f"the encoder of {whose} makes {show_value(number)} of {show_value(observation)}; expected one of "
            f"range({encoder.n_observations}), its n_observations"
        ) from None


def _parts(space: Any) -> list[tuple[Any, Any]]:
    """The (key, space) pairs of a space that is made of others, in order."""
    return list(space.spaces.items()) if isinstance(space, spaces.Dict) else list(enumerate(space.spaces))


def _bases(space: Any) -> tuple[int, ...] | None:
    """The number of values of each digit; None where a space is not finite."""
    if isinstance(space, spaces.Discrete):
        return (int(space.n),)
    if isinstance(space, spaces.MultiDiscrete):
        return tuple(space.nvec.ravel().tolist())
    if isinstance(space, spaces.MultiBinary):
        return (2,) * prod(space.shape)
    if not isinstance(space, (spaces.Tuple, spaces.Dict)):
        return None
    inner = [_bases(part) for _, part in _parts(space)]
    return None if None in inner else tuple(base for bases in inner if bases is not None for base in bases)


def _digits(space: Any, value: Any) -> Iterator[int]:
    """Yield the digits of a value."""
    if isinstance(space, spaces.Discrete):
        yield index(value) - int(space.start)
        return
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        for key, part in _parts(space):
            yield from _digits(part, value[key])
        return
    array = np.asarray(value)
    if array.shape != space.shape or not (array == np.floor(array)).all():
        raise ValueError(value)
    yield from map(int, (array - getattr(space, "start", 0)).ravel().tolist())


def _value(space: Any, digits: Iterator[int]) -> Any:
    """The value whose digits come next."""
    if isinstance(space, spaces.Tuple):
        return tuple(_value(part, digits) for part in space.spaces)
    if isinstance(space, spaces.Dict):
        return {key: _value(part, digits) for key, part in _parts(space)}
    if isinstance(space, spaces.Discrete):
        return next(digits) + int(space.start)
    row = np.array([next(digits) for _ in range(prod(space.shape))], dtype=space.dtype).reshape(space.shape)
    return row + getattr(space, "start", np.zeros_like(row))


def _plain(value: Any) -> Any:
    """A value with plain Python numbers instead of NumPy's."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
