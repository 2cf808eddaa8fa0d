"""Finite Gymnasium spaces as indices: Discrete, MultiDiscrete, MultiBinary, and Tuple and Dict of these.

A value is a row of digits, each with a base of its own; its index is the number that they write, the first the highest.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from gymnasium import spaces

from multislot.errors import SettingError

MOST_VALUES = 2**31
"""Indices beyond are beyond any table, too."""


class FiniteSpace:
    """The values of a finite Gymnasium space, counted.

    Args:
        what: the space, for people.
        space: Discrete, MultiDiscrete, MultiBinary, or Tuple or Dict of these.

    Attributes:
        count: number of values.

    Raises:
        SettingError: if it is another space, or has over `MOST_VALUES` values.
    """

    def __init__(self, what: str, space: Any) -> None:
        bases = _bases(space)
        if bases is None:
            raise SettingError(
                f"the {what} space is {space}, expected a finite one: Discrete, MultiDiscrete, MultiBinary, or Tuple "
                "or Dict of these; wrap the environment so that it has one"
            )
        self.what, self.space, self.bases, self.count = what, space, bases, prod(bases)
        if self.count > MOST_VALUES:
            raise SettingError(f"the {what} space {space} has {self.count} values, expected at most {MOST_VALUES}")

    def index(self, value: Any) -> int:
        """Returns the index of a value.

        Raises:
            SettingError: if it is not in the space.
        """
        try:
            digits = list(_digits(self.space, value))
        except (TypeError, ValueError, KeyError, IndexError):
            digits = []
        index = 0
        for digit, base in zip(digits, self.bases, strict=False):
            index = index * base + digit
        inside = all(0 <= digit < base for digit, base in zip(digits, self.bases, strict=False))
        if len(digits) != len(self.bases) or not inside:
            raise SettingError(f"got the {self.what} {value!r}, expected one in {self.space}")
        return index

    def value(self, index: int) -> Any:
        """Returns the value of an index."""
        digits = []
        for base in reversed(self.bases):
            index, digit = divmod(index, base)
            digits.append(digit)
        return _value(self.space, reversed(digits))

    def describe(self, index: int) -> str:
        """Returns the value of an index in words."""
        return str(_plain(self.value(index)))


def _parts(space: Any) -> list[tuple[Any, Any]]:
    """The (key, space) pairs of a space that is made of others, in order."""
    return list(space.spaces.items()) if isinstance(space, spaces.Dict) else list(enumerate(space.spaces))


def _bases(space: Any) -> tuple[int, ...] | None:
    """How many values each digit has; None where a space is not finite."""
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
    """The digits of a value."""
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        for key, part in _parts(space):
            yield from _digits(part, value[key])
        return
    given = np.asarray(value)
    if given.shape != space.shape or not (given == np.floor(given)).all():
        raise ValueError(value)
    yield from map(int, (given - getattr(space, "start", 0)).ravel().tolist())


def _value(space: Any, digits: Iterator[int]) -> Any:
    """The value that the next digits write."""
    if isinstance(space, spaces.Tuple):
        return tuple(_value(part, digits) for part in space.spaces)
    if isinstance(space, spaces.Dict):
        return {key: _value(part, digits) for key, part in _parts(space)}
    if isinstance(space, spaces.Discrete):
        return next(digits) + int(space.start)
    row = np.array([next(digits) for _ in range(prod(space.shape))], dtype=space.dtype).reshape(space.shape)
    return row + getattr(space, "start", np.zeros_like(row))


def _plain(value: Any) -> Any:
    """A value without NumPy's names in it."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
