"""Result 1: in the limit the pessimistic agent collects at least as much reward as its mentor would.

There are two families of classes, and all classes contain the truth. With the *bold mentor* there are two arms. The
first pays 1/2. The second pays 1 in the true model (prior 0.3), and in the other model it leads to a state that pays
nothing. The mentor takes the second arm. An agent that plans alone stays at the first arm, which is worth more in the
mixture and in the most likely model. The pessimistic agent asks once, sees that nothing bad happens, and then takes the
second arm by itself. *Random classes* have no such secret.

At several steps of a life the table shows the agent's true value minus the mentor's, as a share of the largest possible
value. The mentor's value is exact. The agent's cannot be computed, because its policy depends on all that it may still
learn and draw. The sum of the exact advantages of its actions, averaged over lives, is an unbiased estimate of the
difference.

The result is about the limit. At the last step an agent's value is *at least the mentor's* in a class if the whole
confidence interval lies above −0.01, and *below the mentor's* if all of it lies below. The interval is widened by what
so many lives may not have shown. An agent *keeps asking* if its last steps are mostly the mentor's.

The result also needs the whole discounted future. *Where a jackpot tempts* the one model is the truth: waiting pays
0.495 a step, work 0.5 forever, and the jackpot 1 and then 0.05 forever. An agent that plans for the next 20 rewards, at
every step again, always finds it best to take the jackpot at the end of its plan, and waits until then. So it waits
forever, gets less than the mentor who works, and never asks. From 24 rewards on it works.

A claim needs controls for which it fails. An agent that never defers, the agent of the most likely model and the full
mixture (both without a mentor) must end below the mentor's. An agent that always defers must keep asking. If the
controls of a random class reach the mentor's level, too, the agent's success there shows nothing. If they do in every
class, the claim about random classes is *not decided*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args

import numpy as np
from pydantic import Field

from multislot.bayes import MentorClass, ModelClass, PessimisticAgent, TabularMentor, TabularModel
from multislot.checks import refusal
from multislot.drawing.pictures import draw_intervals
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLORS, shades
from multislot.mdp.chains import Floats
from multislot.statistics import UNDECIDED, bounded_student, class_bootstrap, together, verdict
from scenarios.conservatism.agents import ALWAYS_DEFERS, LIKELY, NEVER_DEFERS, PESSIMISTIC, claim, control
from scenarios.conservatism.apprenticeship import (
    BELIEF_IN_BOLD,
    CONTROLS,
    ApprenticeSettings,
    Cell,
    Family,
    above_mentor,
    advantages,
    class_mean_row,
    extremes,
    gather,
    lives_of,
)
from scenarios.lab.cells import Axes, Figures, Result, Results, select, select_pairs
from scenarios.lab.table import Row, claim_row, formula_row, mean_row, share_row

Step = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Settings(ApprenticeSettings):
    """How many random classes and lives, which β and which plan."""

    classes: Annotated[int, Field(ge=1, description="random classes of models")] = 10
    seeds: Annotated[int, Field(ge=2, description="lives in each random class, of each agent")] = 100
    bold_seeds: Annotated[int, Field(ge=2, description="lives with the bold mentor, of the pessimistic agent")] = 400
    checkpoints: Annotated[
        tuple[Step, ...], Field(min_length=1, description="steps at which values are compared, ascending")
    ] = (0, 2, 5, 10, 30, 80)


QUICK = Settings(classes=3, seeds=20, bold_seeds=200, betas=(0.0, 0.9), checkpoints=(0, 2, 5, 10, 25))
FULL = Settings(classes=20, seeds=400, bold_seeds=1000, checkpoints=(0, 2, 5, 10, 30, 80, 200))


TOLERANCE = 0.01
MOSTLY = 0.5
ERRORS = 3
AT_LAST = "the pessimistic agent at the last step"
REACHES, SHORT_OF, ASKS = "at least the mentor's", "below the mentor's", "keeps asking"
CONTROLS_OF: dict[Family, tuple[str, ...]] = {"random": (NEVER_DEFERS, LIKELY), "bold mentor": CONTROLS}

MORAL = (
    "If a mentor does what no model of the agent recommends, the agent can become as good only by asking. Agents\n"
    "that trust their own models always choose the arm that looks better, and never learn what the other arm pays.\n"
    "If everything can be learned without the mentor, every agent reaches the mentor's level."
)


def cells(settings: Settings) -> list[Cell]:
    """List a cell for each class, agent and β; controls have one β, the largest."""
    if list(settings.checkpoints) != sorted(set(settings.checkpoints)):
        raise refusal("checkpoints", settings.checkpoints, "ascending steps")
    pessimists = [(PESSIMISTIC, beta) for beta in settings.betas]
    steps = settings.checkpoints[-1] + settings.horizon
    return [
        Cell(settings, agent, beta, family, seed, steps, _lives(settings, agent, family))
        for family in get_args(Family)
        for seed in range(settings.classes if family == "random" else 1)
        for agent, beta in [*pessimists, *((name, max(settings.betas)) for name in CONTROLS_OF[family])]
    ]


def _lives(settings: Settings, agent: str, family: Family) -> int:
    """The number of lives; with the bold mentor the controls draw nothing, so that all their lives are the same."""
    if family == "random":
        return settings.seeds
    return settings.bold_seeds if agent == PESSIMISTIC else 1


def run_cell(cell: Cell) -> Result:
    """The difference of each life to the mentor at each checkpoint, and the life's questions.

    ``extremes`` are the smallest and the largest possible difference. ``late`` is the share of questions after the last
    checkpoint.
    """
    lived, advantage = lives_of(cell), advantages(cell)
    discount, steps = cell.settings.discount, cell.settings.checkpoints
    return {
        "above": [[above_mentor(life, step, advantage, discount) for life in lived] for step in steps],
        "extremes": list(extremes(advantage, discount)),
        "asked": [[sum(life.queries[:step]) for life in lived] for step in steps],
        "late": [float(np.mean(life.queries[steps[-1] :])) for life in lived],
    }


def table(settings: Settings, results: Results) -> list[Row]:
    rows: list[Row] = []
    for family in get_args(Family):
        common = _common(settings, family)
        for beta in settings.betas:
            above = gather(results, "above", family=family, agent=PESSIMISTIC, beta=beta)
            for index, step in enumerate(settings.checkpoints):
                case = f"β={beta:g}, step {step}"
                rows.append(class_mean_row(f"value above the mentor's, {family}", case, common, above[:, index]))
        for name in CONTROLS_OF[family]:
            last = gather(results, "above", family=family, agent=name)[:, -1]
            quantity = f"value above the mentor's at the last step, {family}"
            rows.append(class_mean_row(quantity, f"control: {name}", common, last))
    return [
        *rows,
        *_questions(settings, results),
        *_bold_verdicts(results),
        *_random_verdicts(results),
        *_receding_rows(),
    ]


def _common(settings: Settings, family: Family) -> str:
    plan = f"exact plan, γ={settings.discount}, horizon {settings.horizon}"
    if family == "bold mentor":
        return f"{family}, {settings.bold_seeds} lives, {plan}"
    return f"{settings.classes} random classes × {settings.seeds} lives, {settings.models} models, {plan}"


def _questions(settings: Settings, results: Results) -> list[Row]:
    """Compare how often the bold mentor is asked with the chance of having drawn the model in which it is right."""
    rows = []
    for beta in settings.betas:
        (result,) = select(results, family="bold mentor", agent=PESSIMISTIC, beta=beta)
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
    words = _words(results, "bold mentor", PESSIMISTIC)
    # One β at which the agent still asks decides the claim, whatever the others do.
    word = ASKS if ASKS in words else together(words, REACHES, SHORT_OF)
    rows = [claim(AT_LAST, "bold mentor, every β", word)]
    for name in CONTROLS:
        (word,) = _words(results, "bold mentor", name)
        must = ASKS if name == ALWAYS_DEFERS else SHORT_OF
        rows.append(control(f"{name}, at the last step", "bold mentor", word, must))
    return rows


def _random_verdicts(results: Results) -> list[Row]:
    """Judge random classes: not decided if in no class the agent differs from those that plan alone."""
    words = _words(results, "random", PESSIMISTIC)
    rows, telling = [], False
    for name in CONTROLS_OF["random"]:
        verdicts = _words(results, "random", name)
        telling = telling or SHORT_OF in verdicts
        count = f"{verdicts.count(REACHES)} of {len(verdicts)}"
        rows.append(Row("random classes in which a control is at least the mentor's, too", name, count))
    word = together(words, REACHES, SHORT_OF)
    counts = f"{words.count(REACHES)} of {len(words)}"
    return [
        Row("random classes and β in which the agent is at least the mentor's", "pessimistic", counts),
        *rows,
        claim(AT_LAST, "random classes, every β", word if word == SHORT_OF or telling else UNDECIDED),
    ]


WAITING, WORKING, WORN_OUT = range(3)
WAIT, WORK, JACKPOT = range(3)
PATIENCE, WAGE, PRIZE, REST = 0.495, 0.5, 1.0, 0.05
TEMPTED = "where a jackpot tempts"
TEMPTED_DISCOUNT, TEMPTED_STEPS = 0.9, 30
RECEDING, FAR = 20, 24


def _tempting_model() -> TabularModel:
    """Waiting leads back, work and the jackpot lead to states that are never left."""
    transition, reward = np.zeros((3, 3, 3)), np.full((3, 3), PATIENCE)
    for action, (state, paid) in enumerate(((WAITING, PATIENCE), (WORKING, WAGE), (WORN_OUT, PRIZE))):
        transition[WAITING, action, state], reward[WAITING, action] = 1, paid
    transition[WORKING, :, WORKING], reward[WORKING] = 1, WAGE
    transition[WORN_OUT, :, WORN_OUT], reward[WORN_OUT] = 1, REST
    return TabularModel(transition, reward)


def live_tempted(horizon: int) -> tuple[int, float]:
    """Let the pessimistic agent live where a jackpot tempts: its questions, and the reward of its last step."""
    model, mentor = _tempting_model(), TabularMentor([WORK] * 3, n_actions=3)
    agent = PessimisticAgent(ModelClass([model]), MentorClass([mentor]), 0.9, TEMPTED_DISCOUNT, horizon, exact=False)
    state, questions, paid = WAITING, 0, 0.0
    for _ in range(TEMPTED_STEPS):
        action = agent.decide().action
        questions += action is None
        taken = WORK if action is None else action
        ((percept, _),) = model.law(state, taken).items()
        agent.observe(taken, percept, action is None)
        state, paid = percept
    return questions, paid


def _receding_rows() -> list[Row]:
    """Compare the last step of agents that plan for few rewards, and for enough, with the mentor's."""
    common = f"{TEMPTED}, γ={TEMPTED_DISCOUNT}, {TEMPTED_STEPS} steps"
    rows = []
    for horizon, paid in ((RECEDING, PATIENCE), (FAR, WAGE)):
        questions, last = live_tempted(horizon)
        case, source = f"horizon {horizon}", "waits where γ^(T−1) > 1/11, otherwise works"
        rows += [
            formula_row("reward of the last step", case, common, last, paid, source),
            formula_row("questions of a life", case, common, questions, 0, source),
            claim_row(AT_LAST, f"{TEMPTED}, {case}", last >= WAGE, "result 1", control=paid < WAGE),
        ]
    return rows


