"""Considerate agents: reward augmented by what an agent leaves to others (Alizadeh Alamdari et al. 2021)."""

from considerate import craftworld, criteria, futures, training, views, wrappers, zoo
from considerate.exact import comparators
from considerate.exact.frontiers import Frontier, frontier
from considerate.exact.problem import Behaviour
from considerate.exact.solutions import Solution, solve
from considerate.learning import learn

__all__ = [
    "Behaviour",
    "Frontier",
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
