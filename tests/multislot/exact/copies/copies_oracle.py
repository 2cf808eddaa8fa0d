"""Random kernels whose copies see the same, and every policy up to a number of steps."""

from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from multislot.exact import Arrival
from tests.multislot.exact.oracle import OBSERVATIONS, TableKernel

TARGETS = {1: (1, 2), 2: (3,), 3: ()}
"""Where the agent of a slot may be copied to; no two ever meet."""
found_things = st.builds(Arrival, st.sampled_from((0, 1)), st.sampled_from(OBSERVATIONS), st.integers(-2, 2))


@st.composite
def kernels(draw):
    """Kernels with chance, hidden states, copies that see the same, deletions, gains and losses."""
    table = {}
    for (slot, targets), state, action in product(TARGETS.items(), (0, 1), (0, 1)):
        chance = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3)]))
        ways = [draw(st.dictionaries(st.sampled_from(targets), found_things)) if targets else {} for _ in range(2)]
        table[slot, state, action] = [(chance, ways[0]), (1 - chance, ways[1])]
    return TableKernel(table, draw(st.sampled_from([{1: 0}, {1: 0, 2: 1}])))


def policies(actions, horizon, history=()):
    """Every policy up to a number of steps, as {history: action} on the histories that follow it."""
    if horizon == 0:
        yield {}
        return
    for action in actions:
        after = [
            list(policies(actions, horizon - 1, (*history, (action, observation)))) for observation in OBSERVATIONS
        ]
        for parts in product(*after):
            yield {history: action} | {one: act for part in parts for one, act in part.items()}
