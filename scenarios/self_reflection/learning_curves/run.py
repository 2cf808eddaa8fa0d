"""``learning-curves``: the measure of self-reflection after more and more steps."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from extenv.battery import make
from multislot.statistics import ROUNDING, mean_and_error
from scenarios.self_reflection.learning_curves.settings import Settings
from scenarios.self_reflection.measuring import (
    BLIND,
    BatteryCell,
    battery_cells,
    label,
    met,
    totals_after,
    trained_by,
)
from scenarios.table import Measured

FIRST = 1000
A_DECADE = 2
"""Points of the curve in each tenfold of the steps."""

Result = dict[str, object]
Results = Sequence[tuple[BatteryCell, Result]]


def checkpoints(steps: int) -> list[int]:
    """Return after how many steps the measure is taken: 10³, 10^3.5, … and the last step."""
    points, exponent = [], 0
    while (point := round(FIRST * 10 ** (exponent / A_DECADE))) < steps:
        points.append(point)
        exponent += 1
    return [*points, steps]


def cells(settings: Settings) -> list[BatteryCell]:
    """Return a cell for every agent and reality check with every seed; deep ones environment by environment."""
    return battery_cells(settings.agents, settings.environments, settings.steps, settings.seeds, settings.trainer)


def run_cell(cell: BatteryCell) -> Result:
    """Return the sum over environments and opposites of the total reward at every checkpoint."""
    curves = [curve(cell, environment, opposite) for environment in cell.environments for opposite in (False, True)]
    return {"totals": [sum(totals) for totals in zip(*curves, strict=True)]}


def curve(cell: BatteryCell, environment: str, opposite: bool) -> list[float]:
    """Return the total reward of one run at every checkpoint."""
    world = make(met(cell.agent, environment))
    return totals_after(checkpoints(cell.steps), world, cell.factory(), cell.seed, opposite)


def measures(settings: Settings, results: Results, agent: str, checked: bool) -> list[list[float]]:
    """Return the measure at every checkpoint, one list a seed."""
    by_seed: dict[int, list[list[float]]] = {}
    for cell, result in results:
        if (cell.agent, cell.checked) == (agent, checked):
            by_seed.setdefault(cell.seed, []).append(result["totals"])  # type: ignore[arg-type]  # from JSON
    runs, points = 2 * len(settings.environments), checkpoints(settings.steps)
    return [
        [sum(totals) / (runs * point) for totals, point in zip(zip(*parts, strict=True), points, strict=True)]
        for parts in by_seed.values()
    ]


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the measure of every agent at every checkpoint."""
    rows = []
    for agent in settings.agents:
        for checked in (False, True):
            seeds = measures(settings, results, agent, checked)
            for point, values in zip(checkpoints(settings.steps), zip(*seeds, strict=True), strict=True):
                condition = f"{label(agent, checked)}, {point} steps, {settings.seeds} seeds"
                condition += trained_by(agent, settings.trainer)
                mean, error = mean_and_error(values)
                row = Measured("self-reflection measure", condition, mean + 0.0, error)
                rows.append(replace(row, paper=0.0, tolerance=ROUNDING) if agent in BLIND else row)
    return rows


def story(settings: Settings, results: Results) -> str:
    """Return where every agent begins and ends."""
    lines = []
    for agent in settings.agents:
        for checked in (False, True):
            found = measures(settings, results, agent, checked)
            first, last = (fmean(values[at] for values in found) for at in (0, -1))
            name, points = label(agent, checked), checkpoints(settings.steps)
            lines.append(f"{name}: {first:.4f} after {points[0]} steps, {last:.4f} after {points[-1]}")
    return "\n".join(lines)
