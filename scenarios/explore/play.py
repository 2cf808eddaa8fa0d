"""Play: a reader answers the identity questions of the profile, and sees which theory explains the answers best.

``{"view": "play", "seed": 1, "count": 16}`` gives the questions. With ``"chosen"``, a list of 0 (first option) and 1
(second option), it gives the fits. The page has no SciPy, so that the fits are plain Python; a test compares them with
`scenarios.profile.fitting`.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, inf, log1p, sqrt
from statistics import NormalDist
from typing import Any

from multislot.checks import refusal, whole
from multislot.exact.files.answers import check_keys
from scenarios.profile.questions import IDENTITIES, Question, draw_identity

LEAST, MOST = 16, 160
RIDGE = 0.01
"""The same weak penalty on squared weights as in `scenarios.profile.fitting`."""
STEPS = 100
TOLERANCE = 1e-10
LEVEL = 0.95


@dataclass(frozen=True)
class Fit:
    """How well a theory explains the answers.

    Attributes:
        sharpness: nats a coin.
        error: its standard error.
        log_likelihood: in nats.
    """

    sharpness: float
    error: float
    log_likelihood: float


def reply(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The questions of a seed, or, with answers, which theory explains them best."""
    check_keys("request", asked, ("seed", "count", "chosen"))
    count = whole("count", asked.get("count", LEAST), LEAST, MOST)
    questions = draw(whole("seed", asked.get("seed", 1), 0), count)
    if "chosen" not in asked:
        return {"questions": [_describe_question(question) for question in questions]}
    chosen = asked["chosen"]
    if not isinstance(chosen, list) or len(chosen) != len(questions) or any(answer not in (0, 1) for answer in chosen):
        raise refusal("chosen", chosen, f"{len(questions)} answers, each 0 or 1")
    return explain(questions, chosen)


@cache
def draw(seed: int, count: int) -> tuple[Question, ...]:
    """Draw questions in a mixed order; the same seed gives the same ones."""
    families: dict[str, list[Question]] = {}
    for question in draw_identity(count, seed):
        families.setdefault(question.family, []).append(question)
    longest = max(map(len, families.values()))
    return tuple(
        question for place in range(longest) for family in families.values() for question in family[place : place + 1]
    )


def _describe_question(question: Question) -> dict[str, Any]:
    return {
        "setting": question.system,
        "story": question.story,
        "options": list(question.options),
        "family": question.family,
    }


def explain(questions: Sequence[Question], chosen: Sequence[int]) -> dict[str, Any]:
    """Fit every theory: logit p = taste(family) + sharpness · gain. The best one must be significant at 5 %."""
    names = sorted({question.family for question in questions})
    families = [names.index(question.family) for question in questions]
    fits = {theory: fit_theory(families, _gains(questions, theory), chosen) for theory in IDENTITIES}
    best = max(IDENTITIES, key=lambda theory: (fits[theory].sharpness > 0, fits[theory].log_likelihood))
    significant = score_z(questions, _gains(questions, best), chosen) > NormalDist().inv_cdf(
        1 - (1 - LEVEL) / 2 / len(IDENTITIES)
    )
    width = NormalDist().inv_cdf((1 + LEVEL) / 2)
    return {
        "explained_by": best if significant else None,
        "best": best,
        "theories": {
            theory: {
                "sharpness": fit.sharpness,
                "interval": [fit.sharpness - width * fit.error, fit.sharpness + width * fit.error],
                "log_likelihood": fit.log_likelihood,
            }
            for theory, fit in fits.items()
        },
        "confusion": _confusion(),
    }


def _gains(questions: Sequence[Question], theory: str) -> list[float]:
    return [float(question.gains[theory]) for question in questions]


def fit_theory(families: Sequence[int], gains: Sequence[float], chosen: Sequence[int]) -> Fit:
    """Fit tastes and one sharpness by Newton's method with halved steps.

    Args:
        families: their numbers from 0, [questions].
        gains: of the second options, [questions].
        chosen: 1 where the second option was chosen, [questions].
    """
    rows = list(zip(families, gains, chosen, strict=True))
    weights, last = [0.0] * (max(families) + 2), -inf
    for _ in range(STEPS):
        step, _ = _newton_step(rows, weights)
        share = 1.0
        while True:
            moved = [weight + share * part for weight, part in zip(weights, step, strict=True)]
            value = _log_likelihood(rows, moved) - RIDGE * sum(weight * weight for weight in moved)
            if value >= last or share < TOLERANCE:
                break
            share /= 2
        weights = moved
        if value - last < TOLERANCE:
            break
        last = value
    _, variance = _newton_step(rows, weights)
    return Fit(weights[-1], sqrt(variance), _log_likelihood(rows, weights))


def _log_likelihood(rows: Sequence[tuple[int, float, int]], weights: Sequence[float]) -> float:
    logits = [(y, weights[family] + weights[-1] * gain) for family, gain, y in rows]
    return sum(y * x - (max(x, 0) + log1p(exp(-abs(x)))) for y, x in logits)


def _newton_step(rows: Sequence[tuple[int, float, int]], weights: Sequence[float]) -> tuple[list[float], float]:
    """Newton's step for the penalized log-likelihood, and the variance of the sharpness.

    A question has one taste, so the curvature is a diagonal (tastes) with a border (sharpness), solved in closed form.
    """
    slope = [-2 * RIDGE * weight for weight in weights]
    diagonal, border = [2 * RIDGE] * len(weights), [0.0] * (len(weights) - 1)
    for family, gain, y in rows:
        x = weights[family] + weights[-1] * gain
        p = 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))
        for place, value in ((family, 1.0), (-1, gain)):
            slope[place] += (y - p) * value
            diagonal[place] += p * (1 - p) * value**2
        border[family] += p * (1 - p) * gain
    *tastes_slope, last_slope = slope
    *inside, corner = diagonal
    variance = 1 / (corner - sum(b * b / d for b, d in zip(border, inside, strict=True)))
    last = variance * (last_slope - sum(b * s / d for b, s, d in zip(border, tastes_slope, inside, strict=True)))
    return [*((s - b * last) / d for s, b, d in zip(tastes_slope, border, inside, strict=True)), last], variance


def score_z(questions: Sequence[Question], gains: Sequence[float], chosen: Sequence[int]) -> float:
    """Robust score statistic of a gain against tastes alone: standard normal if the gain does not matter."""
    by_family: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        by_family.setdefault(question.family, []).append(index)
    products = [
        (chosen[index] - sum(chosen[i] for i in members) / len(members))
        * (gains[index] - sum(gains[i] for i in members) / len(members))
        for members in by_family.values()
        for index in members
    ]
    spread = sqrt(sum(product * product for product in products))
    return sum(products) / spread if spread else 0.0


@cache
def _confusion() -> list[dict[str, Any]]:
    """How often scripted subjects of each kind were found to be of each kind, at a sharpness of 1."""
    text = (files("scenarios.profile") / "confusion.csv").read_text(encoding="utf-8")
    return [
        {"scripted": row["scripted"], "found": row["found"], "share": int(row["count"]) / int(row["of"])}
        for row in csv.DictReader(text.splitlines())
        if row["part"] == "identity" and float(row["sharpness"]) == 1
    ]
