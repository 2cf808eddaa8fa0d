"""The transitions of several agents, and how they update Stable-Baselines3 models, shared or separate."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.utils import polyak_update
from stable_baselines3.common.vec_env import DummyVecEnv

from considerate.training.checkpoints import pack_arrays, unpack_arrays
from considerate.training.models import new_model, pack_model, quiet, unpack_model


@dataclass(frozen=True)
class Transition:
    """One step of one agent; its end is known at the agent's next turn."""

    agent: str
    observation: Any
    action: Any
    value: float = 0.0
    log_probability: float = 0.0
    reward: float = 0.0
    following: Any = None
    terminated: bool = False
    truncated: bool = False


class OnPolicy:
    """A model that learns with A2C or PPO, and the transitions since its last update."""

    def __init__(
        self, algorithm: str, policy: str, settings: Mapping[str, Any], spaces: tuple[Any, Any], seed: int
    ) -> None:
        class Spaces(gymnasium.Env[Any, Any]):
            """An environment that only has spaces: experience comes from elsewhere."""

            observation_space, action_space = spaces

        self.model: Any = new_model(algorithm, policy, settings, DummyVecEnv([Spaces]), seed)
        quiet(self.model)
        self.transitions: list[Transition] = []

    def act(self, agent: str, observation: Any, progress: float) -> Transition:
        """Choose an action; the transition has the value and the probability that the update needs."""
        policy = self.model.policy
        policy.set_training_mode(False)
        tensor, _ = policy.obs_to_tensor(np.asarray(observation))
        with torch.no_grad():
            actions, values, log_probabilities = policy(tensor)
        action = self._fit_action(actions.cpu().numpy()[0])
        return Transition(agent, observation, action, float(values), float(log_probabilities))

    def learn(self, transition: Transition) -> None:
        """Update when the agents have made ``n_steps`` transitions together."""
        self.transitions.append(transition)
        self.model.num_timesteps += 1
        if len(self.transitions) >= self.model.n_steps:
            self.model.rollout_buffer = self.rollout()
            self.transitions = []
            self.model.train()

    def rollout(self) -> RolloutBuffer:
        """Fill a rollout buffer with the transitions, agent after agent, each part ended or bootstrapped."""
        model = self.model
        buffer = RolloutBuffer(
            len(self.transitions),
            model.observation_space,
            model.action_space,
            model.device,
            model.gae_lambda,
            model.gamma,
        )
        by_agent: dict[str, list[Transition]] = {}
        for transition in self.transitions:
            by_agent.setdefault(transition.agent, []).append(transition)
        starts = True
        for part in by_agent.values():
            for transition in part:
                ends = transition.terminated or transition.truncated or transition is part[-1]
                reward = transition.reward
                if ends and not transition.terminated:
                    tensor, _ = model.policy.obs_to_tensor(np.asarray(transition.following))
                    with torch.no_grad():
                        reward += model.gamma * float(model.policy.predict_values(tensor))
                buffer.add(
                    np.asarray(transition.observation)[None],
                    np.asarray(transition.action).reshape(1, -1),
                    np.array([reward]),
                    np.array([starts]),
                    torch.tensor([transition.value]),
                    torch.tensor([transition.log_probability]),
                )
                starts = ends
        buffer.compute_returns_and_advantage(torch.zeros(1), np.array([True]))
        return buffer

    def pack(self) -> dict[str, bytes]:
        """Write the model and its unused transitions as files, by name."""
        columns = {
            field.name: [getattr(transition, field.name) for transition in self.transitions]
            for field in fields(Transition)
        }
        return pack_model(self.model) | {"transitions.npz": pack_arrays(columns)}

    def unpack(self, files: Mapping[str, bytes]) -> None:
        """Restore the model and transitions that `pack` wrote."""
        self.model = unpack_model(self.model, files)
        quiet(self.model)
        columns = unpack_arrays(files["transitions.npz"])
        rows = zip(*(columns[field.name] for field in fields(Transition)), strict=True)
        self.transitions = [replace(Transition(*row), agent=str(row[0])) for row in rows]

    def _fit_action(self, action: Any) -> Any:
        """Convert an action to its space: an integer for discrete spaces, clipped for boxes."""
        space = self.model.action_space
        if isinstance(space, gymnasium.spaces.Discrete):
            return int(action)
        return np.clip(action, space.low, space.high) if isinstance(space, gymnasium.spaces.Box) else action


class OffPolicy(OnPolicy):
    """A model that learns with DQN, from its replay buffer."""

    progress = 1.0

    def act(self, agent: str, observation: Any, progress: float) -> Transition:
        """Choose an action: at random before learning starts, then ε-greedy."""
        self.progress = progress
        if self.model.num_timesteps < self.model.learning_starts:
            action = self.model.action_space.sample()
        else:
            action, _ = self.model.predict(np.asarray(observation), deterministic=False)
        return Transition(agent, observation, self._fit_action(action))

    def learn(self, transition: Transition) -> None:
        """Store the transition, and update as often as the settings require."""
        model = self.model
        model.replay_buffer.add(
            np.asarray(transition.observation)[None],
            np.asarray(transition.following)[None],
            np.asarray(transition.action).reshape(1, -1),
            np.array([transition.reward]),
            np.array([transition.terminated or transition.truncated]),
            [{"TimeLimit.truncated": transition.truncated and not transition.terminated}],
        )
        model.num_timesteps += 1
        if model.num_timesteps % model.target_update_interval == 0:
            polyak_update(model.q_net.parameters(), model.q_net_target.parameters(), model.tau)
            polyak_update(model.batch_norm_stats, model.batch_norm_stats_target, 1.0)
        model.exploration_rate = model.exploration_schedule(self.progress)
        every = model.train_freq.frequency
        if model.num_timesteps > model.learning_starts and model.num_timesteps % every == 0:
            updates = model.gradient_steps if model.gradient_steps >= 0 else every
            model.train(gradient_steps=updates, batch_size=model.batch_size)
