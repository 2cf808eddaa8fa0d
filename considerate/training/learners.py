"""Trains several Stable-Baselines3 models at once in any PettingZoo environment; agents may be born and die.

Learners are independent: each has its own model and treats the others as part of the world. Agents that have the same
learner share its parameters. To make learners considerate, wrap the environment in `considerate.wrappers.Caring`, once
for each considerate agent, with its own criterion and coefficients.

Agents act in turns (the AEC view), so they may be born and die in an episode. A transition is complete at the agent's
next turn. A2C and PPO update when their agents have made ``n_steps`` transitions together. Episodes that have not ended
by then are bootstrapped with the value of the next observation, as in Stable-Baselines3. DQN has a replay buffer. Other
algorithms are refused.

Every episode has its own seed, and checkpoints are taken between episodes. So a resumed run gives the same numbers as
an uninterrupted one, unless the environment keeps state from one episode to the next.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pettingzoo import AECEnv, ParallelEnv

from considerate.training.checkpoints import blame_checkpoint, read_checkpoint, write_checkpoint
from considerate.training.evaluation import EPISODE_STEPS, Evaluation, greedy, group_by_agent
from considerate.training.single import import_models
from considerate.training.views import CountedGame, Policy
from multislot.checks import checked_callable, checked_seed, refusal, whole
from multislot.errors import UnknownNameError

if TYPE_CHECKING:
    from stable_baselines3.common.base_class import BaseAlgorithm

    from considerate.training.experience import Transition

__all__ = ["Learner", "Together", "play_together", "train_together"]

MakeGame: TypeAlias = Callable[[], "AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]"]
ON_POLICY, OFF_POLICY = ("A2C", "PPO"), ("DQN",)


@dataclass(frozen=True)
class Learner:
    """The algorithm, network and settings of one model.

    Args:
        algorithm: A2C, PPO or DQN.
        policy: the kind of network, by its name in Stable-Baselines3.
        settings: further arguments of the algorithm, as plain data.
    """

    algorithm: str = "PPO"
    policy: str = "MlpPolicy"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.algorithm not in ON_POLICY + OFF_POLICY:
            raise UnknownNameError("algorithm for several learners", self.algorithm, ON_POLICY + OFF_POLICY)


@dataclass(frozen=True)
class Together:
    """Models that were trained together.

    Attributes:
        models: by name of the learner.
        learner_of: from an agent's name to the name of its learner.
        steps: the number of steps of all agents together.
        episodes: the number of episodes.
    """

    models: Mapping[str, "BaseAlgorithm"]
    learner_of: Callable[[str], str]
    steps: int
    episodes: int

    def policy(self, agent: str) -> Policy:
        """Make an agent's deterministic policy, from an observation to an action."""
        return greedy(self.models[self.learner_of(agent)])


def train_together(
    make: MakeGame,
    learners: Mapping[str, Learner],
    steps: int,
    *,
    learner_of: Callable[[str], str] = str,
    seed: int = 0,
    directory: Path | str | None = None,
    checkpoint_every: int = 10_000,
) -> Together:
    """Train several learners in one environment; resume an interrupted run of the same training in its directory.

    Args:
        make: makes a fresh PettingZoo environment, AEC or Parallel.
        learners: by name.
        steps: the number of steps of all agents together. The last episode is played to its end.
        learner_of: from an agent's name to the name of its learner; by default each agent has its own learner. Agents
            that are born during an episode need a shared learner.
        seed: of networks, exploration and episodes.
        directory: of the latest checkpoint of all learners.
        checkpoint_every: steps between checkpoints, which are taken between episodes.

    Raises:
        CheckpointError: the checkpoint is damaged, or of another training.
    """
    models = import_models()
    checked_callable("make", make, "a function that makes a fresh PettingZoo environment")
    if not learners:
        raise refusal("learners", learners, "at least one Learner by name")
    training = {
        "learners": {name: asdict(learner) for name, learner in learners.items()},
        "steps": whole("steps", steps),
        "seed": checked_seed(seed, bits=31),
    }
    place = None if directory is None else Path(directory)
    game = _Game(make, learners, learner_of, steps, seed)
    parts = read_checkpoint(place, training)
    if parts is not None and place is not None:
        with blame_checkpoint(place):
            game.unpack(parts)
    every, stored = whole("checkpoint_every", checkpoint_every), game.steps
    with models.threads(1):
        while game.steps < steps:
            game.play_episode()
            if place and (game.steps - stored >= every or game.steps >= steps):
                write_checkpoint(place, training, game.pack())
                stored = game.steps
    return Together({name: part.model for name, part in game.learners.items()}, learner_of, game.steps, game.episodes)


