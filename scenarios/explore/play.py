"""Play: a reader answers the identity questions of the profile, and gets the verdict of the profile.

``{"view": "play", "seed": 1, "count": 16}`` gives the questions. With ``"chosen"``, a list of 0 (first option) and 1
(second option), it gives the verdict. The page has no NumPy, so that the fits are plain Python. Instead of resamples
there are stored critical values (``critical.csv``); a test compares verdicts with `scenarios.profile.fitting.judge`.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import cycle
from math import asinh, ceil, exp, inf, log, log1p, sqrt
from operator import add, mul
from statistics import NormalDist, fmean
from typing import Any, TypeAlias

from multislot.checks import refusal, whole
from multislot.exact.files.answers import check_keys
from scenarios.profile.alternatives import (
    ALIKE,
    EXCESS,
    LEAST_INFORMED,
    LEAST_LAPSE,
    LEAST_LEFT,
    LEAST_SHARPNESS,
    LEVEL,
    LOOSE,
    MIXED,
    MOST_BIAS,
    MOST_SHARPNESS,
    NONE,
    SHARPNESS_TO_SHOW,
    TASTE_RIDGE,
    UNDECIDED,
    Labels,
    bounded_need,
    compared_gains,
    flat_numbers,
    likenesses_of,
    rival_gains,
    scaled_numbers,
    shown_by,
)
from scenarios.profile.questions import IDENTITIES, Question, draw_identity

Columns: TypeAlias = list[list[float]]
LEAST, MOST = 16, 160
STEPS, SHORT_STEPS, SHORTENINGS = 60, 30, 5
MOST_LAPSES, FIRST_LAPSE = 0.5, 0.02
LARGEST_STEP = 6.0
TOLERANCE, SMALLEST = 1e-6, 1e-12
"""These numbers are those of `scenarios.profile.logits`; a test compares them."""
TILTINGS, MOST_TILT, MOST_LOGIT = 12, 10.0, 700.0


@dataclass(frozen=True)
class Tested:
    """A theory as a model of answers.

    Attributes:
        columns: tastes first, then what the theory says, [columns, questions].
        gains: of the second options, coins, [questions].
    """

    name: str
    columns: Columns
    gains: list[float]


@dataclass(frozen=True)
class Fit:
    """A fit with careless answers, see `scenarios.profile.logits`.

    Attributes:
        score: log-likelihood with the priors, nats.
        log_likelihood: without the priors.
        weights: of the columns.
        lapse: the share of careless answers.
        chances: of the second options.
    """

    score: float
    log_likelihood: float
    weights: list[float]
    lapse: float
    chances: list[float]


TEXTS = ("setting", "story", "options", "family")


def reply(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The questions of a seed, or, with answers, which theory explains them best."""
    check_keys("request", asked, ("seed", "count", "chosen"))
    count = whole("count", asked.get("count", LEAST), LEAST, MOST)
    questions = draw_identity(count, whole("seed", asked.get("seed", 1), 0))
    if "chosen" not in asked:
        texts = ((one.system, one.story, list(one.options), one.family) for one in questions)
        return {"questions": [dict(zip(TEXTS, each, strict=True)) for each in texts]}
    chosen = asked["chosen"]
    if not isinstance(chosen, list) or len(chosen) != len(questions) or any(answer not in (0, 1) for answer in chosen):
        raise refusal("chosen", chosen, f"{len(questions)} answers, each 0 or 1")
    return explain(questions, chosen)


def fit_columns(
    columns: Columns,
    ridge: Sequence[float],
    chosen: Sequence[float],
    lapses: bool = True,
) -> Fit:
    """Fit weights and the share of careless answers by Fisher scoring with shortened steps.

    Args:
        columns: [columns, questions].
        ridge: inverse variances of the priors, [columns].
        chosen: 1 where the second option was chosen, [questions].
        lapses: whether there are careless answers.
    """
    weights, lapse = [0.0] * len(columns), FIRST_LAPSE if lapses else 0.0
    score, careful, chances = _evaluate(columns, ridge, chosen, weights, lapse)
    for number in range(STEPS):
        slope, curvature = _slopes(columns, ridge, chosen, weights, lapse, careful, chances)
        held = not lapses or (lapse <= 0 and slope[-1] <= 0) or (lapse >= MOST_LAPSES and slope[-1] >= 0)
        if held:
            slope[-1] = 0.0
            curvature[-1][:-1] = [0.0] * len(columns)
        step = _solve(curvature, slope)
        reach = max(map(abs, _logits(columns, step[:-1])))
        length = min(1.0, LARGEST_STEP * max(1, number - SHORT_STEPS) / max(reach, TOLERANCE))
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
    prior = sum(r * w * w for r, w in zip(ridge, weights, strict=True)) / 2
    return Fit(score, score + prior, weights, lapse, chances)


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


