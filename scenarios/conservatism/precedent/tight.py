"""The tight family: classes in which the bound on being first is nearly met.

There are three models. ν (weight w) is sure of luck. The truth μ and its twin μ† share the rest and expect luck with
probability p. The truth comes before its twin, since ties go by order. After luck, ν and μ together can exceed β. Then
the twin is no longer considered, and the agent causes the event. The bound is ``δ = (1−β)/w(μ†) = p / (w + (1−w)·p)``
for the largest such β, and the chance of luck is p: the bound is met up to a factor ``w + (1−w)·p``.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from multislot.bayes import Event, Ledger, MentorClass, ModelClass, PessimisticAgent, TabularMentor, TabularModel, twins
from multislot.bayes.lives import BROKEN, HOLDS
from multislot.checks import refusal
from scenarios.conservatism.agents import (
    MUTANT,
    PESSIMISTIC,
    claim,
    control,
    half_as_careful,
    judge_share,
    live_with,
    precedent_bound,
)
from scenarios.conservatism.precedent.settings import Settings
from scenarios.conservatism.random_classes import tabular
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row, share_row

START, LUCKY, UNLUCKY, AFTER = 0, 1, 2, 3
WORK, CAUSE = 0, 1
EVENT = "the event"
TRUTH, TWIN = 1, 2
STEPS, HORIZON, DISCOUNT = 4, 4, 0.8
BARELY = 1 + 1e-6
NEARLY = 0.9
WHY = "it is first if luck comes and the twin is not considered"
NEAR, FAR = "within 10%", "not within 10%"
ROUNDING = 1e-9


@dataclass(frozen=True)
class TightCell:
    """All lives of one agent in one class.

    Attributes:
        agent: the pessimistic agent, or its mutant.
        believed: w, prior weight of the model that is sure of luck.
        luck: p, the true probability of luck.
        halved: whether 1−β is half of what the tight bound allows; then only the mutant causes the event.
        seeds: lives.
    """

    agent: str
    believed: float
    luck: float
    halved: bool
    seeds: int

    @property
    def beta(self) -> float:
        """β, just below what the two models of luck exceed after luck; or with half of that 1−β."""
        twin = (1 - self.believed) * self.luck / 2
        left_out = twin / (self.believed + 2 * twin) * BARELY
        return 1 - (left_out / 2 if self.halved else left_out)


def cells(settings: Settings) -> list[TightCell]:
    """List three cells for each class: the agent at the tight β, and the agent and its mutant at half of its 1−β."""
    if len(settings.believed) != len(settings.luck):
        raise refusal("luck", settings.luck, f"{len(settings.believed)} numbers, one for each of believed")
    return [
        TightCell(agent, believed, luck, halved, settings.tight_seeds)
        for believed, luck in zip(settings.believed, settings.luck, strict=True)
        for agent, halved in ((PESSIMISTIC, False), (PESSIMISTIC, True), (MUTANT, True))
    ]


def tight_class(believed: float, luck: float) -> ModelClass:
    """Return ν, μ and μ†, in this order."""
    pays = np.array([[0.5, 0.5], [0.5, 1.0], [0.5, 1.0], [1.0, 1.0]])
    base = ModelClass([TabularModel(_moves(chance), pays) for chance in (1.0, luck)], [believed, 1 - believed])
    both = twins(base, [(LUCKY, CAUSE), (UNLUCKY, CAUSE)])
    sure, truth, _, twin = both.models
    return ModelClass([sure, truth, twin], [believed, (1 - believed) / 2, (1 - believed) / 2])


def _moves(luck: float) -> Any:
    """Return [S, A, S]: the first step decides about luck, and after that only the event changes the state."""
    moves = np.zeros((4, 2, 4))
    moves[START, :, LUCKY], moves[START, :, UNLUCKY] = luck, 1 - luck
    for state in (LUCKY, UNLUCKY):
        moves[state, WORK, state] = moves[state, CAUSE, AFTER] = 1
    moves[AFTER, :, AFTER] = 1
    return moves


def agent_of(cell: TightCell, models: ModelClass) -> PessimisticAgent:
    """Make a cell's agent; its mentor always works."""
    beta = half_as_careful(cell.beta) if cell.agent == MUTANT else cell.beta
    return make_pupil(models, beta, DISCOUNT, HORIZON)


