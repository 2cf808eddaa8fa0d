"""Argument checks with one message form: "got name=value; expected …; remedy".

Every function returns the argument that it has checked. A wrong value raises `SettingError`, a wrong type
`WrongTypeError`, which is also a TypeError. NumPy scalars are converted to Python numbers here, and only here.
Booleans are not numbers.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from importlib import import_module
from itertools import islice
from math import inf, isfinite
from numbers import Integral, Rational, Real
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from multislot.errors import SettingError, TooLargeError, UnknownNameError, WrongTypeError, show_value

Checked = TypeVar("Checked")
LONGEST_HORIZON = 10**6
"""The largest number of steps that anything is planned for."""
MOST_SEEDS = 10**6
LONGEST_LIMIT = 30
"""Limits of more bits are shown as powers of 2."""


def refusal(name: str, value: object, expected: str, remedy: str = "") -> SettingError:
    """Error for an argument of the right type whose value is refused."""
    return SettingError(_message(name, value, expected, remedy))


def wrong_type(name: str, value: object, expected: str, remedy: str = "") -> WrongTypeError:
    """Error for an argument of the wrong type; the arguments are those of `refusal`."""
    instance = f"this is a class: give an instance, {value.__name__}(…)" if isinstance(value, type) else ""
    return WrongTypeError(_message(name, value, expected, "; ".join(filter(None, (instance, remedy)))))


def _message(name: str, value: object, expected: str, remedy: str) -> str:
    return f"got {name}={show_value(value)}; expected {expected}" + (f"; {remedy}" if remedy else "")


def whole(name: str, value: object, least: float = 1, most: float = inf, remedy: str = "") -> int:
    """A whole number from `least` to `most` as an int; NumPy's integers are accepted."""
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]  # any object may be given
    except TypeError:
        number = None
    if number is not None and least <= number <= most:
        return number
    error = wrong_type if number is None else refusal
    raise error(name, value, "a whole number" + _limits(at_least=least, at_most=most), remedy)


def number(
    name: str,
    value: Checked,
    least: float | Fraction = -inf,
    most: float | Fraction = inf,
    *,
    above: float | Fraction = -inf,
    below: float | Fraction = inf,
    remedy: str = "",
) -> Checked:
    """A finite real number; `least` and `most` are allowed, `above` and `below` are not.

    An int or a Fraction is returned as it is, any other number as Python's int or float (see `python_number`).
    """
    plain = python_number(value)
    is_real = isinstance(plain, Real) and not isinstance(plain, bool)
    is_finite = isinstance(plain, Rational) or (is_real and isfinite(plain))  # type: ignore[arg-type]
    if is_real and is_finite and least <= plain <= most and above < plain < below:  # type: ignore[operator]
        return plain
    error = refusal if is_real else wrong_type
    limits = _limits(at_least=least, above=above, at_most=most, below=below)
    raise error(name, value, "a finite number" + limits, remedy)


def checked_float(name: str, value: object, least: float = -inf, most: float = inf, **limits: Any) -> float:
    """A finite real number as a float; arguments as for `number`, and the limits hold after rounding, too."""
    try:
        rounded = float(number(name, value, least, most, **limits))  # type: ignore[arg-type]  # `number` has checked it
    except OverflowError:
        raise refusal(name, value, "a number that a float can hold") from None
    return number(name, rounded, least, most, **limits)


def python_number(value: Checked) -> Checked:
    """The Python int or float that equals a NumPy scalar; any other object as it is."""
    if type(value) in (int, float, bool) or not isinstance(value, Real):
        return value
    if isinstance(value, Integral):
        return index(value) if hasattr(value, "__index__") else value  # type: ignore[return-value]
    return value if isinstance(value, Rational) else float(value)  # type: ignore[return-value]


def share(name: str, value: Checked) -> Checked:
    """A number from 0 to 1: a probability, a rate or a share."""
    return number(name, value, 0, 1)


def checked_index(name: str, value: object, count: int) -> int:
    """An index in ``range(count)`` as an int."""
    try:
        return whole(name, value, 0, count - 1)
    except SettingError as error:
        refuse = wrong_type if isinstance(error, WrongTypeError) else refusal
        raise refuse(name, value, f"one of 0..{show_value(count - 1)}") from None


def checked_seed(seed: object, bits: int = 64) -> int:
    """A seed, 0 ≤ seed < 2^bits, as an int."""
    return whole("seed", seed, 0, 2**bits - 1)


def checked_seeds(seeds: object, bits: int = 64) -> Sequence[int]:
    """Different seeds: those given, or 1, …, N for the number N."""
    if not isinstance(seeds, Iterable):
        return range(1, 1 + whole("seeds", seeds, 1, MOST_SEEDS))
    chosen = list(islice(seeds, MOST_SEEDS + 1))
    if not 0 < len(chosen) <= MOST_SEEDS:
        raise refusal("seeds", seeds, f"1 to {MOST_SEEDS} seeds")
    numbers = [checked_seed(seed, bits) for seed in chosen]
    if len(set(numbers)) < len(numbers):
        raise refusal("seeds", seeds, "different seeds", "give each once, or its runs would count double")
    return numbers


def checked_path(name: str, path: str | PathLike[str]) -> Path:
    """The path of a file that can be written: it has a name, no NUL, and no half of a surrogate pair."""
    file = Path(path)
    is_encodable = str(file).encode(errors="replace").decode() == str(file)
    if not file.name or "\0" in str(file) or not is_encodable:
        raise refusal(name, str(path), "the path of a file that can be written")
    return file


