"""Logistic fits with careless answers.

A subject takes the second option with probability `lapse/2 + (1 − lapse) Σₖ mixingₖ σ(weights · columnsₖ)`: with the
chance `lapse` it answers carelessly. Most models have one component; Thompson sampling has one for each model of the
world. Weights have normal priors, without which the fit of a subject that never errs would be infinite. The maximum is
found by Fisher scoring with shortened steps.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from scenarios.profile.alternatives import LOOSE

Floats: TypeAlias = NDArray[np.float64]
MOST_LAPSES = 0.5
"""Whoever is careless more often follows no theory."""
FIRST_LAPSE = 0.02
STEPS, SHORT_STEPS = 60, 30
LARGEST_STEP = 6.0
"""In logits of a question. After `SHORT_STEPS` steps they become longer and longer, so that any sharpness is reached.
Longer ones from the beginning would end at other maxima more often: at no careless answers instead of few."""
SHORTENINGS = 5
TOLERANCE = 1e-6
SMALLEST = 1e-12


@dataclass(frozen=True)
class Model:
    """Columns with priors.

    Attributes:
        components: the columns of each component, [columns, questions].
        ridge: inverse variances of the priors, [columns].
        mixing: the share of each component, [questions].
    """

    components: tuple[Floats, ...]
    ridge: Floats
    mixing: tuple[Floats | float, ...] = (1.0,)


@dataclass(frozen=True)
class Fit:
    """A model with weights.

    Attributes:
        weights: of the columns.
        lapse: the share of careless answers.
        parts: the chances of the second options by component, [questions].
        careful: these chances for careful answers, [questions].
        chances: for all answers, [questions].
        score: log-likelihood with the priors, in nats; a cross-entropy where the answers are probabilities.
        log_likelihood: without the priors.
    """

    weights: Floats
    lapse: float
    parts: list[Floats]
    careful: Floats
    chances: Floats
    score: float
    log_likelihood: float


def weigh(model: Model, chosen: Floats, weights: Floats, lapse: float, offset: Floats | float = 0.0) -> Fit:
    """A model with given weights; `offset` is added to the logits."""
    parts = [expit(weights @ columns + offset) for columns in model.components]
    careful = np.asarray(sum(mixing * part for mixing, part in zip(model.mixing, parts, strict=True)))
    chances = np.clip(lapse / 2 + (1 - lapse) * careful, SMALLEST, 1 - SMALLEST)
    log_likelihood = float(chosen @ np.log(chances) + (1 - chosen) @ np.log(1 - chances))
    prior = float(model.ridge @ (weights * weights)) / 2
    return Fit(weights, lapse, parts, careful, chances, log_likelihood - prior, log_likelihood)


def moves_of(model: Model, fit: Fit, lapse: float) -> Floats:
    """How the chances move with each weight, and with the share of careless answers, [columns + 1, questions]."""
    steep = [(1 - lapse) * mixing * part * (1 - part) for mixing, part in zip(model.mixing, fit.parts, strict=True)]
    moves = sum(slope * columns for slope, columns in zip(steep, model.components, strict=True))
    return np.vstack([moves, 0.5 - fit.careful])


def fit_logits(model: Model, chosen: Floats, lapses: bool = True, offset: Floats | float = 0.0) -> Fit:
    """Fit a model to answers.

    Args:
        model: with its priors.
        chosen: 1 for the second option, or its probability, [questions].
        lapses: whether there are careless answers.
        offset: added to the logits, [questions].
    """
    size = len(model.ridge)
    fit = weigh(model, chosen, np.zeros(size), FIRST_LAPSE if lapses else 0.0, offset)
    for number in range(STEPS):
        moves, precision = moves_of(model, fit, fit.lapse), 1 / (fit.chances * (1 - fit.chances))
        gradient = moves @ ((chosen - fit.chances) * precision)
        held = (fit.lapse <= 0 and gradient[-1] <= 0) or (fit.lapse >= MOST_LAPSES and gradient[-1] >= 0)
        free = size if held or not lapses else size + 1
        prior = np.append(model.ridge + TOLERANCE, LOOSE)[:free]
        pull = np.append(model.ridge * fit.weights, 0.0)[:free]
        curvature = (moves[:free] * precision) @ moves[:free].T + np.diag(prior)
        step = np.append(np.linalg.solve(curvature, gradient[:free] - pull), 0.0)
        reach = max(float(abs(step[:size] @ columns).max()) for columns in model.components)
        length = min(1.0, LARGEST_STEP * max(1, number - SHORT_STEPS) / max(reach, TOLERANCE))
        for _ in range(SHORTENINGS):
            lapse = min(max(fit.lapse + length * float(step[size]), 0.0), MOST_LAPSES)
            moved = weigh(model, chosen, fit.weights + length * step[:size], lapse, offset)
            if moved.score >= fit.score - TOLERANCE:
                break
            length /= 4
        else:
            return fit
        rise, fit = moved.score - fit.score, moved
        if rise <= TOLERANCE:
            return fit
    return fit
