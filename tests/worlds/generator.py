"""One generator of small worlds: kernels, classes of them, processes with stakeholders, and classes of models.

A world has *phases*. After each step all agents are in the next one, and in each phase every slot can be filled from
one slot only. So copy sets never meet, and yet an agent can leave a slot and come back, and a slot can be emptied and
filled again. Or there is one agent that is never copied: it moves to any slot, and where it stayed and where it came
back to can look alike. Chances, shares and priors are unequal, several agents may start, and some actions are exactly
alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
from hypothesis import strategies as st

from considerate.fairness import Outcome, Process
from multislot.bayes import ModelClass, TabularModel
from multislot.exact import Arrival, Mixture
from tests.multislot.exact.oracle import OBSERVATIONS, TableKernel

DISCOUNTS = (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1))
CHANCES = tuple(
    tuple(Fraction(part, sum(parts)) for part in parts)
    for parts in ((1,), (1,), (1, 1), (1, 2), (4, 1), (1, 2, 3), (0, 1))
)
REWARDS = (Fraction(-2), Fraction(0), Fraction(0), Fraction(1), Fraction(3, 2), Fraction(3))
STARTS = ({1: (0, 0)}, {1: (0, 0)}, {2: (0, 1)}, {1: (0, 0), 3: (0, 1)}, {1: (0, 0), 2: (0, 0)})


@dataclass(frozen=True)
class Size:
    """How large a world may be.

    Attributes:
        actions: 1 to 4.
        slots: 1 to 3.
        phases: after so many steps the same slots feed each other again.
        states: hidden ones.
        outcomes: the most of one action.
        copies: the most of one agent.
        observations: 1 or 2.
        told_apart: whether an observation says all there is to know: phase, slot and hidden state.
        alone: whether there is one agent that moves, and no copies.
    """

    actions: int = 2
    slots: int = 3
    phases: int = 2
    states: int = 2
    outcomes: int = 2
    copies: int = 2
    observations: int = 2
    told_apart: bool = False
    alone: bool = False


def make_world(random: Random, size: Size) -> TableKernel:
    """Make a world from a source of random numbers, Hypothesis' own or a seeded one."""
    slots = range(1, size.slots + 1)
    table = {}
    for phase in range(size.phases):
        fed_from = {target: target if random.random() < 0.4 else random.choice(slots) for target in slots}
        for slot in slots:
            targets = [target for target in slots if size.alone or fed_from[target] == slot]
            for state in range(size.states):
                place = slot, (phase, state)
                for action in range(size.actions):
                    if action and random.random() < 0.2:
                        table[*place, action] = table[*place, random.randrange(action)]
                        continue
                    chances = random.choice([some for some in CHANCES if len(some) <= size.outcomes])
                    table[*place, action] = [
                        (chance, _arrivals(random, size, (phase + 1) % size.phases, targets)) for chance in chances
                    ]
    starts = [start for start in STARTS if max(start) <= size.slots and size.states > 1] or [{1: (0, 0)}]
    if size.alone:
        starts = [start for start in starts if len(start) == 1]
    return TableKernel(table, random.choice(starts), tuple(range(size.actions)))


def _arrivals(random: Random, size: Size, phase: int, targets: list[int]) -> Mapping[int, Arrival]:
    count = min(len(targets), random.choice((0, 1, 1, 1, 2, 2, 3)), 1 if size.alone else size.copies)
    arrivals = {}
    for target in random.sample(targets, count):
        state, seen = random.randrange(size.states), random.choice(OBSERVATIONS[: size.observations])
        observation = (phase, target, state) if size.told_apart else seen
        arrivals[target] = Arrival((phase, state), observation, random.choice(REWARDS))
    return arrivals


def from_seeds(make, *arguments):
    """Strategy for what a function makes from a `Random`; the seed is drawn, so that examples are quick to make."""
    return st.integers(0, 2**32 - 1).map(lambda seed: make(Random(seed), *arguments))


