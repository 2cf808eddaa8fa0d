"""The guarantees of the pessimistic agent (Cohen and Hutter 2020), exactly on small classes and over seeded runs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.bayes import MentorClass, ModelClass, PessimisticAgent, TabularMentor, twins
from multislot.engine.stream import EndlessStream, PublishedStream
from multislot.statistics import clopper_pearson
from scenarios.conservatism.agents import precedent_bound
from tests.laws.drawn_classes import draw_class, lived
from tests.multislot.bayes.examples import drawn, first_decides, random_class, random_history, random_mentors

DISCOUNT, HORIZON = 0.8, 4
CLASSES = 20
FAMILIES = ("every model", "the truth alone")


def agent_after(models, mentors, beta, history, seed, **options):
    """A pessimistic agent that has observed a history of (action, percept, by_mentor)."""
    options = {"exact": False, "noise": 0.01, **options}
    horizon = options.pop("horizon", HORIZON)
    agent = PessimisticAgent(models, mentors, beta, DISCOUNT, horizon, stream=EndlessStream(seed, 1), **options)
    for action, percept, by_mentor in history:
        agent.observe(action, percept, by_mentor)
    return agent


@given(st.integers(0, 10_000), st.floats(0, 0.99), st.floats(0, 0.99), st.integers(0, 4), st.booleans())
def test_growing_beta_never_defers_less_on_a_fixed_history_with_the_same_samples(seed, first, second, steps, exact):
    rng = np.random.default_rng(seed)
    models, mentors = random_class(rng, 5, rewards=(0.0, 1.0), sparse=0.4), random_mentors(rng, 2)
    history = [(*step, bool(rng.integers(2))) for step in random_history(rng, models.models[0], steps)]
    options = {"exact": exact, "horizon": 2 if exact else HORIZON}
    less, more = (
        agent_after(models, mentors, beta, history, seed, **options).decide() for beta in sorted([first, second])
    )
    assert (less.model, less.mentor, less.noise) == (more.model, more.mentor, more.noise)
    assert set(less.top_set) <= set(more.top_set)
    assert more.value <= less.value + 1e-9
    assume(abs(more.mentor_value - more.value - more.noise) > 1e-8)
    assert more.action is None or less.action is not None


def test_with_a_guard_before_a_plan_that_mixes_a_larger_beta_can_defer_less():
    """Two models fear one of the first two doors each, so the plan mixes and the guard defers; with a third that fears
    both, the plan is the third door, which nobody fears."""
    models = ModelClass(first_decides((1, 0, 0.2), (0, 1, 0.2), (0, 0, 0.2)), [0.4, 0.4, 0.2])
    mentors = MentorClass([TabularMentor([2, 2, 2, 2], n_actions=3)])
    options = {"exact": True, "pure": False, "noise": 1.0}
    deciding = [agent_after(models, mentors, beta, (), 0, **options).decide() for beta in (0.7, 0.9)]
    assert [decision.top_set for decision in deciding] == [(0, 1), (0, 1, 2)]
    assert [decision.reason for decision in deciding] == ["guard", "acts"]
    pure = [agent_after(models, mentors, beta, (), 0, exact=True).decide() for beta in (0.7, 0.9)]
    assert [decision.action for decision in pure] == [2, 2]


@given(
    st.integers(0, 10_000),
    st.integers(0, 1),
    st.integers(0, 2),
    st.sampled_from([{"exact": False}, {"exact": True, "horizon": 2}, {"exact": True, "pure": False, "horizon": 2}]),
)
def test_while_a_twin_is_considered_the_agent_does_not_cause_its_event(seed, tempting, steps, options):
    rng = np.random.default_rng(seed)
    base = random_class(rng, 2, rewards=(0.5, 1.0), sparse=0.4)
    models = twins(base, [(state, tempting) for state in range(3)])
    mentors = MentorClass([TabularMentor(rng.dirichlet(np.ones(2), 6))])
    history, state = [], 0
    for _ in range(steps):
        percept = drawn(models.models[0].law(state, 1 - tempting), rng.random())
        history.append((1 - tempting, percept, False))
        state = percept[0]
    for draws in range(3):
        decision = agent_after(models, mentors, 1 - 1e-9, history, draws, **options).decide()
        assert 2 in decision.top_set
        assert decision.action in (None, 1 - tempting)


def chance_of_causing(guard, cells=12):
    """The probability that a mixing agent opens door 0 first, over all cells of its draws of ν̂ and of its action."""
    truth_twin_other = ModelClass(first_decides((1, 1), (0, 1), (1, 0)))
    mentors = MentorClass([TabularMentor([1, 1, 1], n_actions=2)])
    middle = (np.arange(cells) + 0.5) / cells
    caused = 0
    for model, action in product(middle, middle):
        stream = PublishedStream([model, 0.5, 0.5, action])
        options = {"exact": True, "pure": False, "guard": guard, "noise": 0.001, "stream": stream}
        decision = PessimisticAgent(truth_twin_other, mentors, 0.96, DISCOUNT, HORIZON, **options).decide()
        caused += decision.action == 0
    return caused / cells**2


def test_an_unguarded_mixing_agent_breaks_the_third_result_and_the_guarded_one_does_not():
    """Models that pay (1,1), (0,1), (1,0) for ever, by the first action. The truth is the first; the second is its twin
    for the event "action 0". β = 0.96 = 1 − δ·w(μ†) with δ = 0.12, but the mixing agent causes the event with
    probability 1/3 · 1/2: it draws the third model, which pays nothing for what the mentor does, and then action 0."""
    assert precedent_bound(0.96, 1 / 3) == pytest.approx(0.12)
    assert chance_of_causing(guard=False) == pytest.approx(1 / 6)
    assert chance_of_causing(guard=True) == 0


def check_bounds(lives, betas):
    """Runs lives in random classes and compares frequencies with their bounds, each beyond its confidence interval."""
    for twinned, seed, beta in product(FAMILIES, range(CLASSES), betas):
        result = lived(seed, beta, lives, twinned)
        for name in ("first", "left"):
            least, _ = clopper_pearson(result[name], lives, 1 - 1e-6)
            assert least <= precedent_bound(beta, result["weights"][name])


def test_the_bound_is_tried_where_the_truth_alone_has_a_twin():
    """There the agent is first now and then although the bound is below 1, and no more often than the bound says."""
    lives, first = 10, 0
    for seed in range(CLASSES):
        result = lived(seed, 0.95, lives, "the truth alone")
        bound = precedent_bound(0.95, result["weights"]["first"])
        assert bound == pytest.approx(0.5)
        assert clopper_pearson(result["first"], lives, 1 - 1e-6)[0] <= bound
        first += result["first"]
    assert first > 0
    assert clopper_pearson(first, lives * CLASSES, 1 - 1e-6)[1] < 0.5


@pytest.mark.full
def test_the_bounds_hold_in_ten_thousand_runs():
    check_bounds(lives=500, betas=(0.98, 0.995))


def test_without_pessimism_the_agent_is_the_first_to_cause_what_tempts_it():
    """The bound is no accident of the setting: at β = 0 it would be broken for any δ below 1."""
    found = [lived(seed, 0.0, 10)["first"] for seed in range(CLASSES)]
    assert sum(found) > 0.5 * 10 * CLASSES


def test_the_twin_agrees_with_the_truth_until_the_event_and_pays_nothing_after():
    setting = draw_class(seed=3)
    truth, twin = (setting.models.models[setting.truth + shift] for shift in (0, 5))
    before = [(state, action) for state in range(4) for action in range(3) if (state, action) != setting.event]
    assert all(truth.law(*pair) == twin.law(*pair) for pair in before)
    assert all(reward == 0 for state in range(4, 8) for action in range(3) for _, reward in twin.law(state, action))
    assert all(reward == 0 for _, reward in twin.law(*setting.event))
    assert all(state >= 4 for state, _ in truth.law(*setting.event))