def checked_discount(discount: Checked, *, endless: bool = False) -> Checked:
    """A discount γ, 0 ≤ γ ≤ 1; γ < 1 if the rewards of endlessly many steps are added up."""
    if endless:
        return number("discount", discount, 0, below=1, remedy="γ = 1 needs a horizon" if discount == 1 else "")
    return share("discount", discount)


def checked_horizon(horizon: object, least: int = 1) -> int | None:
    """A number of steps still to come, as `checked_steps`; None for endlessly many."""
    return None if horizon is None else checked_steps("horizon", horizon, least, "None means endlessly many steps")


def checked_steps(name: str, steps: object, least: int = 1, remedy: str = "") -> int:
    """A number of steps to plan for, at least `least`."""
    count = whole(name, steps, least, remedy=remedy)
    if count > LONGEST_HORIZON:
        raise TooLargeError(f"got {name}={show_value(count)}; expected at most {LONGEST_HORIZON} steps; give fewer")
    return count


def known_name(kind: str, name: Checked, known: Collection[Any]) -> Checked:
    """A name that is one of those known; otherwise an UnknownNameError, which suggests the nearest one."""
    try:
        is_known = name in known
    except (TypeError, ValueError):  # it cannot be hashed, or is compared element by element
        raise wrong_type(kind.replace(" ", "_"), name, "a name") from None
    if not is_known:
        raise UnknownNameError(kind, name, map(str, known))
    return name


def checked_instance(name: str, value: object, kind: type[Checked], remedy: str = "") -> Checked:
    """An instance of a class."""
    if not isinstance(value, kind):
        raise wrong_type(name, value, f"an instance of {kind.__name__}", remedy)
    return value


def checked_items(name: str, values: Iterable[Checked], kind: type[Checked]) -> list[Checked]:
    """The items of a sequence, all instances of a class; one text is not taken for a list of its letters."""
    if not isinstance(values, Iterable) or isinstance(values, memoryview) or (kind is str and isinstance(values, str)):
        raise wrong_type(name, values, f"a list of instances of {kind.__name__}")
    return [checked_instance(f"{name}[{place}]", value, kind) for place, value in enumerate(values)]


def checked_mapping(name: str, value: Checked) -> Checked:
    """A mapping."""
    if not isinstance(value, Mapping):
        raise wrong_type(name, value, "a mapping")
    return value


def checked_parts(name: str, value: Checked, *parts: str, remedy: str = "") -> Checked:
    """An object that has certain attributes and methods, whatever its class."""
    missing = [part for part in parts if not hasattr(value, part)]
    if missing or isinstance(value, type):
        fault = f"it has no {', '.join(missing)}" if missing else ""
        raise wrong_type(name, value, f"an object with {', '.join(parts)}", "; ".join(filter(None, (fault, remedy))))
    return value


def checked_callable(name: str, value: Checked, expected: str = "a function", remedy: str = "") -> Checked:
    """A function or another object that can be called."""
    if not callable(value):
        raise wrong_type(name, value, expected, remedy)
    return value


def checked_import(name: str, place: str) -> Any:
    """The class or function at a place, ``"module:attribute"``; the module is imported."""
    module, colon, attribute = place.partition(":")
    if not (colon and module and attribute):
        raise refusal(name, place, 'the place of a class or function, "module:attribute"')
    try:
        value = import_module(module)
    except Exception as error:  # the module's own code can raise anything, and a long name a RecursionError
        is_missing = isinstance(error, ModuleNotFoundError)
        remedy = f"install it, or start where {module.partition('.')[0]}.py is" if is_missing else ""
        reason = str(error) if is_missing else f"{type(error).__name__}: {error}"
        raise refusal(name, place, f"a module that can be imported ({reason})", remedy) from error
    for part in attribute.split("."):
        if not hasattr(value, part):
            near = get_close_matches(part, dir(value), n=1)
            raise refusal(name, place, f"an attribute of {module}", f"did you mean {near[0]!r}?" if near else "")
        value = getattr(value, part)
    return value


def checked_stream(stream: Any) -> Any:
    """A stream of random numbers."""
    if isinstance(stream, type) or not callable(getattr(stream, "at", None)):
        remedy = "give multislot.EndlessStream(seed, 1)"
        raise wrong_type("stream", stream, "a stream of random numbers", remedy)
    return stream


def checked_hashable(
    name: str, value: Checked, remedy: str = "use numbers, strings or tuples, not lists or arrays"
) -> Checked:
    """A value that can be looked up in a table."""
    try:
        hash(value)
    except (TypeError, ValueError):  # ValueError: one of NumPy's dates
        raise wrong_type(name, value, "a hashable value", remedy) from None
    return value


def _limits(**limits: float | Fraction) -> str:
    """Limits of a number in words; infinite ones are left out."""
    limited = [f"{name.replace('_', ' ')} {_limit(limit)}" for name, limit in limits.items() if abs(limit) != inf]
    return ", " + " and ".join(limited) if limited else ""


def _limit(limit: float | Fraction) -> str:
    bits = int(limit).bit_length()
    powers = {2**bits - 1: f"2**{bits} - 1", 2 ** (bits - 1): f"2**{bits - 1}"}
    return powers.get(int(limit), show_value(limit)) if bits > LONGEST_LIMIT else str(limit)
