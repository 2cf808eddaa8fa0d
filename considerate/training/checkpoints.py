"""Files of a training: its settings, its latest checkpoint, its learning curve and its weights.

A checkpoint and published weights are plain arrays in NumPy's format ``.npz``; reading them executes nothing. A
checkpoint has a model's tensors, those of its optimizers, and `COUNTERS`, but no setting, so it cannot change the
training. Everything is read through the one door for files from others, which checks sizes before anything is read
(`multislot.files.foreign`).
"""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from multislot.cells.code import code_digest, is_users
from multislot.checks import checked_parts, refusal, wrong_type
from multislot.errors import SettingError, show_value
from multislot.files.foreign import ForeignFileError, read_arrays, read_json
from multislot.files.writing import open_draft, write_file

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

__all__ = ["CheckpointError", "load_weights", "save_weights"]

Arrays = dict[str, Any]
"""Arrays by name."""
CHECKPOINT, SETTINGS, CURVE, WEIGHTS = "checkpoint.npz", "training.json", "curve.csv", "weights.npz"
MOST_SETTINGS = 2**20
"""The largest number of bytes of a training's settings."""
SPARE = 2**22
"""The bytes that a checkpoint may have in addition to its tensors."""
COUNTERS = ("num_timesteps", "_n_updates", "_n_calls")
"""What counts a training's progress. TD3 and CrossQ update actors by the second, DQN and QRDQN targets by the third."""
ASKED = "steps asked for"
MOST_COUNTED = 2**53
SPARE_STEPS = 2**20
"""The steps that a training may make beyond those that it was asked for, where its rollouts have no fixed length."""
NEVER_NEGATIVE = {"step", "exp_avg_sq", "max_exp_avg_sq", "square_avg", "sum", "row_var", "col_var", "variance"}
"""Steps and mean squares of gradients, as the optimizers of PyTorch call them."""


class CheckpointError(SettingError):
    """A checkpoint cannot be read; the message says why and how to go on."""


def damaged(directory: Path, error: Exception) -> CheckpointError:
    """The error of a checkpoint that cannot be read: a file of another version can fail in any way."""
    return CheckpointError(
        f"the checkpoint in {directory} is damaged ({type(error).__name__}: {error}); delete it to start again"
    )


def check_same_training(path: Path, training: object) -> None:
    """Raise an error if a file has the settings of another training; write those of a new one."""
    if path.parent.exists() and not path.parent.is_dir():
        raise refusal("directory", path.parent, "a directory, which need not exist", "this is a file")
    text = json.dumps(training, sort_keys=True, default=_name)
    if path.exists():
        try:
            stored = read_json(path, MOST_SETTINGS)
        except ForeignFileError as error:
            raise damaged(path.parent, error) from error
        if stored != json.loads(text):
            shown = show_value(json.dumps(stored))
            raise CheckpointError(f"{path.parent} holds another training, {shown}; give another directory")
        return
    write_file(path, text, in_own_folder=True)


def _name(value: Any) -> object:
    """What stands for a learner, a function, a class or an object in a file: its parts, its name or its digest."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    held = getattr(value, "__closure__", None) or ()  # functions that one function makes differ in it
    if isinstance(value, type | FunctionType) and not held and not is_users(value.__module__):
        return value.__qualname__
    shown = repr(value)
    if callable(value) or " at 0x" in shown:  # an address differs in every process
        return f"code {code_digest(partial(id, value, *(cell.cell_contents for cell in held)))}"
    return shown


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays as a file in NumPy's format ``.npz``; a crash leaves the old one or the new one."""
    with open_draft(path, in_own_folder=True) as file:
        np.savez(file, **arrays)


