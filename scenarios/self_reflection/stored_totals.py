"""Stored totals of deep agents next to the released ones, and what their reality checks change.

``measured_totals.csv`` holds one row a run: agent, environment, opposite or not, seed, and the total reward over
100,000 steps, as ``multislot run self-reflection --full`` measures it with the one-hot trainer.
"""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from extenv.battery import BATTERY
from extenv.measuring.comparison import Comparison, compare
from extenv.measuring.measurement import PUBLISHED_SEEDS, PUBLISHED_STEPS, Measurement, Score
from multislot.drawing.showing import new_figure, whole_table
from multislot.statistics import student
from scenarios.lab.cells import Figure
from scenarios.self_reflection.measuring import DEEP, GAINS, LOSES, draw_gains, judge
from scenarios.self_reflection.released import count_equal, released_pairs

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "draw_effects",
    "measures",
    "reality_check_effects",
    "stored_measurements",
    "wins_and_losses",
]

MEASURED = Path(__file__).with_name("measured_totals.csv")
WEIGHTS = {name: 1.0 / len(BATTERY) for name in BATTERY}


def stored_measurements(path: Path = MEASURED) -> dict[str, Measurement]:
    """Every run that is stored, by agent; a cell may have more seeds than another."""
    scores: dict[str, list[Score]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            total = float(row["total"])
            score = Score(row["environment"], row["opposite"] == "1", int(row["seed"]), total, total / PUBLISHED_STEPS)
            scores.setdefault(row["agent"], []).append(score)
    return {
        agent: Measurement(agent, PUBLISHED_STEPS, tuple(own_scores), WEIGHTS) for agent, own_scores in scores.items()
    }


def whole_seeds(runs: Measurement) -> set[int]:
    """The seeds of which every environment and its opposite were run."""
    counts = [score.seed for score in runs.scores]
    return {seed for seed in runs.seeds if counts.count(seed) == 2 * len(BATTERY)}


def with_seeds(runs: Measurement, seeds: Iterable[int]) -> Measurement:
    """The runs of some seeds, ordered by seed, environment and opposite."""
    kept = set(seeds)
    scores = sorted(
        (score for score in runs.scores if score.seed in kept),
        key=lambda score: (score.seed, BATTERY.index(score.environment), score.opposite),
    )
    return Measurement(runs.agent, runs.steps, tuple(scores), runs.weights)


def measures(stored: Mapping[str, Measurement]) -> "pd.DataFrame":
    """For each deep agent its measure as released and here, with intervals, and how many totals are equal."""
    rows: list[dict[str, object]] = []
    for agent, runs in stored.items():
        seeds = whole_seeds(runs)
        first, whole = with_seeds(runs, PUBLISHED_SEEDS), with_seeds(runs, seeds)
        pairs = released_pairs(first)
        low, high = student(list(whole.by_seed.values()))
        rows.append(
            {
                "agent": agent,
                "released": round(fmean(released for _, released in pairs) / PUBLISHED_STEPS, 4),
                "ours, the same seeds": round(first.mean, 4),
                "ours, all seeds": round(whole.mean, 4),
                "95% interval": f"{low:.4f} to {high:.4f}",
                "seeds": len(seeds),
                "totals equal to the last digit": count_equal(pairs),
                "of": len(pairs),
            }
        )
    return whole_table(rows)


def reality_check_effects(stored: Mapping[str, Measurement]) -> dict[str, Comparison]:
    """For each deep agent what its reality check changes, environment by environment (with its opposite)."""
    effects = {}
    for agent in DEEP:
        plain, checked = stored[agent], stored[f"RC({agent})"]
        seeds = whole_seeds(plain) & whole_seeds(checked)
        effects[agent] = compare(with_seeds(plain, seeds), with_seeds(checked, seeds))
    return effects


def draw_effects(effects: Mapping[str, Comparison]) -> Figure:
    """A picture of what the reality check changes in each environment, with Student's 95% intervals."""
    figure = new_figure(11.0, 6.5)
    panels = figure.subplots(1, len(effects), sharey=True)
    for panel, (agent, effect) in zip(panels, effects.items(), strict=True):
        panel.set_title(f"RC({agent}) − {agent}")
        panel.locator_params(axis="x", nbins=5)
        draw_gains(panel, effect.by_environment, lambda change: (change.t_low, change.t_high), markersize=4)
    figure.supxlabel("reward per step, mean of the environment and its opposite (95% interval)")
    return figure


def wins_and_losses(effect: Comparison) -> dict[str, list[str]]:
    """The environments in which the second agent clearly earns more, and those in which it earns less."""
    words = {change.environment: judge(change.t_low, change.t_high) for change in effect.by_environment}
    return {name: [own for own in words if words[own] == word] for name, word in (("wins", GAINS), ("loses", LOSES))}
