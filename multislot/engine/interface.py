"""The names that `multislot` shows to the code of users.

`import multislot` imports this module. The command does so only when it runs something: ``multislot --help`` needs
neither NumPy nor PettingZoo.
"""

import sys

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

restore_docstrings("multislot")

# The documented path from before the engine's modules moved: `from multislot.stream import EndlessStream` still works.
sys.modules["multislot.stream"] = stream


__all__ = [
    "Agent",
    "AgentFactory",
    "ArrayTurn",
    "EndlessStream",
    "History",
    "HistoryAgent",
    "Lineage",
    "Percept",
    "PublishedStream",
    "Slots",
    "Stream",
    "Trace",
    "Turn",
    "VectorAgent",
    "VectorHistoryAgent",
    "World",
    "run",
]
