"""Training considerate agents with Stable-Baselines3: one learns, the others follow fixed policies.

That is the setting of Alizadeh Alamdari et al. 2021. `train` trains in any Gymnasium environment, such as a
`considerate.views.SoloEnv`, with TensorBoard and with checkpoints from which it resumes by itself; `evaluate` plays
what was learned and `compare` sets it against the exact optimum.

A resumed run gives the same numbers as an uninterrupted one: beside what Stable-Baselines3 stores (networks,
optimisers, counters), a checkpoint has the replay buffer, the environments and the states of all random generators,
and is taken between a training update and the next rollout. What Stable-Baselines3 or an environment does not allow:

- an environment that cannot be pickled, or forgets itself when it is (Gymnasium's ``EzPickle``): training then resumes
  with a new episode, and says so;
- generalised state-dependent exploration (``use_sde``), which draws noise before a rollout can be seen to begin;
- a GPU, on which the same numbers are not promised even by an uninterrupted run.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import gymnasium
import numpy as np

from considerate.checkpoints import store, stored
from considerate.views import Policy
from considerate.wrappers import ORIGINAL
from multislot.errors import MissingExtraError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv

ALGORITHMS = ("A2C", "DDPG", "DQN", "PPO", "SAC", "TD3")
OWN_RETURN = "considerate/own_return"


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
            if not _whole(getattr(self, name)) or getattr(self, name) < 1:
                raise SettingError(f"{name} is {getattr(self, name)!r}; expected a whole number, at least 1")
        if not _whole(self.seed) or not 0 <= self.seed < 2**32:
            raise SettingError(f"seed is {self.seed!r}; expected a whole number from 0 to 2**32 - 1")


def train(
    make: Callable[[], gymnasium.Env[Any, Any]],
    training: Training,
    directory: Path | str | None = None,
    callbacks: Sequence["BaseCallback"] = (),
    tensorboard: bool = False,
) -> "BaseAlgorithm":
    """Trains a model; resumes where an interrupted run of the same training in the same directory stopped.

    Args:
        make: makes a fresh environment, for example a `SoloEnv`.
        training: what to train and for how long.
        directory: where the latest checkpoint, the finished model and TensorBoard's records are kept.
        callbacks: Stable-Baselines3 callbacks. One that stops training leaves the latest checkpoint to resume from.
        tensorboard: whether to write records for TensorBoard, with the acting agent's own return beside the augmented.

    Raises:
        MissingExtraError: the extra "deep" is not installed.
        UnknownNameError: the algorithm has no such setting or policy.
        SettingError: the directory holds another training or none that can be read, TensorBoard is wanted without a
            directory, what ``make`` makes is no Gymnasium environment, or the algorithm cannot be made for it, or with
            these settings.
    """
    _need_extra()
    _check_names(training)
    if tensorboard and directory is None:
        raise SettingError("tensorboard is wanted but there is no directory; give one")
    place = None if directory is None else Path(directory)
    if place and place.exists() and not place.is_dir():
        raise SettingError(f"{place} is a file; give a directory, which need not exist")
    log = str(place / "tensorboard") if place and tensorboard else None
    model = _resume(make, training, place, log) if place else None
    model = model or _fresh(make, training, log)
    keeping = [] if place is None else [_checkpoints(place, training)]
    remaining = training.steps - model.num_timesteps
    if remaining > 0:
        with _threads(training.threads):
            model.learn(remaining, [*callbacks, _own_returns(), *keeping], reset_num_timesteps=model.num_timesteps == 0)
    if place and model.num_timesteps >= training.steps:
        store(model, place, asdict(training))
    return model


@dataclass(frozen=True)
class Evaluation:
    """What a policy did.

    Attributes:
        returns: [E] undiscounted return of each episode, augmented if the environment is `Caring`.
        own_returns: [E] the same of the environment's own rewards.
        actions: the actions of each episode.
    """

    returns: tuple[float, ...]
    own_returns: tuple[float, ...]
    actions: tuple[tuple[Any, ...], ...]


def greedy(model: "BaseAlgorithm") -> Policy:
    """Returns a trained model's deterministic policy, from an observation to an action."""

    def act(observation: Any) -> Any:
        action, _ = model.predict(observation, deterministic=True)
        return action.item() if np.ndim(action) == 0 else action

    return act


