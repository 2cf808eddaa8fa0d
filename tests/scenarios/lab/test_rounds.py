"""Rounds of a thought experiment: who goes on decides what is learned."""

from fractions import Fraction

import numpy as np
import pytest

import multislot.exact as exact
from multislot import HistoryAgent, run
from multislot.agents import ConstantAgent
from multislot.exact import Arrival
from multislot.testing import check_world
from scenarios.lab.rounds import ASKED, HEIRS, WAITING, LearnerFactory, Rounds, acceptances

ONE = Fraction(1)
COPY = exact.copy(ONE, Fraction(2), Fraction(5), 0)
TREE = exact.world_named("tree", r_s=1, r_1=1, r_2=2, r_3=3)
FORK = exact.world_named("blind-fork", r_s=1, a=1, b=1)
LEARNER = {"discount": 0.9, "learning_rate": 0.05, "epsilon": 0.3}


def pay_of_heirs(kernel, heir, rounds=400):
    """The last reward of every round, of the one that goes on, if everyone accepts."""
    trace = run(Rounds(kernel, 3, heir), {1: HistoryAgent(lambda history: 1)}, 3 * rounds)
    return np.array([trace.rewards[3 * number + 2][1] for number in range(rounds)])


@pytest.mark.parametrize("heir", HEIRS)
@pytest.mark.parametrize("kernel", [COPY, TREE, FORK, exact.teleport(), exact.copy_delete()])
def test_rounds_are_a_world_that_keeps_the_rules(kernel, heir):
    check_world(lambda: Rounds(kernel, 3, heir))


def test_a_round_that_is_over_leaves_one_occupant_in_slot_1_that_is_asked_again():
    trace = run(Rounds(COPY, 3, "any survivor"), {1: HistoryAgent(lambda history: 1)}, 9)
    for step in (3, 6, 9):
        assert trace.observations[step - 1] == {1: ASKED}
    assert [len(trace.occupied(step)) for step in range(10)] == [1, 2, 2, 1, 2, 2, 1, 2, 2, 1]


def test_slot_1_goes_on_or_either_copy_or_one_line():
    assert set(pay_of_heirs(COPY, "slot 1")) == {2.0}
    for heir in ("any survivor", "one line"):
        pay = pay_of_heirs(COPY, heir)
        assert set(pay) == {2.0, 5.0}
        assert abs((pay == 2).mean() - 0.5) < 0.1


def test_survivors_are_counted_by_head_and_lines_by_branch():
    """Slots 1, 2, 3 with weights ⅓ each, or ½, ¼, ¼: the two ways in which the tree can be valued."""
    for heir, weights in (("any survivor", (1 / 3, 1 / 3, 1 / 3)), ("one line", (1 / 2, 1 / 4, 1 / 4))):
        pay = pay_of_heirs(TREE, heir, rounds=2000)
        assert np.allclose([(pay == reward).mean() for reward in (1, 2, 3)], weights, atol=0.05)


def test_the_same_seed_gives_the_same_life():
    lives = [acceptances(COPY, "one line", steps=3, rounds=50, seed=seed, **LEARNER) for seed in (1, 1, 2)]
    assert lives[0] == lives[1] != lives[2]


class Gamble:
    """Accepting copies the agent or deletes it, by a fair coin; whoever lives is paid 1 at the next step."""

    actions = ("stay", "accept")
    start = {1: "asked"}  # noqa: RUF012

    def outcomes(self, slot, state, action):
        if state == "asked" and action == "accept":
            half = Fraction(1, 2)
            return [(half, {}), (half, dict.fromkeys((1, 2), Arrival("alive", "alive")))]
        return [(1, {slot: Arrival("alive", "alive", int(state == "alive"))})]


@pytest.mark.parametrize("pause", [False, True])
def test_rounds_take_chance_and_the_end_of_all(pause):
    check_world(lambda: Rounds(Gamble(), 2, "any survivor", pause=pause))

    def always(n_observations, n_actions, stream):
        return ConstantAgent(n_observations, n_actions, stream, 1)

    trace = run(Rounds(Gamble(), 2, "any survivor", pause=pause), {1: always}, 400, 3)
    length = 2 + pause
    alive = [len(trace.occupied(number * length + 1)) for number in range(400 // length)]
    assert set(alive) == {1, 2}
    assert abs(alive.count(2) / len(alive) - 0.5) < 0.1
    waiting = [trace.observations[number * length].get(1) == WAITING for number in range(400 // length)]
    assert [count == 1 for count in alive] == waiting


def test_with_a_pause_everyone_is_paid_for_the_last_step():
    trace = run(Rounds(COPY, 3, "any survivor", pause=True), {1: HistoryAgent(lambda history: 1)}, 8)
    assert [sorted(rewards) for rewards in trace.rewards[:4]] == [[1, 2], [1, 2], [1, 2], [1]]
    assert trace.rewards[3] == {1: 0.0}
    assert trace.observations[3] == {1: ASKED}


@pytest.mark.parametrize("asked", [ASKED, np.int64(ASKED)])
def test_nothing_is_expected_to_follow_a_round(asked):
    learner = LearnerFactory(1, {"discount": 1.0, "learning_rate": 0.5, "epsilon": 0.0})(3, 2, None)
    learner.learn(ASKED, 0, 8.0, WAITING)
    learner.learn(WAITING, 1, -2.0, asked)
    assert learner.act(WAITING) == 0
