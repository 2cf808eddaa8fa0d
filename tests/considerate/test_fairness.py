"""Fairness over histories: plans against brute force over histories, and the same payments in every environment."""

import gymnasium
import numpy as np
import pytest

from considerate import fairness
from considerate.craftworld import task
from considerate.fairness import FairEnv, Outcome, Process
from considerate.training.views import TaskEnv
from multislot.errors import SettingError, TooLargeError

SCHEMES = {
    "long-term": fairness.long_term(fairness.evenness),
    "anytime": fairness.anytime(fairness.evenness),
    "periodic (2 steps)": fairness.periodic(fairness.evenness, 2),
    "bounded (every second doughnut)": fairness.bounded(
        fairness.evenness, lambda before, after: sum(after) % 2 == 0 and sum(after) > sum(before)
    ),
}


def shop(doughnuts, visible=False):
    """One doughnut a step for one of two customers; the second costs the seller a step.

    The state shows, if visible, who was served last.
    """

    def outcomes(state, action):
        return [Outcome(1, action if visible else "open", -action, (1 - action, action))]

    return Process(("A", "B"), ("serve A", "serve B"), "open", outcomes, doughnuts)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_fairest_policy_needs_a_memory_unless_the_state_shows_whose_turn_it_is(name):
    """Alizadeh Alamdari et al. 2024: a policy of the state alone is less fair; the control shows who was served."""
    best = fairness.solve(shop(4), SCHEMES[name], 10).worth
    assert fairness.best_memoryless(shop(4), SCHEMES[name], 10**6).fairness < best.fairness
    assert fairness.best_memoryless(shop(4, visible=True), SCHEMES[name], 10).fairness == best.fairness


def test_craft_world_and_its_environment_pay_what_the_plan_says():
    """The first cook wastes two steps, so that both have taken ten: equality at the end, by leveling down."""
    process, scheme = fairness.process_of(task("kitchen-cookie"), 20), fairness.long_term(fairness.evenness)
    plan = fairness.solve(process, scheme, 10)
    assert plan.worth == (-10, 0)
    task_env = TaskEnv(task("kitchen-cookie"), "value", 0)
    env = FairEnv(task_env, scheme, process.stakeholders, 10)
    env.reset(seed=0)
    paid, ended = 0.0, False
    while not ended:
        status = tuple(int(value) for value in env.status)
        _, reward, ended, *_ = env.step(plan.policy(task_env.state, status, env.time))
        paid += reward
    assert paid == -10
    assert env.status == (-10, -10)


def test_the_action_of_a_policy_may_be_an_array_without_dimensions():
    """As learners of other libraries return it."""
    process, scheme = shop(3), SCHEMES["anytime"]
    plan = fairness.solve(process, scheme)
    assert fairness.evaluate(process, scheme, lambda *situation: np.array(plan.policy(*situation))) == plan.worth
    for wrong in (0.5, -1, 2):
        with pytest.raises(SettingError, match=f"got action={wrong}; expected one of 0..1"):
            fairness.evaluate(process, scheme, lambda *situation, wrong=wrong: wrong)


def test_states_are_those_within_the_horizon():
    """There may be endlessly many beyond it."""
    counting = Process(("A",), ("on",), 0, lambda state, action: [Outcome(1, state + 1, 0, (1,))], 3)
    assert counting.states == (0, 1, 2, 3)
    assert fairness.best_memoryless(counting, fairness.long_term(min)) == (0, 3)


def test_errors():
    with pytest.raises(TooLargeError, match="memoryless policies; give a smaller process"):
        fairness.best_memoryless(fairness.process_of(task("garden"), 10), SCHEMES["anytime"])
    with pytest.raises(SettingError, match="expected an environment with totals"):
        FairEnv(gymnasium.make("CartPole-v1"), SCHEMES["anytime"], ("A",))
    with pytest.raises(SettingError, match="got stakeholders='agent_1'; expected a list"):
        FairEnv(TaskEnv(task("box")), SCHEMES["anytime"], "agent_1")
    with pytest.raises(SettingError, match="got period=0"):
        fairness.Fairness(min, max, 0)
    with pytest.raises(SettingError, match="got weight=nan"):
        fairness.best_memoryless(shop(1), SCHEMES["anytime"], np.nan)
    with pytest.raises(SettingError, match="got most=-5; expected a finite number, at least 0"):
        fairness.frontier(lambda weight: fairness.Worth(0, 0), -5)
    with pytest.raises(SettingError, match="got number of actions=0"):
        Process(("A",), (), 0, shop(1).outcomes, 1)
    assert fairness.nash((0, 1)) == pytest.approx(np.log(2))


