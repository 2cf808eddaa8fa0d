"""Pessimistic values, top sets and decisions in random classes, against their definitions."""

from itertools import accumulate, islice
from math import log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.bayes import (
    HistoryMentor,
    MentorClass,
    PessimisticAgent,
    TabularMentor,
    pessimistic_value,
)
from multislot.bayes.imitation import imitate, imitation_set
from multislot.bayes.planning import best_mixture_plan, mentor_value, policy_values
from multislot.engine.stream import PublishedStream
from tests.multislot.bayes.examples import random_history, value_of
from tests.multislot.bayes.test_graph import likelihood
from tests.multislot.bayes.test_maxmin import best_mix, contingent_plans, matrix_game, worth
from tests.worlds.generator import model_classes

DISCOUNTS = st.sampled_from([0.0, 1 / 3, 0.5, 0.9])
CLASSES = model_classes(counts=(2, 4))
seeds = st.integers(0, 2**32 - 1)


def plans_of(models, horizon):
    """All pure plans, if they are not too many to try."""
    plans = list(islice(contingent_plans(models, [model.start for model in models], horizon), 501))
    assume(len(plans) <= 500)
    return plans


@given(CLASSES, DISCOUNTS, st.integers(1, 2))
def test_the_value_of_the_game(models, discount, horizon):
    members = list(models.models)
    plans_of(members, horizon)
    matrix = matrix_game(members, discount, horizon)
    pure = pessimistic_value(models, discount, horizon, pure=True)
    assert pure.lower == pytest.approx(matrix.min(axis=1).max(), abs=1e-8)
    assert pessimistic_value(models, discount, horizon).lower == pytest.approx(best_mix(matrix), abs=1e-8)
    assert pure.action_values[int(np.argmax(pure.first))] == pytest.approx(pure.lower, abs=1e-8)


def stepwise(models, states, discount, left):
    """``W(s) = max_a min_ν [(1−γ) r_ν(s, a) + γ Σ_s' ν(s'|s, a) W(s')]``, and what each first action is worth."""
    values = []
    for action in range(models[0].n_actions):
        worst = []
        for model, state in zip(models, states, strict=True):
            total = 0.0
            for (arrived, paid), chance in model.law(state, action).items():
                later = max(stepwise(models, [arrived] * len(models), discount, left - 1)) if left > 1 else 0.0
                total += chance * ((1 - discount) * paid + discount * later)
            worst.append(total)
        values.append(min(worst))
    return values


@given(CLASSES, DISCOUNTS, st.integers(1, 3))
def test_the_step_wise_value(models, discount, horizon):
    members = list(models.models)
    bracket = pessimistic_value(models, discount, horizon, exact=False)
    values = stepwise(members, [model.start for model in members], discount, horizon)
    assert bracket.lower == pytest.approx(max(values), abs=1e-9)
    assert bracket.action_values == pytest.approx(values, abs=1e-9)
    chosen = int(np.argmax(bracket.first))
    assert chosen == next(action for action, value in enumerate(values) if value > max(values) - 1e-9)
    worst = min(value_of(bracket.policy, model, discount, horizon) for model in members)
    assert worst >= bracket.lower - 1e-9


@given(CLASSES, DISCOUNTS, st.integers(1, 2))
def test_the_best_plan_for_a_mixture(models, discount, horizon):
    members, weights = list(models.models), models.prior
    best = {}
    for plan in plans_of(members, horizon):
        total = sum(w * worth(plan, m, m.start, discount, horizon) for w, m in zip(weights, members, strict=True))
        best[plan[0]] = max(best.get(plan[0], total), total)
    ours = best_mixture_plan(models, weights, discount, horizon)
    assert ours.action_values == pytest.approx([best[action] for action in range(models.n_actions)], abs=1e-9)
    assert ours.value == pytest.approx(max(best.values()), abs=1e-9)
    assert ours.action == next(action for action in sorted(best) if best[action] > max(best.values()) - 1e-9)


