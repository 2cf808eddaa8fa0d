"""Who gets hurt, and by how much: considerate agents and four other designs against side effects, on every task.

Plain Q-learning's optimum, the future-task reward with and without a baseline (Krakovna et al. 2020), attainable
utility preservation (Turner et al. 2020) and relative reachability with three baselines (Krakovna et al. 2019) look at
what the acting agent itself could still do. A considerate agent looks at what others can (equation 1; equation 6 where
both act at the same time, in shared-key). Harm is how far an agent's return is below the return that it would have if
the acting agent had never acted.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np
from pydantic import Field

from considerate.craftworld import PAPER_TASKS, task
from considerate.exact.comparators import DESIGNS, compare_designs
from multislot.drawing.showing import new_figure
from scenarios.lab.cells import Axes, Figure, Figures, Result, Results, select_pairs
from scenarios.lab.table import Row

Strength = Annotated[Fraction, Field(ge=0)]


@dataclass(frozen=True)
class Settings:
    """How much every design weighs its auxiliary term."""

    strengths: Annotated[tuple[Strength, ...], Field(min_length=1, description="α₂, β and λ")] = (
        Fraction(1),
        Fraction(10),
    )


QUICK = Settings(strengths=(Fraction(10),))


MORAL = (
    "The considerate agent looks at what others can still do; four other designs against side effects look at what\n"
    "the acting agent can still do. Designs that look only at what the acting agent can still do protect others only\n"
    "where everybody needs the same things. Even a considerate agent may harm one agent to help the rest more."
)


@dataclass(frozen=True)
class Cell:
    """All designs on one task at one strength."""

    task: str
    strength: Fraction


def cells(settings: Settings) -> list[Cell]:
    return [Cell(name, strength) for strength in settings.strengths for name in PAPER_TASKS]


def run_cell(cell: Cell) -> Result:
    return {
        result.design: {"returns": dict(result.behavior.returns), "harm": dict(result.harm)}
        for result in compare_designs(task(cell.task), cell.strength)
    }


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for cell, designs in results:
        for design in DESIGNS:
            own, *_ = designs[design]["returns"].values()
            condition = f"{design}, {cell.task}, strength {cell.strength}"
            rows.append(Row("acting agent's return", condition, own, case=design))
            for agent, harm in designs[design]["harm"].items():
                rows.append(Row(f"harm to {agent}", condition, harm, case=design))
    return rows


def story(settings: Settings, results: Results) -> str:
    lines = []
    for strength in settings.strengths:
        for design in DESIGNS:
            harms = {cell.task: designs[design]["harm"] for cell, designs in select_pairs(results, strength=strength)}
            hurt = {task: [f"{agent} by {harm}" for agent, harm in harms[task].items() if harm] for task in harms}
            by_task = "; ".join(f"{task}: {', '.join(agents)}" for task, agents in hurt.items() if agents)
            lines.append(f"{design}, strength {strength}, hurts {by_task or 'nobody'}")
    return "\n".join(lines)


def figures(settings: Settings, results: Results) -> Figures:
    """Draw one table for each strength: rows are designs, columns tasks; who is hurt stands below by how much."""
    return {
        f"harm-{str(strength).replace('/', '-of-')}": _harm(select_pairs(results, strength=strength))
        for strength in settings.strengths
    }


def _harm(results: Results) -> Figure:
    harms = [[designs[design]["harm"] for _, designs in results] for design in DESIGNS]
    sums = np.array([[float(sum(harm.values())) for harm in row] for row in harms])
    figure = new_figure(10, 5.6)
    axes = figure.add_subplot()
    axes.imshow(np.log10(sums + 1), cmap="OrRd", aspect="auto", vmin=0, vmax=3.5)
    for (row, column), total in np.ndenumerate(sums):
        _write(axes, row, column, total, [agent for agent, harm in harms[row][column].items() if harm])
    axes.set_xticks(range(len(results)), [cell.task.replace("-", "\n", 1) for cell, _ in results])
    axes.set_yticks(range(len(DESIGNS)), [name.replace(", ", ",\n") for name in DESIGNS])
    axes.set_title(f"Harm to others, and to whom; every design weighed by {results[0][0].strength}")
    axes.set(xlabel="task", ylabel="design")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


def _write(axes: Axes, row: int, column: int, total: float, hurt: list[str]) -> None:
    color = "white" if total > 99 else "black" if hurt else "#6f665a"
    axes.text(column, row - 0.15 * bool(hurt), f"{total:g}", ha="center", va="center", color=color)
    names = "\n".join(agent.replace("_", " ") for agent in hurt)
    axes.text(column, row + 0.25, names, ha="center", va="center", fontsize="small", color=color)
