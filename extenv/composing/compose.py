"""Extended environments out of other people's: handicap a Gymnasium one, fold a PettingZoo one, unfold it again.

`handicap` imposes an extended environment on an ordinary one (Alexander 2022, Def. 4). `fold` lets copies of the agent
play all others in a game (Alexander et al. 2021, section 4.2). `unfold` goes back: each simulated copy
becomes an agent of PettingZoo. What the first two return is an `ExtendedEnvironment`, to be run and measured like any.

    cartpole = handicap("CartPole-v1", "IgnoreRewards", encoder=Bins(low, high, counts))
    extenv.run(cartpole, QLearner, steps=10_000).mean_reward
    extenv.run(fold("classic/rps-v2"), QLearner, steps=1000)      # against itself
    game = unfold("CryingBaby")                                   # AEC: agent_0 is the parent, copy_1 the baby
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gymnasium
import pettingzoo
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from extenv.battery import EnvironmentLike, resolved
from extenv.composing.folded import Folded, Labels
from extenv.composing.handicapped import Handicapped
from extenv.composing.unfolded import Unfolded
from multislot.checks import refusal
from multislot.errors import SettingError, show_value
from multislot.zoo.spaces import Bins, Encoder

__all__ = ["Bins", "Encoder", "Folded", "Handicapped", "Unfolded", "fold", "handicap", "unfold"]


def handicap(
    environment: str | Callable[[], gymnasium.Env[Any, Any]],
    by: EnvironmentLike,
    *,
    encoder: Encoder | None = None,
    merciful: bool = True,
) -> Handicapped:
    """Return a Gymnasium environment handicapped by an extended one.

    Args:
        environment: an id of Gymnasium, or what makes the environment; its actions are a finite space (Discrete,
            MultiDiscrete, MultiBinary, or Tuple or Dict of these).
        by: the handicap, such as ``"IgnoreRewards"``. Its copies must be made at its start, not on the way.
        encoder: turns observations into indices; not needed if they are a finite space.
        merciful: declares that no reward is negative. Otherwise the penalty is lower than what it replaces.
    """
    ordinary = (
        registered(gymnasium.make, environment) if isinstance(environment, str) else new(environment, gymnasium.Env)
    )
    return Handicapped(ordinary, resolved(by), encoder, merciful)


def fold(
    game: str | Callable[[], AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]],
    player: str | None = None,
    *,
    labels: Labels = "answered",
    encoders: Mapping[str, Encoder] | None = None,
) -> Folded:
    """Return the extended environment in which copies of the agent play all others of a PettingZoo game.

    Agents are not shown action masks; what an illegal move does is up to the game.

    Args:
        game: an id of PettingZoo, or what makes the game, in turns or parallel; its actions are a finite space
            (Discrete, MultiDiscrete, MultiBinary, or Tuple or Dict of these).
        player: whom the agent plays; the first of the game's possible agents by default.
        labels: the observation under which a copy files its action: the one that it answered, or the one before, as
            the published Crying Baby does (Alexander et al. 2021, Example 8: its baby acts on what the parent does now
            and is trained with ``prev_baby_obs``).
        encoders: for agents whose observations are not a finite space, what turns them into indices.
    """
    played = (
        registered(partial(pettingzoo.make, "aec"), game) if isinstance(game, str) else new(game, (AECEnv, ParallelEnv))
    )
    turns = parallel_to_aec(played) if isinstance(played, ParallelEnv) else played
    return Folded(turns, player, labels, encoders or {})


def registered(make: Callable[[str], Any], name: str) -> Any:
    """Return the registered environment of a name."""
    try:
        return make(name)
    except Exception as error:  # registries raise errors of their own, and environments any
        raise refusal("environment", name, "the id of a registered environment", str(error)) from error


def new(maker: Callable[[], Any], kind: type | tuple[type, ...]) -> Any:
    """Call `maker` and check the kind of its result."""
    environment = maker() if callable(maker) else None
    if not isinstance(environment, kind):
        kinds = " or ".join(allowed.__name__ for allowed in (kind if isinstance(kind, tuple) else (kind,)))
        got = f"{show_value(maker)}, which makes {show_value(environment)}" if callable(maker) else show_value(maker)
        raise SettingError(f"got {got}; expected an id, or a function of no arguments that makes a new {kinds}")
    return environment


def unfold(environment: EnvironmentLike, *, max_steps: int = 1000) -> Unfolded:
    """Return an extended environment as a game in turns, in which each simulated copy is an agent of its own.

    Args:
        environment: its name, class or object.
        max_steps: the game is truncated after so many steps of the true agent.
    """
    return Unfolded(resolved(environment), max_steps)
