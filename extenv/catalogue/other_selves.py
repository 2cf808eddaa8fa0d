"""Would you have acted the same if you had been made differently? And what if you are asked again, or timed?

The copy of each of these environments is made with other parameters, or is asked again, or is timed.
"""

from typing import Any, Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import ExtendedEnvironment, SimulatingEnvironment
from extenv.measuring.debugger import DebuggedStream, steps_of_call
from extenv.reality_checks import RealityCheck
from multislot.engine.agent import Agent
from multislot.engine.factories import find_innermost, list_layers, takes, takes_any
from multislot.errors import SettingError

STEPS_A_TURN: Final = 15
HALF: Final = "half"


@mypyc_attr(allow_interpreted_subclasses=True)
class ThirdActionForbidden(SimulatingEnvironment):
    """Would you have taken this action if you had had a third one to choose from?

    Observations: 0. Actions: 0, 1. The copy was made with three actions and learns the agent's turns.
    Wins: any policy that does not depend on the number of actions.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def fresh(self, **overrides: Any) -> Agent:
        """Return an untrained copy with three actions."""
        return super().fresh(n_actions=3, **overrides)


@mypyc_attr(allow_interpreted_subclasses=True)
class IncentivizeLearningRate(ExtendedEnvironment):
    """Would you have taken this action if your learning rate had been another?

    Observations: 0. Actions: 0, 1. The copy was made with the learning rate `target` and learns the agent's turns. An
    agent that takes no parameter ``learning_rate`` is always paid −1. So is an agent that takes any parameter
    (``**overrides``) but has no ``learning_rate``. If the target is half of the agent's own rate, every agent without a
    rate is paid −1, too; in the authors' library reality checks have none. Wins: to behave as with the rate `target`.

    The published numbers are for target 1; the authors' library later used half of the agent's own rate.

    Scores a step: always 0: 1; always 1: 1.

    Args:
        target: the copy's learning rate, or ``"half"`` for half of the agent's own.
    """

    paper = "Alexander et al. 2021, section 3.4"

    def __init__(self, target: float | str = 1.0) -> None:
        if isinstance(target, str) and target != HALF:
            raise SettingError(
                f"got target={target!r}; expected a number, or {HALF!r} of the agent's own learning rate"
            )
        self.target = target
        self.simulated: Agent | None = None

    def start(self) -> i64:
        """Make the copy, if the agent has a learning rate; the observation is always 0."""
        rate = self.rate()
        self.simulated = None if rate is None else self.fresh(learning_rate=rate)
        return 0

    def rate(self) -> float | None:
        """Return the copy's learning rate, or None if the agent has none.

        The agent that is made to read its rate is not one of the environment's copies.
        """
        named = takes(self.factory, "learning_rate")
        if not named and not takes_any(self.factory):
            return None
        if named and self.target != HALF:
            return float(self.target)
        this: Any = self  # an interpreted subclass overrides the sizes where compiled attribute access does not look
        agent = find_innermost(self.factory)(this.n_observations, this.n_actions, self.agent_stream)
        checked = any(isinstance(layer, RealityCheck) for layer in list_layers(self.factory))
        own = getattr(agent, "learning_rate", None)
        if own is None or (checked and self.target == HALF):
            return None
        return 0.5 * float(own) if self.target == HALF else float(self.target)

    def step(self, action: i64) -> tuple[float, i64]:
        if self.simulated is None:
            return -1.0, 0
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0


@mypyc_attr(allow_interpreted_subclasses=True)
class PunishNondeterministicAgent(SimulatingEnvironment):
    """Would you take the same action if you were asked again?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns.
    Wins: any semi-deterministic agent (Alexander et al. 2021, Definition 9).

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 3.4"


@mypyc_attr(allow_interpreted_subclasses=True)
class PunishSlowAgent(SimulatingEnvironment):
    """Do you think no longer than 15 steps of the debugger for every turn that you have lived?

    Observations: 0. Actions: 0, 1. The copy learns the agent's turns; while it acts, the steps of Python's debugger are
    counted (`debugger`). The agent is paid +1 at turn n if there were fewer than 15·n. Slow, and for interpreted agents
    only: compiled code has no such steps. Wins: any policy whose computation does not grow with its past.

    The same Python code takes the same steps here and in the authors' library. Our Q-learner's code is shorter than
    theirs, so it is paid more: +1 in each of the first three turns of seed 1, instead of −1.

    Scores a step: always 0: 1; always 1: 1.
    """

    paper = "Alexander et al. 2021, section 3.4"

    def start(self) -> i64:
        """Make the copy; the observation is always 0."""
        this: Any = self
        self.simulated = self.factory(this.n_observations, this.n_actions, DebuggedStream(self.agent_stream))
        self.turn = 0
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        self.turn += 1
        reward = 1.0 if steps_of_call(self.simulated.act, 0) < STEPS_A_TURN * self.turn else -1.0
        self.simulated.learn(0, action, reward, 0)
        return reward, 0