def evaluate(
    policy: Policy, env: gymnasium.Env[Any, Any], episodes: int = 1, seed: int = 0, limit: int = 10_000
) -> Evaluation:
    """Plays some episodes.

    Args:
        policy: from an observation to an action.
        env: a Gymnasium environment, for example a `SoloEnv`.
        episodes: how many episodes.
        seed: of the first reset, which fixes all later ones.
        limit: steps after which an episode is broken off.

    Raises:
        SettingError: ``env`` is no Gymnasium environment, or ``episodes`` or ``limit`` is not positive.
    """
    _check_environment(env)
    if episodes < 1 or limit < 1:
        raise SettingError(f"got {episodes} episodes of at most {limit} steps; expected at least one of each")
    played = [_play(policy, env, seed if episode == 0 else None, limit) for episode in range(episodes)]
    returns, own_returns, actions = zip(*played, strict=True)
    return Evaluation(returns, own_returns, actions)


@dataclass(frozen=True)
class Comparison:
    """A learned policy against the exact optimum.

    Attributes:
        learned: mean undiscounted return of the learned policy.
        exact: the optimal one.
        agrees: whether they differ by no more than the tolerance.
    """

    learned: float
    exact: float
    agrees: bool


def compare(
    policy: Policy,
    env: gymnasium.Env[Any, Any],
    exact: float,
    episodes: int = 1,
    seed: int = 0,
    limit: int = 10_000,
    tolerance: float = 1e-6,
) -> Comparison:
    """Plays a learned policy and sets its mean return against the exact optimum of the same reward.

    Args:
        policy: from an observation to an action, see `greedy`.
        env: the environment; its rewards are those that ``exact`` is the optimum of.
        exact: the optimal return.
        episodes: how many episodes to play; one is enough if nothing is random.
        seed: of the first reset.
        limit: steps after which an episode is broken off, so that a policy that never ends is seen to fail.
        tolerance: how far they may differ and agree.
    """
    learned = float(np.mean(evaluate(policy, env, episodes, seed, limit).returns))
    return Comparison(learned, exact, abs(learned - exact) <= tolerance)


def _play(
    policy: Policy, env: gymnasium.Env[Any, Any], seed: int | None, limit: int
) -> tuple[float, float, tuple[Any, ...]]:
    """Returns an episode's return, its return of own rewards, and its actions."""
    observation, _ = env.reset(seed=seed)
    total, own, actions = 0.0, 0.0, list[Any]()
    for _ in range(limit):
        actions.append(policy(observation))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        total += float(reward)
        own += float(info.get(ORIGINAL, reward))
        if terminated or truncated:
            break
    return total, own, tuple(actions)


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _check_environment(env: object) -> None:
    if not isinstance(env, gymnasium.Env):
        raise SettingError(
            f"the environment is a {type(env).__name__}; expected a gymnasium.Env: "
            "considerate.views.SoloEnv makes one of a PettingZoo environment"
        )


def _check_names(training: Training) -> None:
    """Refuses settings and policies that the algorithm does not have, and words for numbers."""
    algorithm = _algorithm(training)
    fixed = ("policy", "env", "seed", "tensorboard_log")
    known = {name: setting for name, setting in signature(algorithm).parameters.items() if name not in fixed}
    for name, value in training.settings.items():
        if name not in known:
            raise UnknownNameError(f"setting of {training.algorithm}", name, known)
        if type(known[name].default) in (int, float) and isinstance(value, str):
            raise SettingError(f"the setting {name} of {training.algorithm} is {value!r}; expected a number")
    if training.policy not in algorithm.policy_aliases:
        raise UnknownNameError(f"policy of {training.algorithm}", training.policy, algorithm.policy_aliases)


