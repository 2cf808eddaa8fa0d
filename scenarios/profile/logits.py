"""Logistic fits with careless answers, many at once.

A subject takes the second option with probability `lapse/2 + (1 − lapse) Σₖ mixingₖ σ(columnsₖ · weights)`: with the
chance `lapse` it answers carelessly. Most models have one component; Thompson sampling has one for each model of the
world. Weights have normal priors, without which the fit of a subject that never errs would be infinite. The
maximum is found by Fisher scoring with shortened steps, for all rows of answers together.
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
STEPS = 30
LARGEST_STEP = 6.0
"""In logits of a question."""
SHORTENINGS = 5
TOLERANCE = 1e-6
SMALLEST = 1e-12


@dataclass(frozen=True)
class Fits:
    """Fits of rows of answers.

    Attributes:
        score: log-likelihood with the priors, in nats, [rows].
        log_likelihood: without the priors, [rows].
        weights: of the columns, [rows, columns].
        lapse: the share of careless answers, [rows].
        chances: of the second options, [rows, questions].
    """

    score: Floats
    log_likelihood: Floats
    weights: Floats
    lapse: Floats
    chances: Floats


@dataclass(frozen=True)
class Model:
    """Columns with priors.

    Attributes:
        columns: [components, questions, columns], or [rows, 1, questions, columns] if they differ by row.
        ridge: inverse variances of the priors, [columns].
        mixing: of the components, [components, questions]; None for one component.
    """

    columns: Floats
    ridge: Floats
    mixing: Floats | None = None


class _Surface:
    """The likelihood of a model, its slope and its expected curvature."""

    def __init__(self, model: Model, chosen: Floats, offset: Floats | float) -> None:
        self.columns, self.ridge, self.chosen, self.offset = model.columns, model.ridge, chosen, offset
        self.mixing = np.ones((1, 1)) if model.mixing is None else model.mixing
        self.places = np.triu_indices(self.columns.shape[-1])
        single = self.columns.ndim == 3 and self.columns.shape[0] == 1
        self.flat = self.columns[0] if single else None
        self.products = self.flat[:, self.places[0]] * self.flat[:, self.places[1]] if self.flat is not None else None

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Forget the other rows, which have converged."""
        self.chosen = self.chosen[rows]
        if self.columns.ndim == 4 and len(self.columns) > 1:
            self.columns = self.columns[rows]
        if isinstance(self.offset, np.ndarray):
            self.offset = self.offset[rows]

    def at(self, weights: Floats, lapse: Floats) -> tuple[Floats, Floats, Floats]:
        """The score, the chances of careful answers and of all answers."""
        self.parts = expit(self.logits(weights) + self.offset)
        careful = (self.mixing * self.parts).sum(1)
        chances = np.clip(lapse[:, None] / 2 + (1 - lapse[:, None]) * careful, SMALLEST, 1 - SMALLEST)
        score = likelihoods(chances, self.chosen) - (self.ridge * weights**2).sum(1) / 2
        return score, careful, chances

    def logits(self, weights: Floats) -> Floats:
        """The logits by the columns, [rows, components, questions]."""
        if self.flat is not None:
            return np.asarray((weights @ self.flat.T)[:, None, :])
        if self.columns.ndim == 3:
            return np.asarray(np.einsum("knp,rp->rkn", self.columns, weights))
        return np.asarray(np.matmul(self.columns, weights[:, None, :, None])[..., 0])

    def slopes(self, weights: Floats, lapse: Floats) -> tuple[Floats, Floats]:
        """The gradient and the expected curvature, lapse last: [rows, columns + 1], [rows, columns + 1, …]."""
        _, careful, chances = self.at(weights, lapse)
        rows, size = weights.shape
        precision = 1 / (chances * (1 - chances))
        pull = (self.chosen - chances) * precision
        steep = (1 - lapse)[:, None, None] * self.mixing * self.parts * (1 - self.parts)
        careless = 0.5 - careful
        curvature = np.zeros((rows, size + 1, size + 1))
        gradient = np.empty((rows, size + 1))
        if self.flat is not None and self.products is not None:
            steep = steep[:, 0]
            upper = (steep**2 * precision) @ self.products
            curvature[:, self.places[0], self.places[1]] = upper
            curvature[:, self.places[1], self.places[0]] = upper
            gradient[:, :size] = (steep * pull) @ self.flat
            curvature[:, :size, size] = (steep * precision * careless) @ self.flat
        else:
            columns = self.columns if self.columns.ndim == 4 else self.columns[None]
            moves = (steep[..., None] * columns).sum(1)
            turned = moves.transpose(0, 2, 1)
            curvature[:, :size, :size] = np.matmul(turned, precision[:, :, None] * moves)
            gradient[:, :size] = np.matmul(turned, pull[:, :, None])[:, :, 0]
            curvature[:, :size, size] = np.matmul(turned, (precision * careless)[:, :, None])[:, :, 0]
        gradient[:, :size] -= self.ridge * weights
        diagonal = np.arange(size)
        curvature[:, diagonal, diagonal] += self.ridge + 1e-6
        curvature[:, size, :size] = curvature[:, :size, size]
        gradient[:, size] = (pull * careless).sum(1)
        curvature[:, size, size] = (careless**2 * precision).sum(1) + LOOSE
        return gradient, curvature


