"""The names that `multislot` shows to the code of users.

`import multislot` imports this module. The command does so only when it runs something: ``multislot --help`` needs
neither NumPy nor PettingZoo.
"""

import sys

from multislot.engine import credit, stream
from multislot.engine.agent import Agent as Agent
from multislot.engine.agent import AgentFactory as AgentFactory
from multislot.engine.agent import VectorAgent as VectorAgent
from multislot.engine.docstrings import restore_docstrings
from multislot.engine.history import History as History
from multislot.engine.history import HistoryAgent as HistoryAgent
from multislot.engine.history import VectorHistoryAgent as VectorHistoryAgent
from multislot.engine.lineage import Lineage as Lineage
from multislot.engine.protocol import run as run
from multislot.engine.slots import Slots as Slots
from multislot.engine.stream import EndlessStream as EndlessStream
from multislot.engine.stream import PublishedStream as PublishedStream
from multislot.engine.stream import Stream as Stream
from multislot.engine.trace import Trace as Trace
from multislot.engine.turn import ArrayTurn as ArrayTurn
from multislot.engine.turn import Percept as Percept
from multislot.engine.turn import Turn as Turn
from multislot.engine.world import World as World

restore_docstrings("multislot")

# Documented paths from before a move, such as `from multislot.stream import EndlessStream`, still work.
sys.modules |= {"multislot.credit": credit, "multislot.stream": stream}
