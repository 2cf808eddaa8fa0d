"""The engine: agents live in slots that a world may copy or delete, or look into.

`run` puts agents into the slots of a `World` and returns a `Trace` of what happened, whose ``lineage`` says who was
copied from whom (Orseau 2014, *The Multi-slot Framework*).
"""

from multislot import starting  # isort: split

import importlib
from typing import TYPE_CHECKING

if starting.is_command():  # before anything else, so that Ctrl-C ends the imports, too
    starting.start()

from multislot.engine.version import __version__
from multislot.errors import MultislotError

if TYPE_CHECKING or not starting.is_command():
    from multislot import zoo
    from multislot.engine.interface import (
        Agent,
        AgentFactory,
        ArrayTurn,
        EndlessStream,
        History,
        HistoryAgent,
        Lineage,
        Percept,
        PublishedStream,
        Slots,
        Stream,
        Trace,
        Turn,
        VectorAgent,
        VectorHistoryAgent,
        World,
        run,
    )

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a name when it is used first: in the command every name, otherwise modules that few need."""
        if name in ("credit", "exact", "stream", "zoo"):
            return importlib.import_module(f"multislot.{name}")
        if name in __all__:
            return getattr(importlib.import_module("multislot.engine.interface"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Agent",
    "AgentFactory",
    "ArrayTurn",
    "EndlessStream",
    "History",
    "HistoryAgent",
    "Lineage",
    "MultislotError",
    "Percept",
    "PublishedStream",
    "Slots",
    "Stream",
    "Trace",
    "Turn",
    "VectorAgent",
    "VectorHistoryAgent",
    "World",
    "__version__",
    "run",
    "zoo",
]
