"""In tasks whose best plan is known: how close do learners come to the exact considerate agent?

Every task here has an exact optimum, for eight ways to care (equations 1 to 8 of Alizadeh Alamdari et al. 2021) and
every caring coefficient. A learner is given the augmented reward alone. Its *regret* is the augmented return of the
optimum minus that of its policy: 0 is exact, whichever of several equally good behaviors it chose. At a coefficient of
0 all criteria are the same problem, and in tasks with one other agent equations 1, 2, 4 and 5 are.

``--set learner=mymodule:train`` measures your own learner: a function (environment, steps, seed) → policy.

Two controls learn from a wrong reward: one without the caring term, one with its sign turned. Neither may be exact
where caring changes the optimum.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from considerate.craftworld import PAPER_TASKS
from considerate.criteria import CRITERIA
from considerate.training.single import import_models
from multislot.checks import checked_callable, checked_import
from multislot.drawing.showing import whole_table
from multislot.statistics import CONFIDENCE, Interval
from scenarios.consideration.known_answers.environment import KnownTask, Learner, Problem, find_task
from scenarios.consideration.known_answers.families import GENERATED, WIDE
from scenarios.consideration.known_answers.learners import LEARNERS
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row, caught_row, claim_row, interval_row, share_row

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["comparison", "coverage", "interquartile_mean", "problems", "stored_run"]

Coefficient = Annotated[Fraction, Field(ge=0)]
LearnerName = Literal["PPO", "DQN", "Q-learning", "selfish", "random"]
CriterionName = Literal["value", "worst", "neg", "per_agent", "min", "sim", "options", "valued_options"]

CONTROLLED = ("kitchen-cookie", "kitchen-peanut", "kitchen-salad")


@dataclass(frozen=True)
class Settings:
    """What to learn, for how long, and how often."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1, description="tasks of Craft-World by name")] = (*PAPER_TASKS,)
    generated: Annotated[
        tuple[str, ...], Field(description="tasks that grow, lamps-3 or field-7; equation 1, α₂ = 1")
    ] = ()
    criteria: Annotated[tuple[CriterionName, ...], Field(min_length=1, description="ways to care, by name")] = (
        "value",
    )
    alphas: Annotated[tuple[Coefficient, ...], Field(min_length=1, description="α₂, the caring coefficients")] = (
        Fraction(0),
        Fraction(1),
    )
    learners: Annotated[tuple[LearnerName, ...], Field(min_length=1, description="learners by name")] = (
        "PPO",
        "Q-learning",
        "selfish",
        "random",
    )
    learner: Annotated[str, Field(description="your own learner instead, module:function")] = ""
    steps: Annotated[int, Field(ge=1000, le=10**9, description="of each training")] = 200_000
    seeds: Annotated[int, Field(ge=1, description="trainings of each kind, seeds 0 … n−1")] = 3
    controls: Annotated[bool, Field(description="whether wrong rewards are learned, too")] = True

    def __post_init__(self) -> None:
        if self.learner:
            checked_callable("learner", checked_import("learner", self.learner), "a function")


QUICK = Settings(tasks=CONTROLLED, learners=("PPO",), steps=80_000, seeds=1)
FULL = Settings(
    generated=GENERATED,
    criteria=tuple(CRITERIA),  # type: ignore[arg-type]  # these are their names
    alphas=(Fraction(0), Fraction(1, 4), Fraction(1), Fraction(4)),
    learners=("PPO", "DQN", "Q-learning", "selfish", "random"),
    seeds=5,
)

MEASURED = Path(__file__).with_name("cells.csv")
HARD = ("box", "shared-key", *GENERATED)
"""What people should try to beat; not part of the claim."""
LEAST = Fraction(4, 5)
"""The share of exact runs that is claimed outside the hard tasks."""
SAME = ("value", "worst", "per_agent", "min")
"""Criteria that are the same sum where there is one other agent, whose future is certain."""
UNSIMULTANEOUS = ("options", "valued_options")
"""Criteria that need others who come later."""
NETWORKS = ("PPO", "DQN")
"""The learners that are not given the one-hot observations of `WIDE` tasks."""
RIGHT, LEFT_OUT, TURNED = "right", "caring left out", "caring with the wrong sign"
RESAMPLES = 2000
SPREAD = 0.25
"""The share of the lowest and of the highest values that an interquartile mean leaves out."""


@dataclass(frozen=True)
class Cell:
    """One training.

    Args:
        task: by name.
        criterion: by name.
        alpha: α₂, by which the policy is judged.
        learner: by name, or ``module:function``.
        steps: how many the learner should take.
        seed: of everything that chance plays a part in.
        reward: what it learns from: the right reward, or one of the controls'.
    """

    task: str
    criterion: str
    alpha: Fraction
    learner: str
    steps: int
    seed: int
    reward: str = RIGHT

    @property
    def problem(self) -> Problem:
        return Problem(self.task, self.criterion, self.alpha)


