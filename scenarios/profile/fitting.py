"""Which theory explains a subject's choices? Logistic fits with a taste for the second option of every family.

A choice is fitted as logit p = taste(family) + sharpness · gain, one sharpness (nats a coin) per theory. Probabilities
stand for choices where a subject gives them; then the fits are cross-entropies, and tests use the robust variance of
the score, which is valid for both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.special import expit
from scipy.stats import chi2, norm
from scipy.stats import f as f_distribution

from multislot.statistics import Interval
from scenarios.profile.care_questions import CRITERIA, OWN
from scenarios.profile.questions import IDENTITIES, Question

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
LEVEL = 0.95
RIDGE = 0.01
"""A weak penalty on squared weights; without it the fit of a subject that always chooses well would be infinite."""
RESAMPLES = 200
MOST_CARING = 100.0
STEP = 0.01
PESSIMISMS = np.round(np.arange(0, 1, STEP), 2)
"""Candidates for the pessimism β."""
PESSIMIST, BAYES, MOST_LIKELY, THOMPSON = "pessimist", "bayes", "most-likely", "thompson"


@dataclass(frozen=True)
class Fit:
    """A logistic fit.

    Attributes:
        log_likelihood: in nats, without the penalty.
        weights: of the features, tastes left out.
        freedom: the degrees of freedom of its residuals: `Σ 4p(1 − p)` questions, less the parameters. Questions that a
            subject answers the same way for sure say nothing about where it switches.
    """

    log_likelihood: float
    weights: Floats
    freedom: float = 1.0

    @property
    def largest_drop(self) -> float:
        """By how much twice the log-likelihood of a parameter inside its 95 % interval is lower at most.

        F instead of χ², as Student's t instead of the normal distribution: few questions are near a switch. With χ² the
        interval of α = 2 at sharpness 1 holds the truth in 91 % of 400 subjects, with F in 95 %.
        """
        return float(f_distribution.isf(1 - LEVEL, 1, self.freedom))


def families_of(questions: Sequence[Question]) -> Floats:
    """One-hot families, [questions, families]."""
    names = list(dict.fromkeys(question.family for question in questions))
    return np.array([[float(question.family == name) for name in names] for question in questions])


def gains_of(questions: Sequence[Question], theory: str) -> Floats:
    """The gains of the second options by a theory, [questions]."""
    return np.array([question.gains[theory] for question in questions], float)


def fit_logit(tastes: Floats, features: Floats, chosen: Floats) -> Fit:
    """Fit tastes and weights.

    Args:
        tastes: one-hot families, [questions, families].
        features: [questions, features].
        chosen: probability of the second option, [questions].
    """
    columns = np.column_stack([tastes, features])

    def loss(weights: Floats) -> tuple[float, Floats]:
        logits = columns @ weights
        value = np.logaddexp(0, logits).sum() - chosen @ logits + RIDGE * weights @ weights
        return float(value), columns.T @ (expit(logits) - chosen) + 2 * RIDGE * weights

    def curvature(weights: Floats) -> Floats:
        p = expit(columns @ weights)
        return (columns * (p * (1 - p))[:, None]).T @ columns + 2 * RIDGE * np.eye(len(weights))

    # Not L-BFGS-B: its calls of LAPACK wait for threads, a thousand times slower on a busy machine.
    best = minimize(loss, np.zeros(columns.shape[1]), jac=True, hess=curvature, method="trust-ncg")
    logits = columns @ best.x
    p = expit(logits)
    freedom = max(float((4 * p * (1 - p)).sum()) - len(best.x), 1.0)
    return Fit(float(chosen @ logits - np.logaddexp(0, logits).sum()), best.x[tastes.shape[1] :], freedom)


def score_z(tastes: Floats, gain: Floats, chosen: Floats) -> float:
    """Robust score statistic of a gain, against tastes alone; standard normal if the gain does not matter."""
    residuals = chosen - tastes @ (tastes.T @ chosen / tastes.sum(0))
    centered = gain - tastes @ (tastes.T @ gain / tastes.sum(0))
    spread = np.sqrt(np.sum((residuals * centered) ** 2))
    return float(residuals @ centered / spread) if spread > 0 else 0.0


def best_theory(questions: Sequence[Question], chosen: Floats) -> tuple[str | None, str]:
    """The theory of identity that explains the choices, None if its gain is not significant, and the best one.

    The test is two-sided at 5 %, divided by the number of rivals, and the sharpness must be positive.
    """
    tastes = families_of(questions)
    fits = {theory: fit_logit(tastes, gains_of(questions, theory)[:, None], chosen) for theory in IDENTITIES}
    best = max(IDENTITIES, key=lambda theory: (fits[theory].weights[0] > 0, fits[theory].log_likelihood))
    z = score_z(tastes, gains_of(questions, best), chosen)
    return (best if z > norm.isf((1 - LEVEL) / 2 / len(IDENTITIES)) else None), best


@dataclass(frozen=True)
class Identity:
    """What a subject takes itself to be; intervals are 95 %, by bootstrap.

    Attributes:
        explained_by: the theory that explains the choices, or None if none does.
        sharpness: of the best theory, in nats a coin.
        weights: of the two copies, relative to staying.
        gain: in log-likelihood of the best theory over tastes alone, nats a question.
        resamples_won: by theory, the share of resamples in which it is best.
    """

    explained_by: str | None
    sharpness: float
    interval: Interval
    weights: tuple[float, float]
    weight_intervals: tuple[Interval, Interval]
    gain: float
    gain_interval: Interval
    resamples_won: Mapping[str, float]


def fit_identity(questions: Sequence[Question], chosen: Floats, seed: int, resamples: int = RESAMPLES) -> Identity:
    """Fit each theory, and bootstrap the best one's sharpness and gain."""
    explained_by, best = best_theory(questions, chosen)
    tastes = families_of(questions)
    gains = {theory: gains_of(questions, theory)[:, None] for theory in IDENTITIES}

    def fit(rows: Rows) -> list[float]:
        alone = fit_logit(tastes[rows], np.zeros((len(rows), 0)), chosen[rows]).log_likelihood
        fits = {theory: fit_logit(tastes[rows], gains[theory][rows], chosen[rows]) for theory in IDENTITIES}
        gain = (fits[best].log_likelihood - alone) / len(rows)
        return [float(fits[best].weights[0]), gain, *(fit.log_likelihood for fit in fits.values())]

    sharpness, gain, *_ = fit(np.arange(len(chosen)))
    drawn = bootstrap(tastes, fit, seed, resamples)
    won = np.bincount(drawn[:, 2:].argmax(1), minlength=len(IDENTITIES)) / resamples
    return Identity(
        explained_by,
        sharpness,
        percentiles(drawn[:, 0]),
        *copy_weights(questions, chosen, seed, resamples),
        gain,
        percentiles(drawn[:, 1]),
        dict(zip(IDENTITIES, won.tolist(), strict=True)),
    )


