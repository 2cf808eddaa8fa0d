"""Training considerate agents with Stable-Baselines3: one learns, the others follow fixed policies.

That is the setting of Alizadeh Alamdari et al. 2021. `train` trains in any Gymnasium environment, such as a
`SoloEnv`, with TensorBoard and with checkpoints from which it resumes by itself; `evaluate` plays
the learned policy and reports everyone's return, and `compare_with_exact` compares it with the exact optimum.

A resumed run gives the same numbers as an uninterrupted one: a checkpoint is taken between a training update and the
next rollout, and has everything (see `models`). Stable-Baselines3 or an environment does not allow this for

- an environment that cannot be pickled, or forgets itself when it is (Gymnasium's ``EzPickle``): training then resumes
  with a new episode, and says so;
- generalised state-dependent exploration (``use_sde``), which draws noise before a rollout can be seen to begin;
- a GPU, on which the same numbers are not promised even by an uninterrupted run.

Reading a checkpoint can execute code, so only checkpoints that this user wrote are read (`checkpoints`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from considerate.training.checkpoints import CheckpointError, UntrustedError, read_checkpoint, write_checkpoint
from considerate.training.evaluation import Evaluation, ExactComparison, compare_with_exact, evaluate
from considerate.training.models import (
    ALGORITHMS,
    OWN_RETURN,
    MakeEnv,
    check_names,
    fresh_model,
    load_weights,
    model_parts,
    need_extra,
    quiet,
    restored_model,
    save_weights,
    side_by_side,
    threads,
)
from considerate.training.views import Policy
from multislot.arguments import explains_arguments
from multislot.checks import checked_seed, refusal, whole
from multislot.errors import UnknownNameError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback

__all__ = [
    "ALGORITHMS",
    "OWN_RETURN",
    "CheckpointError",
    "Evaluation",
    "ExactComparison",
    "Training",
    "UntrustedError",
    "compare_with_exact",
    "evaluate",
    "greedy",
    "load_weights",
    "new_model",
    "save_weights",
    "train",
]


@explains_arguments
@dataclass(frozen=True)
class Training:
    """What to train and for how long.

    Args:
        algorithm: one of `ALGORITHMS`, by its name in Stable-Baselines3.
        steps: of the environments together; rounded up to whole rollouts.
        seed: of networks, exploration and environments.
        policy: the kind of network, by its name in Stable-Baselines3.
        settings: further arguments of the algorithm (learning rate, γ, …), as plain data. It runs on the CPU unless
            they say otherwise.
        environments: how many run side by side.
        checkpoint_every: steps between checkpoints.
        threads: of PyTorch; networks of this size are fastest with one, and their numbers depend on it.

    Raises:
        UnknownNameError: the algorithm is not known.
        SettingError: a number is not whole or not positive.
    """

    algorithm: str = "PPO"
    steps: int = 100_000
    seed: int = 0
    policy: str = "MlpPolicy"
    settings: Mapping[str, Any] = field(default_factory=dict)
    environments: int = 1
    checkpoint_every: int = 10_000
    threads: int = 1

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", self.algorithm, ALGORITHMS)
        for name in ("steps", "environments", "checkpoint_every", "threads"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        object.__setattr__(self, "seed", checked_seed(self.seed, bits=32))


@explains_arguments
def train(
    make: MakeEnv,
    training: Training,
    directory: Path | str | None = None,
    callbacks: Sequence["BaseCallback"] = (),
    tensorboard: bool = False,
    trust: bool = False,
) -> "BaseAlgorithm":
    """Return a trained model; resume an interrupted run of the same training in the same directory.

    Args:
        make: makes a fresh environment, for example a `SoloEnv`.
        training: what to train and for how long.
        directory: where the latest checkpoint, the finished model and TensorBoard's records are kept.
        callbacks: Stable-Baselines3 callbacks. One that stops training leaves the latest checkpoint to resume from.
        tensorboard: whether to write records for TensorBoard, with the acting agent's own and augmented return.
        trust: whether to read a checkpoint that this user did not write, which can execute code.

    Raises:
        MissingExtraError: the extra "deep" is not installed.
        UnknownNameError: the algorithm has no such setting or policy.
        UntrustedError: another user wrote the checkpoint in the directory.
        CheckpointError: the checkpoint is damaged, or of another training.
        SettingError: TensorBoard is wanted without a directory, ``make`` makes something else than a Gymnasium
            environment, or the algorithm cannot be made for it, or with these settings.
    """
    need_extra()
    check_names(training.algorithm, training.policy, training.settings)
    if tensorboard and directory is None:
        raise refusal("directory", None, "a directory for TensorBoard's records")
    place = None if directory is None else Path(directory)
    if place and place.exists() and not place.is_dir():
        raise refusal("directory", directory, "a directory, which need not exist", "this is a file")
    log = str(place / "tensorboard") if place and tensorboard else None
    parts = read_checkpoint(place, trust) if place else None
    if parts is None or place is None:
        model = new_model(make, training, log)
    else:
        model = restored_model(
            parts, training.algorithm, asdict(training), place, lambda: side_by_side(make, training.environments), log
        )
    keeping = [] if place is None else [_checkpoints(place, training)]
    if log is None and not model.verbose:
        quiet(model)
    remaining = training.steps - model.num_timesteps
    if remaining > 0:
        with threads(training.threads):
            model.learn(remaining, [*callbacks, _own_returns(), *keeping], reset_num_timesteps=model.num_timesteps == 0)
        if place and model.num_timesteps >= training.steps:
            write_checkpoint(place, model_parts(model, asdict(training)))
    return model


@explains_arguments
def new_model(make: MakeEnv, training: Training, log: str | None = None) -> "BaseAlgorithm":
    """Return an untrained model, for `load_weights`.

    Args:
        make: makes a fresh environment.
        training: the algorithm and its settings.
        log: where TensorBoard's records go, if anywhere.
    """
    need_extra()
    environments = side_by_side(make, training.environments)
    return fresh_model(training.algorithm, training.policy, training.settings, environments, training.seed, log)


@explains_arguments
def greedy(model: "BaseAlgorithm") -> Policy:
    """Return a trained model's deterministic policy, from an observation to an action."""

    def act(observation: Any) -> Any:
        action, _ = model.predict(observation, deterministic=True)
        return action.item() if np.ndim(action) == 0 else action

    return act


def _own_returns() -> "BaseCallback":
    """Return a callback that records the acting agent's own mean return, as Stable-Baselines3 does the augmented."""
    from stable_baselines3.common.callbacks import BaseCallback

    class OwnReturns(BaseCallback):
        def _on_step(self) -> bool:
            for info in self.locals["infos"]:
                if OWN_RETURN in info:
                    self.logger.record_mean(OWN_RETURN, info[OWN_RETURN])
            return True

    return OwnReturns()


def _checkpoints(place: Path, training: Training) -> "BaseCallback":
    """Return a callback that stores a checkpoint between an update and the next rollout."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Checkpoints(BaseCallback):
        def _on_training_start(self) -> None:
            self.stored = self.num_timesteps

        def _on_rollout_start(self) -> None:
            if self.num_timesteps - self.stored >= training.checkpoint_every:
                write_checkpoint(place, model_parts(self.model, asdict(training)))
                self.stored = self.num_timesteps

        def _on_step(self) -> bool:
            return True

    return Checkpoints()
