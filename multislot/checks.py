"""What every package checks at its door."""

from math import inf
from operator import index

from multislot.errors import SettingError


def whole(name: str, value: object, least: int = 1, most: float = inf) -> int:
    """Return a setting as an int.

    Args:
        name: of the setting.
        value: what was given for it.
        least: the least that is allowed.
        most: the most.

    Raises:
        SettingError: it is no whole number, or less than `least`, or more than `most`.
    """
    try:
        number = index(value)  # type: ignore[arg-type]  # any object may be asked
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not least <= number <= most:
        limit = "" if most == inf else f" and at most {most}"
        raise SettingError(f"got {name}={value!r}; expected a whole number, at least {least}{limit}")
    return number
