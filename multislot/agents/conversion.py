"""Conversion of deep agents to Stable-Baselines3 models and back, to save, inspect or train them elsewhere.

What is converted: the networks, the optimizer's state, and DQN's target network. Transitions of a lot that is not full,
and DQN's replay, stay behind, as they do when Stable-Baselines3 saves a model.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from multislot.agents.deep import A2C, DQN, PPO, DeepAgent
from multislot.engine.stream import Stream
from multislot.errors import SettingError

__all__ = ["from_stable_baselines3", "to_stable_baselines3"]

KINDS: dict[str, type[DeepAgent]] = {"A2C": A2C, "PPO": PPO, "DQN": DQN}
MOMENTS = {"A2C": (None, "square_avg"), "PPO": ("exp_avg", "exp_avg_sq"), "DQN": ("exp_avg", "exp_avg_sq")}


def to_stable_baselines3(agent: DeepAgent) -> Any:
    """Return a Stable-Baselines3 model that has learned what the agent has; save it with its ``save``."""
    if agent.trainer == "sb3":
        return agent.model.copy().model
    import torch

    from multislot.agents.one_hot_models import name_towers, unpack

    model: Any = agent.new_model(replace(agent.recipe(), seed=0, initial_weights="portable")).model
    names, shapes = name_towers(agent.algorithm), model.policy.state_dict()
    arrays = agent.model.arrays(shapes)
    model.policy.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})
    _, first, second, _, updates = agent.learner.parameters()
    moments = [unpack(moment, names, shapes) for moment in (first, second)]
    for name, parameter in model.policy.named_parameters() if updates else ():
        if name in moments[0]:
            state = model.policy.optimizer.state[parameter]
            state["step"] = torch.tensor(float(updates))
            for key, moment in zip(MOMENTS[agent.algorithm], moments, strict=True):
                if key is not None:
                    state[key] = torch.from_numpy(moment[name].copy())
    model.num_timesteps, model._n_updates = agent.learner.learned, updates
    return model


def from_stable_baselines3(
    model: Any, stream: Stream, mode: Literal["faithful", "published"] = "faithful", **hyperparameters: Any
) -> DeepAgent:
    """Return an agent of the trainer ``"one_hot"`` that has learned what a Stable-Baselines3 model has.

    Args:
        model: an A2C, PPO or DQN with discrete observations and actions.
        stream: what the agent draws its actions from.
        mode: how it trains from now on.
        hyperparameters: those that the model was made with, where they are not the defaults.
    """
    kind = KINDS.get(type(model).__name__)
    seen, taken = model.observation_space, model.action_space
    if kind is None or {type(seen).__name__, type(taken).__name__} != {"Discrete"}:
        raise SettingError(f"got a {type(model).__name__}; expected an A2C, PPO or DQN with discrete spaces")
    from multislot.agents.one_hot_models import Q_TARGET, name_towers, pack

    agent = kind(int(seen.n), int(taken.n), stream, mode, trainer="one_hot", **hyperparameters)
    state = {name: array.numpy() for name, array in model.policy.state_dict().items()}
    names = name_towers(agent.algorithm)
    weights = pack(state, names)
    first, second = (pack(read_moments(model, key), names) for key in MOMENTS[agent.algorithm])
    target = pack(state, (Q_TARGET,)) if agent.algorithm == "DQN" else weights
    updates = max((int(moments["step"]) for moments in model.policy.optimizer.state.values()), default=0)
    try:
        agent.learner.load(weights, first, second, target, updates)
    except ValueError as error:
        raise SettingError(f"the model's network is not the agent's ({error}); give its policy_kwargs") from None
    return agent


def read_moments(model: Any, key: str | None) -> Mapping[str, Any]:
    """Return one moment of every parameter by name, zeros where the optimizer has none yet."""
    states = model.policy.optimizer.state
    return {
        name: states[parameter][key].numpy() if key in states.get(parameter, {}) else np.zeros(tuple(parameter.shape))
        for name, parameter in model.policy.named_parameters()
    }
