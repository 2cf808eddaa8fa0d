"""Training considerate agents: one learner in an environment, or several together, on Stable-Baselines3."""

from considerate.training.checkpoints import CheckpointError, load_weights, save_weights
from considerate.training.evaluation import OWN_RETURN, Evaluation, evaluate, greedy
from considerate.training.learners import Learner, train_together
from considerate.training.single import ALGORITHMS, Training, new_model, train
from considerate.training.views import SoloEnv
from considerate.zoo.tasks import TaskEnv

__all__ = [
    "ALGORITHMS",
    "OWN_RETURN",
    "CheckpointError",
    "Evaluation",
    "Learner",
    "SoloEnv",
    "TaskEnv",
    "Training",
    "evaluate",
    "greedy",
    "load_weights",
    "new_model",
    "save_weights",
    "train",
    "train_together",
]
