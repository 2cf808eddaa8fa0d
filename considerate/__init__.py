"""Considerate agents: reward augmented by what an agent leaves to others (Alizadeh Alamdari et al. 2021)."""

from considerate import comparators, craftworld, criteria, futures, training, views, wrappers, zoo
from considerate.frontier import Frontier, frontier
from considerate.learn import learn
from considerate.solve import Outcome, Solution, solve

__all__ = [
    "Frontier",
    "Outcome",
    "Solution",
    "comparators",
    "craftworld",
    "criteria",
    "frontier",
    "futures",
    "learn",
    "solve",
    "training",
    "views",
    "wrappers",
    "zoo",
]
