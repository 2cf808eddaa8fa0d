"""The parts of Stable-Baselines3 that training uses: models, environments and callbacks.

With ``exact`` a checkpoint also has the replay buffer, the actions so far, and the states of random generators.
"""

import csv
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, cast
from warnings import warn
from zlib import crc32

import gymnasium
import numpy as np
import sb3_contrib
import stable_baselines3
import torch
from stable_baselines3 import HerReplayBuffer
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from considerate.training import seats
from considerate.training.checkpoints import (
    ASKED,
    CHECKPOINT,
    CURVE,
    SPARE_STEPS,
    WEIGHTS,
    Arrays,
    damaged,
    restore,
    save_weights,
    state_of,
    write_arrays,
)
from considerate.training.evaluation import (
    OWN_RETURN,
    check_environment,
    check_fresh,
    check_spaces,
    numbers_of,
    streams,
)
from considerate.wrappers import ORIGINAL
from multislot.checks import checked_callable, refusal
from multislot.errors import SettingError
from multislot.files.writing import naming, open_draft


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let PyTorch use a number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def new_model(chosen: Any, environments: VecEnv, seed: int, log: str | None = None) -> BaseAlgorithm:
    """Make the untrained model of a `Training` or a `Learner`; errors of Stable-Baselines3 become SettingErrors."""
    library: Any = stable_baselines3 if hasattr(stable_baselines3, chosen.algorithm) else sb3_contrib
    kind = getattr(library, chosen.algorithm)
    arguments = {"device": "cpu", "tensorboard_log": log, **chosen.settings}
    try:  # settings are copied, as algorithms change them, and noise has a state
        model: BaseAlgorithm = kind(chosen.policy, environments, seed=seed, **deepcopy(arguments))
    except Exception as error:
        spaces = f"observations {environments.observation_space} and actions {environments.action_space}"
        raise SettingError(
            f"{chosen.algorithm} with policy {chosen.policy} and settings {arguments} cannot be made for {spaces}; "
            f"choose others: {error}"
        ) from error
    if model.tensorboard_log is None and not model.verbose:
        model.set_logger(Logger(None, []))  # otherwise each training leaves an empty temporary folder
    return model


def seated_model(learner: Any, own: seats.Seats, seed: int) -> BaseAlgorithm:
    """Make the model of a learner for its rows: by a function of the vector environment, or of a `Learner`."""
    model: BaseAlgorithm = learner(own) if callable(learner) else new_model(learner, own, seed)
    if getattr(model.get_env(), "unwrapped", None) is not own:
        raise refusal(f"learner {own.name!r}", model, "a model in the environment that the function got")
    own.takes_padding = own.may_wait and seats.leave_padding_out(model, own)
    return model


class Keeper(BaseCallback):
    """Keeps a training in a directory: its learning curve, and from time to time all that continues it.

    A checkpoint is taken between an update and the next rollout. The learning curve has each episode's return and the
    agent's own return, which is logged, too.

    Args:
        place: the directory; None to keep nothing.
        steps: of the whole training, as it was asked for.
        every: steps between checkpoints.
        exact: whether checkpoints have all that an exact continuation needs.
    """

    def __init__(self, place: Path | None, steps: int, every: int, exact: bool = False) -> None:
        super().__init__()
        self.place, self.steps, self.every, self.exact = place, steps, every, exact
        self.rows: list[tuple[int, float, float]] = []

    def _on_training_start(self) -> None:
        self.kept, environments = self.num_timesteps, cast("DummyVecEnv", self.training_env.unwrapped)
        self.told = environments.buf_infos  # not every algorithm hands infos to callbacks

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self.kept >= self.every:
            self.keep()

    def _on_step(self) -> bool:
        for info in self.told:
            if OWN_RETURN in info:
                own = info.pop(OWN_RETURN)  # ARS calls this for each row, after every step of all rows
                self.logger.record_mean(OWN_RETURN, own)
                self.rows.append((self.num_timesteps, float(info.get("episode", {}).get("r", own)), float(own)))
        return True

    def keep(self) -> None:
        """Write a checkpoint and weights, and append the latest episodes to the learning curve."""
        self.kept = self.num_timesteps
        if self.place is None:
            return
        arrays = state_of(self.model) | {ASKED: np.array(self.steps)} | (exact_state(self.model) if self.exact else {})
        write_arrays(self.place / CHECKPOINT, arrays)
        save_weights(self.model, self.place / WEIGHTS)
        append_episodes(self.place / CURVE, self.rows)
        self.rows = []


def append_episodes(curve: Path, rows: Iterable[tuple[int, float, float]]) -> None:
    """Append episodes to a learning curve; of several trainings in a folder, one makes the file with its header."""
    with suppress(FileExistsError), open_draft(curve, is_new=True) as file:
        file.write(b"steps,return,own return\r\n")
    with naming(curve), curve.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def resume(model: BaseAlgorithm, keeper: Keeper) -> None:
    """Bring an untrained model to its checkpoint, if there is one; errors are those of `restore`."""
    keeper.model, place, steps, exact = model, keeper.place, keeper.steps, keeper.exact
    if place is None:
        return
    others = restore(model, place, steps, exact_bytes(model, steps) if exact else 0)
    if exact and others and model.num_timesteps < steps:
        restore_exactly(model, others, place)
    if others is not None and not exact and hasattr(model, "learning_starts"):
        model.learning_starts += model.num_timesteps  # its replay buffer is empty again


def learn(model: BaseAlgorithm, callbacks: Sequence[BaseCallback], keeper: Keeper) -> None:
    """Run a model's own ``learn()`` up to the steps of the whole training, and keep it from time to time."""
    steps, remaining, exact = keeper.steps, keeper.steps - model.num_timesteps, keeper.exact
    if remaining > 0:
        told = [*callbacks, keeper] if callbacks else keeper  # a list takes time in every step
        model.learn(remaining, told, reset_num_timesteps=model.num_timesteps == 0)
        if model.num_timesteps >= steps or not exact:  # within a rollout nothing can be continued exactly
            keeper.keep()


