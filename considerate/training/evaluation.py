"""Evaluation of policies: everyone's return, with intervals."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from warnings import warn

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete

from considerate.training.checkpoints import MOST_SETTINGS
from considerate.training.views import Greedy, Policy, begin_episode, choose
from considerate.wrappers import ACTOR, AT_LIMIT, ORIGINAL, check_limits
from multislot.checks import checked_instance, checked_mapping, checked_parts, checked_seed, refusal, whole
from multislot.drawing.showing import whole_table
from multislot.files.foreign import ForeignFileError, read_json
from multislot.files.writing import write_file
from multislot.statistics import student
from multislot.zoo.infos import ACTION_MASK

if TYPE_CHECKING:
    import pandas as pd
    from stable_baselines3.common.base_class import BaseAlgorithm

__all__ = ["EPISODES", "Evaluation", "evaluate"]

EPISODES = 20
"""The number of episodes of an evaluation by default, where chance may play a part."""
TOTAL, AUGMENTED = "total", "augmented"
"""The rows of a table after those of the agents: the total of their own returns, and the augmented return."""
EPISODE_STEPS = 10_000
EVALUATION, KEPT_EPISODE_STEPS = "evaluation.json", 1000
"""The evaluation in a training's directory. If one agent learns, its episodes are shorter than those of `evaluate`: an
environment may never end, and nobody asked for the evaluation."""
OWN_RETURN = "considerate/own_return"
"""The key of the agent's own return in the last info of an episode, and in logs."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The returns of a policy.

    Attributes:
        returns: [E], undiscounted return of each episode, augmented if the environment is `Caring`; empty if several
            agents were evaluated together.
        own_returns: [E], the same for the environment's own rewards.
        actions: the actions of each episode.
        everyone: each agent's own undiscounted returns, [E], the acting agent first. Others play to their end; the
            return is 0 in episodes that the agent never entered.
        truncated: [E], whether each episode was cut off before the acting agent finished; empty if that is not known.
    """

    returns: tuple[float, ...]
    own_returns: tuple[float, ...]
    actions: tuple[tuple[Any, ...], ...]
    everyone: Mapping[str, tuple[float, ...]]
    truncated: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        for name in checked_mapping("everyone", self.everyone).keys() & {TOTAL, AUGMENTED}:
            raise refusal("agent", name, f"names other than {TOTAL} and {AUGMENTED}, which tables use", "rename it")

    @property
    def rows(self) -> dict[str, tuple[float, ...]]:
        """The returns of each agent, their total and the augmented return, [E] each."""
        totals = tuple(map(sum, zip(*self.everyone.values(), strict=True)))
        return {**self.everyone, TOTAL: totals} | ({AUGMENTED: self.returns} if self.returns else {})

    @property
    def episodes(self) -> int:
        """Number of episodes E."""
        return len(self.rows[TOTAL])

    def table(self) -> "pd.DataFrame":
        """Return mean and 95% confidence interval of each agent's return, of the total and of the augmented return."""
        rows = []
        for name, values in self.rows.items():
            low, high = student(values)
            rows.append({"agent": name, "mean": fmean(values), "low": low, "high": high, "episodes": len(values)})
        return whole_table(rows)

    def write(self, place: Path | None, **facts: object) -> dict[str, Any]:
        """Return all but the actions as plain data; write it, with facts about it, into a training's directory."""
        data = {name: value for name, value in vars(self).items() if name != "actions"}
        if place is not None:
            write_file(place / EVALUATION, json.dumps({**facts, **data}), in_own_folder=True)
        return data

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {format_interval(values)}" for name, values in self.rows.items())
        cut = f", {sum(self.truncated)} truncated" if any(self.truncated) else ""
        return f"Evaluation({self.episodes} episode{'s' * (self.episodes != 1)}{cut}: {shown})"


def format_interval(values: tuple[float, ...]) -> str:
    """Format a mean with the half-width of its 95% confidence interval; a single value has no interval."""
    mean = f"{fmean(values):.4g}"
    return mean if len(values) < 2 else f"{mean} ± {student(values)[1] - fmean(values):.2g}"


def greedy(model: "BaseAlgorithm") -> Policy:
    """Make a trained model's deterministic policy, from an observation, and perhaps an info with a mask, to an action.

    That of a recurrent model remembers what it has seen, so it is good for one episode.
    """
    return Greedy(checked_parts("model", model, "predict"))


def streams(seed: int) -> tuple[np.random.SeedSequence, np.random.SeedSequence, np.random.SeedSequence]:
    """Spawn the streams of a training: for its learners, for its environments, and for its evaluation."""
    learners, environments, evaluation = np.random.SeedSequence(seed).spawn(3)
    return learners, environments, evaluation


def numbers_of(stream: np.random.SeedSequence, count: int) -> list[int]:
    """Seeds of 31 bits, one of each of the streams that a stream spawns."""
    return [int(child.generate_state(1)[0] >> 1) for child in stream.spawn(count)]


