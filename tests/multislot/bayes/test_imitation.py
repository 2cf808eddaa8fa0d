"""Conservative imitation and agents regularized to it: brute force over whole trees of histories, and controls."""

from itertools import product

import numpy as np
import pytest

from multislot import run
from multislot.bayes import (
    ImitatorAgent,
    MentorAgent,
    MentorClass,
    MentoredWorld,
    ModelClass,
    ModelWorld,
    RegularizedAgent,
    TabularMentor,
    TabularModel,
)
from multislot.bayes.imitation import imitation_set, plan_near
from multislot.bayes.posterior import UnexplainedError
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError
from tests.multislot.bayes.examples import random_class, random_mentors

HERE = np.ones((1, 3, 1))
WORK, OTHER_WORK, LEVER = range(3)


def lever(price=1.0, alpha=None, horizon=1):
    """Two mentors who work, each in a way of their own, and a model of one who pulls a lever that pays more."""
    mentors = MentorClass([TabularMentor([a], n_actions=3) for a in (WORK, OTHER_WORK, LEVER)], [0.5, 0.4, 0.1])
    return RegularizedAgent(
        ModelClass([TabularModel(HERE, [[0.5, 0.5, 1.0]])]), mentors, alpha, 0.5, horizon, price=price
    )


def weights_after(mentors, policies, steps):
    """The posterior after (state, action, by mentor) steps, from the definition."""
    weights = np.array(mentors.prior)
    for state, action, by_mentor in steps:
        if by_mentor:
            weights = weights * [policy[state, action] for policy in policies]
    return weights / weights.sum()


def set_by_definition(weights, alpha):
    return {n for n, w in enumerate(weights) if w > 0 and w >= alpha * sum(v for v in weights if v >= w) - 1e-12}


@pytest.mark.parametrize("seed", range(8))
def test_what_the_imitator_does_is_the_least_of_its_top_set(seed):
    rng = np.random.default_rng(seed)
    alpha = float(rng.uniform(0.02, 0.9))
    mentors = MentorClass([TabularMentor(rng.dirichlet(np.ones(3), 2)) for _ in range(5)], rng.dirichlet(np.ones(5)))
    policies = [mentor.policy for mentor in mentors.mentors]
    agent, state, steps = ImitatorAgent(mentors, alpha, EndlessStream(seed, 1)), 0, []
    for _ in range(12):
        decision = agent.decide()
        top = set_by_definition(weights_after(mentors, policies, steps), alpha)
        assert set(decision.top_set) == top == set(imitation_set(agent.mentor_posterior, alpha))
        least = np.min([policies[n][state] for n in top], axis=0)
        assert decision.probabilities == pytest.approx(least)
        assert decision.value == pytest.approx(least.sum())
        by_mentor = decision.action is None
        action = int(rng.choice(3, p=policies[0][state])) if by_mentor else decision.action
        steps.append((state, action, by_mentor))
        state = int(rng.integers(2))
        agent.observe(action, (state, 0.0), by_mentor)


def chance_of_being_first(mentors, true, alpha, left, never, agent=None):
    """The exact probability that the imitator itself takes an action within so many steps, in a world of one state."""
    agent = agent or ImitatorAgent(mentors, alpha)
    if not left:
        return 0.0
    own = agent.decide().probabilities
    total = own[never]
    for action, by_mentor in product(range(mentors.n_actions), (False, True)):
        chance = (1 - sum(own)) * true[action] if by_mentor else own[action]
        if chance > 1e-15 and action != never:
            after = agent.copy()
            after.observe(action, (0, 0.0), by_mentor)
            total += chance * chance_of_being_first(mentors, true, alpha, left - 1, never, after)
    return total


def test_what_the_mentor_never_does_is_done_with_probability_delta_at_most():
    """δ = α / w; the imitator of the most likely model alone breaks the bound, so it can be broken."""
    rng, broken = np.random.default_rng(3), 0
    for _ in range(12):
        rows = rng.dirichlet(np.ones(3), 3)
        rows[0] = [*rng.dirichlet(np.ones(2)), 0.0]
        prior = rng.dirichlet(np.ones(3))
        mentors = MentorClass([TabularMentor(row[None]) for row in rows], prior)
        delta = 0.3
        alpha = delta * prior[0]
        assert chance_of_being_first(mentors, rows[0], alpha, 3, 2) <= delta + 1e-9
        broken += chance_of_being_first(mentors, rows[0], 1.0, 3, 2) > delta
    assert broken > 0


def test_questions_end_where_the_mentor_is_known():
    mentors = random_mentors(np.random.default_rng(0), 4, states=2)
    model = TabularModel(np.full((2, 2, 2), 0.5), np.ones((2, 2)))
    world = MentoredWorld(ModelWorld(model, 2))
    agent = ImitatorAgent(mentors, 0.01, EndlessStream(1, 1))
    run(world, {1: agent, 2: MentorAgent(mentors.mentors[2], world.code, EndlessStream(1, 2))}, steps=1500, seed=1)
    asked = [done.by_mentor for done in agent.done]
    assert sum(asked[:300]) > 20
    assert sum(asked[-300:]) == 0
    assert imitation_set(agent.mentor_posterior, 0.01) == (2,)


