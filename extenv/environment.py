"""Extended environments, which can simulate the agent, and the loop that runs an agent in one.

This is the practical form of Alexander et al. 2021, section 4: the environment can make fresh, untrained copies of the
agent and train them on any history. Acting never changes an agent; learning does.

The module is compiled. A compiled object keeps its attributes outside ``__dict__``, so `ExtendedEnvironment` copies and
pickles itself, for all its subclasses.
"""

import copy as copying
import copyreg
import types
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from mypy_extensions import i64, mypyc_attr

from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.stream import Stream
from multislot.errors import bad_action

AGENT_SLOT: Final = 1
"""The slot of the true agent in worlds and in errors."""
LARGEST_SEED: Final = 2**31
"""Seeds of other libraries' environments are smaller."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ExtendedEnvironment:
    """An environment that may ask and train copies of the agent; subclass it and write `start` and `step`.

    Everything that a run changes is set in `start`, so one object can be run again and again. No
    ``super().__init__()`` is needed. The first line of the subclass's docstring is the question that it asks.

    Attributes:
        n_observations: the number of observations, which are indices from 0.
        n_actions: the number of actions, which are indices from 0.
        observation_names: of the first observations.
        action_names: of the first actions.
        name: of this object in measurements; if empty, the name of its class.
        paper: its source.
        factory: makes fresh agents; set by `begin`.
        agent_stream: the stream of the agent and its copies; set by `begin`.
        stream: the environment's own stream; set by `begin`.
    """

    n_observations: int = 1
    n_actions: int = 2
    observation_names: Sequence[str] = ()
    action_names: Sequence[str] = ()
    name: str = ""
    paper: ClassVar[str] = ""

    def begin(self, factory: AgentFactory, agent_stream: Stream, stream: Stream) -> Any:
        """Set the factory and the streams of a run; return what `start` returns, which the caller validates."""
        self.factory = factory
        self.agent_stream = agent_stream
        self.stream = stream
        this: Any = self  # The compiled call fails if `start` returns no int, and its error does not name the value.
        return this.start()

    def fresh(self, **overrides: Any) -> Agent:
        """Return an untrained copy of the agent, made with `overrides` of its parameters (or of ``n_actions``)."""
        this: Any = self  # an interpreted subclass overrides the sizes where compiled attribute access does not look
        n_actions = overrides.pop("n_actions", this.n_actions)
        agent: Agent = self.factory(this.n_observations, n_actions, self.agent_stream, **overrides)
        return agent

    def draw(self, index: i64, n: i64) -> i64:
        """Turn the number of the environment's stream at `index` into one of ``range(n)``."""
        return i64(self.stream.at(index) * float(n))

    def start(self) -> i64:
        """Make the copies, set all attributes that change, and return the first observation."""
        raise NotImplementedError(f"{type(self).__name__} does not define start() -> observation")

    def step(self, action: i64) -> tuple[float, i64]:
        """Return the reward of the agent's action and the next observation."""
        raise NotImplementedError(f"{type(self).__name__} does not define step(action) -> (reward, observation)")

    def copy(self) -> "ExtendedEnvironment":
        """Return a copy in the same state, with copies of its simulated agents; streams are shared."""
        copied: ExtendedEnvironment = copying.deepcopy(self)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExtendedEnvironment":
        copied: ExtendedEnvironment = type(self).__new__(type(self))
        memo[id(self)] = copied
        for name, value in attributes(self).items():
            setattr(copied, name, copying.deepcopy(value, memo))
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), attributes(self)  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


@mypyc_attr(allow_interpreted_subclasses=True)
class SimulatingEnvironment(ExtendedEnvironment):
    """An environment with one copy of the agent, made at the start.

    By default its observation is always 0, and it pays +1 if the copy would act as the agent does, otherwise −1. Write
    `teach`, or `step` if it shows or pays something else.

    Attributes:
        simulated: the copy.
        turn: the number of steps before the present one.
        last_reward: the reward of the step before; 0 in the first step.
    """

    simulated: Agent
    turn: i64
    last_reward: float

    def start(self) -> i64:
        """Make the copy; the observation is 0."""
        self.simulated = self.fresh()
        self.turn = 0
        self.last_reward = 0.0
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if the copy would act in the same way, otherwise −1, and teach the copy."""
        reward = 1.0 if action == self.simulated.act(0) else -1.0
        self.teach(action, reward)
        self.turn += 1
        self.last_reward = reward
        return reward, 0

    def teach(self, action: i64, reward: float) -> Any:
        """Let the copy learn from a step of the agent: by default exactly this step."""
        self.simulated.learn(0, action, reward, 0)


def attributes(environment: ExtendedEnvironment) -> dict[str, Any]:
    """Return every attribute that is set, whether in a slot, compiled (a descriptor of the class) or interpreted."""
    values: dict[str, Any] = dict(getattr(environment, "__dict__", {}))
    kind: Any = type(environment)
    for cls in kind.__mro__:
        for name, member in vars(cls).items():
            if (
                isinstance(member, types.GetSetDescriptorType | types.MemberDescriptorType)
                and not name.startswith("__")
                and getattr(kind, name) is member  # a subclass may have made it a property
                and hasattr(environment, name)
            ):
                values.setdefault(name, getattr(environment, name))
    return values


def play(
    environment: ExtendedEnvironment,
    agent: Agent,
    observation: i64,
    n_actions: i64,
    steps: i64,
    opposite: bool,
    earlier_steps: i64 = 0,
    total: float = 0.0,
) -> tuple[float, i64]:
    """Let `agent` act in `environment` for `steps` steps; return its total reward and the last observation.

    One step is: ``a = act(o)``, ``r, o' = step(a)``, ``learn(o, a, r, o')`` (Alexander et al. 2021, section 4).

    With `opposite` the true agent's rewards are negated; the environment and its copies do not notice.
    """
    step: i64 = 0
    while step < steps:
        action = agent.act(observation)
        if action < 0 or action >= n_actions:
            raise bad_action(action, n_actions, AGENT_SLOT, earlier_steps + step + 1)
        reward, following = environment.step(action)
        if opposite:
            reward = 0.0 - reward
        agent.learn(observation, action, reward, following)
        total += reward
        observation = following
        step += 1
    return total, observation
