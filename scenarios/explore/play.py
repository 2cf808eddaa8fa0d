"""Play: a reader answers the identity questions of the profile, and gets the verdict of the profile.

``{"view": "play", "seed": 1, "count": 16}`` gives the questions. With ``"chosen"``, a list of 0 (first option) and 1
(second option), it gives the verdict. The page has no NumPy, so that the fits are plain Python. Instead of resamples
there are stored critical values (``critical.csv``); a test compares verdicts with `scenarios.profile.fitting.judge`.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import ceil, exp, log, log1p, sqrt
from operator import mul
from statistics import NormalDist, fmean
from typing import Any

from multislot.checks import refusal, whole
from multislot.exact.files.answers import check_keys
from scenarios.profile.alternatives import Columns, free_columns, terms_of
from scenarios.profile.questions import IDENTITIES, Question, draw_identity

LEAST, MOST = 16, 160
LEVEL = 0.95
STEPS, FREE_STEPS, SHORTENINGS = 30, 8, 5
TASTE_RIDGE, LOOSE, FREE_RIDGE = 1 / 25, 1e-3, 0.1
MOST_LAPSES, FIRST_LAPSE, FEW_LAPSES = 0.5, 0.02, 0.05
LARGEST_STEP, MOST_RESIDUAL = 6.0, 2.0
TOLERANCE, SMALLEST, NEARLY = 1e-6, 1e-12, 1e-4
SHARPNESS_TO_SHOW = 0.3
"""These numbers are those of `scenarios.profile.judging` and `scenarios.profile.logits`; a test compares them."""
NONE, UNDECIDED = "none of these", "undecided"
STREAKS = "streaks"


@dataclass(frozen=True)
class Fit:
    """A fit with careless answers, see `scenarios.profile.logits`.

    Attributes:
        score: log-likelihood with the priors, nats.
        weights: of the columns.
        lapse: the share of careless answers.
        chances: of the second options.
        error: the standard error of the last weight.
    """

    score: float
    weights: list[float]
    lapse: float
    chances: list[float]
    error: float


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


def fit_columns(
    columns: Columns,
    ridge: Sequence[float],
    chosen: Sequence[float],
    start: tuple[Sequence[float], float] | None = None,
    steps: int = STEPS,
    lapses: bool = True,
) -> Fit:
    """Fit weights and the share of careless answers by Fisher scoring with shortened steps.

    Args:
        columns: [columns, questions].
        ridge: inverse variances of the priors, [columns].
        chosen: 1 where the second option was chosen, [questions].
        start: weights and the share of careless answers.
        steps: at most so many.
        lapses: whether there are careless answers.
    """
    weights, lapse = ([0.0] * len(columns), FIRST_LAPSE) if start is None else (list(start[0]), start[1])
    lapse = lapse if lapses else 0.0
    score, careful, chances = _evaluate(columns, ridge, chosen, weights, lapse)
    for _ in range(steps):
        slope, curvature = _slopes(columns, ridge, chosen, weights, lapse, careful, chances)
        held = not lapses or (lapse <= 0 and slope[-1] <= 0) or (lapse >= MOST_LAPSES and slope[-1] >= 0)
        if held:
            slope[-1] = 0.0
            curvature[-1][:-1] = [0.0] * len(columns)
        step = _solve(curvature, slope)
        reach = max(map(abs, _logits(columns, step[:-1])))
        length = min(1.0, LARGEST_STEP / max(reach, TOLERANCE))
        for _ in range(SHORTENINGS):
            moved = [weight + length * part for weight, part in zip(weights, step[:-1], strict=True)]
            moved_lapse = min(max(lapse + length * step[-1], 0.0), MOST_LAPSES) if lapses else lapse
            value, *further = _evaluate(columns, ridge, chosen, moved, moved_lapse)
            if value >= score - TOLERANCE:
                break
            length /= 4
        else:
            break
        rise = value - score
        weights, lapse, score, (careful, chances) = moved, moved_lapse, value, further
        if rise <= TOLERANCE:
            break
    _, curvature = _slopes(columns, ridge, chosen, weights, lapse, careful, chances)
    inverse = _solve([row[: place + 1] for place, row in enumerate(curvature[:-1])], [0.0] * (len(columns) - 1) + [1.0])
    return Fit(score, weights, lapse, chances, sqrt(max(inverse[-1], 0.0)))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


def _logits(columns: Columns, weights: Sequence[float]) -> list[float]:
    return [_dot(weights, row) for row in zip(*columns, strict=True)]


def _evaluate(
    columns: Columns, ridge: Sequence[float], chosen: Sequence[float], weights: Sequence[float], lapse: float
) -> tuple[float, list[float], list[float]]:
    """The score, the chances of careful answers and of all answers."""
    careful = [1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x)) for x in _logits(columns, weights)]
    chances = [min(max(lapse / 2 + (1 - lapse) * p, SMALLEST), 1 - SMALLEST) for p in careful]
    fitted = sum(y * log(p) + (1 - y) * log1p(-p) for y, p in zip(chosen, chances, strict=True))
    return fitted - sum(r * w * w for r, w in zip(ridge, weights, strict=True)) / 2, careful, chances


def _slopes(
    columns: Columns,
    ridge: Sequence[float],
    chosen: Sequence[float],
    weights: Sequence[float],
    lapse: float,
    careful: Sequence[float],
    chances: Sequence[float],
) -> tuple[list[float], list[list[float]]]:
    """The gradient and the lower half of the expected curvature, lapse last."""
    steep = [(1 - lapse) * p * (1 - p) for p in careful]
    precision = [1 / (p * (1 - p)) for p in chances]
    pull = [(y - p) * w for y, p, w in zip(chosen, chances, precision, strict=True)]
    careless = [0.5 - p for p in careful]
    pulled = list(map(mul, steep, pull))
    moves = [list(map(mul, steep, column)) for column in columns]
    weighted = [list(map(mul, move, precision)) for move in moves]
    slope = [_dot(pulled, column) - r * w for column, r, w in zip(columns, ridge, weights, strict=True)]
    curvature = [[_dot(weighted[i], moves[j]) for j in range(i + 1)] for i in range(len(columns))]
    for place, row in enumerate(curvature):
        row[place] += ridge[place] + TOLERANCE
    last = [_dot(part, careless) for part in weighted]
    corner = sum(e * e * w for e, w in zip(careless, precision, strict=True)) + LOOSE
    return [*slope, _dot(pull, careless)], [*curvature, [*last, corner]]


def _solve(lower: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve a symmetric positive definite system, given by its lower half, by Cholesky's method."""
    factor: list[list[float]] = []
    ahead: list[float] = []
    for row, value in zip(lower, right, strict=True):
        new: list[float] = []
        for place in range(len(row) - 1):
            new.append((row[place] - _dot(new, factor[place])) / factor[place][place])
        new.append(sqrt(max(row[-1] - _dot(new, new), SMALLEST)))
        ahead.append((value - _dot(new, ahead)) / new[-1])
        factor.append(new)
    solution = [0.0] * len(ahead)
    for place in reversed(range(len(ahead))):
        rest = sum(factor[later][place] * solution[later] for later in range(place + 1, len(ahead)))
        solution[place] = (ahead[place] - rest) / factor[place][place]
    return solution


