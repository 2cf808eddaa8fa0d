"""Random classes with twins for a tempting event, and lives in them: who is first, and does the truth stay?"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from multislot.bayes import Event, Ledger, MentorClass, ModelClass, PessimisticAgent, twins
from scenarios.conservatism.agents import live_with
from scenarios.conservatism.random_classes import random_mentors, random_models, seldom, tabular, tempting_event

STATES, ACTIONS, MODELS, MENTORS, START = 4, 3, 5, 3, 0
REWARDS = (0.1, 0.4, 0.7, 1.0)
STEPS, DISCOUNT, HORIZON = 30, 0.8, 20
EVENT = "the tempting event"
CONCENTRATION = {"every model": 0.5, "the truth alone": 10.0}
SHARE = {"every model": 0.2, "the truth alone": 0.1}


@dataclass(frozen=True)
class Drawn:
    """A random class: base models, then the twins, on 2S states; the first mentor is the true one."""

    models: ModelClass
    mentors: MentorClass
    truth: int
    twin: int
    event: tuple[int, int]


@lru_cache(maxsize=8)
def draw_class(seed, twinned="every model"):
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(MODELS, 5.0))
    base = ModelClass(random_models(rng, MODELS, STATES, ACTIONS, REWARDS, CONCENTRATION[twinned]), prior)
    truth, share = int(rng.integers(MODELS)), SHARE[twinned]
    event = tempting_event(tabular(base)[truth], DISCOUNT, HORIZON)
    mentors = seldom(random_mentors(rng, MENTORS, STATES, ACTIONS), event)
    both = twins(base, [event], share)
    if twinned == "every model":
        return Drawn(both, mentors, truth, MODELS + truth, event)
    alone = ModelClass([*both.models[:MODELS], both.models[MODELS + truth]], [*both.prior[:MODELS], share])
    return Drawn(alone, mentors, truth, MODELS, event)


def lived(seed, beta, lives, twinned="every model"):
    """In how many lives the agent is first, and in how many the truth leaves; with the weights that bound them."""
    drawn = draw_class(seed, twinned)
    agent = PessimisticAgent(drawn.models, drawn.mentors, beta, DISCOUNT, HORIZON, exact=False)
    event, first, left = Event.of_pairs(EVENT, [drawn.event], START), 0, 0
    seeds = [seed * 1_000_003 + number for number in range(lives)]
    for life, _ in live_with(agent, drawn.models.models[drawn.truth], drawn.mentors.mentors[0], STEPS, seeds):
        first += Ledger.of([event], life.done).agent_was_first(EVENT)
        left += any(drawn.truth not in top for top in [*life.columns()["top_set"], life.posterior.top_set(beta)])
    weights = {"first": float(drawn.models.prior[drawn.twin]), "left": float(drawn.models.prior[drawn.truth])}
    return {"first": first, "left": left, "weights": weights}