class _Game:
    """An environment and its learners; arguments as for `train_together`."""

    def __init__(
        self, make: MakeGame, learners: Mapping[str, Learner], learner_of: Callable[[str], str], steps: int, seed: int
    ) -> None:
        from considerate.training.experience import OffPolicy, OnPolicy

        self.env = CountedGame(make()).aec
        self.learner_of, self.most_steps, self.seed = learner_of, steps, seed
        self.steps = self.episodes = 0
        agents = {learner_of(agent): agent for agent in reversed(self.env.possible_agents)}
        for name in agents:
            if name not in learners:
                raise UnknownNameError("learner", name, learners)
        self.learners: dict[str, OnPolicy] = {}
        for number, (name, learner) in enumerate(learners.items()):
            if name not in agents:
                raise UnknownNameError("learner of some agent", name, agents)
            spaces = self.env.observation_space(agents[name]), self.env.action_space(agents[name])
            kind = OnPolicy if learner.algorithm in ON_POLICY else OffPolicy
            self.learners[name] = kind(learner.algorithm, learner.policy, learner.settings, spaces, seed + number)

    def play_episode(self) -> None:
        self.env.reset(seed=self.seed + self.episodes)
        unfinished: dict[str, Transition] = {}
        for agent in self.env.agent_iter():
            observation, reward, terminated, truncated, _ = self.env.last()
            learner = self.learners[self.learner_of(agent)]
            if agent in unfinished:
                before = unfinished.pop(agent)
                ends = {"terminated": terminated, "truncated": truncated}
                learner.learn(replace(before, reward=float(reward), following=observation, **ends))
            if terminated or truncated:
                self.env.step(None)
                continue
            unfinished[agent] = learner.act(agent, observation, 1 - min(self.steps / self.most_steps, 1.0))
            self.steps += 1
            self.env.step(unfinished[agent].action)
        self.episodes += 1

    def pack(self) -> dict[str, bytes]:
        """Write the state of the training as files, by name."""
        random = import_models().random_states()
        state = json.dumps({"steps": self.steps, "episodes": self.episodes, "random": random})
        return {"state.json": state.encode()} | {
            f"{number}/{name}": content
            for number, learner in enumerate(self.learners.values())
            for name, content in learner.pack().items()
        }

    def unpack(self, parts: Mapping[str, bytes]) -> None:
        for number, learner in enumerate(self.learners.values()):
            own = {name: content for name, content in parts.items() if name.startswith(f"{number}/")}
            learner.unpack({name.partition("/")[2]: content for name, content in own.items()})
        state = json.loads(parts["state.json"])
        self.steps, self.episodes = state["steps"], state["episodes"]
        import_models().set_random_states(state["random"])


def play_together(
    make: MakeGame,
    policy: Callable[[str], Policy],
    episodes: int = 1,
    seed: int = 0,
    steps: int = EPISODE_STEPS,
) -> Evaluation:
    """Play some episodes in which every agent follows a policy, and return everyone's returns.

    Args:
        make: makes a fresh PettingZoo environment, AEC or Parallel.
        policy: from an agent's name to its policy, such as `Together.policy`.
        episodes: how many episodes.
        seed: of the first episode; the following ones have the following seeds.
        steps: the most in an episode, of all agents together; longer ones are cut off.
    """
    game = CountedGame(make())
    policies: dict[str, Policy] = {}
    played = []
    for episode in range(whole("episodes", episodes)):
        game.reset(checked_seed(seed, bits=31) + episode)
        for agent in game.aec.agent_iter(steps):
            observation, _, terminated, truncated, _ = game.aec.last()
            if agent not in policies:
                policies[agent] = policy(agent)
            game.step(None if terminated or truncated else policies[agent](observation))
        played.append(game.totals())
    return Evaluation((), (), (), group_by_agent(played))
