"""Extended environments as worlds of the engine, with their simulated copies in slots.

The true agent lives in slot 1. Every copy that the environment makes is put into another slot as a simulated agent,
which only the world asks and trains. `AsWorld.run` calls ``multislot.run(world, {1: factory}, steps, seed)``. Its trace
has the same bits as `extenv.environment.play`, if agent and copies read the same streams.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extenv.battery import EnvironmentLike, resolve_environment
from extenv.environment import AGENT_SLOT
from extenv.measuring.running import checked_factory, stored_streams
from multislot.checks import whole
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.factories import OuterFactory
from multislot.engine.protocol import run
from multislot.engine.slots import Slots
from multislot.engine.stream import Stream
from multislot.engine.trace import Trace
from multislot.engine.turn import Percept, Turn
from multislot.engine.world import Streams, World
from multislot.errors import SettingError

_STAYS = {AGENT_SLOT: (AGENT_SLOT,)}
_COMPARED = 4


def published(seed: int, founder: int) -> Stream:
    """Return the authors' store of numbers for agents, the same for every founder."""
    return stored_streams(whole("seed", seed, 0))[0]


@dataclass(frozen=True)
class Spawner(OuterFactory):
    """A factory whose agents are put into slots as simulated ones.

    Attributes:
        slots: the agents go into the lowest empty slot after the true agent's.
    """

    slots: Slots

    def __call__(self, n_observations: int, n_actions: int, stream: Stream, **overrides: Any) -> Agent:
        """Make a fresh agent and put it into a slot."""
        agent = self.factory(n_observations, n_actions, stream, **overrides)
        slot = AGENT_SLOT + 1
        while slot in self.slots or slot in self.slots.simulated:
            slot += 1
        self.slots.spawn(agent, slot, simulated=True)
        return agent


class AsWorld(World):
    """An extended environment as a World of the engine.

    Observations have the environment's own numbers, so index 0 is an observation like the others and not the paper's λ.
    The first percept is the environment's first observation.

    Args:
        environment: its name (`extenv.BATTERY`), class or object.
        factory: makes the copies; by default Q-learners. Give the same one to `multislot.run` for slot 1.
        opposite: negate the true agent's rewards.
        streams: ``(seed, founder) -> Stream`` of agents, as in `multislot.run`; by default the authors' streams.
    """

    def __init__(
        self,
        environment: EnvironmentLike,
        factory: AgentFactory | None = None,
        *,
        opposite: bool = False,
        streams: Streams = published,
    ) -> None:
        self.environment = resolve_environment(environment)
        self.factory = checked_factory(self.environment, factory)
        self.opposite = opposite
        self.streams = streams
        self.n_observations = int(self.environment.n_observations)
        self.n_actions = int(self.environment.n_actions)
        self.slots = Slots({})
        self.agent_stream: Stream | None = None

    def run(self, steps: int, seed: int = 0) -> Trace:
        """Run a fresh agent of the factory in this world and return the trace; see `multislot.run`."""
        return run(self, {AGENT_SLOT: self.factory}, steps, seed, streams=self.streams)

    def receive(self, slots: Slots) -> None:
        """Keep the slots for the copies."""
        self.slots = slots

    def start(self, seed: int) -> dict[int, Percept]:
        """Start the environment; return the agent's first percept."""
        if self.slots.simulated:
            self.slots = Slots({})
        self.agent_stream = self.streams(seed, AGENT_SLOT)
        observation = self.environment.begin(
            Spawner(self.factory, self.slots), self.agent_stream, stored_streams(seed)[1]
        )
        return {AGENT_SLOT: Percept(observation)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Let the environment answer the agent's action."""
        if self.agent_stream is not None:
            self._check_stream()
        reward, observation = self.environment.step(actions[AGENT_SLOT])
        if self.opposite:
            reward = 0.0 - reward
        return Turn(_STAYS, {AGENT_SLOT: Percept(observation, reward)})

    def describe(self, observation: int) -> str:
        """Return the environment's name of an observation."""
        return named(self.environment.observation_names, observation)

    def describe_action(self, action: int) -> str:
        """Return the environment's name of an action."""
        return named(self.environment.action_names, action)

    def _check_stream(self) -> None:
        """Raise SettingError if the true agent reads another stream than its copies do."""
        ours, self.agent_stream = self.agent_stream, None
        theirs = getattr(self.slots.get(AGENT_SLOT), "stream", None)
        if ours is None or theirs is None or theirs is ours:
            return
        if any(ours.at(index) != theirs.at(index) for index in range(_COMPARED)):
            raise SettingError(
                "the agent in slot 1 reads another stream than the environment's copies of it, so they would act "
                "differently; give multislot.run and AsWorld the same streams=, or use AsWorld.run"
            )


def named(names: Sequence[str], index: int) -> str:
    """Return the name of an index, or the index itself if it has no name."""
    return names[index] if index < len(names) else str(index)
