"""Do the answers that a theory does not explain have something in common?

The misses of a theory are what remains of the answers after its fit. They are compared

- with each rival rule (`scenarios.profile.alternatives`): does the rule tilt the answers, or does it give a share of
  them?
- with the *free model*, which has a taste and a weight for each number of each family: does it fit better?
- with each other: do questions that are alike, for example neighbors in the list, miss in the same direction, or in
  that of another theory?

These are score tests (Rao 1948): directions are made orthogonal to those in which the fit itself can move, so that a
resample needs no new fit. One level holds for all: by a parametric bootstrap, the largest statistic is compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import orth
from scipy.special import expit

from scenarios.profile.alternatives import (
    ALIKE,
    EXCESS,
    LEAST_INFORMED,
    LEAST_LAPSE,
    LEAST_LEFT,
    LEAST_SHARPNESS,
    MOST_SHARPNESS,
    Labels,
    compared_gains,
    flat_numbers,
    likenesses_of,
    rival_gains,
    scaled_numbers,
)
from scenarios.profile.logits import Fit, Floats, Model, moves_of
from scenarios.profile.questions import Question

LARGEST_TILT, TILTS = 2.5, 19
"""Tilts are sinh of evenly spaced numbers."""
LEAST_UNCERTAIN = 0.5
"""How probabilities scatter is estimated if the fit leaves so much: 1 is one answer that could be either."""
LEAST_DISPERSION, MOST_DISPERSION = 0.02, 0.99
"""Probabilities that are drawn anew, by a beta distribution, scatter less than choices."""
BESIDE = 1e-6
FREE = "free weights of the numbers"


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
class Comparisons:
    """What misses are compared with.

    Attributes:
        chances: of the second options, with at least `LEAST_LAPSE` careless answers, [questions].
        deviations: of the answers, [questions].
        names: of the directions, then of the likenesses.
        directions: of length 1, orthogonal to the fit's own, [directions, questions].
        sums: of misses in a direction, as expected where the answers are tilted in it, [directions, tilts].
        roots: signed, of twice the likelihood ratio of such a tilt, [directions, tilts].
        likenesses: of pairs of questions, orthogonal to the fit's own, [likenesses, questions, questions].
        own: orthonormal directions in which the fit moves, [own directions, questions].
        excess: what the variance of the answers' misses is divided by, see `EXCESS`.
    """

    chances: Floats
    deviations: Floats
    names: list[str]
    directions: Floats
    sums: Floats
    roots: Floats
    likenesses: Floats
    own: Floats
    excess: float

    def dispersions(self, answers: Floats) -> Floats:
        """How much rows of answers scatter, relative to choices, [rows]; probabilities scatter less.

        What similar questions share, and what the fit explains, is taken from the misses. Questions count by the
        variance of a choice: a miss where an answer is nearly certain says little.
        """
        unit = np.eye(len(self.chances))
        rough = (np.linalg.inv(unit + self.likenesses[0]) * self.deviations) @ (unit - self.own.T @ self.own)
        variance = float((rough**2).sum())
        if 4 * variance < LEAST_UNCERTAIN:
            return np.ones(len(answers))
        misses = (answers - self.chances) / self.deviations
        return np.asarray(np.clip(((misses @ rough.T) ** 2).sum(1) / variance, LEAST_DISPERSION, 1.0))

    def surprises(self, answers: Floats, dispersions: Floats) -> Floats:
        """The statistics of rows of answers as normal deviates, [rows, statistics].

        Squares and quadratic forms are nearly χ² times a scale; cube roots of χ² are nearly normal (Wilson and
        Hilferty 1931). In quadratic forms the squares of single misses are replaced by their mean: they vary a lot
        where an answer is nearly certain, and say nothing about pairs.
        """
        misses = (answers - self.chances) / (self.deviations * np.sqrt(dispersions)[:, None])
        sums = misses @ self.directions.T
        ratios = [np.interp(*parts) for parts in zip(sums.T, self.sums, self.roots, strict=True)]
        statistics, means = [np.square(np.reshape(ratios, (-1, len(misses)))).T], [np.ones(len(self.directions))]
        variances = [np.full(len(self.directions), 2.0)]
        # A fit explains a part of the answers, and would explain a part of resamples: single misses are without it.
        surplus = (misses - (misses @ self.own.T) @ self.own) ** 2 - 1
        for likeness in self.likenesses:
            own = np.diag(likeness)
            statistics.append((((misses @ likeness) * misses).sum(1) - surplus @ own)[:, None])
            means.append(own.sum()[None])
            variances.append(2 * ((likeness**2).sum() - (own**2).sum())[None])
        # Where the fit explains everything, nothing is left to compare: no statistic is divided by 0.
        mean = np.maximum(np.concatenate(means), BESIDE)
        spread = np.maximum(np.concatenate(variances) / (9 * mean**2), BESIDE)
        return np.asarray((np.cbrt(np.concatenate(statistics, 1) / mean) - (1 - spread)) / np.sqrt(spread))


def compare_misses(questions: Sequence[Question], answers: Floats, theory: Theory, fit: Fit) -> Comparisons:
    """Prepare the comparisons for a theory's fit."""
    lapse, sharpness = max(fit.lapse, LEAST_LAPSE), float(fit.weights[theory.leads])
    moves = moves_of(theory.model, fit, lapse)
    steep = moves[: len({question.family for question in questions})].sum(0)  # the families' tastes move all
    chances = lapse / 2 + (1 - lapse) * fit.careful
    deviations = np.sqrt(chances * (1 - chances))
    own = orth((moves / deviations).T, rcond=BESIDE).T
    scale = min(max(sharpness, LEAST_SHARPNESS), MOST_SHARPNESS)
    rivals = rival_gains(questions, theory.name)
    names, gains = [*rivals, *rivals], np.array(list(rivals.values()), float)
    # Rivals that tilt the answers, and rivals that give a share of them.
    table = np.vstack([steep * gains, expit(scale * gains) - fit.careful]) / deviations
    left = table - (table @ own.T) @ own
    size = np.sqrt((left**2).sum(1))
    informed = size**4 / np.maximum((left**4).sum(1), BESIDE**4)
    kept = np.flatnonzero((size > LEAST_LEFT * np.sqrt((table**2).sum(1))) & (informed >= LEAST_INFORMED))
    likenesses = dict(_likenesses(questions, theory.gains, sharpness))
    tilt = steep / deviations
    free = orth(np.vstack([own, np.array(scaled_numbers(questions)) * tilt]).T, rcond=BESIDE)
    likenesses[FREE] = free @ free.T
    others = table[np.isin(names, list(compared_gains(questions)))]
    others = others / np.sqrt((others**2).sum(1) + BESIDE)[:, None]
    for name, (labels, by_theories) in likenesses_of(questions, answers.tolist(), theory.name).items():
        likenesses[name] = _shared(labels) * (others.T @ others if by_theories else np.outer(tilt, tilt))
    for name, likeness in likenesses.items():
        half = likeness - own.T @ (own @ likeness)
        likenesses[name] = half - (half @ own.T) @ own
    directions = left[kept] / size[kept, None]
    tilted = [_tilt(direction, chances) for direction in directions / deviations]
    return Comparisons(
        chances,
        deviations,
        [*(names[place] for place in kept), *likenesses],
        directions,
        np.array([sums for sums, _ in tilted]),
        np.array([roots for _, roots in tilted]),
        np.array(list(likenesses.values())),
        own,
        1 + EXCESS * fit.lapse,
    )