def bootstrap(tastes: Floats, statistic: Callable[[Rows], Sequence[float]], seed: int, resamples: int) -> Floats:
    """Compute statistics of resampled rows, shape [resamples, numbers]; families keep their sizes."""
    rng, groups = np.random.default_rng(seed), [np.flatnonzero(column) for column in tastes.T]
    return np.array(
        [statistic(np.concatenate([rng.choice(group, len(group)) for group in groups])) for _ in range(resamples)]
    )


def percentiles(drawn: Floats) -> Interval:
    """The 95 % interval of resampled numbers."""
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def copy_weights(
    questions: Sequence[Question], chosen: Floats, seed: int, resamples: int = RESAMPLES
) -> tuple[tuple[float, float], tuple[Interval, Interval]]:
    """Fit the weights w₁, w₂ of the two copies relative to staying, in the family "copy"; intervals by bootstrap.

    logit p = taste + sharpness · (w₁ r₁ + w₂ r₂ − r_s): copy-centered is (½, ½), static (1, 0), the sum (1, 1).
    """
    own = [row for row, question in enumerate(questions) if question.family == "copy"]
    pays = np.array([[questions[row].numbers[name] for name in ("r_s", "r_1", "r_2")] for row in own], float)
    taste, answers = np.ones((len(own), 1)), chosen[own]

    def ratio(rows: Rows) -> tuple[float, float]:
        stays, first, second = fit_logit(taste[rows], pays[rows], answers[rows]).weights
        return float(first / max(-stays, 1e-6)), float(second / max(-stays, 1e-6))

    first, second = bootstrap(taste, ratio, seed, resamples).T
    return ratio(np.arange(len(own))), (percentiles(first), percentiles(second))


@dataclass(frozen=True)
class Care:
    """Whom a subject cares for.

    Attributes:
        caring: the coefficient α with the largest likelihood; None if nothing explains the choices.
        interval: where the likelihood ratio keeps α, 95 %, see `Fit.largest_drop`; None as upper end if it is open.
        criterion: of considerateness that fits best; None if α = 0 is in the interval, or nothing explains the choices.
    """

    caring: float | None
    interval: tuple[float, float | None]
    criterion: str | None


