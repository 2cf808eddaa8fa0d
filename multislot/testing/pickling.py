"""Writing what is checked to a pickle and reading it back."""

import pickle
from typing import TypeVar

from multislot.agent import Agent
from multislot.errors import ConformanceError
from multislot.world import World

Thing = TypeVar("Thing", Agent, World)


def pickled(thing: Thing) -> Thing:
    """Return `thing` written to a pickle and read back.

    Raises:
        ConformanceError: that cannot be done.
    """
    try:
        read: Thing = pickle.loads(pickle.dumps(thing))
    except Exception as error:
        raise ConformanceError(f"{type(thing).__name__} cannot be pickled: {error}; keep only what can") from error
    return read
