"""Result 1: in the limit the pessimistic agent collects at least as much reward as its mentor would.

Two families of classes, both with the truth in them. With the *bold mentor* there are two arms: one pays 1/2, the other
pays 1 in the true model (prior 0.3) and leads where nothing is paid in the other. The mentor takes the second arm. An
agent that plans alone stays at the first arm: it is worth more in the mixture and in the most likely model. The
pessimistic agent asks once, sees that nothing bad happens, and goes on by itself. *Random classes* have no such secret.

At several steps of a life the table shows what the agent is truly worth more than the mentor from where it is, as a
share of the largest possible value. The mentor's side is exact. The agent's cannot be computed, for its policy depends
on all that it may yet learn and draw. The sum of the exact advantages of its actions is an unbiased estimate of the
difference, averaged over lives. The best policy for these rewards is shown next to it; an agent that plans again at
every step need not reach it.

The result is about the limit. After so many steps an agent is *at least the mentor's* in a class if the whole
confidence interval lies above −0.01, and *below the mentor's* if it lies below. The interval allows for what so many
lives may not have shown. An agent whose last steps are mostly the mentor's own *keeps asking*.

A claim needs controls that fail it. An agent that never defers, the most likely model's agent and the full mixture
(both without a mentor) must end below the mentor's; an agent that always defers must keep asking. In a random class in
which these end at the mentor's level, too, the agent's success says nothing: where no class tells them apart, the claim
about random classes is *not decided*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from multislot.checks import refusal
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLORS
from multislot.statistics import UNDECIDED, Interval, bounded_student, class_bootstrap, together, verdict, whiskers
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
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.table import Row, interval_row, mean_row, share_row

Beta = Annotated[float, Field(ge=0, lt=1)]
Step = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Settings:
    """How many random classes and lives, which β and which plan."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 10
    seeds: Annotated[int, Field(ge=2, description="lives in each random class, of each agent")] = 100
    bold_seeds: Annotated[int, Field(ge=2, description="lives with the bold mentor, of the pessimistic agent")] = 400
    betas: Annotated[tuple[Beta, ...], Field(min_length=1, description="β, each in [0, 1)")] = (0.0, 0.5, 0.9, 0.99)
    planner: Annotated[Literal["exact", "step-wise"], Field(description="how the agent plans")] = "exact"
    models: Annotated[int, Field(ge=1, description="models in a random class")] = 4
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.7
    horizon: Annotated[int, Field(ge=1, description="rewards that every value looks ahead")] = 3
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z, as a share of the largest value")] = 0.01
    checkpoints: Annotated[
        tuple[Step, ...], Field(min_length=1, description="steps at which values are compared, ascending")
    ] = (0, 2, 5, 10, 30, 80)


QUICK = Settings(classes=3, seeds=20, bold_seeds=200, betas=(0.0, 0.9), checkpoints=(0, 2, 5, 10, 25))
FULL = Settings(classes=20, seeds=400, bold_seeds=1000, checkpoints=(0, 2, 5, 10, 30, 80, 200))


TOLERANCE = 0.01
MOSTLY = 0.5
ERRORS = 3
NO_TWINS = 0.0
PESSIMISTIC: Kind = "pessimistic"
DRAWING = (PESSIMISTIC,)
REACHES, SHORT_OF, ASKS = "at least the mentor's", "below the mentor's", "keeps asking"
CONTROLS_OF: dict[Family, tuple[Kind, ...]] = {"random": ("never defers", "most likely model"), "bold mentor": CONTROLS}
MUST_FAIL: dict[Kind, str] = {kind: ASKS if kind == "always defers" else SHORT_OF for kind in CONTROLS}

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
    """Return one cell for each class, agent and β; controls have one β, the largest."""
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


def table(settings: Settings, results: Results) -> list[Row]:
    """Return the difference over time by family and β, and whether it ends at the mentor's level."""
    rows: list[Row] = []
    for family in get_args(Family):
        common = _common(settings, family)
        for beta in settings.betas:
            of_beta = chosen(results, family, PESSIMISTIC, beta)
            rows += _over_time(settings, family, beta, common, of_beta)
        for kind in CONTROLS_OF[family]:
            last = differences(chosen(results, family, kind), "above")[:, -1]
            rows.append(_mean(f"value above the mentor's at the last step, {family}", f"control: {kind}", common, last))
    return [*rows, *_questions(settings, results), *_bold_verdicts(results), *_random_verdicts(results)]


def _common(settings: Settings, family: Family) -> str:
    plan = f"{settings.planner} plan, γ={settings.discount}, horizon {settings.horizon}"
    if family == "bold mentor":
        return f"{family}, {settings.bold_seeds} lives, {plan}"
    return f"{settings.classes} random classes × {settings.seeds} lives, {settings.models} models, {plan}"


def _over_time(
    settings: Settings, family: Family, beta: float, common: str, of_beta: Sequence[dict[str, Any]]
) -> list[Row]:
    """Return the rows of the pessimistic agent at one β."""
    above, possible = (differences(of_beta, name) for name in ("above", "possible"))
    rows = []
    for index, step in enumerate(settings.checkpoints):
        case = f"β={beta:g}, step {step}"
        rows.append(_mean(f"value above the mentor's, {family}", case, common, above[:, index]))
        rows.append(_mean(f"the best policy's value above the mentor's, {family}", case, common, possible[:, index]))
    return rows


def _mean(quantity: str, case: str, common: str, values: NDArray[np.float64]) -> Row:
    return interval_row(quantity, case, common, float(values.mean()), class_bootstrap(values))


def _questions(settings: Settings, results: Results) -> list[Row]:
    """Return how often the bold mentor is asked, next to the chance of having drawn the model in which it is right."""
    rows = []
    for beta in settings.betas:
        (result,) = chosen(results, "bold mentor", PESSIMISTIC, beta)
        case, common = f"β={beta:g}", _common(settings, "bold mentor")
        asked = np.array(result["asked"])
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


