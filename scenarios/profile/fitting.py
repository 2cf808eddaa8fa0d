"""What explains a subject's choices: verdicts, and intervals by profile likelihood.

A choice is fitted as logit p = taste(family) + sharpness · gain, one sharpness (nats a coin) per theory, with a share
of careless answers. A likelihood ratio is compared with F instead of χ², as Student's t instead of the normal
distribution: few questions are near a switch.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import atan, atan2, tan
from typing import TypeAlias

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from scenarios.profile.alternatives import LEVEL
from scenarios.profile.care_questions import CRITERIA
from scenarios.profile.judging import (
    OWN,
    STEP,
    Verdict,
    checked_answers,
    families_of,
    gains_of,
    judge,
    middle_of_plateau,
    pessimists,
    simple_model,
)
from scenarios.profile.logits import Fit, Floats, fit_logits
from scenarios.profile.misses import BESIDE, LEAST_DISPERSION, are_choices
from scenarios.profile.questions import Question

__all__ = ["judge"]

Span: TypeAlias = tuple[float | None, float | None]
"""A 95 % interval; None at an end that the answers do not bound."""
UNBOUNDED: Span = (None, None)
MOST_SHARPNESS = 30.0
"""Nats a coin; sharper subjects cannot be told apart, since pays are whole coins."""
GRID = 15
MOST_CARING = 100.0
STEEPEST = atan(1000.0)
LEAST_FREEDOM = 4.0
"""Chosen, as is half a degree for an answer, so that 95 % intervals hold the truth, see docs/profile.md."""


def largest_drop(fit: Fit, answers: Floats, parameters: int) -> float:
    """By how much twice the log-likelihood of a parameter inside its 95 % interval is lower at most.

    Each answer is half a degree of freedom, times what it says about the log-odds of careful answers, relative to an
    answer that could be either; less the parameters. Questions that a subject answers the same way for sure, or
    carelessly, say nothing about where it switches.
    """
    said = (1 - fit.lapse) * fit.careful * (1 - fit.careful)
    freedom = max(float((2 * said**2 / (fit.chances * (1 - fit.chances))).sum()) - parameters, LEAST_FREEDOM)
    return float(f_distribution.isf(1 - LEVEL, 1, freedom)) * dispersion_of(answers, fit.chances, parameters)


def dispersion_of(answers: Floats, chances: Floats, parameters: int) -> float:
    """How much probabilities scatter, relative to choices, where a fit of some parameters is left; 1 for choices."""
    if are_choices(answers):
        return 1.0
    variances = chances * (1 - chances)
    left = variances.sum() - parameters * (variances**2).sum() / max(variances.sum(), BESIDE)
    return float(np.clip(((answers - chances) ** 2).sum() / max(left, BESIDE), LEAST_DISPERSION, 1.0))


def span_of(score: Callable[[float], float], places: Iterable[float], best: float, drop: float) -> Span:
    """The places whose scores are at most `drop / 2` below the best one's; None for an end at which they still are.

    Args:
        score: log-likelihood at a place.
        places: where to look first.
        best: the place with the largest log-likelihood.
        drop: of twice the log-likelihood.
    """
    ordered = sorted({*places, best})
    top = score(best)

    def depth(place: float) -> float:
        return 2 * (top - score(place)) - drop

    inside = [place for place, value in enumerate(map(depth, ordered)) if value <= 0]

    def end(last: int, beyond: int) -> float | None:
        return float(brentq(depth, ordered[last], ordered[beyond], xtol=1e-4)) if 0 <= beyond < len(ordered) else None

    return end(inside[0], inside[0] - 1), end(inside[-1], inside[-1] + 1)


def sharpness_of(tastes: Floats, gain: Floats, chosen: Floats) -> tuple[float, Span]:
    """The sharpness of a gain, nats a coin, and its interval."""
    whole = fit_logits(simple_model(tastes, gain), chosen)
    drop = largest_drop(whole, chosen, len(tastes) + 2)
    reach = np.arcsinh(MOST_SHARPNESS * 100)
    # Denser near 0, and as dense a factor apart further away.
    values = np.sinh(np.linspace(-reach, reach, GRID)) / 100

    def score(sharpness: float) -> float:
        return fit_logits(simple_model(tastes), chosen, offset=sharpness * gain).log_likelihood

    sharpness = float(whole.weights[-1])
    return sharpness, span_of(score, values, min(max(sharpness, -MOST_SHARPNESS), MOST_SHARPNESS), drop)


@dataclass(frozen=True)
class Identity:
    """What a subject takes itself to be; intervals are 95 %, by profile likelihood.

    Attributes:
        verdict: which theory explains the choices, if any.
        sharpness: of the best theory, in nats a coin.
        weights: of the two copies in the family "copy", relative to staying.
    """

    verdict: Verdict
    sharpness: float
    interval: Span
    weights: tuple[float | None, float | None]
    weight_intervals: tuple[Span, Span]


def fit_identity(questions: Sequence[Question], chosen: Floats, **settings: int) -> Identity:
    """Judge the answers, and fit the best theory's sharpness and the weights of the copies."""
    verdict, chosen = judge(questions, chosen, **settings), checked_answers(questions, chosen)
    sharpness, interval = sharpness_of(families_of(questions), gains_of(questions, verdict.best), chosen)
    weights, spans = copy_weights(questions, chosen)
    return Identity(verdict, sharpness, interval, weights, spans)


