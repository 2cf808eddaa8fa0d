"""Argument checks with one message form: "got name=value; expected …; remedy".

Every function returns the argument that it has checked, or raises `SettingError`. A name that is not one of several
known ones is an `UnknownNameError` instead. Any object may be given: NumPy's numbers count as numbers, booleans do not.
"""

from difflib import get_close_matches
from importlib import import_module
from math import inf, isfinite
from numbers import Number, Rational, Real
from operator import index
from typing import Any, TypeVar

from multislot.errors import SettingError, TooLargeError

Given = TypeVar("Given")
LONGEST_VALUE = 200
"""A value is shown with at most so many characters."""
LONGEST_HORIZON = 10**6
"""The largest number of steps that anything is planned for."""
LONGEST_LIMIT = 30
"""Limits of more bits are shown as powers of 2."""


def refusal(name: str, value: object, expected: str, remedy: str = "") -> SettingError:
    """Return the error that refuses an argument.

    Args:
        name: of the argument.
        value: what was given for it.
        expected: what was expected instead.
        remedy: how to mend it, where `expected` does not say so.
    """
    return SettingError(f"got {name}={shown(value)}; expected {expected}" + (f"; {remedy}" if remedy else ""))


def shown(value: object) -> str:
    """Return a value as text, cut to `LONGEST_VALUE` characters."""
    text = str(value) if isinstance(value, Number) else repr(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def whole(name: str, value: object, least: float = 1, most: float = inf, remedy: str = "") -> int:
    """Return a whole number from `least` to `most` as an int."""
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]  # any object may be asked
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise refusal(name, value, "a whole number" + _limits(at_least=least, at_most=most), remedy)
    return number


def number(
    name: str,
    value: Given,
    least: float = -inf,
    most: float = inf,
    *,
    above: float = -inf,
    below: float = inf,
    remedy: str = "",
) -> Given:
    """Return a finite real number, of the type it had; `least` and `most` are allowed, `above` and `below` are not."""
    finite = isinstance(value, Rational) or (isinstance(value, Real) and isfinite(value))
    inside = finite and not isinstance(value, bool) and least <= value <= most and above < value < below  # type: ignore[operator]
    if not inside:
        limits = _limits(at_least=least, above=above, at_most=most, below=below)
        raise refusal(name, value, "a finite number" + limits, remedy)
    return value


def share(name: str, value: Given) -> Given:
    """Return a number from 0 to 1: a probability, a rate or a share."""
    return number(name, value, 0, 1)


def checked_index(name: str, value: object, count: int) -> int:
    """Return an index in ``range(count)`` as an int."""
    try:
        return whole(name, value, 0, count - 1)
    except SettingError:
        raise refusal(name, value, f"one of 0..{count - 1}") from None


def checked_seed(seed: object, bits: int = 64) -> int:
    """Return a seed, 0 ≤ seed < 2^bits, as an int."""
    return whole("seed", seed, 0, 2**bits - 1)


def checked_discount(discount: Given, *, endless: bool = False) -> Given:
    """Return a discount γ, 0 ≤ γ ≤ 1; γ < 1 if the rewards of endlessly many steps are added up."""
    if endless:
        return number("discount", discount, 0, below=1, remedy="γ = 1 needs a horizon" if discount == 1 else "")
    return share("discount", discount)


def checked_horizon(horizon: object, least: int = 1) -> int | None:
    """Return a number of steps still to come, as `checked_steps`; None for endlessly many."""
    return None if horizon is None else checked_steps("horizon", horizon, least, "None means endlessly many steps")


def checked_steps(name: str, steps: object, least: int = 1, remedy: str = "") -> int:
    """Return a number of steps to plan for, at least `least`.

    Raises:
        TooLargeError: it is larger than `LONGEST_HORIZON`.
    """
    given = whole(name, steps, least, remedy=remedy)
    if given > LONGEST_HORIZON:
        raise TooLargeError(f"got {name}={shown(given)}; expected at most {LONGEST_HORIZON} steps; give fewer")
    return given


def checked_instance(name: str, value: object, kind: type[Given], remedy: str = "") -> Given:
    """Return an instance of a class."""
    if not isinstance(value, kind):
        raise refusal(name, value, f"an instance of {kind.__name__}", _instead(value, remedy))
    return value


def checked_parts(name: str, value: Given, *parts: str, remedy: str = "") -> Given:
    """Return an object that has certain attributes and methods, whatever its class."""
    missing = [part for part in parts if not hasattr(value, part)]
    if missing or isinstance(value, type):
        fault = f"it has no {', '.join(missing)}" if missing else ""
        remedies = "; ".join(filter(None, (fault, _instead(value, remedy))))
        raise refusal(name, value, f"an object with {', '.join(parts)}", remedies)
    return value


def checked_callable(name: str, value: Given, expected: str = "a function", remedy: str = "") -> Given:
    """Return something that can be called."""
    if not callable(value):
        raise refusal(name, value, expected, remedy)
    return value


def checked_import(name: str, place: str) -> Any:
    """Return what is at a place, ``"module:attribute"``.

    Args:
        name: of the argument, for messages.
        place: where it is; the module is imported.

    Raises:
        SettingError: the text has another form, there is no such module, or it has no such attribute.
    """
    module, colon, attribute = place.partition(":")
    if not (colon and module and attribute):
        raise refusal(name, place, 'the place of a class or function, "module:attribute"')
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        remedy = f"install it, or start where {module.partition('.')[0]}.py is"
        raise refusal(name, place, f"a module that can be imported ({error})", remedy) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            near = get_close_matches(part, dir(found), n=1)
            raise refusal(name, place, f"an attribute of {module}", f"did you mean {near[0]!r}?" if near else "")
        found = getattr(found, part)
    return found


def checked_stream(stream: Any) -> Any:
    """Return a stream of random numbers."""
    if isinstance(stream, type) or not callable(getattr(stream, "at", None)):
        raise refusal("stream", stream, "a stream of random numbers", "give multislot.EndlessStream(seed, 1)")
    return stream


def checked_hashable(
    name: str, value: Given, remedy: str = "use numbers, strings or tuples, not lists or arrays"
) -> Given:
    """Return something that can be looked up in a table."""
    try:
        hash(value)
    except TypeError:
        raise refusal(name, value, "a hashable value", remedy) from None
    return value


def _limits(**limits: float) -> str:
    """Return the limits of a number in words; infinite ones are left out."""
    said = [f"{name.replace('_', ' ')} {_limit(limit)}" for name, limit in limits.items() if abs(limit) != inf]
    return ", " + " and ".join(said) if said else ""


def _limit(limit: float) -> str:
    bits = int(limit).bit_length()
    powers = {2**bits - 1: f"2**{bits} - 1", 2 ** (bits - 1): f"2**{bits - 1}"}
    return powers.get(int(limit), str(limit)) if bits > LONGEST_LIMIT else str(limit)


def _instead(value: object, remedy: str) -> str:
    return f"this is a class: give an instance, {value.__name__}(…)" if isinstance(value, type) else remedy
