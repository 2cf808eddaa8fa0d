"""Mixtures of kernels: the five posteriors, and the paper's equation (2), against whole histories."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.exact import (
    AIXI,
    Arrival,
    KnownSlot,
    Mixture,
    Situations,
    action_values,
    teleport,
)
from multislot.exact.belief import ImpossibleHistoryError
from tests.multislot.exact import oracle
from tests.multislot.exact.oracle import OBSERVATIONS, TableKernel
from tests.worlds.futures import WEIGHTED
from tests.worlds.generator import worlds
from tests.worlds.runs import Brute, sure

classes = st.tuples(worlds((2, 2)), worlds((2, 2)))
priors = st.sampled_from([(Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 5), Fraction(4, 5))])


def copy_predictions(kernel, history, action):
    """``μ̂(o | h a) = Σ_ij P_i P_ij ν(c^ij o^j | h^i a)``, and the rewards that come with it."""
    found, predicted = oracle.pairs(kernel, history, action), defaultdict(Fraction)
    paid = Fraction()
    copied = {(i, j): one for (i, j, _), (_, one, _, _) in found.items()}
    for (i, _, observation), (chance_i, copied_ij, chance, reward) in found.items():
        if copied_ij:
            share = chance_i * copied_ij / sum(one for (source, _), one in copied.items() if source == i)
            predicted[observation] += share * chance
            paid += share * reward
    return predicted, paid


def chance_that_some_slot_has(kernel, history):
    """P(some slot has h), over all runs in which everybody takes the actions of h."""
    actions = [action for action, _ in history]
    brute = Brute([kernel], [Fraction(1)], sure(lambda past: actions[len(past)]), len(history))
    return brute.expected(lambda run: any(copy.history == history for copy in run.steps[-1]))


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


def best_over_policies(kernels, prior, value_of, horizon=2, actions=(0, 1)):
    """``max_π Σ_ν w_ν V_ν^π`` for each first action, all policies over observations tried one by one."""
    histories = [seen for length in range(horizon) for seen in product(OBSERVATIONS, repeat=length)]
    best = {}
    for chosen in product(actions, repeat=len(histories)):
        policy = dict(zip(histories, chosen, strict=True))
        total = sum(weight * value_of(kernel, policy) for weight, kernel in zip(prior, kernels, strict=True))
        best[policy[()]] = max(best.get(policy[()], total), total)
    return best


def by_observations(policy):
    """The choice of a policy over observations, however many steps are left."""
    return lambda history, left: policy[tuple(observation for _, observation in history)]


def printed_values(kernels, prior, history, horizon, value_of, possible):
    """``max_π Σ_ν w_ν V_ν^π(h)`` for each action at ``h``, with the prior weights, over those of possible worlds."""
    seen = tuple(observation for _, observation in history)
    best = best_over_policies(
        kernels,
        prior,
        lambda kernel, policy: value_of(kernel, {seen + later: policy[later] for later in policy}),
        horizon,
    )
    left = sum(weight for weight, kernel in zip(prior, kernels, strict=True) if possible(kernel))
    return {action: worth / left for action, worth in best.items()}


@given(classes, priors, st.sampled_from([0, 1]), st.sampled_from(OBSERVATIONS))
def test_printed_is_equation_2_with_the_prior_weights_at_every_history(kernels, prior, action, observation):
    discount, history, mixture = Fraction(2, 3), ((action, observation),), Mixture(kernels, prior, "printed")
    assume(any(oracle.slot_weights(kernel, history) for kernel in kernels))
    copies = printed_values(
        kernels,
        prior,
        history,
        2,
        lambda kernel, policy: value_of_policy(kernel, discount, 2, policy, history),
        lambda kernel: oracle.slot_weights(kernel, history),
    )
    assert action_values(mixture, "cpy", discount=discount, horizon=2, history=history) == copies

    def stays(kernel):
        return any(set(thread[0]) == {1} for thread in oracle.ending_in(kernel, history, 1))

    if any(map(stays, kernels)):
        static = printed_values(
            kernels,
            prior,
            history,
            2,
            lambda kernel, policy: oracle.on_slot(kernel, discount, 2, history, 0, 1, by_observations(policy)),
            stays,
        )
        assert action_values(mixture, "sta", discount=discount, horizon=2, history=history) == static


def test_the_static_agent_maximizes_equation_2_by_default():
    kernels = (teleport(), stays_put())
    assert AIXI(kernels, "sta", discount=1, last_step=2).plan.situations.mixture.posterior == "own"
    assert AIXI(kernels, "dyn", discount=1, last_step=2).plan.situations.mixture.posterior == "sequential"


def weighted_value_of_policy(kernel, value, discount, horizon, policy):
    """``V^π = Σ_k weight_k [reward_k + γ V^π]`` in one world, with no posterior of worlds."""

    def worth(belief, seen):
        step = len(seen) + 1
        if step > horizon or not value.situation(belief).weights:
            return 0
        action, total = policy[seen], Fraction()
        for branch in value.future(value.situation(belief), action, step):
            after = belief.after(action)[branch.observation]
            total += branch.weight * (branch.reward + discount * worth(after, (*seen, branch.observation)))
        return total

    return worth(Situations(kernel, value.mark).belief(), ())


@given(classes, priors, st.sampled_from(WEIGHTED))
def test_own_makes_every_weighted_future_equation_2(kernels, prior, value):
    discount = Fraction(2, 3)
    best = best_over_policies(
        kernels, prior, lambda kernel, policy: weighted_value_of_policy(kernel, value, discount, 2, policy)
    )
    assert action_values(Mixture(kernels, prior, "own"), value, discount=discount, horizon=2) == best


def test_where_no_world_counts_every_action_is_worth_0_and_nothing_is_raised():
    moved = Mixture([teleport(), teleport(r_2=5)], posterior="own")
    history = (("teleport", "room 2"),)
    assert action_values(moved, "sta", discount=1, horizon=3, history=history) == {"stay": 0, "teleport": 0}
    one_left = Mixture([teleport(), stays_put()], posterior="own")
    worth = action_values(one_left, "sta", discount=1, horizon=3, history=history)
    assert worth == {"stay": 0, "teleport": 0}
    with pytest.raises(ImpossibleHistoryError):
        action_values(moved, "sta", discount=1, horizon=3, history=(("teleport", "room 9"),))


def stays_put():
    """A teleporter that does not work: who steps in stays in slot 1 and sees another room."""
    return TableKernel(
        {(1, 0, action): [(1, {1: Arrival(0, "home", 1)})] for action in ("stay", "teleport")},
        actions=("stay", "teleport"),
    )


@pytest.mark.parametrize("value", ["dyn", KnownSlot()], ids=["dyn", "KnownSlot"])
def test_values_without_weights_of_their_own_refuse_own(value):
    with pytest.raises(SettingError, match=r"got posterior='own' with (Dynamic|Known).*give one of count, exists, seq"):
        action_values(Mixture([teleport(), teleport()], posterior="own"), value, discount=1, horizon=2)
    with pytest.raises(SettingError, match="got posterior='own'; expected one of count, exists, sequential"):
        Situations(Mixture([teleport()], posterior="own")).belief()
