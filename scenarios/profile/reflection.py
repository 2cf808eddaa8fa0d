"""Self-reflection: reward in extended environments less that of the reality check (Alexander et al. 2021)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from extenv import BATTERY, SLOW, measure, reality_check
from multislot.engine.agent import AgentFactory
from multislot.statistics import Interval, student

STEPS, SEEDS = 500, 5


@dataclass(frozen=True)
class SelfReflection:
    """The measure of self-reflection less that of the reality check, paired by environment and seed.

    Attributes:
        gain: mean reward per step by which the subject exceeds its reality check.
        interval: 95 %, Student's over seeds; NaN for one seed.
        environments: the same by environment.
    """

    gain: float
    interval: Interval
    environments: "tuple[EnvironmentGain, ...]"


@dataclass(frozen=True)
class EnvironmentGain:
    """`SelfReflection` in one environment."""

    environment: str
    gain: float
    interval: Interval


def reflection_of(factory: AgentFactory) -> SelfReflection:
    """Measure the agents of a factory, and their reality checks with the same seeds."""
    environments = [name for name in BATTERY if name not in SLOW]
    settings: dict[str, Any] = {"steps": STEPS, "seeds": SEEDS, "environments": environments, "check_sharing": False}
    own, checked = measure(factory, **settings), measure(reality_check(factory), **settings)
    gains: dict[str, list[float]] = {}
    for name in environments:
        halves = [
            np.subtract(own.mean_rewards(name, opposite), checked.mean_rewards(name, opposite))
            for opposite in (False, True)
        ]
        gains[name] = np.mean(halves, axis=0).tolist()
    return pair_gains(gains)


def pair_gains(gains: Mapping[str, Sequence[float]]) -> SelfReflection:
    """Average gains by environment and seed."""
    by_seed = [fmean(of_seed) for of_seed in zip(*gains.values(), strict=True)]
    rows = tuple(EnvironmentGain(name, fmean(values), student(values)) for name, values in gains.items())
    return SelfReflection(fmean(by_seed), student(by_seed), rows)
