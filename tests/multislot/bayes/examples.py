"""Small classes of models that several tests share."""

import numpy as np

from multislot.bayes import (
    BayesAgent,
    MentorClass,
    ModelClass,
    MostLikelyAgent,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
    ThompsonAgent,
)
from multislot.bayes.models import draw


def planner(kind, models, mentor, beta, discount, horizon, depth, stream):
    """An agent that plans in a class of models, of a kind."""
    if kind == "pessimist":
        mentors = MentorClass([mentor])
        return PessimisticAgent(models, mentors, beta, discount, horizon, exact=False, noise=1e-4, stream=stream)
    if kind == "bayes":
        return BayesAgent(models, discount, horizon, depth=depth)
    if kind == "likely":
        return MostLikelyAgent(models, discount, horizon)
    return ThompsonAgent(models, discount, horizon, stream=stream)


def first_decides(*pays):
    """Models in which the first action decides what is paid from then on: ``pays[k][a]`` in model k."""
    return [_first_decides(row) for row in pays]


def _first_decides(row):
    actions = len(row)
    transition = np.zeros((actions + 1, actions, actions + 1))
    reward = np.zeros((actions + 1, actions))
    for action, pay in enumerate(row):
        transition[0, action, action + 1] = 1
        transition[action + 1, :, action + 1] = 1
        reward[0, action] = pay
        reward[action + 1] = pay
    return TabularModel(transition, reward)


def random_models(rng, count, states=3, actions=2, rewards=(0.0, 0.5, 1.0), sparse=0.5):
    """Random models with random rewards and some transitions of probability 0."""
    return [random_model(rng, states, actions, rewards, sparse) for _ in range(count)]


def random_model(rng, states, actions, rewards, sparse):
    weights = rng.random((states, actions, states)) * (rng.random((states, actions, states)) > sparse)
    weights[..., 0] += 0.05 * (weights.sum(axis=-1) == 0)
    chances = rng.random((states, actions, len(rewards))) * (rng.random((states, actions, len(rewards))) > sparse)
    chances[..., -1] += 0.05 * (chances.sum(axis=-1) == 0)
    return TabularModel(
        weights / weights.sum(axis=-1, keepdims=True),
        chances / chances.sum(axis=-1, keepdims=True),
        reward_values=rewards,
    )


def random_mentors(rng, count, states=3, actions=2):
    return MentorClass([TabularMentor(rng.dirichlet(np.ones(actions), states)) for _ in range(count)])


def random_class(rng, count, **shape):
    return ModelClass(random_models(rng, count, **shape))


def value_of(policy, model, discount, horizon, history=()):
    """The normalised value of a policy over histories in one model, straight from the definition."""
    state = history[-1][1][0] if history else model.start
    if len(history) == horizon:
        return 0.0
    total = 0.0
    for action, chance in enumerate(policy(history)):
        if chance == 0:
            continue
        for percept, probability in model.law(state, action).items():
            ahead = value_of(policy, model, discount, horizon, (*history, (action, percept)))
            total += chance * probability * ((1 - discount) * percept[1] + discount * ahead)
    return total


def drawn(law, chance):
    """The percept that a number in [0, 1) draws from a law."""
    return list(law)[draw(np.array(list(law.values())), chance)]


def random_history(rng, model, steps):
    """A history drawn from a model under random actions."""
    state, history = model.start, []
    for _ in range(steps):
        action = int(rng.integers(model.n_actions))
        percept = drawn(model.law(state, action), rng.random())
        history.append((action, percept))
        state = percept[0]
    return tuple(history)
