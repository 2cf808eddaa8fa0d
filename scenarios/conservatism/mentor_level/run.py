"""What agents are worth more than their mentor, over classes, β and time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from multislot.checks import refusal
from multislot.statistics import UNDECIDED, Interval, bounded_student, class_bootstrap, together, verdict
from scenarios.conservatism.apprenticeship import (
    BELIEF_IN_BOLD,
    CONTROLS,
    Apprenticeship,
    Family,
    Kind,
    above_mentor,
    advantages,
    best_above_mentor,
    extremes,
    lives_of,
    states_of,
)
from scenarios.conservatism.controls import claim, control
from scenarios.conservatism.mentor_level.settings import Settings
from scenarios.lab.table import Measured, interval_row, mean_row, share_row

TOLERANCE = 0.01
MOSTLY = 0.5
ERRORS = 3
NO_TWINS = 0.0
PESSIMISTIC: Kind = "pessimistic"
DRAWING = (PESSIMISTIC,)
REACHES, BELOW, ASKS = "at least the mentor's", "below the mentor's", "keeps asking"
CONTROLS_OF: dict[Family, tuple[Kind, ...]] = {"random": ("never defers", "most likely model"), "bold mentor": CONTROLS}
MUST_FAIL: dict[Kind, str] = {kind: ASKS if kind == "always defers" else BELOW for kind in CONTROLS}

Results = Sequence[tuple["Cell", dict[str, Any]]]
MORAL = (
    "A mentor who dares what no model recommends can be equalled only by asking. Agents that trust their own\n"
    "models stay at the arm that they think better, and never learn of the other. Where the models hide nothing,\n"
    "everybody reaches the mentor's level, and that shows nothing."
)


@dataclass(frozen=True)
class Cell(Apprenticeship):
    """All lives of one agent in one class, and the steps at which values are compared."""

    checkpoints: tuple[int, ...]


def cells(settings: Settings) -> list[Cell]:
    """Return one cell for each class, agent and β; controls have one β, the largest.

    Raises:
        SettingError: the checkpoints do not ascend.
    """
    if list(settings.checkpoints) != sorted(set(settings.checkpoints)):
        raise refusal("checkpoints", settings.checkpoints, "ascending steps")
    pessimists = [(PESSIMISTIC, beta) for beta in settings.betas]
    return [
        _cell(settings, agent, beta, family, seed)
        for family in get_args(Family)
        for seed in range(settings.classes if family == "random" else 1)
        for agent, beta in [*pessimists, *((kind, max(settings.betas)) for kind in CONTROLS_OF[family])]
    ]


def _cell(settings: Settings, agent: Kind, beta: float, family: Family, seed: int) -> Cell:
    """Return one cell; with the bold mentor the controls draw nothing, so that one life says all."""
    bold_seeds = settings.bold_seeds if agent in DRAWING else 1
    return Cell(
        agent=agent,
        family=family,
        seed=seed,
        beta=beta,
        planner=settings.planner,
        models=settings.models,
        share=NO_TWINS,
        example=NO_TWINS,
        discount=settings.discount,
        horizon=settings.horizon,
        noise=settings.noise,
        steps=settings.checkpoints[-1] + settings.horizon,
        seeds=settings.seeds if family == "random" else bold_seeds,
        checkpoints=settings.checkpoints,
    )


def run_cell(cell: Cell) -> dict[str, object]:
    """Return every life's difference to the mentor, and the best policy's, at each checkpoint, and its questions.

    ``extremes`` are the least and the largest possible difference; ``late`` is the share of questions after the last
    checkpoint.
    """
    lived, advantage, best = lives_of(cell), advantages(cell), best_above_mentor(cell)
    return {
        "above": [[above_mentor(life, step, advantage, cell.discount) for life in lived] for step in cell.checkpoints],
        "possible": [[float(best[states_of(life)[step]]) for life in lived] for step in cell.checkpoints],
        "extremes": list(extremes(advantage, cell.discount)),
        "asked": [[sum(life.queries[:step]) for life in lived] for step in cell.checkpoints],
        "late": [float(np.mean(life.queries[cell.checkpoints[-1] :])) for life in lived],
    }


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the difference over time by family and β, and whether it ends at the mentor's level."""
    rows: list[Measured] = []
    for family in get_args(Family):
        common = _common(settings, family)
        for beta in settings.betas:
            found = chosen(results, family, PESSIMISTIC, beta)
            rows += _over_time(settings, family, beta, common, found)
        rows += _of_controls(results, family, common)
    return [*rows, *_questions(settings, results), *_bold_verdicts(results), *_random_verdicts(results)]


def _common(settings: Settings, family: Family) -> str:
    plan = f"{settings.planner} plan, γ={settings.discount}, horizon {settings.horizon}"
    if family == "bold mentor":
        return f"{family}, {settings.bold_seeds} lives, {plan}"
    return f"{settings.classes} random classes × {settings.seeds} lives, {settings.models} models, {plan}"