def _words(results: Results, family: Family, agent: str) -> list[str]:
    """The verdict on each cell of a family and an agent, at the last checkpoint."""
    words = []
    for _, result in select_pairs(results, family=family, agent=agent):
        values = result["above"][-1]
        draws_nothing = family == "bold mentor" and agent != PESSIMISTIC  # so the difference has no interval
        interval = (values[0], values[0]) if draws_nothing else bounded_student(values, *result["extremes"])
        keeps_asking = np.mean(result["late"]) > MOSTLY
        words.append(ASKS if keeps_asking else verdict(interval, -TOLERANCE, SHORT_OF, REACHES))
    return words


STYLES = {
    name: (COLORS[number + 1], marker) for number, (name, marker) in enumerate(zip(CONTROLS, "sDv^", strict=True))
}
APART = 0.05
LINEAR_BELOW = 1
TITLES: dict[Family, str] = {
    "random": "random classes: controls without\na mentor reach it, too",
    "bold mentor": "bold mentor: only an agent that asks\nlearns of the better arm",
}


def figures(settings: Settings, results: Results) -> Figures:
    """Draw a panel for each family; lines are means over classes and lives, whiskers 95% confidence."""
    figure = new_figure(10, 5.4)
    for panel, family in zip(figure.subplots(1, 2), get_args(Family)[::-1], strict=True):
        _draw_family(panel, settings, results, family)
    figure.suptitle(
        f"{settings.classes} random classes with {settings.seeds} lives each, "
        f"{settings.bold_seeds} lives with the bold mentor; whiskers: 95% confidence"
    )
    return {"mentor-level": figure}


