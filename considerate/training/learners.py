"""Several learners at once in any PettingZoo environment, with Stable-Baselines3 models, births and deaths included.

Learners are independent: each has its own model and sees the others as part of the world. Agents that share one learner
share its parameters. To make learners considerate, wrap the environment in `considerate.wrappers.Caring`, once for each
considerate agent, with its own criterion and coefficients.

Each agent takes its turn when it comes (the AEC view), so that agents may be born and die in an episode. A transition
is complete at the agent's next turn. A2C and PPO update when their agents have made ``n_steps`` transitions together;
episodes that have not ended by then are bootstrapped with the value of the next observation, as in Stable-Baselines3.
DQN keeps a replay buffer. Other algorithms are refused.

Every episode begins with a seed of its own, and checkpoints are taken between episodes. So a resumed run gives the same
numbers as an uninterrupted one, as long as the environment keeps nothing from one episode to the next.
"""

import io
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from considerate.training.checkpoints import CheckpointError, damaged, read_checkpoint, write_checkpoint
from considerate.training.evaluation import EPISODE_LIMIT, Evaluation
from considerate.training.experience import ON_POLICY, Desk, Learner, OffPolicy, OnPolicy, Transition, completed
from considerate.training.models import (
    need_extra,
    random_states,
    set_random_states,
    threads,
)
from considerate.training.single import greedy
from considerate.training.views import OwnReturns, Policy
from multislot.checks import checked_callable, checked_seed, refusal, whole
from multislot.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

__all__ = ["Learner", "Together", "play_together", "train_together"]

MakeGame: TypeAlias = Callable[[], "AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]"]
REST = "rest.pkl"


@dataclass(frozen=True)
class Together:
    """Models that were trained together.

    Attributes:
        models: by name of the learner.
        learner_of: from an agent's name to the name of its learner.
        turns: how many turns all agents took together.
        episodes: how many episodes were played.
    """

    models: Mapping[str, "BaseAlgorithm"]
    learner_of: Callable[[str], str]
    turns: int
    episodes: int

    def policy(self, agent: str) -> Policy:
        """Return an agent's deterministic policy, from an observation to an action."""
        return greedy(self.models[self.learner_of(agent)])


def train_together(
    make: MakeGame,
    learners: Mapping[str, Learner],
    turns: int,
    *,
    learner_of: Callable[[str], str] = str,
    seed: int = 0,
    directory: Path | str | None = None,
    checkpoint_every: int = 10_000,
    trust: bool = False,
) -> Together:
    """Train several learners in one environment; resume an interrupted run of the same training in its directory.

    Args:
        make: makes a fresh PettingZoo environment, AEC or Parallel.
        learners: by name.
        turns: how many turns all agents take together, until the end of the episode in which they are reached.
        learner_of: from an agent's name to the name of its learner; by default each agent is its own learner. Agents
            with one learner share its parameters, so give one for those that are born.
        seed: of networks, exploration and episodes.
        directory: where the latest checkpoint of all learners is kept.
        checkpoint_every: turns between checkpoints, which are taken between episodes.
        trust: whether to read a checkpoint that this user did not write, which can execute code.

    Raises:
        MissingExtraError: the extra "deep" is not installed.
        UnknownNameError: an agent has no learner, or an algorithm has no such setting.
        UntrustedError: another user wrote the checkpoint.
        CheckpointError: the checkpoint is damaged, or of another training.
        SettingError: an argument is out of its domain.
    """
    need_extra()
    checked_callable("make", make, "a function that makes a fresh PettingZoo environment")
    if not learners:
        raise refusal("learners", learners, "at least one Learner by name")
    what = {"learners": {name: asdict(one) for name, one in learners.items()}, "turns": whole("turns", turns)}
    what |= {"seed": checked_seed(seed, bits=31)}
    room = _Room(make, learners, learner_of, turns, seed)
    place = None if directory is None else Path(directory)
    parts = read_checkpoint(place, trust) if place else None
    if parts is not None and place is not None:
        room.restore(parts, what, place)
    every, kept = whole("checkpoint_every", checkpoint_every), room.turns
    with threads(1):
        while room.turns < turns:
            room.episode()
            if place and (room.turns - kept >= every or room.turns >= turns):
                write_checkpoint(place, room.parts(what))
                kept = room.turns
    return Together({name: desk.model for name, desk in room.desks.items()}, learner_of, room.turns, room.episodes)


