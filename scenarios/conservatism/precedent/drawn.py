"""Random classes: who causes a tempting event first, and whether the truth stays in the top set, over β."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal, get_args

import numpy as np

from multislot.bayes import Event, Ledger, MentorClass, ModelClass, PessimisticAgent, twins
from multislot.statistics import ROUNDING, UNDECIDED, clopper_pearson, verdict
from scenarios.conservatism.agents import claim, control, live_once
from scenarios.conservatism.precedent.bounds import BROKEN, HOLDS, all_broken, first_bound, smallest_enough, stay_bound
from scenarios.conservatism.precedent.settings import Settings
from scenarios.conservatism.random_classes import (
    random_class,
    random_mentors,
    seldom,
    tabular,
    tabular_mentors,
    tempting_event,
    true_world,
)
from scenarios.lab.cells import Result, Results, select
from scenarios.lab.table import Row, mean_row, plain_row, share_row

STATES, ACTIONS, MENTORS, START = 4, 3, 3, 0
CLASSES_KEPT = 8
EVENT = "the tempting event"
Twinned = Literal["every model", "the truth alone"]
CONCENTRATION = {"every model": 0.5, "the truth alone": 10.0}


@dataclass(frozen=True)
class DrawnCell:
    """All lives in one random class at one β; `twinned` says which models have a twin."""

    settings: Settings
    seed: int
    beta: float
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
    return [
        DrawnCell(settings, seed, beta, twinned)
        for twinned in get_args(Twinned)
        for seed in range(settings.classes)
        for beta in settings.betas
    ]


def share_of(settings: Settings, twinned: str) -> float:
    return settings.share if twinned == "every model" else settings.alone


def run_cell(cell: DrawnCell) -> Result:
    settings, plan = cell.settings, (cell.settings.discount, cell.settings.horizon)
    setting = make_setting(cell.seed, settings.models, share_of(settings, cell.twinned), *plan, cell.twinned)
    agent = PessimisticAgent(setting.models, setting.mentors, cell.beta, *plan, exact=False)
    world = true_world(tabular(setting.models)[setting.truth])
    mentor = tabular_mentors(setting.mentors)[0]
    event = Event.of_pairs(EVENT, [setting.event], START)
    first: dict[str, list[int | None]] = {"agent": [], "mentor": [], "nobody": []}
    stayed, queries = 0, []
    for number in range(settings.seeds):
        lived, life = live_once(agent, world, mentor, settings.steps, cell.seed * 1_000_003 + number)
        cause = Ledger.of([event], lived.done).first.get(EVENT)
        first[cause.who if cause else "nobody"].append(cause.step if cause else None)
        tops = [*lived.columns()["top_set"], lived.posterior.top_set(cell.beta)]
        stayed += all(setting.truth in top for top in tops)
        queries.append(life.questions())
    return {
        **{who: len(steps) for who, steps in first.items()},
        "when": first["agent"],
        "stayed": stayed,
        "queries": queries,
        "weight": float(setting.models.prior[setting.truth]),
        "twin_weight": float(setting.models.prior[setting.twin]),
    }


def table(settings: Settings, results: Results) -> list[Row]:
    groups = pool_classes(settings, results)
    rows = [row for twinned in get_args(Twinned) for row in _family(settings, groups, twinned)]
    return rows + _verdicts(results, groups)


@dataclass(frozen=True)
class Pooled:
    """All classes of a family at one β together.

    Attributes:
        first: in how many lives the agent was the first.
        first_bound: the mean over the classes of what bounds its share.
        stayed: in how many lives the truth stayed.
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


