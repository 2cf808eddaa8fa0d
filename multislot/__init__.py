"""The engine: agents live in slots that a world may copy or delete, or look into.

`run` puts agents into the slots of a `World` and returns a `Trace` of what happened, whose ``lineage`` says who was
copied from whom (Orseau 2014, *The Multi-slot Framework*).
"""

import importlib
import sys
from typing import TYPE_CHECKING

from multislot import starting

if starting.is_command():  # before anything else, so that Ctrl-C ends the imports, too
    starting.start()

from multislot import zoo  # registers the environments
from multislot.engine import stream
from multislot.engine.agent import Agent, AgentFactory, VectorAgent
from multislot.engine.docstrings import restore_docstrings
from multislot.engine.history import History, HistoryAgent, VectorHistoryAgent
from multislot.engine.lineage import Lineage
from multislot.engine.protocol import run
from multislot.engine.slots import Slots
from multislot.engine.stream import EndlessStream, PublishedStream, Stream
from multislot.engine.trace import Trace
from multislot.engine.turn import ArrayTurn, Percept, Turn
from multislot.engine.world import World
from multislot.errors import MultislotError
from multislot.version import __version__

restore_docstrings("multislot")

# The documented path from before the engine's modules moved: `from multislot.stream import EndlessStream` still works.
sys.modules[f"{__name__}.stream"] = stream

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import `multislot.exact` when it is used first: the engine and its environments do not need it."""
        if name == "exact":
            return importlib.import_module("multislot.exact")
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