def exact_state(model: Any) -> Arrays:
    """What an exact continuation needs in addition: replay buffer, past actions, random generators."""
    arrays, replay = {}, getattr(model, "replay_buffer", None)
    if replay is not None:
        arrays = _columns_of(replay, replay.buffer_size if replay.full else replay.pos + 1)
        arrays["replay place"] = np.array([replay.pos, replay.full])
    for number, env in enumerate(model.get_env().unwrapped.envs):
        arrays |= {f"actions {number}": np.array(env.actions), f"rewards {number}": np.array(env.rewards)}
    numpy = np.random.get_state(legacy=False)  # noqa: NPY002  # Stable-Baselines3 draws from the global generator
    state = {"python": random.getstate(), "numpy": numpy, "torch": torch.get_rng_state().numpy()}
    state["actions"] = model.action_space.np_random.bit_generator.state
    return arrays | {"state": np.array(json.dumps(state, default=np.ndarray.tolist))}


def exact_bytes(model: Any, steps: int) -> int:
    """The largest number of bytes of `exact_state`."""
    replay = getattr(model, "replay_buffer", None)
    buffer = 0 if replay is None else sum(array.nbytes for array in _columns_of(replay, replay.buffer_size).values())
    action = max(8, 8 * int(np.prod(model.action_space.shape or ())))
    return int(buffer + (steps + SPARE_STEPS) * action)


def restore_exactly(model: Any, arrays: Arrays, place: Path) -> None:
    """Restore what `exact_state` returned; warn if the environments do not pay the same rewards as before."""
    replay, environments = getattr(model, "replay_buffer", None), model.get_env().unwrapped.envs
    try:
        if replay is not None:
            position, is_full = arrays["replay place"].tolist()
            replay.pos, replay.full = position % replay.buffer_size, bool(is_full)
            rows = replay.buffer_size if replay.full else replay.pos + 1
            for name, column in _columns_of(replay, rows).items():
                column[...] = arrays[name]
        state = json.loads(arrays["state"].item())
        for number, env in enumerate(environments):
            env.repeat(arrays[f"actions {number}"])
        version, key, gauss = state["python"]
        random.setstate((version, tuple(key), gauss))
        np.random.set_state(state["numpy"])  # noqa: NPY002
        torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))
        model.action_space.np_random.bit_generator.state = state["actions"]
        same = all(env.rewards == arrays[f"rewards {number}"] for number, env in enumerate(environments))
    except Exception as error:  # a file of another version can fail in any way
        raise damaged(place, error) from error
    if not same:
        warn(
            f"the environment of {place} pays other rewards when its actions are repeated: training continues, but its "
            "numbers differ from those of an uninterrupted training",
            stacklevel=4,
        )


def _columns_of(replay: Any, rows: int) -> Arrays:
    """Views of the first rows of a replay buffer's arrays; the row behind the last may hold its successor."""
    columns: Arrays = {}
    for name, value in vars(replay).items():
        parts = value.items() if isinstance(value, dict) else [("", value)]  # observations may be dictionaries
        columns |= {f"replay {name} {key}": part[:rows] for key, part in parts if isinstance(part, np.ndarray)}
    return columns


class Watched(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that is seeded once, with its own return in the last info of an episode.

    Args:
        env: the environment.
        seed: of the first reset. Later resets have none, so that the environment goes on drawing where it was.
        records: whether actions are recorded, with a checksum of rewards, so that a fresh environment can be brought
            to the same state.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], seed: int, records: bool) -> None:
        check_environment(env)
        check_spaces(env.observation_space, env.action_space)
        super().__init__(Monitor(env))
        self._seed: int | None = seed
        self._own, self._records = 0.0, records
        self._resumed: Any = None
        self.actions: list[Any] = []
        self.rewards = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, or continue the one that `repeat` has reached."""
        observation, self._resumed = self._resumed, None
        if observation is not None:
            return observation, {}
        own, self._seed, self._own = self._seed, None, 0.0
        return self.env.reset(seed=own, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._records:
            self.actions.append(action)
            self.rewards = crc32(np.float32(reward).tobytes(), self.rewards)
        self._own += float(info.get(ORIGINAL, reward))
        info = {**info, OWN_RETURN: self._own} if terminated or truncated else info
        return observation, float(reward), terminated, truncated, info

    def repeat(self, actions: Any) -> None:
        """Repeat recorded actions, [T, ...], and go on there."""
        observation, _ = self.reset()
        for action in actions:
            observation, _, terminated, truncated, _ = self.step(action)
            if terminated or truncated:
                observation, _ = self.reset()
        self._resumed = observation


def prepare(
    make: Callable[[], gymnasium.Env[Any, Any]], training: Any, exact: bool = False, log: str | None = None
) -> BaseAlgorithm:
    """Make the untrained model of a `Training` and its environments, which have seeds of their own."""
    checked_callable("make", make, "a function that makes a fresh environment")
    of_learner, of_environments, _ = streams(training.seed)
    seeds = numbers_of(of_environments, training.environments)
    envs = check_fresh([make() for _ in seeds])
    watched = DummyVecEnv([partial(Watched, env, seed, exact) for env, seed in zip(envs, seeds, strict=True)])
    model = new_model(training, watched, numbers_of(of_learner, 1)[0], log)
    if exact and isinstance(getattr(model, "replay_buffer", None), HerReplayBuffer):
        raise refusal("exact", exact, "False with a HerReplayBuffer, which keeps objects")
    return model
