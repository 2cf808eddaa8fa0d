"""Gymnasium views for learning considerate agents: one agent learns, the others follow fixed policies.

This is the setting of Alizadeh Alamdari et al. 2021. `SoloEnv` is one agent's view of any PettingZoo environment, with
or without `considerate.wrappers.Caring`. `considerate.zoo.tasks.TaskEnv`, which this module has too, is a task of
Craft-World.
"""

from collections.abc import Callable, Mapping
from copy import copy
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from considerate.wrappers import ORIGINAL, caring_wrappers, find_wrapper, warn_of_hidden_limit
from considerate.zoo.tasks import TaskEnv as TaskEnv
from multislot.checks import checked_callable, checked_seed, known_name, refusal
from multislot.errors import SettingError
from multislot.zoo.infos import ACTION_MASK

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

__all__ = ["CountedGame", "SoloEnv"]

EMPTY_EPISODES = 1000
"""So many episodes in a row in which nobody who learns has a turn are an error."""
Policy: TypeAlias = Callable[..., Any]
"""From an agent's observation to its action."""


def mask_of(observation: Any, info: Mapping[str, Any]) -> Any:
    """The mask of an agent's actions, of its info, as here, or its observation, as in PettingZoo's classic games."""
    return info.get(ACTION_MASK, observation.get(ACTION_MASK) if isinstance(observation, Mapping) else None)


class Greedy:
    """A trained model's deterministic policy: from an observation, and perhaps an info with a mask, to an action.

    Args:
        model: of Stable-Baselines3.

    Attributes:
        memory: what a recurrent model remembers of the episode; None at its start.
    """

    def __init__(self, model: "BaseAlgorithm") -> None:
        self.model = model
        self.memory: Any = None
        space = getattr(model, "observation_space", None)
        self._numbers = int(np.prod(getattr(space, "shape", None) or ())) or 1
        self._takes_masks = "action_masks" in signature(model.predict).parameters
        self._normalization = model.get_vec_normalize_env() if hasattr(model, "get_vec_normalize_env") else None

    def __call__(self, observation: Any, info: Mapping[str, Any] | None = None) -> Any:
        """Act; an action without dimensions is a Python number."""
        if np.size(observation) % self._numbers:
            expected = f"{self._numbers} numbers, as the model saw in training"
            raise refusal("observation", observation, expected, "stack them here if a VecFrameStack did so there")
        masks: Any = {"action_masks": mask_of(observation, info or {})} if self._takes_masks else {}
        seen = observation if self._normalization is None else self._normalization.normalize_obs(observation)
        action, self.memory = self.model.predict(seen, self.memory, deterministic=True, **masks)
        return action.item() if np.ndim(action) == 0 else action


def choose(policy: Policy, observation: Any, info: Mapping[str, Any]) -> Any:
    """Act by a policy; a trained model gets the info, too, which may have a mask."""
    return policy(observation, info) if isinstance(policy, Greedy) else policy(observation)


def begin_episode(policy: Policy) -> None:
    """Let a trained model forget the last episode."""
    if isinstance(policy, Greedy):
        policy.memory = None


