"""Training considerate agents: one learner in an environment, or several together, on Stable-Baselines3."""

from considerate.training.checkpoints import CheckpointError, load_weights, save_weights
from considerate.training.evaluation import (
    OWN_RETURN,
    Evaluation,
    evaluate,
    greedy,
)
from considerate.training.single import ALGORITHMS, Training, new_model, train

__all__ = [
    "ALGORITHMS",
    "OWN_RETURN",
    "CheckpointError",
    "Evaluation",
    "Training",
    "evaluate",
    "greedy",
    "load_weights",
    "new_model",
    "save_weights",
    "train",
]