def evaluate(
    policy: "Policy | BaseAlgorithm",
    env: gymnasium.Env[Any, Any],
    episodes: int | None = None,
    seed: int = 0,
    steps: int = EPISODE_STEPS,
) -> Evaluation:
    """Play some episodes and return everyone's returns.

    Args:
        policy: from an observation to an action; or a model of Stable-Baselines3, which plays greedily.
        env: a Gymnasium environment, for example a `SoloEnv`. Its method ``finish(steps)``, if it has one, lets the
            others play to their end and returns everyone's own returns by name.
        episodes: how many episodes; by default `EPISODES`, or 1 where a greedy policy plays in an environment without
            chance (`TaskEnv`). Other policies may draw.
        seed: of all episodes, which are never those of a training with the same seed.
        steps: the most in an episode; longer ones are cut off.
    """
    check_environment(env)
    steps = whole("steps", steps)
    policy = policy if callable(policy) else greedy(policy)
    if episodes is None:
        has_chance = not (isinstance(policy, Greedy) and getattr(env.unwrapped, "is_deterministic", False))
        episodes = EPISODES if has_chance else 1
    first = numbers_of(streams(checked_seed(seed))[2], 1)[0]
    played = [_play(policy, env, first if n == 0 else None, steps) for n in range(whole("episodes", episodes))]
    returns, own_returns, actions, finished, truncated = zip(*played, strict=True)
    return Evaluation(returns, own_returns, actions, group_by_agent(finished), truncated)


def keep_evaluation(place: Path, steps: object, episodes: int | None, play: Callable[[], Evaluation]) -> None:
    """Evaluate a finished training in its directory, unless that was done after as many steps with as many episodes.

    An environment can fail in any way. A training of hours is worth more: it is kept, and a warning says what failed.
    """
    facts = json.loads(json.dumps({"steps": steps, "evaluation_episodes": episodes}))  # as they are read
    try:
        with suppress(ForeignFileError):  # the file is missing or damaged
            if facts.items() <= read_json(place / EVALUATION, MOST_SETTINGS).items():
                return
        play().write(place, **facts)
    except Exception as error:
        warn(f"the training in {place} is kept, but not evaluated: {type(error).__name__}: {error}", stacklevel=3)


def group_by_agent(episodes: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, ...]]:
    """Turn the returns of each episode into those of each agent, [E]; 0 in episodes without the agent."""
    names = dict.fromkeys(name for totals in episodes for name in totals)
    return {name: tuple(totals.get(name, 0.0) for totals in episodes) for name in names}


def check_environment(env: object) -> None:
    """Raise an error if something is not a Gymnasium environment, or hides the end of its episodes from `Caring`."""
    checked_instance(
        "env", env, gymnasium.Env, "considerate.training.views.SoloEnv makes one of a PettingZoo environment"
    )
    check_limits(env)  # type: ignore[arg-type]


def check_fresh(envs: Sequence[Any]) -> Sequence[Any]:
    """Refuse environments that were made for one training if two of them are one, under whatever wrappers."""
    if len({id(getattr(env, "unwrapped", env)) for env in envs}) < len(envs):
        raise refusal("make", envs, "a function that makes a fresh environment each time", "two of these are one")
    return envs


def check_spaces(*spaces: Any) -> None:
    """Refuse spaces that Stable-Baselines3 does not have, or whose numbers it would misread as beginning at 0."""
    for space in spaces:
        if isinstance(space, Dict):
            check_spaces(*space.values())
        elif not isinstance(space, Box | Discrete | MultiBinary | MultiDiscrete):
            raise refusal("space", space, "a Box, Discrete, MultiBinary or MultiDiscrete space, or a Dict of these")
        elif np.any(getattr(space, "start", 0)):
            raise refusal("space", space, "a space whose numbers begin at 0", "shift them with a wrapper")


def _play(
    policy: Policy, env: gymnasium.Env[Any, Any], seed: int | None, steps: int
) -> tuple[float, float, tuple[Any, ...], Mapping[str, float], bool]:
    """Play an episode: its return, its own return, its actions, everyone's own returns, and whether it was cut off."""
    begin_episode(policy)
    observation, info = env.reset(seed=seed)
    total, own, actions, finished = 0.0, 0.0, list[Any](), False
    for _ in range(steps):
        if env.has_wrapper_attr("action_masks"):
            info = {**info, ACTION_MASK: env.get_wrapper_attr("action_masks")()}
        actions.append(choose(policy, observation, info))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        finished = terminated and not info.get(AT_LIMIT, False)
        total += float(reward)
        own += float(info.get(ORIGINAL, reward))
        if terminated or truncated:
            break
    finish = getattr(env.unwrapped, "finish", None)
    return total, own, tuple(actions), finish(steps) if callable(finish) else {ACTOR: own}, not finished
