"""Mixtures of kernels: the three posteriors, and the paper's equation (2), against whole histories."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from multislot.exact import (
    ActedSequence,
    Arrival,
    CommonAncestor,
    CopyCentered,
    DynamicSlotCentered,
    FirstCopy,
    KnownSlot,
    LeastRewarded,
    Mixture,
    OneSlot,
    PrimeSlot,
    SameHistory,
    Situations,
    StaticSlotCentered,
    action_values,
)
from tests.laws.test_exact_further import pairs
from tests.multislot.exact import oracle
from tests.multislot.exact.oracle import OBSERVATIONS, TableKernel

# Slot 1 is copied to slots 1 and 2 and every other moves on by one: copy sets do not collide within 8 steps.
SLOTS = range(1, 10)
arrivals = st.dictionaries(
    st.sampled_from([0, 1]), st.builds(Arrival, st.just(0), st.sampled_from(OBSERVATIONS), st.integers(0, 2))
)


@st.composite
def kernels_without_collisions(draw):
    table = {}
    for action, odd in product((0, 1), repeat=2):
        chance = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3)]))
        first, second = draw(arrivals), draw(arrivals)
        for slot in SLOTS:
            if slot == 1 or slot % 2 == odd:
                moves = (0, 1) if slot == 1 else (1,)
                ways = [{min(slot + k, 9): found for k, found in one.items() if k in moves} for one in (first, second)]
                table[slot, 0, action] = [(chance, ways[0]), (1 - chance, ways[1])]
    return TableKernel(table)


classes = st.tuples(kernels_without_collisions(), kernels_without_collisions())
priors = st.sampled_from([(Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 5), Fraction(4, 5))])


def copy_predictions(kernel, history, action):
    """``μ̂(o | h a) = Σ_ij P_i P_ij ν(c^ij o^j | h^i a)``, and the rewards that come with it."""
    found, predicted = pairs(kernel, history, action), defaultdict(Fraction)
    paid = Fraction()
    copied = {(i, j): one for (i, j, _), (_, one, _, _) in found.items()}
    for (i, _, observation), (chance_i, copied_ij, chance, reward) in found.items():
        if copied_ij:
            share = chance_i * copied_ij / sum(one for (source, _), one in copied.items() if source == i)
            predicted[observation] += share * chance
            paid += share * reward
    return predicted, paid


def chance_that_some_slot_has(kernel, history):
    """P(some slot has h), from the joint law of all slots that still have a beginning of h."""
    worlds = [(Fraction(1), frozenset(kernel.start.items()))]
    for action, observation in history:
        after = []
        for weight, slots in worlds:
            for drawn in product(*(kernel.outcomes(slot, state, action) for slot, state in sorted(slots))):
                chance = weight
                for probability, _ in drawn:
                    chance *= probability
                merged = [one for _, arrivals in drawn for one in arrivals.items()]
                kept = frozenset((slot, found.state) for slot, found in merged if found.observation == observation)
                assert len({slot for slot, _ in merged}) == len(merged)
                after.append((chance, kept))
        worlds = after
    return sum(weight for weight, slots in worlds if slots)


def predicted_so_far(kernel, history):
    chance = Fraction(1)
    for step, (action, observation) in enumerate(history):
        chance *= copy_predictions(kernel, history[:step], action)[0][observation]
    return chance


RULES = {
    "count": lambda kernel, history: sum(oracle.slot_weights(kernel, history).values()),
    "exists": chance_that_some_slot_has,
    "sequential": predicted_so_far,
}


@given(
    classes,
    priors,
    st.sampled_from(sorted(RULES)),
    st.lists(st.sampled_from(list(product((0, 1), OBSERVATIONS))), max_size=4),
)
@settings(max_examples=200, deadline=None)
def test_posterior_of_world_and_slot(kernels, prior, rule, pairs_of_history):
    history = tuple(pairs_of_history)
    weights = [w * RULES[rule](kernel, history) for w, kernel in zip(prior, kernels, strict=True)]
    assume(sum(weights))
    belief = Situations(Mixture(kernels, prior, rule)).belief(history)
    posterior = tuple(weight / sum(weights) for weight in weights)
    assert belief.worlds == posterior
    for index, kernel in enumerate(kernels):
        slots = oracle.slot_weights(kernel, history)
        inside = {place.slot: chance for place, (chance, _) in belief.places.items() if place.world == index}
        assert inside == {
            slot: posterior[index] * w / sum(slots.values()) for slot, w in slots.items() if posterior[index]
        }


def value_of_policy(kernel, discount, horizon, policy, history=()):
    if horizon == 0 or not oracle.slot_weights(kernel, history):
        return 0
    action = policy[tuple(observation for _, observation in history)]
    predicted, paid = copy_predictions(kernel, history, action)
    return paid + sum(
        discount * chance * value_of_policy(kernel, discount, horizon - 1, policy, (*history, (action, observation)))
        for observation, chance in predicted.items()
        if chance
    )


@given(classes, priors, st.sampled_from([Fraction(1, 2), 1]))
@settings(max_examples=40, deadline=None)
def test_sequential_is_the_weighted_sum_of_equation_2(kernels, prior, discount):
    """The best over all policies of ``Σ_ν w_ν V_ν^π``, tried one by one."""
    best = {}
    for first, left, right in product((0, 1), repeat=3):
        policy = {(): first, ("left",): left, ("right",): right}
        worlds = (value_of_policy(kernel, discount, 2, policy) for kernel in kernels)
        total = sum(weight * worth for weight, worth in zip(prior, worlds, strict=True))
        best[first] = max(best.get(first, total), total)
    assert action_values(Mixture(kernels, prior), "cpy", discount=discount, horizon=2) == best


VALUES = [
    CopyCentered(),
    StaticSlotCentered(),
    StaticSlotCentered(2),
    DynamicSlotCentered(),
    KnownSlot(),
    OneSlot(2),
    PrimeSlot(),
    FirstCopy(),
    LeastRewarded(),
    SameHistory(),
    ActedSequence((1, 0)),
    CommonAncestor(),
]


@given(kernels_without_collisions(), st.sampled_from(sorted(RULES)), st.sampled_from(VALUES))
@settings(max_examples=100, deadline=None)
def test_two_equal_worlds_are_one(kernel, rule, value):
    both = Mixture([kernel, kernel], [1, 2], rule)
    alone = action_values(kernel, value, discount=Fraction(1, 2), horizon=3)
    assert action_values(both, value, discount=Fraction(1, 2), horizon=3) == alone


@given(kernels_without_collisions(), st.sampled_from(sorted(RULES)), st.sampled_from(VALUES))
@settings(max_examples=60, deadline=None)
def test_an_excluded_world_changes_nothing(kernel, rule, value):
    other = TableKernel({key: [(1, {})] for key in kernel.table})
    both = Mixture([other, kernel], [0, 1], rule)
    alone = action_values(kernel, value, discount=Fraction(1, 2), horizon=3)
    assert action_values(both, value, discount=Fraction(1, 2), horizon=3) == alone
