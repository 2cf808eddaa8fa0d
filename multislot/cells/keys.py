"""One text for one value: how cells are told apart and how their results are kept."""

import json
from dataclasses import asdict
from fractions import Fraction
from typing import Any


def as_json(value: object) -> str:
    """Return a value as JSON: keys sorted, fractions as ``"3/4"``, NumPy's numbers as plain ones.

    Raises:
        TypeError: it holds something else that JSON has no form for.
    """
    return json.dumps(value, sort_keys=True, default=_plain, separators=(",", ":"))


def _plain(value: Any) -> object:
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars alike
        return value.tolist()
    raise TypeError(f"a cell's result holds {value!r} of type {type(value).__name__}; only JSON values can be kept")


def cell_key(cell: Any) -> str:
    """Return the name under which a cell's result is kept: its dataclass and its fields as JSON."""
    return f"{type(cell).__name__} {as_json(asdict(cell))}"