def surprise_of(questions: Sequence[Question], chosen: Sequence[float], model: Tested, fit: Fit) -> float:
    """How surprising the misses of a theory are, see `scenarios.profile.misses`: the largest normal deviate."""
    lapse = max(fit.lapse, LEAST_LAPSE)
    careful = list(map(_share, _logits(model.columns, fit.weights)))
    chances = [lapse / 2 + (1 - lapse) * p for p in careful]
    deviations = [sqrt(p * (1 - p)) for p in chances]
    steep = [(1 - lapse) * p * (1 - p) for p in careful]
    excess = sqrt(1 + EXCESS * fit.lapse)
    misses = [(y - p) / d / excess for y, p, d in zip(chosen, chances, deviations, strict=True)]
    moves = [*(list(map(mul, steep, column)) for column in model.columns), [0.5 - p for p in careful]]
    own = orthonormal([[x / d for x, d in zip(move, deviations, strict=True)] for move in moves])
    sharpness = fit.weights[-1]
    largest = -inf
    scale = min(max(sharpness, LEAST_SHARPNESS), MOST_SHARPNESS)
    tilt = [x / d for x, d in zip(steep, deviations, strict=True)]
    compared, others = compared_gains(questions), []
    for name, gains in rival_gains(questions, model.name).items():
        shares = [(_share(scale * gain) - p) / d for gain, p, d in zip(gains, careful, deviations, strict=True)]
        for scaled in (list(map(mul, tilt, gains)), shares):
            others += [scaled] if name in compared else []
            left = _beside(own, scaled)
            size = sqrt(_dot(left, left))
            if size <= LEAST_LEFT * sqrt(_dot(scaled, scaled)) or size**4 < LEAST_INFORMED * sum(x**4 for x in left):
                continue
            tilted = [x / size / d for x, d in zip(left, deviations, strict=True)]
            ratio = _tilted_ratio(tilted, chances, _dot(left, misses) / size)
            largest = max(largest, _deviate(ratio, 1.0, 2.0))
    numbers = scaled_numbers(questions)
    free = orthonormal([*own, *(list(map(mul, tilt, column)) for column in numbers)])
    lengths = [sqrt(_dot(column, column) + TOLERANCE) for column in others]
    theories = _gram([[x / length for x in column] for column, length in zip(others, lengths, strict=True)])
    likenesses = [*_likenesses(questions, numbers, model.gains, sharpness), _gram(free)]
    tilts = _gram([tilt])
    for labels, by_theories in likenesses_of(questions, chosen, model.name).values():
        likenesses.append(_times_shared(theories if by_theories else tilts, labels))
    for likeness in likenesses:
        value, mean, variance = _form_of(likeness, own, misses)
        largest = max(largest, _deviate(value, mean, variance) if mean > TOLERANCE else largest)
    return largest


def _gram(columns: Columns) -> Columns:
    """The products of the rows of columns, [questions, questions]."""
    rows = list(zip(*columns, strict=True))
    return [[_dot(one, other) for other in rows] for one in rows]


def _times_shared(likeness: Columns, labels: Sequence[Labels]) -> Columns:
    """A likeness, times the sums of the products of shared labels' weights."""
    return [
        [
            value * sum(w * other[label] for label, w in one.items() if label in other)
            for value, other in zip(row, labels, strict=True)
        ]
        for row, one in zip(likeness, labels, strict=True)
    ]


def _share(logit: float) -> float:
    return 1 / (1 + exp(-min(max(logit, -MOST_LOGIT), MOST_LOGIT)))


def _tilted_ratio(direction: Sequence[float], chances: Sequence[float], total: float) -> float:
    """Twice the log-likelihood ratio of the tilt that makes the sum of misses the observed one."""
    tilt = 0.0
    for _ in range(TILTINGS):
        odds = [p * exp(tilt * b) for p, b in zip(chances, direction, strict=True)]
        new = [odd / (1 - p + odd) for odd, p in zip(odds, chances, strict=True)]
        slope = sum(b * (q - p) for b, q, p in zip(direction, new, chances, strict=True)) - total
        curvature = sum(b * b * q * (1 - q) for b, q in zip(direction, new, strict=True))
        tilt = min(max(tilt - min(max(slope / max(curvature, SMALLEST), -1.0), 1.0), -MOST_TILT), MOST_TILT)
    totals = [log(1 - p + p * exp(tilt * b)) for p, b in zip(chances, direction, strict=True)]
    return max(2 * (tilt * (total + _dot(direction, chances)) - sum(totals)), 0.0)


