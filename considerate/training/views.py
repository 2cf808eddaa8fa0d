"""Gymnasium views for learning considerate agents: one agent learns, the others follow fixed policies.

This is the setting of Alizadeh Alamdari et al. 2021. `SoloEnv` is one agent's view of any PettingZoo environment, with
or without `considerate.wrappers.Caring`. `TaskEnv` is a task of Craft-World with its augmented reward, the problem that
`considerate.solve` solves.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from considerate.craftworld.definition import Task
from considerate.craftworld.drawing import ansi, rgb_array
from considerate.craftworld.grid import WALLS
from considerate.criteria import Criterion
from considerate.distributions import Number
from considerate.exact.problem import Caring, Problem, augmented
from considerate.wrappers import AT_LIMIT, ORIGINAL, find_wrapper, warn_of_hidden_limit
from multislot.checks import checked_callable, checked_index, checked_instance, checked_seed, known_name, refusal, whole
from multislot.errors import SettingError, UnknownNameError

__all__ = ["CountedGame", "SoloEnv", "TaskEnv"]

Policy: TypeAlias = Callable[[Any], Any]
"""From an agent's observation to its action."""

STEPS = 1000
"""The largest number of steps of an episode of a task, as in the authors' released experiments."""

OBSERVATIONS = ("numbers", "one-hot", "grid")
"""The kinds of observations of a task."""


class CountedGame:
    """The AEC view of a PettingZoo environment, which counts everyone's own returns, without the caring terms.

    Args:
        env: AEC or Parallel, with or without `Caring`.
    """

    def __init__(self, env: object) -> None:
        if not isinstance(env, AECEnv | ParallelEnv):
            raise refusal("env", env, "a PettingZoo AECEnv or ParallelEnv")
        self.aec: Any = env if isinstance(env, AECEnv) else parallel_to_aec(env)
        self._env, self._totals = env, dict[Any, float]()

    def reset(self, seed: int, options: dict[str, Any] | None = None) -> None:
        """Start an episode."""
        self.aec.reset(seed=seed, options=options)
        self._totals = {}

    def step(self, action: Any) -> None:
        """Take the turn of the agent whose turn it is."""
        self.aec.step(action)
        for agent, reward in self.aec.rewards.items():
            self._totals[agent] = self._totals.get(agent, 0.0) + float(reward)

    def totals(self) -> dict[str, float]:
        """Return the returns so far, by name."""
        totals = getattr(self._env, "original_returns", self._totals)
        return {str(agent): value for agent, value in totals.items()}