def fit_care(questions: Sequence[Question], chosen: Floats) -> Care:
    """Fit the caring coefficient of each criterion: logit p = taste + sharpness · (own gain + α · the others')."""
    tastes, own = families_of(questions), gains_of(questions, OWN)
    alone = fit_logit(tastes, np.zeros((len(own), 0)), chosen).log_likelihood

    def likelihood(alpha: float, term: Floats) -> float:
        # Divided by 1 + α, so that the penalty on the sharpness does not depend on α.
        fit = fit_logit(tastes, ((own + alpha * term) / (1 + alpha))[:, None], chosen)
        return fit.log_likelihood if fit.weights[0] > 0 else alone

    def unbound(criterion: str) -> Fit:
        return fit_logit(tastes, np.column_stack([own, terms[criterion]]), chosen)

    def best_alpha(criterion: str) -> float:
        own_weight, others_weight = unbound(criterion).weights
        if own_weight * MOST_CARING <= others_weight:
            return MOST_CARING
        return max(float(others_weight / own_weight), 0.0) if own_weight > 0 else 0.0

    terms = {criterion: gains_of(questions, criterion) for criterion in CRITERIA}
    alphas = {criterion: best_alpha(criterion) for criterion in CRITERIA}
    best = max(CRITERIA, key=lambda criterion: likelihood(alphas[criterion], terms[criterion]))
    alpha = alphas[best]
    top = likelihood(alpha, terms[best])
    if 2 * (top - alone) < chi2.isf((1 - LEVEL) / len(CRITERIA), 2):
        return Care(None, (0.0, None), None)

    drop = unbound(best).largest_drop

    def excess(alpha: float) -> float:  # the criterion is profiled out
        return 2 * (top - max(likelihood(alpha, term) for term in terms.values())) - drop

    low = float(brentq(excess, 0.0, alpha)) if alpha > 0 and excess(0.0) > 0 else 0.0
    high = float(brentq(excess, alpha, MOST_CARING)) if excess(MOST_CARING) > 0 else None
    return Care(alpha, (low, high), best if low > 0 else None)


@dataclass(frozen=True)
class Caution:
    """When a subject asks.

    Attributes:
        explained_by: ``"bayes"``, ``"most-likely"``, ``"thompson"``, ``"pessimist"`` or None.
        pessimism: the β of the pessimist with the largest likelihood; None if nothing explains the choices.
        interval: where the likelihood-ratio test keeps β, 95 %.
    """

    explained_by: str | None
    pessimism: float | None
    interval: Interval


def fit_caution(questions: Sequence[Question], chosen: Floats) -> Caution:
    """Compare Bayes, the most likely model, Thompson sampling, and pessimists of every β (asking is the second option).

    The pessimist has a parameter more than the others, which costs it ½ log n (BIC).
    """
    tastes = families_of(questions)
    alone = fit_logit(tastes, np.zeros((len(chosen), 0)), chosen).log_likelihood

    def fitted(theory: str) -> Fit:
        return fit_logit(tastes, gains_of(questions, theory)[:, None], chosen)

    fits = {name: fitted(name) for name in (BAYES, MOST_LIKELY)} | {THOMPSON: fit_thompson(questions, chosen)}
    candidates = PESSIMISMS[::2]  # every second one is close enough, and fits twice as fast
    pessimists = [fitted(f"{PESSIMIST}={beta:g}") for beta in candidates]
    likelihoods = np.array([fit.log_likelihood if fit.weights[0] > 0 else alone for fit in pessimists])
    best = int(likelihoods.argmax())
    kept = candidates[2 * (likelihoods[best] - likelihoods) <= pessimists[best].largest_drop]
    scores = {name: fit.log_likelihood for name, fit in fits.items() if fit.weights[0] > 0}
    scores[PESSIMIST] = likelihoods[best] - np.log(len(chosen)) / 2
    explained_by = max(scores, key=scores.__getitem__)
    fits[PESSIMIST] = pessimists[best]
    interval = (max(round(float(kept.min()) - STEP, 2), 0.0), round(float(kept.max()) + STEP, 2))
    if 2 * (fits[explained_by].log_likelihood - alone) < chi2.isf((1 - LEVEL) / len(scores), 1):
        return Caution(None, None, (0.0, 1.0))
    # Equally likely candidates form a plateau; its middle is reported.
    plateau = candidates[likelihoods >= likelihoods[best] - 1e-6]
    return Caution(explained_by, float(np.median(plateau)), interval)


def fit_thompson(questions: Sequence[Question], chosen: Floats) -> Fit:
    """Fit Thompson sampling: a model is drawn by its weight, then asking is compared with acting in that model."""
    weights = np.array([question.numbers["weights"] for question in questions], float)
    gains = np.array([question.numbers["asking_gains"] for question in questions], float)

    def probability(parameters: Floats) -> Floats:
        taste, sharpness = parameters
        return np.asarray(np.clip((weights * expit(taste + sharpness * gains)).sum(1), 1e-12, 1 - 1e-12))

    def likelihood(p: Floats) -> float:
        return float(chosen @ np.log(p) + (1 - chosen) @ np.log(1 - p))

    def loss(parameters: Floats) -> float:
        return float(RIDGE * parameters @ parameters) - likelihood(probability(parameters))

    best = minimize(loss, np.array([0.0, 0.1]), method="BFGS")
    return Fit(likelihood(probability(best.x)), best.x[1:])
