"""Malformed input for every public callable: each call succeeds, or raises our own error or a TypeError.

A call gets, for every parameter, either something that fits its name or something from `MALFORMED`. Any error outside
`ALLOWED` is a fault of the door, and so is a call that does not return within `SECONDS` of the processor's time: a busy
machine is no fault.
"""

import inspect
import random
import signal
import traceback
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from multislot.errors import MultislotError, show_value

try:
    import resource
except ImportError:  # only POSIX has it
    resource = None  # type: ignore[assignment]

DEEP: list[Any] = []
for _ in range(3000):
    DEEP = [DEEP]
OWN: list[Any] = []
OWN.append(OWN)


class Unshowable:
    """Has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class LyingInt(int):
    """Says that it is another number where an index is asked for."""

    def __index__(self):
        return 2**70


class LyingText(str):
    """Says that it is longer and equal to everything."""

    __hash__ = str.__hash__

    def __len__(self):
        return 5

    def __eq__(self, other):
        return True


class LyingTable(dict):
    """Says that it is larger and holds everything."""

    def __len__(self):
        return 5

    def __contains__(self, key):
        return True


class LyingList(list):
    """Says that it is longer."""

    def __len__(self):
        return 5


class LyingFloat(float):
    """Says that it is not a number where a float is asked for."""

    def __float__(self):
        return float("nan")


OURS = ("multislot", "extenv", "considerate")
ENDLESS = range(2**62)
HUGE = np.broadcast_to(1.0, (2**20, 2**20))
"""2^40 numbers that take no memory."""
ALLOWED = (MultislotError, TypeError, OSError)
SECONDS = 5
MOST_MEMORY = 2**30
"""Bytes that a call may take."""
NUMPY = (
    *(np.int8(1), np.int64(2), np.uint64(2**64 - 1), np.int64(-(2**63)), np.float64(0.5), np.float16(0.5)),
    *(np.float64("nan"), np.float64("inf"), np.bool_(True)),
)
"""Scalars of NumPy: what is right for a number of Python is right for them."""
MALFORMED: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: True,
    lambda: -1,
    lambda: 0,
    lambda: 7,
    lambda: 2**63,
    lambda: -(2**63),
    lambda: 10**400,
    lambda: 1.5,
    lambda: -0.5,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: Fraction(1, 3),
    lambda: 1j,
    lambda: "",
    lambda: "no such name",
    lambda: "\udcff",
    lambda: b"\xff\x00",
    lambda: [],
    lambda: [1, "a", None],
    lambda: (),
    lambda: {},
    lambda: {"key": {}},
    lambda: {1: 1},
    lambda: {(1, 2)},
    object,
    lambda: lambda *given: None,
    lambda: iter(()),
    lambda: np.int64(1),
    lambda: np.float32(0.5),
    lambda: np.array(3),
    lambda: np.array([[1.0, np.nan]]),
    lambda: np.zeros((0, 3)),
    lambda: np.array(["a"]),
    lambda: range(3),
    lambda: 10**5000,
    lambda: -(10**5000),
    lambda: 2**31,
    lambda: 65537,
    lambda: 10**6,
    lambda: 1e308,
    lambda: 5e-324,
    lambda: Fraction(1, 10**400),
    lambda: Fraction(10**5000, 3),
    lambda: ENDLESS,
    lambda: DEEP,
    lambda: OWN,
    lambda: {"a": DEEP},
    lambda: "\x1b[31m\0\ud800",
    lambda: "a\0b",
    lambda: "x" * 10**6,
    lambda: {"\ud800": "\0"},
    Unshowable,
    lambda: [Unshowable()],
    *(lambda scalar=scalar: scalar for scalar in NUMPY),
    lambda: np.str_("cpy"),
    lambda: np.bytes_(b"\0"),
    lambda: np.timedelta64(3, "D"),
    lambda: np.timedelta64("NaT", "D"),
    lambda: np.datetime64("2020-01-01"),
    lambda: np.datetime64("NaT"),
    lambda: np.void(b"ab"),
    lambda: np.complex128(1j),
    lambda: np.longdouble("1e4000"),
    lambda: np.array([None, []], dtype=object),
    lambda: np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    lambda: np.ma.masked_array([1.0, 2.0], mask=[True, False]),
    lambda: np.array([], dtype="M8[s]"),
    lambda: HUGE,
    lambda: np.broadcast_to(0, (2, 2)),
    lambda: memoryview(b"ab"),
    lambda: memoryview(np.zeros((2, 2))),
    lambda: bytearray(b"\0"),
    lambda: array("d", [0.5]),
    lambda: Decimal("NaN"),
    lambda: Decimal("0.5"),
    lambda: date(2020, 1, 1),
    lambda: LyingInt(1),
    lambda: LyingText("cpy"),
    lambda: LyingTable({1: 1}),
    lambda: LyingList([1]),
    lambda: LyingFloat(0.5),
    lambda: Path("a\0b"),
    lambda: MappingProxyType({}),
    lambda: NotImplemented,
    lambda: ...,
)


LONG = {"steps": 10**4, "seeds": 100}
"""The largest whole number below 2^62 that a call gets, by the parameter's name: with a larger one a run or a
measurement is a long call that somebody may want. Numbers of 2^62 and more are given, and must be refused."""


class Hang(BaseException):
    """A call took longer than `SECONDS`."""


@dataclass(frozen=True)
class Fault:
    """A call that ended as none may.

    Attributes:
        door: what was called.
        call: how.
        error: what it raised, with the place.
    """

    door: str
    call: str
    error: str


def public(modules: tuple[str, ...], skipped: frozenset[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every callable that the modules export, with its name, but those that are skipped; each once."""
    met: set[int] = set()
    for module in modules:
        loaded = import_module(module)
        for name in sorted(loaded.__all__):
            thing = getattr(loaded, name)
            is_protocol = getattr(thing, "_is_protocol", False)
            if callable(thing) and not is_protocol and id(thing) not in met and f"{module}.{name}" not in skipped:
                met.add(id(thing))
                yield f"{module}.{name}", thing


