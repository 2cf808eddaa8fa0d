"""Credit along the copy tree is the exact value of the engine, in fractions; and where it is not, by how much."""

import itertools
import random
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from multislot import EndlessStream, Percept, Turn, World, run
from multislot.agents import ConstantAgent
from multislot.credit import CopyTree, lineage_advantages, lineage_returns
from multislot.errors import SettingError, UnknownNameError
from multislot.exact import Arrival, KernelWorld, action_values

DEPTH = 3
VALUES = {"cpy": "cpy", "sum": "common-ancestor", "dyn": "dyn", "sta": "sta"}
DISCOUNTS = (Fraction(1), Fraction(1, 2))


class RandomKernel:
    """One action. Every agent has up to two copies in random slots, which see their slot or all see the same.

    Args:
        seed: of the kernel.
        apart: whether copies see their slot.
        chances: how many outcomes each agent has, equally likely; with more than one, slots are each copied into
            slots of their own, so that draws of different agents never meet.
    """

    actions, start = ("a",), MappingProxyType({1: 0})

    def __init__(self, seed, *, apart, chances=1):
        self.apart, rng = apart, random.Random(seed)
        self.table, occupied = {}, [1]
        for step in range(DEPTH):
            free = list(range(1, 5 if chances == 1 else 17))
            rng.shuffle(free)
            arrived = []
            for slot in occupied:
                mine = [slot] if slot in free and chances > 1 else []
                free = [other for other in free if other not in mine]
                outcomes = []
                for _ in range(chances):
                    count = rng.choice([0, 1, 1, 2, 2]) if step else rng.choice([1, 2, 2])
                    targets = rng.sample([*mine, *free[:2]] if chances > 1 else free, min(count, len(free)))
                    outcomes.append({target: Fraction(rng.randint(-3, 5)) for target in targets})
                used = {target for outcome in outcomes for target in outcome} | set(free[:2] if chances > 1 else ())
                free = [other for other in free if other not in used]
                self.table[step, slot] = outcomes
                arrived += sorted({target for outcome in outcomes for target in outcome})
            occupied = arrived

    def outcomes(self, slot, state, action):
        outcomes = self.table.get((state, slot), [{}])
        for rewards in outcomes:
            yield (
                Fraction(1, len(outcomes)),
                {
                    target: Arrival(state + 1, target if self.apart else "o", reward)
                    for target, reward in rewards.items()
                },
            )


def in_fractions(trace):
    return CopyTree(trace.parent, np.array([Fraction(r) for r in trace.reward]), trace.slot, trace.acted)


def played(kernel):
    """The only run of a kernel without chance."""
    world = KernelWorld(kernel)
    return run(world, {1: ConstantAgent(world.n_observations, world.n_actions, EndlessStream(0, 1))}, steps=DEPTH)


def every_run(kernel):
    """Yield the probability and the rows of every run."""

    def go_on(rows, last, step, probability):
        if step == DEPTH or not last:
            columns = zip(*rows, strict=True)
            yield probability, CopyTree(*(np.array(column) for column in columns))
            return
        options = [list(kernel.outcomes(rows[row][2], step, "a")) for row in last]
        for draw in itertools.product(*options):
            longer, chance = [list(row) for row in rows], probability
            for row, (share, arrivals) in zip(last, draw, strict=True):
                chance *= share
                longer[row][3] = True
                longer += [[row, arrival.reward, slot, False] for slot, arrival in arrivals.items()]
            yield from go_on(longer, range(len(rows), len(longer)), step + 1, chance)

    yield from go_on([[0, Fraction(0), 1, False]], [0], 0, Fraction(1))


def compared(future, *, apart, count=100):
    """How often the return of the first row is the engine's value."""
    same = []
    for seed, discount in itertools.product(range(count), DISCOUNTS):
        kernel = RandomKernel(seed, apart=apart)
        credit = lineage_returns(in_fractions(played(kernel)), future=future, discount=discount)
        value = action_values(kernel, VALUES[future], discount=discount, horizon=DEPTH)["a"]
        same.append(credit[0] == value)
    return sum(same), len(same)


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("future", ["sum", "dyn", "sta"])
def test_whole_slots_and_sums_always_equal_the_engine(future, apart):
    assert compared(future, apart=apart) == (200, 200)


