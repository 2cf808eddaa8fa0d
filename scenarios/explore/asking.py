"""Checks of a request that several views share."""

from collections.abc import Iterable, Mapping
from typing import Any

from multislot.errors import UnknownNameError


def checked_keys(asked: Mapping[str, Any], known: Iterable[str]) -> None:
    """Check that a request has only known keys."""
    names = tuple(known)
    for key in asked:
        if key not in names:
            raise UnknownNameError("key of request", key, names)


def chosen(kind: str, given: Any, known: Iterable[Any]) -> Any:
    """Return a choice of a request."""
    names = tuple(known)
    if given not in names:
        raise UnknownNameError(kind, str(given), [str(name) for name in names])
    return given
