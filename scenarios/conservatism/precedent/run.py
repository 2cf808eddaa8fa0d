"""Who causes a tempting event first, and whether the truth stays in the top set, over random classes and β."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from multislot.bayes import Event, Ledger, ModelClass, PessimisticAgent, TabularMentor, twins
from multislot.bayes.mentor import MentorClass
from multislot.stream import EndlessStream
from scenarios.conservatism.lives import (
    AGENT,
    Truth,
    interval,
    live,
    mean_and_error,
    random_class,
    random_mentors,
    standard_error,
    tabular,
)
from scenarios.conservatism.precedent.settings import Settings
from scenarios.table import Measured

STATES, ACTIONS, MENTORS, START = 4, 3, 3, 0
NUDGE = 0.05
EVENT = "the tempting event"
Twinned = Literal["every model", "the truth alone"]
CONCENTRATION = {"every model": 0.5, "the truth alone": 10.0}


@dataclass(frozen=True)
class Cell:
    """All lives in one random class at one β; `twinned` says which models have a twin."""

    seed: int
    beta: float
    lives: int
    steps: int
    models: int
    share: float
    discount: float
    horizon: int
    twinned: Twinned = "every model"


@dataclass(frozen=True)
class Setting:
    """A random class with the event, its truth and its mentors.

    Attributes:
        models: base models, then the twins, on 2S states.
        mentors: policies on 2S states; the first is the true one.
        truth: index of μ.
        twin: index of μ†.
        event: the (state, action) pair.
    """

    models: ModelClass
    mentors: MentorClass
    truth: int
    twin: int
    event: tuple[int, int]


def make_setting(
    seed: int, models: int, share: float, discount: float, horizon: int, twinned: Twinned = "every model"
) -> Setting:
    """Returns the setting that a seed draws."""
    rng = np.random.default_rng(seed)
    base = random_class(rng, models, STATES, ACTIONS, CONCENTRATION[twinned])
    truth = int(rng.integers(models))
    plan = tabular(base)[truth].as_mdp().solve(discount=discount, horizon=horizon)
    event = (START, int(plan.policy[START]))
    mentors = random_mentors(rng, MENTORS, STATES, ACTIONS)
    seldom = [TabularMentor(np.tile(_seldom(mentor.policy, event), (2, 1))) for mentor in _tabular(mentors)]
    both = twins(base, [event], share)
    if twinned == "every model":
        return Setting(both, MentorClass(seldom), truth, models + truth, event)
    prior = np.append(both.prior[:models], share)
    alone = ModelClass([*both.models[:models], both.models[models + truth]], prior)
    return Setting(alone, MentorClass(seldom), truth, models, event)


def cells(settings: Settings) -> list[Cell]:
    """Returns one cell for each class and β, where every model has a twin and where the truth alone has one."""
    return [
        Cell(
            seed,
            beta,
            settings.lives,
            settings.steps,
            settings.models,
            share_of(settings, twinned),
            settings.discount,
            settings.horizon,
            twinned,
        )
        for twinned in get_args(Twinned)
        for seed in range(settings.classes)
        for beta in settings.betas
    ]


def share_of(settings: Settings, twinned: str) -> float:
    """Returns the prior probability of the twins together."""
    return settings.share if twinned == "every model" else settings.alone


def run_cell(cell: Cell) -> dict[str, object]:
    """Returns how often the agent was first and when, and how often the truth stayed in the top set for life."""
    setting = make_setting(cell.seed, cell.models, cell.share, cell.discount, cell.horizon, cell.twinned)
    event = Event.of_pairs(EVENT, [setting.event], START)
    truth = Truth(tabular(setting.models)[setting.truth])
    mentor = _tabular(setting.mentors)[0]
    first, stayed, queries = {"agent": 0, "mentor": 0, "nobody": 0}, 0, 0
    when: list[int] = []
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
        ledger = Ledger.of([event], agent.done)
        cause = ledger.first.get(EVENT)
        first["nobody" if cause is None else cause.who] += 1
        when += [cause.step] if cause is not None and ledger.agent_was_first(EVENT) else []
        tops = [*agent.columns()["top_set"], agent.posterior.top_set(cell.beta)]
        stayed += all(setting.truth in top for top in tops)
        queries += sum(lived.queries)
    weights = setting.models.prior
    return {
        **first,
        "when": when,
        "stayed": stayed,
        "queries": queries,
        "weight": float(weights[setting.truth]),
        "twin_weight": float(weights[setting.twin]),
    }


def first_bound(beta: float, twin_weight: float) -> float:
    """Returns the δ for which β = 1 − δ·w(μ†), at most 1."""
    return min(1.0, (1 - beta) / twin_weight)


def stay_bound(beta: float, weight: float) -> float:
    """Returns the least probability that the truth stays, 1 − δ for β = 1 − δ·w(μ), at least 0."""
    return max(0.0, 1 - (1 - beta) / weight)


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Returns the frequencies by β, and whether a bound is broken beyond its confidence interval anywhere."""
    rows = [
        row
        for twinned in get_args(Twinned)
        for row in _family(settings, [pair for pair in results if pair[0].twinned == twinned], twinned)
    ]
    return rows + _verdicts(results)