MORAL = (
    "Every task here has an exact optimum, so one can say how far a learner is from the considerate agent. A learner\n"
    "whose reward does not include that of others is wrong wherever caring changes the best behavior."
)


def cells(settings: Settings) -> list[Cell]:
    learners = (settings.learner,) if settings.learner else settings.learners
    found = []
    for seed in range(settings.seeds):
        for problem in problems(settings):
            for learner in learners:
                is_repeated = learner == "selfish" and seed > 0  # nothing is random there
                if not is_repeated and (learner not in NETWORKS or problem.task not in WIDE):
                    found.append(Cell(problem.task, problem.criterion, problem.alpha, learner, settings.steps, seed))
        if settings.controls and seed == 0:
            found += [cell for name in learners for cell in controls(settings, name)]
    return found


def problems(settings: Settings) -> list[Problem]:
    """List the problems that differ."""
    chosen: dict[Problem, None] = {}
    for name in settings.tasks:
        task = find_task(name)
        criteria = [c for c in settings.criteria if task.partner is None or c not in UNSIMULTANEOUS]
        for criterion in criteria:
            alike = len(task.agents) == 2 and criterion in SAME
            first = next(c for c in settings.criteria if c in SAME) if alike else criterion
            for alpha in settings.alphas:
                chosen[Problem(name, first if alpha else criteria[0], alpha)] = None
    return [*chosen, *(Problem(name, "value", Fraction(1)) for name in settings.generated)]


def controls(settings: Settings, learner: str) -> list[Cell]:
    """List the controls of a learner: the caring term left out (where no cell has that already), or turned."""
    if learner in ("selfish", "random"):
        return []
    return [
        Cell(task, "value", Fraction(1), learner, settings.steps, 0, reward)
        for task in CONTROLLED
        if task in settings.tasks and "value" in settings.criteria and 1 in settings.alphas
        for reward in (LEFT_OUT, TURNED)
        if reward == TURNED or 0 not in settings.alphas
    ]


def run_cell(cell: Cell) -> Result:
    alphas = {RIGHT: cell.alpha, LEFT_OUT: Fraction(0), TURNED: -cell.alpha}
    environment = KnownTask(cell.problem, cell.steps, alphas[cell.reward])
    if cell.learner in NETWORKS:
        import_models()  # says which extra is missing
    train: Learner = checked_import("learner", LEARNERS.get(cell.learner, cell.learner))
    outcome = cell.problem.play(train(environment, cell.steps, cell.seed))
    regret = cell.problem.regret(outcome)
    return {
        "regret": float(regret),
        "exact": bool(outcome.ended and regret == 0),
        "ended": outcome.ended,
        "returns": {agent: float(value) for agent, value in outcome.returns.items()},
        "taken": environment.taken,
        "earlier": list(map(float, environment.regrets)),
        "actions": " ".join(map(str, outcome.actions)) if outcome.ended else "",
    }


def table(settings: Settings, results: Results) -> list[Row]:
    right = [(cell, result) for cell, result in results if cell.reward == RIGHT]
    where = f"{settings.steps} steps"
    rows = [
        claim_row("no run is better than the exact optimum", where, all(r["regret"] >= 0 for _, r in right), OPTIMAL)
    ]
    for learner in dict.fromkeys(cell.learner for cell, _ in right):
        easy = [result["exact"] for cell, result in right if cell.learner == learner and cell.task not in HARD]
        if learner == "PPO" and easy:
            claim = f"at least {LEAST} of the runs are exact, {', '.join(HARD[:2])} and generated tasks left out"
            rows.append(claim_row(claim, f"{learner}, {where}", sum(easy) >= LEAST * len(easy), "our aim"))
    rows += control_rows(results)
    for (task, learner), runs in group(right).items():
        common, exact = f"{learner}, {where}", [result["exact"] for _, result in runs]
        mean, ends = interquartile_mean([result["regret"] for _, result in runs])
        rows.append(share_row("share of runs that are exact", task, common, sum(exact), len(exact)))
        rows.append(interval_row("regret, interquartile mean", task, common, mean, ends))
    for problem in dict.fromkeys(cell.problem for cell, _ in right):
        returns = "; ".join(map(str, problem.solution.returns.values()))
        rows.append(Row("exact returns", name_of(problem), returns))
    return rows


OPTIMAL = "the solver finds the best of all behaviors"