def _bold_verdicts(results: Results) -> list[Row]:
    """Return the claim about the class that tells agents apart, and its controls."""
    words = [_word(cell, result) for cell, result in results if _is(cell, "bold mentor", PESSIMISTIC)]
    rows = [_claim("bold mentor, every β", together(words, REACHES, SHORT_OF) if ASKS not in words else ASKS)]
    for kind in CONTROLS:
        ((cell, result),) = [pair for pair in results if _is(pair[0], "bold mentor", kind)]
        rows.append(control(f"{kind}, at the last step", "bold mentor", _word(cell, result), MUST_FAIL[kind]))
    return rows


def _random_verdicts(results: Results) -> list[Row]:
    """Return the claim about random classes: not decided if no class tells the agent from those that plan alone."""
    words = [_word(cell, result) for cell, result in results if _is(cell, "random", PESSIMISTIC)]
    rows, telling = [], False
    for kind in CONTROLS_OF["random"]:
        verdicts = [_word(cell, result) for cell, result in results if _is(cell, "random", kind)]
        telling = telling or SHORT_OF in verdicts
        count = f"{verdicts.count(REACHES)} of {len(verdicts)}"
        rows.append(Row("random classes in which a control is at least the mentor's, too", kind, count))
    word = together(words, REACHES, SHORT_OF)
    counts = f"{words.count(REACHES)} of {len(words)}"
    return [
        Row("random classes and β in which the agent is at least the mentor's", "pessimistic", counts),
        *rows,
        _claim("random classes, every β", word if word == SHORT_OF or telling else UNDECIDED),
    ]


def _claim(condition: str, word: str) -> Row:
    return claim("the pessimistic agent at the last step", condition, word)


def _word(cell: Cell, result: dict[str, Any]) -> str:
    """Judge one agent in one class."""
    if np.mean(result["late"]) > MOSTLY:
        return ASKS
    return verdict(_interval(cell, result), -TOLERANCE, SHORT_OF, REACHES)


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


def differences(results: Sequence[dict[str, Any]], name: str) -> NDArray[np.float64]:
    """Return [C, steps, L], the differences of a kind."""
    return np.array([result[name] for result in results])


STYLES: dict[Kind, tuple[str, str]] = {
    kind: (COLORS[number + 1], marker) for number, (kind, marker) in enumerate(zip(CONTROLS, "sDv^", strict=True))
}
APART = 0.05
LINEAR_BELOW = 1
TITLES: dict[Family, str] = {
    "random": "random classes: controls without\na mentor reach it, too",
    "bold mentor": "bold mentor: only an agent that asks\nlearns of the better arm",
}


def figures(settings: Settings, results: Results) -> Figures:
    """Return one figure, a panel a family; lines are means over classes and lives, whiskers 95% confidence."""
    figure = new_figure(10, 5.4)
    for panel, family in zip(figure.subplots(1, 2), get_args(Family)[::-1], strict=True):
        _draw_family(panel, settings, results, family)
    figure.suptitle(
        f"{settings.planner} plan; {settings.classes} random classes with {settings.seeds} lives each, "
        f"{settings.bold_seeds} lives with the bold mentor; whiskers: 95% confidence"
    )
    return {"mentor-level": figure}


def _draw_family(panel: Axes, settings: Settings, results: Results, family: Family) -> None:
    """Draw the pessimistic agent at every β, the controls, and the best policy."""
    from matplotlib import colormaps

    lines = [
        (f"pessimistic, β={beta:g}", chosen(results, family, PESSIMISTIC, beta), "above") for beta in settings.betas
    ]
    shades = colormaps["viridis"](np.linspace(0, 0.8, len(lines)))
    for number, (label, of_agent, name) in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * APART
        _draw(panel, settings.checkpoints, of_agent, name, shift, color=shades[number], fmt="o-", label=label)
    for number, kind in enumerate(CONTROLS_OF[family]):
        color, marker = STYLES[kind]
        style = {"color": color, "fmt": f"{marker}:", "label": f"control: {kind}", "alpha": 0.8}
        _draw(panel, settings.checkpoints, chosen(results, family, kind), "above", (number + 1) * APART, **style)
    best = differences(lines[0][1], "possible").mean(axis=(0, 2))
    panel.plot(settings.checkpoints, best, "k--", linewidth=1, label="best policy")
    panel.axhline(0, color="black", linewidth=0.8)
    panel.set_xscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
    panel.set_xticks(settings.checkpoints, [str(step) for step in settings.checkpoints])
    panel.minorticks_off()
    panel.set_xlim(left=-0.3)
    panel.set_xlabel(f"step (logarithmic from {LINEAR_BELOW} on)")
    panel.set_ylabel("value above the mentor's\n(share of the largest value)")
    panel.set_title(TITLES[family])
    panel.grid()
    panel.legend(ncols=2, **BELOW)


def places(checkpoints: Sequence[int], shift: float) -> list[float]:
    """Return where the points of a line are: next to their steps, by the same share of each, so that all are seen."""
    return [step * (1 + shift) if step >= LINEAR_BELOW else step + shift for step in checkpoints]


def _draw(
    panel: Axes, checkpoints: Sequence[int], results: list[dict[str, Any]], name: str, shift: float, **style: Any
) -> None:
    """Draw a mean over classes and lives with whiskers, at every checkpoint."""
    values = differences(results, name)
    means = values.mean(axis=(0, 2))
    reach = np.hstack([whiskers(means[step], class_bootstrap(values[:, step])) for step in range(len(means))])
    panel.errorbar(places(checkpoints, shift), means, reach, **style)