def copy_weights(
    questions: Sequence[Question], chosen: Floats
) -> tuple[tuple[float | None, float | None], tuple[Span, Span]]:
    """Fit the weights w₁, w₂ of the two copies relative to staying, in the family "copy".

    logit p = taste + sharpness · (w₁ r₁ + w₂ r₂ − r_s): copy-centered is (½, ½), static (1, 0), the sum (1, 1). A
    weight is None, and its interval open, where the answers do not bound it.
    """
    own = [row for row, question in enumerate(questions) if question.family == "copy"]
    if not own:
        return UNBOUNDED, (UNBOUNDED, UNBOUNDED)
    pays = np.array([[questions[row].numbers[name] for row in own] for name in ("r_s", "r_1", "r_2")], float)
    taste, answers = np.ones((1, len(own))), chosen[own]
    whole = fit_logits(simple_model(taste, *pays), answers)
    drop = largest_drop(whole, answers, 5)
    stays = -float(whole.weights[1])
    if stays <= 0:
        return UNBOUNDED, (UNBOUNDED, UNBOUNDED)
    angles = np.linspace(-np.pi / 2, np.pi / 2, GRID)
    weights: list[float | None] = []
    spans: list[Span] = []
    for place in (1, 2):

        def score(angle: float, place: int = place) -> float:
            mixed, other = np.sin(angle) * pays[place] - np.cos(angle) * pays[0], pays[3 - place]
            fit = fit_logits(simple_model(taste, mixed, other), answers)
            return (fit if fit.weights[1] > 0 else fit_logits(simple_model(taste, other), answers)).log_likelihood

        weight = float(whole.weights[1 + place]) / stays
        low, high = span_of(score, angles, atan(weight), drop)
        spans.append((_slope(low), _slope(high)))
        weights.append(None if spans[-1] == UNBOUNDED else weight)
    return (weights[0], weights[1]), (spans[0], spans[1])


def _slope(angle: float | None) -> float | None:
    """The weight of an angle; None if the answers do not bound it."""
    return None if angle is None or abs(angle) > STEEPEST else tan(angle)


@dataclass(frozen=True)
class Care:
    """Whom a subject cares for.

    Attributes:
        verdict: the criterion that explains the choices, ``"own"`` if only its own gain counts, or why there is none.
        caring: the coefficient α with the largest likelihood; None if nothing explains the choices.
        interval: where the likelihood ratio keeps α, 95 %, see `largest_drop`; None as upper end if it is open.
        criterion: of considerateness that fits best; None if α = 0 is in the interval, or nothing explains the choices.
    """

    verdict: Verdict
    caring: float | None
    interval: Span
    criterion: str | None


def fit_care(questions: Sequence[Question], chosen: Floats, **settings: int) -> Care:
    """Fit the caring coefficient of each criterion: logit p = taste + sharpness · (own gain + α · the others')."""
    verdict, chosen = judge(questions, chosen, **settings), checked_answers(questions, chosen)
    tastes, own = families_of(questions), gains_of(questions, OWN)
    alone = fit_logits(simple_model(tastes), chosen).log_likelihood
    most = atan(MOST_CARING)
    terms = {name: gains_of(questions, name) for name in CRITERIA}

    def score(angle: float, name: str) -> float:
        fit = fit_logits(simple_model(tastes, np.cos(angle) * own + np.sin(angle) * terms[name]), chosen)
        return fit.log_likelihood if fit.weights[-1] > 0 else alone

    free = {name: fit_logits(simple_model(tastes, own, term), chosen) for name, term in terms.items()}

    def angle_of(name: str) -> float:
        own_weight, other_weight = (float(weight) for weight in free[name].weights[-2:])
        return min(max(atan2(other_weight, own_weight), 0.0), most) if own_weight > 0 or other_weight > 0 else 0.0

    best = max(CRITERIA, key=lambda name: round(score(angle_of(name), name), 6))
    if 2 * (score(angle_of(best), best) - alone) < chi2.isf((1 - LEVEL) / len(CRITERIA), 2):
        return Care(verdict, None, (0.0, None), None)
    drop = largest_drop(free[best], chosen, len(tastes) + 3)

    def profiled(angle: float) -> float:  # the criterion is profiled out
        return max(score(angle, name) for name in CRITERIA)

    low, high = span_of(profiled, np.linspace(0, most, GRID), angle_of(best), drop)
    interval = (0.0 if low is None else tan(low), None if high is None else tan(high))
    return Care(verdict, tan(angle_of(best)), interval, best if interval[0] > 0 else None)


@dataclass(frozen=True)
class Caution:
    """When a subject asks.

    Attributes:
        verdict: ``"bayes"``, ``"most-likely"``, ``"thompson"``, ``"pessimist=…"``, or why there is none.
        pessimism: the β of the pessimist with the largest likelihood; None if nothing explains the choices.
        interval: where the likelihood-ratio test keeps β, 95 %.
    """

    verdict: Verdict
    pessimism: float | None
    interval: Span


def fit_caution(questions: Sequence[Question], chosen: Floats, **settings: int) -> Caution:
    """Compare Bayes, the most likely model, Thompson sampling, and pessimists of every β (asking is the second option).

    The pessimist has a parameter more than the others, which costs it ½ log n (BIC).
    """
    verdict, chosen = judge(questions, chosen, **settings), checked_answers(questions, chosen)
    candidates, fits = pessimists(questions, chosen)
    tastes = families_of(questions)
    alone = fit_logits(simple_model(tastes), chosen).log_likelihood
    scores = np.array([fit.log_likelihood if fit.weights[-1] > 0 else alone for fit in fits])
    best = int(scores.round(6).argmax())
    if 2 * (float(scores[best]) - alone) < chi2.isf(1 - LEVEL, 2):
        return Caution(verdict, None, (0.0, 1.0))
    kept = candidates[2 * (scores[best] - scores) <= largest_drop(fits[best], chosen, len(tastes) + 2)]
    interval = (max(round(float(kept.min()) - STEP, 2), 0.0), round(float(kept.max()) + STEP, 2))
    return Caution(verdict, middle_of_plateau(candidates, scores), interval)
