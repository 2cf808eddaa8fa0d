"""The parts of Stable-Baselines3 that training uses: models, environments and callbacks.

With ``exact`` a checkpoint also has the replay buffer, the actions so far, and the states of random generators.
"""

import csv
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any
from zlib import crc32

import gymnasium
import numpy as np
import stable_baselines3
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecEnvWrapper, VecMonitor

from considerate.training import seats
from considerate.training.checkpoints import CHECKPOINT, CURVE, WEIGHTS, Arrays, save_weights, state_of, write_arrays
from considerate.training.evaluation import OWN_RETURN, check_environment
from considerate.wrappers import ORIGINAL
from multislot.checks import checked_callable, refusal
from multislot.errors import MissingExtraError, SettingError, UnknownNameError

SPARE_STEPS = 2**20
"""The steps of recorded actions that an exact checkpoint may have beyond those of its training."""


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let PyTorch use a number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def find_algorithm(name: str) -> Any:
    """Return the class of an algorithm, of Stable-Baselines3 or of sb3-contrib."""
    if hasattr(stable_baselines3, name):
        return getattr(stable_baselines3, name)
    try:
        return getattr(import_module("sb3_contrib"), name)
    except ImportError:
        raise MissingExtraError(f"the algorithm {name} of sb3-contrib", "deep") from None


def check_algorithm_settings(algorithm: str, settings: Mapping[str, Any]) -> None:
    """Raise an error for settings that an algorithm does not have, and for text where it needs a number."""
    fixed = ("policy", "env", "seed", "tensorboard_log")
    parameters = {n: s for n, s in signature(find_algorithm(algorithm)).parameters.items() if n not in fixed}
    for name, value in settings.items():
        if name not in parameters:
            raise UnknownNameError(f"setting of {algorithm}", name, parameters)
        if type(parameters[name].default) in (int, float) and isinstance(value, str):
            raise SettingError(f"got {name}={value!r} in the settings of {algorithm}; expected a number")


def new_model(
    algorithm: str, policy: str, settings: Mapping[str, Any], environments: VecEnv, seed: int, log: str | None = None
) -> BaseAlgorithm:
    """Make an untrained model; errors of Stable-Baselines3 become SettingErrors."""
    kind = find_algorithm(algorithm)
    if policy not in kind.policy_aliases:
        raise UnknownNameError(f"policy of {algorithm}", policy, kind.policy_aliases)
    check_algorithm_settings(algorithm, settings)
    arguments = {"device": "cpu", **settings}
    arguments |= {"policy_kwargs": deepcopy(settings["policy_kwargs"])} if "policy_kwargs" in settings else {}
    try:
        model: BaseAlgorithm = kind(policy, environments, seed=seed, tensorboard_log=log, **arguments)
    except Exception as error:
        environments.close()
        spaces = f"observations {environments.observation_space} and actions {environments.action_space}"
        raise SettingError(
            f"{algorithm} with policy {policy} and settings {arguments} cannot be made for {spaces}; choose others: "
            f"{error}"
        ) from error
    if log is None and not model.verbose:
        quiet(model)
    return model


def quiet(model: BaseAlgorithm) -> None:
    """Switch off a model's logs; otherwise each training leaves an empty temporary folder."""
    model.set_logger(Logger(None, []))


def seated_model(learner: Any, own: seats.Seats, seed: int) -> BaseAlgorithm:
    """Make the model of a learner for its rows: of a `Learner`, or by a function of the vector environment."""
    if not callable(learner):
        settings = dict(learner.settings)
        if own.num_envs > 1:
            settings = _with_padding(learner.algorithm, settings, own)
        return new_model(learner.algorithm, learner.policy, settings, VecMonitor(own), seed)
    model: Any = learner(own)
    if not isinstance(model, BaseAlgorithm):
        raise refusal(f"learner {own.name!r}", model, "a function that returns a model of Stable-Baselines3")
    inner: Any = model.get_env()
    while isinstance(inner, VecEnvWrapper):
        inner = inner.venv
    if inner is not own:
        raise refusal(f"learner {own.name!r}", model, "a model in the environment that the function got")
    return model


def _with_padding(algorithm: str, settings: dict[str, Any], own: seats.Seats) -> dict[str, Any]:
    """Settings whose buffer leaves padded rows out, for the algorithms that let one choose the buffer."""
    is_dict = isinstance(own.observation_space, gymnasium.spaces.Dict)
    kinds = {
        "rollout_buffer_class": seats.PaddedDict if is_dict else seats.Padded,
        "replay_buffer_class": seats.PaddedDictReplay if is_dict else seats.PaddedReplay,
    }
    parameters = signature(find_algorithm(algorithm)).parameters
    for name, kind in kinds.items():
        if name in parameters and name not in settings and algorithm not in ("MaskablePPO", "TRPO"):
            own.takes_padding = True
            return {**settings, name: kind, name.replace("class", "kwargs"): {"seats": own}}
    return settings


def learn(
    model: BaseAlgorithm,
    steps: int,
    callbacks: Sequence[BaseCallback],
    place: Path | None,
    every: int,
    extra: Callable[[], Arrays] = dict,
) -> None:
    """Run a model's own ``learn()`` up to a number of steps, and keep it from time to time.

    Args:
        model: it may have learned before.
        steps: in all.
        callbacks: further ones.
        place: the directory for checkpoints, weights and learning curve.
        every: steps between checkpoints.
        extra: makes further arrays for checkpoints, for an exact continuation.
    """
    curve, is_exact = Curve(), extra is not dict

    def keep(model: BaseAlgorithm) -> None:
        if place is not None:
            write_arrays(place / CHECKPOINT, state_of(model) | extra())
            save_weights(model, place / WEIGHTS)
            curve.write(place / CURVE)

    remaining = steps - model.num_timesteps
    if remaining > 0:
        chosen = [*callbacks, curve, BetweenRollouts(keep, every)]
        model.learn(remaining, chosen, reset_num_timesteps=model.num_timesteps == 0)
        if model.num_timesteps >= steps or not is_exact:  # within a rollout nothing can be continued exactly
            keep(model)


