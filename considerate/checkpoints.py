"""Checkpoints of a training: what Stable-Baselines3 stores, and what it leaves out, in a directory of its own.

Beside networks, optimisers and counters these are the replay buffer, the environments and the states of all random
generators. A checkpoint is written under another name and then renamed, so that a crash leaves one that is whole.
"""

import random
from collections.abc import Mapping
from pathlib import Path
from pickle import PickleError
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.utils import EzPickle

from multislot.errors import SettingError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

CHECKPOINT = "checkpoint"
REST = "rest.pkl"


def store(model: "BaseAlgorithm", place: Path, training: Mapping[str, Any]) -> None:
    """Replaces the checkpoint in a directory by one of the model as it is; whole or not at all.

    Args:
        model: with its environments, between a training update and the next rollout.
        place: the directory; it is made if it is not there.
        training: what is trained, to be recognised by.
    """
    import cloudpickle
    import torch

    new, old = place / f"{CHECKPOINT}.new", place / f"{CHECKPOINT}.old"
    rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    model.save(new / "model.zip")
    rest = {
        "training": dict(training),
        "environments": _pickled(model.get_env()),
        "action_space": model.action_space,
        "random": (random.getstate(), np.random.get_state(), torch.get_rng_state()),  # noqa: NPY002
        "replay": getattr(model, "replay_buffer", None),
    }
    (new / REST).write_bytes(cloudpickle.dumps(rest))
    rmtree(old, ignore_errors=True)
    if (place / CHECKPOINT).exists():
        (place / CHECKPOINT).rename(old)
    new.rename(place / CHECKPOINT)
    rmtree(old, ignore_errors=True)


def stored(place: Path) -> tuple[Path, dict[str, Any] | None]:
    """Returns where the checkpoint of a directory is, and what `store` put beside the model; None if there is none.

    Raises:
        SettingError: it cannot be read.
    """
    import cloudpickle

    found = place / CHECKPOINT if (place / CHECKPOINT).exists() else place / f"{CHECKPOINT}.old"
    if not found.exists():
        return found, None
    try:
        return found, cloudpickle.loads((found / REST).read_bytes())
    except (OSError, EOFError, PickleError) as error:
        raise SettingError(f"the checkpoint {found} cannot be read ({error}); delete it to start afresh") from None


def _pickled(environments: Any) -> bytes | None:
    """The environments as bytes, or None if they would not come back as they are."""
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
