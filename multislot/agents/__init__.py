"""Agents that more than one package uses: tabular ones (compiled) and deep ones (Stable-Baselines3).

The deep ones need the extra "deep"; they are imported when they are first asked for.
"""

from typing import TYPE_CHECKING, Any

from multislot.agents.interpreted import InterpretedQLearner
from multislot.agents.tabular import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner

if TYPE_CHECKING:
    from multislot.agents.deep import A2C, DQN, PPO

__all__ = [
    "A2C",
    "DQN",
    "PPO",
    "ConstantAgent",
    "InterpretedQLearner",
    "NaiveLearner",
    "QLearner",
    "RandomAgent",
    "SimpleLearner",
]


def __getattr__(name: str) -> Any:
    if name in ("A2C", "DQN", "PPO"):
        from multislot.agents import deep

        return getattr(deep, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