def likelihoods(chances: Floats, chosen: Floats) -> Floats:
    """Log-likelihoods of rows of answers, in nats; cross-entropies where the answers are probabilities."""
    return np.asarray((chosen * np.log(chances) + (1 - chosen) * np.log1p(-chances)).sum(1))


def fit_logits(
    model: Model,
    chosen: Floats,
    start: tuple[Floats, Floats] | None = None,
    steps: int = STEPS,
    lapses: bool = True,
    offset: Floats | float = 0.0,
) -> Fits:
    """Fit a model to rows of answers.

    Args:
        model: with its priors.
        chosen: 1 for the second option, or its probability, [rows, questions].
        start: weights [rows, columns] and lapses [rows].
        steps: at most so many.
        lapses: whether there are careless answers.
        offset: added to the logits, [rows, 1, questions].
    """
    rows, size = len(chosen), model.columns.shape[-1]
    if model.columns.ndim == 4:
        rows = max(rows, len(model.columns))
    rows = max(rows, len(offset)) if isinstance(offset, np.ndarray) else rows
    chosen = np.broadcast_to(chosen, (rows, chosen.shape[1]))
    weights, lapse = (np.zeros((rows, size)), np.full(rows, FIRST_LAPSE)) if start is None else start
    lapse = lapse if lapses else np.zeros(rows)
    weights, lapse = weights.copy(), lapse.copy()
    surface = _Surface(model, chosen, offset)
    score, _, chances = surface.at(weights, lapse)
    active = np.arange(rows)
    for _ in range(steps):
        now, now_lapse, before = weights[active], lapse[active], score[active]
        gradient, curvature = surface.slopes(now, now_lapse)
        last = gradient[:, size]
        held = ((now_lapse <= 0) & (last <= 0)) | ((now_lapse >= MOST_LAPSES) & (last >= 0)) | (not lapses)
        curvature[held, :size, size] = curvature[held, size, :size] = gradient[held, size] = 0
        step: Floats = np.asarray(np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0], float)
        reach = np.abs(surface.logits(step[:, :size])).max((1, 2))
        length = np.minimum(1, LARGEST_STEP / np.maximum(reach, TOLERANCE))
        for _ in range(SHORTENINGS):
            moved = now + length[:, None] * step[:, :size]
            moved_lapse = np.clip(now_lapse + length * step[:, size], 0, MOST_LAPSES) if lapses else now_lapse
            value, _, moved_chances = surface.at(moved, moved_lapse)
            worse = value < before - TOLERANCE
            if not worse.any():
                break
            length = np.where(worse, length / 4, length)
        better = active[~worse]
        weights[better], lapse[better] = moved[~worse], moved_lapse[~worse]
        chances[better], score[better] = moved_chances[~worse], value[~worse]
        going = ~worse & (value - before > TOLERANCE)
        if not going.any():
            break
        active = active[going]
        surface.keep(going)
    return Fits(score, likelihoods(chances, chosen), weights, lapse, chances)
