"""Trained, not solved: DQN and PPO learn a kitchen at several coefficients, compared with the exact staircase.

Each network learns from the augmented reward alone (equation 1). Everyone's returns are compared with the exact
solution, with confidence intervals over seeds. They are also compared with two other designs: a team reward (the sum of
everyone's returns) and inequity aversion (Fehr and Schmidt 1999), which punishes differences, not harm. Alizadeh
Alamdari et al. 2021 train with tabular Q-learning; the networks are ours.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Literal

import gymnasium
from pydantic import Field

import considerate
from considerate.exact.frontiers import frontier
from considerate.exact.problem import Problem, augmented
from considerate.sweeps import draw_exact, draw_learned
from considerate.training import Training, evaluate, greedy, train
from considerate.training.views import TaskEnv
from multislot.drawing.pictures import interval_of
from multislot.drawing.showing import new_figure, whole_table
from multislot.drawing.styling import COLORS
from multislot.statistics import student
from scenarios.consideration.behavior import join_returns, known_task
from scenarios.lab.cells import Axes, Figures, Result, Results
from scenarios.lab.table import Row, share_row

if TYPE_CHECKING:
    import pandas as pd

Coefficient = Annotated[Fraction, Field(ge=0)]


@dataclass(frozen=True)
class Settings:
    """What to train, for how long, and how often."""

    task: Annotated[str, Field(description="a task of Craft-World by name")] = "kitchen-cookie"
    algorithms: Annotated[
        tuple[Literal["DQN", "PPO"], ...], Field(min_length=1, description="of Stable-Baselines3")
    ] = ("DQN", "PPO")
    alphas: Annotated[tuple[Coefficient, ...], Field(min_length=1, description="α₂")] = (
        *(Fraction(0), Fraction(1, 4), Fraction(3, 4), Fraction(1), Fraction(2)),
    )
    envy: Annotated[Fraction, Field(ge=0, description="inequity aversion: weight of having less")] = Fraction(1, 2)
    guilt: Annotated[Fraction, Field(ge=0, description="inequity aversion: weight of having more")] = Fraction(1, 4)
    steps: Annotated[int, Field(ge=1000, le=10**7, description="of each training")] = 12_000
    seeds: Annotated[int, Field(ge=1, description="trainings of each kind, seeds 0 … n−1")] = 10


QUICK = Settings(algorithms=("DQN",), alphas=(Fraction(0), Fraction(1)), steps=1000, seeds=1)


MEASURED = Path(__file__).with_name("trained_cells.csv")
CONSIDERATE, TEAM, INEQUITY = "considerate", "team reward", "inequity aversion"
STEPS = 100
NETWORKS: dict[str, dict[str, Any]] = {
    "DQN": {
        "learning_starts": 500,
        "buffer_size": 20_000,
        "learning_rate": 0.002,
        "target_update_interval": 250,
        "gamma": 0.99,
        "exploration_fraction": 0.5,
        "exploration_final_eps": 0.05,
        "train_freq": 2,
        "batch_size": 64,
        "policy_kwargs": {"net_arch": [64]},
    },
    "PPO": {
        "n_steps": 256,
        "n_epochs": 10,
        "gamma": 0.99,
        "learning_rate": 0.01,
        "ent_coef": 0.02,
        "policy_kwargs": {"net_arch": []},
    },
}


@dataclass(frozen=True)
class Cell:
    """One training; `weights` are α₂ for a considerate agent, envy and guilt for inequity aversion."""

    task: str
    algorithm: str
    design: str
    weights: tuple[Fraction, ...]
    steps: int
    seed: int

    @property
    def condition(self) -> str:
        weights = ", ".join(map(str, self.weights))
        return f"{self.task}, {self.algorithm}, {self.design}" + (f" {weights}" if weights else "")


def cells(settings: Settings) -> list[Cell]:
    designs: list[tuple[str, tuple[Fraction, ...]]] = [(CONSIDERATE, (alpha,)) for alpha in settings.alphas]
    designs += [(TEAM, ()), (INEQUITY, (settings.envy, settings.guilt))]
    return [
        Cell(settings.task, algorithm, design, weights, settings.steps, seed)
        for algorithm in settings.algorithms
        for design, weights in designs
        for seed in range(settings.seeds)
    ]


def run_cell(cell: Cell) -> Result:
    training = Training(cell.algorithm, steps=cell.steps, seed=cell.seed, settings=NETWORKS[cell.algorithm])
    played = evaluate(greedy(train(lambda: environment(cell), training)), environment(cell), steps=STEPS)
    return {"returns": [values[0] for values in played.everyone.values()]}


def environment(cell: Cell) -> gymnasium.Env[Any, Any]:
    if cell.design == INEQUITY:
        return InequityAverse(
            TaskEnv(known_task(cell.task), "value", 0, steps=STEPS, bootstrap_at_limit=True), *map(float, cell.weights)
        )
    if cell.design == TEAM:
        return TaskEnv(known_task(cell.task), "per_agent", 1, steps=STEPS, bootstrap_at_limit=True)
    return TaskEnv(known_task(cell.task), "value", cell.weights[0], steps=STEPS, bootstrap_at_limit=True)


class InequityAverse(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A task whose acting agent pays at the end for having less, or more, than the others (Fehr and Schmidt 1999).

    Args:
        env: the task.
        envy: α of the paper, for having less.
        guilt: β of the paper, for having more.
    """

    def __init__(self, env: TaskEnv, envy: float, guilt: float) -> None:
        super().__init__(env)
        self.envy, self.guilt = envy, guilt

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            own, *others = self.env.unwrapped.finish(STEPS).values()  # type: ignore[attr-defined]  # as TaskEnv has it
            reward = float(reward) + aversion(own, others, self.envy, self.guilt)
        return observation, reward, terminated, truncated, info


