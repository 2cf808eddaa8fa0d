"""Kernels run by the engine, and the meaning of its indices."""

from fractions import Fraction

import pytest

from multislot import HistoryAgent, run
from multislot.errors import CopyCollisionError, SettingError, TooLargeError
from multislot.exact import Arrival, Coding, KernelWorld, action_values, identity
from tests.multislot.exact.examples import Coin
from tests.multislot.exact.oracle import TableKernel


def always(action):
    return HistoryAgent(lambda history: action)


def test_indices_keep_their_meaning():
    world = KernelWorld(identity.teleport())
    assert (world.n_actions, world.n_observations) == (2, 3)
    assert [world.describe(index) for index in range(3)] == ["λ", "home", "room 2"]
    assert [world.describe_action(index) for index in range(2)] == ["stay", "teleport"]
    assert world.coding.decode([(1, 2)]) == (("teleport", "room 2"),)


def test_it_draws_with_the_kernels_probabilities():
    trace = run(KernelWorld(Coin(Fraction(1, 4))), {1: always(1)}, 4000, seed=3)
    won = sum(step[1] == 1 for step in trace.rewards)
    assert 900 < won < 1100
    again = run(KernelWorld(Coin(Fraction(1, 4))), {1: always(1)}, 4000, seed=3)
    assert list(again.rewards) == list(trace.rewards)
    assert list(run(KernelWorld(Coin(Fraction(1, 4))), {1: always(1)}, 4000, seed=4).rewards) != list(trace.rewards)


def test_a_copy_of_the_world_has_the_same_future():
    world = KernelWorld(Coin(Fraction(1, 2)))
    world.start(0)
    world.step({1: 1})
    twin = world.copy()
    assert [world.step({1: 1}) for _ in range(50)] == [twin.step({1: 1}) for _ in range(50)]


def test_a_deleted_agent_leaves():
    trace = run(KernelWorld(identity.copy_delete(d=1)), {1: always(1)}, 5)
    assert [trace.occupied(step) for step in range(6)] == [[1], [1, 2], [2], [2], [2], [2]]


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
    with pytest.raises(SettingError, match=r"the kernel shows 2, which is none of \(0, 1\)"):
        run(KernelWorld(listed), {1: always(0)}, 3)


def test_kernels_of_different_actions_share_no_coding():
    with pytest.raises(SettingError, match="kernels with different actions share no coding"):
        Coding.of(Counter(), identity.stay())


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([(Fraction(1, 2), {})], "slot 1, state 0, action 0 have probabilities that sum to 1/2; they must sum to 1"),
        ([(Fraction(3, 2), {}), (Fraction(-1, 2), {})], "hold the probability -1/2; it may not be negative"),
        ([("half", {})], "a probability in .* is 'half'; a number is needed"),
        ([(float("nan"), {})], "a probability in .* is nan; a finite number is needed"),
        ([(1, {0: Arrival(0, "x")})], "names slot 0; slots are positive integers"),
        ([(1, {1: Arrival(0, "x", float("inf"))})], "a reward in .* is inf; a finite number is needed"),
        ([(1, {1: Arrival([0], "x")})], r"the hidden state holds \[0\], which is not hashable"),
        ([(1, {1: Arrival(0, ["x"])})], r"the observation holds \['x'\], which is not hashable; use .* tuples"),
        ([(1, {1: "x"})], r"hold the arrival 'x'; Arrival\(state, observation, reward\) is needed"),
        ([(1, [1, 2])], r"hold \(1, \[1, 2\]\); \(probability, {slot: Arrival}\) is needed"),
        ([1], r"hold 1; \(probability, {slot: Arrival}\) is needed"),
    ],
)
def test_what_a_kernel_says_is_checked(outcomes, message):
    with pytest.raises(SettingError, match=message):
        KernelWorld(TableKernel({(1, 0, 0): outcomes}, actions=(0,)))


def test_a_kernels_actions_and_start_are_checked():
    with pytest.raises(SettingError, match="at least one is needed, each once"):
        KernelWorld(TableKernel({}, actions=()))
    with pytest.raises(SettingError, match="the start names slot 0; slots are positive integers"):
        KernelWorld(Counter(start=0))
    with pytest.raises(SettingError, match=r"the start's slot 1 holds \[0\], which is not hashable"):
        KernelWorld(TableKernel({}, start={1: [0]}))
    with pytest.raises(SettingError, match=r"a kernel's list of actions holds \[0\], which is not hashable"):
        KernelWorld(TableKernel({}, actions=([0], 1)))
    with pytest.raises(SettingError, match=r"starts with no occupied slot; start is {slot: hid"):
        KernelWorld(TableKernel({}, start={}))


def test_arrivals_may_be_plain_triples():
    kernel = TableKernel({(1, 0, 0): [(1, {1: (0, "x", 5)})]}, actions=(0,))
    assert action_values(kernel, "cpy", discount=1, horizon=2) == {0: 10}
