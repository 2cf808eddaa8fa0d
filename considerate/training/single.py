"""Training considerate agents with Stable-Baselines3: one learns, the others follow fixed policies.

This is the setting of Alizadeh Alamdari et al. 2021. `train` trains in any Gymnasium environment, such as a `SoloEnv`.
It can write TensorBoard records, and it resumes from its own checkpoints. `evaluate` plays the learned policy and
reports everyone's return.

With a directory a training keeps its settings, weights and learning curve, an evaluation when it is finished, and its
state in a checkpoint, which is taken between a training update and the next rollout. The same call goes on from there,
and one with more steps extends a finished training. It goes on in new episodes, and off-policy algorithms with an empty
replay buffer, which they fill with the random actions of another ``learning_starts`` steps before they learn. With
``exact=True`` a resumed run gives the same numbers as an uninterrupted one: the replay buffer is stored, too, and the
actions so far are repeated in fresh environments, which reach the same state. A schedule, which depends on the number
of steps, follows the steps that are added. The numbers may differ with

- an environment that behaves differently although its seed and all actions are the same: training goes on and warns;
- generalized state-dependent exploration (``use_sde``), which draws noise before the callback of a new rollout;
- RecurrentPPO within an episode, as it goes on without its memory of that episode;
- an ``OrnsteinUhlenbeckActionNoise``, whose state is not stored;
- a GPU, on which even two uninterrupted runs may differ.

Reading a checkpoint executes no code (`checkpoints`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium

from considerate.training.checkpoints import SETTINGS, check_same_training
from considerate.training.evaluation import KEPT_EPISODE_STEPS, evaluate, keep_evaluation
from multislot.checks import checked_instance, checked_seed, known_name, refusal, whole
from multislot.errors import MissingExtraError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback

ALGORITHMS = (
    *("A2C", "CrossQ", "DDPG", "DQN", "MaskablePPO", "PPO", "QRDQN", "RecurrentPPO", "SAC", "TD3", "TQC", "TRPO"),
)
"""Names of the learning algorithms, as in Stable-Baselines3 and sb3-contrib."""
MakeEnv = Callable[[], gymnasium.Env[Any, Any]]


@dataclass(frozen=True)
class Training:
    """The settings of a training.

    Args:
        algorithm: one of `ALGORITHMS`, by its name in Stable-Baselines3 or sb3-contrib.
        steps: of all environments together; rounded up to whole rollouts.
        seed: of networks, exploration and environments.
        policy: the kind of network, by its name in Stable-Baselines3.
        settings: further arguments of the algorithm (learning rate, γ, …), as plain data. It runs on the CPU unless
            they say otherwise.
        environments: how many run side by side.
        checkpoint_every: steps between checkpoints.
        threads: of PyTorch; small networks are fastest with one thread. The numbers depend on it.
        evaluation_episodes: that `evaluate` plays at the end of a training with a directory, each of at most 1000
            steps; their returns are kept in ``evaluation.json``. By default as many as there, 0 for none.
    """

    algorithm: str = "PPO"
    steps: int = 100_000
    seed: int = 0
    policy: str = "MlpPolicy"
    settings: Mapping[str, Any] = field(default_factory=dict)
    environments: int = 1
    checkpoint_every: int = 10_000
    threads: int = 1
    evaluation_episodes: int | None = None

    def __post_init__(self) -> None:
        known_name("algorithm", self.algorithm, ALGORITHMS)
        for name in ("steps", "environments", "checkpoint_every", "threads"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        object.__setattr__(self, "seed", checked_seed(self.seed, bits=32))
        whole("evaluation_episodes", self.evaluation_episodes or 0, least=0)

    @property
    def identity(self) -> dict[str, Any]:
        """What distinguishes one training from another: not how long it is, how often it is kept, or its evaluation."""
        free = "steps", "checkpoint_every", "evaluation_episodes"
        return {name: value for name, value in asdict(self).items() if name not in free}


def train(
    make: MakeEnv,
    training: Training,
    directory: Path | str | None = None,
    callbacks: Sequence["BaseCallback"] = (),
    tensorboard: bool = False,
    exact: bool = False,
) -> "BaseAlgorithm":
    """Train a model; continue or extend a run of the same training in the same directory.

    Args:
        make: makes a fresh environment, for example a `SoloEnv`.
        training: the settings of the training.
        directory: for settings, the latest checkpoint, weights, learning curve, evaluation and TensorBoard's records.
        callbacks: Stable-Baselines3 callbacks. After a callback stops training, it can resume from the last checkpoint.
        tensorboard: whether to write records for TensorBoard, with the acting agent's own and augmented return.
        exact: whether a resumed run has the same numbers as an uninterrupted one; checkpoints are then larger.

    Raises:
        CheckpointError: the checkpoint is damaged, or of another training.
    """
    models = import_models()
    checked_instance("training", training, Training)
    if tensorboard and directory is None:
        raise refusal("directory", None, "a directory for TensorBoard's records")
    place = None if directory is None else Path(directory)
    log = str(place / "tensorboard") if place and tensorboard else None
    if place is not None:
        check_same_training(place / SETTINGS, {**training.identity, "exact": exact})
    model: BaseAlgorithm = models.prepare(make, training, exact, log)
    keeper = models.Keeper(place, training.steps, training.checkpoint_every, exact)
    models.resume(model, keeper)
    with models.threads(training.threads):
        models.learn(model, callbacks, keeper)
        steps, episodes = model.num_timesteps, training.evaluation_episodes
        if place is not None and episodes != 0 and steps >= training.steps:
            seed, longest = training.seed, KEPT_EPISODE_STEPS
            keep_evaluation(place, steps, episodes, lambda: evaluate(model, make(), episodes, seed, longest))
            env: Any = model.get_env()
            model.set_env(env)  # Who trains it further begins an episode: `make` may return the same environment again.
    return model


def import_models() -> Any:
    """Import `considerate.training.models`, which takes seconds; raise MissingExtraError without Stable-Baselines3."""
    try:
        from considerate.training import models
    except ImportError:
        raise MissingExtraError("training with Stable-Baselines3", "deep") from None
    return models


def new_model(make: MakeEnv, training: Training) -> "BaseAlgorithm":
    """Make an untrained model, for `load_weights`.

    Args:
        make: makes a fresh environment.
        training: the algorithm and its settings.
    """
    checked_instance("training", training, Training)
    model: BaseAlgorithm = import_models().prepare(make, training)
    return model