def test_a_process_with_too_many_situations_is_refused(monkeypatch):
    monkeypatch.setattr(fairness, "MOST_SITUATIONS", 20)
    with pytest.raises(TooLargeError, match="more than 20 combinations of state, status and time; give a shorter"):
        fairness.solve(shop(12), SCHEMES["anytime"])
    splitting = Process(("A",), ("a", "b"), (), lambda state, action: [Outcome(1, (*state, action), 0, (0,))], 200)
    with pytest.raises(TooLargeError, match="more than 20 states; give a shorter horizon"):
        fairness.best_memoryless(splitting, SCHEMES["anytime"])


def one_step(*outcomes):
    """Two stakeholders; the only action has these outcomes."""
    return Process(("A", "B"), ("go",), "open", lambda state, action: list(outcomes), 1)


ENDED = Outcome(1, None, 0, (1, 0))


@pytest.mark.parametrize(
    ("process", "told"),
    [
        (one_step(), r"got outcomes\('open', 0\)=\[\]; expected at least one Outcome; where the episode ends"),
        (one_step(tuple(ENDED)), r"got outcomes\('open', 0\)\[0\]=\(1, None, .*; expected an instance of Outcome"),
        (one_step(ENDED, ENDED), r"got probabilities of outcomes\('open', 0\)=\[1, 1\]; expected a sum of 1"),
        (one_step(ENDED._replace(probability=-1)), r"got probabilities of .*=-1; expected .* at least 0"),
        (one_step(ENDED._replace(state=[])), r"got state in outcomes\('open', 0\)=\[\]; expected a hashable value"),
        (one_step(ENDED._replace(own=np.inf)), r"got reward in outcomes\('open', 0\)=inf; expected a finite number"),
        (one_step(ENDED._replace(rewards=(np.nan, 0))), r"got reward in outcomes\('open', 0\)=nan"),
        (one_step(ENDED._replace(rewards=3)), r"got rewards in outcomes\('open', 0\)=3; expected a list"),
        (one_step(ENDED._replace(rewards=(1,))), r"got rewards in .*=\[1\]; expected one for each of A, B"),
    ],
)
def test_wrong_outcomes_are_refused_before_anything_is_computed_from_them(process, told):
    for use in (fairness.solve, fairness.best_memoryless):
        with pytest.raises(SettingError, match=told):
            use(process, SCHEMES["anytime"])


def test_a_welfare_that_is_no_number_is_refused():
    for welfare, shown in ((lambda status: None, "None"), (lambda status: np.nan, "nan")):
        with pytest.raises(SettingError, match=rf"got welfare\(\(1, 0\)\)={shown}; expected a finite number"):
            fairness.solve(one_step(ENDED), fairness.anytime(welfare))
    with pytest.raises(SettingError, match=r"got status\[0\]=-2; expected .* at least 0; use evenness or min"):
        fairness.nash((-2, 1))
    with pytest.raises(SettingError, match=r"got status\[1\]=nan"):
        fairness.evenness((1, np.nan))
    with pytest.raises(SettingError, match=r"got status=\(\); expected the sum of rewards of at least one"):
        fairness.evenness(())


def test_small_integers_of_numpy_do_not_overflow_in_a_status():
    paid = Outcome(1, "open", np.int8(100), np.array([100, 0], np.int8))
    process = Process(["A", "B"], ["go"], "open", lambda state, action: [paid], 2)
    assert fairness.solve(process, fairness.long_term(max)).worth == (200, 200)


def test_what_is_nearly_right_is_told_how_to_mend_it():
    process, scheme = one_step(ENDED), SCHEMES["anytime"]
    with pytest.raises(TypeError, match=r"got policy=.*expected a function from"):
        fairness.evaluate(process, scheme, {"open": 0})
    with pytest.raises(TypeError, match=r"expected an instance of Worth; solve\(…\)\.worth is one"):
        fairness.frontier(lambda weight: fairness.solve(process, scheme, weight), 1)
    with pytest.raises(TypeError, match=r"got fairness=.*expected an instance of Fairness"):
        FairEnv(TaskEnv(task("box")), fairness.evenness, ("A",))
    with pytest.raises(TypeError, match="got welfare='nash'; expected a function of a status"):
        fairness.anytime("nash")
    with pytest.raises(TypeError, match="got process='box'; expected an instance of Process"):
        fairness.best_memoryless("box", scheme)
    with pytest.raises(SettingError, match=r"got stakeholders=\(\); expected at least one name"):
        Process((), ("go",), "open", process.outcomes, 1)