def orthonormal(families: Sequence[str], columns: Columns) -> Columns:
    """Columns with the same span beside the tastes, orthogonal, with a mean square of 1."""
    rows = {name: [row for row, family in enumerate(families) if family == name] for name in families}
    kept: Columns = []
    for column in columns:
        means = {name: fmean(column[row] for row in members) for name, members in rows.items()}
        rest = [value - means[family] for value, family in zip(column, families, strict=True)]
        size = sqrt(_dot(rest, rest))
        if size <= TOLERANCE:
            continue
        rest = [value / size for value in rest]
        for _ in range(2):
            for other in kept:
                share = _dot(other, rest)
                rest = [value - share * part for value, part in zip(rest, other, strict=True)]
        size = sqrt(_dot(rest, rest))
        if size > NEARLY:
            kept.append([value / size for value in rest])
    return [[value * sqrt(len(families)) for value in column] for column in kept]


def statistics_of(
    questions: Sequence[Question], chosen: Sequence[float], theory: str, columns: Columns, fit: Fit
) -> dict[str, float]:
    """Twice the gain in log-likelihood by each free model, and how alike neighboring residuals are."""
    families = [question.family for question in questions]
    terms = [terms_of(question) for question in questions]
    sets = free_columns(questions, terms, theory, _gains(questions, theory), fit.weights[-1])
    ridge = _ridge(columns)
    starts = [(fit.weights, fit.lapse)]
    if fit.lapse > FEW_LAPSES:
        starts.append((fit_columns(columns, ridge, chosen, starts[0], lapses=False).weights, 0.0))
    statistics = {}
    for name, further in sets.items():
        free = orthonormal(families, further)
        if free:
            wide, priors = [*columns, *free], [*ridge, *[FREE_RIDGE] * len(free)]
            scores = [
                fit_columns(wide, priors, chosen, ([*weights, *[0.0] * len(free)], lapse), FREE_STEPS).score
                for weights, lapse in starts
            ]
            statistics[name] = 2 * max(max(scores) - fit.score, 0.0)
    residuals = [
        min(max((y - p) / sqrt(p * (1 - p)), -MOST_RESIDUAL), MOST_RESIDUAL)
        for y, p in zip(chosen, fit.chances, strict=True)
    ]
    statistics[STREAKS] = sum(one * other for one, other in pairwise(residuals)) ** 2 / len(chosen)
    return statistics


def _ridge(columns: Columns) -> list[float]:
    return [TASTE_RIDGE] * (len(columns) - 1) + [LOOSE]


