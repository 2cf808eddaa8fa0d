"""Training considerate agents: one learner in an environment, or several together, on Stable-Baselines3."""

from considerate.training.single import (
    ALGORITHMS,
    OWN_RETURN,
    CheckpointError,
    Evaluation,
    ExactComparison,
    Training,
    UntrustedError,
    compare_with_exact,
    evaluate,
    greedy,
    load_weights,
    new_model,
    save_weights,
    train,
)

__all__ = [
    "ALGORITHMS",
    "OWN_RETURN",
    "CheckpointError",
    "Evaluation",
    "ExactComparison",
    "Training",
    "UntrustedError",
    "compare_with_exact",
    "evaluate",
    "greedy",
    "load_weights",
    "new_model",
    "save_weights",
    "train",
]