def _over_time(
    settings: Settings, family: Family, beta: float, common: str, found: Sequence[dict[str, Any]]
) -> list[Measured]:
    """Return the rows of the pessimistic agent at one β."""
    above, possible = (differences(found, name) for name in ("above", "possible"))
    rows = []
    for index, step in enumerate(settings.checkpoints):
        case = f"β={beta:g}, step {step}"
        rows.append(_mean(f"value above the mentor's, {family}", case, common, above[:, index]))
        rows.append(_mean(f"the best policy's value above the mentor's, {family}", case, common, possible[:, index]))
    return rows


def _mean(quantity: str, case: str, common: str, values: NDArray[np.float64]) -> Measured:
    return interval_row(quantity, case, common, float(values.mean()), class_bootstrap(values))


def _of_controls(results: Results, family: Family, common: str) -> list[Measured]:
    """Return what the controls are worth at last."""
    rows = []
    for kind in CONTROLS_OF[family]:
        last = differences(chosen(results, family, kind), "above")[:, -1]
        rows.append(_mean(f"value above the mentor's at the last step, {family}", f"control: {kind}", common, last))
    return rows


def _questions(settings: Settings, results: Results) -> list[Measured]:
    """Return how often the bold mentor is asked, next to the chance of having drawn the model in which it is right."""
    rows = []
    for beta in settings.betas:
        (found,) = chosen(results, "bold mentor", PESSIMISTIC, beta)
        case, common = f"β={beta:g}", _common(settings, "bold mentor")
        asked = np.array(found["asked"])
        rows.append(mean_row("questions of a life that asks", case, common, asked[-1][asked[-1] > 0].tolist()))
        for index, step in enumerate(settings.checkpoints):
            if not step:
                continue
            count, exact = int((asked[index] > 0).sum()), 1 - (1 - BELIEF_IN_BOLD) ** step
            share = share_row(f"share of lives that have asked by step {step}", case, common, count, asked.shape[1])
            reach = ERRORS * (exact * (1 - exact) / asked.shape[1]) ** 0.5
            why = f"drawn with probability {BELIEF_IN_BOLD} a step, within {ERRORS} standard errors"
            rows.append(replace(share, paper=exact, tolerance=reach, source=why))
    return rows


def _bold_verdicts(results: Results) -> list[Measured]:
    """Return the claim about the class that tells agents apart, and its controls."""
    words = [_word(cell, result) for cell, result in results if _is(cell, "bold mentor", PESSIMISTIC)]
    rows = [_claim("bold mentor, every β", together(words, REACHES, BELOW) if ASKS not in words else ASKS)]
    for kind in CONTROLS:
        ((cell, result),) = [pair for pair in results if _is(pair[0], "bold mentor", kind)]
        rows.append(_control(kind, "bold mentor", _word(cell, result)))
    return rows


def _random_verdicts(results: Results) -> list[Measured]:
    """Return the claim about random classes: not decided if no class tells the agent from those that plan alone."""
    words = [_word(cell, result) for cell, result in results if _is(cell, "random", PESSIMISTIC)]
    rows, telling = [], False
    for kind in CONTROLS_OF["random"]:
        found = [_word(cell, result) for cell, result in results if _is(cell, "random", kind)]
        telling = telling or BELOW in found
        count = f"{found.count(REACHES)} of {len(found)}"
        rows.append(Measured("random classes in which a control is at least the mentor's, too", kind, count))
    word = together(words, REACHES, BELOW)
    counts = f"{words.count(REACHES)} of {len(words)}"
    return [
        Measured("random classes and β in which the agent is at least the mentor's", "pessimistic", counts),
        *rows,
        _claim("random classes, every β", word if word == BELOW or telling else UNDECIDED),
    ]


def _claim(condition: str, word: str) -> Measured:
    return claim("the pessimistic agent at the last step", condition, word)


def _control(kind: Kind, condition: str, word: str) -> Measured:
    return control(f"{kind}, at the last step", condition, word, MUST_FAIL[kind])


def _word(cell: Cell, result: dict[str, Any]) -> str:
    """Return what is said of one agent in one class."""
    if np.mean(result["late"]) > MOSTLY:
        return ASKS
    return verdict(_interval(cell, result), -TOLERANCE, BELOW, REACHES)


def _interval(cell: Cell, result: dict[str, Any]) -> Interval:
    """Return the interval of the difference at the last checkpoint; a life that draws nothing is exact."""
    values = result["above"][-1]
    if cell.family == "bold mentor" and cell.agent not in DRAWING:
        return values[0], values[0]
    return bounded_student(values, *result["extremes"])


def _is(cell: Cell, family: Family, agent: Kind) -> bool:
    return (cell.family, cell.agent) == (family, agent)


def chosen(results: Results, family: Family, agent: Kind, beta: float | None = None) -> list[dict[str, Any]]:
    """Return the results of one agent in a family, of any β if None."""
    return [result for cell, result in results if _is(cell, family, agent) and (beta is None or cell.beta == beta)]


def differences(found: Sequence[dict[str, Any]], name: str) -> NDArray[np.float64]:
    """Return [C, steps, L], the differences of a kind."""
    return np.array([result[name] for result in found])
