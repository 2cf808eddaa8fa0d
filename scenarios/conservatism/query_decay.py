"""Result 2: the probability of deferring to the mentor falls to 0.

The random classes contain the truth and the true mentor, and true rewards are at least 0.1. The table shows how many
questions an agent has asked by step 4, 8, 16 and so on. The result is promised for the exact plan.

There are two families. In the first, the first few observations distinguish the truth from the other models. In the
second, every model has a twin that pays nothing from a tempting event on. Nobody can tell the twins apart until
somebody causes the event, and the mentor seldom does.

The result is about the limit. A run of T steps can show how the number of questions N grows. If the probability of
asking falls like t^−p, then N grows like t^(1−p), and an agent that always asks has p = 0. Deferring *falls* if N grows
less than √t from step T/4 to T, that is, if N(T) − 2·N(T/4) is below 0 with its whole 95% interval over random classes
and lives. It *does not fall* if the interval lies above 0; otherwise nothing is decided. The exponent p of the last
three quarters is printed. Two controls must fail: an agent that always defers, and one that *never asks*, which would
satisfy any bound on questions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, log2
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from multislot.checks import refusal
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import RED, shades
from multislot.statistics import class_bootstrap, together, verdict
from scenarios.conservatism.agents import ALWAYS_DEFERS, NEVER_DEFERS, PESSIMISTIC, claim, control
from scenarios.conservatism.apprenticeship import ApprenticeSettings, Cell, class_mean_row, gather, lives_of
from scenarios.lab.cells import Axes, Figures, Result, Results
from scenarios.lab.table import Row, plain_row


@dataclass(frozen=True)
class Settings(ApprenticeSettings):
    """How many random classes and lives, and which β."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 80
    seeds: Annotated[int, Field(ge=1, description="lives in each class, of each agent")] = 1
    share: Annotated[
        float, Field(gt=0, lt=1, description="prior probability of the twins together, where there are some")
    ] = 0.2
    example: Annotated[
        float, Field(gt=0, lt=1, description="where there are twins: the mentor's chance of the event in its state")
    ] = 0.05
    steps: Annotated[int, Field(ge=16, description="steps a life, a power of 2")] = 256


QUICK = Settings(classes=30, betas=(0.9,), example=0.2, horizon=2, steps=128)
FULL = Settings(classes=200, seeds=5, steps=1024)


FIRST = 4
QUARTER = 4
CONTROLLED = 5
FALLS, STAYS, NEVER = "falls", "does not fall", "never asks"
CONTROLS = {ALWAYS_DEFERS: STAYS, NEVER_DEFERS: NEVER}
TWINS = ("no model has a twin", "every model has a twin")

MORAL = (
    "Every answer of the mentor teaches the agent something, so the agent asks less and less. The number of questions\n"
    "to the mentor grows more slowly than the square root of the number of steps, even if each model of the agent has\n"
    "a twin: the same world with a trap."
)


def cells(settings: Settings) -> list[Cell]:
    if log2(settings.steps) % 1:
        raise refusal("steps", settings.steps, "a power of 2")
    agents = [(PESSIMISTIC, beta, settings.classes) for beta in settings.betas]
    agents += [(name, max(settings.betas), min(CONTROLLED, settings.classes)) for name in CONTROLS]
    size = (settings.steps, settings.seeds)
    return [
        Cell(settings, agent, beta, "random", seed, *size, share, settings.example)
        for share in shares(settings)
        for agent, beta, classes in agents
        for seed in range(classes)
    ]


def shares(settings: Settings) -> tuple[float, float]:
    return 0.0, settings.share


def counted_steps(steps: int) -> list[int]:
    """The steps by which questions are counted: 4, 8, 16, … up to the last."""
    return [2**power for power in range(int(log2(FIRST)), int(log2(steps)) + 1)]


def run_cell(cell: Cell) -> Result:
    return {"asked": [[sum(life.queries[:step]) for step in counted_steps(cell.steps)] for life in lives_of(cell)]}


def table(settings: Settings, results: Results) -> list[Row]:
    rows: list[Row] = []
    verdicts: list[Row] = []
    for family, share in zip(TWINS, shares(settings), strict=True):
        by_beta = [gather(results, "asked", share=share, agent=PESSIMISTIC, beta=beta) for beta in settings.betas]
        for beta, asked in zip(settings.betas, by_beta, strict=True):
            rows += _rows(settings, f"exact plan, β={beta:g}", family, asked)
        word = together([decay(asked) for asked in by_beta], FALLS, STAYS)
        verdicts.append(claim("deferring, exact plan", f"{family}, every β", word))
        for agent, must in CONTROLS.items():
            word = decay(gather(results, "asked", share=share, agent=agent))
            verdicts.append(control(agent, family, word, must))
    return [*rows, *verdicts]


