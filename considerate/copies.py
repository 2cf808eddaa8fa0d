"""Copies that care for each other: every slot of a world is considerate, the other slots' rewards being the others'.

A world in which agents are copied is seen through the fixed view (`multislot.zoo.FixedView`), whose agents are its
slots. Each slot's reward becomes its own plus α times the sum of all others' (equation 6 of Alizadeh Alamdari et al.
2021, with the rewards that the others do receive); an empty slot is paid 0. If the memory that goes on is drawn evenly
among the living, what is learned is the objective of `multislot.exact.plan_for_copies` with the same α.
"""

from typing import Any

from pettingzoo import ParallelEnv

from considerate.distributions import Number
from considerate.wrappers import Caring
from multislot.checks import number
from multislot.engine.world import World
from multislot.zoo import FixedView


def considerate_copies(world: World, slots: int, caring: Number, *, max_cycles: int) -> ParallelEnv[str, Any, Any]:
    """Return the fixed view of a world in which everyone cares for everyone else.

    Args:
        world: the world.
        slots: how many slots there are.
        caring: α ≥ 0, what the reward of another counts.
        max_cycles: how many steps an episode takes at most.
    """
    caring = number("caring", caring, 0)
    env: Any = FixedView(world, slots, max_cycles=max_cycles)
    for agent in env.possible_agents if caring and slots > 1 else ():
        env = Caring(env, acting=agent, criterion="sim", caring=caring)
    return env
