"""Trains several models at once in any PettingZoo environment, each in its library's own loop.

Learners are independent: each has its own model and treats the others as part of the world. Agents that have the same
learner share its parameters. To make learners considerate, wrap the environment in `considerate.wrappers.Caring`, once
for each considerate agent, with its own criterion and coefficients.

Each learner runs the unmodified ``learn()`` of Stable-Baselines3 or sb3-contrib, so every algorithm, policy, space,
callback and schedule works (`considerate.training.seats`). An episode of a learner is the life of its agent: it ends
when the agent dies, and the next one begins at its next first step. A learner that has made its steps acts on with its
last weights, without learning, until all have. When all others have ended, a learner without an agent is waited for,
during 100 complete episodes of each environment. An episode that does not end is given up after 10,000 steps, or after
as many as the learner was to make, if those are more. An algorithm that resets its environment between episodes, as ARS
does, finds that the next episode has begun.

Seeds are spawned from one: a stream for each learner, one for each environment, one for evaluation.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from warnings import warn

from pettingzoo import AECEnv, ParallelEnv

from considerate.training.checkpoints import SETTINGS, check_same_training
from considerate.training.evaluation import (
    EPISODE_STEPS,
    EPISODES,
    Evaluation,
    check_fresh,
    greedy,
    group_by_agent,
    keep_evaluation,
    numbers_of,
    streams,
)
from considerate.training.single import ALGORITHMS, import_models
from considerate.training.views import CountedGame, Policy, choose
from multislot.checks import (
    checked_callable,
    checked_instance,
    checked_mapping,
    checked_seed,
    known_name,
    refusal,
    whole,
)

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv

__all__ = ["Group", "Learner", "Together", "play_together", "train_together"]

MakeGame: TypeAlias = Callable[[], "AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]"]
MakeModel: TypeAlias = Callable[["VecEnv"], "BaseAlgorithm"]
LONGEST_NAME = 255
"""The most bytes that usual file systems give the name of a folder."""


@dataclass(frozen=True)
class Learner:
    """The algorithm, network and settings of one model.

    Args:
        algorithm: one of `considerate.training.ALGORITHMS`, by its name in Stable-Baselines3 or sb3-contrib.
        policy: the kind of network, by its name there.
        settings: further arguments of the algorithm, such as schedules, buffers and ``tensorboard_log``.
        rows: the largest number of its agents that live at once in one environment; None means all of them. What an
            off-policy algorithm does for every step of every row (``gradient_steps=-1``) it does for padded rows, too.
    """

    algorithm: str = "PPO"
    policy: str = "MlpPolicy"
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: int | None = None

    def __post_init__(self) -> None:
        known_name("algorithm", self.algorithm, ALGORITHMS)
        if self.rows is not None:
            object.__setattr__(self, "rows", whole("rows", self.rows))


@dataclass(frozen=True)
class Group:
    """The settings of a training of several learners, for `considerate.sweeps.sweep`.

    Args:
        learners: by name.
        steps: of each learner.
        seed: as for `train_together`.
        learner_of: from an agent's name to the name of its learner; agents without an entry have their own.
        worlds: as for `train_together`.
        checkpoint_every: as for `train_together`.
        evaluation_episodes: as for `train_together`.
    """

    learners: Mapping[str, Learner]
    steps: int = 100_000
    seed: int = 0
    learner_of: Mapping[str, str] = field(default_factory=dict)
    worlds: int = 1
    checkpoint_every: int = 10_000
    evaluation_episodes: int | None = None

    def __post_init__(self) -> None:
        _check_learners(self.learners, {})
        checked_mapping("learner_of", self.learner_of)
        whole("evaluation_episodes", self.evaluation_episodes or 0, least=0)
        for setting in ("steps", "worlds", "checkpoint_every"):
            object.__setattr__(self, setting, whole(setting, getattr(self, setting)))
        object.__setattr__(self, "seed", checked_seed(self.seed))

    def train(self, make: MakeGame, directory: Path | str | None = None) -> "Together":
        """Train the learners; `make` makes a fresh PettingZoo environment."""
        settings = {**vars(self), "learner_of": lambda agent: self.learner_of.get(agent, agent)}
        return train_together(make, directory=directory, **settings)


@dataclass(frozen=True)
class Together:
    """Models that were trained together.

    Attributes:
        models: by name of the learner.
        learner_of: from an agent's name to the name of its learner.
        steps: the number of its own steps, by learner.
    """

    models: Mapping[str, "BaseAlgorithm"]
    learner_of: Callable[[str], str]
    steps: Mapping[str, int]

    def policy(self, agent: str) -> Policy:
        """Make an agent's deterministic policy; see `considerate.training.greedy`."""
        return greedy(self.models[self.learner_of(agent)])