class SoloEnv(gymnasium.Env[Any, Any]):
    """One agent's view of a PettingZoo environment in which all others follow fixed policies.

    An episode begins at the agent's first turn and ends at its last. All turns of others before the agent's next turn
    belong to one step. The first reset's seed fixes all later episodes. With the criterion ``sim`` the agent is paid
    until all others have ended (`considerate.wrappers`): its last step then includes what it is paid after its end.
    Limits, and the argument ``bootstrap_at_limit`` of `Caring`, are as in `considerate.wrappers`.

    Args:
        env: any PettingZoo environment, AEC or Parallel.
        agent: the agent that learns.
        others: from each other agent to its policy, a function from its observation to its action.
    """

    def __init__(
        self,
        env: AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any],
        agent: Any,
        others: Mapping[Any, Policy] | None = None,
    ) -> None:
        self._game = CountedGame(env)
        self.others = dict(others or {})
        for name in (agent, *self.others):
            known_name("agent", name, env.possible_agents)
        for name, policy in self.others.items():
            checked_callable(f"others[{name!r}]", policy, "a function of observations")
        self.agent, self.env, self._wrapper = agent, self._game.aec, find_wrapper(env, agent)
        self.pays_futures = self._wrapper is not None and self._wrapper.pays_futures
        self.observation_space = env.observation_space(agent)
        self.action_space = env.action_space(agent)
        world = getattr(getattr(env.unwrapped, "stage", None), "world", None)
        self.has_end = hasattr(world, "task")  # the worlds of Craft-World have one, which can be finished
        self.metadata = env.metadata
        self.render_mode = getattr(env, "render_mode", None)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode and let others act until the learner's first turn."""
        super().reset(seed=None if seed is None else checked_seed(seed))
        warn_of_hidden_limit(self.pays_futures)
        self._game.reset(int(self.np_random.integers(2**31)), options)
        self._let_others_act()
        observation, _, _, _, info = self.env.last()
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, and let others act until the learner's next turn."""
        self._game.step(action)
        self._let_others_act()
        observation, reward, terminated, truncated, info = self.env.last()
        own = float(info.get(ORIGINAL, reward))
        while getattr(self._wrapper, "waits", False) and not (terminated or truncated):
            self._game.step(action)  # it has ended: the action is discarded, the payment goes on
            self._let_others_act()
            _, more, terminated, truncated, later = self.env.last()
            reward, own = reward + more, own + float(later.get(ORIGINAL, 0.0))
            info = {**info, **later, ORIGINAL: own}
        return observation, float(reward), bool(terminated), bool(truncated), info

    def finish(self, steps: int) -> dict[str, float]:
        """Let the others play on if the learner has ended; return everyone's own return, the learner's first.

        In a task of Craft-World these include the agents that do not act, by their names there.

        Args:
            steps: the largest number of steps of the others.
        """
        of_world = getattr(self.env.unwrapped, "bystanders", None)
        for _ in range(steps):
            if not self.env.agents:
                break
            _, _, terminated, truncated, _ = self.env.last()
            if terminated or truncated:
                self._game.step(None)
            elif self.env.agent_selection == self.agent:
                break
            else:
                self._let_other_act(self.env.agent_selection)
        returns, bystanders = self.totals(), of_world() if callable(of_world) else {}
        return {str(self.agent): returns.pop(str(self.agent), 0.0), **returns, **bystanders}

    def totals(self) -> dict[str, float]:
        """Everyone's own return of this episode so far, by name."""
        return self._game.totals()

    def render(self) -> Any:
        """Render the environment."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _let_others_act(self) -> None:
        while (agent := self.env.agent_selection) != self.agent:
            if not self.env.agents:
                raise SettingError(
                    f"the episode ended before agent {self.agent!r} had a turn; give the others other policies"
                )
            self._let_other_act(agent)

    def _let_other_act(self, agent: Any) -> None:
        observation, _, terminated, truncated, _ = self.env.last()
        if terminated or truncated:
            self._game.step(None)
        elif agent in self.others:
            self._game.step(self.others[agent](observation))
        else:
            raise SettingError(f"it is the turn of agent {agent!r}, which has no policy; give it a policy in others")


class TaskEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """A task of Craft-World as its acting agent learns it, with the augmented reward.

    Actions are those of the task, in its order. The agent's own reward is in ``info`` under `ORIGINAL`.

    With ``observations="numbers"`` an observation is two numbers: the index of the agent's cell and the index of the
    set of facts. With ``"grid"`` it is zeros and ones, [planes, height, width]. The planes are the agent, the walls,
    every word of the legend, every thing that lies in a cell, and every other fact; the plane of a fact that holds has
    ones everywhere. `planes` has their names. With ``"one-hot"`` it is a vector with a one for the cell and a one for
    the set of facts.

    Args:
        task: the acting agent's task.
        criterion: as for `considerate.solve`.
        caring: as for `considerate.solve`.
        discount: γ.
        steps: the limit of an episode.
        observations: "numbers", "one-hot" or "grid".
        render_mode: None, "ansi" (text) or "rgb_array" (pixels).
        bootstrap_at_limit: whether learners bootstrap at the limit, where then nothing is paid and the step is
            ``truncated``. By default the futures are paid there, as if the agent had stopped, and the step is
            ``terminated``.

    Raises:
        NeverEndingError: the task cannot be finished.
    """

    def __init__(
        self,
        task: Task,
        criterion: str | Criterion | type[Criterion] = "value",
        caring: Caring = 1,
        discount: Number = 1,
        steps: int = STEPS,
        observations: Literal["numbers", "one-hot", "grid"] = "numbers",
        render_mode: Literal["ansi", "rgb_array"] | None = None,
        bootstrap_at_limit: bool = False,
    ) -> None:
        checked_instance("bootstrap_at_limit", bootstrap_at_limit, bool)
        known_name("kind of observations", observations, OBSERVATIONS)
        self.metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise UnknownNameError("render mode", render_mode, self.metadata["render_modes"])
        self.observations, self.render_mode = observations, render_mode
        self.agent, self.has_end, self.is_deterministic = task.acting.name, True, True
        self.problem = Problem(task, augmented(task, criterion, caring, discount=discount))
        self.graph, self.steps = task.graph, whole("steps", steps)
        self.pays_futures = not (bootstrap_at_limit or self.problem.reward.criterion.every_step)
        self.rewards, self._terms = self.problem.process().rewards, dict[int, float]()
        facts = {fact for things in self.graph.things for fact in things.facts}
        names = {name if isinstance(value, tuple) else f"{name}: {value}" for name, value in facts}
        self.planes = ("agent", "walls", *task.grid.legend.values(), *sorted(names))
        self.observation_space: gymnasium.Space[Any] = MultiDiscrete([len(self.graph.cells), len(self.graph.things)])
        if observations == "one-hot":
            self.observation_space = Box(0, 1, (len(self.graph.cells) + len(self.graph.things),), np.float32)
        if observations == "grid":
            self._map = np.zeros((len(self.planes), task.grid.height, task.grid.width), np.uint8)
            self._map[1] = [[mark in WALLS for mark in row] for row in task.grid.rows]
            for plane, word in enumerate(task.grid.legend.values(), 2):
                for x, y in task.grid.cells(word):
                    self._map[plane, y, x] = 1
            self.observation_space = Box(0, 1, self._map.shape, np.uint8)
        self.action_space = Discrete(len(self.graph.actions))
        self.state: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Put the acting agent at its start."""
        super().reset(seed=None if seed is None else checked_seed(seed))
        warn_of_hidden_limit(self.pays_futures)
        self.state, self.time, self._returns = self.problem.start, 0, dict.fromkeys(self.problem.task.agents, 0.0)
        return self.look(self.state), {ORIGINAL: 0.0, AT_LIMIT: False}

    def step(self, action: np.int64) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Act."""
        if self.state is None:
            raise SettingError("the environment has not started; call reset() first")
        before = (self.state, checked_index("action", action, len(self.graph.actions)))
        self.time += 1
        self.state = int(self.graph.targets[before])
        ended = bool(self.graph.terminal[self.state])
        own = -float(self.graph.costs[before])
        self._returns[self.agent] += own
        task, after = self.problem.task, self.graph.state(self.state)
        if task.partner is not None:
            self._returns[task.partner.name] += float(task.partner.reward(self.graph.state(before[0]), after))
        elif ended:  # those who come later get their returns at the end
            self._returns |= {name: float(value(after)) for name, value in task.value_functions().items()}
        reward, limit = float(self.rewards[before]), self.time >= self.steps and not ended
        if limit and self.pays_futures:
            reward += self.term_at_limit(self.state)
        terminated = ended or (limit and self.pays_futures)
        return self.look(self.state), reward, terminated, limit and not terminated, {ORIGINAL: own, AT_LIMIT: limit}

    def term_at_limit(self, state: int) -> float:
        """Return what is paid for the others' futures when the agent is stopped in a state."""
        if state not in self._terms:
            end = self.graph.state(state)
            self._terms[state] = float(self.problem.reward.term(end, self.problem.task.start))
        return self._terms[state]

    def finish(self, steps: int) -> dict[str, float]:
        """Return everyone's own return of this episode; those who come later have 0 if the acting agent never left."""
        return self.totals()

    def totals(self) -> dict[str, float]:
        """Everyone's own return of this episode so far, by name."""
        return dict(self._returns)

    def look(self, state: int) -> NDArray[Any]:
        """Return the observation of a state, given by its index in `graph`."""
        cell, things = self.graph.cell_of[state], self.graph.things_of[state]
        if self.observations == "numbers":
            return np.array([cell, things])
        if self.observations == "one-hot":
            vector = np.zeros(self.observation_space.shape or (), np.float32)
            vector[[cell, len(self.graph.cells) + things]] = 1
            return vector
        (x, y), facts = self.graph.state(state)
        seen = self._map.copy()
        seen[0, y, x] = 1
        for name, value in facts.facts:
            if isinstance(value, tuple):
                seen[self.planes.index(name), value[1], value[0]] = 1
            else:
                seen[self.planes.index(f"{name}: {value}")] = 1
        return seen

    def render(self) -> Any:
        """Return the present state as text or pixels, as the render mode says."""
        return self.draw(self.problem.start if self.state is None else self.state)

    def draw(self, state: int) -> Any:
        """Draw a state, given by its index in `graph`, as the render mode says."""
        if self.render_mode is None:
            raise refusal("render_mode", None, "a render mode", "give it when the environment is made")
        return (ansi if self.render_mode == "ansi" else rgb_array)(self.problem.task, self.graph.state(state))