@given(CLASSES, seeds, st.integers(0, 3), st.floats(0, 0.999))
def test_the_posterior_and_its_top_set(models, seed, steps, beta):
    history = random_history(np.random.default_rng(seed), models.models[0], steps)
    weights = np.array([w * likelihood(m, history)[0] for w, m in zip(models.prior, models.models, strict=True)])
    weights /= weights.sum()
    posterior = models.posterior(history)
    assert posterior.weights == pytest.approx(weights)
    falling = sorted(range(len(weights)), key=lambda k: (-round(weights[k], 12), k))
    totals = list(accumulate(weights[k] for k in falling))
    assume(all(abs(total - beta) > 1e-9 for total in totals))
    count = next(n for n, total in enumerate(totals, start=1) if total > beta)
    assert posterior.top_set(beta) == tuple(falling[:count])


def random_tables(rng, count, states, actions):
    """Mentors some of whose actions have probability 0."""
    tables = rng.integers(0, 3, (count, states, actions)) + np.eye(actions)[rng.integers(actions, size=(count, states))]
    return tables / tables.sum(axis=2, keepdims=True)


def followed(model, mentor, at, mentor_at, discount, left):
    """``V^π_ν = (1−γ) E Σ γ^t r_t``, by recursion over actions and percepts."""
    if not left:
        return 0.0
    total = 0.0
    for action, share in enumerate(mentor.probabilities(mentor_at)):
        for percept, chance in model.law(at, action).items() if share else ():
            later = followed(model, mentor, percept[0], mentor.after(mentor_at, action, percept), discount, left - 1)
            total += share * chance * ((1 - discount) * percept[1] + discount * later)
    return total


@given(CLASSES, DISCOUNTS, st.integers(1, 3), seeds)
def test_what_following_a_mentor_is_worth(models, discount, horizon, seed):
    rng, model = np.random.default_rng(seed), models.models[0]
    (table,) = random_tables(rng, 1, 2, models.n_actions)
    for mentor in (
        TabularMentor(table, start=model.start),
        HistoryMentor(lambda history: table[len(history) % 2], models.n_actions),
    ):
        ours = mentor_value(model, model.start, mentor, mentor.begin(), discount, horizon)
        theirs = followed(model, mentor, model.start, mentor.begin(), discount, horizon)
        assert ours == pytest.approx(theirs, abs=1e-9)
    values = policy_values(model, table, discount, horizon)
    assert values == pytest.approx(
        [followed(model, TabularMentor(table), state, state, discount, horizon) for state in range(2)], abs=1e-9
    )
    plan = model.as_mdp().solve(discount, horizon)
    alone = [stepwise([model], [state], discount, horizon) for state in range(2)]
    assert (1 - discount) * plan.values == pytest.approx([max(row) for row in alone], abs=1e-9)
    assert list(plan.policy) == [next(a for a, v in enumerate(row) if v > max(row) - 1e-9) for row in alone]


def drawn_by(weights, chance):
    """The first index whose cumulative weight is more than a number in [0, 1)."""
    totals = list(accumulate(weights))
    assume(all(abs(total / totals[-1] - chance) > 1e-9 for total in totals))
    return next(k for k, total in enumerate(totals) if total > chance * totals[-1])


