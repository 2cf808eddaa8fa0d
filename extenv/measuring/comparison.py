"""Two agents on the same environments and seeds: differences with intervals.

Runs are paired: both agents meet the same environment with the same streams. The difference is taken run by run.
Student's interval over the seeds covers the truth 95 times in 100 if differences are normal; it needs two seeds.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from extenv.measuring.measurement import Measurement, check_same_runs
from multislot.drawing.showing import whole_table
from multislot.errors import WrongTypeError, show_value
from multislot.statistics import student

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Difference:
    """The difference of two agents' rewards per step: second − first.

    Attributes:
        environment: its name, for the mean with its opposite if both were run; ``"measure"`` for the whole measure.
        difference: reward per step.
        t_low: lower end of Student's 95% interval over seeds; NaN for one.
        t_high: upper end.
    """

    environment: str
    difference: float
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


def compare(first: Measurement, second: Measurement) -> Comparison:
    """Compare two agents: second − first.

    Args:
        first: the measurement of one agent.
        second: the measurement of another, over the same environments, seeds and steps.
    """
    measurements: dict[str, object] = {"first": first, "second": second}
    for name, measurement in measurements.items():
        if not isinstance(measurement, Measurement):
            agent = getattr(measurement, "__name__", "agent")
            expected = f"a Measurement; give what extenv.measure({agent}) returns"
            raise WrongTypeError(f"got {name}={show_value(measurement)}; expected {expected}")
    check_same_runs(first, second)
    earned, theirs = ({(s.environment, s.opposite, s.seed): s.mean_reward for s in m.scores} for m in (first, second))
    differences = []
    for name in first.weights:
        by_run = np.reshape([theirs[run] - earned[run] for run in earned if run[0] == name], (len(first.seeds), -1))
        differences.append(difference(name, by_run.mean(axis=1).tolist()))
    gains = [second.by_seed[seed] - first.by_seed[seed] for seed in first.seeds]
    return Comparison(first.agent, second.agent, difference("measure", gains), tuple(differences))


def difference(environment: str, differences: Sequence[float]) -> Difference:
    """Compute the mean of `differences`, one per seed, with its Student's interval."""
    return Difference(environment, float(np.mean(differences)), *student(differences))
