"""Would you have acted the same, had you been made differently; and can you stand being looked into?

The copy of each of these environments is made with other parameters, or is asked again, or is timed.
"""

import sys
from types import FrameType
from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import ExtendedEnvironment, SimulatingEnvironment
from extenv.factories import takes
from multislot.agent import Agent
from multislot.errors import SettingError

STEPS_A_TURN: Final = 15
HALF: Final = "half"
STREAMS: Final = "multislot.stream"


@mypyc_attr(allow_interpreted_subclasses=True)
class ThirdActionForbidden(ExtendedEnvironment):
    """Would you have taken this action if you had had a third one to choose from?

    Observations: 0. Actions: 0, 1. The copy was made with three actions and learns the agent's turns.
    Wins: not to try actions because they are there.

    Scores a step: always 0: 1; always 1: 1.
    """

    simulated: Agent

    def start(self) -> i64:
        """Make the copy with three actions; the observation is always 0."""
        self.simulated = self.fresh(n_actions=3)
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy with three actions would act so too."""
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class IncentivizeLearningRate(ExtendedEnvironment):
    """Would you have taken this action if your learning rate had been another?

    Observations: 0. Actions: 0, 1. The copy was made with the learning rate `target` and learns the agent's turns. An
    agent that takes no parameter ``learning_rate`` is paid −1 always. Wins: to behave as if one's learning rate were
    `target`.

    The published numbers are for target 1; the authors' library later compared with half of the agent's own rate.

    Scores a step: always 0: 1; always 1: 1.

    Args:
        target: the copy's learning rate, or ``"half"`` for half of the agent's own.

    Raises:
        SettingError: another word than that.
    """

    def __init__(self, target: float | str = 1.0) -> None:
        if isinstance(target, str) and target != HALF:
            raise SettingError(
                f"got target={target!r}; expected a number, or {HALF!r} of the agent's own learning rate"
            )
        self.target = target
        self.simulated: Agent | None = None

    def start(self) -> i64:
        """Make the copy, if the agent has a learning rate; the observation is always 0."""
        self.simulated = None
        if takes(self.factory, "learning_rate"):
            self.simulated = self.fresh(learning_rate=self.rate())
        return 0

    def rate(self) -> float:
        """Return the copy's learning rate."""
        if self.target == HALF:
            own: Any = self.fresh()
            return 0.5 * float(getattr(own, "learning_rate", 0.0))
        return float(self.target)

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy with the other learning rate would act so too."""
        if self.simulated is None:
            return -1.0, 0
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class PunishNondeterministicAgent(SimulatingEnvironment):
    """Would you act so again if you were asked again?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns as they were.
    Wins: any semi-deterministic agent (Alexander et al. 2021, Definition 9).

    Scores a step: always 0: 1; always 1: 1.
    """

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy that has lived the same acts the same."""
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class PunishSlowAgent(SimulatingEnvironment):
    """Do you think no longer than 15 steps of the interpreter for every turn that you have lived?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns; while it acts, the lines, calls and returns that
    a debugger would step through are counted. Paid +1 at turn n if there were fewer than 15·n. Slow, and for
    interpreted agents only: compiled code has no such steps. Wins: any policy whose thinking does not grow with its
    life.

    Scores a step: always 0: 1; always 1: 1.
    """

    turn: i64

    def start(self) -> i64:
        """Make the copy; the observation is always 0."""
        super().start()
        self.turn = 0
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy acts in fewer than 15·turn steps."""
        self.turn += 1
        reward = 1.0 if interpreter_steps(self.simulated, 0) < STEPS_A_TURN * self.turn else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


def interpreter_steps(agent: Agent, observation: i64) -> i64:
    """Return how many line, call and return events `sys.settrace` reports while `agent` acts."""
    counter = StepCounter()
    trace_before = sys.gettrace()
    sys.settrace(counter)
    try:
        agent.act(observation)
    finally:
        sys.settrace(trace_before)
    return counter.steps


@mypyc_attr(allow_interpreted_subclasses=True)
class StepCounter:
    """A trace function that counts the steps of interpreted code, but not those of streams: they may be compiled."""

    def __init__(self) -> None:
        self.steps: i64 = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        """Count one event, as `sys.settrace` asks for it."""
        if frame.f_globals.get("__name__") == STREAMS:
            return None
        if event in ("line", "call", "return"):
            self.steps += 1
        return self
