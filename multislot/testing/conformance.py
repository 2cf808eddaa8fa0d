"""The exception of the checks, and pickling of the agents and worlds under test."""

import pickle
from typing import TypeVar

from multislot.engine.agent import Agent
from multislot.engine.world import World
from multislot.errors import MultislotError

Tested = TypeVar("Tested", Agent, World)


class ConformanceError(MultislotError, AssertionError):
    """An agent, world or environment breaks a contract that `multislot.testing` checks; the message says how."""


def pickle_and_read(tested: Tested) -> Tested:
    """An agent or world written to a pickle and read back."""
    written = write_pickle(tested)
    try:
        read: Tested = pickle.loads(written)
    except Exception as error:
        raise _pickle_error(tested, error) from error
    return read


def write_pickle(tested: Agent | World) -> bytes:
    """The pickle of an agent or world."""
    try:
        return pickle.dumps(tested)
    except Exception as error:
        raise _pickle_error(tested, error) from error


def _pickle_error(tested: Agent | World, error: Exception) -> ConformanceError:
    return ConformanceError(f"{type(tested).__name__} cannot be pickled: {error}; keep only what can be")
