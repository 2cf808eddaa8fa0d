"""Pictures of the benchmark: learning, the exact staircase with learners on it, and regret as tasks grow."""

from statistics import fmean

import numpy as np

from considerate.exact.frontiers import frontier
from considerate.sweeps import draw_exact, draw_learned
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import COLORS
from multislot.statistics import clopper_pearson
from scenarios.consideration.known_answers import HARD, RIGHT, Settings, interquartile_mean
from scenarios.consideration.known_answers.environment import RECORDS, find_task
from scenarios.consideration.known_answers.families import GENERATED, SIZES
from scenarios.lab.cells import Axes, Figures, Results


def figures(settings: Settings, results: Results) -> Figures:
    """Draw learning, a staircase, and regret as tasks grow, if there are such tasks."""
    right = [(cell, result) for cell, result in results if cell.reward == RIGHT]
    learners = list(dict.fromkeys(cell.learner for cell, _ in right))
    grown = [(cell, result) for cell, result in right if cell.task in GENERATED]
    draws = {"learning": (_draw_learning, right), "staircase": (_draw_staircase, right)}
    if grown:
        draws["growth"] = _draw_growth, grown
    drawn = {}
    for name, (draw, shown) in draws.items():
        drawn[name] = new_figure(6.4, 4.4)
        draw(drawn[name].add_subplot(), shown, learners)
    return drawn


def _draw_learning(axes: Axes, results: Results, learners: list[str]) -> None:
    """Draw the share of exact runs after each part of the steps, hard tasks left out."""
    for learner, color in zip(learners, COLORS, strict=False):
        runs = [
            (cell, [*(regret == 0 for regret in result["earlier"]), result["exact"]])
            for cell, result in results
            if cell.learner == learner and cell.task not in HARD
        ]
        shown = [(cell, exact) for cell, exact in runs if len(exact) == RECORDS]
        if shown:
            steps = [shown[0][0].steps * part / RECORDS for part in range(1, RECORDS + 1)]
            counts = np.sum([exact for _, exact in shown], axis=0).tolist()
            low, high = zip(*(clopper_pearson(count, len(shown)) for count in counts), strict=True)
            axes.fill_between(steps, low, high, color=color, alpha=0.2, lw=0)
            axes.plot(steps, [count / len(shown) for count in counts], "o-", color=color, label=learner)
        elif runs:
            axes.axhline(fmean(exact[-1] for _, exact in runs), color=color, ls="--", label=learner)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("steps")
    axes.set_ylabel("share of runs that are exact, 95% interval")
    axes.legend()


def _draw_staircase(axes: Axes, results: Results, learners: list[str]) -> None:
    """Draw everyone's return against the coefficient in one task: exact, and of the learner with most coefficients."""
    tasks = dict.fromkeys(cell.task for cell, _ in results if cell.criterion == "value")
    if not tasks:
        return
    name = min(tasks, key=lambda name: (name in HARD, len(find_task(name).agents)))
    on_it = [(cell, result) for cell, result in results if cell.task == name and cell.criterion == "value"]
    learner = max(learners, key=lambda learner: len({cell.alpha for cell, _ in on_it if cell.learner == learner}))
    shown = [(cell, result) for cell, result in on_it if cell.learner == learner]
    alphas = sorted({cell.alpha for cell, _ in shown})
    exact, most = frontier(find_task(name), "value"), float(alphas[-1]) or 1.0
    for agent, color in zip(find_task(name).agents, COLORS, strict=False):
        draw_exact(axes, exact, agent, most, color)
        returns = [[result["returns"].get(agent, 0.0) for cell, result in shown if cell.alpha == at] for at in alphas]
        draw_learned(axes, list(map(float, alphas)), returns, agent, color)
    axes.set_title(f"{name}, {learner}; exact: dashed")
    axes.set_xlabel("caring coefficient α₂")
    axes.set_ylabel("return, mean and 95% interval")
    axes.legend()


def _draw_growth(axes: Axes, results: Results, learners: list[str]) -> None:
    """Draw the mean regret against the number of states, a line for each family and learner."""
    for family, style in zip(SIZES, ("o-", "s--"), strict=True):
        for learner, color in zip(learners, COLORS, strict=False):
            points: dict[int, list[float]] = {}
            for cell, result in results:
                if cell.learner == learner and cell.task.startswith(family):
                    points.setdefault(find_task(cell.task).graph.n_states, []).append(result["regret"])
            if points:
                means, ends = zip(*(interquartile_mean(points[states]) for states in sorted(points)), strict=True)
                reach = [(mean - low, high - mean) for mean, (low, high) in zip(means, ends, strict=True)]
                label = f"{learner}, {family}"
                axes.errorbar(
                    sorted(points), means, np.transpose(reach), fmt=style, color=color, label=label, capsize=3
                )
    axes.set_xscale("log")
    axes.set_yscale("symlog")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("states")
    axes.set_ylabel("regret, interquartile mean, 95% interval")
    axes.legend(fontsize="small")
