"""How sure scenarios can be: confidence intervals, rows that carry them, verdicts that heed them.

A share of n independent lives has the exact interval of Clopper and Pearson (1934), also where lives are of several
given classes, each with a probability of its own: their number of successes scatters less than a binomial one, so that
the interval is on the safe side. What is said of random classes in general is resampled over the classes and, within
each, over its lives (a bootstrap of both stages).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta as beta_distribution
from scipy.stats import norm, t

from scenarios.table import UNDECIDED, Measured

CONFIDENCE = 0.95
ROUNDING = 1e-12
RESAMPLES = 2000
RESAMPLING_SEED = 0
WIDTH_IN_ERRORS = 2 * float(norm.ppf((1 + CONFIDENCE) / 2))

Ends = tuple[float, float]


def interval(successes: int, trials: int, confidence: float = CONFIDENCE) -> Ends:
    """Returns the exact confidence interval of a probability (Clopper and Pearson 1934)."""
    tail = (1 - confidence) / 2
    lower = float(beta_distribution.ppf(tail, successes, trials - successes + 1)) if successes else 0.0
    upper = float(beta_distribution.ppf(1 - tail, successes + 1, trials - successes)) if successes < trials else 1.0
    return lower, upper


def mean_and_error(values: ArrayLike) -> tuple[float, float]:
    """Returns a mean and its standard error; the error of fewer than two values, or of equal ones, is 0."""
    data = np.asarray(values, dtype=float)
    error = float(data.std(ddof=1) / np.sqrt(len(data))) if len(data) > 1 else 0.0
    return float(data.mean()), error if error > ROUNDING else 0.0


def mean_ends(values: ArrayLike) -> Ends:
    """Returns a confidence interval of a mean, Student's; of no width if all values are equal."""
    data = np.asarray(values, dtype=float)
    mean, error = mean_and_error(data)
    reach = error * float(t.ppf((1 + CONFIDENCE) / 2, max(len(data) - 1, 1)))
    return mean - reach, mean + reach


def bounded_mean_ends(values: ArrayLike, least: float, most: float) -> Ends:
    """Returns a confidence interval of a mean: Student's, and no closer to it than unseen values allow.

    Equal values have no scatter, but a value that comes seldom may not have been seen: one that comes with
    probability p is missed n times with probability ``(1−p)^n``.

    Args:
        values: [n], independent.
        least: no value is below it.
        most: no value is above it.
    """
    data = np.asarray(values, dtype=float)
    mean, unseen = float(data.mean()), interval(0, len(data))[1]
    low, high = mean_ends(data)
    return min(low, mean - unseen * (mean - least)), max(high, mean + unseen * (most - mean))


def over_classes(values: ArrayLike) -> Ends:
    """Returns a confidence interval of the mean over random classes: percentiles of a bootstrap of both stages.

    Args:
        values: [C, L], one for each life of each class.
    """
    data = np.asarray(values, dtype=float)
    rng = np.random.default_rng(RESAMPLING_SEED)
    classes = rng.integers(len(data), size=(RESAMPLES, len(data)))
    lives = rng.integers(data.shape[1], size=(*classes.shape, data.shape[1]))
    means = data[classes[:, :, None], lives].mean(axis=(1, 2))
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def share_over_classes(shares: ArrayLike) -> Ends:
    """Returns the same for shares, and nowhere closer to 0 or 1 than none, or all, of so many classes allow.

    Args:
        shares: [C, L], each in [0, 1].
    """
    data = np.asarray(shares, dtype=float)
    low, high = over_classes(data)
    none, every = interval(0, len(data)), interval(len(data), len(data))
    return min(low, every[0]), max(high, none[1])


def share_row(quantity: str, case: str, common: str, successes: int, trials: int) -> Measured:
    """Returns the row of a share of independent lives."""
    return ends_row(quantity, case, common, successes / trials, interval(successes, trials))


def ends_row(quantity: str, case: str, common: str, ours: float, ends: Ends) -> Measured:
    """Returns the row of a number with its interval; its standard error is that of a normal one as wide."""
    error = (ends[1] - ends[0]) / WIDTH_IN_ERRORS
    return Measured(quantity, _condition(case, common), ours, error, interval=ends, case=case)


def mean_row(quantity: str, case: str, common: str, values: Sequence[float]) -> Measured:
    """Returns the row of a mean with its standard error; without one if all values are equal."""
    mean, error = mean_and_error(values)
    return Measured(quantity, _condition(case, common), mean, error, case=case)


def plain_row(quantity: str, case: str, common: str, ours: float | str) -> Measured:
    """Returns the row of what is exact, or no number."""
    return Measured(quantity, _condition(case, common), ours, case=case)


def _condition(case: str, common: str) -> str:
    return f"{case}, {common}" if case else common


def verdict(ends: Ends, target: float, below: str, above: str) -> str:
    """Returns what an interval says about a target: wholly on one side of it, or not decided."""
    low, high = ends
    if high <= target:
        return below
    return above if low > target else UNDECIDED


def together(verdicts: Iterable[str], claim: str, opposite: str) -> str:
    """Returns what verdicts say about a claim that is made for all: one opposite is enough against it."""
    found = set(verdicts)
    if opposite in found:
        return opposite
    return claim if found == {claim} else UNDECIDED


def whiskers(mean: float, ends: Ends) -> NDArray[np.float64]:
    """Returns how far an interval reaches below and above the mean, [2, 1], as matplotlib wants it."""
    reach: NDArray[np.float64] = np.abs(np.array(ends) - mean)[:, None]
    return reach