def test_the_plan_is_the_best_policy_at_its_price():
    """Gradient-free: no random policy of two steps is worth more."""
    rng = np.random.default_rng(5)
    model = random_class(rng, 1).models[0]
    base = 0.8 * rng.dirichlet(np.ones(2), 3)
    mentor, price, discount = rng.dirichlet(np.ones(2), 3), 0.3, 0.7
    options = np.hstack([base, 1 - base.sum(axis=1, keepdims=True)])
    transition = model.rows.toarray().reshape(3, 2, 3)

    def worth(policies):
        values = np.zeros(3)
        for policy in reversed(policies):
            ahead = model.rewards + discount * transition @ values
            all_ahead = np.hstack([ahead, (mentor * ahead).sum(axis=1, keepdims=True)])
            values = (policy * (all_ahead - price * np.log(policy / options))).sum(axis=1)
        return values

    plans = [plan_near(model, base, mentor, price, discount, left)[0] for left in (2, 1)]
    best = worth(plans)
    for _ in range(300):
        others = [rng.dirichlet(np.ones(3), 3) for _ in range(2)]
        near = [0.95 * plan + 0.05 * other for plan, other in zip(plans, others, strict=True)]
        assert (worth(others) <= best + 1e-9).all()
        assert (worth(near) <= best + 1e-9).all()


def test_a_bayesian_base_permits_the_lever_for_less_than_its_code_length_and_a_conservative_one_does_not():
    decision = lever(price=0.1).decide()
    pulled = 0.1 * np.exp(5) / (0.1 * np.exp(5) + 0.9)
    assert decision.probabilities == pytest.approx([(1 - pulled) * 5 / 9, (1 - pulled) * 4 / 9, pulled, 0])
    assert decision.divergence == pytest.approx(
        pulled * np.log(pulled / 0.1) + (1 - pulled) * np.log((1 - pulled) / 0.9)
    )
    assert decision.divergence < np.log(10)
    agent = lever(price=0.1)
    agent.observe(LEVER, (0, 1.0))
    assert agent.decide().probabilities[LEVER] == 1
    assert agent.decide().divergence == pytest.approx(0)
    careful = lever(price=0.001, alpha=0.01)
    assert (careful.decide().action, careful.decide().reason) == (None, "asks")
    careful.observe(OTHER_WORK, (0, 0.5), True)
    assert careful.decide().probabilities == pytest.approx([0, 1, 0, 0])


@pytest.mark.parametrize("alpha", [0.2, None])
def test_it_never_strays_further_from_the_mentor_than_from_a_conservative_base(alpha):
    """Its own steps, while the truth is in the top set; for a Bayesian base the same sum is not bounded so."""
    strays = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        models, mentors = random_class(rng, 1), random_mentors(rng, 3)
        agent = RegularizedAgent(models, mentors, alpha, 0.8, 4, price=0.1)
        decision, true = agent.decide(), mentors.mentors[int(rng.integers(3))].policy[models.models[0].start]
        own = [(p, b, t) for p, b, t in zip(decision.probabilities, decision.base, true, strict=False) if p > 0]
        to_mentor = sum(p * np.log(p / t) for p, _, t in own)
        to_base = sum(p * np.log(p / b) for p, b, _ in own)
        strays += to_mentor > to_base + 1e-9
    assert (strays > 0) == (alpha is None)


def test_deciding_changes_nothing_and_a_life_is_resumed(tmp_path):
    for make in (
        lambda: lever(0.3, 0.01, 3),
        lambda: lever(0.3, None, 3),
        lambda: ImitatorAgent(lever().mentors, 0.01),
    ):
        agent = make()
        for action, by_mentor in ((0, True), (1, False), (0, False)):
            if agent.decide().action is not None:
                action, by_mentor = agent.decide().action, False
            first = agent.decide()
            agent.act(0)
            assert agent.decide() == first
            agent.observe(action, (0, 1.0 if action == LEVER else 0.5), by_mentor)
        agent.save(tmp_path / "life.json")
        again = make()
        again.resume(tmp_path / "life.json")
        assert again.decide() == agent.decide()
        assert again.record == agent.record
        assert agent.fresh(EndlessStream(0, 1)).done == []


def test_what_does_not_fit_is_refused_and_an_impossible_mentor_changes_nothing():
    mentors = MentorClass([TabularMentor([WORK], n_actions=3)])
    for alpha in (0, 1.5, float("nan")):
        with pytest.raises(SettingError, match="alpha"):
            ImitatorAgent(mentors, alpha)
    with pytest.raises(SettingError, match=r"mentors\[0\]"):
        RegularizedAgent(random_class(np.random.default_rng(0), 1), mentors, None, 0.5, 2)
    agent = ImitatorAgent(mentors, 0.5)
    with pytest.raises(UnexplainedError):
        agent.observe(LEVER, (0, 0.0), True)
    assert (agent.done, agent.record) == ([], [])
