"""Weights of worlds, slots and hidden states, and how they follow the copies after an action."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from multislot.checks import number
from multislot.exact.kernel import CheckedKernel, Number, Outcome

Ledger: TypeAlias = Mapping[Any, Number]

LEAST_WEIGHT = 1e-200  # a smaller float share is left out of a plan, before products of it underflow


class Place(NamedTuple):
    """A slot of a world, without its hidden state."""

    world: int
    slot: int


class Particle(NamedTuple):
    """A slot of a world with its hidden state."""

    world: int
    slot: int
    state: Hashable


class Branch(NamedTuple):
    """One possible next observation with its weight and its reward."""

    weight: Number
    reward: Number
    observation: Hashable


def weigh_worlds(
    after: dict[Hashable, dict[Any, Number]], predicted: Mapping[tuple[int, Hashable], Number]
) -> dict[Hashable, dict[Any, Number]]:
    """Make each world's weights after each observation sum to what `predicted` has for both; weights of 0 stay."""
    for observation, weights in after.items():
        totals = sum_worlds(weights)
        for key, weight in weights.items():
            if weight:
                weights[key] = weight * (predicted[key[0], observation] / totals[key[0]])
    return after


def normalize(ledger: Ledger, *, keep_zeros: bool) -> Ledger:
    """Return a ledger's shares of its sum; float shares below `LEAST_WEIGHT` are left out, as zeros by default are."""
    total = sum(ledger.values())
    least = LEAST_WEIGHT * total if isinstance(total, float) else 0
    return {
        key: weight / total if weight else weight
        for key, weight in ledger.items()
        if weight > least or (keep_zeros and not weight)
    }


def sum_worlds(weights: Ledger) -> dict[int, Number]:
    """Return the sum of each world's weights; a ledger's keys begin with the world."""
    totals: dict[int, Number] = defaultdict(Fraction)
    for key, weight in weights.items():
        totals[key[0]] = totals[key[0]] + weight if key[0] in totals else weight  # a Fraction plus a float is slow
    return totals


def forward(worlds: Sequence[CheckedKernel], weights: Ledger, action: Hashable) -> dict[Hashable, dict[Any, Number]]:
    """Sort the weights after `action` by the observation that comes with them."""
    after: dict[Hashable, dict[Any, Number]] = defaultdict(dict)
    for (world, slot, state), weight in weights.items():
        for probability, arrivals in worlds[world].outcomes(slot, state, action):
            share = weight * probability
            for target, arrival in arrivals.items():
                shares, key = after[arrival.observation], Particle(world, target, arrival.state)
                shares[key] = shares[key] + share if key in shares else share
    return after


def group_places(weights: Mapping[Particle, Number]) -> dict[Place, tuple[Number, dict[Hashable, Number]]]:
    """Return the weight of each (world, slot), and the weights of its hidden states given that."""
    states: dict[Place, dict[Hashable, Number]] = defaultdict(dict)
    for (world, slot, state), weight in weights.items():
        states[Place(world, slot)][state] = weight
    chances = {place: sum(inside.values(), Fraction()) for place, inside in states.items()}
    return {
        place: (chance, {state: weight / chance for state, weight in states[place].items()})
        for place, chance in chances.items()
    }


def mix_outcomes(
    worlds: Sequence[CheckedKernel], place: Place, states: Mapping[Hashable, Number], action: Hashable
) -> Iterator[Outcome]:
    """Yield the outcomes of a place, with its hidden state summed out."""
    for state, chance in states.items():
        for probability, arrivals in worlds[place.world].outcomes(place.slot, state, action):
            yield chance * probability, arrivals


def alike(source: int, target: int) -> Number:
    """Return the same share for each copy: 1."""
    return Fraction(1)


def copy_branches(
    worlds: Sequence[CheckedKernel],
    places: Mapping[Place, tuple[Number, Mapping[Hashable, Number]]],
    action: Hashable,
    share: Callable[[int, int], Number] = alike,
) -> Iterator[tuple[Place, Branch]]:
    """Yield the futures of all copies, ``P_i · P_ij · ν(c^ij o^j | h^i a)``, with their places (Orseau 2014, sec. 4.2).

    ``P_ij`` is the chance of each copy set member times its `share`, normalized over the members. It multiplies
    the joint probability and does not replace it: a single copy that is made half of the time weighs ½.
    """
    for place, (chance, states) in places.items():
        outcomes = list(mix_outcomes(worlds, place, states, action))
        copied: dict[int, Number] = defaultdict(Fraction)
        for probability, arrivals in outcomes:
            for target in arrivals:
                copied[target] += number("share", share(place.slot, target), 0) * probability
        total = sum(copied.values())
        for probability, arrivals in outcomes:
            for target, arrival in arrivals.items():
                if copied[target]:
                    weight = copied[target] / total * probability
                    yield place, Branch(chance * weight, arrival.reward, arrival.observation)