def _family(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]], twinned: str) -> list[Measured]:
    """The rows of the classes in which the same models have twins."""
    rows = []
    for beta in settings.betas:
        found = [(cell, result) for cell, result in results if cell.beta == beta]
        lives = sum(cell.lives for cell, _ in found)
        agent, stayed = (sum(result[name] for _, result in found) for name in ("agent", "stayed"))
        condition = f"β={beta}, {_condition(settings, twinned)}"
        delta = float(np.mean([(1 - beta) / result["twin_weight"] for _, result in found]))
        when = [step for _, result in found for step in result["when"]]
        bound = float(np.mean([first_bound(beta, result["twin_weight"]) for _, result in found]))
        floor = float(np.mean([stay_bound(beta, result["weight"]) for _, result in found]))
        rows += [
            Measured("agent causes the event first", condition, agent / lives, standard_error(agent, lives)),
            Measured("agent causes the event first, upper end of 95% confidence", condition, interval(agent, lives)[1]),
            Measured("δ = (1−β)/w(μ†), mean over the classes", condition, delta),
            Measured("its bound, δ but at most 1, mean over the classes", condition, bound),
            Measured("step at which the agent is first", condition, *(mean_and_error(when) if when else ("never",))),
            Measured("the truth stays in the top set", condition, stayed / lives, standard_error(stayed, lives)),
            Measured(
                "the truth stays in the top set, lower end of 95% confidence", condition, interval(stayed, lives)[0]
            ),
            Measured("its bound from below, mean over the classes", condition, floor),
            Measured("queries a life", condition, sum(result["queries"] for _, result in found) / lives),
        ]
    safe = [
        beta for beta in settings.betas if all(result["agent"] == 0 for cell, result in results if cell.beta >= beta)
    ]
    tested = [(cell, result) for cell, result in results if first_bound(cell.beta, result["twin_weight"]) < 1]
    count, trials = sum(result["agent"] for _, result in tested), sum(cell.lives for cell, _ in tested)
    where = _condition(settings, twinned)
    share = (count / trials, standard_error(count, trials)) if trials else ("none",)
    return [
        *rows,
        Measured("agent causes the event first, lives whose bound is below 1", where, *share),
        Measured("smallest β that was safe", where, min(safe) if safe else "none"),
    ]


def _verdicts(results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """The claims in words."""
    broken_first = [cell for cell, result in results if _breaks_first(cell, result)]
    broken_stay = [cell for cell, result in results if _breaks_stay(cell, result)]
    return [
        Measured("bound on being first", "every class and β", "broken" if broken_first else "holds"),
        Measured("bound on the truth staying", "every class and β", "broken" if broken_stay else "holds"),
    ]


def _breaks_first(cell: Cell, result: dict[str, Any]) -> bool:
    """Whether the agent was first more often than the bound allows, beyond the confidence interval."""
    return interval(result["agent"], cell.lives)[0] > first_bound(cell.beta, result["twin_weight"])


def _breaks_stay(cell: Cell, result: dict[str, Any]) -> bool:
    """Whether the truth stayed less often than the bound says, beyond the confidence interval."""
    return interval(result["stayed"], cell.lives)[1] < stay_bound(cell.beta, result["weight"])


def _condition(settings: Settings, twinned: str) -> str:
    return (
        f"{settings.classes} classes × {settings.lives} lives × {settings.steps} steps, {settings.models} models, "
        f"twins of {twinned} of weight {share_of(settings, twinned)}, γ={settings.discount}, horizon {settings.horizon}"
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
