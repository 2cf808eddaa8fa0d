"""Agents that more than one package uses: tabular ones (compiled) and deep ones (Stable-Baselines3).

The deep ones need the extra "deep". They are imported on first use.
"""

from typing import TYPE_CHECKING

from multislot.agents.interpreted import InterpretedQLearner
from multislot.agents.tabular import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.late import late_names

if TYPE_CHECKING:
    from multislot.agents.deep import A2C, DQN, PPO
else:
    __getattr__ = late_names(__name__, dict.fromkeys(("A2C", "DQN", "PPO"), "multislot.agents.deep"))

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