class CountedGame:
    """The AEC view of a PettingZoo environment, which counts everyone's own returns, without the caring terms.

    Args:
        env: AEC or Parallel, with or without `Caring`.
    """

    def __init__(self, env: object) -> None:
        if not isinstance(env, AECEnv | ParallelEnv):
            raise refusal("env", env, "a PettingZoo AECEnv or ParallelEnv")
        self.aec: Any = env if isinstance(env, AECEnv) else parallel_to_aec(env)
        self._totals, self._caring = dict[Any, float](), next(caring_wrappers(env), None)

    def reset(self, seed: int | None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; without a seed the environment goes on drawing where it was."""
        self.aec.reset(seed=seed, options=options)
        self._totals = {agent: float(reward) for agent, reward in self.aec.rewards.items()}

    def step(self, action: Any) -> None:
        """Take the turn of the agent whose turn it is."""
        self.aec.step(action)
        for agent, reward in self.aec.rewards.items():
            self._totals[agent] = self._totals.get(agent, 0.0) + float(reward)

    def totals(self) -> dict[str, float]:
        """Return the returns so far, by name."""
        totals = self._totals if self._caring is None else self._caring.original_returns
        return {str(agent): value for agent, value in totals.items()}


class SoloEnv(gymnasium.Env[Any, Any]):
    """One agent's view of a PettingZoo environment in which all others follow fixed policies.

    An episode begins at the agent's first turn and ends at its last; a game that ends before is played again. All turns
    of others before the agent's next turn belong to one step, and what it is paid before its first turn to its first
    step. The game gets the seed of each reset; without one it goes on drawing where it was. With the criterion ``sim``
    the agent is paid until all others have ended (`considerate.wrappers`): its last step then includes what it is paid
    after its end. Limits, and the argument ``bootstrap_at_limit`` of `Caring`, are as in `considerate.wrappers`.

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
        self.others = {
            name: copy(policy) if isinstance(policy, Greedy) else policy  # each has a memory of its own
            for name, policy in dict(others or {}).items()
        }
        for name in (agent, *self.others):
            known_name("agent", name, env.possible_agents)
        for name, policy in self.others.items():
            checked_callable(f"others[{name!r}]", policy, "a function of observations")
        self.agent, self.env, self._wrapper = agent, self._game.aec, find_wrapper(env, agent)
        self.pays_futures = self._wrapper is not None and self._wrapper.pays_futures
        self.own_coefficient = 1 if self._wrapper is None else self._wrapper.own_coefficient
        self.observation_space = env.observation_space(agent)
        self.action_space = env.action_space(agent)
        world = getattr(getattr(env.unwrapped, "stage", None), "world", None)
        self.has_end = hasattr(world, "task")  # the worlds of Craft-World have one, which can be finished
        self.metadata = env.metadata
        self.render_mode = getattr(env, "render_mode", None)
        self._mask: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode and let others act until the learner's first turn."""
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        warn_of_hidden_limit(self.pays_futures)
        if not any(self._begin(None if again else seed, options) for again in range(EMPTY_EPISODES)):
            raise SettingError(
                f"agent {self.agent!r} had no turn in {EMPTY_EPISODES} episodes; give the others other policies"
            )
        observation, reward, _, _, info = self.env.last()
        self._early = float(reward), float(info.get(ORIGINAL, reward))
        self._mask = mask_of(observation, info)
        return observation, dict(info)  # games may keep theirs and change it

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, and let others act until the learner's next turn."""
        self._game.step(action)
        self._let_others_act()
        observation, reward, terminated, truncated, info = self.env.last()
        reward, own = reward + self._early[0], float(info.get(ORIGINAL, reward)) + self._early[1]
        self._early = 0.0, 0.0
        while getattr(self._wrapper, "waits", False) and not (terminated or truncated):
            self._game.step(action)  # it has ended: the action is discarded, the payment goes on
            self._let_others_act()
            _, more, terminated, truncated, later = self.env.last()
            reward, own = reward + more, own + float(later.get(ORIGINAL, 0.0))
            info = {**info, **later}
        info = {**info, ORIGINAL: own} if ORIGINAL in info else dict(info)
        self._mask = mask_of(observation, info)
        return observation, float(reward), bool(terminated), bool(truncated), info

    @property
    def action_masks(self) -> Callable[[], NDArray[np.bool_]]:
        """Finds the mask of the agent's actions, for MaskablePPO; an environment without masks does not have it."""
        if self._mask is None:
            raise AttributeError("action_masks")
        return lambda: np.asarray(self._mask, np.bool_)

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
            if self.env.agent_selection == self.agent and not (terminated or truncated):
                break
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

    def _begin(self, seed: int | None, options: dict[str, Any] | None) -> bool:
        """Begin an episode of the game and let others act; return whether the learner has a turn in it."""
        self._game.reset(seed, options)
        for policy in self.others.values():
            begin_episode(policy)
        self._let_others_act()
        ended = self.env.terminations, self.env.truncations
        return self.agent in self.env.agents and not any(flags[self.agent] for flags in ended)

    def _let_others_act(self) -> None:
        while self.env.agents and (agent := self.env.agent_selection) != self.agent:
            self._let_other_act(agent)

    def _let_other_act(self, agent: Any) -> None:
        observation, _, terminated, truncated, info = self.env.last()
        if terminated or truncated:
            self._game.step(None)
        elif agent in self.others:
            self._game.step(choose(self.others[agent], observation, info))
        else:
            raise SettingError(f"it is the turn of agent {agent!r}, which has no policy; give it a policy in others")
