"""Random classes: who causes a tempting event first, and whether the truth stays in the top set, over β.

Both bounds say that something is rare: that the agent is the *first* (w is the weight of the truth's twin), and that
the truth has *left* the top set (w is the weight of the truth). Each has probability δ = (1−β)/w at most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal, get_args

import numpy as np

from multislot.bayes import Event, Ledger, MentorClass, ModelClass, PessimisticAgent, twins
from multislot.bayes.lives import BROKEN, HOLDS
from multislot.statistics import ROUNDING, UNDECIDED, clopper_pearson
from scenarios.conservatism.agents import claim, control, judge_share, live_with, precedent_bound
from scenarios.conservatism.precedent.settings import Settings, smallest_enough
from scenarios.conservatism.random_classes import random_mentors, random_models, seldom, tabular, tempting_event
from scenarios.lab.cells import Result, Results, select
from scenarios.lab.table import Row, mean_row, plain_row, share_row

STATES, ACTIONS, MENTORS, START = 4, 3, 3, 0
REWARDS = (0.1, 0.4, 0.7, 1.0)
CLASSES_KEPT = 8
EVENT = "the tempting event"
Twinned = Literal["every model", "the truth alone"]
CONCENTRATION = {"every model": 0.5, "the truth alone": 10.0}
BOUNDED = {"first": "being first", "left": "the truth staying"}


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
    prior = rng.dirichlet(np.full(models, 5.0))
    base = ModelClass(random_models(rng, models, STATES, ACTIONS, REWARDS, CONCENTRATION[twinned]), prior)
    truth = int(rng.integers(models))
    event = tempting_event(tabular(base)[truth], discount, horizon)
    mentors = seldom(random_mentors(rng, MENTORS, STATES, ACTIONS), event)
    both = twins(base, [event], share)
    if twinned == "every model":
        return Setting(both, mentors, truth, models + truth, event)
    alone = ModelClass([*both.models[:models], both.models[models + truth]], [*both.prior[:models], share])
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
    """Count the lives in which the agent is first or the truth leaves; say when it is first, and the questions."""
    settings, plan = cell.settings, (cell.settings.discount, cell.settings.horizon)
    setting = make_setting(cell.seed, settings.models, share_of(settings, cell.twinned), *plan, cell.twinned)
    agent = PessimisticAgent(setting.models, setting.mentors, cell.beta, *plan, exact=False)
    truth, mentor = setting.models.models[setting.truth], setting.mentors.mentors[0]
    event = Event.of_pairs(EVENT, [setting.event], START)
    when, left, queries = [], 0, []
    seeds = [cell.seed * 1_000_003 + number for number in range(settings.seeds)]
    for lived, life in live_with(agent, truth, mentor, settings.steps, seeds):
        ledger = Ledger.of([event], lived.done)
        if ledger.agent_was_first(EVENT):
            when.append(ledger.first[EVENT].step)
        tops = [*lived.columns()["top_set"], lived.posterior.top_set(cell.beta)]
        left += any(setting.truth not in top for top in tops)
        queries.append(life.questions())
    prior = setting.models.prior
    weights = {"first": float(prior[setting.twin]), "left": float(prior[setting.truth])}
    return {"first": len(when), "left": left, "when": when, "queries": queries, "weights": weights}


def table(settings: Settings, results: Results) -> list[Row]:
    rows = [row for twinned in get_args(Twinned) for row in _family(settings, results, twinned)]
    return rows + _claims(settings, results) + _controls(settings, results)


def count(members: Sequence[Result], name: str) -> tuple[int, int]:
    """In how many lives of some classes something happened, and the number of lives."""
    return sum(member[name] for member in members), sum(len(member["queries"]) for member in members)


def deltas(beta: float, members: Sequence[Result], name: str) -> list[float]:
    """The bound on something, by class."""
    return [precedent_bound(beta, member["weights"][name]) for member in members]


def _family(settings: Settings, results: Results, twinned: str) -> Iterator[Row]:
    common = (
        f"{settings.classes} classes × {settings.seeds} lives × {settings.steps} steps, {settings.models} models, "
        f"twins of {twinned} of weight {share_of(settings, twinned)}, γ={settings.discount}, horizon {settings.horizon}"
    )
    by_beta = {beta: select(results, twinned=twinned, beta=beta) for beta in settings.betas}
    for beta, members in by_beta.items():
        case, (left, lives) = f"β={beta:g}", count(members, "left")
        stays = [1 - delta for delta in deltas(beta, members, "left")]
        yield share_row("agent causes the event first", case, common, *count(members, "first"))
        yield plain_row("bound δ, mean over the classes", case, common, np.mean(deltas(beta, members, "first")).item())
        yield _when(case, common, [step for member in members for step in member["when"]])
        yield share_row("the truth stays in the top set", case, common, lives - left, lives)
        yield plain_row("bound 1−δ, mean over the classes", case, common, np.mean(stays).item())
        yield mean_row("queries a life", case, common, [asked for member in members for asked in member["queries"]])
    safe = smallest_enough((beta, count(members, "first")[0] == 0) for beta, members in by_beta.items())
    yield Row("smallest β that was safe", common, "none of these" if safe is None else safe)
    if safe is not None:
        yield share_row("agent causes the event first, at that β", "", common, *count(by_beta[safe], "first"))


def _when(case: str, common: str, steps: Sequence[float]) -> Row:
    """When the agent was first; a single step has no error."""
    if len(steps) > 1:
        return mean_row("at step", case, common, steps)
    return plain_row("at step", case, common, f"{steps[0]:g}, once" if steps else "never")


def _judge(members: Sequence[Result], name: str, beta: float) -> str:
    """Judge the bound of a β on something in all classes of a family together."""
    return judge_share(*count(members, name), float(np.mean(deltas(beta, members, name))), HOLDS, BROKEN)


def _claims(settings: Settings, results: Results) -> list[Row]:
    """Judge whether a bound holds: it is broken nowhere, and at least half of the intervals lie wholly within it."""
    pairs = product(get_args(Twinned), settings.betas)
    families = [(beta, select(results, twinned=twinned, beta=beta)) for twinned, beta in pairs]
    rows, where = [], "families and β at which it could be broken"
    for name, words in BOUNDED.items():
        verdicts = [
            _judge(members, name, beta)
            for beta, members in families
            if np.mean(deltas(beta, members, name)) < 1 - ROUNDING
        ]
        verdicts += [
            BROKEN
            for cell, result in results
            if clopper_pearson(*count([result], name))[0] > deltas(cell.beta, [result], name)[0]
        ]
        decided = verdicts.count(HOLDS)
        word = BROKEN if BROKEN in verdicts else HOLDS if 2 * decided >= len(verdicts) > 0 else UNDECIDED
        within = f"bound on {words}: its confidence interval lies within"
        rows += [
            Row(within, where, f"{decided} of {len(verdicts)}"),
            claim(f"bound on {words}", "every class and β", word),
        ]
    return rows


def _controls(settings: Settings, results: Results) -> list[Row]:
    """Judge the least pessimistic agent by the bounds of the most pessimistic one."""
    least, most = min(settings.betas), max(settings.betas)
    where = f"β={least:g}, judged by the bounds of β={most:g}"
    rows = []
    for name, words in BOUNDED.items():
        verdicts = [_judge(select(results, twinned=twinned, beta=least), name, most) for twinned in get_args(Twinned)]
        word = next((word for word in verdicts if word != BROKEN), BROKEN)
        rows.append(control(f"less pessimism, bound on {words}", where, word, BROKEN))
    return rows