def train_together(
    make: MakeGame,
    learners: Mapping[str, Learner | MakeModel],
    steps: int,
    *,
    learner_of: Callable[[Any], Any] = lambda agent: agent,
    seed: int = 0,
    worlds: int = 1,
    callbacks: Mapping[str, "Sequence[BaseCallback]"] | None = None,
    threads: int = 1,
    directory: Path | str | None = None,
    checkpoint_every: int = 10_000,
    evaluation_episodes: int | None = None,
) -> Together:
    """Train several learners in one environment.

    With a directory each learner's weights, counters and learning curve are kept in a folder of its name. The same
    call continues an interrupted training there, and one with more steps extends it. Learners then go on from their
    last checkpoints, in new episodes, so the numbers differ from those of one long run.

    Args:
        make: makes a fresh PettingZoo environment, AEC or Parallel.
        learners: by name, a `Learner`, or a function that makes a model for a vector environment.
        steps: the number of steps of each learner, rounded up as its algorithm does.
        learner_of: from an agent's name to the name of its learner; by default each agent has its own learner. Agents
            that are born during an episode need a shared learner.
        seed: of networks, exploration and episodes.
        worlds: the number of environments; each learner sees a row of a vector environment for each of them.
        callbacks: further callbacks of Stable-Baselines3, by learner.
        threads: of PyTorch; the numbers depend on it.
        directory: where all is kept.
        checkpoint_every: steps of a learner between its checkpoints.
        evaluation_episodes: that `play_together` plays at the end of a training with a directory; their returns are
            kept in ``evaluation.json``. By default as many as there, 0 for none.

    Raises:
        CheckpointError: a checkpoint is damaged, or of another training.
    """
    models = import_models()
    checked_callable("make", make, "a function that makes a fresh PettingZoo environment")
    checked_callable("learner_of", learner_of, "a function from an agent's name to that of its learner")
    _check_learners(learners, callbacks or {})
    learners = {name: learners[name] for name in sorted(learners, key=str)}  # their order does not matter
    steps, every, seed = whole("steps", steps), whole("checkpoint_every", checkpoint_every), checked_seed(seed)
    whole("evaluation_episodes", evaluation_episodes or 0, least=0)
    place = None if directory is None else Path(directory)
    envs = check_fresh([make() for _ in range(whole("worlds", worlds))])
    hall = _seat(envs, learners, learner_of, seed, max(steps, EPISODE_STEPS))
    folders = {} if place is None else _folders_in(place, learners, learner_of, envs, seed)
    keepers = {name: models.Keeper(folders.get(name), steps, every) for name in learners}
    for name, seats in hall.seats.items():
        models.resume(seats.model, keepers[name])  # what cannot go on is refused before any learner learns
        seats.learn = partial(models.learn, seats.model, (callbacks or {}).get(name, ()), keepers[name])
    with models.threads(whole("threads", threads)):
        together = _run(hall, keepers, steps)
        if place is not None and evaluation_episodes != 0 and min(together.steps.values()) >= steps:
            play = partial(play_together, make, together.policy, evaluation_episodes or EPISODES, seed)
            made = {str(name): count for name, count in together.steps.items()}
            keep_evaluation(place, made, evaluation_episodes, play)
    return together


def _run(hall: Any, keepers: Mapping[str, Any], steps: int) -> Together:
    """Let all learn, and return their models; keep the learners that could not go on, and warn of them."""
    hall.run()
    for name, seats in hall.seats.items():
        if not seats.has_ended:
            keepers[name].keep()
            warn(
                f"learner {name!r} has made {seats.model.num_timesteps} of {steps} steps: when the others had ended, "
                "it was waited for, but no agent of it lived any more",
                stacklevel=3,
            )
    made = {name: seats.model for name, seats in hall.seats.items()}
    return Together(made, hall.learner_of, {name: int(model.num_timesteps) for name, model in made.items()})


