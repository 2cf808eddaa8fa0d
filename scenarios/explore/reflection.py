"""The self-reflection view: every agent next to its reality check, environment by environment, from stored totals.

Those of deep agents are the stored runs of Table 2 (`scenarios.self_reflection.stored_totals`). Those of tabular agents
are in ``tabular_totals.csv``, in the same form; ``python -m scenarios.explore.reflection`` runs them and writes the
file again.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from extenv.battery import BATTERY
from extenv.measuring.measurement import PUBLISHED_STEPS, Measurement
from scenarios.explore.views import ReplayedView
from scenarios.self_reflection.measuring import TABLE_AGENTS, agent_factory, totals, with_checks
from scenarios.self_reflection.stored_totals import stored_measurements, whole_seeds, with_seeds

TABULAR = Path(__file__).with_name("tabular_totals.csv")
COLUMNS = ("agent", "environment", "opposite", "seed", "total")
SEEDS = (1, 2, 3, 4, 5)


@cache
def _stored() -> dict[str, Any]:
    stored = stored_measurements(TABULAR) | stored_measurements()
    return {
        "steps": PUBLISHED_STEPS,
        "environments": list(BATTERY),
        "agents": [_agent(measurement) for measurement in stored.values()],
    }


def _agent(measurement: Measurement) -> dict[str, Any]:
    """An agent's measure over whole seeds, and the mean of an environment and its opposite for each."""
    whole = with_seeds(measurement, whole_seeds(measurement))
    means = defaultdict[str, list[float]](list)
    for score in whole.scores:
        means[score.environment].append(score.mean_reward)
    return {
        "name": measurement.agent,
        "seeds": len(whole.seeds),
        "measure": round(whole.mean, 5),
        "means": [round(fmean(means[name]), 5) for name in BATTERY],
    }


VIEW = ReplayedView({}, _stored, _stored)


def _runs() -> Iterator[tuple[str, str, int, int, str]]:
    """Run the tabular agents and their reality checks; yield a row for each run."""
    for agent in with_checks(TABLE_AGENTS):
        for seed in SEEDS:
            for name, both in totals(agent_factory(agent), BATTERY, PUBLISHED_STEPS, seed, agent).items():
                for opposite, total in enumerate(both):
                    yield agent, name, opposite, seed, f"{total:g}"


def write() -> None:
    """Run the tabular agents and write their totals."""
    with TABULAR.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_runs())


if __name__ == "__main__":
    write()
