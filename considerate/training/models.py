"""The parts of Stable-Baselines3 that training uses: models, their checkpoints, environments and callbacks.

A model is stored as Stable-Baselines3 saves it. Stable-Baselines3 would unpickle any object in such a file. So here
only plain numbers and tensors are read from it. Everything else is taken from a fresh model (``custom_objects``), and a
file with other objects is refused. The replay buffer is stored as arrays, and the states of random generators as JSON.
"""

import io
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from inspect import signature
from typing import Any
from zipfile import ZipFile
from zlib import crc32

import gymnasium
import numpy as np
import stable_baselines3
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecEnvWrapper

from considerate.training.checkpoints import UntrustedError, pack_arrays, unpack_arrays
from considerate.training.evaluation import OWN_RETURN, check_environment
from considerate.wrappers import ORIGINAL
from multislot.checks import checked_callable
from multislot.errors import SettingError, UnknownNameError


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let PyTorch use a number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def check_settings(algorithm: str, settings: Mapping[str, Any]) -> None:
    """Raise an error for settings that an algorithm does not have, and for text where it needs a number."""
    fixed = ("policy", "env", "seed", "tensorboard_log")
    kind = getattr(stable_baselines3, algorithm)
    parameters = {name: setting for name, setting in signature(kind).parameters.items() if name not in fixed}
    for name, value in settings.items():
        if name not in parameters:
            raise UnknownNameError(f"setting of {algorithm}", name, parameters)
        if type(parameters[name].default) in (int, float) and isinstance(value, str):
            raise SettingError(f"got {name}={value!r} in the settings of {algorithm}; expected a number")


def new_model(
    algorithm: str, policy: str, settings: Mapping[str, Any], environments: VecEnv, seed: int, log: str | None = None
) -> BaseAlgorithm:
    """Make an untrained model; errors of Stable-Baselines3 become SettingErrors."""
    kind = getattr(stable_baselines3, algorithm)
    if policy not in kind.policy_aliases:
        raise UnknownNameError(f"policy of {algorithm}", policy, kind.policy_aliases)
    arguments = deepcopy({"device": "cpu", **settings})  # Stable-Baselines3 writes into policy_kwargs
    try:
        model: BaseAlgorithm = kind(policy, environments, seed=seed, tensorboard_log=log, **arguments)
    except Exception as error:
        environments.close()
        spaces = f"observations {environments.observation_space} and actions {environments.action_space}"
        raise SettingError(
            f"{algorithm} with policy {policy} and settings {arguments} cannot be made for {spaces}; choose others: "
            f"{error}"
        ) from error
    return model


def quiet(model: BaseAlgorithm) -> None:
    """Switch off a model's logs; otherwise each training leaves an empty temporary folder."""
    model.set_logger(Logger(None, []))


def pack_model(model: BaseAlgorithm) -> dict[str, bytes]:
    """Write a model, its replay buffer and the random generator of its actions as files, by name.

    Args:
        model: between a training update and the next rollout.
    """
    archive = io.BytesIO()
    model.save(archive)
    replay = getattr(model, "replay_buffer", None)
    arrays = {} if replay is None else _arrays_of(replay)
    return {
        "model.zip": archive.getvalue(),
        "replay.npz": pack_arrays(arrays | ({} if replay is None else {"place": [replay.pos, replay.full]})),
        "actions.json": json.dumps(model.action_space.np_random.bit_generator.state).encode(),
    }


def unpack_model(fresh: Any, files: Mapping[str, bytes]) -> Any:
    """Restore the model that `pack_model` wrote.

    Args:
        fresh: an untrained model with the same settings and environments.
        files: from `pack_model`.

    Raises:
        UntrustedError: the file contains objects that no training stores.
    """
    trusted = {name: value for name, value in vars(fresh).items() if not isinstance(value, int | float)}
    with ZipFile(io.BytesIO(files["model.zip"])) as archive:
        stored = json.loads(archive.read("data"))
    foreign = [name for name, value in stored.items() if name not in trusted and not isinstance(value, int | float)]
    if foreign:
        raise UntrustedError(
            f"the model in the checkpoint holds objects that reading could execute ({', '.join(foreign)}); nothing was "
            "read; delete it to start again"
        )
    model = type(fresh).load(
        io.BytesIO(files["model.zip"]), env=fresh.get_env(), device=fresh.device, custom_objects=trusted
    )
    arrays = unpack_arrays(files["replay.npz"])
    if arrays:
        model.replay_buffer.pos, model.replay_buffer.full = int(arrays["place"][0]), bool(arrays["place"][1])
        for name, rows in _arrays_of(model.replay_buffer).items():
            rows[...] = arrays[name]
    model.action_space.np_random.bit_generator.state = json.loads(files["actions.json"])
    return model


