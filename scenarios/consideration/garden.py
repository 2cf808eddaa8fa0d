"""Figures 2(a) and 2(b): does an agent walk through a garden, around it, or build a fence to keep others out?

Three agents want to get to the exit. The garden of agent 2 lies on the shortest path, and it loses 20 whenever someone
passes through. The acting agent cares about agent 3 as much as about itself, and about agent 2 by α₂ (equation 4). With
α₂ = 0 it walks through the garden, and with 1 around it. With 10 it pays 50 for a fence that keeps agent 3 out as well
(Alizadeh Alamdari et al. 2021, section 4.2). The thresholds between these behaviors are exact.
"""

from dataclasses import dataclass
from fractions import Fraction

from scenarios.consideration import behavior
from scenarios.consideration.behavior import run_cell as run_cell
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    """Coefficients of the garden's owner, and how often to learn."""

    alphas: behavior.Alphas = (Fraction(0), Fraction(1), Fraction(10))
    seeds: behavior.Seeds = 10


QUICK = Settings(seeds=1)

MORAL = (
    "An agent that cares a little for the garden's owner walks around the garden. Only an agent that cares far more\n"
    "for the owner builds a fence, which also keeps others out. The fence protects the owner, but makes the path of\n"
    "the third agent longer."
)


def cells(settings: Settings) -> list[behavior.Cell]:
    caring = [(("agent_2", alpha), ("agent_3", Fraction(1))) for alpha in settings.alphas]
    return behavior.with_seeds([behavior.Cell("garden", "per_agent", pair) for pair in caring], settings.seeds)


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for cell, result in behavior.exact_results(results):
        condition = f"α₂ = {cell.alpha}"
        rows.append(Row("route of agent 1", condition, route(result)))
        for number, value in enumerate(result["returns"], 1):
            rows.append(Row(f"agent {number}'s return", condition, value))
    thresholds = behavior.threshold_rows("garden", "per_agent", ", α₃ = 1", caring={"agent_2": 1, "agent_3": 1})
    return rows + thresholds + behavior.agreement(results)


def route(result: Result) -> str:
    if "fence" in result["facts"]:
        return "builds the fence"
    return "through the garden" if "garden_trampled" in result["facts"] else "detour"


def figures(settings: Settings, results: Results) -> Figures:
    return behavior.map_figure(
        results, lambda cell, result: f"α₂ = {cell.alpha}: {route(result)}", "Whose garden is it?"
    )
