"""What explains a subject's choices: verdicts, and intervals by profile likelihood.

A choice is fitted as logit p = taste(family) + sharpness · gain, one sharpness (nats a coin) per theory, with a share
of careless answers. A likelihood ratio is compared with F instead of χ², as Student's t instead of the normal
distribution: few questions are near a switch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atan, tan
from typing import TypeAlias

import numpy as np
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from scenarios.profile.alternatives import LEVEL
from scenarios.profile.care_questions import CRITERIA, OWN
from scenarios.profile.judging import (
    PESSIMIST,
    RESAMPLES,
    STEP,
    Verdict,
    families_of,
    gains_of,
    judge,
    pessimists,
    simple_model,
)
from scenarios.profile.logits import Fits, Floats, Model, fit_logits
from scenarios.profile.misses import LEAST_DISPERSION, are_choices
from scenarios.profile.questions import Question

__all__ = ["judge"]

Span: TypeAlias = tuple[float | None, float | None]
"""A 95 % interval; None at an end that the answers do not bound."""
MOST_SHARPNESS = 30.0
"""Nats a coin; sharper subjects cannot be told apart, since pays are whole coins."""
GRID = 41
FINE = 9
MOST_CARING = 100.0
STEEPEST = atan(1000.0)
LEAST_CHANCE = 1e-4
LEAST_FREEDOM = 6.0
"""Chosen so that intervals of simulated subjects hold the truth in 95 % of cases, see docs/profile.md."""


def largest_drop(fits: Fits, parameters: int, dispersion: float = 1.0) -> Floats:
    """By how much twice the log-likelihood of a parameter inside its 95 % interval is lower at most, [rows].

    The degrees of freedom are `Σ 4p(1 − p)` over careful answers, less the parameters: questions that a subject answers
    the same way for sure say nothing about where it switches.
    """
    lapse = fits.lapse[:, None]
    careful = np.clip((fits.chances - lapse / 2) / (1 - lapse), 0, 1)
    freedom = np.maximum((1 - lapse[:, 0]) * (4 * careful * (1 - careful)).sum(1) - parameters, LEAST_FREEDOM)
    return np.asarray(f_distribution.isf(1 - LEVEL, 1, freedom)) * dispersion


def dispersion_of(answers: Floats, chances: Floats, parameters: int) -> float:
    """The mean square of standardized residuals of probabilities; 1 for choices."""
    if are_choices(answers):
        return 1.0
    chances = np.clip(chances, LEAST_CHANCE, 1 - LEAST_CHANCE)
    residual = float(((answers - chances) ** 2 / (chances * (1 - chances))).sum())
    return min(max(residual / max(len(answers) - parameters, 1), LEAST_DISPERSION), 1.0)


def span_of(score: Callable[[Floats], Floats], places: Floats, top: float, drop: float) -> Span:
    """The places whose scores are at most `drop / 2` below the top; None for an end at which they still are.

    Args:
        score: log-likelihoods at places.
        places: where to look first, ascending.
        top: the largest log-likelihood.
        drop: of twice the log-likelihood.
    """
    depth = 2 * (top - score(places)) - drop
    inside = np.flatnonzero(depth <= 0)
    if not len(inside):
        best = int(depth.argmin())
        around = np.linspace(places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)], FINE)
        fine = 2 * (top - score(around)) - drop
        kept = around[fine <= 0] if (fine <= 0).any() else around[[int(fine.argmin())]]
        return float(kept[0]), float(kept[-1])

    def end(last: int, beyond: int) -> float | None:
        if not 0 <= beyond < len(places):
            return None
        around = np.linspace(places[last], places[beyond], FINE)
        crossed = np.flatnonzero(2 * (top - score(around)) - drop > 0)
        return float(around[crossed[0]] if len(crossed) else around[-1])

    return end(int(inside[0]), int(inside[0]) - 1), end(int(inside[-1]), int(inside[-1]) + 1)


def sharpness_of(tastes: Floats, gain: Floats, chosen: Floats) -> tuple[float, Span]:
    """The sharpness of a gain, nats a coin, and its interval."""
    whole, parameters = fit_logits(simple_model(tastes, gain), chosen[None]), tastes.shape[1] + 2
    drop = float(largest_drop(whole, parameters, dispersion_of(chosen, whole.chances[0], parameters))[0])
    reach = np.arcsinh(MOST_SHARPNESS * 100)
    # Denser near 0, and as dense a factor apart further away.
    values = np.sinh(np.linspace(-reach, reach, GRID)) / 100

    def score(sharpness: Floats) -> Floats:
        return fit_logits(simple_model(tastes), chosen[None], offset=sharpness[:, None, None] * gain).log_likelihood

    return float(whole.weights[0, -1]), span_of(score, values, float(whole.log_likelihood[0]), drop)


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


def fit_identity(
    questions: Sequence[Question], chosen: Floats, seed: int, resamples: int = RESAMPLES, tests: int = 1
) -> Identity:
    """Judge the answers, and fit the best theory's sharpness and the weights of the copies."""
    verdict = judge(questions, chosen, seed=seed, resamples=resamples, tests=tests)
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
        return (None, None), ((None, None), (None, None))
    pays = np.array([[questions[row].numbers[name] for name in ("r_s", "r_1", "r_2")] for row in own], float)
    taste, answers = np.ones((len(own), 1)), chosen[own]
    whole = fit_logits(simple_model(taste, pays), answers[None])
    drop, top = (
        float(largest_drop(whole, 5, dispersion_of(answers, whole.chances[0], 5))[0]),
        float(whole.log_likelihood[0]),
    )
    stays = -float(whole.weights[0, 1])
    angles = np.linspace(-np.pi / 2, np.pi / 2, GRID)
    weights: list[float | None] = []
    spans: list[Span] = []
    for place in (1, 2):
        other = pays[:, 3 - place]
        without = float(fit_logits(simple_model(taste, other), answers[None]).log_likelihood[0])

        def score(angles: Floats, place: int = place, other: Floats = other, without: float = without) -> Floats:
            mixed = np.sin(angles)[:, None] * pays[:, place] - np.cos(angles)[:, None] * pays[:, 0]
            columns = np.array([np.column_stack([taste, column, other]) for column in mixed])
            fits = fit_logits(Model(columns[:, None], simple_model(taste, pays[:, :2]).ridge), answers[None])
            return np.where(fits.weights[:, 1] > 0, fits.log_likelihood, without)

        low, high = span_of(score, angles, top, drop)
        spans.append((_slope(low), _slope(high)))
        weights.append(float(whole.weights[0, 1 + place]) / stays if stays > 0 and spans[-1] != (None, None) else None)
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
    verdict = judge(questions, chosen, **settings)
    return _fit_care(questions, chosen, verdict)


