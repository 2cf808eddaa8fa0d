"""Figure 2(c): where does a considerate agent leave a doll, by three ways to care (equations 1, 2 and 3)?

The agents play with a doll and leave it somewhere for the next agent, who may be any of five. The caring coefficient α₂
is 10. By equation 1 the agent leaves the doll close to most of the others. By equation 2 it leaves the doll where the
farthest agent has the shortest way. By equation 3 the doll stays where it was, because moving it would harm agent 6
(Alizadeh Alamdari et al. 2021, section 4.2).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.consideration import behavior
from scenarios.consideration.behavior import run_cell as run_cell
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    """The coefficient, and how often to learn."""

    alpha: Annotated[Fraction, Field(ge=0, description="α₂")] = Fraction(10)
    seeds: behavior.Seeds = 10


QUICK = Settings(seeds=0)

EQUATIONS = {"value": 1, "worst": 2, "neg": 3}
PLACES = {
    "(4, 2)": "near most",
    "(3, 3)": "least distance to the furthest",
    "(2, 3)": "where it was",
    "(1, 5)": "at the start",
}
MORAL = (
    "An agent that counts the rewards of all others (equation 1) puts a doll near most of them. An agent that counts\n"
    "only the worst-off (equation 2) puts the doll where the farthest agent has the shortest way. An agent that\n"
    "counts only harm (equation 3) leaves the doll where it was, although moving it would help most others."
)


def cells(settings: Settings) -> list[behavior.Cell]:
    return behavior.with_seeds(
        [behavior.Cell("doll", name, behavior.for_others(settings.alpha)) for name in EQUATIONS], settings.seeds
    )


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for cell, result in behavior.exact_results(results):
        condition = f"equation {EQUATIONS[cell.criterion]}, α₂ = {settings.alpha}"
        rows.append(Row("place of the doll", condition, place(result)))
        rows.append(Row("agent 1's return", condition, result["returns"][0]))
        rows.append(Row("sum of the others' returns", condition, sum(result["returns"][1:])))
        rows.append(Row("least of the others' returns", condition, min(result["returns"][1:])))
    return rows + behavior.agreement(results)


def place(result: Result) -> str:
    return PLACES[result["facts"]["doll"]]


def figures(settings: Settings, results: Results) -> Figures:
    title = f"Where to leave the doll, α₂ = {settings.alpha}"
    return behavior.map_figure(
        results, lambda cell, result: f"equation {EQUATIONS[cell.criterion]}: {place(result)}", title
    )
