"""The parts of Stable-Baselines3 that training uses: models, their checkpoints, environments and callbacks.

A model is stored as Stable-Baselines3 saves it. Stable-Baselines3 would unpickle any object in such a file. So here
only tensors and `COUNTERS` are read from it. Everything else is taken from a fresh model (``custom_objects``), its
settings have to be the same, and a file with other entries is refused. With ``exact`` the replay buffer is stored as
arrays, and the states of random generators as JSON.
"""

import csv
import io
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any
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
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecEnvWrapper, VecMonitor

from considerate.training import seats
from considerate.training.checkpoints import (
    CURVE,
    WEIGHTS,
    UntrustedError,
    damaged,
    pack_arrays,
    read_checkpoint,
    save_weights,
    write_checkpoint,
)
from considerate.training.evaluation import OWN_RETURN, check_environment
from considerate.wrappers import ORIGINAL
from multislot.checks import checked_callable, refusal
from multislot.errors import MissingExtraError, SettingError, UnknownNameError
from multislot.foreign import check_settings, read_archive, read_arrays

MODEL, REPLAY, ACTIONS, STATE = PARTS = ("model.zip", "replay.npz", "actions.npz", "state.json")
"""The files in a checkpoint."""
COUNTERS = ("num_timesteps", "_n_updates", "_episode_num", "_n_calls")
"""What counts a training's progress; no other setting is read from a checkpoint."""
PROGRESS = ("_total_timesteps", "_num_timesteps_at_start", "_current_progress_remaining", "exploration_rate")
"""What Stable-Baselines3 computes again when learning goes on."""
MOST_COUNTED = 2**53
SPARE = 2**22
"""The bytes that a checkpoint may have in addition to its tensors."""


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


def prepare_learning(
    work: seats.Work, steps: int, callbacks: Sequence[BaseCallback], place: Path | None, every: int
) -> Callable[[], object]:
    """Return what a learner does in its thread; its last checkpoint is read first."""
    model, curve = work.model, Curve()
    if place is not None:
        resume(model, place)
    store = partial(keep, curve=curve, place=place, extra=dict)
    if steps <= model.num_timesteps:
        return lambda: None
    chosen = [*callbacks, curve, BetweenRollouts(store, every)]
    chosen += [seats.CountRows(work.seats)] if work.seats.num_envs > 1 else []

    def learn() -> None:
        model.learn(steps - model.num_timesteps, chosen, reset_num_timesteps=model.num_timesteps == 0)
        store(model)

    return learn


def keep(model: BaseAlgorithm, curve: "Curve", place: Path | None, extra: Callable[[], dict[str, bytes]]) -> None:
    """Store a model's state, its weights alone, and its learning curve."""
    if place is not None:
        write_checkpoint(place, pack_model(model) | extra())
        save_weights(model, place / WEIGHTS)
        curve.write(place / CURVE)


def pack_model(model: BaseAlgorithm) -> dict[str, bytes]:
    """Write a model as a file, by name."""
    archive = io.BytesIO()
    model.save(archive)
    return {MODEL: archive.getvalue()}


def resume(model: BaseAlgorithm, place: Path, exact_bytes: int = 0) -> dict[str, bytes] | None:
    """Bring a fresh model to the state of a checkpoint, if there is one; return the checkpoint's other parts.

    Args:
        model: an untrained model with the same settings; it is changed.
        place: the directory of the checkpoint.
        exact_bytes: the bytes that an exact checkpoint may have in addition.

    Raises:
        CheckpointError: the checkpoint is damaged, too large, or sets something that is not a counter.
    """
    fresh = len(pack_model(model)[MODEL])
    parts = read_checkpoint(place, PARTS, 4 * fresh + SPARE + exact_bytes)
    if parts is None:
        return None
    try:
        _restore(model, parts[MODEL], 4 * fresh + SPARE)
    except SettingError as error:
        raise error if isinstance(error, UntrustedError) else damaged(place, error) from error
    except Exception as error:  # a file of another version can fail in any way
        raise damaged(place, error) from error
    return parts


def _restore(model: Any, content: bytes, most: int) -> None:
    """Give a fresh model the tensors and counters that another one of the same settings has saved."""
    members = read_archive(content, lambda name: True, most, label="the model of a checkpoint")
    stored = json.loads(members["data"])
    known = vars(model)
    foreign = [name for name in stored if name not in known]
    if foreign:
        raise UntrustedError(
            f"the model in the checkpoint holds objects that reading could execute ({', '.join(foreign)}); nothing was "
            "read; delete it to start again"
        )
    counters = [name for name in COUNTERS if name in known]
    numbers = {n: v for n, v in known.items() if type(v) in (int, float) and n not in (*PROGRESS, "start_time")}
    check_settings(
        {name: stored[name] for name in stored if name in numbers or name in counters},
        {name: value for name, value in numbers.items() if name not in counters and name in stored},
        dict.fromkeys(counters, (0, MOST_COUNTED)),
        "the model of a checkpoint",
    )
    trusted = {name: value for name, value in known.items() if name not in counters}
    loaded = type(model).load(io.BytesIO(content), device=model.device, custom_objects=trusted)
    model.set_parameters(loaded.get_parameters(), device=model.device)
    if hasattr(model, "log_ent_coef") and model.log_ent_coef is not None:
        model.log_ent_coef.data.copy_(loaded.log_ent_coef.data)
    for name in counters:
        setattr(model, name, stored[name])
    if "exploration_rate" in known:  # until the next step, which computes it again
        model.exploration_rate = min(max(float(stored["exploration_rate"]), 0.0), 1.0)


