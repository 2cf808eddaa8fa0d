"""Standard errors, confidence intervals, and verdicts from intervals.

A share of n independent trials has the exact interval of Clopper and Pearson (1934). It also covers the mean share of
trials that come from several given classes, each with its own probability: the number of successes then varies less
than a binomial one. A mean has Student's interval. A mean over random classes, each with several lives, is bootstrapped
in two stages, over the classes and over the lives of each.
"""

import math
from collections.abc import Iterable
from functools import cache
from statistics import stdev
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multislot.checks import whole

__all__ = [
    "bootstrap",
    "bounded_student",
    "class_bootstrap",
    "clopper_pearson",
    "mean_and_error",
    "standard_error",
    "student",
    "together",
    "verdict",
]

CONFIDENCE = 0.95
ROUNDING = 1e-12
RESAMPLES = 2000
UNDECIDED = "not decided"

Interval: TypeAlias = tuple[float, float]


def standard_error(values: ArrayLike) -> float:
    """Return the sample deviation divided by √n; NaN for fewer than two values."""
    data = np.asarray(values, dtype=float)
    return stdev(data.tolist()) / math.sqrt(len(data)) if len(data) > 1 else math.nan


def mean_and_error(values: ArrayLike) -> tuple[float, float]:
    """Return a mean and its standard error; the error is 0 for a single value and for values equal up to rounding."""
    data = np.asarray(values, dtype=float)
    error = standard_error(data)
    return float(data.mean()), error if error > ROUNDING * np.abs(data).max() else 0.0


def student(values: ArrayLike) -> Interval:
    """Return Student's 95% confidence interval of a mean: of width 0 for equal values, NaN for a single value."""
    from scipy.stats import t

    data = np.asarray(values, dtype=float)
    if len(data) < 2:
        return math.nan, math.nan
    mean, error = mean_and_error(data)
    reach = error * float(t.ppf((1 + CONFIDENCE) / 2, len(data) - 1))
    return mean - reach, mean + reach


def bounded_student(values: ArrayLike, least: float, most: float) -> Interval:
    """Return Student's confidence interval of a mean, widened by the values that may not have been seen.

    The n values are independent, and none is below `least` or above `most`. Equal values do not vary, but a rare value
    may not have been seen: one of probability p is missed n times with probability ``(1−p)^n``.
    """
    data = np.asarray(values, dtype=float)
    mean, unseen = float(data.mean()), clopper_pearson(0, len(data))[1]
    low, high = student(data)
    return float(np.fmin(low, mean - unseen * (mean - least))), float(np.fmax(high, mean + unseen * (most - mean)))


def clopper_pearson(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact confidence interval of a probability (Clopper and Pearson 1934)."""
    trials = whole("trials", trials, 0)
    successes = whole("successes", successes, 0, trials)
    return _exact_interval(successes, trials, confidence) if trials else (0.0, 1.0)


@cache
def _exact_interval(successes: int, trials: int, confidence: float) -> Interval:
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(confidence, method="exact")
    return float(interval.low), float(interval.high)


def normal_error(interval: Interval) -> float:
    """Return the standard error at which a normal distribution has an interval of this width."""
    from scipy.stats import norm

    return (interval[1] - interval[0]) / (2 * float(norm.ppf((1 + CONFIDENCE) / 2)))


def bootstrap(
    values: ArrayLike, generator: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper end of the mean's percentile-bootstrap interval, each of shape [...].

    The first axis of the values, [n, ...], is resampled in the same way for all other axes. The interval stays within
    the range of the values. For few values it is too narrow: for five normal ones the nominal 95% interval covers the
    mean about 84 times in 100.
    """
    data = np.asarray(values, dtype=float)
    drawn = generator.integers(len(data), size=(resamples, len(data)))
    return _ends(data[drawn].mean(axis=1))


def class_bootstrap(values: ArrayLike) -> Interval:
    """Return the two-stage bootstrap interval of the mean of values [C, L], L lives of each of C random classes.

    The draws are always the same.
    """
    data = np.asarray(values, dtype=float)
    generator = np.random.default_rng(0)
    classes = generator.integers(len(data), size=(RESAMPLES, len(data)))
    lives = generator.integers(data.shape[1], size=(*classes.shape, data.shape[1]))
    low, high = _ends(data[classes[:, :, None], lives].mean(axis=(1, 2)))
    return float(low), float(high)


def _ends(resampled: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return low, high


def verdict(interval: Interval, target: float, below: str, above: str) -> str:
    """Return `below` or `above` if an interval lies wholly on that side of a target, otherwise `UNDECIDED`."""
    low, high = interval
    if high <= target:
        return below
    return above if low > target else UNDECIDED


def together(verdicts: Iterable[str], claim: str, opposite: str) -> str:
    """Return the verdict on a claim about all cases: one opposite refutes it, one undecided case leaves it open."""
    different = set(verdicts)
    if opposite in different:
        return opposite
    return claim if different == {claim} else UNDECIDED
