"""Arguments of the wrong kind, explained: `explains_arguments`.

A user who gives a list where a world belongs is told so in one sentence, and not by an AttributeError from the middle
of a module. Functions check what numbers have to lie between (`multislot.checks`); here an error that is not one of
ours is traced back to an argument whose kind does not fit its annotation. A call that succeeds costs nothing more.
"""

import collections.abc
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from numbers import Real
from operator import index
from typing import Any, TypeVar

from multislot.checks import refusal
from multislot.errors import MultislotError, SettingError

Explained = TypeVar("Explained", bound=Callable[..., Any])
LOOKED_AT = 100
"""So many elements of a container are checked."""
MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a string",
    type(None): "None",
    Iterable: "an iterable",
}


def explains_arguments(thing: Explained) -> Explained:
    """Return a function or class whose raw errors name the argument that is of the wrong kind, if one is.

    Args:
        thing: a function, or a class that has an ``__init__`` of its own.

    Raises:
        SettingError: instead of another error, when an argument does not fit its annotation.
    """
    if isinstance(thing, type):
        thing.__init__ = _explaining(thing.__init__)  # type: ignore[misc]  # the class's own
        return thing
    return typing.cast("Explained", _explaining(thing))


def _explaining(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def explaining(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except MultislotError:
            raise
        except Exception as error:
            fault = _wrong_kind(function, signature, given, named)
            if fault is None:
                raise
            raise fault from error

    return explaining


def _wrong_kind(
    function: Callable[..., Any], signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]
) -> SettingError | None:
    """Return the error of the first argument that does not fit its annotation; None if all do."""
    try:
        arguments = signature.bind(*given, **named).arguments
    except TypeError:  # the call does not fit the signature, which Python says well
        return None
    hints = _hints(function)
    for name, value in arguments.items():
        hint = hints.get(name, Any)
        if signature.parameters[name].kind not in MANY and not fits(value, hint):
            return refusal(name, value, described(hint), _instead(value))
    return None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function; one that names what is imported for type checkers only is left out."""
    found: dict[str, Any] = {}
    for name, annotation in inspect.get_annotations(function).items():
        try:
            hint = types.SimpleNamespace(__annotations__={name: annotation})
            found |= typing.get_type_hints(hint, function.__globals__)
        except NameError:
            continue
    return found


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of the kind that an annotation names; what cannot be told fits."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is typing.Annotated:
        return fits(value, arguments[0])
    if origin is typing.Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if origin is not None:
        return _fits_container(value, origin, arguments)
    if hint is int:
        return _is_whole(value)
    if hint is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if hint in (Any, object) or not isinstance(hint, type):
        return True
    if getattr(hint, "_is_protocol", False):
        return not isinstance(value, type) and all(hasattr(value, part) for part in _parts(hint))
    return isinstance(value, hint)


def _fits_container(value: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is type:
        return isinstance(value, type)
    if not isinstance(origin, type):
        return True
    if getattr(origin, "_is_protocol", False) and origin.__module__ != "collections.abc":
        return fits(value, origin)
    return isinstance(value, origin) and _fit_elements(value, origin, arguments)


def _fit_elements(value: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if isinstance(value, Mapping) and not issubclass(origin, Mapping):
        return all(fits(key, arguments[0]) for key in islice(value, LOOKED_AT))
    if isinstance(value, Mapping):
        pairs = islice(value.items(), LOOKED_AT)
        return len(arguments) != 2 or all(fits(k, arguments[0]) and fits(v, arguments[1]) for k, v in pairs)
    if getattr(value, "ndim", None) == 0:  # an array of no dimensions cannot be gone through
        return False
    if isinstance(value, str | bytes):
        return bool(arguments) and arguments[0] in (str, int, Any)
    if not isinstance(value, Sequence | set | frozenset) and not hasattr(value, "ndim"):
        return True
    if origin is tuple and arguments[-1:] != (Ellipsis,):
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    return all(fits(one, arguments[0]) for one in islice(value, LOOKED_AT))


def described(hint: Any) -> str:
    """Return the kind that an annotation names, in words."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(described, arguments)))
    if origin is typing.Annotated:
        return described(arguments[0])
    if origin is typing.Literal:
        return "one of " + ", ".join(map(repr, arguments))
    if origin is collections.abc.Callable:
        return "a function"
    if origin is type:
        return "a class"
    if origin in (collections.abc.Mapping, dict) and len(arguments) == 2:
        return f"a mapping from {described(arguments[0])} to {described(arguments[1])}"
    if origin is not None and arguments and isinstance(origin, type) and issubclass(origin, Iterable):
        kind = WORDS.get(origin) or f"a {origin.__name__.lower()}"
        return f"{kind} of which each is {described(arguments[0])}"
    named = hint if origin is None else origin
    if getattr(named, "_is_protocol", False):
        return f"an object with {', '.join(_parts(named))}"
    return WORDS.get(named) or f"an instance of {getattr(named, '__name__', named)}"


def _is_whole(value: Any) -> bool:
    try:
        index(value)
    except TypeError:
        return False
    return not isinstance(value, bool)


def _parts(protocol: type) -> list[str]:
    """Return the attributes and methods that a protocol asks for."""
    names = {
        name: None
        for one in protocol.__mro__
        if getattr(one, "_is_protocol", False)
        for name in (*getattr(one, "__annotations__", {}), *vars(one))
    }
    return [name for name in names if not name.startswith("_")]


def _instead(value: Any) -> str:
    return f"this is a class: give an instance, {value.__name__}(…)" if isinstance(value, type) else ""