def aversion(own: Any, others: Sequence[Any], envy: Any, guilt: Any) -> Any:
    """Cost of unequal returns: the mean over the others of envy and guilt (Fehr and Schmidt 1999, equation 1)."""
    costs = [envy * max(other - own, 0) + guilt * max(own - other, 0) for other in others]
    return -sum(costs) / len(costs)


def exact(cell: Cell) -> list[list[Any]]:
    task = known_task(cell.task)
    if cell.design != INEQUITY:
        criterion, alpha = ("per_agent", Fraction(1)) if cell.design == TEAM else ("value", cell.weights[0])
        solution = considerate.solve(task, criterion, alpha)
        return [list(behavior.returns.values()) for behavior in (solution, *solution.ties)]
    returns = [list(behavior.returns.values()) for behavior in Problem(task, augmented(task)).behaviors()]
    worths = [own + aversion(own, others, *cell.weights) for own, *others in returns]
    return [behavior for behavior, worth in zip(returns, worths, strict=True) if worth == max(worths)]


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for design, (cell, runs) in by_condition(results).items():
        optimal = exact(cell)
        condition = f"{design}, {cell.steps} steps, {len(runs)} seeds"
        for number in range(len(runs[0])):
            values = [run[number] for run in runs]
            ends = student(values) if len(values) > 1 else None
            rows.append(Row(f"return of agent {number + 1}, mean over seeds", condition, fmean(values), interval=ends))
        rows.append(Row("exact returns", design, " or ".join(map(join_returns, optimal))))
        rows.append(
            share_row("share of seeds that are exact", condition, "", sum(r in optimal for r in runs), len(runs))
        )
    return rows


def by_condition(results: Results) -> dict[str, tuple[Cell, list[list[float]]]]:
    runs: dict[str, tuple[Cell, list[list[float]]]] = {}
    for cell, result in results:
        runs.setdefault(cell.condition, (cell, []))[1].append(result["returns"])
    return runs


def story(settings: Settings, results: Results) -> str:
    designs: dict[str, list[str]] = {}
    for cell, _ in by_condition(results).values():
        if cell.algorithm == settings.algorithms[0]:
            designs.setdefault(" or ".join(map(join_returns, exact(cell))), []).append(_name_design(cell))
    lines = [f"Exact returns {returns}: {'; '.join(names)}." for returns, names in designs.items()]
    for algorithm in settings.algorithms:
        mine = [(cell, runs) for cell, runs in by_condition(results).values() if cell.algorithm == algorithm]
        good = sum(returns in exact(cell) for cell, runs in mine for returns in runs)
        lines.append(f"{algorithm} learned the exact optimum in {good} of {sum(len(runs) for _, runs in mine)} runs.")
    if settings.steps < Settings.steps:
        lines.append(
            f"With {settings.steps} steps, not {Settings.steps}, this shows that training runs, not what it learns."
        )
    return "\n".join(lines)


def _name_design(cell: Cell) -> str:
    if cell.design == INEQUITY:
        return "{} with envy {} and guilt {}".format(cell.design, *cell.weights)
    return f"considerate at α₂ = {cell.weights[0]}" if cell.weights else cell.design


def ends(returns: Sequence[float]) -> bool:
    """Whether the acting agent came to an end; each step costs it at least 1."""
    return returns[0] > -STEPS


