"""Values, beliefs, plans and drawn runs of random worlds, against their definitions on whole histories."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.exact import (
    ActedSequence,
    CopyCentered,
    KernelWorld,
    KnownSlot,
    Mixture,
    OneSlot,
    Plan,
    SameHistory,
    action_values,
    slot_weights,
)
from multislot.exact.belief import Situations
from tests.laws.test_exact_mixtures import RULES, best_over_policies, by_observations, value_of_policy
from tests.multislot.exact import oracle
from tests.worlds.generator import DISCOUNTS, Size, classes, discounts, from_seeds, make_shares, make_world, worlds
from tests.worlds.runs import Brute, sure

SLOTS = st.sampled_from([1, 2, 3])
WIDE, DEEP = worlds((2, 4)), worlds((2, 2))
cases = st.one_of(
    st.tuples(WIDE, discounts, st.integers(1, 2), st.integers(0, 60)),
    st.tuples(DEEP, discounts, st.just(3), st.integers(0, 60)),
)


def with_history(case, longest=2):
    kernel, discount, horizon, choice = case
    histories = list(oracle.possible_histories(kernel, longest if len(kernel.actions) < 4 else 1))
    return kernel, discount, horizon, histories[choice % len(histories)]


@given(cases, SLOTS)
def test_the_three_values(case, slot):
    kernel, discount, horizon, history = with_history(case)
    options = {"discount": discount, "horizon": horizon, "history": history}
    static = oracle.static(kernel, discount, horizon, slot, history)
    for ours, theirs in (
        (action_values(kernel, "cpy", **options), oracle.copy_centered(kernel, discount, horizon, history)),
        (action_values(kernel, "sta", slot=slot, **options), static),
        (action_values(kernel, "dyn", **options), oracle.dynamic(kernel, discount, horizon, history)),
    ):
        assert ours == theirs
        assert list(ours) == list(kernel.actions)
        assert all(type(number) is Fraction for number in ours.values())
        assert ours.best == oracle.first_best(theirs)
        assert ours.optimal == tuple(action for action in theirs if theirs[action] == max(theirs.values()))


@given(DEEP, discounts, st.sampled_from(["cpy", "sta", "dyn"]))
def test_floats_agree_with_fractions(kernel, discount, value):
    exact = action_values(kernel, value, discount=discount, horizon=3)
    rough = action_values(kernel, value, discount=float(discount), horizon=3)
    assert all(type(number) is float for number in rough.values())
    assert rough == pytest.approx(exact)


@pytest.mark.parametrize("alone", [True, False])
def test_who_left_a_slot_and_came_back_has_not_stayed(alone):
    """The static value after histories that some way of leaving and coming back explains."""
    returned = 0
    for seed in range(40 if alone else 120):
        kernel = make_world(Random(seed), Size(actions=2, alone=alone))
        for history in oracle.possible_histories(kernel, 2):
            ways = {slots for slots, _, _ in oracle.threads(kernel, history)}
            for slot in {slots[0] for slots in ways if slots[0] == slots[-1] and len(set(slots)) > 1}:
                returned += 1
                ours = action_values(kernel, "sta", discount=1, horizon=2, slot=slot, history=history)
                assert ours == oracle.static(kernel, 1, 2, slot, history)
    assert returned > 20


def shared_by(table):
    """``P_ij ∝ share(i, j) ν(c^ij | h^i a)``; nothing where all copies have the share 0."""

    def share(chances, i, j):
        siblings = sum(table[i, target] * copied for (source, target), (_, copied) in chances.items() if source == i)
        return chances[i, j][0] * table[i, j] * chances[i, j][1] / siblings if siblings else Fraction()

    return share


@given(cases, from_seeds(make_shares))
def test_copies_with_shares_of_their_own(case, table):
    kernel, discount, horizon, history = with_history(case, 1)
    value = CopyCentered(lambda source, target: table[source, target])
    ours = action_values(kernel, value, discount=discount, horizon=horizon, history=history)
    assert ours == oracle.weighed(kernel, discount, horizon, history, shared_by(table))


copied = st.tuples(worlds((2, 3), alone=st.just(False)), st.sampled_from(DISCOUNTS[1:]), st.just(2), st.integers(0, 60))


@given(copied, SLOTS)
def test_the_futures_that_the_paper_names(case, slot):
    kernel, discount, horizon, history = with_history(case, 1)
    options = {"discount": discount, "horizon": horizon, "history": history}
    for name, count in oracle.counts(slot).items():
        value = OneSlot(slot) if name == "one-slot" else name
        assert action_values(kernel, value, **options) == oracle.counted(kernel, discount, horizon, history, count)
    assert action_values(kernel, SameHistory(), **options) == oracle.weighed(
        kernel, discount, horizon, history, oracle.all_alike
    )
    for sequence in ((1,), (1, 0)):
        acted = oracle.acted(kernel, discount, horizon, history, sequence)
        assert action_values(kernel, ActedSequence(sequence), **options) == acted
    known = oracle.known_slot(kernel, discount, horizon, history)
    assert action_values(kernel, KnownSlot(), **options) == known


@given(cases)
def test_a_belief_is_what_the_history_says(case):
    kernel, _, _, history = with_history(case)
    weights = oracle.slot_weights(kernel, history)
    total = sum(weights.values())
    assert slot_weights(kernel, history) == weights
    belief = Situations(kernel).belief(history)
    assert belief.slots == {slot: weight / total for slot, weight in weights.items()}
    for slot in weights:
        ends = oracle.ending_in(kernel, history, slot)
        states = {state: sum(w for _, s, w in ends if s == state) for _, state, _ in ends}
        chance, inside = belief.places[0, slot]
        assert chance == weights[slot] / total
        assert inside == {state: weight / weights[slot] for state, weight in states.items()}
    for action in kernel.actions:
        later = {
            seen: sum(oracle.slot_weights(kernel, (*history, (action, seen))).values()) for seen in oracle.OBSERVATIONS
        }
        ours = {seen: weight for seen, (weight, _) in belief.weighed(action).items() if weight}
        assert ours == {seen: weight / total for seen, weight in later.items() if weight}


@given(DEEP, discounts, st.sampled_from(["cpy", "sta", "dyn"]))
def test_a_plan_foresees_what_it_does_and_ends_at_its_last_step(kernel, discount, name):
    """After every history the plan has the values of the steps that are left, and takes the first best action."""
    last_step = 3
    plan = Plan(kernel, name, discount, last_step)
    longer = plan.over(discount, 2)
    brute = {
        "cpy": oracle.copy_centered,
        "sta": lambda k, g, left, h: oracle.static(k, g, left, 1, h),
        "dyn": oracle.dynamic,
    }
    for history in oracle.possible_histories(kernel, 2):
        left = last_step - len(history)
        values = brute[name](kernel, discount, left, history)
        assert plan.values(history) == values
        assert plan.policy(history) == oracle.first_best(values)
        if left > 1:
            assert longer.values(history) == brute[name](kernel, discount, left - 1, history)
    primes = Plan(kernel, "prime-slot", discount, last_step)  # a value that depends on the step
    assert primes.over(discount, 2).values() == Plan(kernel, "prime-slot", discount, 2).values()
    for history in oracle.possible_histories(kernel, 3):
        if len(history) == last_step:
            assert set(plan.values(history).values()) == {0}


@given(worlds((2, 4), told_apart=st.just(True)), st.sampled_from(DISCOUNTS[:3]), st.sampled_from(["cpy", "sta"]))
def test_without_an_end_the_value_is_near_that_of_a_far_horizon(kernel, discount, name):
    """Twelve steps, and a bound on all that comes later."""
    endless = action_values(kernel, name, discount=discount)
    far = action_values(kernel, name, discount=discount, horizon=12)
    bound = 3 * discount**12 / (1 - discount)
    assert all(abs(endless[action] - far[action]) <= bound for action in kernel.actions)


@given(classes((2, 3), (1, 3)), st.sampled_from(sorted(RULES)), st.integers(0, 60))
def test_the_posterior_of_worlds_and_slots(drawn, rule, choice):
    histories = sorted({history for kernel in drawn.kernels for history in oracle.possible_histories(kernel, 2)})
    history = histories[choice % len(histories)]
    weights = [w * RULES[rule](kernel, history) for w, kernel in zip(drawn.prior, drawn.kernels, strict=True)]
    assume(sum(weights))
    belief = Situations(Mixture(drawn.kernels, [7 * w for w in drawn.prior], rule)).belief(history)
    posterior = tuple(weight / sum(weights) for weight in weights)
    assert belief.worlds == posterior
    for index, kernel in enumerate(drawn.kernels):
        slots = oracle.slot_weights(kernel, history)
        inside = {place.slot: chance for place, (chance, _) in belief.places.items() if place.world == index}
        assert inside == {
            slot: posterior[index] * w / sum(slots.values()) for slot, w in slots.items() if posterior[index]
        }


@given(classes((2, 3), (2, 3)), discounts)
def test_equation_2_for_a_class(drawn, discount):
    kernels, prior = drawn.kernels, drawn.prior
    actions = kernels[0].actions
    options = {"discount": discount, "horizon": 2}
    copies = best_over_policies(
        kernels, prior, lambda kernel, policy: value_of_policy(kernel, discount, 2, policy), actions=actions
    )
    for posterior in ("sequential", "own"):
        assert action_values(drawn.mixture(posterior), "cpy", **options) == copies
    static = {
        slot: best_over_policies(
            kernels,
            prior,
            lambda kernel, policy, slot=slot: oracle.on_slot(kernel, discount, 2, (), 0, slot, by_observations(policy)),
            actions=actions,
        )
        for slot in (1, 2, 3)
    }
    for slot, worth in static.items():
        assert action_values(drawn.mixture("own"), "sta", slot=slot, **options) == worth
    agents = sum(weight * len(kernel.start) for weight, kernel in zip(prior, kernels, strict=True))
    known = {action: sum(worth[action] for worth in static.values()) / agents for action in actions}
    assert action_values(drawn.mixture("count"), KnownSlot(), **options) == known


def frequencies(kernel, seeds):
    """How often each joint outcome of the first step is drawn."""
    seen = {}
    for seed in range(seeds):
        world = KernelWorld(kernel)
        world.start(seed)
        turn = world.step(dict.fromkeys(kernel.start, 0))
        drawn = tuple(sorted((source, tuple(sorted(targets))) for source, targets in turn.copies.items()))
        seen[drawn] = seen.get(drawn, 0) + 1
    return seen


def joint_law(kernel):
    """The probability of every joint outcome of one step of action 0."""
    law = {}
    for run in Brute([kernel], [Fraction(1)], sure(lambda history: 0), 1).runs:
        begun, arrived = run.steps
        key = tuple((one.slot, tuple(c.slot for c in arrived if c.parent == row)) for row, one in enumerate(begun))
        law[key] = law.get(key, 0) + run.chance
    return law


@pytest.mark.parametrize("seed", range(3))
def test_the_joint_law_of_a_step(seed):
    random = Random(seed)
    kernels = (make_world(random, Size(actions=1, outcomes=3)) for _ in range(1000))
    kernel = next(kernel for kernel in kernels if len(kernel.start) > 1 and len(joint_law(kernel)) > 3)
    law, count = joint_law(kernel), 1000
    seen = frequencies(kernel, count)
    assert set(seen) <= set(law)
    for drawn, chance in law.items():
        deviation = (float(chance * (1 - chance)) / count) ** 0.5
        assert abs(seen.get(drawn, 0) / count - float(chance)) < 5 * deviation + 1e-9
