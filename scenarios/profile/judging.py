"""The verdict on a subject's answers: a theory's name, or that none fits, that families differ, or that it is open.

A theory is named only if

1. no free model (`scenarios.profile.alternatives`) fits significantly better, by parametric bootstrap;
2. its lead over the second theory is significant;
3. it explains significantly more than tastes alone.

Answers may be probabilities. They scatter less than choices; log-likelihoods are then divided by the dispersion of the
richest free model, and resamples are drawn from beta distributions with that dispersion.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta as beta_distribution
from scipy.stats import chi2
from threadpoolctl import ThreadpoolController

from multislot.errors import SettingError
from scenarios.profile.alternatives import Terms, flat_numbers, free_columns, terms_of
from scenarios.profile.logits import LOOSE, Fits, Floats, Model, fit_logits
from scenarios.profile.questions import IDENTITIES, Question

LEVEL = 0.95
RESAMPLES = 200
BLOCK = 40
"""Resamples are drawn in blocks, until the verdict is clear."""
CLEAR = 1e-3
FAR = 3.0
"""How far beyond the most extreme resample an observation must be to stop early, in deviations."""
LEAST_SURPRISE = -10.0
MOST_RESIDUAL = 2.0
NONE, MIXED, UNDECIDED = "none of these", "mixed", "undecided"
STREAKS = "streaks"
TASTE_RIDGE = 1 / 25
"""Tastes have a normal prior with a deviation of 5 logits."""
FREE_RIDGE = 0.1
"""Free weights, of columns scaled to a mean square of 1, have a prior with a deviation of about 3 logits."""
FREE_STEPS = 8
LEAST_DISPERSION = 0.02
LEAST_CHANCE = 1e-4
FEW_LAPSES = 0.05
SHARPNESS_TO_SHOW = 0.3
"""Logits a coin. If the questions could not show such a sharpness, that no theory explains the answers is open."""
BESIDE = 1e-6
OWN = "own"
BAYES, MOST_LIKELY, THOMPSON, PESSIMIST = "bayes", "most-likely", "thompson", "pessimist"


@dataclass(frozen=True)
class Theory:
    """A theory as a model of answers.

    Attributes:
        model: tastes first, then what the theory says.
        gains: of the second options, coins, [questions].
        penalty: of its log-likelihood, for parameters that others do not have.
        leads: the column whose weight must be positive.
    """

    name: str
    model: Model
    gains: Floats
    penalty: float = 0.0
    leads: int = -1


@dataclass(frozen=True)
class Verdict:
    """What answers say about the theories.

    Attributes:
        verdict: a theory's name, ``"none of these"``, ``"mixed"`` or ``"undecided"``.
        best: the theory with the largest likelihood, and `second` the next one.
        lead: of the best theory over the second, in nats.
        needed: the number of questions that would decide, if the verdict is "undecided".
        p_value: of the best theory against the free models; None if it was not tested.
        improvement: by set of columns, twice the gain in log-likelihood of the free model.
        sharpness: of the best theory, logits a coin.
        lapse: the share of careless answers, by the best theory's fit.
        log_likelihoods: by theory, in nats.
        families: by family, the theory that fits it best; given if the verdict is "mixed".
        weights: by family, the weight of each number, logits a unit; given if the verdict is "none of these".
        resamples: how many were drawn.
        dispersion: of answers that are probabilities, relative to choices.
    """

    verdict: str
    best: str
    second: str | None = None
    lead: float = 0.0
    needed: int | None = None
    p_value: float | None = None
    improvement: Mapping[str, float] = field(default_factory=dict)
    sharpness: float = 0.0
    lapse: float = 0.0
    log_likelihoods: Mapping[str, float] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    resamples: int = 0
    dispersion: float = 1.0


def checked_answers(questions: Sequence[Question], chosen: ArrayLike) -> Floats:
    """Return answers as probabilities, [questions]; raises SettingError if they do not fit the questions."""
    try:
        answers = np.asarray(chosen, float)
    except (TypeError, ValueError):
        raise SettingError(
            "got answers that are not numbers; expected 0, 1 or a probability for each question"
        ) from None
    if answers.shape != (len(questions),) or not len(questions):
        raise SettingError(
            f"got answers of shape {answers.shape} to {len(questions)} questions; expected one answer for each question"
        )
    if not ((answers >= 0) & (answers <= 1)).all():
        wrong = answers[~((answers >= 0) & (answers <= 1))][0]
        raise SettingError(f"got the answer {wrong:g}; expected 1 or the probability of the second option")
    if len({question.part for question in questions}) > 1:
        raise SettingError("got questions of several parts; expected those of one part, judged by itself")
    return answers


def are_choices(answers: Floats) -> bool:
    """Whether all answers are 0 or 1."""
    return bool(((answers == 0) | (answers == 1)).all())


def dispersion_of(answers: Floats, chances: Floats, parameters: int) -> float:
    """The mean square of standardized residuals of probabilities; 1 for choices."""
    if are_choices(answers):
        return 1.0
    chances = np.clip(chances, LEAST_CHANCE, 1 - LEAST_CHANCE)
    residual = float(((answers - chances) ** 2 / (chances * (1 - chances))).sum())
    return min(max(residual / max(len(answers) - parameters, 1), LEAST_DISPERSION), 1.0)


def families_of(questions: Sequence[Question]) -> Floats:
    """One-hot families, [questions, families]."""
    names = family_names(questions)
    return np.array([[float(question.family == name) for name in names] for question in questions])


def family_names(questions: Sequence[Question]) -> list[str]:
    return list(dict.fromkeys(question.family for question in questions))


def gains_of(questions: Sequence[Question], theory: str) -> Floats:
    """The gains of the second options by a theory, [questions]."""
    return np.array([question.gains[theory] for question in questions], float)


def simple_model(tastes: Floats, *features: Floats) -> Model:
    """A model of tastes and features that are not pulled to 0."""
    columns = np.column_stack([tastes, *features])
    ridge = np.full(columns.shape[1], LOOSE)
    ridge[: tastes.shape[1]] = TASTE_RIDGE
    return Model(columns[None], ridge)


def theories_of(questions: Sequence[Question], pessimisms: Sequence[float] = ()) -> list[Theory]:
    """The theories of a part; of pessimists those of the given β."""
    tastes, part = families_of(questions), questions[0].part
    extra = log(len(questions)) / 2
    if part == "caution":
        simple = [BAYES, MOST_LIKELY, *(f"{PESSIMIST}={value:g}" for value in pessimisms)]
        theories = [
            Theory(name, simple_model(tastes, gains_of(questions, name)), gains_of(questions, name)) for name in simple
        ]
        theories = [replace(theory, penalty=extra) if PESSIMIST in theory.name else theory for theory in theories]
        return [*theories, _thompson(questions, tastes)]
    if part == "care":
        own = gains_of(questions, OWN)
        criteria = [name for name in questions[0].gains if name != OWN]
        carers = [
            Theory(
                name, simple_model(tastes, own, gains_of(questions, name)), own + gains_of(questions, name), extra, -2
            )
            for name in criteria
        ]
        return [Theory(OWN, simple_model(tastes, own), own), *carers]
    names = IDENTITIES if part == "identity" else tuple(questions[0].gains)
    return [Theory(name, simple_model(tastes, gains_of(questions, name)), gains_of(questions, name)) for name in names]


def _thompson(questions: Sequence[Question], tastes: Floats) -> Theory:
    weights = np.array([question.numbers["weights"] for question in questions], float)
    gains = np.array([question.numbers["asking_gains"] for question in questions], float)
    columns = np.stack([np.column_stack([tastes, column]) for column in gains.T])
    ridge = np.array([TASTE_RIDGE] * tastes.shape[1] + [LOOSE])
    return Theory(THOMPSON, Model(columns, ridge, weights.T), (weights * gains).sum(1))


def judge(
    questions: Sequence[Question], chosen: ArrayLike, *, seed: int = 1, tests: int = 1, resamples: int = RESAMPLES
) -> Verdict:
    """Judge which theory the answers follow, if any.

    Args:
        questions: of one part, such as `scenarios.profile.questions.draw_identity` draws.
        chosen: for each question 1 if the second option was chosen, the one whose gains the question lists; 0 if not;
            or the probability of that.
        seed: of the resamples.
        tests: how many verdicts share the level of 5 %.
        resamples: at most so many; fewer are drawn if the verdict is clear earlier.

    Raises:
        SettingError: If the answers do not fit the questions.
    """
    answers = checked_answers(questions, chosen)
    with single_thread():
        return Judge(questions, answers, seed, tests, resamples).verdict()


def single_thread() -> AbstractContextManager[Any]:
    """Compute with one thread: matrices are small, and on a busy machine threads wait longer than they compute."""
    limited: AbstractContextManager[Any] = ThreadpoolController().limit(limits=1)
    return limited


class Judge:
    """Judges answers to questions of one part."""

    def __init__(
        self, questions: Sequence[Question], answers: Floats, seed: int = 1, tests: int = 1, resamples: int = RESAMPLES
    ) -> None:
        self.questions, self.answers, self.seed, self.resamples = list(questions), answers, seed, resamples
        self.error = (1 - LEVEL) / tests
        self.tastes = families_of(questions)
        self.terms = terms_of_all(tuple(questions))
        self.alone = fit_logits(simple_model(self.tastes), answers[None], lapses=False)
        pessimisms: Sequence[float] = ()
        if questions[0].part == "caution":
            pessimisms = [best_pessimism(questions, answers)]
        self.theories = theories_of(questions, pessimisms)
        self.fits = [fit_logits(theory.model, answers[None]) for theory in self.theories]
        self.dispersion = self._dispersion()

    def verdict(self) -> Verdict:
        order = self._order()
        if not order or 2 * self._rise(order[0]) < chi2.isf(self.error / len(self.theories), 1):
            return self._unexplained()
        best, *others = order
        if self.theories[best].name == OWN:  # a part of every other theory of care, so none can be excluded
            others = []
        lead = (self._score(best) - self._score(others[0])) / self.dispersion if others else np.inf
        needed = log(max(len(self.theories) - 1, 1) / self.error)
        close = [place for place in others if (self._score(best) - self._score(place)) / self.dispersion < needed]
        tested = self.test(self.theories[best], self.fits[best])
        verdict = self._about(best, others[0] if others else None, lead, tested)
        p_value = tested[0]
        if p_value <= self.error:
            if any(self.test(self.theories[place], self.fits[place])[0] > self.error for place in close):
                return replace(verdict, verdict=UNDECIDED, needed=self._needed(best, close[0], needed))
            return self._rejected(verdict)
        if close:
            return replace(verdict, verdict=UNDECIDED, needed=self._needed(best, close[0], needed))
        return verdict

    def _order(self) -> list[int]:
        """Theories whose gains raise the log-odds, best first."""
        positive = [
            place
            for place, (theory, fit) in enumerate(zip(self.theories, self.fits, strict=True))
            if fit.weights[0, theory.leads] > 0
        ]
        return sorted(positive, key=lambda place: (-round(self._score(place), 6), place))

    def _score(self, place: int) -> float:
        return float(self.fits[place].score[0]) - self.theories[place].penalty

    def _rise(self, place: int) -> float:
        return (self._score(place) - float(self.alone.score[0])) / self.dispersion

    def _unexplained(self) -> Verdict:
        """No theory explains more than tastes: open only if the questions could not have shown it."""
        best = max(range(len(self.theories)), key=lambda place: round(self._score(place), 6))
        gains = self.theories[best].gains
        centered = gains - self.tastes @ (self.tastes.T @ gains / self.tastes.sum(0))
        shown = SHARPNESS_TO_SHOW**2 * float(centered @ centered) / 4
        wanted = (np.sqrt(chi2.isf(self.error / len(self.theories), 1)) + np.sqrt(chi2.isf(0.1, 1))) ** 2
        verdict = self._about(best, None, 0.0, (None, {}, 0))
        if shown < wanted:
            needed = ceil(len(self.questions) * wanted / max(shown, BESIDE))
            return replace(verdict, verdict=UNDECIDED, needed=needed)
        return replace(verdict, verdict=NONE, weights=self.free_weights())

    def _about(
        self, best: int, second: int | None, lead: float, tested: tuple[float | None, Mapping[str, float], int]
    ) -> Verdict:
        p_value, improvement, drawn = tested
        fit = self.fits[best]
        return Verdict(
            verdict=self.theories[best].name,
            best=self.theories[best].name,
            second=None if second is None else self.theories[second].name,
            lead=float(min(lead, 1e6)),
            p_value=p_value,
            improvement=improvement,
            sharpness=float(fit.weights[0, self.theories[best].leads]),
            lapse=float(fit.lapse[0]),
            log_likelihoods={
                theory.name: float(one.log_likelihood[0]) for theory, one in zip(self.theories, self.fits, strict=True)
            },
            resamples=drawn,
            dispersion=self.dispersion,
        )

    def _needed(self, best: int, second: int, lead: float) -> int:
        """The number of questions after which the lead is expected to be significant, if the best theory is true."""
        one, other = self.fits[best].chances[0], self.fits[second].chances[0]
        rate = float(np.mean(one * np.log(one / other) + (1 - one) * np.log((1 - one) / (1 - other)))) / self.dispersion
        return max(ceil(lead / max(rate, BESIDE)), len(self.questions) + 1)

    def _rejected(self, verdict: Verdict) -> Verdict:
        """Mixed if each family follows a theory, but not all the same one."""
        names, places = family_names(self.questions), []
        for column in self.tastes.T:
            rows = np.flatnonzero(column)
            scores = [self._family_score(theory, rows) for theory in self.theories]
            places.append(int(np.argmax(scores)))
        none = replace(verdict, verdict=NONE, weights=self.free_weights())
        if len(set(places)) < 2 or self.questions[0].part != "identity":
            return none

        def by_family(chosen: Sequence[int]) -> Theory:
            columns = [
                self.theories[place].gains[:, None] * column[:, None]
                for place, column in zip(chosen, self.tastes.T, strict=True)
            ]
            gains = sum(column[:, 0] for column in columns)
            return Theory(MIXED, simple_model(self.tastes, *columns), np.asarray(gains))

        together = [self.theories.index(theory) for theory in self.theories if theory.name == verdict.best] * len(names)
        apart = by_family(places)
        fit = fit_logits(apart.model, self.answers[None])
        lead = (
            float(fit.score[0] - fit_logits(by_family(together).model, self.answers[None]).score[0]) / self.dispersion
        )
        if lead < log(len(self.theories) ** len(names) / self.error):
            return none
        if self.test(apart, fit)[0] <= self.error:
            return none
        families = {name: self.theories[place].name for name, place in zip(names, places, strict=True)}
        return replace(verdict, verdict=MIXED, families=families)

    def _family_score(self, theory: Theory, rows: Any) -> float:
        """How well a theory fits the answers of a family; −∞ if its gains lower the log-odds."""
        fit = fit_logits(simple_model(np.ones((len(rows), 1)), theory.gains[rows]), self.answers[None, rows])
        return round(float(fit.score[0]), 6) if fit.weights[0, -1] > 0 else -np.inf

    def free_weights(self) -> dict[str, dict[str, float]]:
        """The weight of each number in each family, logits a unit."""
        weights = {}
        for name, column in zip(family_names(self.questions), self.tastes.T, strict=True):
            rows = np.flatnonzero(column)
            numbers = [flat_numbers(self.questions[row]) for row in rows]
            table = np.array([list(row.values()) for row in numbers])
            scale = np.maximum(table.std(0), BESIDE)
            model = simple_model(np.ones((len(rows), 1)), (table - table.mean(0)) / scale)
            model = replace(model, ridge=np.full(len(model.ridge), FREE_RIDGE))
            fit = fit_logits(model, self.answers[None, rows])
            weights[name] = dict(zip(numbers[0], (fit.weights[0, 1:] / scale).tolist(), strict=True))
        return weights

    def _dispersion(self) -> float:
        """1 for choices; less for probabilities, by the richest free model of the best theory."""
        if are_choices(self.answers):
            return 1.0
        order = sorted(range(len(self.theories)), key=lambda place: -self.fits[place].score[0])
        theory, fit = self.theories[order[0]], self.fits[order[0]]
        sets = self.columns_of(theory, fit)
        columns = orthonormal(self.tastes, np.column_stack([sets[name] for name in ("weights", "shapes", "rules")]))
        free = fit_logits(theory.model.extended(columns, FREE_RIDGE), self.answers[None])
        return dispersion_of(self.answers, free.chances[0], columns.shape[1] + theory.model.columns.shape[-1])

    def columns_of(self, theory: Theory, fit: Fits) -> dict[str, Floats]:
        """The sets of free columns, orthonormal beside the tastes."""
        sharpness = float(fit.weights[0, theory.leads])
        sets = free_columns(self.questions, self.terms, theory.name, theory.gains.tolist(), sharpness)
        return {name: orthonormal(self.tastes, np.array(columns).T) for name, columns in sets.items() if columns}

    def test(self, theory: Theory, fit: Fits) -> tuple[float, dict[str, float], int]:
        """The p-value of a theory against the free models, the statistics, and the number of resamples."""
        sets = self.columns_of(theory, fit)
        twice = float(fit.lapse[0]) > FEW_LAPSES
        observed = self.statistics(theory, sets, self.answers[None], fit, twice)
        drawn = {name: np.zeros(0) for name in observed}
        rng = np.random.default_rng(self.seed)
        count = 0
        while True:
            size = min(BLOCK, self.resamples - count)
            rows = self._draw(fit.chances, size, rng)
            start = (np.repeat(fit.weights, size, 0), np.repeat(fit.lapse, size))
            again = fit_logits(theory.model, rows, start)
            for name, values in self.statistics(theory, sets, rows, again, twice).items():
                drawn[name] = np.concatenate([drawn[name], values])
            count += size
            own, others = surprises(observed, drawn)
            beyond = int((others >= own - BESIDE).sum())
            p_value = (1 + beyond) / (count + 1)
            low = float(beta_distribution.ppf(CLEAR, beyond, count - beyond + 1)) if beyond else 0.0
            far = own > float(others.max()) + FAR and p_value <= self.error
            if count >= self.resamples or low > self.error or far:
                return p_value, {name: float(value[0]) for name, value in observed.items()}, count

    def _draw(self, chances: Floats, size: int, rng: np.random.Generator) -> Floats:
        chances = np.repeat(chances, size, 0)
        if self.dispersion >= 1:
            return (rng.random(chances.shape) < chances).astype(float)
        strength = 1 / self.dispersion - 1
        return np.clip(rng.beta(chances * strength, (1 - chances) * strength), 0, 1)

    def statistics(
        self, theory: Theory, sets: Mapping[str, Floats], rows: Floats, fit: Fits, twice: bool
    ) -> dict[str, Floats]:
        """Twice the gain in log-likelihood by each set of columns, and how alike neighboring residuals are."""
        careful = None
        if twice:  # the free model may explain what looked careless
            careful = fit_logits(theory.model, rows, (fit.weights, fit.lapse), lapses=False)
        statistics = {}
        for name, columns in sets.items():
            model = theory.model.extended(columns, FREE_RIDGE)
            scores = []
            for first in (fit, careful):
                if first is not None:
                    weights = np.concatenate([first.weights, np.zeros((len(rows), columns.shape[1]))], 1)
                    scores.append(fit_logits(model, rows, (weights, first.lapse), FREE_STEPS).score)
            statistics[name] = 2 * np.maximum(np.max(scores, 0) - fit.score, 0) / self.dispersion
        residuals = np.clip(
            (rows - fit.chances) / np.sqrt(fit.chances * (1 - fit.chances)), -MOST_RESIDUAL, MOST_RESIDUAL
        )
        if rows.shape[1] > 2:
            statistics[STREAKS] = (residuals[:, 1:] * residuals[:, :-1]).sum(1) ** 2 / rows.shape[1]
        return statistics


def surprises(observed: Mapping[str, Floats], drawn: Mapping[str, Floats]) -> tuple[float, Floats]:
    """The largest standardized statistic, observed and by resample.

    Cube roots are standardized, by the resamples' means and deviations: those of χ² are nearly normal (Wilson and
    Hilferty 1931).
    """
    own, others = [LEAST_SURPRISE], [np.full(len(next(iter(drawn.values()))), LEAST_SURPRISE)]
    for name, values in drawn.items():
        roots = np.cbrt(values)
        mean, deviation = float(roots.mean()), float(roots.std())
        if deviation > BESIDE:
            own.append((float(np.cbrt(observed[name][0])) - mean) / deviation)
            others.append((roots - mean) / deviation)
    return max(own), np.asarray(np.max(others, 0))


def orthonormal(tastes: Floats, columns: Floats) -> Floats:
    """Columns with the same span beside the tastes, orthogonal, with a mean square of 1."""
    columns = columns - tastes @ ((tastes.T @ columns) / tastes.sum(0)[:, None])
    sizes = np.linalg.norm(columns, axis=0)
    columns = columns[:, sizes > BESIDE] / sizes[sizes > BESIDE]
    kept: list[Floats] = []
    for column in columns.T:
        for _ in range(2):
            if kept:
                basis = np.array(kept)
                column = column - (basis @ column) @ basis
        size = float(np.linalg.norm(column))
        if size > NEARLY:
            kept.append(column / size)
    return np.asarray(np.array(kept).reshape(-1, len(tastes)).T * np.sqrt(len(tastes)))


NEARLY = 1e-4
"""A scaled column that is left with less, after what others explain, adds nothing."""


def terms_of_all(questions: tuple[Question, ...]) -> tuple[Terms, ...]:
    return tuple(terms_of(question) for question in questions)


STEP = 0.01
PESSIMISMS = np.round(np.arange(0, 1, STEP), 2)
"""Candidates for the pessimism β."""


def pessimists(questions: Sequence[Question], answers: Floats) -> tuple[Floats, Fits]:
    """Fits of every second β."""
    candidates = PESSIMISMS[::2]
    tastes = families_of(questions)
    columns = np.array([np.column_stack([tastes, gains_of(questions, f"{PESSIMIST}={beta:g}")]) for beta in candidates])
    model = Model(columns[:, None], simple_model(tastes, tastes[:, 0]).ridge)
    return candidates, fit_logits(model, answers[None])


def best_pessimism(questions: Sequence[Question], answers: Floats) -> float:
    """The β with the largest likelihood; the middle of a plateau."""
    candidates, fits = pessimists(questions, answers)
    scores = np.where(fits.weights[:, -1] > 0, fits.score, -np.inf)
    if not np.isfinite(scores).any():
        return float(candidates[0])
    plateau = candidates[scores >= scores.max() - BESIDE]
    return float(plateau[len(plateau) // 2])
