"""What it takes to use a Gymnasium or PettingZoo environment here: observations and actions as indices, and seeds."""

from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from gymnasium.spaces import Discrete, Space

from extenv.checks import is_index
from multislot.errors import SettingError
from multislot.stream import Stream

LARGEST_SEED = 2**31


class Encoder(Protocol):
    """Anything callable that turns an observation into an index in ``range(n_observations)``."""

    @property
    def n_observations(self) -> int:
        """How many indices there are."""
        ...

    def __call__(self, observation: Any, /) -> int:
        """Return the index of `observation`."""
        ...


@dataclass(frozen=True)
class Shift:
    """The encoder of a discrete space that starts at `start`."""

    n_observations: int
    start: int = 0

    def __call__(self, observation: Any) -> int:
        """Return the index of `observation`."""
        return int(observation) - self.start


@dataclass(frozen=True)
class Bins:
    """Cuts a box into equal bins along each axis; what lies outside falls into the outermost bin.

    Attributes:
        low: where the first bin begins, one number an axis.
        high: where the last bin ends.
        counts: how many bins; 1 ignores the axis.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.counts or any(getattr(count, "__index__", None) is None for count in self.counts):
            raise SettingError(
                f"got counts={self.counts}; expected a whole number of bins for every axis, at least one axis"
            )
        if not len(self.low) == len(self.high) == len(self.counts):
            lengths = f"{len(self.low)}, {len(self.high)} and {len(self.counts)}"
            raise SettingError(f"got low, high and counts of {lengths} entries; expected one entry an axis in each")
        if any(not low < high for low, high in zip(self.low, self.high, strict=True)) or min(self.counts) < 1:
            raise SettingError(f"got {self}; expected low < high and at least one bin along every axis")

    @property
    def n_observations(self) -> int:
        """The number of bins in all."""
        return prod(self.counts)

    def __call__(self, observation: Any) -> int:
        """Return the index of the bin that `observation`, shape [axes], lies in.

        Raises:
            SettingError: it has another shape, or a number in it is NaN.
        """
        low, high, counts = np.array(self.low), np.array(self.high), np.array(self.counts)
        point = np.atleast_1d(np.asarray(observation, dtype=float))
        if point.shape != low.shape or np.isnan(point).any():
            raise SettingError(f"got observation {observation!r}; expected {len(counts)} numbers, none of them NaN")
        places = np.clip((point - low) / (high - low) * counts, 0, counts - 1).astype(int)
        return int(np.ravel_multi_index(tuple(places), self.counts))


def encoder_of(space: Space[Any], whose: str, given: Encoder | None) -> Encoder:
    """Return the encoder given, or the one that a discrete space needs.

    Raises:
        SettingError: if none was given and the space is not discrete.
    """
    if given is not None:
        return given
    if not isinstance(space, Discrete):
        raise SettingError(
            f"the observations of {whose} are {space}, not Discrete; give an encoder, such as "
            "extenv.encoders.Bins(low, high, counts), that turns them into indices"
        )
    return Shift(int(space.n), int(space.start))


def index_of(encoder: Encoder, observation: Any, whose: str) -> int:
    """Return the index of an observation.

    Raises:
        SettingError: the encoder gives none of ``range(n_observations)``.
    """
    index = encoder(observation)
    if not is_index(index, encoder.n_observations):
        raise SettingError(
            f"the encoder of {whose} makes {index!r} of {observation!r}; expected one of "
            f"range({encoder.n_observations}), its n_observations"
        )
    return int(index)


def discrete_actions(space: Space[Any], whose: str) -> Discrete:
    """Return `space` if it is discrete.

    Raises:
        SettingError: if it is not, for instance if actions are continuous.
    """
    if not isinstance(space, Discrete):
        raise SettingError(
            f"the actions of {whose} are {space}; only Discrete ones can be played by copies of the agent: "
            "wrap the environment so that it offers a finite list of actions"
        )
    return space


def seed_at(stream: Stream, index: int) -> int:
    """Return number `index` of a stream as a seed."""
    return int(stream.at(index) * LARGEST_SEED)
