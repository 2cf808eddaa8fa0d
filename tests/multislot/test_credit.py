"""Credit in drawn runs of random worlds, against its definition row by row; what learners of each kind learn."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.engine.credit import CopyTree, lineage_advantages, lineage_returns
from multislot.exact import action_values
from tests.multislot.exact.oracle import TableKernel
from tests.worlds.generator import Size, discounts, from_seeds, make_world
from tests.worlds.runs import Brute

HALF = Fraction(1, 2)
FUTURES = st.sampled_from(["cpy", "sum", "dyn", "sta"])
LAMBDAS = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(1)])
STEPS = 4


def draw_run(random, size):
    """The rows of one run as (parent, reward, slot, acted), in the order of their birth."""
    kernel = make_world(random, size)
    rows = [[row, Fraction(random.randint(-3, 3)), slot, False] for row, slot in enumerate(sorted(kernel.start))]
    last = [(row, state) for row, (_, state) in enumerate(sorted(kernel.start.items()))]
    for _ in range(STEPS):
        after = []
        for row, state in last:
            ways = kernel.outcomes(rows[row][2], state, random.choice(kernel.actions))
            (arrivals,) = random.choices([way for _, way in ways], [float(chance) for chance, _ in ways])
            rows[row][3] = True
            for slot, arrival in sorted(arrivals.items()):
                after.append((len(rows), arrival.state))
                rows.append([row, arrival.reward, slot, False])
        last = after
    return rows


def shuffled(random, rows):
    """The same rows in another order, with the place of each."""
    places = random.sample(range(len(rows)), len(rows))
    moved = [None] * len(rows)
    for row, (parent, *rest) in enumerate(rows):
        moved[places[row]] = [places[parent], *rest]
    return moved


def as_tree(rows):
    parents, rewards, slots, acted = zip(*rows, strict=True)
    return CopyTree(parents, np.array(rewards, dtype=object), slots, acted)


class Definition:
    """Weights, rows that learn, returns and advantages, one row at a time."""

    def __init__(self, rows, future, discount):
        self.rows, self.future, self.discount = rows, future, discount

    def copies(self, x):
        return [c for c, (parent, *_) in enumerate(self.rows) if parent == x and c != x]

    def weight(self, x, c):
        if self.future == "cpy":
            return Fraction(1, len(self.copies(x)))
        return Fraction(1) if self.future == "sum" else Fraction(self.rows[c][2] == self.rows[x][2])

    def stayed(self, x):
        parent, _, slot, _ = self.rows[x]
        return parent == x or (slot == self.rows[parent][2] and self.stayed(parent))

    def learns(self, x):
        return self.rows[x][3] and (self.future != "sta" or self.stayed(x))

    def returned(self, x):
        return sum(
            (self.weight(x, c) * (self.rows[c][1] + self.discount * self.returned(c)) for c in self.copies(x)),
            Fraction(),
        )

    def advantage(self, x, values, gae_lambda):
        if not self.rows[x][3]:
            return Fraction()
        error = -values[x]
        for c in self.copies(x):
            error += self.weight(x, c) * (self.rows[c][1] + self.discount * values[c])
            error += self.discount * gae_lambda * self.weight(x, c) * self.advantage(c, values, gae_lambda)
        return error


def differing(ours, theirs, definition):
    """Return the rows that differ from the definition; those that learn nothing have NaN."""
    rows = range(len(definition.rows))
    return [x for x in rows if (ours[x] != theirs(x) if definition.learns(x) else ours[x] == ours[x])]


SIZES = [Size(actions=2, phases=phases, copies=3) for phases in (1, 2)]
runs = st.sampled_from(SIZES).flatmap(lambda size: from_seeds(draw_run, size))


@given(runs, FUTURES, discounts, st.integers(0, 2**32))
def test_returns_are_those_of_the_definition(rows, future, discount, seed):
    rows = shuffled(Random(seed), rows)
    definition = Definition(rows, future, discount)
    ours = lineage_returns(as_tree(rows), future=future, discount=discount)
    assert differing(ours, definition.returned, definition) == []


@given(runs, FUTURES, discounts, LAMBDAS, st.integers(0, 2**32))
def test_advantages_are_those_of_the_definition(rows, future, discount, gae_lambda, seed):
    random = Random(seed)
    rows = shuffled(random, rows)
    values = np.array([Fraction(random.randint(-4, 4), 3) for _ in rows], dtype=object)
    definition = Definition(rows, future, discount)
    ours = lineage_advantages(as_tree(rows), values, future=future, discount=discount, gae_lambda=gae_lambda)
    assert differing(ours, lambda x: definition.advantage(x, values, gae_lambda), definition) == []
    parents, rewards, slots, acted = as_tree(rows)
    floats = lineage_advantages(
        CopyTree(parents, [float(reward) for reward in rewards], slots, acted),
        values.astype(float),
        future=future,
        discount=float(discount),
        gae_lambda=float(gae_lambda),
    )
    learning = [x for x in range(len(rows)) if definition.learns(x)]
    assert floats[learning] == pytest.approx([float(ours[x]) for x in learning], abs=1e-9)


ENGINE = {"cpy": "cpy", "sum": "common-ancestor", "dyn": "dyn", "sta": "sta"}


def rows_of(run):
    """The rows of a run, as above, and the history of each."""
    rows, histories, born = [], [], 0
    for living in run.steps:
        before, born = born, len(rows)
        for copy in living:
            parent = len(rows) if copy.parent is None else before + copy.parent
            rows.append((parent, copy.reward, copy.slot, living is not run.steps[-1]))
            histories.append(copy.history)
    return rows, histories


def learned_values(kernel, future, discount, gae_lambda, horizon):
    """The value of every history that a table learns if every row counts alike: its λ-targets average to it."""
    brute = Brute([kernel], [Fraction(1)], lambda history: {0: Fraction(1)}, horizon)
    lived = [(run.chance, *rows_of(run)) for run in brute.runs]
    learned = {}
    for step in reversed(range(horizon)):
        targets = {}
        for chance, rows, histories in lived:
            definition = Definition(rows, future, discount)
            values = [learned.get(history, Fraction()) for history in histories]  # 0 in this step
            for x in (x for x, history in enumerate(histories) if len(history) == step and definition.learns(x)):
                total = targets.setdefault(histories[x], [Fraction(), Fraction()])
                total[0] += chance * definition.advantage(x, values, gae_lambda)
                total[1] += chance
        learned |= {history: paid / weight for history, (paid, weight) in targets.items()}
    return learned


def make_lives(random, *, told_apart, by_chance):
    """A world with one action and one agent at the start; hidden states only where chance needs them."""
    size = Size(actions=1, phases=2, states=2, outcomes=2 if by_chance else 1, observations=1, told_apart=told_apart)
    kernel = make_world(random, size)
    return TableKernel(kernel.table, {1: (0, 0)}, kernel.actions)


KINDS = {
    "told apart": {"told_apart": True, "by_chance": False},
    "told apart, random copy sets": {"told_apart": True, "by_chance": True},
    "blind": {"told_apart": False, "by_chance": False},
    "blind, random copy sets": {"told_apart": False, "by_chance": True},
}
RIGHT = {  # the λ of {0, 1/2, 1} with which the value at the start is the engine's in every world tried
    ("cpy", "told apart"): {0, HALF, 1},
    ("cpy", "told apart, random copy sets"): set(),
    ("cpy", "blind"): {0},
    ("cpy", "blind, random copy sets"): set(),
    **{("dyn", kind): {1} if "blind" in kind else {0, HALF, 1} for kind in KINDS},
    **{(future, kind): {0, HALF, 1} for future in ("sum", "sta") for kind in KINDS},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("future", ENGINE)
def test_which_lambda_learns_the_engines_value(future, kind):
    """The table of the module's docstring."""
    missed = dict.fromkeys((0, HALF, 1), 0)
    for seed in range(60):
        kernel = make_lives(Random(seed), **KINDS[kind])
        exact = action_values(kernel, ENGINE[future], discount=HALF, horizon=3)[0]
        for gae_lambda in missed:
            missed[gae_lambda] += learned_values(kernel, future, HALF, gae_lambda, 3)[()] != exact
    assert {gae_lambda for gae_lambda, count in missed.items() if not count} == RIGHT[future, kind]
