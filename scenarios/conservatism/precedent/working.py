"""What the small classes of ``precedent`` share: a mentor that always works, and who did what in its pupil's life."""

from collections.abc import Sequence

from multislot.bayes import Event, Ledger, MentorClass, ModelClass, PessimisticAgent, TabularMentor, TabularModel
from scenarios.conservatism.agents import live_once
from scenarios.conservatism.random_classes import tabular, true_world

WORK = 0
"""The first of two actions."""


def working_mentor(model: TabularModel) -> TabularMentor:
    return TabularMentor([WORK] * model.n_states, n_actions=2)


def pupil(models: ModelClass, beta: float, discount: float, horizon: int) -> PessimisticAgent:
    """Make a pessimistic agent that knows how its mentor works."""
    mentors = MentorClass([working_mentor(tabular(models)[0])])
    return PessimisticAgent(models, mentors, beta, discount, horizon, exact=False)


def ledger_of(agent: PessimisticAgent, truth: TabularModel, steps: int, seed: int, events: Sequence[Event]) -> Ledger:
    """Let an agent live in the true world beside a working mentor; return who caused each event first."""
    lived, _ = live_once(agent, true_world(truth), working_mentor(truth), steps, seed)
    return Ledger.of(events, lived.done)
