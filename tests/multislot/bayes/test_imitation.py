"""Conservative imitation and agents regularized to it: brute force over whole trees of histories, and controls."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import (
    ImitatorAgent,
    MentorClass,
    ModelClass,
    RegularizedAgent,
    TabularMentor,
    TabularModel,
)
from multislot.bayes.imitation import add_asking, imitation_set, plan_near
from multislot.bayes.posterior import UnexplainedError
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError
from tests.multislot.bayes.examples import random_class, random_mentors, random_model

HERE = np.ones((1, 3, 1))
WORK, OTHER_WORK, LEVER = range(3)


def lever(price=1.0, alpha=None, horizon=1):
    """Two mentors who work, each in a way of their own, and a model of one who pulls a lever that pays more."""
    mentors = MentorClass([TabularMentor([a], n_actions=3) for a in (WORK, OTHER_WORK, LEVER)], [0.5, 0.4, 0.1])
    return RegularizedAgent(
        ModelClass([TabularModel(HERE, [[0.5, 0.5, 1.0]])]), mentors, alpha, 0.5, horizon, price=price
    )


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


def test_a_plan_is_made_anew_when_another_model_is_the_likeliest():
    """The control plans in that model alone."""
    models = [TabularModel(HERE, [pays]) for pays in ([0.5, 0.5, 1.0], [0.25, 1.0, 0.5])]
    mentors = MentorClass([TabularMentor([[0.4, 0.3, 0.3]])])
    agent, control = (RegularizedAgent(ModelClass(some), mentors, None, 0.5, 1) for some in (models, models[1:]))
    assert agent.decide().probabilities != control.decide().probabilities
    agent.observe(WORK, (0, 0.25))
    assert agent.decide().probabilities == control.decide().probabilities


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


def alone(rewards, policies, prior, alpha, price, seed=0):
    """The first decision in a world of one state."""
    world = ModelClass([TabularModel(np.ones((1, len(rewards), 1)), [rewards])])
    mentors = MentorClass([TabularMentor([policy]) for policy in policies], prior)
    return RegularizedAgent(world, mentors, alpha, 0.5, 1, price=price, stream=EndlessStream(seed, 1)).decide()


def test_what_rounding_leaves_of_a_sum_is_not_a_possibility_to_ask():
    """0.6 + 0.3 + 0.1 and seven times 0.1 + 0.3 are both 1; one of them is not, added up in floating point."""
    for row in ([0.6, 0.3, 0.1, 0.0], [*[0.1] * 7, 0.3, 0.0]):
        last = [0.0] * (len(row) - 1) + [1.0]
        decision = alone(last, [row, last], [0.6, 0.4], 1.0, 0.01)
        assert decision.base[-1] == decision.probabilities[-1] == 0
        assert (decision.probabilities[:-1], decision.divergence) == (pytest.approx(row), 0)
        assert ImitatorAgent(MentorClass([TabularMentor([row])]), 1.0).decide().value == 1


NUMBERS = st.integers(0, 2**32 - 1)


@st.composite
def choices(draw_from):
    """A world of three states or fewer, and mentors whose policies are fractions, some of them 0."""
    rng = np.random.default_rng(draw_from(NUMBERS))
    states, actions = draw_from(st.integers(1, 3)), draw_from(st.integers(3, 5))
    counts = rng.integers(0, 4, (draw_from(st.integers(1, 4)), states, actions))
    counts[..., 0] += counts.sum(axis=2) == 0
    policies = [[[Fraction(int(n), int(row.sum())) for n in row] for row in table] for table in counts]
    model = random_model(rng, states, actions, (0.0, 0.5, 1.0), 0.5)
    prior = rng.dirichlet(np.ones(len(policies)))
    return model, policies, prior


@given(
    choices(),
    st.sampled_from([None, 0.01, 0.3, 1.0]),
    st.sampled_from([1e-300, 1e-6, 1e-3, 0.1, 1.0, 1e6, 1e300]),
    st.sampled_from([0.0, 0.5, 0.999]),
    st.sampled_from([1, 3, 2000]),
)
def test_only_what_the_base_does_is_done_at_any_price(choice, alpha, price, discount, horizon):
    model, policies, prior = choice
    mentors = MentorClass([TabularMentor(np.array(table, dtype=float)) for table in policies], prior)
    agent = RegularizedAgent(ModelClass([model]), mentors, alpha, discount, horizon, price=price)
    decision, top = agent.decide(), imitation_set(agent.mentor_posterior, alpha)
    rows = [policies[index][model.start] for index in top]
    for action in range(model.n_actions):
        never = not any(row[action] for row in rows) if alpha is None else not min(row[action] for row in rows)
        assert not never or decision.base[action] == decision.probabilities[action] == 0
    asks = 0 if alpha is None else 1 - sum(map(min, zip(*rows, strict=True)))
    assert decision.base[-1] == pytest.approx(float(asks), abs=1e-15)
    assert asks or decision.base[-1] == decision.probabilities[-1] == 0
    assert (decision.action is None) <= (asks > 0)
    assert sum(decision.probabilities) == pytest.approx(1)
    assert all(np.isfinite([*decision.probabilities, *decision.base, decision.divergence, decision.value]))
    assert decision.divergence >= 0
    assert -1e-9 <= decision.value <= 1 + 1e-9


def plan_with_many_digits(model, base, mentor, price, discount, horizon):
    """The definition, with 60 digits: probabilities of the first step, [S][A + 1], and values, [S]."""
    rows = [[[Decimal(x) for x in row] for row in table] for table in model.rows.toarray().reshape(*base.shape, -1)]
    rewards = [[Decimal(x) for x in row] for row in model.rewards.tolist()]
    options = [[*map(Decimal, row), 1 - sum(map(Decimal, row))] for row in base.tolist()]
    follows = [[Decimal(x) for x in row] for row in mentor.tolist()]
    values, price, discount = [Decimal(0)] * len(rows), Decimal(price), Decimal(discount)
    for _ in range(horizon):
        weights = []
        for state, table in enumerate(rows):
            pairs = zip(rewards[state], table, strict=True)
            worth = [r + discount * sum(p * v for p, v in zip(row, values, strict=True)) for r, row in pairs]
            worth.append(sum(p * w for p, w in zip(follows[state], worth, strict=True)))
            weights.append([b * (w / price).exp() for b, w in zip(options[state], worth, strict=True)])
        values = [price * sum(row).ln() for row in weights]
    return [[float(w / sum(row)) for w in row] for row in weights], [float(value) for value in values]


@pytest.mark.parametrize("price", [1e-4, 0.01, 1.0, 1e4, 1e9])
def test_the_plan_equals_the_definition_with_many_digits(price):
    rng = np.random.default_rng(7)
    for _ in range(4):
        model, base = random_model(rng, 2, 3, (0.0, 0.5, 1.0), 0.5), 0.9 * rng.dirichlet(np.ones(3), 2)
        mentor = rng.dirichlet(np.ones(3), 2)
        plan = plan_near(model, add_asking(base), mentor, price, 0.875, 3)
        with localcontext(prec=60):
            expected, values = plan_with_many_digits(model, base, mentor, price, 0.875, 3)
        np.testing.assert_allclose(plan.probabilities, expected, rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose(plan.values, values, rtol=1e-9)


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
