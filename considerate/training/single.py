"""Training considerate agents with Stable-Baselines3: one learns, the others follow fixed policies.

This is the setting of Alizadeh Alamdari et al. 2021. `train` trains in any Gymnasium environment, such as a `SoloEnv`.
It can write TensorBoard records, and it resumes from its own checkpoints. `evaluate` plays the learned policy and
reports everyone's return.

A resumed run gives the same numbers as an uninterrupted one. A checkpoint is taken between a training update and the
next rollout. To resume, the actions so far are repeated in fresh environments, which reach the same state.
The numbers may differ with

- an environment that behaves differently although its seed and all actions are the same: training goes on and warns;
- generalized state-dependent exploration (``use_sde``), which draws noise before the callback of a new rollout;
- a GPU, on which even two uninterrupted runs may differ.

Reading a checkpoint executes no code (`checkpoints`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import gymnasium

from considerate.training.checkpoints import blame_checkpoint, read_checkpoint, write_checkpoint
from multislot.checks import checked_instance, checked_seed, refusal, whole
from multislot.errors import MissingExtraError, UnknownNameError, UnknownParameterError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback

ALGORITHMS = ("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3")
"""Names of the learning algorithms, as in Stable-Baselines3."""
MakeEnv = Callable[[], gymnasium.Env[Any, Any]]


@dataclass(frozen=True)
class Training:
    """The settings of a training.

    Args:
        algorithm: one of `ALGORITHMS`, by its name in Stable-Baselines3.
        steps: of all environments together; rounded up to whole rollouts.
        seed: of networks, exploration and environments.
        policy: the kind of network, by its name in Stable-Baselines3.
        settings: further arguments of the algorithm (learning rate, γ, …), as plain data. It runs on the CPU unless
            they say otherwise.
        environments: how many run side by side.
        checkpoint_every: steps between checkpoints.
        threads: of PyTorch; small networks are fastest with one thread. The numbers depend on it.
    """

    algorithm: str = "PPO"
    steps: int = 100_000
    seed: int = 0
    policy: str = "MlpPolicy"
    settings: Mapping[str, Any] = field(default_factory=dict)
    environments: int = 1
    checkpoint_every: int = 10_000
    threads: int = 1

    def __new__(cls, *arguments: Any, **settings: Any) -> "Training":
        """Raise an error for an argument of the algorithm that is not in ``settings``."""
        for name in settings.keys() - cls.__dataclass_fields__.keys():
            raise UnknownParameterError(
                f"Training() got an unexpected keyword argument {name!r}; an argument of the algorithm goes into "
                f"settings={{{name!r}: {settings[name]!r}}}; known: {', '.join(cls.__dataclass_fields__)}"
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UnknownNameError("algorithm", self.algorithm, ALGORITHMS)
        for name in ("steps", "environments", "checkpoint_every", "threads"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        object.__setattr__(self, "seed", checked_seed(self.seed, bits=32))
        if self.settings:
            import_models().check_settings(self.algorithm, self.settings)


def train(
    make: MakeEnv,
    training: Training,
    directory: Path | str | None = None,
    callbacks: Sequence["BaseCallback"] = (),
    tensorboard: bool = False,
) -> "BaseAlgorithm":
    """Train a model; resume an interrupted run of the same training in the same directory.

    Args:
        make: makes a fresh environment, for example a `SoloEnv`.
        training: the settings of the training.
        directory: for the latest checkpoint, the finished model and TensorBoard's records.
        callbacks: Stable-Baselines3 callbacks. After a callback stops training, it can resume from the last checkpoint.
        tensorboard: whether to write records for TensorBoard, with the acting agent's own and augmented return.

    Raises:
        CheckpointError: the checkpoint is damaged, or of another training.
    """
    models = import_models()
    checked_instance("training", training, Training)
    if tensorboard and directory is None:
        raise refusal("directory", None, "a directory for TensorBoard's records")
    place = None if directory is None else Path(directory)
    log = str(place / "tensorboard") if place and tensorboard else None
    parts = read_checkpoint(place, asdict(training))
    environments = models.Recorder(make, training.environments)
    chosen = training.algorithm, training.policy, training.settings
    model: BaseAlgorithm = models.new_model(*chosen, environments, training.seed, log)
    if parts is not None and place is not None:
        model = _resume(model, environments, parts, training, place)

    def keep(model: "BaseAlgorithm") -> None:
        if place is not None:
            state = {"random": models.random_states()}
            files = {"environments.npz": environments.pack(), "state.json": json.dumps(state).encode()}
            write_checkpoint(place, asdict(training), models.pack_model(model) | files)

    if log is None and not model.verbose:
        models.quiet(model)
    remaining = training.steps - model.num_timesteps
    if remaining > 0:
        keeping = models.BetweenRollouts(keep, training.checkpoint_every)
        with models.threads(training.threads):
            model.learn(
                remaining,
                [*callbacks, models.LogOwnReturns(), keeping],
                reset_num_timesteps=model.num_timesteps == 0,
            )
        if model.num_timesteps >= training.steps:
            keep(model)
    return model


def import_models() -> Any:
    """Import `considerate.training.models`, which takes seconds; raise MissingExtraError without Stable-Baselines3."""
    try:
        from considerate.training import models
    except ImportError:
        raise MissingExtraError("training with Stable-Baselines3", "deep") from None
    return models


def _resume(
    model: "BaseAlgorithm", environments: Any, parts: Mapping[str, bytes], training: Training, place: Path
) -> "BaseAlgorithm":
    """Bring a fresh model and its environments to the state of a checkpoint."""
    models = import_models()
    with blame_checkpoint(place):
        model = models.unpack_model(model, parts)
        if model.num_timesteps >= training.steps:
            return model
        same = environments.replay(parts["environments.npz"])
        models.set_random_states(json.loads(parts["state.json"])["random"])
    if not same:
        warn(
            f"the environment of {place} pays other rewards when its actions are repeated: training continues, but its "
            "numbers differ from those of an uninterrupted training",
            stacklevel=3,
        )
    return model


def new_model(make: MakeEnv, training: Training) -> "BaseAlgorithm":
    """Make an untrained model, for `load_weights`.

    Args:
        make: makes a fresh environment.
        training: the algorithm and its settings.
    """
    checked_instance("training", training, Training)
    models = import_models()
    chosen = training.algorithm, training.policy, training.settings
    model: BaseAlgorithm = models.new_model(*chosen, models.Recorder(make, training.environments), training.seed)
    return model