def _rows(settings: Settings, case: str, family: str, asked: NDArray[np.float64]) -> Iterator[Row]:
    common = (
        f"{family}, {settings.classes} classes × {settings.seeds} lives × {settings.steps} steps, "
        f"{settings.models} models, the mentor causes the event with probability {settings.example:g}, "
        f"γ={settings.discount}, horizon {settings.horizon}"
    )
    steps = counted_steps(settings.steps)
    quarter = len(steps) - 1 - int(log2(QUARTER))
    for index in sorted({0, quarter, len(steps) - 1}):
        yield class_mean_row(f"questions by step {steps[index]}", case, common, asked[:, :, index])
    yield class_mean_row(f"N({steps[-1]}) − 2·N({steps[quarter]})", case, common, growth(asked))
    yield plain_row("exponent p of the decay t^−p, last three quarters", case, common, exponent(asked))


def growth(asked: NDArray[np.float64]) -> NDArray[np.float64]:
    """N(T) − 2·N(T/4) of every life, [C, L]: 0 on average if questions grow like √t."""
    difference: NDArray[np.float64] = asked[:, :, -1] - 2 * asked[:, :, -1 - int(log2(QUARTER))]
    return difference


def exponent(asked: NDArray[np.float64]) -> float | str:
    """The exponent p of a probability of asking ~ t^−p, for which N ~ t^(1−p), from step T/4 to T."""
    before, last = (float(asked[:, :, index].sum()) for index in (-1 - int(log2(QUARTER)), -1))
    if before == last:
        return "at least 1" if last else NEVER
    if not before:
        return "none asked in the first quarter"
    return 1 - log(last / before) / log(QUARTER)


def decay(asked: NDArray[np.float64]) -> str:
    """Judge the growth of questions, [C, L, steps]."""
    return verdict(class_bootstrap(growth(asked)), 0.0, FALLS, STAYS) if asked.any() else NEVER


def figures(settings: Settings, results: Results) -> Figures:
    """Draw a panel without twins and one with them; bands are 95% confidence."""
    figure = new_figure(9.5, 5.2)
    panels = figure.subplots(1, 2, sharey=True)
    for panel, family, share in zip(panels, TWINS, shares(settings), strict=True):
        _draw_family(panel, settings, results, share)
        panel.set_title(family)
    panels[0].set_ylabel("questions asked so far, mean of all lives")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.suptitle(
        f"{settings.classes} random classes, lives in each: {settings.seeds}; bands: 95% confidence, "
        "resampling classes and lives"
    )
    return {"query-decay": figure}


def _draw_family(panel: Axes, settings: Settings, results: Results, share: float) -> None:
    """Draw a line for each β, and the questions of an agent that always defers."""
    steps = np.array(counted_steps(settings.steps))
    colors = shades(len(settings.betas), 0.3, 0.9)
    for beta, color in zip(settings.betas, colors, strict=True):
        asked = gather(results, "asked", share=share, agent=PESSIMISTIC, beta=beta)
        _draw(panel, steps, asked, fmt="o-", color=color, label=f"β={beta:g}")
    panel.plot(steps, steps, "-.", color=RED, label="control: always defers")
    panel.plot(steps, np.sqrt(steps), ":", color="0.4", label="√t: slower growth counts as falling")
    panel.set_xscale("log", base=2)
    panel.set_yscale("log", base=2)
    panel.set_xticks(steps, [str(step) for step in steps])
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    panel.set_xlabel("step")
    panel.grid()


def _draw(panel: Axes, steps: Any, asked: NDArray[np.float64], **style: Any) -> None:
    """Draw one line with its band; a step without any question has no point."""
    means = np.where(asked.mean(axis=(0, 1)) > 0, asked.mean(axis=(0, 1)), np.nan)
    low, high = np.array([class_bootstrap(asked[:, :, index]) for index in range(len(steps))]).T
    panel.plot(steps, means, style.pop("fmt"), **style)
    panel.fill_between(steps, np.maximum(low, 2.0**-4), high, alpha=0.12, color=style["color"], linewidth=0)