def explain(questions: Sequence[Question], chosen: Sequence[int]) -> dict[str, Any]:
    """The verdict, by the rule of `scenarios.profile.judging` with stored critical values, and the fits."""
    families = [question.family for question in questions]
    tastes = [[float(family == name) for family in families] for name in dict.fromkeys(families)]
    alone = fit_columns(tastes, [TASTE_RIDGE] * len(tastes), chosen, lapses=False)
    models = {theory: [*tastes, _gains(questions, theory)] for theory in IDENTITIES}
    fits = {theory: fit_columns(columns, _ridge(columns), chosen) for theory, columns in models.items()}
    width = NormalDist().inv_cdf((1 + LEVEL) / 2)
    verdict, needed = _verdict(questions, chosen, models, fits, alone)
    return {
        "verdict": verdict,
        "explained_by": verdict if verdict in IDENTITIES else None,
        "needed": needed,
        "best": max(IDENTITIES, key=lambda theory: (fits[theory].weights[-1] > 0, round(fits[theory].score, 6))),
        "lapse": max(fits.values(), key=lambda fit: fit.score).lapse,
        "theories": {
            theory: {
                "sharpness": fit.weights[-1],
                "interval": [fit.weights[-1] - width * fit.error, fit.weights[-1] + width * fit.error],
                "log_likelihood": fit.score,
            }
            for theory, fit in fits.items()
        },
        "confusion": _confusion(),
    }


def _verdict(
    questions: Sequence[Question],
    chosen: Sequence[int],
    models: Mapping[str, Columns],
    fits: Mapping[str, Fit],
    alone: Fit,
) -> tuple[str, int | None]:
    """The verdict, and the number of questions that would decide."""
    order = sorted(
        (theory for theory in IDENTITIES if fits[theory].weights[-1] > 0),
        key=lambda theory: -round(fits[theory].score, 6),
    )
    significant = NormalDist().inv_cdf(1 - (1 - LEVEL) / len(IDENTITIES) / 2)
    if not order or 2 * (fits[order[0]].score - alone.score) < significant**2:
        wanted = (significant + NormalDist().inv_cdf(0.95)) ** 2
        gains = _gains(questions, max(IDENTITIES, key=lambda theory: round(fits[theory].score, 6)))
        means = {
            question.family: fmean(
                gain for gain, other in zip(gains, questions, strict=True) if other.family == question.family
            )
            for question in questions
        }
        spread = sum((gain - means[question.family]) ** 2 for gain, question in zip(gains, questions, strict=True))
        shown = SHARPNESS_TO_SHOW**2 * spread / 4
        if shown < wanted:
            return UNDECIDED, ceil(len(questions) * wanted / max(shown, TOLERANCE))
        return NONE, None
    best, wanted = order[0], log((len(IDENTITIES) - 1) / (1 - LEVEL))
    close = [theory for theory in order[1:] if fits[best].score - fits[theory].score < wanted]

    def rejected(theory: str) -> bool:
        return surprise(statistics_of(questions, chosen, theory, models[theory], fits[theory]), len(questions)) > 0

    if rejected(best) and all(rejected(theory) for theory in close):
        return NONE, None
    if not close:
        return best, None
    pairs = zip(fits[best].chances, fits[close[0]].chances, strict=True)
    rate = fmean(p * log(p / q) + (1 - p) * log((1 - p) / (1 - q)) for p, q in pairs)
    return UNDECIDED, max(ceil(wanted / max(rate, TOLERANCE)), len(questions) + 1)


def surprise(statistics: Mapping[str, float], count: int) -> float:
    """By how much the largest standardized cube root exceeds the critical value; stored for the nearest count."""
    stored = _critical()
    nearest = min(stored, key=lambda size: (abs(size - count), size))
    means, critical = stored[nearest]
    return (
        max(
            (float(statistics[name] ** (1 / 3)) - mean) / deviation
            for name, (mean, deviation) in means.items()
            if name in statistics
        )
        - critical
    )


@cache
def _critical() -> dict[int, tuple[dict[str, tuple[float, float]], float]]:
    """By the number of questions: means and deviations by set, and the critical value of the largest."""
    text = (files("scenarios.profile") / "critical.csv").read_text(encoding="utf-8")
    stored: dict[int, tuple[dict[str, tuple[float, float]], float]] = {}
    for row in csv.DictReader(text.splitlines()):
        means, _ = stored.get(int(row["count"]), ({}, 0.0))
        means[row["set"]] = float(row["mean"]), float(row["deviation"])
        stored[int(row["count"])] = means, float(row["critical"])
    return stored


def _gains(questions: Sequence[Question], theory: str) -> list[float]:
    return [float(question.gains[theory]) for question in questions]


@cache
def _confusion() -> list[dict[str, Any]]:
    """How often scripted subjects of each kind were found to be of each kind, at a sharpness of 1."""
    text = (files("scenarios.profile") / "confusion.csv").read_text(encoding="utf-8")
    return [
        {"scripted": row["scripted"], "found": row["found"], "share": int(row["count"]) / int(row["of"])}
        for row in csv.DictReader(text.splitlines())
        if row["part"] == "identity" and float(row["sharpness"]) == 1
    ]