@given(
    CLASSES,
    DISCOUNTS,
    st.integers(1, 2),
    seeds,
    st.sampled_from([0.0, 0.3, 0.6, 0.9]),
    st.integers(0, 2),
    st.sampled_from([0.01, 0.5]),
)
def test_a_decision_is_the_rule_of_the_paper(models, discount, horizon, seed, beta, steps, noise):
    """Defer if the plan is worth 0 or ν̂ and π̂, drawn from the posteriors, promise more than Y + Z; otherwise act."""
    rng = np.random.default_rng(seed)
    members = list(models.models)
    tables = random_tables(rng, 2, 2, models.n_actions)
    periodic = HistoryMentor(lambda so_far: tables[1][len(so_far) % 2], models.n_actions)
    mentors = MentorClass([TabularMentor(tables[0], start=members[0].start), periodic], [0.75, 0.25])
    history = random_history(rng, members[0], steps)
    by_mentor = [bool(rng.integers(2)) for _ in history]
    numbers = [float(number) for number in rng.random(4 * (steps + 1))]
    agent = PessimisticAgent(models, mentors, beta, discount, horizon, noise=noise, stream=PublishedStream(numbers))
    worlds = np.array([w * likelihood(m, history)[0] for w, m in zip(models.prior, members, strict=True)])
    guides, state = np.array([0.75, 0.25]), members[0].start
    for step, ((action, percept), asked) in enumerate(zip(history, by_mentor, strict=True)):
        if asked:
            guides = guides * [tables[0][state, action], tables[1][step % 2, action]]
        assume(guides.any())
        agent.observe(action, percept, asked)
        state = percept[0]
    decision = agent.decide()
    falling = sorted(range(len(members)), key=lambda k: (-round(worlds[k] / worlds.sum(), 12), k))
    totals = list(accumulate(worlds[k] / worlds.sum() for k in falling))
    assume(all(abs(total - beta) > 1e-9 for total in totals))
    top = tuple(falling[: next(n for n, total in enumerate(totals, start=1) if total > beta)])
    considered = [members[k] for k in top]
    plans = list(islice(contingent_plans(considered, [state] * len(top), horizon), 501))
    assume(len(plans) <= 500)
    values = [min(worth(plan, model, state, discount, horizon) for model in considered) for plan in plans]
    pessimistic, scale = max(values), 1 - discount**horizon
    chances = numbers[4 * steps :]
    model, mentor = drawn_by(worlds, chances[0]), drawn_by(guides, chances[1])
    known = (state, tuple(history))[mentor]
    promised = followed(members[model], mentors.mentors[mentor], state, known, discount, horizon)
    threshold = pessimistic - noise * log(1 - chances[2]) * scale
    assume(abs(promised - threshold) > 1e-8)
    assert decision.top_set == top
    assert decision.value == pytest.approx(pessimistic, abs=1e-8)
    assert (decision.model, decision.mentor) == (model, mentor)
    assert decision.mentor_value == pytest.approx(promised, abs=1e-8)
    assert (decision.action is None) == (pessimistic < 1e-8 or promised > threshold)
    if decision.action is not None:
        firsts = {plan[0] for plan, value in zip(plans, values, strict=True) if value > pessimistic - 1e-8}
        assert decision.action in firsts
    reason = "zero condition" if pessimistic < 1e-8 else "mentor is worth more" if promised > threshold else "acts"
    assert decision.reason == reason


@given(seeds, st.sampled_from([0.05, 0.25, 0.5, 1.0]), st.integers(0, 3))
def test_the_imitators_top_set_and_chances(seed, alpha, steps):
    """``w(π) ≥ α Σ {w(π') : w(π') ≥ w(π)}``, and the least probability that these models give an action."""
    rng = np.random.default_rng(seed)
    tables = random_tables(rng, 3, 2, 3)
    prior = np.array([0.5, 0.25, 0.25])
    posterior = MentorClass([TabularMentor(table) for table in tables], prior).posterior()
    weights, state = prior, 0
    for _ in range(steps):
        action, arrived = int(rng.integers(3)), int(rng.integers(2))
        assume((weights * tables[:, state, action]).any())
        weights = weights * tables[:, state, action]
        posterior.observe(action, (arrived, 0.5), by_mentor=True)
        state = arrived
    weights = weights / weights.sum()
    ranks = sorted(range(3), key=lambda k: (-round(weights[k], 12), k))
    totals = list(accumulate(weights[k] for k in ranks))
    assume(all(abs(weights[k] - alpha * total) > 1e-9 for k, total in zip(ranks, totals, strict=True) if alpha < 1))
    top = tuple(
        k for k, total in zip(ranks, totals, strict=True) if weights[k] >= alpha * total - 1e-10 and weights[k] > 0
    )
    assert imitation_set(posterior, alpha) == top
    policies = tables[:, state]
    assert imitate(posterior, alpha, policies) == pytest.approx(policies[list(top)].min(axis=0))
    assert imitate(posterior, None, policies) == pytest.approx(weights @ policies)
