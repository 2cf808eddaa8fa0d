"""How likely is a world, given a history that many agents in it may have? The rules of thirders and of halfers.

Orseau 2014 leaves open how the prior weights of equation (2) change then. `Count` is the thirder's rule, `Exists` the
double halfer's; `Sequential` is the default. They are the same for every value.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import Any, Protocol

from multislot.errors import SettingError
from multislot.exact.kernel import Arrival, CheckedKernel, Number
from multislot.exact.mixture.weights import (
    Ledger,
    Particle,
    copy_branches,
    forward,
    group_places,
    sum_worlds,
    weigh_worlds,
)


class Posterior(Protocol):
    """A rule for how the weights of worlds, slots and states follow a history. Only the rule reads its *ledgers*.

    Attributes:
        keeps_zeros: whether a ledger keeps possible entries of weight 0.
        restarts: whether every decision begins with the prior weights of the worlds.
    """

    keeps_zeros: bool = False
    restarts: bool = False

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Return the ledger of the empty history."""

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Return the ledger for each observation that may follow `action`, up to a factor common to them."""

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return a ledger's weights: a world's posterior, times its own weights of slot and hidden state."""


class Count(Posterior):
    """Posterior ∝ ``w_ν Σ_i W_i(h)``: a world with many agents of this history is more likely.

    The self-indication assumption (SIA); in Sleeping Beauty the thirder's rule.
    """

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Give every start slot of a world the world's prior weight."""
        return {
            Particle(index, slot, state): prior[index]
            for index, world in enumerate(worlds)
            for slot, state in world.start.items()
            if prior[index]
        }

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Follow every copy at its full weight."""
        return forward(worlds, ledger, action)

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return the ledger itself."""
        return ledger


class Sequential(Count):
    """Posterior ∝ ``w_ν Π_t μ̂_ν(o_t|h a)`` with the copy-centered prediction ``μ̂`` of section 4.2.

    With it the copy-centered value of the mixture at the empty history is the weighted sum of the worlds' values, the
    paper's equation (2). For other values that holds under `Own`.
    """

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Share a world's prior weight among its start slots."""
        alike = super().begin(worlds, prior)
        return {key: weight / len(worlds[key[0]].start) for key, weight in alike.items()}

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Follow the copies within each world, and weigh the worlds by how they predicted the observation."""
        predicted: dict[tuple[int, Hashable], Number] = defaultdict(Fraction)
        for place, branch in copy_branches(worlds, group_places(ledger), action):
            predicted[place.world, branch.observation] += branch.weight
        return weigh_worlds(forward(worlds, ledger, action), predicted)


class Exists(Posterior):
    """Posterior ∝ ``w_ν`` · P(some slot has history h): the number of such slots does not matter.

    The self-sampling assumption (SSA) with the minimal reference class; in Sleeping Beauty the double halfer's rule.
    Slots draw independently, so the joint law is followed by sets of (slot, hidden state) with this history.
    """

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Give every start slot of a world the empty history."""
        return {
            (index, frozenset(world.start.items())): prior[index] for index, world in enumerate(worlds) if prior[index]
        }

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Let every slot of a set draw its outcome, and collect those with the same next observation."""
        after: dict[Hashable, dict[Any, Number]] = defaultdict(lambda: defaultdict(Fraction))
        for (world, places), weight in ledger.items():
            for drawn in product(
                *(worlds[world].outcomes(slot, state, action) for slot, state in sorted(places, key=itemgetter(0)))
            ):
                probability = weight
                for chance, _ in drawn:
                    probability *= chance
                for observation, places in _by_observation(arrivals for _, arrivals in drawn).items():
                    after[observation][world, frozenset(places.items())] += probability
        return after

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return a world's weight in the ledger, shared among its slots and states in proportion to ``W``."""
        weights: dict[Particle, Number] = defaultdict(Fraction)
        for (world, places), weight in ledger.items():
            for slot, state in sorted(places, key=itemgetter(0)):
                weights[Particle(world, slot, state)] += weight
        heads, worlds = sum_worlds(weights), sum_worlds(ledger)
        return {key: weight * worlds[key.world] / heads[key.world] for key, weight in weights.items()}


def _by_observation(drawn: Iterable[Mapping[int, Arrival]]) -> Mapping[Hashable, Mapping[int, Hashable]]:
    sets: dict[Hashable, dict[int, Hashable]] = defaultdict(dict)
    taken: set[int] = set()
    for arrivals in drawn:
        for slot, arrival in arrivals.items():
            if slot in taken:
                raise SettingError(
                    f"two slots with the same history are both copied into slot {slot}; expected disjoint copy sets"
                )
            taken.add(slot)
            sets[arrival.observation][slot] = arrival.state
    return sets


POSTERIORS: Mapping[str, type[Posterior]] = {"count": Count, "exists": Exists, "sequential": Sequential}
"""The rules that do not depend on the value."""