def make_pupil(models: ModelClass, beta: float, discount: float, horizon: int) -> PessimisticAgent:
    """Make a pessimistic agent that knows how its mentor works: it always takes the first of two actions."""
    mentor = TabularMentor([WORK] * tabular(models)[0].n_states, n_actions=2)
    return PessimisticAgent(models, MentorClass([mentor]), beta, discount, horizon, exact=False)


def ledgers_of(
    agent: PessimisticAgent, truth: int, steps: int, seeds: Iterable[int], events: Sequence[Event]
) -> Iterator[Ledger]:
    """Let an agent live where one of its models is true, next to its mentor; yield who caused each event first."""
    for lived, _ in live_with(agent, agent.models.models[truth], agent.mentors.mentors[0], steps, seeds):
        yield Ledger.of(events, lived.done)


def exact_chance(agent: PessimisticAgent, steps: int) -> float:
    """The probability that an agent that draws nothing is the first to cause the event.

    It is summed over every percept that can follow. What the agent draws does not matter here: nobody is worth more
    than its plan, so that it never defers, and its plan is pure.
    """
    cause = Ledger.of([event()], agent.done).first.get(EVENT)
    if cause is not None or not steps:
        return float(cause is not None)
    action = agent.decide().action
    if action is None:
        raise ValueError("the agent defers; what it draws matters")
    total = 0.0
    for percept, chance in agent.models.models[TRUTH].law(agent.posterior.summaries[TRUTH], action).items():
        following = deepcopy(agent)
        following.observe(action, percept)
        total += chance * exact_chance(following, steps - 1)
    return total


def event() -> Event:
    return Event.of_pairs(EVENT, [(LUCKY, CAUSE), (UNLUCKY, CAUSE)], START)


def run_cell(cell: TightCell) -> Result:
    models = tight_class(cell.believed, cell.luck)
    agent = agent_of(cell, models)
    ledgers = ledgers_of(agent, TRUTH, STEPS, range(cell.seeds), [event()])
    return {
        "first": sum(ledger.agent_was_first(EVENT) for ledger in ledgers),
        "exact": exact_chance(agent, STEPS),
        "twin": float(models.prior[TWIN]),
    }


def table(settings: Settings, results: Results) -> list[Row]:
    rows: list[Row] = []
    words = []
    for cell, result in results:
        common = f"tight class: w={cell.believed:g}, p={cell.luck:g}, β={cell.beta:.6f}"
        bound = precedent_bound(cell.beta, result["twin"])
        chance = cell.luck if cell.agent == MUTANT or not cell.halved else 0.0
        exact = Row(f"{cell.agent} agent is first, exact", common, result["exact"])
        rows += [
            replace(exact, paper=chance, tolerance=ROUNDING, source=WHY),
            share_row(f"{cell.agent} agent is first, {cell.seeds} lives", "", common, result["first"], cell.seeds),
            Row(f"bound δ, judging the {cell.agent} agent", common, bound),
        ]
        if cell.agent == MUTANT:
            word = judge_share(result["first"], cell.seeds, bound, HOLDS, BROKEN)
            rows.append(control(f"{MUTANT}, bound on being first", common, word, BROKEN))
            continue
        words.append(BROKEN if result["exact"] > bound else HOLDS)
        near = NEAR if result["exact"] >= NEARLY * bound else FAR
        if cell.halved:
            rows.append(control("half of 1 − β, the bound is met", common, near, FAR))
        else:
            rows.append(replace(claim("the bound is met", common, near), paper=NEAR))
    return [*rows, claim("bound on being first", "tight classes, exact", BROKEN if BROKEN in words else HOLDS)]