def pool_classes(settings: Settings, results: Results) -> list[Pooled]:
    together = []
    for twinned, beta in product(get_args(Twinned), settings.betas):
        members = select(results, twinned=twinned, beta=beta)
        queries = [count for member in members for count in member["queries"]]
        together.append(
            Pooled(
                twinned,
                beta,
                len(queries),
                sum(member["agent"] for member in members),
                float(np.mean([first_bound(beta, member["twin_weight"]) for member in members])),
                sum(member["stayed"] for member in members),
                float(np.mean([stay_bound(beta, member["weight"]) for member in members])),
                [step for member in members for step in member["when"]],
                queries,
            )
        )
    return together


def _family(settings: Settings, groups: Sequence[Pooled], twinned: str) -> Iterator[Row]:
    common = _condition(settings, twinned)
    members = [group for group in groups if group.twinned == twinned]
    for group in members:
        case = f"β={group.beta:g}"
        yield share_row("agent causes the event first", case, common, group.first, group.lives)
        yield plain_row("bound δ, mean over the classes", case, common, group.first_bound)
        yield _when(case, common, group.when)
        yield share_row("the truth stays in the top set", case, common, group.stayed, group.lives)
        yield plain_row("bound 1−δ, mean over the classes", case, common, group.stay_bound)
        yield mean_row("queries a life", case, common, group.queries)
    safe = smallest_safe(members)
    yield Row("smallest β that was safe", common, "none of these" if safe is None else safe)
    if safe is not None:
        count = sum(group.lives for group in members if group.beta == safe)
        yield share_row("agent causes the event first, at that β", "", common, 0, count)


def _when(case: str, common: str, steps: Sequence[float]) -> Row:
    """When the agent was first: one step has no scatter."""
    if len(steps) > 1:
        return mean_row("at step", case, common, steps)
    return plain_row("at step", case, common, f"{steps[0]:g}, once" if steps else "never")


def smallest_safe(groups: Sequence[Pooled]) -> float | None:
    """The smallest β from which on the agent was never first."""
    return smallest_enough((group.beta, group.first == 0) for group in groups)


def _verdicts(results: Results, groups: Sequence[Pooled]) -> list[Row]:
    first = [
        verdict(clopper_pearson(group.first, group.lives), group.first_bound, HOLDS, BROKEN)
        for group in groups
        if group.first_bound < 1 - ROUNDING
    ]
    stays = [verdict(_left(group), 1 - group.stay_bound, HOLDS, BROKEN) for group in groups if group.stay_bound > 0]
    first += [
        BROKEN
        for cell, result in results
        if clopper_pearson(result["agent"], cell.settings.seeds)[0] > first_bound(cell.beta, result["twin_weight"])
    ]
    stays += [
        BROKEN
        for cell, result in results
        if clopper_pearson(result["stayed"], cell.settings.seeds)[1] < stay_bound(cell.beta, result["weight"])
    ]
    return [
        row
        for name, verdicts in (("being first", first), ("the truth staying", stays))
        for row in _claim(name, verdicts)
    ] + _controls(groups)


def _controls(groups: Sequence[Pooled]) -> list[Row]:
    """Judge the least pessimistic agent by the bounds of the most pessimistic one."""
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
    """Judge whether a bound holds: broken nowhere, and half of the intervals lie within it as a whole."""
    decided, where = verdicts.count(HOLDS), "families and β at which it could be broken"
    word = BROKEN if BROKEN in verdicts else HOLDS if 2 * decided >= len(verdicts) > 0 else UNDECIDED
    return [
        Row(f"bound on {name}: its confidence interval lies within", where, f"{decided} of {len(verdicts)}"),
        claim(f"bound on {name}", "every class and β", word),
    ]


def _left(group: Pooled) -> tuple[float, float]:
    """The interval of the share of lives in which the truth left the top set."""
    return clopper_pearson(group.lives - group.stayed, group.lives)


def _condition(settings: Settings, twinned: str) -> str:
    return (
        f"{settings.classes} classes × {settings.seeds} lives × {settings.steps} steps, {settings.models} models, "
        f"twins of {twinned} of weight {share_of(settings, twinned)}, γ={settings.discount}, horizon {settings.horizon}"
    )