def state_of(model: Any) -> Arrays:
    """A model's tensors, those of its optimizers, and its counters."""
    arrays = {f"counter {name}": np.array(getattr(model, name)) for name in COUNTERS if hasattr(model, name)}
    if hasattr(model, "exploration_rate"):  # until the next step, which computes it again
        arrays["exploration_rate"] = np.array(model.exploration_rate)
    if getattr(model, "log_ent_coef", None) is not None:
        arrays["log_ent_coef"] = _array(model.log_ent_coef)
    for name, means in _running_means(model).items():
        arrays |= {f"{name} {part}": np.array(value) for part, value in vars(means).items()}
    for name, state in model.get_parameters().items():
        if "param_groups" in state:  # an optimizer: its tensors by the number of the weight and their name
            state = {f"{n} {key}": value for n, of_weight in state["state"].items() for key, value in of_weight.items()}
        arrays |= {f"{name} {key}": _array(tensor) for key, tensor in state.items()}
    return arrays


def _running_means(model: Any) -> dict[str, Any]:
    """Those of a `VecNormalize`, which scales what the networks see and learn from."""
    normalization = model.get_vec_normalize_env()
    if normalization is None:
        return {}
    seen = getattr(normalization, "obs_rms", {})
    of_parts = seen if isinstance(seen, dict) else {"all": seen}
    return {"normal return": normalization.ret_rms, **{f"normal {part}": means for part, means in of_parts.items()}}


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.array(value)


def restore(model: Any, directory: Path, steps: int, most: int = 0) -> Arrays | None:
    """Bring a fresh model to the state of a checkpoint, if there is one; return the checkpoint's other arrays.

    Args:
        model: an untrained model with the same settings; it is changed.
        directory: where the checkpoint is.
        steps: what the training may have learned, if it was not asked for less.
        most: the largest number of bytes of other arrays.

    Raises:
        CheckpointError: the checkpoint is damaged, too large, of a model of another shape, or has learned more.
    """
    path, fresh = directory / CHECKPOINT, state_of(model)
    if not path.exists():
        return None
    try:
        arrays = _read(path, 4 * sum(array.nbytes for array in fresh.values()) + SPARE + most)
        _set_state(model, fresh, arrays)
        asked, longest = int(arrays.pop(ASKED)), _longest_rollout(model)
        if model.num_timesteps > asked + longest:
            expected = f"at most {asked + longest}, the steps asked for and a rollout"
            raise refusal("num_timesteps", model.num_timesteps, expected)
        if min(model.num_timesteps, asked) > steps:  # a finished one may end within a rollout
            raise CheckpointError(
                f"{directory} holds a training of {model.num_timesteps} steps, more than {steps}; give more steps, or "
                "another directory"
            )
    except CheckpointError:
        raise
    except Exception as error:  # a file of another version can fail in any way
        raise damaged(directory, error) from error
    return arrays


def _longest_rollout(model: Any) -> int:
    """The most steps of a rollout, by which a training may exceed what was asked for."""
    if hasattr(model, "train_freq"):
        length = model.train_freq.frequency if model.train_freq.unit.value == "step" else None  # or in episodes
    else:
        length = getattr(model, "n_steps", None)
    return SPARE_STEPS if length is None else length * model.n_envs


def _set_state(model: Any, fresh: Arrays, arrays: Arrays) -> None:
    """Give a model the state that `state_of` returned, and remove it from the arrays."""
    import torch
    from stable_baselines3.common.save_util import recursive_getattr

    stored = {name: _take(arrays, name, array) for name, array in fresh.items()}
    for name in [name for name in fresh if name.startswith("counter ")]:
        if not 0 <= stored[name] <= MOST_COUNTED:
            raise SettingError(f"got {name}={stored[name]}; expected a whole number from 0 to {MOST_COUNTED}")
        setattr(model, name.removeprefix("counter "), int(stored[name]))
    if "exploration_rate" in stored:
        model.exploration_rate = min(max(float(stored["exploration_rate"]), 0.0), 1.0)
    if "log_ent_coef" in stored:
        model.log_ent_coef.data.copy_(torch.as_tensor(stored["log_ent_coef"]))
    for name, means in _running_means(model).items():
        vars(means).update({part: stored[f"{name} {part}"][()] for part in vars(means)})
    parameters = model.get_parameters()
    for name, state in parameters.items():
        if "param_groups" in state:
            state["state"] = _optimizer_state(arrays | stored, name, recursive_getattr(model, name))
        else:
            state.update({key: torch.as_tensor(stored[f"{name} {key}"]) for key in state})
    model.set_parameters(parameters, device=model.device)
    if hasattr(model, "weights"):  # ARS has those of its policy as a vector, too
        model.weights = torch.nn.utils.parameters_to_vector(model.policy.parameters()).detach()


