"""Stable-Baselines3 models: made, stored with everything that training needs to go on, and published as weights.

Next to what Stable-Baselines3 stores (networks, optimisers, counters), a checkpoint has the replay buffer, the
environments and the states of all random generators. What one publishes are the weights alone: arrays without pickles.
"""

import io
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from inspect import signature
from pathlib import Path
from pickle import PickleError
from typing import TYPE_CHECKING, Any
from warnings import warn

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle

from considerate.training.checkpoints import CheckpointError, damaged
from considerate.training.evaluation import check_environment
from considerate.wrappers import ORIGINAL
from multislot.arguments import explains_arguments
from multislot.checks import checked_callable, checked_parts
from multislot.errors import MissingExtraError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.vec_env import VecEnv

ALGORITHMS = ("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3")
OWN_RETURN = "considerate/own_return"
MODEL, REST = "model.zip", "rest.pkl"
MakeEnv = Callable[[], gymnasium.Env[Any, Any]]


def need_extra() -> None:
    """Raise MissingExtraError if Stable-Baselines3 or PyTorch is not installed."""
    try:
        import stable_baselines3  # noqa: F401
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError("training with Stable-Baselines3", "deep") from None


def algorithm_class(name: str) -> Any:
    """Return the class of an algorithm."""
    import stable_baselines3

    return getattr(stable_baselines3, name)


def check_names(algorithm: str, policy: str, settings: Mapping[str, Any]) -> None:
    """Refuse settings and policies that the algorithm does not have, and text for numbers."""
    found = algorithm_class(algorithm)
    fixed = ("policy", "env", "seed", "tensorboard_log")
    known = {name: setting for name, setting in signature(found).parameters.items() if name not in fixed}
    for name, value in settings.items():
        if name not in known:
            raise UnknownNameError(f"setting of {algorithm}", name, known)
        if type(known[name].default) in (int, float) and isinstance(value, str):
            raise SettingError(f"got {name}={value!r} in the settings of {algorithm}; expected a number")
    if policy not in found.policy_aliases:
        raise UnknownNameError(f"policy of {algorithm}", policy, found.policy_aliases)


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let PyTorch use a number of threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def fresh_model(
    algorithm: str, policy: str, settings: Mapping[str, Any], environments: Any, seed: int, log: str | None = None
) -> "BaseAlgorithm":
    """Return a new model; every objection of Stable-Baselines3 becomes one SettingError."""
    chosen = deepcopy({"device": "cpu", **settings})  # Stable-Baselines3 writes into policy_kwargs
    try:
        model: BaseAlgorithm = algorithm_class(algorithm)(
            policy, environments, seed=seed, tensorboard_log=log, **chosen
        )
    except Exception as error:
        environments.close()
        spaces = f"observations {environments.observation_space} and actions {environments.action_space}"
        raise SettingError(
            f"{algorithm} with policy {policy} and settings {chosen} cannot be made for {spaces}; choose others: "
            f"{error}"
        ) from error
    return model


def quiet(model: "BaseAlgorithm") -> None:
    """Let a model write its records nowhere; otherwise each training leaves an empty folder among temporary files."""
    from stable_baselines3.common.logger import Logger

    model.set_logger(Logger(None, []))


