"""Nobody bootstraps through a deletion, on a world whose values are known; learners that do are the control."""

from fractions import Fraction

import numpy as np
import pytest

from considerate.wrappers import ORIGINAL, Caring
from multislot.exact import Arrival, KernelWorld, action_values
from multislot.zoo import DynamicView, FixedView
from multislot.zoo.vectors import SlotVector, vector_env

STEPS = 5


class Refilled:
    """Slot 1 is paid 1, then its agent is deleted and slot 2's agent moves there, where it is paid 10 a step."""

    actions = ("wait",)

    @property
    def start(self):
        return {1: "poor", 2: "rich"}

    def outcomes(self, slot, state, action):
        if state == "rich":
            return [(Fraction(1), {2: Arrival("on its way", "waits", Fraction(0))})]
        if state == "on its way":
            return [(Fraction(1), {1: Arrival("paid", "paid", Fraction(10))})]
        if state == "paid":
            return [(Fraction(1), {1: Arrival("paid", "paid", Fraction(10))})]
        return [(Fraction(1), {} if state == "doomed" else {1: Arrival("doomed", "doomed", Fraction(1))})]


WORTH = 1.0
"""What the first agent of slot 1 receives in all its life."""


def fixed(**settings):
    return FixedView(KernelWorld(Refilled()), 2, max_cycles=STEPS, **settings)


def test_the_worth_is_what_the_engine_says():
    values = action_values(Refilled(), "sta", slot=1, discount=1, horizon=1)
    assert values["wait"] == WORTH


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("infos", ["numbers", "words"])
def test_the_fixed_view_says_at_which_step_a_slot_is_not_to_be_bootstrapped(wrap, infos):
    environment = fixed(infos=infos)
    environment = Caring(environment, "slot_1", "sim", caring=1) if wrap else environment
    _, first = environment.reset(seed=0)
    said = [first["slot_1"]["bootstrap"]]
    for _ in range(STEPS):
        *_, after = environment.step({"slot_1": 0, "slot_2": 0})
        said.append(after["slot_1"]["bootstrap"])
        assert [info.keys() for info in after.values()] == [info.keys() for info in first.values()]
    assert [int(one) for one in said] == [1, 1, 0, 1, 1, 1]


def test_in_the_dynamic_view_a_deleted_agent_is_terminated():
    environment = DynamicView(KernelWorld(Refilled()), max_cycles=STEPS)
    environment.reset(seed=0)
    environment.step(dict.fromkeys(environment.agents, 0))
    _, _, terminations, truncations, infos = environment.step(dict.fromkeys(environment.agents, 0))
    assert (terminations["copy_0"], truncations["copy_0"], infos["copy_0"]["bootstrap"]) == (True, False, False)


def learned(mask):
    """V of the first observation of slot 1 by one-step targets, by step and observation; alone in its slot."""
    environment, values = fixed(), {}
    for _ in range(60):
        seen, _ = environment.reset(seed=0)
        for step in range(STEPS):
            following, rewards, *_, infos = environment.step({"slot_1": 0, "slot_2": 0})
            here, there = (step, tuple(seen["slot_1"])), (step + 1, tuple(following["slot_1"]))
            goes_on = infos["slot_1"]["bootstrap"] if mask else True
            target = rewards["slot_1"] * goes_on + values.get(there, 0.0) * goes_on
            values[here] = values.get(here, 0.0) + 0.5 * (target - values.get(here, 0.0))
            if step == 0:
                first = here
            seen = following
    return values[first]


def test_a_critic_that_looks_at_bootstrap_learns_the_worth_and_one_that_does_not_learns_its_successors_too():
    assert learned(mask=True) == pytest.approx(WORTH, abs=1e-6)
    assert learned(mask=False) > 10


@pytest.mark.parametrize("kind", ["gymnasium", "stable-baselines3"])
def test_vectors_terminate_the_row_of_a_deleted_agent(kind):
    if kind == "gymnasium":
        vector = SlotVector(fixed)
    else:
        pytest.importorskip("stable_baselines3")
        vector = vector_env(fixed())
    vector.reset()
    over = [vector.step(np.zeros(2, dtype=np.int64))[2][0] for _ in range(STEPS - 1)]
    assert over == [False, True, False, False]


def test_caring_tells_everybodys_own_reward_from_the_reset_on():
    environment = Caring(Caring(fixed(), "slot_1", "sim", caring=1), "slot_2", "sim", caring=1)
    _, infos = environment.reset(seed=0)
    assert [info[ORIGINAL] for info in infos.values()] == [0.0, 0.0]
    _, rewards, *_, infos = environment.step({"slot_1": 0, "slot_2": 0})
    assert [info[ORIGINAL] for info in infos.values()] == [1.0, 0.0]
    assert rewards == {"slot_1": 1.0, "slot_2": 1.0}
