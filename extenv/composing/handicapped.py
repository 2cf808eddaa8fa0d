"""A Gymnasium environment handicapped by an extended one; use it as `extenv.composing.compose.handicap`.

Alexander 2022, Definition 4, in practical form. The agent moves two joysticks at once. The first one moves the ordinary
environment. To the handicap its copies look as if they had the second one only.
"""

from dataclasses import dataclass
from operator import index
from typing import Any

import gymnasium

from extenv.environment import LARGEST_SEED, ExtendedEnvironment
from extenv.formal.plays import MercyError
from extenv.measuring.running import stored_streams
from multislot.agents.tabular import ConstantAgent
from multislot.checks import checked_instance
from multislot.engine.agent import Agent
from multislot.engine.factories import OuterFactory
from multislot.engine.stream import Stream
from multislot.errors import SettingError
from multislot.zoo.spaces import Encoder, FiniteSpace, encoder_of, index_of

ORDINARY = "the environment"
REHEARSAL_STEPS = 3


def check_fixed_cast(environment: ExtendedEnvironment) -> None:
    """Refuse an environment that makes copies of the agent after its start, as a short rehearsal shows."""
    checked_instance("environment", environment, ExtendedEnvironment)
    copies: list[Agent] = []

    # The rate is named, because `takes` looks for it; without it a handicap may make no copy at all.
    def rehearsing(n_observations: int, n_actions: int, stream: Stream, learning_rate: float = 0.1, **_: Any) -> Agent:
        copies.append(ConstantAgent(n_observations, n_actions, stream))
        return copies[-1]

    rehearsed = environment.copy()
    rehearsed.begin(rehearsing, *stored_streams(0))
    first = len(copies)
    for _ in range(REHEARSAL_STEPS):
        rehearsed.step(0)
    if len(copies) > first:
        raise SettingError(
            f"{type(environment).__name__} makes new copies of the agent after its start; only environments whose "
            "copies are all made at the start can be composed"
        )


@dataclass
class Scene:
    """One step of the ordinary environment; all copies of the agent share it.

    Attributes:
        before: the index of the observation when the agent acts.
        action: its action.
        after: the index of the next observation.
        reward: of the step.
        step: its number.
    """

    before: int = 0
    action: int = 0
    after: int = 0
    reward: float = 0.0
    step: int = 0

    def paid(self, reward: float) -> float:
        """Compute the reward of an agent that the handicap pays `reward`; a merciful environment's penalty is −1."""
        return reward * self.reward if reward >= 0 else -reward * min(self.reward - 1.0, -1.0)


class Joystick(Agent):
    """A copy of the agent as the handicap sees it: its second joystick, in the agent's present scene."""

    def __init__(self, agent: Agent, scene: Scene, n_seen: int, n_moves: int) -> None:
        self.agent, self.scene, self.n_seen, self.n_moves = agent, scene, n_seen, n_moves
        self.learned_step = 0

    def act(self, observation: int) -> int:
        """Return the copy's move of its second joystick, in the last scene that it knows."""
        scene = self.scene
        seen = scene.after if self.learned_step == scene.step else scene.before
        return self.agent.act(seen * self.n_seen + observation) % self.n_moves

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Let the copy learn the handicap's transition together with that of the scene."""
        scene = self.scene
        self.learned_step = scene.step
        self.agent.learn(
            scene.before * self.n_seen + observation,
            scene.action * self.n_moves + action,
            scene.paid(reward),
            scene.after * self.n_seen + next_observation,
        )


@dataclass(frozen=True)
class JoystickFactory(OuterFactory):
    """A factory of joysticks, each of which moves an agent of another factory."""

    scene: Scene
    n_outer_observations: int
    n_outer_actions: int

    def __call__(self, n_observations: int, n_actions: int, stream: Stream, **overrides: Any) -> Joystick:
        """Return the joystick of a fresh copy of the agent."""
        sizes = self.n_outer_observations * n_observations, self.n_outer_actions * n_actions
        return Joystick(self.factory(*sizes, stream, **overrides), self.scene, n_observations, n_actions)


class Handicapped(ExtendedEnvironment):
    """What would you do with the second joystick, while the first one is what you came for?

    The agent's action is a pair: ``action // m`` goes to the ordinary environment and ``action % m`` to the handicap,
    which has m actions. Its observation is a pair in the same way. If the handicap pays 1, the agent receives the
    ordinary reward r; if it pays −1, the agent receives ``min(r − 1, −1)``; if it pays 0, the agent receives 0. Other
    amounts scale these rewards. The handicap's copies have the same pairs, but the handicap chooses its half of them.
    When an episode ends, a new one begins at once, and the agent sees its first observation.

    Departures from Alexander 2022, Def. 4: a handicap may have several observations, and may pay 0. If the handicap
    delays a reward to a copy, its amount depends on what the environment pays at that later time.

    Arguments as for `extenv.composing.compose.handicap`.
    """

    def __init__(
        self,
        environment: gymnasium.Env[Any, Any],
        by: ExtendedEnvironment,
        encoder: Encoder | None = None,
        merciful: bool = True,
    ) -> None:
        check_fixed_cast(by)
        self.environment, self.by, self.merciful = environment, by, merciful
        self.outer_actions = FiniteSpace(f"action of {ORDINARY}", environment.action_space)
        self.encoder = encoder_of(environment.observation_space, ORDINARY, encoder)
        self.n_observations = index(self.encoder.n_observations) * by.n_observations
        self.n_actions = self.outer_actions.count * by.n_actions

    def start(self) -> int:
        """Start the first episode and the handicap."""
        self.episode = 0
        self.scene = Scene()
        self.scene.before = self.scene.after = self.start_episode()
        copies = JoystickFactory(self.factory, self.scene, self.encoder.n_observations, self.outer_actions.count)
        inner: int = self.by.begin(copies, self.agent_stream, self.stream)
        return self.scene.after * self.by.n_observations + inner

    def start_episode(self) -> int:
        """Start an episode, seeded by the run's stream; return the index of its first observation."""
        observation, _info = self.environment.reset(seed=self.draw(self.episode, LARGEST_SEED))
        self.episode += 1
        return index_of(self.encoder, observation, ORDINARY)

    def step(self, action: int) -> tuple[float, int]:
        """Move both joysticks.

        Raises:
            MercyError: at the first negative reward of an environment declared merciful.
        """
        outer, inner = divmod(action, self.by.n_actions)
        scene = self.scene
        turn = self.environment.step(self.outer_actions.value(outer))
        observation, paid, terminated, truncated, _info = turn
        reward, step = float(paid), scene.step + 1
        if self.merciful and reward < 0:
            raise MercyError(
                f"step {step}: an environment declared merciful paid {reward}; handicap it with merciful=False, which "
                "pays min(reward - 1, -1) where the handicap disapproves"
            )
        after = self.start_episode() if terminated or truncated else index_of(self.encoder, observation, ORDINARY)
        scene.before, scene.action, scene.after, scene.reward, scene.step = scene.after, outer, after, reward, step
        judgment, inner_observation = self.by.step(inner)
        return scene.paid(judgment), scene.after * self.by.n_observations + inner_observation
