"""Make extended environments of other environments: handicap a Gymnasium one, or fold a PettingZoo one.

`handicap` imposes an extended environment on an ordinary one (Alexander 2022, Def. 4). `fold` lets copies of the agent
play all others in a game (Alexander et al. 2021, section 4.2). Both return an `ExtendedEnvironment`, which can be run
and measured like any other.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gymnasium
import pettingzoo
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from extenv.battery import EnvironmentLike, resolve_environment
from extenv.composing.folded import Folded, Labels
from extenv.composing.handicapped import Handicapped
from multislot.checks import refusal
from multislot.errors import SettingError, show_value
from multislot.zoo.spaces import Bins, Encoder

__all__ = ["Bins", "Encoder", "Folded", "Handicapped", "fold", "handicap"]


def handicap(
    environment: str | Callable[[], gymnasium.Env[Any, Any]],
    by: EnvironmentLike,
    *,
    encoder: Encoder | None = None,
    merciful: bool = True,
) -> Handicapped:
    """Handicap a Gymnasium environment by an extended one.

    Args:
        environment: an id of Gymnasium, or a function that makes the environment; its actions are a finite space
            (Discrete, MultiDiscrete, MultiBinary, or Tuple or Dict of these). `extenv.measure` copies it; a copy of
            an ``EzPickle`` is what its constructor makes.
        by: the handicap, such as ``"IgnoreRewards"``. It must make all its copies at its start.
        encoder: turns observations into indices; not needed if they are a finite space.
        merciful: declares that no reward is negative. Otherwise a penalty is lower than the reward that it replaces.
    """
    ordinary = make_ordinary(environment, gymnasium.make, gymnasium.Env)
    return Handicapped(ordinary, resolve_environment(by), encoder, merciful)


def fold(
    game: str | Callable[[], AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any]],
    player: str | None = None,
    *,
    labels: Labels = "answered",
    encoders: Mapping[str, Encoder] | None = None,
) -> Folded:
    """Make the extended environment in which copies of the agent play all others of a PettingZoo game.

    Agents do not see action masks; the game decides what an illegal move does.

    Args:
        game: an id of PettingZoo, or a function that makes the game, AEC or Parallel; its actions are a finite space
            (Discrete, MultiDiscrete, MultiBinary, or Tuple or Dict of these). `extenv.measure` copies it; a copy of
            an ``EzPickle`` is what its constructor makes.
        player: the player that the agent controls; by default the first of the game's possible agents.
        labels: the observation with which a copy learns its action: the one that it answered, or the one before, as in
            the published Crying Baby (Alexander et al. 2021, Example 8: its baby acts on the parent's present action
            and is trained with ``prev_baby_obs``).
        encoders: turn observations into indices, by agent; needed if observations are not a finite space.
    """
    played = make_ordinary(game, partial(pettingzoo.make, "aec"), AECEnv, ParallelEnv)
    turns = parallel_to_aec(played) if isinstance(played, ParallelEnv) else played
    return Folded(turns, player, labels, encoders or {})


def make_ordinary(source: str | Callable[[], Any], make: Callable[[str], Any], *kinds: type) -> Any:
    """Make the environment of an id with `make`, or call a function that makes one; check the kind of its result."""
    if isinstance(source, str):
        try:
            return make(source)
        except Exception as error:  # registries raise errors of their own, and environments any
            raise refusal("environment", source, "the id of a registered environment", str(error)) from error
    environment = source() if callable(source) else None
    if not isinstance(environment, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        got = f"{show_value(source)}, which makes {show_value(environment)}" if callable(source) else show_value(source)
        raise SettingError(f"got {got}; expected an id, or a function of no arguments that makes a new {names}")
    return environment
