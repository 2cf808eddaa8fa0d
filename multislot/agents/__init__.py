"""Agents that more than one package uses: tabular ones (compiled) and deep ones (Stable-Baselines3)."""

from multislot.agents.tabular import ConstantAgent, QLearner, RandomAgent, SimpleLearner

__all__ = ["ConstantAgent", "QLearner", "RandomAgent", "SimpleLearner"]
