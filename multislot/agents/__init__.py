"""Agents that more than one package uses: tabular ones (compiled) and deep ones (Stable-Baselines3)."""
