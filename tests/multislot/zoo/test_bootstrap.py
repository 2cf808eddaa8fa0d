"""Nobody bootstraps through a deletion, on a world whose values are known; learners that do are the control."""

from fractions import Fraction

import pytest

from considerate.wrappers import ORIGINAL, Caring
from multislot.exact import Arrival, KernelWorld
from multislot.zoo import DynamicView, FixedView

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


def fixed():
    return FixedView(KernelWorld(Refilled()), 2, max_cycles=STEPS)


@pytest.mark.parametrize("wrap", [False, True])
def test_the_fixed_view_says_at_which_step_a_slot_is_not_to_be_bootstrapped(wrap):
    environment = fixed()
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


def test_caring_tells_everybodys_own_reward_from_the_reset_on():
    environment = Caring(Caring(fixed(), "slot_1", "sim", caring=1), "slot_2", "sim", caring=1)
    _, infos = environment.reset(seed=0)
    assert [info[ORIGINAL] for info in infos.values()] == [0.0, 0.0]
    _, rewards, *_, infos = environment.step({"slot_1": 0, "slot_2": 0})
    assert [info[ORIGINAL] for info in infos.values()] == [1.0, 0.0]
    assert rewards == {"slot_1": 1.0, "slot_2": 1.0}
