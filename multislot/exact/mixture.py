"""Mixtures: finite classes of kernels, and the weight of each world given a history (Orseau 2014, equation 2).

The paper sums over environments with prior weights. It leaves open how such a weight changes once many agents may have
the same history. `Count`, `Exists` and `Sequential` are the same for every value; `Own` and `Printed`
(`multislot.exact.values`) follow the value.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, TypeAlias

from multislot.checks import checked_parts, number, refusal
from multislot.errors import SettingError, UnknownNameError
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel, Number, Outcome, exact

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

OWN, PRINTED = "own", "printed"
"""The rules that follow the value, see `multislot.exact.values`."""


@dataclass(frozen=True)
class Mixture:
    """A finite class of kernels with prior weights; it can stand wherever one plans in a kernel.

    Args:
        kernels: the worlds, with the same actions in the same order.
        prior: their weights, in any unit; all equal by default.
        posterior: ``"sequential"``, ``"count"``, ``"exists"``, ``"own"`` or ``"printed"``: how a world's weight
            follows a history; see `Sequential`, `Count`, `Exists`, `Own` and `Printed`. The default works with every
            value. With it the copy-centered value at the empty history is equation (2); with ``"own"`` other values
            are, too. At later histories equation (2) as the paper prints it is ``"printed"``.
    """

    kernels: tuple[Kernel, ...]
    prior: tuple[Number, ...] = ()
    posterior: str = "sequential"

    def __init__(self, kernels: Iterable[Kernel], prior: Iterable[Number] = (), posterior: str = "sequential") -> None:
        object.__setattr__(self, "kernels", tuple(kernels))
        for kernel in self.kernels:
            checked_parts("kernel", kernel, "actions", "start", "outcomes")
        weights = tuple(prior) or (1,) * len(self.kernels)
        object.__setattr__(self, "prior", tuple(exact(weight, "weight in prior") for weight in weights))
        object.__setattr__(self, "posterior", posterior)
        if not self.kernels or len({tuple(kernel.actions) for kernel in self.kernels}) > 1:
            raise refusal("kernels", self.kernels, "at least one kernel, all with the same actions")
        if len(self.prior) != len(self.kernels) or min(self.prior) < 0 or not sum(self.prior):
            raise refusal("prior", weights, f"{len(self.kernels)} weights of at least 0, not all 0")
        if posterior not in (*POSTERIORS, OWN, PRINTED):
            raise UnknownNameError("posterior", posterior, (*POSTERIORS, OWN, PRINTED))

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """The actions that all its kernels have."""
        return tuple(self.kernels[0].actions)


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