def _deviate(value: float, mean: float, variance: float) -> float:
    """A normal deviate from χ² times a scale (Wilson and Hilferty 1931)."""
    spread, ratio = variance / (9 * mean**2), value / mean
    return (float(abs(ratio) ** (1 / 3) * (1 if ratio > 0 else -1)) - (1 - spread)) / sqrt(spread)


def _likenesses(
    questions: Sequence[Question], numbers: Columns, gains: Sequence[float], sharpness: float
) -> Iterator[Columns]:
    """How alike two questions are: by their numbers, by the theory's gains, and as neighbors in the list."""
    rows = list(zip(*numbers, strict=True))
    families = [question.family for question in questions]
    scales = [2 * ALIKE**2 * len(flat_numbers(question)) for question in questions]
    yield [
        [
            exp(-sum((x - y) ** 2 for x, y in zip(one, other, strict=True)) / scale) if own == family else 0.0
            for other, family in zip(rows, families, strict=True)
        ]
        for one, own, scale in zip(rows, families, scales, strict=True)
    ]
    logits = [asinh(sharpness * gain) for gain in gains]
    yield [[exp(-((one - other) ** 2) / (2 * ALIKE**2)) for other in logits] for one in logits]
    yield [[max(1 - abs(one - other) / 2, 0.0) for other in range(len(rows))] for one in range(len(rows))]


def _form_of(likeness: Columns, own: Columns, misses: Sequence[float]) -> tuple[float, float, float]:
    """The quadratic form of the misses without squares of single ones, its mean and its variance."""
    half = [_beside(own, row) for row in likeness]
    free = [_beside(own, column) for column in zip(*half, strict=True)]
    diagonal = [row[place] for place, row in enumerate(free)]
    squares = [miss**2 - 1 for miss in _beside(own, misses)]
    value = _dot([_dot(row, misses) for row in free], misses) - _dot(squares, diagonal)
    return value, sum(diagonal), 2 * (sum(_dot(row, row) for row in free) - _dot(diagonal, diagonal))


def _beside(basis: Columns, column: Sequence[float]) -> list[float]:
    """What is left of a column beside orthonormal ones."""
    rest = list(column)
    for other in basis:
        share = _dot(other, rest)
        rest = [value - share * part for value, part in zip(rest, other, strict=True)]
    return rest


def orthonormal(columns: Columns) -> Columns:
    """Orthonormal columns with the same span."""
    kept: Columns = []
    for column in columns:
        size = sqrt(_dot(column, column))
        rest = _beside(kept, _beside(kept, [value / max(size, TOLERANCE) for value in column]))
        size = sqrt(_dot(rest, rest))
        if size > TOLERANCE:
            kept.append([value / size for value in rest])
    return kept


def explain(questions: Sequence[Question], chosen: Sequence[int]) -> dict[str, Any]:
    """The verdict, by the rule of `scenarios.profile.judging` with stored critical values, and the fits."""
    judge = PlainJudge(questions, chosen)
    verdict, needed = judge.verdict()
    return {
        "verdict": verdict,
        "explained_by": verdict if verdict in IDENTITIES else None,
        "needed": needed,
        "best": max(IDENTITIES, key=lambda theory: (judge.fits[theory].weights[-1] > 0, judge.score(theory))),
        "theories": {
            theory: {"sharpness": fit.weights[-1], "log_likelihood": fit.score} for theory, fit in judge.fits.items()
        },
        "confusion": _confusion(),
    }