def pack_exactly(model: BaseAlgorithm, environments: "Recorder") -> dict[str, bytes]:
    """Write what an exact continuation needs in addition: replay buffer, past actions, random generators."""
    replay = getattr(model, "replay_buffer", None)
    arrays = {} if replay is None else _arrays_of(replay) | {"place": np.array([replay.pos, replay.full])}
    actions: Any = model.action_space.np_random.bit_generator.state
    state = json.dumps({"random": random_states(), "actions": actions})
    return {REPLAY: pack_arrays(arrays), ACTIONS: environments.pack(), STATE: state.encode()}


def exact_bytes(model: Any, environments: "Recorder", steps: int) -> int:
    """The largest number of bytes that `pack_exactly` may write."""
    replay = getattr(model, "replay_buffer", None)
    buffer = 0 if replay is None else sum(array.nbytes for array in _columns_of(replay).values())
    space = environments.action_space
    action = max(8, 8 * int(np.prod(space.shape or ())))  # sampling one would change the agent's exploration
    return int(buffer + (steps + SPARE) * action + SPARE)


def unpack_exactly(model: Any, environments: "Recorder", parts: Mapping[str, bytes], most: int) -> bool:
    """Restore what `pack_exactly` wrote; return whether the environments pay the same rewards as before."""
    arrays = read_arrays(parts[REPLAY], most)
    if arrays:
        replay = model.replay_buffer
        replay.pos, replay.full = int(arrays["place"][0]) % replay.buffer_size, bool(arrays["place"][1])
        for name, rows in _arrays_of(replay).items():
            rows[...] = arrays[name]
    state = json.loads(parts[STATE])
    same = environments.replay(parts[ACTIONS], most)
    model.action_space.np_random.bit_generator.state = state["actions"]
    set_random_states(state["random"])
    return same


def _columns_of(replay: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a replay buffer, by name."""
    columns = {name: value for name, value in vars(replay).items() if isinstance(value, np.ndarray)}
    for name, value in vars(replay).items():
        if isinstance(value, dict):  # observations that are dictionaries
            columns |= {f"{name}/{key}": part for key, part in value.items() if isinstance(part, np.ndarray)}
    return columns


def _arrays_of(replay: Any) -> dict[str, NDArray[Any]]:
    """Views of the used rows of a replay buffer, by name."""
    rows = replay.buffer_size if replay.full else replay.pos + 1  # the row behind the last may hold its successor
    return {name: column[:rows] for name, column in _columns_of(replay).items()}


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


class SeededOnce(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that is seeded by its first reset, with a seed of its own, and by no other."""

    def __init__(self, env: gymnasium.Env[Any, Any], seed: int) -> None:
        super().__init__(env)
        self._seed: int | None = seed

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        own, self._seed = self._seed, None
        return self.env.reset(seed=own, options=options)


class Recorder(VecEnvWrapper):
    """Environments with own returns in their infos; they can record their actions, to be brought to the same state.

    Args:
        make: makes one.
        seeds: of the first reset of each.
        records: whether actions are recorded.
    """

    def __init__(self, make: Callable[[], gymnasium.Env[Any, Any]], seeds: Sequence[int], records: bool) -> None:
        checked_callable("make", make, "a function that makes a fresh environment")

        def monitored(seed: int) -> gymnasium.Env[Any, Any]:
            env = make()
            check_environment(env)
            return Monitor(SeededOnce(env, seed))

        super().__init__(DummyVecEnv([partial(monitored, seed) for seed in seeds]))
        self.recording, self.records = bytearray(), records
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
        if self.records:
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

    def replay(self, content: bytes, most: int) -> bool:
        """Repeat the actions that `pack` wrote; return whether the rewards are the same."""
        recording = read_arrays(content, most, ("actions", "rewards"))
        observations = self.reset()
        for actions in recording["actions"]:
            observations = self.step(actions)[0]
        self.resumed = observations
        return self.rewards == int(recording["rewards"])


class Curve(BaseCallback):
    """The learning curve: each episode's return and the agent's own return, which is logged, too."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, float, float]] = []
        self.written = False

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