def control_rows(results: Results) -> list[Row]:
    """Check that a learner of a wrong reward is not exact where caring changes the optimum."""
    rows = []
    for cell, result in results:
        if cell.learner in ("selfish", "random") or cell.seed or cell.criterion != "value":
            continue
        if cell.reward == RIGHT and cell.alpha == 0 and cell.task in CONTROLLED:
            judged = replace(cell, alpha=Fraction(1), reward=LEFT_OUT)
            exact = bool(result["actions"]) and judged.problem.regret(judged.problem.replay(result["actions"])) == 0
        elif cell.reward != RIGHT:
            judged, exact = cell, result["exact"]
        else:
            continue
        source = "caring changes what is optimal here"
        rows.append(
            caught_row(f"{cell.learner} is exact", f"{name_of(judged.problem)}, {judged.reward}", not exact, source)
        )
    return rows


def name_of(problem: Problem) -> str:
    return f"{problem.task}, {problem.criterion}, α₂ = {problem.alpha}"


def group(results: Results) -> dict[tuple[str, str], list[tuple[Cell, Result]]]:
    """Results by task and learner."""
    groups: dict[tuple[str, str], list[tuple[Cell, Result]]] = {}
    for cell, result in results:
        groups.setdefault((cell.task, cell.learner), []).append((cell, result))
    return groups


def interquartile_mean(values: Sequence[float]) -> tuple[float, Interval]:
    """Mean of the middle half of some numbers, with a bootstrap interval (Agarwal et al. 2021)."""
    from scipy.stats import bootstrap, trim_mean

    mean = float(trim_mean(values, SPREAD))
    if len(set(values)) == 1:
        return mean, (mean, mean)

    statistic: Any = partial(trim_mean, proportiontocut=SPREAD)
    ends = bootstrap(
        (values,),
        statistic,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return mean, (float(ends.low), float(ends.high))


def story(settings: Settings, results: Results) -> str:
    right = [(cell, result) for cell, result in results if cell.reward == RIGHT]
    lines = []
    for learner in dict.fromkeys(cell.learner for cell, _ in right):
        for words, hard in (("", False), (" on the hard tasks", True)):
            runs = [r["exact"] for cell, r in right if cell.learner == learner and (cell.task in HARD) == hard]
            if runs:
                lines.append(f"{learner} is exact in {sum(runs)} of {len(runs)} runs{words}.")
    taught = [(cell, result) for cell, result in right if cell.learner not in ("selfish", "random")]
    missed = dict.fromkeys(name_of(cell.problem) for cell, _ in taught if cell.task not in HARD)
    for cell, result in taught:
        if result["exact"]:
            missed.pop(name_of(cell.problem), None)
    if missed:
        lines.append(f"No learner is ever exact in: {'; '.join(missed)}.")
    return "\n".join(lines)


def stored_run() -> Results:
    """Read the runs that the documentation shows, one row for each training: the ``cells.csv`` of a run."""
    results = []
    with MEASURED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            alpha, steps, seed = Fraction(row["alpha_exact"]), int(row["steps"]), int(row["seed"])
            cell = Cell(row["task"], row["criterion"], alpha, row["learner"], steps, seed, row["reward"])
            result: Result = {name: row[name] == "True" for name in ("exact", "ended")}
            result |= {"regret": float(row["regret"]), "taken": int(row["taken"]), "actions": row["actions"]}
            result["earlier"] = [float(row[name]) for name in row if name[:8] == "earlier." and row[name]]
            result["returns"] = {name[8:]: float(row[name]) for name in row if name[:8] == "returns." and row[name]}
            results.append((cell, result))
    return results


def coverage(results: Results) -> str:
    """Say how many trainings of the full run are stored, for each learner."""
    stored, counts = {cell for cell, _ in results}, dict[str, list[bool]]()
    for cell in cells(FULL):
        counts.setdefault(cell.learner, []).append(cell in stored)
    return "\n".join(
        f"{learner}: {sum(there)} of {len(there)} trainings are stored." for learner, there in counts.items()
    )


def comparison(results: Results) -> "pd.DataFrame":
    """A row for each task: how many states it has, how many runs of each learner are exact, and their mean regret."""
    rows: dict[str, dict[str, object]] = {}
    for (task, learner), runs in group([pair for pair in results if pair[0].reward == RIGHT]).items():
        row = rows.setdefault(task, {"task": task, "states": find_task(task).graph.n_states})
        mean, (low, high) = interquartile_mean([result["regret"] for _, result in runs])
        exact = sum(result["exact"] for _, result in runs)
        row[learner] = f"{exact} of {len(runs)}; {mean:.3g} [{low:.3g}, {high:.3g}]"
    learners = dict.fromkeys(cell.learner for cell, _ in results)
    return whole_table(
        [{**dict.fromkeys(("task", "states")), **dict.fromkeys(learners, "not run"), **row} for row in rows.values()]
    )