def _arrays_of(replay: Any) -> dict[str, NDArray[Any]]:
    """Views of the used rows of a replay buffer, by name."""
    rows = replay.buffer_size if replay.full else replay.pos + 1  # the row behind the last may hold its successor
    columns = {name: value for name, value in vars(replay).items() if isinstance(value, np.ndarray)}
    for name, value in vars(replay).items():
        if isinstance(value, dict):  # observations that are dictionaries
            columns |= {f"{name}/{key}": part for key, part in value.items() if isinstance(part, np.ndarray)}
    return {name: column[:rows] for name, column in columns.items()}


def random_states() -> list[Any]:
    """States of the global generators that training draws from, as plain data."""
    name, key, *rest = np.random.get_state()  # noqa: NPY002
    return [random.getstate(), [name, np.asarray(key).tolist(), *rest], torch.get_rng_state().tolist()]


def set_random_states(states: list[Any]) -> None:
    """Set the global generators that training draws from."""
    (version, state, gauss), numpy, pytorch = states
    random.setstate((version, tuple(state), gauss))
    np.random.set_state(tuple(numpy))  # noqa: NPY002  # Stable-Baselines3 draws from the global generator
    torch.set_rng_state(torch.tensor(pytorch, dtype=torch.uint8))


class Recorder(VecEnvWrapper):
    """Environments that record their actions, so that a resumed training can bring fresh ones to the same state."""

    def __init__(self, make: Callable[[], gymnasium.Env[Any, Any]], number: int) -> None:
        checked_callable("make", make, "a function that makes a fresh environment")

        def monitored() -> gymnasium.Env[Any, Any]:
            env = make()
            check_environment(env)
            return Monitor(env)

        super().__init__(DummyVecEnv([monitored] * number))
        self.recording = bytearray()
        self.rewards = 0
        self.resumed: Any = None

    def reset(self) -> Any:
        """Start all environments, or continue in the state that `replay` has reached."""
        observations, self.resumed = self.resumed, None
        if observations is None:
            self.own_returns = [0.0] * self.num_envs
            observations = self.venv.reset()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Record the actions of a step, [environments, ...], and take it."""
        self.recording += np.ascontiguousarray(actions).tobytes()
        self.dtype, self.shape = actions.dtype.str, actions.shape
        self.venv.step_async(actions)

    def step_wait(self) -> Any:
        """Finish the step: update the checksum of the rewards, and add an episode's own return to its last info."""
        observations, rewards, ended, infos = self.venv.step_wait()
        self.rewards = crc32(rewards.tobytes(), self.rewards)
        for number, info in enumerate(infos):
            self.own_returns[number] += float(info.get(ORIGINAL, rewards[number]))
            if ended[number]:
                info[OWN_RETURN], self.own_returns[number] = self.own_returns[number], 0.0
        return observations, rewards, ended, infos

    def pack(self) -> bytes:
        """Write the recorded actions and a checksum of the rewards as a file."""
        recorded: Any = bytes(self.recording)
        actions = np.frombuffer(recorded, self.dtype).reshape(-1, *self.shape) if recorded else np.empty(0)
        return pack_arrays({"actions": actions, "rewards": self.rewards})

    def replay(self, content: bytes) -> bool:
        """Repeat the actions that `pack` wrote; return whether the rewards are the same."""
        recording = unpack_arrays(content)
        observations = self.reset()
        for actions in recording["actions"]:
            observations = self.step(actions)[0]
        self.resumed = observations
        return self.rewards == int(recording["rewards"])


class LogOwnReturns(BaseCallback):
    """Logs the acting agent's own mean return, as Stable-Baselines3 does the augmented one."""

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if OWN_RETURN in info:
                self.logger.record_mean(OWN_RETURN, info[OWN_RETURN])
        return True


class BetweenRollouts(BaseCallback):
    """Calls a function between an update and the next rollout, when enough steps have passed since the last call."""

    def __init__(self, function: Callable[[BaseAlgorithm], None], every: int) -> None:
        super().__init__()
        self.function, self.every = function, every

    def _on_training_start(self) -> None:
        self.called = self.num_timesteps

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self.called >= self.every:
            self.function(self.model)
            self.called = self.num_timesteps

    def _on_step(self) -> bool:
        return True
