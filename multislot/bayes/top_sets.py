"""The top set ``M^β``: the models in falling posterior order until their total weight is more than β.

Departure from the paper (Cohen and Hutter 2020): it says "at least β", which at β = 0 would be no model at all; "more
than" makes β = 0 the most likely model alone. Ties go to the lower index, and weights that differ by rounding only are
ties.
"""

import numpy as np

from multislot.bayes.arrays import Floats, as_floats
from multislot.checks import checked_float, refusal

TIE_DIGITS = 9
SAFE_SIDE = 1e-12
NO_TIE = 0.5 + 1e-8


def top_set(log_weights: Floats, weights: Floats, beta: float) -> tuple[int, ...]:
    """Return the indices of ``M^β``: in falling order until the total is more than β (by more than rounding).

    Args:
        log_weights: [K], up to a constant.
        weights: [K], the same, normalised.
        beta: β.
    """
    log_weights, weights = as_floats("log_weights", log_weights), as_floats("weights", weights)
    if np.ndim(weights) != 1 or not len(weights) or np.shape(log_weights) != np.shape(weights):
        raise refusal("weights", weights, "one weight for each of at least one model")
    likeliest = int(weights.argmax())
    if weights[likeliest] > max(checked_beta(beta) + SAFE_SIDE, NO_TIE):
        return (likeliest,)
    order = np.argsort(-np.round(log_weights - log_weights.max(), TIE_DIGITS), kind="stable")
    possible = len(order) - int(np.isneginf(log_weights).sum())
    count = int(weights[order].cumsum().searchsorted(beta + SAFE_SIDE, side="right")) + 1
    return tuple(order[: min(count, possible)].tolist())


def checked_beta(beta: float) -> float:
    """Return β as a float (it may be a Fraction)."""
    return checked_float("beta", beta, 0, below=1)