def _draw_family(panel: Axes, settings: Settings, results: Results, family: Family) -> None:
    colors = shades(len(settings.betas), last=0.8)
    for number, (beta, color) in enumerate(zip(settings.betas, colors, strict=True)):
        above = gather(results, "above", family=family, agent=PESSIMISTIC, beta=beta)
        shift = (number - (len(colors) - 1) / 2) * APART
        _draw(panel, settings.checkpoints, above, shift, color=color, fmt="o-", label=f"pessimistic, β={beta:g}")
    for number, name in enumerate(CONTROLS_OF[family], 1):
        color, marker = STYLES[name]
        style = {"color": color, "fmt": f"{marker}:", "label": f"control: {name}", "alpha": 0.8}
        above = gather(results, "above", family=family, agent=name)
        _draw(panel, settings.checkpoints, above, number * APART, **style)
    panel.axhline(0, color="black", linewidth=0.8)
    panel.set_xscale("symlog", linthresh=LINEAR_BELOW, linscale=0.5)
    panel.set_xticks(settings.checkpoints, [str(step) for step in settings.checkpoints])
    panel.minorticks_off()
    panel.set(xlabel=f"step (logarithmic from {LINEAR_BELOW} on)", xlim=(-0.3, None), title=TITLES[family])
    panel.set_ylabel("value above the mentor's\n(share of the largest value)")
    panel.grid()
    panel.legend(ncols=2, **BELOW)


def _draw(panel: Axes, checkpoints: Sequence[int], values: Floats, shift: float, **style: Any) -> None:
    """Draw a mean over classes and lives, [C, steps, L], with whiskers at every checkpoint.

    Each point is shifted by a share of its step.
    """
    means = values.mean(axis=(0, 2))
    ends = [class_bootstrap(values[:, step]) for step in range(len(means))]
    places = [step * (1 + shift) if step >= LINEAR_BELOW else step + shift for step in checkpoints]
    draw_intervals(panel, places, means, ends, upright=True, **style)