class PlainJudge:
    """Judges choices as `scenarios.profile.judging.Judge` does."""

    def __init__(self, questions: Sequence[Question], chosen: Sequence[float]) -> None:
        self.questions, self.chosen = questions, chosen
        families = [question.family for question in questions]
        self.tastes = [[float(family == name) for family in families] for name in dict.fromkeys(families)]
        self.alone = fit_columns(self.tastes, [TASTE_RIDGE] * len(self.tastes), chosen, lapses=False)
        self.models = {theory: self.model(theory, [_gains(questions, theory)]) for theory in IDENTITIES}
        self.fits = {theory: self.fit(model) for theory, model in self.models.items()}

    def model(self, name: str, columns: Columns) -> Tested:
        """Tastes, and columns that are gains of a theory."""
        return Tested(name, [*self.tastes, *columns], [sum(row) for row in zip(*columns, strict=True)])

    def fit(self, model: Tested) -> Fit:
        """Fit a model to the choices."""
        further = len(model.columns) - len(self.tastes)
        return fit_columns(model.columns, [TASTE_RIDGE] * len(self.tastes) + [LOOSE] * further, self.chosen)

    def score(self, theory: str) -> float:
        """The log-likelihood with the priors, nats."""
        return round(self.fits[theory].score, 6)

    def verdict(self) -> tuple[str, int | None]:
        """The verdict, and the number of questions that would decide."""
        order = sorted(
            (theory for theory in IDENTITIES if self.fits[theory].weights[-1] > 0),
            key=lambda theory: -self.score(theory),
        )
        significant = NormalDist().inv_cdf(1 - (1 - LEVEL) / len(IDENTITIES) / 2)
        if not order or 2 * (self.fits[order[0]].score - self.alone.score) < significant**2:
            return self._unexplained(significant)
        best, wanted = order[0], log((len(IDENTITIES) - 1) / (1 - LEVEL))
        close = [theory for theory in order[1:] if self.fits[best].score - self.fits[theory].score < wanted]
        if all(self.rejects(self.models[theory], self.fits[theory]) for theory in (best, *close)):
            return (MIXED if self.is_mixed(best) else NONE), None
        if not close:
            return best, None
        pairs = zip(self.fits[best].chances, self.fits[close[0]].chances, strict=True)
        rate = fmean(p * log(p / q) + (1 - p) * log((1 - p) / (1 - q)) for p, q in pairs)
        return UNDECIDED, bounded_need(max(ceil(wanted / max(rate, TOLERANCE)), len(self.questions) + 1))

    def _unexplained(self, significant: float) -> tuple[str, int | None]:
        rest = _beside(orthonormal(self.tastes), _gains(self.questions, max(IDENTITIES, key=self.score)))
        shown = shown_by(SHARPNESS_TO_SHOW * gain for gain in rest)
        wanted = (significant + NormalDist().inv_cdf(LEVEL)) ** 2
        if shown < wanted:
            return UNDECIDED, bounded_need(ceil(len(self.questions) * wanted / max(shown, TOLERANCE)))
        return NONE, None

    def rejects(self, model: Tested, fit: Fit) -> bool:
        """Whether the misses are surprising, or the subject switches too far away."""
        tastes, sharpness = fit.weights[: len(self.tastes)], fit.weights[len(self.tastes) :]
        if min(sharpness) <= 0:
            return True
        pairs = zip(tastes, cycle(sharpness), strict=False)  # one sharpness, or one for each family
        shifts = _logits(self.tastes, [min(max(taste / slope, -MOST_BIAS), MOST_BIAS) for taste, slope in pairs])
        shifted = list(map(add, model.gains, shifts))
        parts = [list(map(mul, shifted, column)) for column in self.tastes] if len(sharpness) > 1 else [shifted]
        again = fit_columns(parts, [LOOSE] * len(parts), self.chosen)
        biased = NormalDist().inv_cdf(1 - (1 - LEVEL) / len(self.tastes) / 2)
        if 2 * (fit.log_likelihood - again.log_likelihood) > biased**2:
            return True
        return surprise_of(self.questions, self.chosen, model, fit) > critical_of(len(self.questions))

    def is_mixed(self, best: str) -> bool:
        """Whether families follow different theories, see `scenarios.profile.judging`."""
        parts = [self._best_in(column) for column in self.tastes]
        if len(set(parts)) < 2:
            return False
        apart, whole = (
            self.model(
                MIXED,
                [
                    list(map(mul, self.models[name].gains, column))
                    for name, column in zip(names, self.tastes, strict=True)
                ],
            )
            for names in (parts, [best] * len(parts))
        )
        fit, lead = self.fit(apart), log(len(IDENTITIES) ** len(parts) / (1 - LEVEL))
        if fit.score - self.fit(whole).score < lead:
            return False
        return not self.rejects(apart, fit)

    def _best_in(self, column: Sequence[float]) -> str:
        """The theory that fits a family best."""
        rows = [place for place, inside in enumerate(column) if inside]
        answers = [self.chosen[row] for row in rows]
        scores = {}
        for theory in IDENTITIES:
            gains = [self.models[theory].gains[row] for row in rows]
            fit = fit_columns([[1.0] * len(rows), gains], [TASTE_RIDGE, LOOSE], answers)
            scores[theory] = round(fit.score, 6) if fit.weights[-1] > 0 else -inf
        return max(IDENTITIES, key=lambda theory: scores[theory])


def critical_of(count: int) -> float:
    """The critical value of the largest deviate, stored for the nearest number of questions."""
    text = (files("scenarios.profile") / "critical.csv").read_text(encoding="utf-8")
    stored = {int(row["count"]): float(row["critical"]) for row in csv.DictReader(text.splitlines())}
    return stored[min(stored, key=lambda size: (abs(size - count), size))]


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
