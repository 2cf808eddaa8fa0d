"""Files that execute nothing when they are read: checkpoints of a training, and published weights.

A checkpoint is one zip archive of JSON, NumPy arrays without pickles, and the archives in which Stable-Baselines3 saves
a model, of which only plain numbers and tensors are read (`considerate.training.models`).
"""

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

from multislot.checks import checked_parts, refusal
from multislot.errors import SettingError, show_value

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

CHECKPOINT = "checkpoint.zip"
TRAINING = "training.json"


class CheckpointError(SettingError):
    """A checkpoint cannot be read; the message says why and how to go on."""


class UntrustedError(CheckpointError):
    """Reading a checkpoint would execute code; nothing in it was read."""


@contextmanager
def blame_checkpoint(directory: Path) -> Iterator[None]:
    """Report every error as a damaged checkpoint: a file of another version can fail in any way."""
    try:
        yield
    except SettingError:
        raise
    except Exception as error:
        raise CheckpointError(
            f"the checkpoint in {directory} is damaged ({type(error).__name__}: {error}); delete it to start again"
        ) from error


def write_checkpoint(directory: Path, training: object, parts: Mapping[str, bytes]) -> None:
    """Replace the checkpoint in a directory; a crash leaves the old one or the new one."""
    directory.mkdir(parents=True, exist_ok=True)
    draft = directory / f"{CHECKPOINT}.new"
    with ZipFile(draft, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, part in {TRAINING: _as_json(training), **parts}.items():
            archive.writestr(name, part)
    draft.replace(directory / CHECKPOINT)


def read_checkpoint(directory: Path | None, training: object) -> dict[str, bytes] | None:
    """Read the parts of a checkpoint by file name; None if there is no checkpoint.

    Raises:
        CheckpointError: it is damaged, or of another training.
    """
    if directory is None:
        return None
    if directory.exists() and not directory.is_dir():
        raise refusal("directory", directory, "a directory, which need not exist", "this is a file")
    path = directory / CHECKPOINT
    if not path.exists():
        return None
    with blame_checkpoint(directory), ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
        stored = parts.pop(TRAINING)
    if stored != _as_json(training):
        raise CheckpointError(f"{directory} holds another training, {stored.decode()}; give another directory")
    return parts


def _as_json(training: object) -> bytes:
    return json.dumps(training, sort_keys=True, default=repr).encode()


def pack_arrays(arrays: Mapping[str, Any]) -> bytes:
    """Write arrays as a file in NumPy's format ``.npz``."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unpack_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Read the arrays of `pack_arrays`; pickles are refused."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def save_weights(model: "BaseAlgorithm", path: Path | str) -> None:
    """Save the weights of a model's networks as plain arrays, which others can read without executing code.

    Args:
        model: a trained model.
        path: the file, in NumPy's format ``.npz``.
    """
    checked_parts("model", model, "policy")
    weights = {name: tensor.detach().cpu().numpy() for name, tensor in model.policy.state_dict().items()}
    Path(path).write_bytes(pack_arrays(weights))


def load_weights(model: "BaseAlgorithm", path: Path | str) -> "BaseAlgorithm":
    """Give a model the weights that `save_weights` saved; nothing in the file is executed.

    Args:
        model: a fresh model of the same algorithm, policy and spaces; its weights are replaced.
        path: the file.

    Raises:
        CheckpointError: the file is damaged, or of a model of another shape.
    """
    import torch

    try:
        weights = unpack_arrays(Path(path).read_bytes())
        model.policy.load_state_dict({name: torch.as_tensor(weight) for name, weight in weights.items()})
    except Exception as error:  # a damaged archive can fail in any way
        raise CheckpointError(
            f"got {show_value(path)} as weights; expected a file of save_weights for the same algorithm, policy and "
            f"spaces: {error}"
        ) from None
    return model
