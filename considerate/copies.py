"""Copies that care for each other: every slot of a world is considerate of all other slots.

A world in which agents are copied is seen through the fixed view (`multislot.zoo.FixedView`), whose agents are its
slots. Each slot's reward becomes its own plus α times the sum of the rewards that all others receive (equation 6 of
Alizadeh Alamdari et al. 2021). The reward of an empty slot is 0. If the memory that continues is drawn uniformly from
the living copies, the learned objective is that of `multislot.exact.plan_for_copies` with the same α.
"""

from typing import Any

from pettingzoo import ParallelEnv

from considerate.distributions import Number
from considerate.wrappers import Caring
from multislot.checks import number
from multislot.engine.world import World
from multislot.zoo import FixedView

__all__ = ["considerate_copies"]


def considerate_copies(world: World, slots: int, caring: Number, *, max_cycles: int) -> ParallelEnv[str, Any, Any]:
    """Make the fixed view of a world in which everyone cares for everyone else.

    Args:
        world: the world.
        slots: the number of slots.
        caring: α ≥ 0, the weight of another's reward.
        max_cycles: the largest number of steps in an episode.
    """
    caring = number("caring", caring, 0)
    env: Any = FixedView(world, slots, max_cycles=max_cycles)
    for agent in env.possible_agents if caring and slots > 1 else ():
        env = Caring(env, acting=agent, criterion="sim", caring=caring)
    return env
