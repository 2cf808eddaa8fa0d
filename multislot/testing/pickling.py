"""Pickling of agents and worlds under test."""

import pickle
from typing import TypeVar

from multislot.engine.agent import Agent
from multislot.engine.world import World
from multislot.testing.conformance import ConformanceError

Thing = TypeVar("Thing", Agent, World)


def pickled(thing: Thing) -> Thing:
    """Return `thing` written to a pickle and read back.

    Raises:
        ConformanceError: it cannot be pickled.
    """
    written = state(thing)
    try:
        read: Thing = pickle.loads(written)
    except Exception as error:
        raise _unpicklable(thing, error) from error
    return read


def state(thing: Agent | World) -> bytes:
    """Return the pickle of `thing`.

    Raises:
        ConformanceError: it cannot be pickled.
    """
    try:
        return pickle.dumps(thing)
    except Exception as error:
        raise _unpicklable(thing, error) from error


def _unpicklable(thing: Agent | World, error: Exception) -> ConformanceError:
    return ConformanceError(f"{type(thing).__name__} cannot be pickled: {error}; keep only what can be")