def side_by_side(make: MakeEnv, number: int) -> "VecEnv":
    """Return some environments side by side, each with a record of its own returns."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    checked_callable("make", make, "a function that makes a fresh environment")

    def made() -> gymnasium.Env[Any, Any]:
        env = make()
        check_environment(env)
        return Monitor(_OwnReturn(env))

    return DummyVecEnv([made] * number)


class _OwnReturn(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Puts the sum of an episode's own rewards into its last info; a checkpoint stores it with the environment."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.total = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.total += float(info.get(ORIGINAL, reward))
        if terminated or truncated:
            info = {**info, OWN_RETURN: self.total}
        return observation, reward, terminated, truncated, info


def model_parts(model: "BaseAlgorithm", training: Mapping[str, Any]) -> dict[str, bytes]:
    """Return everything that training needs to go on, as files by name.

    Args:
        model: with its environments, between a training update and the next rollout.
        training: what is trained, to be recognised by.
    """
    import cloudpickle

    networks = io.BytesIO()
    model.save(networks)
    rest = {
        "training": dict(training),
        "environments": _pickled(model.get_env()),
        "action_space": model.action_space,
        "random": random_states(),
        "replay": getattr(model, "replay_buffer", None),
    }
    return {MODEL: networks.getvalue(), REST: cloudpickle.dumps(rest)}


def random_states() -> tuple[Any, ...]:
    """Return the states of the global generators that training draws from."""
    import torch

    return random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002


def set_random_states(states: Sequence[Any]) -> None:
    """Set the global generators that training draws from."""
    import torch

    python, numpy, pytorch = states
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002  # Stable-Baselines3 draws from the global generator
    torch.set_rng_state(pytorch)


def restored_model(
    parts: Mapping[str, bytes],
    algorithm: str,
    training: Mapping[str, Any],
    place: Path,
    environments: "Callable[[], VecEnv]",
    log: str | None,
) -> "BaseAlgorithm":
    """Return the model that `model_parts` stored, as it was; reading it can execute code.

    Raises:
        CheckpointError: it is damaged, or of another training.
    """
    import cloudpickle

    try:
        rest = cloudpickle.loads(parts[REST])
        if rest["training"] != training:
            raise CheckpointError(
                f"{place} holds another training, {rest['training']}; give another directory or delete it"
            )
        kept = rest["environments"]
        env = cloudpickle.loads(kept) if kept else environments()
        model: BaseAlgorithm = algorithm_class(algorithm).load(
            io.BytesIO(parts[MODEL]), env=env, force_reset=not kept, tensorboard_log=log
        )
        model.action_space = rest["action_space"]
        if rest["replay"] is not None:
            model.replay_buffer = rest["replay"]  # type: ignore[attr-defined]  # off-policy algorithms have one
        env._reset_seeds()
        set_random_states(rest["random"])
    except SettingError:
        raise
    except Exception as error:  # a pickle of another version can fail in any way
        raise damaged(place, f"{type(error).__name__}: {error}") from error
    if not kept:
        warn(f"the environment in {place} could not be stored: training resumes with a new episode", stacklevel=4)
    return model


def _pickled(environments: Any) -> bytes | None:
    """Return the environments as bytes, or None if they would not come back unchanged."""
    import cloudpickle

    if any(_forgets(env) for env in environments.envs):
        return None
    try:
        pickled: bytes = cloudpickle.dumps(environments)
    except (PickleError, TypeError, AttributeError):
        return None
    return pickled


def _forgets(env: Any) -> bool:
    """Whether some environment in a stack of wrappers keeps only its constructor's arguments when pickled."""
    while env is not None:
        if isinstance(env, EzPickle):
            return True
        env = env.__dict__.get("env") or env.__dict__.get("aec_env")
    return False


@explains_arguments
def save_weights(model: "BaseAlgorithm", path: Path | str) -> None:
    """Save the weights of a model's networks as plain arrays, to be published: reading them executes nothing.

    Args:
        model: a trained model.
        path: the file, in NumPy's format ``.npz``.
    """
    checked_parts("model", model, "policy")
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in model.policy.state_dict().items()}
    with Path(path).open("wb") as file:
        np.savez(file, **arrays)


@explains_arguments
def load_weights(model: "BaseAlgorithm", path: Path | str) -> "BaseAlgorithm":
    """Return a model with the weights that `save_weights` saved; nothing in the file is executed.

    Args:
        model: a fresh model of the same algorithm, policy and spaces; its weights are replaced.
        path: the file.

    Raises:
        CheckpointError: the file is damaged, or of a model of another shape.
    """
    import torch

    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as arrays:
            weights = {name: torch.as_tensor(arrays[name]) for name in arrays.files}
        model.policy.load_state_dict(weights)
    except Exception as error:  # a damaged archive can fail in any way
        raise CheckpointError(
            f"got {path} as weights; expected a file of save_weights for the same algorithm, policy and spaces: {error}"
        ) from None
    return model