def test_copy_centered_equals_the_engine_where_observations_tell_copies_apart():
    assert compared("cpy", apart=True) == (200, 200)


def test_copy_centered_differs_where_copies_see_the_same():
    same, total = compared("cpy", apart=False)
    assert total // 2 < same < total


@pytest.mark.parametrize("future", VALUES)
def test_another_future_has_another_value(future):
    """The control: each return misses the values of the other futures."""
    for other in VALUES.keys() - {future, "sta" if future == "dyn" else "dyn" if future == "sta" else future}:
        missed = 0
        for seed in range(40):
            kernel = RandomKernel(seed, apart=True)
            credit = lineage_returns(in_fractions(played(kernel)), future=future, discount=1)
            missed += credit[0] != action_values(kernel, VALUES[other], discount=1, horizon=DEPTH)["a"]
        assert missed > 10


def fixed_point(kernel, discount):
    """V by history of blind copies: the mean one-step target over the rows with that history, from the last step on."""
    trace = played(kernel)
    tree = in_fractions(trace)
    values = np.array([Fraction(0)] * len(trace.slot))
    for step in reversed(range(trace.steps)):
        rows = trace.rows(step)
        errors = lineage_advantages(tree, values, future="cpy", discount=discount, gae_lambda=0)[rows]
        values[rows] += sum(errors, Fraction(0)) / len(errors) if len(errors) else 0
    return values[0]


def test_one_step_targets_with_rows_counted_alike_have_the_papers_value_as_fixed_point():
    for seed, discount in itertools.product(range(100), DISCOUNTS):
        kernel = RandomKernel(seed, apart=False)
        assert fixed_point(kernel, discount) == action_values(kernel, "cpy", discount=discount, horizon=DEPTH)["a"]


def expected(kernel, future, discount):
    return sum(
        probability * lineage_returns(tree, future=future, discount=discount)[0]
        for probability, tree in every_run(kernel)
    )


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("future", ["sum", "dyn", "sta"])
def test_the_mean_over_all_runs_equals_the_engine_where_copy_sets_are_random(future, apart):
    for seed in range(12):
        kernel = RandomKernel(seed, apart=apart, chances=2)
        value = action_values(kernel, VALUES[future], discount=Fraction(1, 2), horizon=DEPTH)["a"]
        assert expected(kernel, future, Fraction(1, 2)) == value


class Lottery:
    """One agent wakes in slot 1 or 2, by a fair coin, and is paid 1."""

    actions, start = ("a",), MappingProxyType({1: 0})

    def outcomes(self, slot, state, action):
        return [(Fraction(1, 2), {target: Arrival(1, target, Fraction(1))}) for target in (1, 2)]


def test_copy_centered_returns_count_chance_once():
    runs = [CopyTree([0, 0], np.array([Fraction(0), Fraction(1)]), [1, slot], [True, False]) for slot in (1, 2)]
    assert [lineage_returns(tree, future="cpy", discount=1)[0] for tree in runs] == [1, 1]
    assert action_values(Lottery(), "cpy", discount=1, horizon=1)["a"] == Fraction(1, 2)


def test_on_a_line_it_is_ordinary_gae():
    rewards, values = np.array([0.0, 1.0, -2.0, 4.0]), np.array([0.5, 0.25, 3.0, -1.0])
    tree = CopyTree([0, 0, 1, 2], rewards, [1, 1, 1, 1], [True, True, True, False])
    ordinary, advantage = [], 0.0
    for t in (2, 1, 0):
        advantage = rewards[t + 1] + 0.9 * values[t + 1] - values[t] + 0.9 * 0.8 * advantage
        ordinary.insert(0, advantage)
    for future in VALUES:
        ours = lineage_advantages(tree, values, future=future, discount=0.9, gae_lambda=0.8)
        assert ours[:3] == pytest.approx(ordinary)
        assert np.isnan(ours[3])


