"""Considerate agents: reward augmented by what an agent leaves to others (Alizadeh Alamdari et al. 2021)."""

from considerate.solve import Outcome, Solution, solve

__all__ = ["Outcome", "Solution", "solve"]
