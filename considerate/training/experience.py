"""What several agents experience, and how it updates Stable-Baselines3 models that share it or keep it apart."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from considerate.training.models import algorithm_class, check_names, fresh_model, quiet
from multislot.errors import UnknownNameError

ON_POLICY, OFF_POLICY = ("A2C", "PPO"), ("DQN",)


@dataclass(frozen=True)
class Learner:
    """What one model learns with.

    Args:
        algorithm: A2C, PPO or DQN.
        policy: the kind of network, by its name in Stable-Baselines3.
        settings: further arguments of the algorithm, as plain data.

    Raises:
        UnknownNameError: the algorithm is not known here.
    """

    algorithm: str = "PPO"
    policy: str = "MlpPolicy"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.algorithm not in ON_POLICY + OFF_POLICY:
            raise UnknownNameError("algorithm for several learners", self.algorithm, ON_POLICY + OFF_POLICY)


@dataclass(frozen=True)
class Transition:
    """One step of one agent, complete at its next turn."""

    agent: str
    observation: Any
    action: Any
    reward: float
    following: Any
    terminated: bool
    truncated: bool
    value: float = 0.0
    log_probability: float = 0.0


def completed(before: Transition, observation: Any, reward: float, terminated: bool, truncated: bool) -> Transition:
    """Return a transition with what the agent's next turn has brought."""
    end = {"reward": float(reward), "following": observation, "terminated": terminated, "truncated": truncated}
    return Transition(**{**vars(before), **end})


class Desk:
    """One learner: its model, and the experience that it has not used yet."""

    def __init__(self, learner: Learner, spaces: tuple[Any, Any], seed: int) -> None:
        check_names(learner.algorithm, learner.policy, learner.settings)
        self.learner = learner
        self.model: Any = fresh_model(learner.algorithm, learner.policy, learner.settings, _vectorized(*spaces), seed)
        quiet(self.model)

    experience: Any

    def act(self, agent: str, observation: Any, progress: float) -> Transition:
        """Return the beginning of a transition; `progress` is the share of training that remains."""
        raise NotImplementedError

    def learn(self, transition: Transition) -> None:
        """Take note of a complete transition, and update the model when enough are there."""
        raise NotImplementedError

    def restore(self, networks: bytes, experience: Any, action_space: Any) -> None:
        """Go on with a stored model, its unused experience and its space's random generator."""
        self.model = algorithm_class(self.learner.algorithm).load(io.BytesIO(networks), env=self.model.get_env())
        quiet(self.model)
        self.experience, self.model.action_space = experience, action_space


class OnPolicy(Desk):
    """A learner with A2C or PPO."""

    def __init__(self, learner: Learner, spaces: tuple[Any, Any], seed: int) -> None:
        super().__init__(learner, spaces, seed)
        self.experience: list[Transition] = []

    def act(self, agent: str, observation: Any, progress: float) -> Transition:
        """Return the beginning of a transition, with the value and the probability that the update needs."""
        import torch

        self.model._current_progress_remaining = progress
        policy = self.model.policy
        policy.set_training_mode(False)
        tensor, _ = policy.obs_to_tensor(np.asarray(observation))
        with torch.no_grad():
            actions, values, log_probabilities = policy(tensor)
        action = _plain(actions.cpu().numpy()[0], self.model.action_space)
        return Transition(agent, observation, action, 0.0, None, False, False, float(values), float(log_probabilities))

    def learn(self, transition: Transition) -> None:
        """Update when the agents have made ``n_steps`` transitions together."""
        self.experience.append(transition)
        self.model.num_timesteps += 1
        if len(self.experience) >= self.model.n_steps:
            self.model.rollout_buffer = self._buffer()
            self.experience = []
            self.model.train()

    def _buffer(self) -> Any:
        """Return the experience in a rollout buffer: agent after agent, each part ended or bootstrapped."""
        import torch
        from stable_baselines3.common.buffers import RolloutBuffer

        model = self.model
        buffer = RolloutBuffer(
            len(self.experience),
            model.observation_space,
            model.action_space,
            model.device,
            model.gae_lambda,
            model.gamma,
        )
        begins = True
        for one, is_last in _agent_by_agent(self.experience):
            ends = one.terminated or one.truncated or is_last
            reward = one.reward
            if ends and not one.terminated:
                tensor, _ = model.policy.obs_to_tensor(np.asarray(one.following))
                with torch.no_grad():
                    reward += model.gamma * float(model.policy.predict_values(tensor))
            buffer.add(
                np.asarray(one.observation)[None],
                np.asarray(one.action).reshape(1, -1),
                np.array([reward]),
                np.array([begins]),
                torch.tensor([one.value]),
                torch.tensor([one.log_probability]),
            )
            begins = ends
        buffer.compute_returns_and_advantage(torch.zeros(1), np.array([True]))
        return buffer


def _agent_by_agent(experience: list[Transition]) -> "list[tuple[Transition, bool]]":
    """Return transitions in the order of agents, each with whether it is the agent's last."""
    by_agent: dict[str, list[Transition]] = {}
    for one in experience:
        by_agent.setdefault(one.agent, []).append(one)
    return [(one, place == len(own)) for own in by_agent.values() for place, one in enumerate(own, 1)]


class OffPolicy(Desk):
    """A learner with DQN."""

    def __init__(self, learner: Learner, spaces: tuple[Any, Any], seed: int) -> None:
        super().__init__(learner, spaces, seed)
        self.model._total_timesteps = 1

    @property
    def experience(self) -> Any:
        """The replay buffer."""
        return self.model.replay_buffer

    @experience.setter
    def experience(self, buffer: Any) -> None:
        self.model.replay_buffer = buffer

    def act(self, agent: str, observation: Any, progress: float) -> Transition:
        """Return the beginning of a transition; random before learning starts, then ε-greedy."""
        model = self.model
        model._current_progress_remaining = progress
        if model.num_timesteps < model.learning_starts:
            action = model.action_space.sample()
        else:
            action, _ = model.predict(np.asarray(observation), deterministic=False)
        return Transition(agent, observation, _plain(action, model.action_space), 0.0, None, False, False)

    def learn(self, transition: Transition) -> None:
        """Keep the transition, and update as often as the settings say."""
        model, one = self.model, transition
        model.replay_buffer.add(
            np.asarray(one.observation)[None],
            np.asarray(one.following)[None],
            np.asarray(one.action).reshape(1, -1),
            np.array([one.reward]),
            np.array([one.terminated or one.truncated]),
            [{"TimeLimit.truncated": one.truncated and not one.terminated}],
        )
        model.num_timesteps += 1
        model._on_step()
        every = model.train_freq.frequency
        if model.num_timesteps > model.learning_starts and model.num_timesteps % every == 0:
            updates = model.gradient_steps if model.gradient_steps >= 0 else every
            model.train(gradient_steps=updates, batch_size=model.batch_size)


def _plain(action: Any, space: Any) -> Any:
    """Return an action as its space has it: a number for discrete ones, clipped for boxes."""
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(action)
    return np.clip(action, space.low, space.high) if isinstance(space, gymnasium.spaces.Box) else action


def _vectorized(observations: Any, actions: Any) -> Any:
    """Return an environment that only has spaces, for models whose experience comes from elsewhere."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    class Spaces(gymnasium.Env[Any, Any]):
        observation_space, action_space = observations, actions

    return DummyVecEnv([Spaces])
