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