def _fit_care(questions: Sequence[Question], chosen: Floats, verdict: Verdict) -> Care:
    tastes, own = families_of(questions), gains_of(questions, OWN)
    alone = float(fit_logits(simple_model(tastes), chosen[None]).log_likelihood[0])
    most = float(np.arctan(MOST_CARING))
    angles = np.linspace(0, most, GRID)
    terms = {name: gains_of(questions, name) for name in CRITERIA}

    def score(angles: Floats, term: Floats) -> Floats:
        mixed = np.cos(angles)[:, None] * own + np.sin(angles)[:, None] * term
        columns = np.array([np.column_stack([tastes, column]) for column in mixed])
        fits = fit_logits(Model(columns[:, None], simple_model(tastes, own).ridge), chosen[None])
        return np.where(fits.weights[:, -1] > 0, fits.log_likelihood, alone)

    def profiled(angles: Floats) -> Floats:
        return np.asarray(np.max([score(angles, term) for term in terms.values()], 0))

    free = {name: fit_logits(simple_model(tastes, own, term), chosen[None]) for name, term in terms.items()}

    def angle_of(name: str) -> float:
        own_weight, other_weight = free[name].weights[0, -2:]
        return (
            min(max(float(np.arctan2(other_weight, own_weight)), 0.0), most)
            if own_weight > 0 or other_weight > 0
            else 0.0
        )

    def top_of(name: str) -> float:
        return float(score(np.array([angle_of(name)]), terms[name])[0])

    best = max(CRITERIA, key=lambda name: round(top_of(name), 6))
    top = top_of(best)
    if 2 * (top - alone) < chi2.isf((1 - LEVEL) / len(CRITERIA), 2):
        return Care(verdict, None, (0.0, None), None)
    parameters = tastes.shape[1] + 3
    drop = float(largest_drop(free[best], parameters, dispersion_of(chosen, free[best].chances[0], parameters))[0])
    low, high = span_of(profiled, angles, top, drop)  # the criterion is profiled out
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

    @property
    def explained_by(self) -> str:
        """The verdict without the number of β."""
        return PESSIMIST if self.verdict.verdict.startswith(PESSIMIST) else self.verdict.verdict


def fit_caution(questions: Sequence[Question], chosen: Floats, **settings: int) -> Caution:
    """Compare Bayes, the most likely model, Thompson sampling, and pessimists of every β (asking is the second option).

    The pessimist has a parameter more than the others, which costs it ½ log n (BIC).
    """
    verdict = judge(questions, chosen, **settings)
    candidates, fits = pessimists(questions, np.asarray(chosen, float))
    alone = float(fit_logits(simple_model(families_of(questions)), chosen[None]).log_likelihood[0])
    scores = np.where(fits.weights[:, -1] > 0, fits.log_likelihood, alone)
    best = int(scores.round(6).argmax())
    if 2 * (float(scores[best]) - alone) < chi2.isf(1 - LEVEL, 2):
        return Caution(verdict, None, (0.0, 1.0))
    parameters = families_of(questions).shape[1] + 2
    dispersion = dispersion_of(np.asarray(chosen, float), fits.chances[best], parameters)
    kept = candidates[2 * (scores[best] - scores) <= largest_drop(fits, parameters, dispersion)[best]]
    interval = (max(round(float(kept.min()) - STEP, 2), 0.0), round(float(kept.max()) + STEP, 2))
    # Equally likely candidates form a plateau; its middle is reported.
    plateau = candidates[scores >= scores[best] - 1e-6]
    return Caution(verdict, float(np.median(plateau)), interval)
