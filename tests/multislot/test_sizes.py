"""What would grow beyond all bounds is refused before the memory is gone, and what was finished is kept."""

from fractions import Fraction

import pytest

from multislot import run
from multislot.agents import RandomAgent
from multislot.errors import SettingError, TooLargeError
from multislot.exact import AIMU, Plan, SameHistory, UniversalKernel, UniversalWorld, action_values, stay
from multislot.zoo import DynamicView, FixedView
from tests.multislot.engine.test_protocol import VectorDiary
from tests.multislot.worlds import Doubling


class Hungry(Doubling):
    """There is no memory for its third step."""

    def step(self, actions):
        if len(actions) == 4:
            raise MemoryError
        return super().step(actions)


@pytest.mark.parametrize("most", [1, 5, 64])
def test_a_run_with_too_many_agents_is_stopped_and_keeps_its_trace(most):
    with pytest.raises(TooLargeError, match=f"expected at most={most}") as caught:
        run(Doubling(), {1: RandomAgent}, steps=60, most=most)
    kept = caught.value.trace
    finished = len(kept.actions)
    assert 2**finished <= most < 2 ** (finished + 1)


def test_a_run_in_arrays_is_stopped_too():
    with pytest.raises(TooLargeError, match="step 6: 64 agents") as caught:
        run(UniversalWorld(), {1: VectorDiary()}, steps=60, most=32)
    assert len(caught.value.trace.actions) == 5


def test_a_run_without_memory_keeps_its_trace():
    with pytest.raises(TooLargeError, match="memory") as caught:
        run(Hungry(), {1: RandomAgent}, steps=9)
    assert len(caught.value.trace.actions) == 2


@pytest.mark.parametrize("most", [0, True, 2.5, "many"])
def test_the_most_is_a_whole_number(most):
    with pytest.raises(SettingError, match="got most="):
        run(Doubling(), {1: RandomAgent}, steps=1, most=most)


@pytest.mark.parametrize("value", ["cpy", SameHistory()])
def test_planning_that_meets_too_many_situations_is_refused(value):
    with pytest.raises(TooLargeError, match="expected at most=500; give a shorter horizon"):
        action_values(UniversalKernel(), value, discount=Fraction(9, 10), horizon=40, most=500)


def test_planning_of_a_bounded_size_is_not_refused():
    exact = action_values(UniversalKernel(), "cpy", discount=Fraction(9, 10), horizon=4)
    assert exact == action_values(UniversalKernel(), "cpy", discount=Fraction(9, 10), horizon=4, most=500)


def test_a_long_plan_over_few_situations_is_refused_by_its_answers():
    with pytest.raises(TooLargeError, match="answers and"):
        action_values(stay(), "cpy", discount=Fraction(9, 10), horizon=1000, most=500)


@pytest.mark.parametrize("steps", [10**9, 2**63])
def test_a_horizon_beyond_all_sense_is_refused_at_once(steps):
    with pytest.raises(TooLargeError, match=f"got horizon={steps}"):
        action_values(stay(), "cpy", discount=Fraction(1, 2), horizon=steps)
    with pytest.raises(TooLargeError, match=f"got last_step={steps}"):
        AIMU(stay(), "cpy", discount=Fraction(1, 2), last_step=steps)
    with pytest.raises(TooLargeError, match=f"got last_step={steps}"):
        Plan(stay(), "cpy", Fraction(1, 2), steps)


def test_a_view_names_a_bounded_number_of_agents():
    with pytest.raises(SettingError, match="got max_agents=1000000000"):
        DynamicView(Doubling(), max_agents=10**9)
    with pytest.raises(SettingError, match="got slots=1000000000"):
        FixedView(Doubling(), 10**9)
