"""Steps of the debugger: as many as Python's own debugger takes, the authors' way of counting them."""

import gc
from pdb import Pdb
from types import SimpleNamespace

import pytest

from extenv.measuring.debugger import DebuggedStream, steps_of_call
from extenv.measuring.running import stored_streams
from multislot.engine.agent import Agent


class Mindless(Agent):
    def act(self, observation):
        return 0


class Loop(Agent):
    def act(self, observation):
        total = 0
        for number in range(3):
            total += number
        return total


class Comprehension(Agent):
    def act(self, observation):
        values = {1: 2}
        if all(value == 2 for value in values.values()):
            return max([0, 1], key=lambda action: values.get(action, 0))
        return 0


class Excepting(Agent):
    def act(self, observation):
        try:
            return {}[observation]
        except KeyError:
            return 0


class Generating(Agent):
    def turns(self):
        yield from (0, 1)

    def act(self, observation):
        return sum(self.turns())


AGENTS = [Mindless, Loop, Comprehension, Excepting, Generating]


def debugged(agent):
    """Let the debugger step through the agent's answer; return how often it asks what to do."""

    class Console:
        asked = 0

        def readline(self):
            self.asked += 1
            return "step"

        def write(self, *text):
            pass

        flush = write

    console = Console()
    debugger = Pdb(stdin=console, stdout=console, nosigint=True, readrc=False)
    gc.disable()  # the debugger steps through whatever a collection calls
    try:
        debugger.runeval("agent.act(0)", locals={"agent": agent})
    finally:
        gc.enable()
    return console.asked


@pytest.mark.parametrize("kind", AGENTS)
def test_they_are_those_of_the_debugger(kind):
    assert steps_of_call(kind().act, 0) == debugged(kind())


def test_agents_of_one_line_take_six_steps_and_not_the_three_of_their_own_code():
    """The debugger's own expression takes three; a count that left them out would pay agents sooner."""
    assert steps_of_call(Mindless().act, 0) == 6


@pytest.mark.parametrize("is_compiled", [True, False])
def test_reading_a_stream_takes_the_steps_of_one_line_compiled_or_not(is_compiled):
    class Reader(Agent):
        def __init__(self, stream):
            self.stream = stream

        def act(self, observation):
            return int(self.stream.at(0) * 2)

    stream = stored_streams(1)[0]
    if not is_compiled:
        exec("def at(index):\n    return 0.5", interpreted := {"__name__": type(stream).__module__})
        stream = SimpleNamespace(**interpreted)
    assert steps_of_call(Reader(DebuggedStream(stream)).act, 0) == 9
    assert DebuggedStream(stream).at(5) == stream.at(5)


def test_no_automatic_collection_starts_during_the_call():
    states = []
    steps_of_call(lambda: states.append(gc.isenabled()))
    assert states == [False]
    assert gc.isenabled()
