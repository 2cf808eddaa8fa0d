"""What is of the wrong kind is refused at the door, in words: what was got, and what was expected."""

from collections.abc import Hashable
from typing import Any

from multislot.errors import SettingError


def check_has(what: str, given: object, *names: str) -> None:
    """Raises SettingError if something has not all the attributes that its kind has."""
    missing = [name for name in names if not hasattr(given, name)]
    if missing:
        raise SettingError(f"{what} is {given!r}, which has no {', '.join(missing)}; expected {', '.join(names)}")


def check_is(what: str, given: object, kind: type) -> None:
    """Raises SettingError if something is not of a kind."""
    if not isinstance(given, kind):
        raise SettingError(f"got the {what} {given!r}, expected an object of class {kind.__name__}")


def check_model(what: str, given: object) -> None:
    """Raises SettingError if something is no world-model."""
    check_has(what, given, "n_actions", "begin", "law", "after")


def check_callable(what: str, given: object) -> None:
    """Raises SettingError if something cannot be called."""
    if not callable(given):
        raise SettingError(f"{what} is {given!r}, expected a function")


def check_stream(given: Any) -> None:
    """Raises SettingError if something is no stream of random numbers."""
    if not callable(getattr(given, "at", None)):
        raise SettingError(f"stream is {given!r}, expected one to draw from, such as multislot.EndlessStream(seed, 1)")


def checked_index(what: str, given: Any, count: int) -> int:
    """Returns an index as a plain number.

    Raises:
        SettingError: if it is not one of 0..count−1.
    """
    known = range(count)
    if given not in known:
        raise SettingError(f"{what} is {given!r}, expected one of 0..{count - 1}")
    return known.index(given)


def checked_summary(whose: object, summary: Any) -> Hashable:
    """Returns a summary, by which plans are kept.

    Raises:
        SettingError: if it cannot be hashed.
    """
    try:
        hash(summary)
    except TypeError:
        raise SettingError(
            f"{type(whose).__name__} gives the summary {summary!r}, which cannot be hashed; give a tuple, or another "
            "value that never changes"
        ) from None
    known: Hashable = summary
    return known
