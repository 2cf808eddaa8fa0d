"""Considerate agents: reward augmented by what an agent leaves to others (Alizadeh Alamdari et al. 2021)."""

from typing import TYPE_CHECKING

from considerate import zoo  # registers the environments
from multislot.late import late_names

if TYPE_CHECKING:
    from considerate import craftworld, criteria, futures, sweeps, training, wrappers
    from considerate.exact import comparators
    from considerate.exact.frontiers import Frontier, frontier
    from considerate.exact.problem import Behaviour
    from considerate.exact.solutions import Solution, solve
    from considerate.sweeps import Sweep
    from considerate.training.learning import learn
else:
    __getattr__ = late_names(
        __name__,
        {
            "Behaviour": "considerate.exact.problem",
            "Frontier": "considerate.exact.frontiers",
            "Solution": "considerate.exact.solutions",
            "Sweep": "considerate.sweeps",
            "comparators": "considerate.exact.comparators",
            "craftworld": "considerate.craftworld",
            "criteria": "considerate.criteria",
            "frontier": "considerate.exact.frontiers",
            "futures": "considerate.futures",
            "learn": "considerate.training.learning",
            "learners": "considerate.training.learners",
            "solve": "considerate.exact.solutions",
            "sweeps": "considerate.sweeps",
            "training": "considerate.training",
            "views": "considerate.training.views",
            "wrappers": "considerate.wrappers",
        },
    )

__all__ = [
    "Behaviour",
    "Frontier",
    "Solution",
    "Sweep",
    "comparators",
    "craftworld",
    "criteria",
    "frontier",
    "futures",
    "learn",
    "learners",
    "solve",
    "sweeps",
    "training",
    "views",
    "wrappers",
    "zoo",
]
