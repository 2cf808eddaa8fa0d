"""The top set ``M^β`` of a class: its likeliest models, up to a total weight of more than β (Cohen and Hutter 2020)."""

from typing import Any

import numpy as np

from multislot.bayes.models import as_floats
from multislot.checks import checked_float, refusal
from multislot.mdp.chains import Floats

TIE = 1e-9
SAFE_SIDE = 1e-12
NO_TIE = 0.5 + 1e-8


def top_set(log_weights: Floats, weights: Floats, beta: float) -> tuple[int, ...]:
    """Return ``M^β`` as indices: in falling posterior order until the total weight is more than β.

    Ties go to the lower index; weights that differ by rounding only are ties. Departure from the paper: it says "at
    least β", which at β = 0 would be no model at all; "more than" makes β = 0 the most likely model alone.

    Args:
        log_weights: [K], up to a constant.
        weights: [K], the same, normalized.
        beta: β in [0, 1).
    """
    log_weights, weights = as_floats("log_weights", log_weights), as_floats("weights", weights)
    if np.ndim(weights) != 1 or not len(weights) or np.shape(log_weights) != np.shape(weights):
        raise refusal("weights", weights, "one weight for each of at least one model")
    likeliest = int(weights.argmax())
    if weights[likeliest] > max(checked_beta(beta) + SAFE_SIDE, NO_TIE):
        return (likeliest,)
    order = order_by_weight(log_weights)
    possible = len(order) - int(np.isneginf(log_weights).sum())
    count = int(weights[order].cumsum().searchsorted(beta + SAFE_SIDE, side="right")) + 1
    return tuple(order[: min(count, possible)].tolist())


def order_by_weight(log_weights: Floats) -> Any:
    """Return indices [K] in falling order of their weights; ties up to rounding go to the lower index.

    Neighbors whose logarithms differ by less than `TIE` are ties. Rounded logarithms would tear two equal weights apart
    if they lie on different sides of a half.
    """
    order = np.argsort(-log_weights, kind="stable")
    falling = log_weights[order]
    with np.errstate(invalid="ignore"):  # members that are refuted, −∞, are all tied
        group = np.append(0, (falling[:-1] - falling[1:] > TIE).cumsum())
    return order[np.lexsort((order, group))]


def checked_beta(beta: float) -> float:
    """Return β as a float (it may be a Fraction)."""
    return checked_float("beta", beta, 0, below=1)
