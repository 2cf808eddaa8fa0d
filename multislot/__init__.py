"""The engine: agents live in slots that a world may copy or delete, or look into.

`run` puts agents into the slots of a `World` and returns a `Trace` of what happened, whose ``lineage`` says who was
copied from whom (Orseau 2014, *The Multi-slot Framework*).
"""

from typing import TYPE_CHECKING

from multislot import zoo  # registers the environments
from multislot.agent import Agent, AgentFactory, VectorAgent
from multislot.errors import MultislotError
from multislot.history import History, HistoryAgent, VectorHistoryAgent
from multislot.late import late_names
from multislot.lineage import Lineage
from multislot.protocol import run
from multislot.slots import Slots
from multislot.stream import EndlessStream, PublishedStream, Stream
from multislot.trace import Trace
from multislot.turn import ArrayTurn, Percept, Turn
from multislot.world import World

if TYPE_CHECKING:
    from multislot.version import __version__
else:
    __getattr__ = late_names(__name__, {"__version__": "multislot.version"})

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