def exact_state(model: Any, environments: Sequence["Watched"]) -> Arrays:
    """What an exact continuation needs in addition: replay buffer, past actions, random generators."""
    arrays, replay = {}, getattr(model, "replay_buffer", None)
    if replay is not None:
        arrays = _columns_of(replay, replay.buffer_size if replay.full else replay.pos + 1)
        arrays["replay place"] = np.array([replay.pos, replay.full])
    for number, env in enumerate(environments):
        arrays |= {f"actions {number}": env.actions, f"rewards {number}": np.array(env.rewards)}
    state = {"random": random_states(), "actions": model.action_space.np_random.bit_generator.state}
    return arrays | {"state": np.array(json.dumps(state))}


def exact_bytes(model: Any, steps: int) -> int:
    """The largest number of bytes of `exact_state`."""
    replay = getattr(model, "replay_buffer", None)
    buffer = 0 if replay is None else sum(array.nbytes for array in _columns_of(replay, replay.buffer_size).values())
    action = max(8, 8 * int(np.prod(model.action_space.shape or ())))
    return int(buffer + (steps + SPARE_STEPS) * action)


def restore_exactly(model: Any, environments: Sequence["Watched"], arrays: Arrays) -> bool:
    """Restore what `exact_state` returned; return whether the environments pay the same rewards as before."""
    replay = getattr(model, "replay_buffer", None)
    if replay is not None:
        position, is_full = arrays["replay place"].tolist()
        replay.pos, replay.full = position % replay.buffer_size, bool(is_full)
        rows = replay.buffer_size if replay.full else replay.pos + 1
        for name, column in _columns_of(replay, rows).items():
            column[...] = arrays[name]
    state = json.loads(arrays["state"].item())
    same = [
        env.repeat(arrays[f"actions {number}"], int(arrays[f"rewards {number}"]))
        for number, env in enumerate(environments)
    ]
    model.action_space.np_random.bit_generator.state = state["actions"]
    set_random_states(state["random"])
    return all(same)


def _columns_of(replay: Any, rows: int) -> Arrays:
    """Views of the first rows of a replay buffer's arrays; the row behind the last may hold its successor."""
    columns: Arrays = {}
    for name, value in vars(replay).items():
        parts = value.items() if isinstance(value, dict) else [("", value)]  # observations may be dictionaries
        columns |= {f"replay {name} {key}": part[:rows] for key, part in parts if isinstance(part, np.ndarray)}
    return columns


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


class Watched(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that is seeded once, with its own return in the last info of an episode.

    Args:
        env: is reset with no other seed.
        seed: of the first reset.
        records: whether actions are recorded, so that a fresh environment can be brought to the same state.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], seed: int, records: bool) -> None:
        super().__init__(env)
        self._seed: int | None = seed
        self._own, self._records = 0.0, records
        self._resumed: Any = None
        self._recording, self._like, self.rewards = bytearray(), np.zeros(0), 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, or continue the one that `repeat` has reached."""
        observation, self._resumed = self._resumed, None
        if observation is not None:
            return observation, {}
        own, self._seed, self._own = self._seed, None, 0.0
        return self.env.reset(seed=own, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act."""
        if self._records:
            self._like = np.asarray(action)
            self._recording += self._like.tobytes()
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._own += float(info.get(ORIGINAL, reward))
        self.rewards = crc32(np.float32(reward).tobytes(), self.rewards)
        info = {**info, OWN_RETURN: self._own} if terminated or truncated else info
        return observation, float(reward), terminated, truncated, info

    @property
    def actions(self) -> Any:
        """The recorded actions, [T, ...]."""
        return np.frombuffer(bytes(self._recording), self._like.dtype).reshape(-1, *self._like.shape)

    def repeat(self, actions: Any, rewards: int) -> bool:
        """Repeat recorded actions; return whether the checksum of the rewards is the same."""
        observation, _ = self.reset()
        for action in actions:
            observation, _, terminated, truncated, _ = self.step(action)
            if terminated or truncated:
                observation, _ = self.reset()
        self._resumed = observation
        return self.rewards == rewards


def watched_environments(
    make: Callable[[], gymnasium.Env[Any, Any]], seeds: Sequence[int], records: bool
) -> tuple[list[Watched], VecEnv]:
    """Make environments that run side by side; arguments as for `Watched`."""
    checked_callable("make", make, "a function that makes a fresh environment")
    watched = []
    for seed in seeds:
        env = make()
        check_environment(env)
        watched.append(Watched(Monitor(env), seed, records))
    fresh = iter(watched)
    return watched, DummyVecEnv([lambda: next(fresh) for _ in watched])


class Curve(BaseCallback):
    """The learning curve: each episode's return and the agent's own return, which is logged, too."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, float, float]] = []

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if OWN_RETURN in info:
                self.logger.record_mean(OWN_RETURN, info[OWN_RETURN])
                total = info.get("episode", {}).get("r", info[OWN_RETURN])
                self.rows.append((self.num_timesteps, float(total), float(info[OWN_RETURN])))
        return True

    def write(self, path: Path) -> None:
        """Append the episodes since the last call to a file; a run that goes on appends to its older part."""
        is_new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(("steps", "return", "own return"))
            writer.writerows(self.rows)
        self.rows = []


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