def own_methods(kind: type) -> Iterator[str]:
    """Yield the public methods of ours that a class or one of its bases defines."""
    for name in sorted(dir(kind)):
        method = getattr(kind, name, None)
        if not name.startswith("_") and callable(method) and str(getattr(method, "__module__", None)).startswith(OURS):
            yield name


def methods(objects: dict[str, Callable[[], Any]]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public method of some objects, as a function that makes a fresh object for each call.

    Args:
        objects: what makes each of them, by name.
    """
    for name, make in objects.items():
        for member in own_methods(type(make())):
            yield f"{name}.{member}", Method(make, member)


@dataclass(frozen=True)
class Method:
    """A method of a fresh object."""

    make: Callable[[], Any]
    name: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return getattr(self.make(), self.name)(*arguments, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(getattr(self.make(), self.name))


def signature(door: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a door that can be given by name or place."""
    try:
        found = inspect.signature(door).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def call_of(
    door: Callable[..., Any], rng: random.Random, fitting: dict[str, list[Callable[[], Any]]]
) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments for a door: most fit, at least one is drawn from `MALFORMED` if there is a parameter."""
    parameters = signature(door)
    wrong = set(rng.sample(range(len(parameters)), min(len(parameters), rng.choice([1, 1, 1, 2]))))
    arguments: list[Any] = []
    named: dict[str, Any] = {}
    for place, parameter in enumerate(parameters):
        if place in wrong:
            value = malformed(parameter.name, rng)
        elif parameter.name in fitting:
            value = rng.choice(fitting[parameter.name])()
        elif parameter.default is not parameter.empty:
            continue
        else:
            value = malformed(parameter.name, rng)
        if parameter.kind is parameter.POSITIONAL_ONLY and len(arguments) == place:
            arguments.append(value)
        else:
            named[parameter.name] = value
    return arguments, named


def malformed(name: str, rng: random.Random) -> Any:
    """Draw a value for the parameter of a name, within the limit of `LONG`."""
    while True:
        value = rng.choice(MALFORMED)()
        is_long = isinstance(value, int | np.integer) and LONG.get(name, ENDLESS.stop) < value < ENDLESS.stop
        if not is_long:
            return value


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `Hang` in the block if it takes more of the processor's time."""

    def stop(*signalled: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def knock(name: str, door: Callable[..., Any], arguments: list[Any], named: dict[str, Any]) -> Fault | None:
    """Call a door and return what is wrong with how the call ended, or with the memory that it took."""
    before = peak_memory()
    ending = ending_of(name, door, arguments, named)
    taken = peak_memory() - before
    if taken > MOST_MEMORY:
        return Fault(name, shown(arguments, named), f"took {taken} bytes")
    return ending


def peak_memory() -> int:
    """The most memory that this process has had, in bytes; 0 where the system does not say so."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 if resource else 0


def ending_of(name: str, door: Callable[..., Any], arguments: list[Any], named: dict[str, Any]) -> Fault | None:
    """Call a door and return what is wrong with how the call ended."""
    try:
        with time_limit(SECONDS):
            door(*arguments, **named)
    except ALLOWED as error:
        return fault_of_refusal(name, door, arguments, named, error)
    except ValueError as error:
        if "truth value of an" in str(error):  # NumPy's own refusal of an array in place of True or False
            return None
        return fault(name, arguments, named, error)
    except MemoryError as error:  # Python says at once that it cannot make a list of 2^62 numbers
        return (
            None
            if any(value is ENDLESS or value is HUGE for value in (*arguments, *named.values()))
            else fault(name, arguments, named, error)
        )
    except NotImplementedError as error:  # Python's own refusal to go through a memoryview of two dimensions
        return None if "sub-views are not implemented" in str(error) else fault(name, arguments, named, error)
    except Hang:
        return Fault(name, shown(arguments, named), f"no answer in {SECONDS} seconds")
    except Exception as error:
        return fault(name, arguments, named, error)
    return None


def fault_of_refusal(
    name: str, door: Callable[..., Any], arguments: list[Any], named: dict[str, Any], error: Exception
) -> Fault | None:
    """The fault of a refusal: it cannot be printed, or it is a TypeError only because a number is one of NumPy's."""
    try:
        str(error).encode()
    except Exception as unprintable:
        return Fault(name, shown(arguments, named), f"{type(error).__name__} has no text: {type(unprintable).__name__}")
    values = [*arguments, *named.values()]
    if not isinstance(error, TypeError) or not any(map(is_number, values)):
        return None
    plain = [value.item() if is_number(value) else value for value in values]
    again = plain[: len(arguments)], dict(zip(named, plain[len(arguments) :], strict=True))
    try:
        with time_limit(SECONDS):
            door(*again[0], **again[1])
    except TypeError:
        return None
    except (Exception, Hang):  # a wrong value, too, which the call with Python's number says
        pass
    return fault(name, arguments, named, error)


def is_number(value: Any) -> bool:
    """Whether a value is a number of NumPy; a duration is none, though NumPy's classes say so."""
    return isinstance(value, np.number) and not isinstance(value, np.timedelta64)


def fault(name: str, arguments: list[Any], named: dict[str, Any], error: Exception) -> Fault:
    """The fault of a call that raised an error which none may raise."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((f"{frame.filename.rpartition('multislot/')[2]}:{frame.lineno}" for frame in reversed(frames)), "")
    return Fault(name, shown(arguments, named), f"{type(error).__name__}: {str(error)[:90]} ({place})")


def shown(arguments: list[Any], named: dict[str, Any]) -> str:
    """Return a call's arguments as text."""
    parts = [show_value(one)[:60] for one in arguments]
    return ", ".join(parts + [f"{name}={show_value(value)[:60]}" for name, value in named.items()])
