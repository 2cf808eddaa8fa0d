"""Weights of the members of a class in the log domain: priors, posteriors, and draws from them.

Members are world-models or mentor-models; `Weighed` is what the posteriors over both share.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from multislot.bayes.arrays import ROUNDING, Floats, as_floats
from multislot.checks import refusal

Posteriors = TypeVar("Posteriors", bound="Weighed")


@dataclass(frozen=True, eq=False)
class LogWeights:
    """Weights of K members.

    Attributes:
        log: [K], up to a constant, the largest is 0; −∞ for members that are refuted.
    """

    log: Floats

    @classmethod
    def of(cls, prior: Floats) -> "LogWeights":
        """Return the weights of a prior, [K]."""
        return cls(np.log(prior))

    @cached_property
    def normalised(self) -> Floats:
        """[K], the weights; they sum to 1."""
        unnormalised: Floats = np.exp(self.log - self.log.max())
        weights: Floats = unnormalised / unnormalised.sum()
        return weights

    def updated(self, likelihoods: ArrayLike) -> "LogWeights | None":
        """Return the weights after an observation.

        Args:
            likelihoods: [K], the probability that each member gives to the observation.

        Returns:
            None if every member that is left gives it probability 0.
        """
        with np.errstate(divide="ignore"):
            log: Floats = self.log + np.log(likelihoods)
        return None if log.max() == -np.inf else LogWeights(log - log.max())


class Weighed:
    """Base of the posteriors: weights of the members, what each member knows of the history, and steps observed.

    Attributes:
        summaries: what each member needs to know of the history; meaningless for members that are refuted.
        steps: number of steps observed.
    """

    summaries: list[Hashable]
    steps: int
    _weights: LogWeights

    @property
    def log_weights(self) -> Floats:
        """[K], up to a constant; −∞ for members that are refuted."""
        return self._weights.log

    @property
    def weights(self) -> Floats:
        """[K], the posterior."""
        return self._weights.normalised

    def __deepcopy__(self: Posteriors, memo: dict[int, object]) -> Posteriors:
        return self.copy()

    def copy(self: Posteriors) -> Posteriors:
        """A posterior that has learned the same and learns apart."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.summaries = list(self.summaries)
        return copied


def checked_prior(prior: ArrayLike | None, count: int, what: str) -> Floats:
    """Return a prior over ``count`` members, uniform where None."""
    if not count:
        raise refusal(what, (), "at least one")
    weights = np.full(count, 1 / count) if prior is None else as_floats("prior", prior)
    if weights.shape != (count,):
        raise refusal("prior", weights.tolist(), f"shape {(count,)}, one number for each of the {what}")
    if not (weights > 0).all():
        index = int(np.argmin(weights > 0))
        raise refusal(f"prior[{index}]", float(weights[index]), "more than 0", "leave out what is impossible")
    if not abs(weights.sum() - 1) <= ROUNDING:
        raise refusal("prior", weights.tolist(), "numbers that sum to 1")
    return weights


def draw(weights: Floats, chance: float) -> int:
    """Return the index that a number in [0, 1) draws from weights [K]; an index of weight 0 is never drawn."""
    total = list(accumulate(weights.tolist()))
    index = bisect_right(total, chance * total[-1])
    return index if index < len(total) else bisect_left(total, total[-1])
