"""The verdict on a subject's answers: a theory's name, or that none fits, that families differ, or that it is open.

A theory is named only if

1. it explains significantly more than tastes alone;
2. it is not rejected, nor would be if this were the only verdict: nothing explains its misses significantly
   (`scenarios.profile.misses`), and the subject switches within `MOST_BIAS` coins of where the theory does;
3. its lead over the second theory is significant.

Answers may be probabilities. They scatter less than choices; log-likelihoods are then divided by their dispersion.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2

from multislot.checks import checked_items, whole, wrong_type
from multislot.errors import SettingError
from scenarios.profile.alternatives import (
    LEVEL,
    LOOSE,
    MIXED,
    MOST_BIAS,
    NONE,
    SHARPNESS_TO_SHOW,
    TASTE_RIDGE,
    UNDECIDED,
    bounded_need,
    flat_numbers,
    shown_by,
)
from scenarios.profile.logits import Fit, Floats, Model, fit_logits, weigh
from scenarios.profile.misses import BESIDE, Theory, are_choices, compare_misses, judge_misses
from scenarios.profile.questions import Question

RESAMPLES = 400
FREE_RIDGE = 0.1
"""Free weights, of columns scaled to a mean square of 1, have a prior with a deviation of about 3 logits."""
OWN = "own"
BAYES, MOST_LIKELY, THOMPSON, PESSIMIST = "bayes", "most-likely", "thompson", "pessimist"


@dataclass(frozen=True)
class Verdict:
    """What answers say about the theories.

    Attributes:
        verdict: a theory's name, ``"none of these"``, ``"mixed"`` or ``"undecided"``.
        best: the theory with the largest likelihood, and `second` the next one.
        lead: of the best theory over the second, in nats.
        needed: how many questions would decide, if the verdict is "undecided"; None if none of this kind would.
        p_value: of the test that could reject the best theory; None if it was not tested.
        rival: what explains these misses best; "a liking for an option" if the subject switches elsewhere.
        sharpness: of the best theory, logits a coin.
        lapse: the share of careless answers, by the best theory's fit.
        log_likelihoods: by theory, in nats.
        families: by family, the theory that fits it best, such as ``"sta"``, or several whose gains are proportional
            there, as ``"cpy or sum"``; given if the verdict is "mixed".
        weights: by family, the weight of each number, logits a unit; given if the verdict is "none of these".
        dispersion: of answers that are probabilities, relative to choices.
    """

    verdict: str
    best: str
    second: str | None = None
    lead: float = 0.0
    needed: int | None = None
    p_value: float | None = None
    rival: str | None = None
    sharpness: float = 0.0
    lapse: float = 0.0
    log_likelihoods: Mapping[str, float] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    dispersion: float = 1.0


def checked_answers(questions: Sequence[Question], chosen: ArrayLike) -> Floats:
    """Return answers as probabilities, [questions]; raises SettingError if they do not fit the questions."""
    try:
        given: Any = np.ma.asarray(chosen)  # a masked answer is missing
        if any(isinstance(answer, str | bytes) for answer in given.flat):
            raise TypeError  # NumPy would read texts in an array of objects as numbers
        answers: Floats = given.astype(float, casting="unsafe" if given.dtype == object else "same_kind").filled(np.nan)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last one of a tensor that requires a gradient
        remedy = "give a list or an array of numbers; a tensor as tensor.detach().numpy()"
        raise wrong_type("chosen", chosen, "0, 1 or a probability for each question", remedy) from None
    if answers.shape != (len(questions),) or not len(questions):
        raise SettingError(
            f"got answers of shape {answers.shape} to {len(questions)} questions; expected one answer for each question"
        )
    wrong = answers[~((answers >= 0) & (answers <= 1))]
    if len(wrong):
        remedy = "; divide percentages by 100" if wrong[0] > 1 else ""
        raise SettingError(f"got the answer {wrong[0]}; expected 1 or the probability of the second option{remedy}")
    if len({question.part for question in questions}) > 1:
        raise SettingError("got questions of several parts; expected those of one part, judged by itself")
    return answers


def families_of(questions: Sequence[Question]) -> Floats:
    """One-hot families, [families, questions]."""
    names = family_names(questions)
    return np.array([[float(question.family == name) for question in questions] for name in names])


def family_names(questions: Sequence[Question]) -> list[str]:
    return list(dict.fromkeys(question.family for question in questions))


def gains_of(questions: Sequence[Question], theory: str) -> Floats:
    """The gains of the second options by a theory, [questions]."""
    return np.array([question.gains[theory] for question in questions], float)


def simple_model(tastes: Floats, *features: Floats) -> Model:
    """A model of tastes and features that are not pulled to 0."""
    ridge = [TASTE_RIDGE] * len(tastes) + [LOOSE] * len(features)
    return Model((np.array([*tastes, *features]),), np.array(ridge))


def theories_of(questions: Sequence[Question], answers: Floats) -> list[Theory]:
    """The theories of a part; of pessimists the one that fits best."""
    tastes, part = families_of(questions), questions[0].part
    extra = log(len(questions)) / 2

    def theory(name: str, *columns: Floats, **settings: Any) -> Theory:
        return Theory(name, simple_model(tastes, *columns), np.asarray(sum(columns)), **settings)

    if part == "caution":
        simple = [theory(name, gains_of(questions, name)) for name in (BAYES, MOST_LIKELY)]
        candidates, fits = pessimists(questions, answers)
        scores = np.array([fit.score if fit.weights[-1] > 0 else -np.inf for fit in fits])
        name = f"{PESSIMIST}={middle_of_plateau(candidates, scores):g}"
        return [*simple, theory(name, gains_of(questions, name), penalty=extra), _thompson(questions, tastes)]
    if part == "care":
        own = gains_of(questions, OWN)
        criteria = [name for name in questions[0].gains if name != OWN]
        carers = [theory(name, own, gains_of(questions, name), penalty=extra, leads=-2) for name in criteria]
        return [theory(OWN, own), *carers]
    return [theory(name, gains_of(questions, name)) for name in questions[0].gains]


def _thompson(questions: Sequence[Question], tastes: Floats) -> Theory:
    weights = np.array([question.numbers["weights"] for question in questions], float)
    gains = np.array([question.numbers["asking_gains"] for question in questions], float)
    models = [simple_model(tastes, column) for column in gains.T]
    mixed = Model(tuple(model.components[0] for model in models), models[0].ridge, tuple(weights.T))
    return Theory(THOMPSON, mixed, (weights * gains).sum(1))


def checked_resamples(resamples: int, tests: int) -> int:
    """The number of resamples; refused if the least p value, ``1 / (resamples + 1)``, could not reject a theory."""
    least = round(whole("tests", tests) / (1 - LEVEL)) - 1
    return whole("resamples", resamples, least, remedy="with fewer no misses could reject a theory")


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
        resamples: how many are drawn; at least ``20 * tests - 1``, or no misses could reject a theory.

    Raises:
        SettingError: If the answers do not fit the questions, or a setting is refused.
    """
    asked = checked_items("questions", questions, Question)
    resamples = checked_resamples(resamples, tests)
    return Judge(asked, checked_answers(asked, chosen), whole("seed", seed, 0), tests, resamples).verdict()


