"""The graph of situations: what it lays out is what the models' own laws say, whatever kind of models they are."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import (
    HistoryModel,
    ModelClass,
    PartiallyObservableModel,
    TabularModel,
    best_mixture_plan,
)
from multislot.bayes.models import make_kernel, make_percept
from multislot.bayes.planning import SituationGraph, make_situation
from multislot.exact import Mixture, action_values, slot_weights
from tests.multislot.bayes.examples import random_models

KINDS = ("tabular", "hidden", "told", "mixed")


def models_of(kind, seed, count):
    """Random models of two states: seen, hidden behind a noisy observation, known by whole histories, or some each."""
    rng = np.random.default_rng(seed)
    tables = random_models(rng, count, states=2, rewards=(0.0, 1.0))
    hidden = [PartiallyObservableModel(table, rng.dirichlet(np.ones(2), 2)) for table in tables]
    told = [HistoryModel(lambda h, a, table=table: table.law(h[-1][1][0] if h else 0, a), 2) for table in tables]
    mixed = [kinds[index % 3] for index, kinds in enumerate(zip(tables, hidden, told, strict=True))]
    return {"tabular": tables, "hidden": hidden, "told": told, "mixed": mixed}[kind]


def grown(models, weights, horizon, pure):
    begin = tuple(model.begin() for model in models)
    return SituationGraph(make_situation(models, weights, begin), horizon, pure, 10_000, "")


def likelihood(model, history):
    """The product of the model's own laws along a history, and the law's summary after it."""
    chance, summary = 1.0, model.begin()
    for action, percept in history:
        law = model.law(summary, action)
        chance *= sum(p for known, p in law.items() if make_percept(*known) == percept)
        if not chance:
            return 0.0, None
        summary = model.after(summary, action, percept)
    return chance, summary


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from(KINDS), st.booleans())
def test_every_history_leads_where_the_models_laws_say(seed, count, kind, pure):
    models = models_of(kind, seed, count)
    weights = np.random.default_rng(seed).dirichlet(np.ones(count))
    graph = grown(models, weights, 3, pure)
    percepts = list(product(range(2), (0.0, 1.0)))
    steps = [(action, percept) for action in range(2) for percept in percepts]
    for history in (list(pair) for pair in product(steps, repeat=2)):
        chances, summaries = zip(*(likelihood(model, history) for model in models), strict=True)
        joint = weights * chances
        situation = graph.find(history)
        assert (situation is None) == (joint.sum() == 0)
        if situation is None:
            continue
        assert graph.depth[situation] == 2
        assert graph.beliefs[situation] == pytest.approx(joint / joint.sum(), abs=1e-9)
        expected = [
            [sum(p * known[1] for known, p in model.law(summary, action).items()) for action in range(2)]
            for model, summary in zip(models, summaries, strict=True)
            if summary is not None
        ]
        found = graph.rewards[situation][:, [summary is not None for summary in summaries]].T
        assert found == pytest.approx(np.array(expected), abs=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from(KINDS), st.integers(1, 3))
def test_both_planners_agree_on_models_of_every_kind(seed, count, kind, horizon):
    models = models_of(kind, seed, count)
    weights = np.random.default_rng(seed).dirichlet(np.ones(count))
    theirs = action_values(
        Mixture([make_kernel(model) for model in models], weights.tolist()), "cpy", discount=0.75, horizon=horizon
    )
    ours = best_mixture_plan(ModelClass(models), weights, 0.75, horizon).action_values
    assert [0.25 * theirs[action] for action in range(2)] == pytest.approx(ours.tolist())


def test_a_kernel_is_asked_with_percepts_as_they_are_compared():
    third = TabularModel(np.ones((1, 1, 1)), [[1 / 3]])
    assert slot_weights(third.as_kernel(), [(0, make_percept(0, 1 / 3))]) == {1: 1}
    assert action_values(third.as_kernel(), "cpy", discount=0, horizon=1)[0] == 1 / 3
    assert third.as_kernel() is third.as_kernel()
