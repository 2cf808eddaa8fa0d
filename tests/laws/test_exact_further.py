"""The further futures of Orseau 2014, section 4, against their formulas on whole histories."""

from collections import defaultdict
from fractions import Fraction

import pytest

from multislot.exact import (
    ActedSequence,
    Arrival,
    CommonAncestor,
    FirstCopy,
    KnownSlot,
    LeastRewarded,
    OneSlot,
    PrimeSlot,
    SameHistory,
    action_values,
)
from tests.multislot.exact import oracle

HALF = Fraction(1, 2)
PRIMES = (2, 3, 5, 7, 11)


def counted(kernel, discount, horizon, history, count):
    """``V(h, a) = Σ_i P_i Σ_outcomes p Σ_j count(arrivals, j, t) [r + γ V(h a o)]``, thread by thread."""
    threads, values = oracle.threads(kernel, history), {}
    total = sum(weight for _, _, weight in threads)
    for action in kernel.actions:
        values[action] = Fraction()
        for slots, state, weight in threads:
            for probability, arrivals in kernel.outcomes(slots[-1], state, action):
                for target, found in arrivals.items():
                    share = weight / total * probability * count(arrivals, target, len(history) + 1)
                    if share:
                        after = (*history, (action, found.observation))
                        later = max(counted(kernel, discount, horizon - 1, after, count).values()) if horizon > 1 else 0
                        values[action] += share * (found.reward + discount * later)
    return values


def least(arrivals, target, step):
    worst = min(found.reward for found in arrivals.values())
    who = [slot for slot, found in arrivals.items() if found.reward == worst]
    return Fraction(target in who, len(who))


def pairs(kernel, history, action):
    """{(i, j, o): [P_i, ν(c^ij | h^i a), ν(c^ij o^j | h^i a), the same times r]}"""
    weights, found = oracle.slot_weights(kernel, history), {}
    for slot, weight in weights.items():
        steps = oracle.next_steps(kernel, oracle.ending_in(kernel, history, slot), action)
        copied = defaultdict(Fraction)
        for (target, _), (chance, _) in steps.items():
            copied[target] += chance
        for (target, observation), (chance, reward) in steps.items():
            found[slot, target, observation] = weight / sum(weights.values()), copied[target], chance, reward
    return found


def weighed(kernel, discount, horizon, history, share):
    """``V(h, a) = Σ_ijo share(i, j) [ν(c^ij o^j | h^i a) r + γ ν(c^ij o^j | h^i a) V(h a o)]``."""
    values = {}
    for action in kernel.actions:
        found, values[action] = pairs(kernel, history, action), Fraction()
        chances = {(i, j): (chance, copied) for (i, j, _), (chance, copied, _, _) in found.items()}
        for (i, j, observation), (_, _, chance, reward) in found.items():
            after, later = (*history, (action, observation)), 0
            if horizon > 1 and chance and share(chances, i, j):
                later = max(weighed(kernel, discount, horizon - 1, after, share).values())
            values[action] += share(chances, i, j) * (reward + discount * chance * later)
    return values


def all_alike(chances, i, j):
    return chances[i, j][0] * chances[i, j][1] / sum(chance * copied for chance, copied in chances.values())


def acted(kernel, discount, horizon, history, sequence):
    """The copy-centered value, paid only where the actions so far hold the sequence."""
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        actions = [*(done for done, _ in history), action]
        holds = any(tuple(actions[k : k + len(sequence)]) == sequence for k in range(len(actions)))
        found = pairs(kernel, history, action)
        copied = {(i, j): one for (i, j, _), (_, one, _, _) in found.items()}
        for (i, _, observation), (chance_i, copied_ij, chance, reward) in found.items():
            share = chance_i * copied_ij / sum(one for (source, _), one in copied.items() if source == i)
            after, later = (*history, (action, observation)), 0
            if horizon > 1 and chance:
                later = max(acted(kernel, discount, horizon - 1, after, sequence).values())
            values[action] += share * (reward * holds + discount * chance * later)
    return values


def known(kernel, discount, horizon, history, since, slot):
    """``V^i(h, ·)``, with the slot known since some step."""
    stayed = [one for one in oracle.ending_in(kernel, history, slot) if set(one[0][since:]) == {slot}]
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        for (target, observation), (chance, reward) in oracle.next_steps(kernel, stayed, action).items():
            if target == slot and chance:
                after = (*history, (action, observation))
                later = max(known(kernel, discount, horizon - 1, after, since, slot).values()) if horizon > 1 else 0
                values[action] += reward + discount * chance * later
    return values


CAROUSEL = oracle.TableKernel(
    {
        (1, "alone", "go"): [
            (1, {slot: Arrival("one of three", "x", pay) for slot, pay in {1: 4, 2: 2, 3: 8}.items()})
        ],
        (1, "one of three", "go"): [(1, {3: Arrival("end", "end", 6)})],
        (2, "one of three", "go"): [(1, {1: Arrival("end", "end", 10)})],
        (3, "one of three", "go"): [(1, {})],
    },
    {1: "alone"},
    ("go",),
)
"""Copied to three slots that see the same; then 1 moves to 3, 2 moves to 1, and 3 is deleted (docs/values.md)."""


@pytest.mark.parametrize(
    ("value", "worth"),
    [
        (OneSlot(), 4 + HALF * 10 / 3),
        (PrimeSlot(), 2 + HALF * 6 / 3),
        (FirstCopy(), 4 + HALF * 16 / 3),
        (LeastRewarded(), 2 + HALF * 16 / 3),
        (SameHistory(), Fraction(14, 3) + HALF * 16 / 2),
        (ActedSequence(("go", "go")), HALF * 16 / 3),
        (CommonAncestor(), 14 + HALF * 16),
        (KnownSlot(), Fraction(4)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_each_future_by_hand(value, worth):
    assert action_values(CAROUSEL, value, discount=HALF, horizon=2)["go"] == worth


def test_one_slot_counts_a_chance_once_a_step():
    """Two copies that see the same, slot 1 paid 1 a step: the docstring's example."""
    twins = oracle.TableKernel(
        {
            (1, 0, "stay"): [(1, {slot: Arrival(1, "x", int(slot == 1)) for slot in (1, 2)})],
            **{(slot, 1, "stay"): [(1, {slot: Arrival(1, "x", int(slot == 1))})] for slot in (1, 2)},
        },
        {1: 0},
        ("stay",),
    )
    worth = action_values(twins, OneSlot(), discount=Fraction(9, 10), horizon=5)["stay"]
    assert worth == sum(Fraction(9, 20) ** step for step in range(5))
    assert round(float(worth), 3) == 1.785
