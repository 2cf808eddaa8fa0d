"""Considerate agents: reward augmented by what an agent leaves to others (Alizadeh Alamdari et al. 2021)."""

from considerate import zoo as _registers_environments
from considerate.frontier import Frontier, frontier
from considerate.learn import learn
from considerate.solve import Outcome, Solution, solve

__all__ = ["Frontier", "Outcome", "Solution", "frontier", "learn", "solve"]
del _registers_environments