def _check_learners(learners: Mapping[str, Learner | MakeModel], callbacks: Mapping[str, object]) -> None:
    for name, learner in checked_mapping("learners", learners).items():
        if not callable(learner):
            checked_instance(f"learners[{name!r}]", learner, Learner, "a function that makes a model will do, too")
    if len({str(name) for name in learners}) < len(learners):
        raise refusal("learners", list(learners), "names that differ as texts")
    for name in callbacks:
        known_name("learner with callbacks", name, learners)


def _folders_in(
    place: Path,
    learners: Mapping[str, Learner | MakeModel],
    learner_of: Callable[[Any], Any],
    envs: Sequence[Any],
    seed: int,
) -> dict[str, Path]:
    """Where each learner is kept; refused if the directory has another training."""
    folders = {name: _folder_of(name, place) for name in learners}
    named = {folder.name: learners[name] for name, folder in folders.items()}
    learner_by_agent = [(agent, learner_of(agent)) for agent in envs[0].possible_agents]
    training = {"learners": named, "agents": learner_by_agent, "seed": seed, "worlds": len(envs)}
    check_same_training(place / SETTINGS, training)
    return folders


def _folder_of(name: Any, place: Path) -> Path:
    """Where a learner is kept."""
    folder = place / str(name)
    try:
        is_name = folder.resolve().parent == place.resolve() and len(os.fsencode(folder.name)) <= LONGEST_NAME
    except ValueError:  # it has a character that no name has
        is_name = False
    if not is_name:
        raise refusal("learner", name, "a name that a folder can have", "the learner is kept in one of its name")
    return folder


def _seat(
    envs: Sequence[Any],
    learners: Mapping[str, Learner | MakeModel],
    learner_of: Callable[[str], str],
    seed: int,
    patience: int,
) -> Any:
    """Give every learner its rows, its model and its random numbers."""
    models = import_models()
    of_learners, of_environments, _ = streams(seed)
    hall = models.seats.Hall(envs, numbers_of(of_environments, len(envs)), learner_of, patience)
    agents: dict[str, list[Any]] = {}
    for agent in envs[0].possible_agents:
        agents.setdefault(learner_of(agent), []).append(agent)
    for name in agents:
        known_name("learner", name, learners)
    for number, (name, learner) in zip(numbers_of(of_learners, len(learners)), learners.items(), strict=True):
        known_name("learner of some agent", name, agents)
        width = len(agents[name]) if not isinstance(learner, Learner) or learner.rows is None else learner.rows
        hall.seats[name] = models.seats.Seats(hall, name, agents[name], width)
        hall.seats[name].set_model(partial(models.seated_model, learner), number)
    return hall


def play_together(
    make: MakeGame,
    policy: Callable[[str], Policy],
    episodes: int = EPISODES,
    seed: int = 0,
    steps: int = EPISODE_STEPS,
) -> Evaluation:
    """Play some episodes in which every agent follows a policy, and return everyone's returns.

    Args:
        make: makes a fresh PettingZoo environment, AEC or Parallel.
        policy: from an agent's name to its policy, such as `Together.policy`.
        episodes: how many episodes.
        seed: of all episodes, which are never those of a training with the same seed.
        steps: the most in an episode, of all agents together; longer ones are cut off.
    """
    game, played = CountedGame(make()), []
    (first,) = numbers_of(streams(checked_seed(seed))[2], 1)
    for episode in range(whole("episodes", episodes)):
        policy_of = cache(policy)  # new ones in each episode: a recurrent model remembers nothing of the last one
        game.reset(None if episode else first)
        for agent in game.aec.agent_iter(steps):
            observation, _, terminated, truncated, info = game.aec.last()
            game.step(None if terminated or truncated else choose(policy_of(agent), observation, info))
        played.append(game.totals())
    return Evaluation((), (), (), group_by_agent(played))
