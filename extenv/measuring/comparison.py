"""Two agents on the same environments and seeds: differences with intervals.

Runs are paired: both agents meet the same environment with the same streams. The difference is taken run by run, and
the seeds are resampled (percentile bootstrap). With few seeds the bootstrap is too narrow: with five, its nominal 95%
interval of normal differences covers the truth about 84 times in 100. Student's interval next to it covers the truth
95 times if differences are normal; it needs two seeds.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from extenv.measuring.measurement import Measurement
from multislot.drawing.showing import whole_table
from multislot.errors import SettingError, WrongTypeError, show_value
from multislot.statistics import bootstrap, student

if TYPE_CHECKING:
    import pandas as pd

RESAMPLES = 10_000


@dataclass(frozen=True)
class Difference:
    """The difference of two agents' rewards per step: second − first.

    Attributes:
        environment: its name, for the mean with its opposite if both were run; ``"measure"`` for the whole measure.
        difference: reward per step.
        low: lower end of the nominal 95% percentile-bootstrap interval over seeds, too narrow for few of them.
        high: upper end.
        t_low: lower end of Student's 95% interval, for few seeds; NaN for one.
        t_high: upper end.
    """

    environment: str
    difference: float
    low: float
    high: float
    t_low: float
    t_high: float


@dataclass(frozen=True, repr=False)
class Comparison:
    """The paired comparison of two measurements."""

    first: str
    second: str
    overall: Difference
    by_environment: tuple[Difference, ...]

    def table(self) -> "pd.DataFrame":
        """Return the differences as rows, the whole measure last; the heading of their column names both agents."""
        rows = whole_table([asdict(difference) for difference in (*self.by_environment, self.overall)])
        return rows.rename(columns={"difference": f"{self.second} - {self.first}"})

    def __repr__(self) -> str:
        whole = self.overall
        interval = f"95% interval {whole.t_low:+.4f} to {whole.t_high:+.4f} (Student)"
        if whole.t_low <= 0 <= whole.t_high:
            interval += ", which contains 0: undecided"
        if math.isnan(whole.t_low):
            interval = "1 seed: no interval"
        return f"{self.second} - {self.first}: {whole.difference:+.4f}, {interval}; see .table()"


def compare(first: Measurement, second: Measurement, seed: int = 0) -> Comparison:
    """Compare two agents: second − first.

    With few seeds, such as five, use Student's interval: the bootstrap's is then too narrow for 95%.

    Args:
        first: the measurement of one agent.
        second: the measurement of another, over the same environments, seeds and steps.
        seed: of the resampling.
    """
    measurements: dict[str, object] = {"first": first, "second": second}
    for name, measurement in measurements.items():
        if not isinstance(measurement, Measurement):
            agent = getattr(measurement, "__name__", "agent")
            expected = f"a Measurement; give what extenv.measure({agent}) returns"
            raise WrongTypeError(f"got {name}={show_value(measurement)}; expected {expected}")
    runs = [[(s.environment, s.opposite, s.seed) for s in m.scores] for m in (first, second)]
    if runs[0] != runs[1] or first.steps != second.steps or first.weights != second.weights:
        raise SettingError(
            f"{first.agent} and {second.agent} were not measured over the same runs; give both the same steps, seeds, "
            "environments and weights"
        )
    generator = np.random.default_rng(seed)
    differences = []
    for name in first.weights:
        paired = [[s.mean_reward for s in m.scores if s.environment == name] for m in (first, second)]
        by_run = np.subtract(paired[1], paired[0]).reshape(len(first.seeds), -1)
        differences.append(difference(name, by_run.mean(axis=1).tolist(), generator))
    gains = [second.by_seed[seed] - first.by_seed[seed] for seed in first.seeds]
    return Comparison(first.agent, second.agent, difference("measure", gains, generator), tuple(differences))


def difference(environment: str, differences: Sequence[float], generator: np.random.Generator) -> Difference:
    """Compute the mean of `differences`, one per seed, with its bootstrap and its Student's interval."""
    low, high = bootstrap(differences, generator, RESAMPLES)
    return Difference(environment, float(np.mean(differences)), float(low), float(high), *student(differences))