def _need_extra() -> None:
    try:
        import stable_baselines3  # noqa: F401
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError("training with Stable-Baselines3", "deep") from None


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Lets PyTorch use so many threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _algorithm(training: Training) -> Any:
    import stable_baselines3

    return getattr(stable_baselines3, training.algorithm)


def _fresh(make: Callable[[], gymnasium.Env[Any, Any]], training: Training, log: str | None) -> "BaseAlgorithm":
    """Makes a model; whatever Stable-Baselines3 has against environment or settings is said in one way."""
    environments = _vectorized(make, training)
    settings = {"device": "cpu", **training.settings}
    try:
        model: BaseAlgorithm = _algorithm(training)(
            training.policy, environments, seed=training.seed, tensorboard_log=log, **settings
        )
    except Exception as error:
        environments.close()
        spaces = f"observations {environments.observation_space} and actions {environments.action_space}"
        raise SettingError(
            f"{training.algorithm} with policy {training.policy} and settings {settings} cannot be made for {spaces}; "
            f"choose others: {error}"
        ) from error
    return model


def _vectorized(make: Callable[[], gymnasium.Env[Any, Any]], training: Training) -> "VecEnv":
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    if not callable(make):
        raise SettingError(f"make is a {type(make).__name__}; expected a function that makes a fresh environment")

    def made() -> gymnasium.Env[Any, Any]:
        env = make()
        _check_environment(env)
        return Monitor(_OwnReturn(env))

    return DummyVecEnv([made] * training.environments)


class _OwnReturn(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Puts the sum of an episode's own rewards into its last info; a checkpoint stores it with the environment."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.total = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.total += float(info.get(ORIGINAL, reward))
        if terminated or truncated:
            info = {**info, OWN_RETURN: self.total}
        return observation, reward, terminated, truncated, info


def _own_returns() -> "BaseCallback":
    """A callback that records the acting agent's own mean return, as Stable-Baselines3 does the augmented."""
    from stable_baselines3.common.callbacks import BaseCallback

    class OwnReturns(BaseCallback):
        def _on_step(self) -> bool:
            for info in self.locals["infos"]:
                if OWN_RETURN in info:
                    self.logger.record_mean(OWN_RETURN, info[OWN_RETURN])
            return True

    return OwnReturns()


def _checkpoints(place: Path, training: Training) -> "BaseCallback":
    """A callback that stores a checkpoint between an update and the next rollout, where nothing is half done."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Checkpoints(BaseCallback):
        def _on_training_start(self) -> None:
            self.stored = self.num_timesteps

        def _on_rollout_start(self) -> None:
            if self.num_timesteps - self.stored >= training.checkpoint_every:
                store(self.model, place, asdict(training))
                self.stored = self.num_timesteps

        def _on_step(self) -> bool:
            return True

    return Checkpoints()


def _resume(
    make: Callable[[], gymnasium.Env[Any, Any]], training: Training, place: Path, log: str | None
) -> "BaseAlgorithm | None":
    """Returns the model as it was at the checkpoint in ``place``; None if there is none."""
    import cloudpickle
    import torch

    found, rest = stored(place)
    if rest is None:
        return None
    if rest["training"] != asdict(training):
        raise SettingError(f"{place} holds another training, {rest['training']}; give another directory or delete it")
    kept = rest["environments"]
    environments = cloudpickle.loads(kept) if kept else _vectorized(make, training)
    if not kept:
        warn(f"the environment in {place} could not be stored: training resumes with a new episode", stacklevel=3)
    model: BaseAlgorithm = _algorithm(training).load(
        found / "model.zip", env=environments, force_reset=not kept, tensorboard_log=log
    )
    model.action_space = rest["action_space"]
    if rest["replay"] is not None:
        model.replay_buffer = rest["replay"]  # type: ignore[attr-defined]  # off-policy algorithms have one
    environments._reset_seeds()
    python, numpy, pytorch = rest["random"]
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002  # Stable-Baselines3 draws from the global generator
    torch.set_rng_state(pytorch)
    return model
