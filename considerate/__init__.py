"""Considerate agents: reward augmented by what an agent leaves to others (Alizadeh Alamdari et al. 2021)."""

import sys

from considerate import craftworld, criteria, futures, sweeps, training, wrappers, zoo  # zoo registers the environments
from considerate.exact import comparators
from considerate.exact.frontiers import Frontier, frontier
from considerate.exact.problem import Behavior
from considerate.exact.solutions import Solution, solve
from considerate.sweeps import Sweep, sweep
from considerate.training import Training, evaluate, evaluation, learners, train, views
from considerate.training.learning import learn
from considerate.training.views import SoloEnv
from considerate.wrappers import Caring
from multislot.engine.docstrings import restore_docstrings

restore_docstrings("considerate")

# Documented paths from before these modules moved: `from considerate.views import SoloEnv` still works.
sys.modules |= {f"{__name__}.evaluation": evaluation, f"{__name__}.learners": learners, f"{__name__}.views": views}

__all__ = [
    "Behavior",
    "Caring",
    "Frontier",
    "SoloEnv",
    "Solution",
    "Sweep",
    "Training",
    "comparators",
    "craftworld",
    "criteria",
    "evaluate",
    "evaluation",
    "frontier",
    "futures",
    "learn",
    "learners",
    "solve",
    "sweep",
    "sweeps",
    "train",
    "training",
    "views",
    "wrappers",
    "zoo",
]