class Judge:
    """Judges answers to questions of one part."""

    def __init__(
        self, questions: Sequence[Question], answers: Floats, seed: int = 1, tests: int = 1, resamples: int = RESAMPLES
    ) -> None:
        self.questions, self.answers, self.seed, self.resamples = list(questions), answers, seed, resamples
        self.error = (1 - LEVEL) / tests
        self.tastes = families_of(questions)
        self.alone = fit_logits(simple_model(self.tastes), answers, lapses=False)
        self.theories = theories_of(questions, answers)
        self.fits = [fit_logits(theory.model, answers) for theory in self.theories]
        self.dispersion = 1.0
        if not are_choices(answers):
            best = max(range(len(self.fits)), key=lambda place: (round(self.fits[place].score, 6), -place))
            compared = compare_misses(questions, answers, self.theories[best], self.fits[best])
            self.dispersion = float(compared.dispersions(answers[None])[0])

    def verdict(self) -> Verdict:
        order = self._order()
        least = chi2.isf(self.error / len(self.theories), 1)
        if not order or 2 * (self._score(order[0]) - self.alone.score) / self.dispersion < least:
            return self._unexplained()
        best, *others = order
        if self.theories[best].name == OWN:  # a part of every other theory of care, so none can be excluded
            others = []
        lead = (self._score(best) - self._score(others[0])) / self.dispersion if others else np.inf
        needed = log(max(len(self.theories) - 1, 1) / self.error)
        close = [place for place in others if (self._score(best) - self._score(place)) / self.dispersion < needed]
        p_value, rival = self.test(self.theories[best], self.fits[best])
        second = self.theories[others[0]].name if others else None
        verdict = replace(self._about(best), second=second, lead=float(min(lead, 1e6)), p_value=p_value, rival=rival)
        rejected = p_value <= self.error
        if rejected and all(self.test(self.theories[place], self.fits[place])[0] <= self.error for place in close):
            return self._rejected(verdict)
        if close:
            return replace(verdict, verdict=UNDECIDED, needed=self._needed(best, close[0], needed))
        if p_value <= 1 - LEVEL:
            # With twice as many questions, a deviate that is nearly significant grows by √2, and becomes significant.
            return replace(verdict, verdict=UNDECIDED, needed=2 * len(self.questions))
        return verdict

    def _order(self) -> list[int]:
        """Theories whose gains raise the log-odds, best first."""
        positive = [place for place, fit in enumerate(self.fits) if fit.weights[self.theories[place].leads] > 0]
        return sorted(positive, key=lambda place: -round(self._score(place), 6))

    def _score(self, place: int) -> float:
        return self.fits[place].score - self.theories[place].penalty

    def _unexplained(self) -> Verdict:
        """No theory explains more than tastes: open only if the questions could not have shown it."""
        best = max(range(len(self.theories)), key=lambda place: round(self._score(place), 6))
        gains = self.theories[best].gains
        centered = gains - (self.tastes @ gains / self.tastes.sum(1)) @ self.tastes
        shown = shown_by(SHARPNESS_TO_SHOW * gain for gain in centered.tolist())
        wanted = (np.sqrt(chi2.isf(self.error / len(self.theories), 1)) + np.sqrt(chi2.isf(0.1, 1))) ** 2
        verdict = self._about(best)
        if shown < wanted:
            needed = ceil(len(self.questions) * wanted / max(shown, BESIDE))
            return replace(verdict, verdict=UNDECIDED, needed=bounded_need(needed))
        return replace(verdict, verdict=NONE, weights=self.free_weights())

    def _about(self, best: int) -> Verdict:
        """The theory that fits best, with its fit."""
        fit = self.fits[best]
        return Verdict(
            verdict=self.theories[best].name,
            best=self.theories[best].name,
            sharpness=float(fit.weights[self.theories[best].leads]),
            lapse=fit.lapse,
            log_likelihoods={
                theory.name: one.log_likelihood for theory, one in zip(self.theories, self.fits, strict=True)
            },
            dispersion=self.dispersion,
        )

    def _needed(self, best: int, second: int, lead: float) -> int | None:
        """The number of questions after which the lead is expected to be significant, if the best theory is true."""
        one, other = self.fits[best].chances, self.fits[second].chances
        rate = float(np.mean(one * np.log(one / other) + (1 - one) * np.log((1 - one) / (1 - other)))) / self.dispersion
        return bounded_need(max(ceil(lead / max(rate, BESIDE)), len(self.questions) + 1))

    def _rejected(self, verdict: Verdict) -> Verdict:
        """Mixed if each family follows a theory, but not all the same one."""
        names, places = family_names(self.questions), []
        for column in self.tastes:
            rows = np.flatnonzero(column)
            scores = [self._family_score(theory, rows) for theory in self.theories]
            places.append(int(np.argmax(scores)))
        none = replace(verdict, verdict=NONE, weights=self.free_weights())
        if len(set(places)) < 2 or self.questions[0].part != "identity":
            return none

        def by_family(chosen: Sequence[int]) -> Theory:
            columns = [self.theories[place].gains * column for place, column in zip(chosen, self.tastes, strict=True)]
            return Theory(MIXED, simple_model(self.tastes, *columns), np.asarray(sum(columns)))

        together = [self.theories.index(theory) for theory in self.theories if theory.name == verdict.best] * len(names)
        apart = by_family(places)
        fit = fit_logits(apart.model, self.answers)
        lead = (fit.score - fit_logits(by_family(together).model, self.answers).score) / self.dispersion
        if lead < log(len(self.theories) ** len(names) / self.error):
            return none
        if self.test(apart, fit)[0] <= self.error:
            return none
        families = {}
        for name, place, column in zip(names, places, self.tastes, strict=True):
            gains = np.array([theory.gains * column for theory in self.theories])
            lengths = np.sqrt((gains**2).sum(1))
            proportional = gains @ gains[place] >= (1 - BESIDE) * lengths * lengths[place]
            families[name] = " or ".join(self.theories[same].name for same in np.flatnonzero(proportional))
        return replace(verdict, verdict=MIXED, families=families)

    def _family_score(self, theory: Theory, rows: Any) -> float:
        """How well a theory fits the answers of a family; −∞ if its gains lower the log-odds."""
        fit = fit_logits(simple_model(np.ones((1, len(rows))), theory.gains[rows]), self.answers[rows])
        return round(fit.score, 6) if fit.weights[-1] > 0 else -np.inf

    def free_weights(self) -> dict[str, dict[str, float]]:
        """The weight of each number in each family, logits a unit."""
        weights = {}
        for name, column in zip(family_names(self.questions), self.tastes, strict=True):
            rows = np.flatnonzero(column)
            numbers = [flat_numbers(self.questions[row]) for row in rows]
            table = np.array([list(row.values()) for row in numbers])
            scale = np.maximum(table.std(0), BESIDE)
            columns = np.array([np.ones(len(rows)), *((table - table.mean(0)) / scale).T])
            fit = fit_logits(Model((columns,), np.full(len(columns), FREE_RIDGE)), self.answers[rows])
            weights[name] = dict(zip(numbers[0], (fit.weights[1:] / scale).tolist(), strict=True))
        return weights

    def test(self, theory: Theory, fit: Fit) -> tuple[float, str]:
        """Test a theory by its misses, and by where it switches: the p value, and what explains the misses best."""
        compared = compare_misses(self.questions, self.answers, theory, fit)
        missed = judge_misses(compared, self.answers, self.dispersion, self.seed, self.resamples)
        return min(self._bias(theory, fit), missed) if self.questions[0].part == "identity" else missed

    def _bias(self, theory: Theory, fit: Fit) -> tuple[float, str]:
        """The p value of tastes worth at most `MOST_BIAS` coins, where larger ones fit better; by Bonferroni."""
        tastes, sharpness = np.split(fit.weights, [len(self.tastes)])  # one sharpness, or one for each family
        if sharpness.min() <= 0:
            return 0.0, "the opposite in a family"
        bounded = np.clip(tastes / sharpness, -MOST_BIAS, MOST_BIAS)
        parts = self.tastes if len(sharpness) > 1 else np.ones_like(self.tastes[:1])
        model = Model((parts * (bounded @ self.tastes + theory.gains),), np.full(len(parts), LOOSE))
        # Where few answers are uncertain, a fit may end early; it is at least as good as without a change.
        same = weigh(model, self.answers, sharpness, fit.lapse)
        again = max(same, fit_logits(model, self.answers), key=lambda one: one.score)
        gain = 2 * (fit.log_likelihood - again.log_likelihood) / self.dispersion
        return len(tastes) * float(chi2.sf(gain, 1)), "a liking for an option"


STEP = 0.01
PESSIMISMS = np.round(np.arange(0, 1, STEP), 2)
"""Candidates for the pessimism β."""


def pessimists(questions: Sequence[Question], answers: Floats) -> tuple[Floats, list[Fit]]:
    """Fits of every second β."""
    candidates, tastes = PESSIMISMS[::2], families_of(questions)
    models = [simple_model(tastes, gains_of(questions, f"{PESSIMIST}={beta:g}")) for beta in candidates]
    return candidates, [fit_logits(model, answers) for model in models]


def middle_of_plateau(candidates: Floats, scores: Floats) -> float:
    """The best candidate; the middle one of those that are equally likely."""
    plateau = candidates[scores >= scores.max() - BESIDE]
    return float(plateau[len(plateau) // 2])
