"""Values as text: the keys that distinguish cells, and the JSON in which results are stored."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from multislot.checks import refusal
from multislot.errors import SettingError, show_value

MOST_NUMBERS = 2**24
"""The largest number of entries of an array that is kept as JSON."""


def as_json(value: object, default: Callable[[Any], object] | None = None) -> str:
    """Return a value as JSON: keys sorted, fractions as ``"3/4"``, NumPy's numbers as plain ones.

    Args:
        value: what is written.
        default: writes what JSON lacks; by default dataclasses become their fields.
    """
    encoder = json.JSONEncoder(sort_keys=True, default=default or fields_of, separators=(",", ":"))
    try:
        return encoder.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingError(f"{error}; only JSON values can be kept") from None


def fields_of(value: Any) -> object:
    """A dataclass as its fields; all else as `plain`."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return plain(value)


def _named_fields(value: Any) -> object:
    """A dataclass as its name and its fields: two kinds with the same fields are different settings."""
    written = fields_of(value)
    return (
        {"class": type(value).__qualname__, **written} if is_dataclass(value) and isinstance(written, dict) else written
    )


def plain(value: Any) -> object:
    """A fraction as text, an array as lists; raises TypeError for all else."""
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars alike
        if getattr(value, "size", 0) > MOST_NUMBERS:  # a broadcast array of any size takes no memory
            raise ValueError(f"got an array of {value.size} numbers, more than {MOST_NUMBERS}")
        return value.tolist()
    raise TypeError(f"got {show_value(value)} of type {type(value).__name__}")


def cell_key(cell: Any) -> str:
    """The name under which a cell's result is kept: its dataclass and its fields as JSON, those inside likewise."""
    if not is_dataclass(cell) or isinstance(cell, type):
        raise refusal("cell", cell, "an object of a frozen dataclass")
    return f"{type(cell).__name__} {as_json(fields_of(cell), _named_fields)}"
