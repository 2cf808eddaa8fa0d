"""Agents that more than one package uses: tabular ones (compiled) and deep ones (Stable-Baselines3).

The deep ones need the extra "deep". Torch is imported when the first one is made.
"""

from multislot.agents.deep import A2C, DQN, PPO
from multislot.agents.interpreted import InterpretedQLearner
from multislot.agents.tabular import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.engine.docstrings import restore_docstrings

restore_docstrings("multislot")

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
