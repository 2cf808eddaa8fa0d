"""Kernels run by the engine, and the meaning of its indices."""

from fractions import Fraction

import pytest

from multislot import HistoryAgent, run
from multislot.errors import CopyCollisionError, SettingError, TooLargeError
from multislot.exact import Arrival, Coding, KernelWorld, action_values
from multislot.exact.files import worlds
from tests.multislot.exact.examples import Coin
from tests.multislot.exact.oracle import TableKernel


def always(action):
    return HistoryAgent(lambda history: action)


def test_indices_keep_their_meaning():
    world = KernelWorld(worlds.teleport())
    assert (world.n_actions, world.n_observations) == (2, 3)
    assert [world.describe(index) for index in range(3)] == ["λ", "home", "room 2"]
    assert [world.describe_action(index) for index in range(2)] == ["stay", "teleport"]
    assert world.coding.decode([(1, 2)]) == (("teleport", "room 2"),)
    for action in (-1, 2):
        with pytest.raises(SettingError, match=f"got action={action}; expected one of 0..1"):
            world.coding.decode([(action, 2)])


def test_it_draws_with_the_kernels_probabilities():
    trace = run(KernelWorld(Coin(Fraction(1, 4))), {1: always(1)}, 4000, seed=3)
    won = sum(step[1] == 1 for step in trace.rewards)
    assert 900 < won < 1100
    again = run(KernelWorld(Coin(Fraction(1, 4))), {1: always(1)}, 4000, seed=3)
    assert list(again.rewards) == list(trace.rewards)
    assert list(run(KernelWorld(Coin(Fraction(1, 4))), {1: always(1)}, 4000, seed=4).rewards) != list(trace.rewards)


def test_two_sources_of_one_slot_are_reported():
    kernel = TableKernel({(slot, 0, 0): [(1, {2: Arrival(0, "x")})] for slot in (1, 2)}, {1: 0, 2: 0}, (0,))
    with pytest.raises(CopyCollisionError, match=r"step 1, slot 2: .*1.*2"):
        run(KernelWorld(kernel), {1: always(0), 2: always(0)}, 1)


class Counter:
    """Counts for ever, and shows it."""

    actions = ("on",)

    def __init__(self, start=1):
        self.start = {start: 0}

    def outcomes(self, slot, state, action):
        return [(1, {slot: Arrival(state + 1, state)})]


def test_observations_without_end_must_be_listed():
    with pytest.raises(TooLargeError, match=r"more than 10000 pairs .* give the kernel an attribute `observations`"):
        KernelWorld(Counter())
    listed = Counter()
    listed.observations = (0, 1)
    with pytest.raises(SettingError, match=r"got observation=2; expected one of the coding's \(0, 1\)"):
        run(KernelWorld(listed), {1: always(0)}, 3)


def test_kernels_of_different_actions_share_no_coding():
    """Those of equal ones do, in whichever form they list them."""
    alike = [TableKernel({(1, 0, 0): [(1, {})]}, actions=actions) for actions in ([0], (0,), range(1))]
    assert Coding.of(*alike).actions == (0,)
    with pytest.raises(
        SettingError, match=r"got actions=\[\('on',\), \('stay',\)\]; expected the same actions in all kernels of"
    ):
        Coding.of(Counter(), worlds.stay())


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([(Fraction(1, 2), {})], r"got sum of probabilities in kernel\.outcomes\(1, 0, 0\)=1/2; expected 1"),
        (
            [(Fraction(3, 2), {}), (Fraction(-1, 2), {})],
            r"got probability in kernel\.outcomes\(1, 0, 0\)=-1/2; expected a finite number,",
        ),
        ([("half", {})], r"got probability in kernel\.outcomes\(1, 0, 0\)='half'; expected a finite number"),
        ([(float("nan"), {})], r"got probability in kernel\.outcomes\(1, 0, 0\)=nan; expected a finite number"),
        (
            [(1, {0: Arrival(0, "x")})],
            r"got slot in kernel\.outcomes\(1, 0, 0\)=0; expected a whole number, at least 1",
        ),
        (
            [(1, {1: Arrival(0, "x", float("inf"))})],
            r"got reward in kernel\.outcomes\(1, 0, 0\)=inf; expected a finite number",
        ),
        (
            [(1, {1: Arrival([0], "x")})],
            r"got hidden state in kernel\.outcomes\(1, 0, 0\)=\[0\]; expected a hashable value;",
        ),
        (
            [(1, {1: Arrival(0, ["x"])})],
            r"got observation in kernel\.outcomes\(1, 0, 0\)=\['x'\]; expected a hashable value;",
        ),
        ([(1, {1: "x"})], r"got arrival in kernel\.outcomes\(1, 0, 0\)='x'; expected Arrival\(state,"),
        ([(1, [1, 2])], r"got outcome in kernel\.outcomes\(1, 0, 0\)=\(1, \[1, 2\]\); expected \(probability,"),
        ([1], r"got outcome in kernel\.outcomes\(1, 0, 0\)=1; expected \(probability, \{slot:"),
    ],
)
def test_what_a_kernel_says_is_checked(outcomes, message):
    with pytest.raises(SettingError, match=message):
        KernelWorld(TableKernel({(1, 0, 0): outcomes}, actions=(0,)))


def test_a_kernels_actions_and_start_are_checked():
    with pytest.raises(SettingError, match=r"got kernel\.actions=\(\); expected at least one action, each once"):
        KernelWorld(TableKernel({}, actions=()))
    with pytest.raises(SettingError, match=r"got slot in kernel\.start=0; expected a whole number, at least 1"):
        KernelWorld(Counter(start=0))
    with pytest.raises(
        SettingError, match=r"got kernel\.start\[1\]=\[0\]; expected a hashable value; use numbers, strings or"
    ):
        KernelWorld(TableKernel({}, start={1: [0]}))
    with pytest.raises(
        SettingError, match=r"got kernel\.actions=\[0\]; expected a hashable value; use numbers, strings or"
    ):
        KernelWorld(TableKernel({}, actions=([0], 1)))
    with pytest.raises(
        SettingError, match=r"got kernel\.start=\{\}; expected at least one occupied slot, \{slot: hidden state\}"
    ):
        KernelWorld(TableKernel({}, start={}))


def test_arrivals_may_be_plain_triples():
    kernel = TableKernel({(1, 0, 0): [(1, {1: (0, "x", 5)})]}, actions=(0,))
    assert action_values(kernel, "cpy", discount=1, horizon=2) == {0: 10}
