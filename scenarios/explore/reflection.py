"""The self-reflection view: every agent next to its reality check, environment by environment, from stored totals.

``totals.csv`` holds one row a run, as ``scenarios/self_reflection/measured_totals.csv`` does: agent, environment,
opposite or not, seed, total reward over 100,000 steps. Runs take hours, so that they are stored; ``python -m
scenarios.explore.reflection`` writes the file anew.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from extenv.battery import BATTERY
from extenv.measurement import PUBLISHED_STEPS
from scenarios.explore.asking import checked_keys
from scenarios.self_reflection.measuring import OPPOSITE, TABLE_AGENTS, agent_factory, label, totals

STORED = Path(__file__).with_name("totals.csv")
COLUMNS = ("agent", "environment", "opposite", "seed", "total")
SEEDS = (1, 2, 3, 4, 5)


def reply(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measure of every agent, and its part from every environment; there is nothing to ask for.

    Raises:
        UnknownNameError: something is asked for.
    """
    checked_keys(asked, ())
    return _stored()


@cache
def _stored() -> dict[str, Any]:
    by_cell: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    with STORED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            by_cell[row["agent"], row["environment"]][int(row["seed"])].append(float(row["total"]) / PUBLISHED_STEPS)
    agents = list(dict.fromkeys(agent for agent, _ in by_cell))
    return {
        "steps": PUBLISHED_STEPS,
        "environments": list(BATTERY),
        "agents": [_agent(agent, [by_cell[agent, name] for name in BATTERY]) for agent in agents],
    }


def _agent(name: str, cells: Iterable[Mapping[int, list[float]]]) -> dict[str, Any]:
    """Return an agent's measure over whole seeds, and the mean of an environment and its opposite for each."""
    found = list(cells)
    seeds = [seed for seed in found[0] if all(len(cell.get(seed, ())) == 2 for cell in found)]
    means = [fmean(fmean(cell[seed]) for seed in seeds) for cell in found]
    return {"name": name, "seeds": len(seeds), "measure": round(fmean(means), 5), "means": [round(m, 5) for m in means]}


def recorded() -> list[dict[str, Any]]:
    """Return every request that the view can ask, for pages that replay."""
    return [{}]


def _runs() -> Iterator[tuple[str, str, int, int, float]]:
    """Run the tabular agents and their reality checks; yield a row for each run."""
    for agent in TABLE_AGENTS:
        for checked in (False, True):
            for seed in SEEDS:
                for name, total in totals(agent_factory(agent, checked), BATTERY, PUBLISHED_STEPS, seed, agent).items():
                    opposite = name.startswith(OPPOSITE)
                    yield label(agent, checked), name.removeprefix(OPPOSITE), int(opposite), seed, float(total)


def write(deep: Path) -> None:
    """Write the stored totals: those of the tabular agents from new runs, those of the deep ones from a file."""
    with deep.open(newline="", encoding="utf-8") as file:
        known = [tuple(row[column] for column in COLUMNS) for row in csv.DictReader(file)]
    with STORED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((*row[:4], f"{row[4]:g}") for row in _runs())
        writer.writerows(known)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