APART = 0.3
"""Distance of the other designs from the last coefficient and from each other, as a share of that coefficient."""
HALF = 0.1
"""Half the length of an exact return's line, as a share of the last coefficient."""


def figures(settings: Settings, results: Results) -> Figures:
    """Draw a panel for each algorithm: mean returns of runs that end, with 95% confidence; exact values dashed."""
    task = known_task(settings.task)
    exact_frontier, most = frontier(task), float(max(settings.alphas)) or 1.0
    places = {TEAM: most * (1 + APART), INEQUITY: most * (1 + 2 * APART)}
    ticks = {float(alpha): str(alpha) for alpha in settings.alphas}
    ticks |= {places[TEAM]: "team\nreward", places[INEQUITY]: "inequity\naversion"}
    figure = new_figure(5.4 * len(settings.algorithms), 4.2)
    panels = figure.subplots(1, len(settings.algorithms), sharey=True, squeeze=False)[0]
    for axes, algorithm in zip(panels, settings.algorithms, strict=True):
        runs_at = [
            (places.get(cell.design) or float(cell.weights[0]), cell, runs)
            for cell, runs in by_condition(results).values()
            if cell.algorithm == algorithm
        ]
        for number, (agent, color) in enumerate(zip(task.agents, COLORS, strict=False)):
            draw_exact(axes, exact_frontier, agent, most, color)
            _draw_returns(axes, runs_at, number, agent, color, HALF * most)
        axes.margins(y=0.2)
        for place, _, runs in runs_at:
            if endless := sum(not ends(run) for run in runs):
                words = f"{endless} of {len(runs)}\nnever end"
                axes.annotate(words, (place, 0.02), xycoords=("data", "axes fraction"), ha="center", fontsize="small")
        axes.set_title(algorithm)
        axes.axvline(most * (1 + APART / 2), color="0.7", lw=0.8)
        axes.set_xticks(list(ticks), list(ticks.values()))
        axes.set_xlabel("caring coefficient α₂, and two other designs")
    panels[0].set_ylabel("mean return of runs that end")
    panels[0].plot([], [], "--", color="0.4", label="exact optimum")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return {"trained": figure}


def _draw_returns(
    axes: Axes, runs_at: list[tuple[float, Cell, list[list[float]]]], number: int, agent: str, color: str, half: float
) -> None:
    """Draw what one agent gets under each design, where any run ends; `half` of an exact line is left of its place."""
    shown: dict[float, list[float]] = {}
    for place, cell, runs in runs_at:
        values = [run[number] for run in runs if ends(run)]
        if cell.design != CONSIDERATE:
            for returns in exact(cell):
                axes.hlines(float(returns[number]), place - half, place + half, color, "--", lw=1.2)
            if values:
                mean, (low, high) = fmean(values), interval_of(values, False)
                axes.errorbar(place, mean, [[mean - low], [high - mean]], fmt="s", color=color, capsize=3)
        elif values:
            shown[place] = values
    if shown:
        draw_learned(axes, list(shown), list(shown.values()), agent, color)


def stored_run() -> tuple[Settings, Results]:
    """Read the run of ten seeds that the documentation shows: its ``cells.csv``, one row for each training."""
    results = []
    with MEASURED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            weights = tuple(Fraction(row[name]) for name in ("weights.0_exact", "weights.1_exact") if row[name])
            cell = Cell(row["task"], row["algorithm"], row["design"], weights, int(row["steps"]), int(row["seed"]))
            returns = [float(value) for name, value in row.items() if name.startswith("returns.") and value]
            results.append((cell, {"returns": returns}))
    return Settings(seeds=len({cell.seed for cell, _ in results})), results


def comparison(results: Results) -> "pd.DataFrame":
    """A row for each algorithm and design: exact and learned returns, and how many seeds are exact.

    Learned returns are means over seeds with 95% confidence intervals.
    """
    rows = []
    for cell, runs in by_condition(results).values():
        optimal = exact(cell)
        row: dict[str, object] = {"algorithm": cell.algorithm, "design": cell.design}
        row |= {"weights": ", ".join(map(str, cell.weights)), "exact": " or ".join(map(join_returns, optimal))}
        for number in range(len(runs[0])):
            values = [run[number] for run in runs]
            low, high = student(values)
            row[f"agent {number + 1}"] = f"{fmean(values):.2f} [{low:.2f}, {high:.2f}]"
        rows.append(row | {"exact runs": f"{sum(run in optimal for run in runs)} of {len(runs)}"})
    return whole_table(rows)
