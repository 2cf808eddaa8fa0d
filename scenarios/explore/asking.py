"""Checks of a request that several views share."""

from collections.abc import Iterable, Mapping
from typing import Any

from multislot.errors import UnknownNameError


def check_keys(asked: Mapping[str, Any], keys: Iterable[str]) -> None:
    """Check that a request has only known keys."""
    names = tuple(keys)
    for key in asked:
        if key not in names:
            raise UnknownNameError("key of request", key, names)


def check_choice(kind: str, choice: Any, choices: Iterable[Any]) -> Any:
    """A choice of a request."""
    names = tuple(choices)
    if choice not in names:
        raise UnknownNameError(kind, str(choice), [str(name) for name in names])
    return choice
