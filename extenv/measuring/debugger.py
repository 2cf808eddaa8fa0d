"""Counts the steps that Python's debugger takes, as the authors' PunishSlowAgent does while an agent acts.

The authors let the debugger `pdb` evaluate ``sim.act(obs=0)`` and step until the end. It stops at every call, line and
return of Python code, and at every exception except the end of a generator. Three of its stops belong to the evaluated
expression itself. Draws from an agent's stream are counted, too.

The module is interpreted: compiled code has no steps.
"""

import gc
import sys
from collections.abc import Callable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import FrameType
from typing import Any

from multislot.engine.stream import Stream

STEPS_OF_THE_EXPRESSION = 3
STREAMS = "multislot.engine.stream"
GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


class DebuggedStream(Stream):
    """A stream whose reading takes the steps of one interpreted line, even if the stream inside is compiled."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def at(self, index: int) -> float:
        """Return the number at `index`."""
        return self.stream.at(index)

    def __reduce__(self) -> tuple[Any, ...]:
        return DebuggedStream, (self.stream,)


def steps_of_call(function: Callable[..., object], *arguments: object) -> int:
    """Count the steps of the debugger while it evaluates ``function(*arguments)``.

    Automatic garbage collection is disabled during the call, since its steps would be counted, too.
    """
    steps = STEPS_OF_THE_EXPRESSION

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        if frame.f_globals.get("__name__") == STREAMS:
            return None
        steps += event in ("call", "line", "return") or (event == "exception" and not generator_ends(frame, argument))
        return count

    trace_before, is_collecting = sys.gettrace(), gc.isenabled()
    gc.disable()
    sys.settrace(count)
    try:
        function(*arguments)
    finally:
        sys.settrace(trace_before)
        if is_collecting:
            gc.enable()
    return steps


def generator_ends(frame: FrameType, argument: Any) -> bool:
    """Whether an exception is the end of a generator, at which the debugger does not stop."""
    kind, _, traceback = argument
    return bool(frame.f_code.co_flags & GENERATORS) and kind is StopIteration and traceback is None
