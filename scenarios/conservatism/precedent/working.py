"""What the small classes of ``precedent`` share: a mentor that always works, its pupil, and who did what in a life."""

from collections.abc import Sequence

from multislot.bayes import Event, Ledger, MentorClass, ModelClass, PessimisticAgent, TabularMentor, TabularModel, live
from scenarios.conservatism.random_classes import tabular, true_world

WORK = 0
"""The first of two actions."""


def working_mentor(models: ModelClass) -> TabularMentor:
    """Return a mentor that works in every state."""
    return TabularMentor([WORK] * tabular(models)[0].n_states, n_actions=2)


def pupil(models: ModelClass, beta: float, discount: float, horizon: int) -> PessimisticAgent:
    """Return a pessimistic agent that knows how its mentor works."""
    return PessimisticAgent(models, MentorClass([working_mentor(models)]), beta, discount, horizon, exact=False)


def lived(agent: PessimisticAgent, truth: TabularModel, steps: int, seed: int, events: Sequence[Event]) -> Ledger:
    """Let an agent live in the true world beside a working mentor, and return who caused each event first."""
    mentor = TabularMentor([WORK] * truth.n_states, n_actions=2)
    live(agent, true_world(truth), mentor, steps, seed)
    return Ledger.of(events, agent.done)