def _take(arrays: Arrays, name: str, fresh: Any) -> Any:
    """Remove an array and return it; refuse one of another shape or type than that of a fresh model."""
    array = arrays.pop(name)
    if (array.shape, array.dtype) != (fresh.shape, fresh.dtype):
        raise CheckpointError(
            f"got a checkpoint in which {name} has shape {array.shape} and type {array.dtype}; expected {fresh.shape} "
            f"and {fresh.dtype}, as this environment needs; give another directory"
        )
    return array


def _optimizer_state(arrays: Arrays, name: str, optimizer: Any) -> dict[int, dict[str, Any]]:
    """Return the state of an optimizer. A copy takes a step, which shows what arrays each weight needs."""
    import torch

    probe = deepcopy(optimizer)  # with copies of its weights
    for weight in (weight for group in probe.param_groups for weight in group["params"]):
        weight.grad = torch.zeros_like(weight)
    probe.step()
    state: dict[int, dict[str, Any]] = {}
    for number, entries in probe.state_dict()["state"].items():
        names = {f"{name} {number} {entry}": entry for entry in entries}
        if names.keys().isdisjoint(arrays):
            continue  # this weight has had no gradient yet
        for key, entry in names.items():
            array, is_tensor = _take(arrays, key, _array(entries[entry])), hasattr(entries[entry], "detach")
            if entry in NEVER_NEGATIVE and (array < 0).any():
                raise SettingError(f"got {key} with negative numbers; expected a mean square or a number of steps")
            state.setdefault(number, {})[entry] = torch.as_tensor(array) if is_tensor else array.item()
    if unknown := [key for key in arrays if key.startswith(f"{name} ")]:
        raise SettingError(f"got {show_value(unknown)}; expected only what the optimizer of this model has")
    return state


def _read(path: Path | str, most: int, expected: Arrays | None = None) -> Arrays:
    arrays = read_arrays(path, most, expected=expected)
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise CheckpointError(f"got {name} with numbers that are not finite in {path}; train with other settings")
    return arrays


def save_weights(model: "BaseAlgorithm", path: Path | str) -> None:
    """Save the weights of a model's networks as plain arrays, which others can read without executing code.

    Args:
        model: a trained model.
        path: the file, in NumPy's format ``.npz``.
    """
    write_arrays(Path(path), _weights(model))


def _weights(model: Any) -> Arrays:
    tensors = checked_parts("model", model, "policy").policy.state_dict()
    return {name: _array(tensor) for name, tensor in tensors.items()}


def load_weights(model: "BaseAlgorithm", path: Path | str) -> "BaseAlgorithm":
    """Give a model the weights that `save_weights` saved; nothing in the file is executed.

    Args:
        model: a fresh model of the same algorithm, policy and spaces; its weights are replaced.
        path: the file.

    Raises:
        CheckpointError: the file is damaged, not of finite numbers, or of a model of another shape.
    """
    import torch

    fresh = _weights(model)
    if not isinstance(path, str | Path):
        raise wrong_type("path", path, "a path")
    most = 2 * sum(array.nbytes for array in fresh.values()) + MOST_SETTINGS
    try:
        weights = _read(path, most, fresh)
    except ForeignFileError as error:
        raise CheckpointError(
            f"got {show_value(path)} as weights; expected a file of save_weights for the same algorithm, policy and "
            f"spaces: {error}"
        ) from None
    model.policy.load_state_dict({name: torch.as_tensor(weight) for name, weight in weights.items()})
    return model
