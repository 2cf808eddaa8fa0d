"""Files that execute nothing when they are read: checkpoints of a training, and published weights.

A checkpoint is one zip archive of JSON, NumPy arrays without pickles, and the archives in which Stable-Baselines3 saves
a model, of which only tensors and a few counters are read (`considerate.training.models`). Everything goes through the
one door for files from others, which checks sizes before anything is read (`multislot.foreign`).
"""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from multislot.checks import checked_parts, refusal, wrong_type
from multislot.errors import SettingError, show_value
from multislot.foreign import ForeignFileError, read_archive, read_arrays, read_json

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

CHECKPOINT, SETTINGS, CURVE, WEIGHTS = "checkpoint.zip", "training.json", "curve.csv", "weights.npz"
MOST_SETTINGS = 2**20
"""The largest number of bytes of a training's settings."""


class CheckpointError(SettingError):
    """A checkpoint cannot be read; the message says why and how to go on."""


class UntrustedError(CheckpointError):
    """Reading a checkpoint would execute code; nothing in it was read."""


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
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode())


def _name(value: object) -> str:
    """What stands for a function or a class in a file; its address would differ in every process."""
    return getattr(value, "__qualname__", type(value).__qualname__)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file; a crash leaves the old one or the new one."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_bytes(content)
    draft.replace(path)


def write_checkpoint(directory: Path, parts: Mapping[str, bytes]) -> None:
    """Replace the checkpoint in a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    replace_file(directory / CHECKPOINT, file.getvalue())


def read_checkpoint(directory: Path, names: tuple[str, ...], most: int) -> dict[str, bytes] | None:
    """Read the parts of a checkpoint by file name; None if there is no checkpoint.

    Args:
        directory: where it is.
        names: those that parts may have.
        most: the largest number of bytes.

    Raises:
        CheckpointError: it is damaged or too large.
    """
    path = directory / CHECKPOINT
    if not path.exists():
        return None
    try:
        return read_archive(path, names, most)
    except ForeignFileError as error:
        raise damaged(directory, error) from error


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Write arrays as a file in NumPy's format ``.npz``."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def save_weights(model: "BaseAlgorithm", path: Path | str) -> None:
    """Save the weights of a model's networks as plain arrays, which others can read without executing code.

    Args:
        model: a trained model.
        path: the file, in NumPy's format ``.npz``.
    """
    checked_parts("model", model, "policy")
    Path(path).write_bytes(pack_arrays(_weights(model)))


def _weights(model: Any) -> dict[str, Any]:
    return {name: tensor.detach().cpu().numpy() for name, tensor in model.policy.state_dict().items()}


def load_weights(model: "BaseAlgorithm", path: Path | str) -> "BaseAlgorithm":
    """Give a model the weights that `save_weights` saved; nothing in the file is executed.

    Args:
        model: a fresh model of the same algorithm, policy and spaces; its weights are replaced.
        path: the file.

    Raises:
        CheckpointError: the file is damaged, or of a model of another shape.
    """
    import torch

    fresh = _weights(checked_parts("model", model, "policy"))
    if not isinstance(path, str | Path):
        raise wrong_type("path", path, "a path")
    most = 2 * sum(array.nbytes for array in fresh.values()) + MOST_SETTINGS
    try:
        weights = read_arrays(path, most, expected=fresh)
    except ForeignFileError as error:
        raise CheckpointError(
            f"got {show_value(path)} as weights; expected a file of save_weights for the same algorithm, policy and "
            f"spaces: {error}"
        ) from None
    model.policy.load_state_dict({name: torch.as_tensor(weight) for name, weight in weights.items()})
    return model
