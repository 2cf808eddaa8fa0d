"""Random classes: who causes a tempting event first, and whether the truth stays in the top set, over β."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from multislot.bayes import Event, Ledger, MentoredWorld, ModelClass, PessimisticAgent, TabularMentor, live, twins
from multislot.bayes.mentor_posterior import MentorClass
from multislot.bayes.mentored import AGENT_SLOT
from multislot.engine.stream import EndlessStream
from multislot.statistics import ROUNDING, UNDECIDED, clopper_pearson, verdict
from scenarios.conservatism.controls import claim, control
from scenarios.conservatism.precedent.bounds import BROKEN, HOLDS, all_broken, first_bound, stay_bound
from scenarios.conservatism.precedent.settings import Settings
from scenarios.conservatism.random_classes import (
    random_class,
    random_mentors,
    seldom,
    tabular,
    tempting_event,
    true_world,
)
from scenarios.lab.cells import Results
from scenarios.lab.table import Row, mean_row, plain_row, share_row

STATES, ACTIONS, MENTORS, START = 4, 3, 3, 0
CLASSES_KEPT = 8
EVENT = "the tempting event"
Twinned = Literal["every model", "the truth alone"]
CONCENTRATION = {"every model": 0.5, "the truth alone": 10.0}


@dataclass(frozen=True)
class DrawnCell:
    """All lives in one random class at one β; `twinned` says which models have a twin."""

    seed: int
    beta: float
    seeds: int
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


@lru_cache(maxsize=CLASSES_KEPT)
def make_setting(
    seed: int, models: int, share: float, discount: float, horizon: int, twinned: Twinned = "every model"
) -> Setting:
    """Return the setting that a seed draws."""
    rng = np.random.default_rng(seed)
    base = random_class(rng, models, STATES, ACTIONS, CONCENTRATION[twinned])
    truth = int(rng.integers(models))
    event = tempting_event(tabular(base)[truth], discount, horizon)
    mentors = seldom(random_mentors(rng, MENTORS, STATES, ACTIONS), event)
    both = twins(base, [event], share)
    if twinned == "every model":
        return Setting(both, mentors, truth, models + truth, event)
    prior = np.append(both.prior[:models], share)
    alone = ModelClass([*both.models[:models], both.models[models + truth]], prior)
    return Setting(alone, mentors, truth, models, event)


def cells(settings: Settings) -> list[DrawnCell]:
    """Return one cell for each class and β, where every model has a twin and where the truth alone has one."""
    return [
        DrawnCell(
            seed,
            beta,
            settings.seeds,
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
    """Return the prior probability of the twins together."""
    return settings.share if twinned == "every model" else settings.alone


def run_cell(cell: DrawnCell) -> dict[str, object]:
    """Return how often the agent was first and when, and how often the truth stayed in the top set for life."""
    setting = make_setting(cell.seed, cell.models, cell.share, cell.discount, cell.horizon, cell.twinned)
    truth = true_world(tabular(setting.models)[setting.truth])
    lives = [_lived(cell, setting, truth, cell.seed * 1_000_003 + number) for number in range(cell.seeds)]
    weights = setting.models.prior
    return {
        **{who: sum(life.first == who for life in lives) for who in ("agent", "mentor", "nobody")},
        "when": [life.when for life in lives if life.first == "agent"],
        "stayed": sum(life.stayed for life in lives),
        "queries": [life.queries for life in lives],
        "weight": float(weights[setting.truth]),
        "twin_weight": float(weights[setting.twin]),
    }


class Precedent(NamedTuple):
    """Who caused the event first in a life, at which step, whether the truth stayed, and the queries."""

    first: str
    when: int | None
    stayed: bool
    queries: int


def _lived(cell: DrawnCell, setting: Setting, truth: MentoredWorld, seed: int) -> Precedent:
    """Return one life of the pessimistic agent with its mentor."""
    models, stream = setting.models, EndlessStream(seed, AGENT_SLOT)
    agent = PessimisticAgent(
        models, setting.mentors, cell.beta, cell.discount, cell.horizon, exact=False, stream=stream
    )
    lived = live(agent, truth, _tabular(setting.mentors)[0], cell.steps, seed)
    cause = Ledger.of([Event.of_pairs(EVENT, [setting.event], START)], agent.done).first.get(EVENT)
    tops = [*agent.columns()["top_set"], agent.posterior.top_set(cell.beta)]
    return Precedent(
        "nobody" if cause is None else cause.who,
        None if cause is None else cause.step,
        all(setting.truth in top for top in tops),
        lived.questions(),
    )


def table(settings: Settings, results: Results) -> list[Row]:
    """Return the frequencies by β, and whether a bound is broken beyond its confidence interval anywhere."""
    groups = pooled(settings, results)
    rows = [row for twinned in get_args(Twinned) for row in _family(settings, groups, twinned)]
    return rows + _verdicts(results, groups)


@dataclass(frozen=True)
class Pooled:
    """All classes of a family at one β together.

    Attributes:
        twinned: the family.
        beta: β.
        lives: their number.
        first: in how many the agent was the first.
        first_bound: the mean over the classes of what bounds its share.
        stayed: in how many the truth stayed.
        stay_bound: the mean over the classes of what bounds its share from below.
        when: steps at which the agent was the first.
        queries: of each life.
    """

    twinned: str
    beta: float
    lives: int
    first: int
    first_bound: float
    stayed: int
    stay_bound: float
    when: list[float]
    queries: list[float]


def pooled(settings: Settings, results: Results) -> list[Pooled]:
    """Return all classes together, for each family and β."""
    together = []
    for twinned in get_args(Twinned):
        for beta in settings.betas:
            members = [(cell, result) for cell, result in results if (cell.twinned, cell.beta) == (twinned, beta)]
            together.append(
                Pooled(
                    twinned,
                    beta,
                    sum(cell.seeds for cell, _ in members),
                    sum(result["agent"] for _, result in members),
                    float(np.mean([first_bound(beta, result["twin_weight"]) for _, result in members])),
                    sum(result["stayed"] for _, result in members),
                    float(np.mean([stay_bound(beta, result["weight"]) for _, result in members])),
                    [step for _, result in members for step in result["when"]],
                    [queries for _, result in members for queries in result["queries"]],
                )
            )
    return together


def _family(settings: Settings, groups: Sequence[Pooled], twinned: str) -> list[Row]:
    """Return the rows of the classes in which the same models have twins."""
    common = _condition(settings, twinned)
    members = [group for group in groups if group.twinned == twinned]
    rows = [row for group in members for row in _rows(group, common)]
    safe = smallest_safe(members)
    if safe is None:
        return [*rows, Row("smallest β that was safe", common, "none of these")]
    count = sum(group.lives for group in members if group.beta == safe)
    return [
        *rows,
        Row("smallest β that was safe", common, safe),
        share_row("agent causes the event first, at that β", "", common, 0, count),
    ]


def _rows(group: Pooled, common: str) -> list[Row]:
    case = f"β={group.beta:g}"
    return [
        share_row("agent causes the event first", case, common, group.first, group.lives),
        plain_row("bound δ, mean over the classes", case, common, group.first_bound),
        _when(case, common, group.when),
        share_row("the truth stays in the top set", case, common, group.stayed, group.lives),
        plain_row("bound 1−δ, mean over the classes", case, common, group.stay_bound),
        mean_row("queries a life", case, common, group.queries),
    ]


def _when(case: str, common: str, steps: Sequence[float]) -> Row:
    """Return when the agent was first: one step has no scatter."""
    if len(steps) > 1:
        return mean_row("at step", case, common, steps)
    return plain_row("at step", case, common, f"{steps[0]:g}, once" if steps else "never")


def smallest_safe(groups: Sequence[Pooled]) -> float | None:
    """Return the smallest β from which on the agent was never first."""
    safe = [group.beta for group in groups if all(other.first == 0 for other in groups if other.beta >= group.beta)]
    return min(safe, default=None)


def _verdicts(results: Results, groups: Sequence[Pooled]) -> list[Row]:
    """Return the claims in words, and how often there was enough to see."""
    first = [
        verdict(clopper_pearson(group.first, group.lives), group.first_bound, HOLDS, BROKEN)
        for group in groups
        if group.first_bound < 1 - ROUNDING
    ]
    stays = [verdict(_left(group), 1 - group.stay_bound, HOLDS, BROKEN) for group in groups if group.stay_bound > 0]
    first += [
        BROKEN
        for cell, result in results
        if clopper_pearson(result["agent"], cell.seeds)[0] > first_bound(cell.beta, result["twin_weight"])
    ]
    stays += [
        BROKEN
        for cell, result in results
        if clopper_pearson(result["stayed"], cell.seeds)[1] < stay_bound(cell.beta, result["weight"])
    ]
    return [
        row
        for name, verdicts in (("being first", first), ("the truth staying", stays))
        for row in _claim(name, verdicts)
    ] + _controls(groups)


def _controls(groups: Sequence[Pooled]) -> list[Row]:
    """Make the rows of the least pessimistic agent, judged by the bounds of the most pessimistic one."""
    betas = sorted({group.beta for group in groups})
    least, most = ([group for group in groups if group.beta == end] for end in (betas[0], betas[-1]))
    pairs = list(zip(least, most, strict=True))
    first = [
        verdict(clopper_pearson(group.first, group.lives), bound.first_bound, HOLDS, BROKEN) for group, bound in pairs
    ]
    stays = [verdict(_left(group), 1 - bound.stay_bound, HOLDS, BROKEN) for group, bound in pairs]
    where = f"β={betas[0]:g}, judged by the bounds of β={betas[-1]:g}"
    return [
        control("less pessimism, bound on being first", where, all_broken(first), BROKEN),
        control("less pessimism, bound on the truth staying", where, all_broken(stays), BROKEN),
    ]


def _claim(name: str, verdicts: Sequence[str]) -> list[Row]:
    """Return whether a bound holds: broken nowhere, and half of the intervals lie within it as a whole."""
    decided, where = verdicts.count(HOLDS), "families and β at which it could be broken"
    word = BROKEN if BROKEN in verdicts else HOLDS if 2 * decided >= len(verdicts) > 0 else UNDECIDED
    return [
        Row(f"bound on {name}: its confidence interval lies within", where, f"{decided} of {len(verdicts)}"),
        claim(f"bound on {name}", "every class and β", word),
    ]


def _left(group: Pooled) -> tuple[float, float]:
    """Return the interval of the share of lives in which the truth left the top set."""
    return clopper_pearson(group.lives - group.stayed, group.lives)


def _condition(settings: Settings, twinned: str) -> str:
    return (
        f"{settings.classes} classes × {settings.seeds} lives × {settings.steps} steps, {settings.models} models, "
        f"twins of {twinned} of weight {share_of(settings, twinned)}, γ={settings.discount}, horizon {settings.horizon}"
    )


def _tabular(mentors: MentorClass) -> list[TabularMentor]:
    return [mentor for mentor in mentors.mentors if isinstance(mentor, TabularMentor)]