def _tilt(direction: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """What tilts of the log-odds in a direction make of the sum of misses, and their likelihood ratios.

    Sums of misses are skewed where answers are nearly certain; the root of the likelihood ratio is nearly normal.
    """
    tilts = np.sinh(np.linspace(-LARGEST_TILT, LARGEST_TILT, TILTS))
    weighted = chances * np.exp(tilts[:, None] * direction)
    totals = weighted + (1 - chances)
    expected = float(direction @ chances)
    sums = (weighted / totals) @ direction - expected
    cumulants = np.log(totals).sum(1) - expected * tilts
    return sums, np.sign(tilts) * np.sqrt(np.maximum(2 * (tilts * sums - cumulants), 0))


def _shared(labels: Sequence[Labels]) -> Floats:
    """The sums of the products of shared labels' weights, [questions, questions]."""
    places = {label: place for place, label in enumerate({label: 0 for one in labels for label in one})}
    table = np.zeros((len(labels), len(places)))
    for row, one in zip(table, labels, strict=True):
        row[[places[label] for label in one]] = list(one.values())
    return table @ table.T


def _likenesses(questions: Sequence[Question], gains: Floats, sharpness: float) -> Iterator[tuple[str, Floats]]:
    """How alike two questions are: by their numbers, by the theory's gains, and as neighbors in the list."""
    families, scaled = np.array([question.family for question in questions]), np.array(scaled_numbers(questions))
    sizes = (scaled**2).sum(0)
    distances = (sizes[:, None] + sizes - 2 * scaled.T @ scaled) / [len(flat_numbers(one)) for one in questions]
    near = np.exp(-distances / (2 * ALIKE**2))
    yield "questions with similar numbers", np.where(families[:, None] == families, near, 0.0)
    logits = np.arcsinh(sharpness * gains)
    yield "questions with similar gains", np.exp(-((logits[:, None] - logits) ** 2) / (2 * ALIKE**2))
    places = np.arange(len(questions))
    yield "neighbors in the list", np.maximum(1 - np.abs(places[:, None] - places) / 2, 0)


def are_choices(answers: Floats) -> bool:
    """Whether all answers are 0 or 1."""
    return bool(((answers == 0) | (answers == 1)).all())


def judge_misses(
    comparisons: Comparisons, answers: Floats, dispersion: float, seed: int, resamples: int
) -> tuple[float, str]:
    """Return how often resamples from the fitted theory are as surprising as answers, and what explains these best."""
    rng = np.random.default_rng(seed)
    chances = np.repeat(comparisons.chances[None], resamples, 0)
    if are_choices(answers):
        drawn, dispersions = (rng.random(chances.shape) < chances).astype(float), np.ones(resamples)
    else:
        strength = 1 / min(dispersion, MOST_DISPERSION) - 1
        drawn = np.clip(rng.beta(chances * strength, (1 - chances) * strength), 0, 1)
        dispersions = comparisons.dispersions(drawn)
    own = comparisons.surprises(answers[None], np.array([dispersion * comparisons.excess]))[0]
    others = comparisons.surprises(drawn, dispersions).max(1)
    best = int(own.round(9).argmax())
    beyond = int((others >= own[best] - BESIDE).sum())
    return (1 + beyond) / (resamples + 1), comparisons.names[best]
