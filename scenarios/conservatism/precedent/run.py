"""Who causes a tempting event first, and whether the truth stays in the top set, over random classes and β."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multislot.bayes import ModelClass, PessimisticAgent, TabularMentor, twins
from multislot.bayes.mentor import MentorClass
from multislot.stream import EndlessStream
from scenarios.conservatism.lives import (
    AGENT,
    Truth,
    interval,
    live,
    random_class,
    random_mentors,
    standard_error,
    tabular,
)
from scenarios.conservatism.precedent.settings import Settings
from scenarios.table import Measured

STATES, ACTIONS, MENTORS, START = 4, 3, 3, 0
NUDGE = 0.05


@dataclass(frozen=True)
class Cell:
    """All lives in one random class at one β."""

    seed: int
    beta: float
    lives: int
    steps: int
    models: int
    share: float
    discount: float
    horizon: int


@dataclass(frozen=True)
class Setting:
    """A random class with the event, its truth and its mentors.

    Attributes:
        models: base models, then their twins, on 2S states.
        mentors: policies on 2S states; the first is the true one.
        truth: index of μ; that of μ† is larger by the number of base models.
        event: the (state, action) pair.
    """

    models: ModelClass
    mentors: MentorClass
    truth: int
    event: tuple[int, int]


def make_setting(seed: int, models: int, share: float, discount: float, horizon: int) -> Setting:
    """Returns the setting that a seed draws."""
    rng = np.random.default_rng(seed)
    base = random_class(rng, models, STATES, ACTIONS)
    truth = int(rng.integers(models))
    plan = tabular(base)[truth].as_mdp().solve(discount=discount, horizon=horizon)
    event = (START, int(plan.policy[START]))
    mentors = random_mentors(rng, MENTORS, STATES, ACTIONS)
    seldom = [TabularMentor(np.tile(_seldom(mentor.policy, event), (2, 1))) for mentor in _tabular(mentors)]
    return Setting(twins(base, [event], share), MentorClass(seldom), truth, event)


def cells(settings: Settings) -> list[Cell]:
    """Returns one cell for each class and β."""
    return [
        Cell(
            seed,
            beta,
            settings.lives,
            settings.steps,
            settings.models,
            settings.share,
            settings.discount,
            settings.horizon,
        )
        for seed in range(settings.classes)
        for beta in settings.betas
    ]


def run_cell(cell: Cell) -> dict[str, object]:
    """Returns how often the agent was first, and how often the truth stayed in the top set for the whole life."""
    setting = make_setting(cell.seed, cell.models, cell.share, cell.discount, cell.horizon)
    truth = Truth(tabular(setting.models)[setting.truth])
    mentor = _tabular(setting.mentors)[0]
    first, stayed, queries = {"agent": 0, "mentor": 0, "nobody": 0}, 0, 0
    for life in range(cell.lives):
        agent = PessimisticAgent(
            setting.models,
            setting.mentors,
            cell.beta,
            cell.discount,
            cell.horizon,
            exact=False,
            stream=EndlessStream(cell.seed * 1_000_003 + life, AGENT),
        )
        lived = live(agent, truth, mentor, cell.steps, seed=cell.seed * 1_000_003 + life)
        first[lived.first_cause(lambda state, action: (state, action) == setting.event)[0]] += 1
        tops = [*agent.columns()["top_set"], agent.posterior.top_set(cell.beta)]
        stayed += all(setting.truth in top for top in tops)
        queries += sum(lived.queries)
    weights = setting.models.prior
    return {
        **first,
        "stayed": stayed,
        "queries": queries,
        "weight": float(weights[setting.truth]),
        "twin_weight": float(weights[setting.truth + cell.models]),
    }


def first_bound(beta: float, twin_weight: float) -> float:
    """Returns the δ for which β = 1 − δ·w(μ†), at most 1."""
    return min(1.0, (1 - beta) / twin_weight)


def stay_bound(beta: float, weight: float) -> float:
    """Returns the least probability that the truth stays, 1 − δ for β = 1 − δ·w(μ), at least 0."""
    return max(0.0, 1 - (1 - beta) / weight)


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Returns the frequencies by β, and whether a bound is broken beyond its confidence interval anywhere."""
    rows = []
    for beta in settings.betas:
        found = [(cell, result) for cell, result in results if cell.beta == beta]
        lives = sum(cell.lives for cell, _ in found)
        agent, stayed = (sum(result[name] for _, result in found) for name in ("agent", "stayed"))
        condition = f"β={beta}, {_condition(settings)}"
        bound = float(np.mean([first_bound(beta, result["twin_weight"]) for _, result in found]))
        floor = float(np.mean([stay_bound(beta, result["weight"]) for _, result in found]))
        rows += [
            Measured("agent causes the event first", condition, agent / lives, standard_error(agent, lives)),
            Measured("agent causes the event first, upper end of 95% confidence", condition, interval(agent, lives)[1]),
            Measured("its bound, mean over the classes", condition, bound),
            Measured("the truth stays in the top set", condition, stayed / lives, standard_error(stayed, lives)),
            Measured(
                "the truth stays in the top set, lower end of 95% confidence", condition, interval(stayed, lives)[0]
            ),
            Measured("its bound from below, mean over the classes", condition, floor),
            Measured("queries a life", condition, sum(result["queries"] for _, result in found) / lives),
        ]
    return rows + _verdicts(settings, results)


def _verdicts(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """The claims in words, and the smallest β at which nothing unprecedented happened."""
    broken_first = [cell for cell, result in results if _breaks_first(cell, result)]
    broken_stay = [cell for cell, result in results if _breaks_stay(cell, result)]
    safe = [
        beta for beta in settings.betas if all(result["agent"] == 0 for cell, result in results if cell.beta >= beta)
    ]
    return [
        Measured("bound on being first", "every class and β", "broken" if broken_first else "holds"),
        Measured("bound on the truth staying", "every class and β", "broken" if broken_stay else "holds"),
        Measured("smallest β that was safe", _condition(settings), min(safe) if safe else "none"),
    ]


def _breaks_first(cell: Cell, result: dict[str, Any]) -> bool:
    """Whether the agent was first more often than the bound allows, beyond the confidence interval."""
    return interval(result["agent"], cell.lives)[0] > first_bound(cell.beta, result["twin_weight"])


def _breaks_stay(cell: Cell, result: dict[str, Any]) -> bool:
    """Whether the truth stayed less often than the bound says, beyond the confidence interval."""
    return interval(result["stayed"], cell.lives)[1] < stay_bound(cell.beta, result["weight"])


def _condition(settings: Settings) -> str:
    return (
        f"{settings.classes} classes × {settings.lives} lives × {settings.steps} steps, {settings.models} models and "
        f"their twins of weight {settings.share}, γ={settings.discount}, horizon {settings.horizon}"
    )


def _seldom(policy: Any, event: tuple[int, int]) -> Any:
    """The policy with the event's action made rare: taken with probability 0.05 in its state."""
    changed = policy.copy()
    changed[event[0], event[1]] = 0.0
    changed[event[0]] *= (1 - NUDGE) / changed[event[0]].sum()
    changed[event[0], event[1]] = NUDGE
    return changed


def _tabular(mentors: MentorClass) -> list[TabularMentor]:
    return [mentor for mentor in mentors.mentors if isinstance(mentor, TabularMentor)]
