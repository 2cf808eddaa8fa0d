"""How many questions an agent has asked by which step, over β and the two plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log2
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from multislot.checks import refusal
from multislot.statistics import class_bootstrap, together, verdict
from scenarios.conservatism.apprenticeship import Apprenticeship, Kind, Planning, lives_of
from scenarios.conservatism.controls import claim, control
from scenarios.conservatism.query_decay.settings import Settings
from scenarios.lab.table import Measured, interval_row, plain_row

FIRST = 4
QUARTER = 4
CONTROLLED = 5
PESSIMISTIC: Kind = "pessimistic"
FALLS, STAYS, NEVER = "falls", "does not fall", "never asks"
CONTROLS: dict[Kind, str] = {"always defers": STAYS, "never defers": NEVER}
TWINS = ("no model has a twin", "every model has a twin")

Results = Sequence[tuple["Cell", dict[str, Any]]]
MORAL = (
    "Every answer teaches something, so asking dies out: the questions grow more slowly than the root of the\n"
    "number of steps, even if every model has a twin with a trap that nobody has triggered yet."
)


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives of one agent in one random class."""


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each class, without twins and with them, agent, plan and β.

    Raises:
        SettingError: the number of steps is no power of 2.
    """
    if log2(settings.steps) % 1:
        raise refusal("steps", settings.steps, "a power of 2")
    pessimists = [
        (PESSIMISTIC, planner, beta, settings.classes) for planner in get_args(Planning) for beta in settings.betas
    ]
    controls = [(kind, "exact", max(settings.betas), min(CONTROLLED, settings.classes)) for kind in CONTROLS]
    return [
        Cell(
            agent=agent,
            family="random",
            seed=seed,
            beta=beta,
            planner=planner,
            models=settings.models,
            share=share,
            example=settings.example,
            discount=settings.discount,
            horizon=settings.horizon,
            noise=settings.noise,
            steps=settings.steps,
            seeds=settings.seeds,
        )
        for share in shares(settings)
        for agent, planner, beta, classes in [*pessimists, *controls]
        for seed in range(classes)
    ]


def shares(settings: Settings) -> tuple[float, float]:
    """Return the prior probability of the twins in either family."""
    return 0.0, settings.share


def counted_steps(steps: int) -> list[int]:
    """Return the steps by which questions are counted: 4, 8, 16, … up to the last."""
    return [2**power for power in range(int(log2(FIRST)), int(log2(steps)) + 1)]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return how many questions every life has asked by each step that is counted."""
    return {"asked": [[sum(life.queries[:step]) for step in counted_steps(cell.steps)] for life in lives_of(cell)]}


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the questions by some steps, the decay law of each β, whether it falls, and the controls."""
    rows: list[Measured] = []
    verdicts: list[Measured] = []
    for family, share in zip(TWINS, shares(settings), strict=True):
        for planner in get_args(Planning):
            found = [asked_of(results, share, PESSIMISTIC, planner, beta) for beta in settings.betas]
            for beta, asked in zip(settings.betas, found, strict=True):
                rows += _rows(settings, f"{planner} plan, β={beta:g}", family, asked)
            word = together([decay(asked) for asked in found], FALLS, STAYS)
            row = claim if planner == "exact" else Measured
            verdicts.append(row(f"deferring, {planner} plan", f"{family}, every β", word))
        for agent, must in CONTROLS.items():
            verdicts.append(control(agent, family, decay(asked_of(results, share, agent)), must))
    return [*rows, *verdicts]


def _rows(settings: Settings, case: str, family: str, asked: NDArray[np.float64]) -> list[Measured]:
    """Return the rows of one kind of classes, plan and β."""
    common = (
        f"{family}, {settings.classes} classes × {settings.seeds} lives × {settings.steps} steps, "
        f"{settings.models} models, the mentor causes the event with probability {settings.example:g}, "
        f"γ={settings.discount}, horizon {settings.horizon}"
    )
    steps = counted_steps(settings.steps)
    shown = [0, len(steps) - 1 - int(log2(QUARTER)), len(steps) - 1]
    return [
        *(
            interval_row(f"questions by step {steps[index]}", case, common, *_mean(asked[:, :, index]))
            for index in shown
        ),
        interval_row(f"N({steps[-1]}) − 2·N({steps[shown[1]]})", case, common, *_mean(growth(asked))),
        plain_row("exponent p of the decay t^−p, last three quarters", case, common, exponent(asked)),
    ]


def _mean(values: NDArray[np.float64]) -> tuple[float, tuple[float, float]]:
    """Return a mean over classes and lives, [C, L], with its interval."""
    return float(values.mean()), class_bootstrap(values)


def growth(asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return N(T) − 2·N(T/4) of every life, [C, L]: 0 on average if questions grow like √t."""
    difference: NDArray[np.float64] = asked[:, :, -1] - 2 * asked[:, :, -1 - int(log2(QUARTER))]
    return difference


def exponent(asked: NDArray[np.float64]) -> float | str:
    """Return the exponent p of a probability of asking ~ t^−p, for which N ~ t^(1−p), from step T/4 to T."""
    before, last = (float(asked[:, :, index].sum()) for index in (-1 - int(log2(QUARTER)), -1))
    if before == last:
        return "at least 1" if last else NEVER
    if not before:
        return "none asked in the first quarter"
    return 1 - log(last / before) / log(QUARTER)


def decay(asked: NDArray[np.float64]) -> str:
    """Return what is said of questions [C, L, steps]."""
    return verdict(class_bootstrap(growth(asked)), 0.0, FALLS, STAYS) if asked.any() else NEVER


def asked_of(
    results: Results, share: float, agent: Kind, planner: str = "exact", beta: float | None = None
) -> NDArray[np.float64]:
    """Return the questions of an agent, [C, L, steps]: for each class, life and step that is counted."""
    return np.array(
        [
            result["asked"]
            for cell, result in results
            if (cell.share, cell.agent, cell.planner) == (share, agent, planner) and beta in (None, cell.beta)
        ],
        dtype=float,
    )