@pytest.mark.parametrize("future", VALUES)
def test_advantages_with_lambda_one_are_returns_minus_values_where_nothing_is_bootstrapped(future):
    for seed in range(20):
        trace = played(RandomKernel(seed, apart=True))
        values = np.where(trace.acted, np.random.default_rng(seed).integers(-4, 4, len(trace.slot)), 0)
        ours = lineage_advantages(trace, values, future=future, discount=0.5, gae_lambda=1)
        returns = lineage_returns(trace, future=future, discount=0.5)
        np.testing.assert_allclose(ours, returns - values, atol=1e-12)


class Ends(World):
    """Slot 1 is deleted, slot 2 receives its last percept, and slot 3 stays, all at the first step."""

    n_observations, n_actions = 2, 1

    def start(self, seed):
        return dict.fromkeys((1, 2, 3), Percept(1))

    def step(self, actions):
        if 2 not in actions:
            return Turn({3: (3,)}, {3: Percept(1, 1.0)})
        return Turn({2: (2,), 3: (3,)}, {2: Percept(1, 1.0), 3: Percept(1, 1.0)}, ended=(2,))


def test_only_the_rows_at_the_end_of_a_run_bootstrap():
    agents = {slot: ConstantAgent(2, 1, EndlessStream(0, slot)) for slot in (1, 2, 3)}
    trace = run(Ends(), agents, steps=2)
    values = np.full(len(trace.slot), 10.0)
    targets = lineage_advantages(trace, values, future="dyn", discount=1, gae_lambda=1) + 10
    by_step = {(step, int(trace.slot[row])): targets[row] for step in range(3) for row in _rows(trace, step)}
    assert by_step[0, 1] == 0  # deleted
    assert by_step[0, 2] == 1  # ended: its reward and nothing after it
    assert by_step[0, 3] == 12  # two rewards, then the run stopped
    assert np.isnan(by_step[1, 2])
    assert np.isnan(by_step[2, 3])


def _rows(trace, step):
    return range(trace.rows(step).start, trace.rows(step).stop)


def test_static_rows_that_left_their_slot_do_not_learn():
    tree = CopyTree([0, 0, 0, 1, 2, 3], np.ones(6), [1, 1, 2, 1, 1, 1], [True, True, True, True, False, False])
    learns = ~np.isnan(lineage_returns(tree, future="sta", discount=1))
    assert learns.tolist() == [True, True, False, True, False, False]


def test_the_order_of_rows_does_not_matter():
    tree = in_fractions(played(RandomKernel(3, apart=True)))
    order = np.random.default_rng(0).permutation(len(tree.slots))
    place = np.argsort(order)
    shuffled = CopyTree(place[np.asarray(tree.parents)[order]], *(np.asarray(c)[order] for c in tree[1:]))
    for future in VALUES:
        ours, theirs = (lineage_returns(rows, future=future, discount=1) for rows in (shuffled, tree))
        assert [str(number) for number in ours] == [str(number) for number in theirs[order]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 0], [0.0], [1, 1], [True, False]), "four arrays of one length"),
        (([0, 5], [0.0, 0.0], [1, 1], [True, False]), "from 0 to 1"),
        (([1, 0], [0.0, 0.0], [1, 1], [True, True]), "its own ancestor"),
        (([0, 0], [0.0, 0.0], [1, 1], [False, False]), "true for every row that has copies"),
    ],
)
def test_what_is_no_forest_is_refused(columns, message):
    with pytest.raises(SettingError, match=message):
        lineage_returns(CopyTree(*columns), future="cpy", discount=1)


def test_wrong_settings_are_refused():
    tree = CopyTree([0, 0], [0.0, 1.0], [1, 1], [True, False])
    with pytest.raises(UnknownNameError, match="known: cpy, dyn, sta, sum"):
        lineage_returns(tree, future="mean", discount=1)
    with pytest.raises(SettingError, match="discount"):
        lineage_returns(tree, future="cpy", discount=2)
    with pytest.raises(SettingError, match="one value for each row"):
        lineage_advantages(tree, [0.0], future="cpy", discount=1, gae_lambda=0.5)