def sizes(actions=(1, 4), **fixed):
    return st.builds(
        Size,
        actions=st.integers(*actions),
        slots=st.integers(2, 3),
        phases=st.integers(1, 2),
        states=st.just(2),
        **{"alone": st.sampled_from((False, False, True))} | fixed,
    )


def worlds(actions=(2, 4), **fixed):
    """Strategy for kernels."""
    return sizes(actions, **fixed).flatmap(lambda size: from_seeds(make_world, size))


@dataclass(frozen=True)
class Worlds:
    """A class of kernels with prior weights that sum to 1."""

    kernels: tuple[TableKernel, ...]
    prior: tuple[Fraction, ...]

    def mixture(self, posterior="sequential") -> Mixture:
        return Mixture(self.kernels, self.prior, posterior)


def make_class(random: Random, size: Size, count: int) -> Worlds:
    """Make some worlds of one size, with an unequal prior."""
    parts = random.sample((1, 2, 4, 7), count)
    kernels = tuple(make_world(random, size) for _ in parts)
    return Worlds(kernels, tuple(Fraction(part, sum(parts)) for part in parts))


def classes(actions=(2, 3), counts=(1, 2), **fixed):
    """Strategy for classes of kernels."""
    return st.tuples(sizes(actions, **fixed), st.integers(*counts)).flatmap(
        lambda drawn: from_seeds(make_class, *drawn)
    )


def make_shares(random: Random) -> Mapping[tuple[int, int], Fraction]:
    """Make shares by source and target, not symmetric; some copies may count nothing."""
    parts = (Fraction(1), Fraction(2), Fraction(5), Fraction(1, 3), Fraction(0))
    return {(source, target): random.choice(parts) for source in (1, 2, 3) for target in (1, 2, 3)}


def make_process(random: Random, actions: int, horizon: int) -> Process:
    """Make a process with two or three stakeholders; some actions are alike, some outcomes end it."""
    who = ("A", "B", "C")[: random.randint(2, 3)]
    table = {}
    for state in range(3):
        for action in range(actions):
            if action and random.random() < 0.25:
                table[state, action] = table[state, random.randrange(action)]
                continue
            table[state, action] = [
                Outcome(
                    chance,
                    random.choice((0, 1, 2, None)),
                    random.choice((-1, 0, 1)),
                    tuple(random.choice((0, 0, 1, 2)) for _ in who),
                )
                for chance in random.choice(CHANCES[1:5])
            ]
    names = tuple("abcd"[:actions])
    return Process(who, names, random.randrange(3), lambda state, action: table[state, action], horizon)


def processes(actions=(2, 4), horizons=(1, 3)):
    """Strategy for processes with several stakeholders."""
    return st.tuples(st.integers(*actions), st.integers(*horizons)).flatmap(
        lambda drawn: from_seeds(make_process, *drawn)
    )


def make_model(random: Random, states: int, actions: int, start: int = 0) -> TabularModel:
    """Make a model with few possible transitions, and rewards that are drawn apart from them."""
    transition, paid = np.zeros((states, actions, states)), np.zeros((states, actions, 3))
    for state in range(states):
        for action in range(actions):
            for chance in random.choice(CHANCES[:5]):
                transition[state, action, random.randrange(states)] += float(chance)
            for chance in random.choice(CHANCES[:5]):
                paid[state, action, random.randrange(3)] += float(chance)
    return TabularModel(transition, paid, start, reward_values=(0.0, 0.25, 1.0))


def make_model_class(random: Random, states: int, actions: int, count: int) -> ModelClass:
    """Make models of one size that begin in one state, with an unequal prior."""
    start = random.randrange(states)
    parts = [random.choice((1, 2, 5)) for _ in range(count)]
    return ModelClass([make_model(random, states, actions, start) for _ in parts], np.array(parts) / sum(parts))


def model_classes(states=2, actions=(1, 4), counts=(1, 4)):
    """Strategy for classes of tabular models."""
    return st.tuples(st.just(states), st.integers(*actions), st.integers(*counts)).flatmap(
        lambda drawn: from_seeds(make_model_class, *drawn)
    )


discounts = st.sampled_from(DISCOUNTS)
