"""Q-learning: exact values on a chain, same seed same bits, and agreement with the exact solutions."""

from dataclasses import replace

import numpy as np
import pytest

import considerate
from considerate.craftworld import task
from considerate.craftworld.qlearning import q_learning
from considerate.training.learning import SCHEDULES, Schedule, learn, published_schedule
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError, UnknownNameError

pytestmark = pytest.mark.compiled

CHAIN = ([1, 0, 2, 0, 2, 2], [-1.0, -3.0, -1.0, -1.0, 0.0, 0.0], [False, False, True])
"""States 0 → 1 → 2 (the end) by action 0, and back by action 1."""


def values(steps, epsilon=0.5, rate=1.0, discount=1.0, initial=0.0, length=100, starts=(0,)):
    targets, rewards, ends = CHAIN
    stream = EndlessStream(0, 1)
    found = q_learning(targets, rewards, ends, list(starts), 2, steps, length, epsilon, rate, discount, initial, stream)
    return np.array(found).reshape(3, 2)


def test_the_values_of_a_chain():
    np.testing.assert_array_equal(values(500), [[-2, -5], [-1, -3], [0, 0]])
    np.testing.assert_allclose(values(5000, rate=0.5, discount=0.5), [[-1.5, -3.75], [-1, -1.75], [0, 0]])


def test_one_step_moves_one_value_by_the_learning_rate():
    np.testing.assert_array_equal(values(1, epsilon=0.0, rate=0.25, initial=8.0), [[7.75, 8], [8, 8], [8, 8]])


def test_an_episode_that_is_broken_off_starts_anew_and_still_expects_what_follows():
    np.testing.assert_array_equal(values(1, epsilon=0.0, length=1, initial=-9.0), [[-10, -9], [-9, -9], [-9, -9]])
    both = values(4, epsilon=0.0, length=1, initial=-9.0, starts=(0, 1))
    np.testing.assert_array_equal(both, [[-10, -12], [-1, -9], [-9, -9]])


def test_same_seed_same_bits_and_other_seeds_differ():
    chosen = task("garden")
    caring, plan = {"agent_2": 1, "agent_3": 1}, Schedule(300, 0.5, 300)
    first, again, other = (learn(chosen, "per_agent", caring, seed=seed, schedule=plan).values for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


CASES = [
    ("garden", "per_agent", {"agent_2": 0, "agent_3": 1}),
    ("garden", "per_agent", {"agent_2": 1, "agent_3": 1}),
    ("garden", "per_agent", {"agent_2": 10, "agent_3": 1}),
    ("doll", "worst", 10),
    ("mail-room", "options", 1),
    ("mail-room", "options", 5),
    ("kitchen-peanut", "value", 1),
    ("garden", "sim", {"agent_2": 1, "agent_3": 1}),
    ("doll", "valued_options", 10),
    ("kitchen-salt", "per_agent", {"agent_1": 1, "agent_2": 1}),
]


@pytest.mark.parametrize(("name", "criterion", "caring"), CASES)
def test_learning_with_a_part_of_the_schedule_is_exact(name, criterion, caring):
    chosen = task(name)
    published = published_schedule(chosen)
    others = None if published.others_steps is None else published.others_steps // 10
    plan = Schedule(published.steps // 10, published.epsilon, others)
    solution = learn(chosen, criterion, caring, seed=0, schedule=plan).solution
    assert solution.returns == considerate.solve(chosen, criterion, caring).returns


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "criterion", "caring"),
    [
        *(*CASES, ("doll", "value", 10), ("doll", "neg", 10)),
        *(("box", "value", alpha) for alpha in (0.1, 0.5, 2, 7)),  # figure 1b
    ],
)
def test_learning_with_the_published_schedule_is_exact_in_nine_of_ten_seeds(name, criterion, caring):
    chosen = task(name)
    exact = considerate.solve(chosen, criterion, caring).returns
    found = [learn(chosen, criterion, caring, seed=seed).solution for seed in range(10)]
    assert sum(solution is not None and solution.returns == exact for solution in found) >= 9


@pytest.mark.full
@pytest.mark.parametrize(("alpha", "returns"), [(0, (-24, -123)), (0.5, (-25, -33)), (2, (-33, -25))])
def test_table_1_is_learned_without_exploring(alpha, returns):
    for seed in range(3):
        assert tuple(learn(task("shared-key"), "sim", alpha, seed=seed).solution.returns.values()) == returns


def test_what_others_learn_does_not_depend_on_who_asked_before():
    chosen, plan = task("kitchen-salad"), {"steps": 20_000, "epsilon": 0.5}
    first = {seed: chosen.futures_of("agent_2", **plan, seed=seed).returns for seed in (1, 2)}
    for seed in (2, 1):
        assert chosen.futures_of("agent_2", **plan, seed=seed).returns is first[seed]
        assert task("kitchen-salad").futures_of("agent_2", **plan, seed=seed).returns == first[seed]
    assert chosen.futures_of("agent_2", steps=40, epsilon=0.5, seed=1).returns != first[1]


def test_too_little_learning_shows():
    chosen = task("box")
    assert learn(chosen, "value", 1, seed=0, schedule=Schedule(50, 0.2)).solution is None
    found = chosen.futures_of("agent_2", steps=50, epsilon=0.5, seed=0)
    assert {found(end) for end in chosen.end_states.values()} == {-1000}


def test_a_cycle_is_followed_once():
    """In a graph of many states, a policy that never ends is noticed where it comes back."""
    graph, looked_up = task("box").graph, []

    class Up:
        def __getitem__(self, state):
            looked_up.append(state)
            return graph.actions.index("up")

    assert graph.follow(Up(), int(graph.starts[0])) is None
    assert len(looked_up) == len(set(looked_up)) <= task("box").grid.height


def test_schedules():
    assert published_schedule(task("doll")) == SCHEDULES["doll"] == Schedule(200_000, 0.2, 900_000)
    assert published_schedule(task("kitchen-salt")).steps == 200_000
    with pytest.raises(UnknownNameError, match="unknown schedule 'gardens'; did you mean 'garden'"):
        published_schedule(replace(task("garden"), name="gardens"))
    for steps in (0, "a", 10.5, True):
        with pytest.raises(SettingError, match=f"steps={steps!r}; expected a whole number, at least 1"):
            Schedule(steps, 0.1)
        with pytest.raises(SettingError, match=f"others_steps={steps!r}; expected a whole number, at least 1"):
            Schedule(1, 0.1, steps)
    with pytest.raises(SettingError, match="epsilon='a'; expected a finite number"):
        Schedule(1, "a")
    with pytest.raises(SettingError, match=r"got epsilon=1\.5; expected a finite number, at least 0 and at most 1"):
        Schedule(1, 1.5)