class _Room:
    """The environment and everyone who learns in it."""

    def __init__(
        self, make: MakeGame, learners: Mapping[str, Learner], learner_of: Callable[[str], str], turns: int, seed: int
    ) -> None:
        self.env, _ = as_aec(make())
        self.learner_of, self.most, self.seed = learner_of, turns, seed
        self.turns = self.episodes = 0
        agents = {learner_of(agent): agent for agent in reversed(self.env.possible_agents)}
        for name in agents:
            if name not in learners:
                raise UnknownNameError("learner", name, learners)
        self.desks: dict[str, Desk] = {}
        for number, (name, learner) in enumerate(learners.items()):
            if name not in agents:
                raise UnknownNameError("learner of some agent", name, agents)
            spaces = self.env.observation_space(agents[name]), self.env.action_space(agents[name])
            kind = OnPolicy if learner.algorithm in ON_POLICY else OffPolicy
            self.desks[name] = kind(learner, spaces, seed + number)

    def episode(self) -> None:
        """Play one episode and learn from it."""
        self.env.reset(seed=self.seed + self.episodes)
        open_turns: dict[str, Transition] = {}
        for agent in self.env.agent_iter():
            observation, reward, terminated, truncated, _ = self.env.last()
            desk = self.desks[self.learner_of(agent)]
            before = open_turns.pop(agent, None)
            if before is not None:
                desk.learn(completed(before, observation, reward, terminated, truncated))
            if terminated or truncated:
                self.env.step(None)
                continue
            progress = 1 - min(self.turns / self.most, 1.0)
            open_turns[agent] = desk.act(agent, observation, progress)
            self.turns += 1
            self.env.step(open_turns[agent].action)
        self.episodes += 1

    def parts(self, what: Mapping[str, Any]) -> dict[str, bytes]:
        """Return everything that training needs to go on, as files by name."""
        import cloudpickle

        files = {}
        for number, desk in enumerate(self.desks.values()):
            networks = io.BytesIO()
            desk.model.save(networks)
            files[f"learner-{number}.zip"] = networks.getvalue()
        rest = {"what": what, "turns": self.turns, "episodes": self.episodes, "random": random_states()}
        rest["desks"] = [(desk.experience, desk.model.action_space) for desk in self.desks.values()]
        return files | {REST: cloudpickle.dumps(rest)}

    def restore(self, parts: Mapping[str, bytes], what: Mapping[str, Any], place: Path) -> None:
        """Go on from what `parts` returned; reading it can execute code."""
        import cloudpickle

        try:
            rest = cloudpickle.loads(parts[REST])
            if rest["what"] != what:
                raise CheckpointError(f"{place} holds another training, {rest['what']}; give another directory")
            for number, (desk, kept) in enumerate(zip(self.desks.values(), rest["desks"], strict=True)):
                desk.restore(parts[f"learner-{number}.zip"], *kept)
            self.turns, self.episodes = rest["turns"], rest["episodes"]
            set_random_states(rest["random"])
        except SettingError:
            raise
        except Exception as error:  # a pickle of another version can fail in any way
            raise damaged(place, f"{type(error).__name__}: {error}") from error


def as_aec(env: object) -> tuple[Any, OwnReturns]:
    """Return a PettingZoo environment in its AEC view, and what counts everyone's own returns in it.

    Raises:
        SettingError: it is no PettingZoo environment.
    """
    if not isinstance(env, AECEnv | ParallelEnv):
        raise refusal("make()", env, "a PettingZoo AECEnv or ParallelEnv")
    return env if isinstance(env, AECEnv) else parallel_to_aec(env), OwnReturns(env)


def play_together(
    make: MakeGame,
    policy: Callable[[str], Policy],
    episodes: int = 1,
    seed: int = 0,
    limit: int = EPISODE_LIMIT,
) -> Evaluation:
    """Play some episodes in which every agent follows a policy, and return what everyone got.

    Args:
        make: makes a fresh PettingZoo environment, AEC or Parallel.
        policy: from an agent's name to its policy, such as `Together.policy`.
        episodes: how many episodes.
        seed: of the first episode; the following ones have the following seeds.
        limit: turns after which an episode is cut short.
    """
    env, returns = as_aec(make())
    policies: dict[str, Policy] = {}
    played = []
    for episode in range(whole("episodes", episodes)):
        env.reset(seed=checked_seed(seed, bits=31) + episode)
        returns.begin()
        for agent in env.agent_iter(limit):
            observation, _, terminated, truncated, _ = env.last()
            if agent not in policies:
                policies[agent] = policy(agent)
            env.step(None if terminated or truncated else policies[agent](observation))
            returns.add(env.rewards)
        played.append(returns.totals())
    names = dict.fromkeys(name for totals in played for name in totals)
    return Evaluation((), (), (), {name: tuple(totals.get(name, 0.0) for totals in played) for name in names})
