"""The roles of an extended environment as separate agents of PettingZoo; use it as `extenv.composing.compose.unfold`.

An extended environment asks its copies of the agent in the middle of a step. So a step is run on a copy of the
environment with the answers known so far. At the first question without an answer it stops, and that role has its turn.
With its answer the step is run again. So nothing waits in the background, and a game can be copied at any time.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv

from extenv.environment import ExtendedEnvironment
from extenv.measuring.running import stored_streams
from multislot.checks import checked_instance, whole
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream
from multislot.errors import SettingError, show_value

AGENT = "agent_0"
REHEARSAL_STEPS = 3
LEARNING_RATE = 0.1
"""The learning rate of roles, for environments that need one; it has no effect."""


class Unanswered(Exception):  # noqa: N818 (it is a question, not an error)
    """Internal to this module: a copy is asked a question that has no answer yet."""

    def __init__(self, role: int, observation: int) -> None:
        super().__init__(role, observation)
        self.role, self.observation = role, observation


@dataclass
class Script:
    """The answers and the copies' lessons of the present step.

    Copies of an environment share it: only one of them runs at a time, and it is reset before each run.
    """

    answers: list[int] = field(default_factory=list)
    asked: int = 0
    lessons: list[tuple[int, int, int, float, int]] = field(default_factory=list)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Script":
        return self


class Puppet(Agent):
    """A copy of the agent whose answers come from outside; without a script, in a rehearsal, it takes action 0."""

    learning_rate = LEARNING_RATE

    def __init__(self, role: int, script: Script | None) -> None:
        self.role, self.script = role, script

    def act(self, observation: int) -> int:
        """Return the next answer, or stop the step."""
        script = self.script
        if script is None:
            return 0
        if script.asked == len(script.answers):
            raise Unanswered(self.role, observation)
        script.asked += 1
        return script.answers[script.asked - 1]

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Record the lesson."""
        if self.script is not None:
            self.script.lessons.append((self.role, observation, action, reward, next_observation))


@dataclass
class Cast:
    """Makes the copies of one environment and records their sizes.

    Attributes:
        script: contains their answers; None in a rehearsal.
        sizes: the numbers of observations and actions of every copy, in order of creation.
    """

    script: Script | None
    sizes: list[tuple[int, int]] = field(default_factory=list)

    def __call__(
        self, n_observations: int, n_actions: int, stream: Stream, learning_rate: float = LEARNING_RATE
    ) -> Agent:
        """Return the next copy; it takes a learning rate, for environments that set one."""
        self.sizes.append((n_observations, n_actions))
        return Puppet(len(self.sizes), self.script)

    def factory(self, n_observations: int, n_actions: int, stream: Stream) -> Agent:
        """Return an agent that is not a copy and is not counted."""
        return Puppet(0, None)


def check_fixed_cast(environment: ExtendedEnvironment) -> list[tuple[int, int]]:
    """Return the numbers of observations and actions of each copy that an environment makes at its start.

    A short rehearsal finds them; SettingError if it makes further copies later.
    """
    checked_instance("environment", environment, ExtendedEnvironment)
    cast, environment = Cast(None), environment.copy()
    environment.begin(cast, *stored_streams(0))
    first = list(cast.sizes)
    for _ in range(REHEARSAL_STEPS):
        environment.step(0)
    name = type(environment).__name__
    if cast.sizes != first:
        raise SettingError(
            f"{name} makes new copies of the agent after its start; only environments whose copies are all made at the "
            "start can be composed"
        )
    return first


class Unfolded(AECEnv):  # type: ignore[misc]  # PettingZoo ships no type information
    """A game of the true agent, ``agent_0``, and its copies ``copy_1``, ``copy_2``, …, in order of creation.

    A turn of a copy is a question that the environment asks it. Its rewards are those that the environment teaches it.
    An environment may teach a transition that did not happen, with another action or another reward. So
    ``infos[copy]["lessons"]`` contains the transitions that it was taught since its last turn.

    Arguments as for `extenv.composing.compose.unfold`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "name": "unfolded_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, environment: ExtendedEnvironment, steps: int) -> None:
        super().__init__()
        most_steps = whole("steps", steps, 1)
        copies = check_fixed_cast(environment)
        if not copies:
            raise SettingError(f"{type(environment).__name__} simulates nobody; there are no roles to unfold")
        self.environment, self.most_steps = environment, most_steps
        self.metadata = {**self.metadata, "name": f"unfolded_{type(environment).__name__}_v0"}
        self.possible_agents = [AGENT, *(f"copy_{role}" for role in range(1, len(copies) + 1))]
        sizes = [(environment.n_observations, environment.n_actions), *copies]
        named = dict(zip(self.possible_agents, sizes, strict=True))
        self.observation_spaces = {name: Discrete(n_observations) for name, (n_observations, _) in named.items()}
        self.action_spaces = {name: Discrete(n_actions) for name, (_, n_actions) in named.items()}
        self.render_mode = None
        self.seed = 0

    def observation_space(self, agent: str) -> Discrete:
        """Return the observation space of `agent`; a copy may have another one than the true agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of `agent`; a copy may have another one than the true agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; by default with the last seed plus 1."""
        self.seed = self.seed + 1 if seed is None else seed
        self.agents = list(self.possible_agents)
        self.terminations, self.truncations = (dict.fromkeys(self.agents, False) for _ in range(2))
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 0.0) for _ in range(2))
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self.seen = dict.fromkeys(self.agents, np.int64(0))
        self.script, self.steps, self.taught = Script(), 0, 0
        self.settled = self.environment
        self.action: int | None = None
        self.answers: list[int] = []
        self.proceed()

    def observe(self, agent: str) -> np.int64:
        """Return the last observation of `agent`."""
        return self.seen[agent]

    def step(self, action: int | None) -> None:
        """Take the turn of `agent_selection`."""
        name = self.agent_selection
        if self.terminations[name] or self.truncations[name]:
            self._was_dead_step(action)
            return
        if action is None or not self.action_spaces[name].contains(int(action)):
            raise SettingError(
                f"{name} acted {show_value(action)}; expected one of range({self.action_spaces[name].n})"
            )
        self._cumulative_rewards[name] = 0.0
        self._clear_rewards()
        self.infos[name] = {}  # the other agents have not seen theirs yet
        if name == AGENT:
            self.action, self.answers, self.taught = int(action), [], 0
        else:
            self.answers.append(int(action))
        self.proceed()
        self._accumulate_rewards()

    def proceed(self) -> None:
        """Run the present step from its beginning to the next question, or to its end."""
        self.script.answers, self.script.asked, self.script.lessons = self.answers, 0, []
        environment = self.settled.copy()
        try:
            if self.action is None:
                reward, observation = 0.0, environment.begin(Cast(self.script), *stored_streams(self.seed))
            else:
                reward, observation = environment.step(self.action)
        except Unanswered as question:
            self.agent_selection, observation = f"copy_{question.role}", question.observation
        else:
            self.agent_selection, self.settled = AGENT, environment
            self.rewards[AGENT] += reward
            if self.action is not None:
                self.steps += 1
            if self.steps == self.most_steps:
                self.truncations = dict.fromkeys(self.agents, True)
        self.seen[self.agent_selection] = np.int64(observation)
        self.teach()

    def teach(self) -> None:
        """Give the copies their lessons since the last turn as rewards and infos."""
        for role, *lesson in self.script.lessons[self.taught :]:
            name = f"copy_{role}"
            self.rewards[name] += lesson[2]
            self.infos[name].setdefault("lessons", []).append(tuple(lesson))
        self.taught = len(self.script.lessons)
