"""Beliefs: where an agent may be, given nothing but its history (Orseau 2014, section 4.1).

``W_i(h) = ν(h^i = h)``, the weight of slot ``i`` having had exactly history ``h``, obeys a forward recursion through
the kernel, per hidden state; ``P_i(h) = W_i(h) / Σ_j W_j(h)``. A `Belief` holds these weights normalised over
(world, slot, hidden state): a single kernel is a mixture of one world. Equal situations are one object, so whatever
is computed about a situation can be remembered by it.

How much each world of a mixture counts, given a history, is a choice that the paper leaves open (`Mixture`).
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, Protocol, TypeAlias

from multislot.errors import ImpossibleHistoryError, SettingError, UnknownNameError
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel, Number, Outcome, exact

History: TypeAlias = Sequence[tuple[Hashable, Hashable]]
Ledger: TypeAlias = Mapping[Any, Number]

FLOAT_DIGITS = 12  # float weights that agree to so many digits are one situation: sums differ in the last bits


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
    """One way on from a situation: it counts `weight`, pays `reward` and shows `observation`."""

    weight: Number
    reward: Number
    observation: Hashable


def slot_weights(kernel: Kernel, history: History = ()) -> dict[int, Number]:
    """Return ``W_i(h)`` for every slot where it is not 0, by the forward recursion (Orseau 2014, section 4.1)."""
    checked = CheckedKernel(kernel)
    weights: Ledger = {Particle(0, slot, state): Fraction(1) for slot, state in checked.start.items()}
    for action, observation in history:
        weights = _forward([checked], weights, action).get(observation, {})
    slots: dict[int, Number] = defaultdict(Fraction)
    for (_, slot, _), weight in weights.items():
        slots[slot] += weight
    return dict(slots)


def _forward(worlds: Sequence[CheckedKernel], weights: Ledger, action: Hashable) -> dict[Hashable, dict[Any, Number]]:
    """Sort the weights after `action` by the observation that comes with them."""
    after: dict[Hashable, dict[Any, Number]] = defaultdict(lambda: defaultdict(Fraction))
    for (world, slot, state), weight in weights.items():
        for probability, arrivals in worlds[world].outcomes(slot, state, action):
            for target, arrival in arrivals.items():
                after[arrival.observation][Particle(world, target, arrival.state)] += weight * probability
    return after


class Posterior(Protocol):
    """How the weights of worlds, slots and states follow a history: a rule over *ledgers* that it alone reads."""

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Return the ledger of the empty history."""

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Return the ledger for each observation that may follow `action`, up to a factor common to them."""

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return a ledger's weights: a world's posterior, times its own weights of slot and hidden state."""


class Count:
    """Posterior ∝ ``w_ν Σ_i W_i(h)``: an observer is likelier to be in a world that holds many like it."""

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
        return _forward(worlds, ledger, action)

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return the ledger itself."""
        return {Particle(*key): weight for key, weight in ledger.items()}


class Sequential(Count):
    """Posterior ∝ ``w_ν Π_t μ̂_ν(o_t|h a)`` with the copy-centred prediction ``μ̂`` of section 4.2.

    With it the copy-centred value of the mixture is the weighted sum of the worlds' values, the paper's equation (2).
    """

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Share a world's prior weight among its start slots."""
        alike = super().begin(worlds, prior)
        return {key: weight / len(worlds[key[0]].start) for key, weight in alike.items()}

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Follow the copies within each world, and weigh the worlds by how they predicted the observation."""
        predicted = _predictions(worlds, self.weights(ledger), action)
        after = _forward(worlds, ledger, action)
        for observation, weights in after.items():
            totals = _totals(weights)
            for key in weights:
                world = key[0]
                weights[key] *= predicted[world, observation] / totals[world]
        return after


def _predictions(
    worlds: Sequence[CheckedKernel], weights: Mapping[Particle, Number], action: Hashable
) -> dict[tuple[int, Hashable], Number]:
    predicted: dict[tuple[int, Hashable], Number] = defaultdict(Fraction)
    for place, (chance, states) in _places(weights).items():
        outcomes = list(_outcomes(worlds, place, states, action))
        for branch in copy_branches(outcomes, lambda _: Fraction(1)):
            predicted[place.world, branch.observation] += chance * branch.weight
    return predicted


def _totals(weights: Ledger) -> dict[int, Number]:
    totals: dict[int, Number] = defaultdict(Fraction)
    for key, weight in weights.items():
        totals[key[0]] += weight
    return totals


class Exists:
    """Posterior ∝ ``w_ν`` · P(some slot has history h): how many have it does not count.

    Slots draw independently, so the joint law is followed by sets of (slot, hidden state) with this history.
    """

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Every start slot of a world has the empty history."""
        return {
            (index, frozenset(world.start.items())): prior[index] for index, world in enumerate(worlds) if prior[index]
        }

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Let every slot of a set draw its outcome, and gather those that then see the same."""
        after: dict[Hashable, dict[Any, Number]] = defaultdict(lambda: defaultdict(Fraction))
        for (world, places), weight in ledger.items():
            for drawn in product(*(worlds[world].outcomes(slot, state, action) for slot, state in places)):
                probability = weight
                for chance, _ in drawn:
                    probability *= chance
                for observation, found in _by_observation(arrivals for _, arrivals in drawn).items():
                    after[observation][world, frozenset(found.items())] += probability
        return after

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return a world's weight in the ledger, shared by its slots and states as ``W`` says."""
        weights: dict[Particle, Number] = defaultdict(Fraction)
        for (world, places), weight in ledger.items():
            for slot, state in places:
                weights[Particle(world, slot, state)] += weight
        heads, worlds = _totals(weights), _totals(ledger)
        return {key: weight * worlds[key.world] / heads[key.world] for key, weight in weights.items()}


def _by_observation(drawn: Iterable[Mapping[int, Arrival]]) -> Mapping[Hashable, Mapping[int, Hashable]]:
    found: dict[Hashable, dict[int, Hashable]] = defaultdict(dict)
    taken: set[int] = set()
    for arrivals in drawn:
        for slot, arrival in arrivals.items():
            if slot in taken:
                raise SettingError(
                    f"two slots with the same history are both copied into slot {slot}; copy sets are disjoint"
                )
            taken.add(slot)
            found[arrival.observation][slot] = arrival.state
    return found


POSTERIORS: Mapping[str, type[Posterior]] = {"count": Count, "exists": Exists, "sequential": Sequential}


@dataclass(frozen=True)
class Mixture:
    """A finite class of kernels with prior weights; wherever a kernel is planned in, a mixture will do.

    Args:
        kernels: the worlds, with the same actions in the same order.
        prior: their weights, in any unit; all equal by default.
        posterior: ``"count"``, ``"exists"`` or ``"sequential"``, what a world's weight becomes given a history;
            see `Count`, `Exists` and `Sequential`.

    Raises:
        SettingError: there is no kernel, the actions differ, or the prior does not fit.
        UnknownNameError: there is no such posterior.
    """

    kernels: tuple[Kernel, ...]
    prior: tuple[Number, ...] = ()
    posterior: str = "sequential"

    def __init__(self, kernels: Iterable[Kernel], prior: Iterable[Number] = (), posterior: str = "sequential") -> None:
        object.__setattr__(self, "kernels", tuple(kernels))
        given = tuple(prior) or (1,) * len(self.kernels)
        object.__setattr__(self, "prior", tuple(exact(weight, "a prior weight") for weight in given))
        object.__setattr__(self, "posterior", posterior)
        if not self.kernels or len({tuple(kernel.actions) for kernel in self.kernels}) > 1:
            raise SettingError("a mixture needs at least one kernel, and the same actions in all")
        if len(self.prior) != len(self.kernels) or min(self.prior) < 0 or not sum(self.prior):
            raise SettingError(
                f"the prior {given} does not fit {len(self.kernels)} kernels: one weight each, none negative"
            )
        if posterior not in POSTERIORS:
            raise UnknownNameError("posterior", posterior, POSTERIORS)

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """The actions that all its kernels have."""
        return tuple(self.kernels[0].actions)


def unmarked(kernel: Kernel) -> Kernel:
    """Return the kernel as it is."""
    return kernel


@dataclass(frozen=True, eq=False)
class Situations:
    """All situations that are met while planning in a kernel or mixture, each as one `Belief`.

    Args:
        source: what is planned in.
        mark: turns each kernel into one that remembers more in its hidden state, if a value needs more.
    """

    source: "Kernel | Mixture"
    mark: Callable[[Kernel], Kernel] = unmarked
    _met: dict[Hashable, "Belief"] = field(default_factory=dict, repr=False)

    @cached_property
    def mixture(self) -> Mixture:
        """What is planned in, as a mixture."""
        return self.source if isinstance(self.source, Mixture) else Mixture((self.source,), posterior="count")

    @cached_property
    def worlds(self) -> tuple[CheckedKernel, ...]:
        """The kernels, checked and marked."""
        return tuple(CheckedKernel(self.mark(kernel)) for kernel in self.mixture.kernels)

    @cached_property
    def actions(self) -> tuple[Hashable, ...]:
        """The actions, in order."""
        return self.worlds[0].actions

    @property
    def is_exact(self) -> bool:
        """Whether all numbers met so far were ints or Fractions."""
        return all(world.is_exact for world in self.worlds) and float not in map(type, self.mixture.prior)

    @cached_property
    def rule(self) -> Posterior:
        """How the weights follow a history."""
        return POSTERIORS[self.mixture.posterior]()

    @cached_property
    def counted(self) -> "Situations":
        """The same with the rule of `Count`, for situations that follow one slot only."""
        mixture = Mixture(self.mixture.kernels, self.mixture.prior, "count")
        return self if self.mixture.posterior == "count" else Situations(mixture, self.mark)

    def __len__(self) -> int:
        return len(self._met)

    def belief(self, history: History = ()) -> "Belief":
        """Return the situation after a history of (action, observation) pairs.

        Raises:
            ImpossibleHistoryError: no slot of any world can have it.
        """
        belief = self.situation(self.rule.begin(self.worlds, self.mixture.prior))
        for step, (action, observation) in enumerate(history, start=1):
            after = belief.after(action) if action in self.actions else None
            if after is None or observation not in after:
                raise ImpossibleHistoryError(tuple(history), step, None if after is None else list(after), self.actions)
            belief = after[observation]
        return belief

    def situation(self, ledger: Ledger) -> "Belief":
        """Return the one belief that this ledger, normalised, stands for."""
        total = sum(ledger.values())
        scaled = {key: weight / total for key, weight in ledger.items() if weight}
        identity = frozenset((key, _identity(weight)) for key, weight in scaled.items())
        return self._met.setdefault(identity, Belief(self, scaled))


def _identity(weight: Number) -> Number:
    return weight if isinstance(weight, Fraction) else round(weight, FLOAT_DIGITS)


@dataclass(frozen=True, eq=False)
class Belief:
    """A situation: the normalised weights of (world, slot, hidden state) that a history leaves.

    Equal situations of one `Situations` are the same object, and beliefs compare and hash as objects.
    """

    situations: Situations = field(repr=False)
    ledger: Ledger
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def weights(self) -> Mapping[Particle, Number]:
        """The posterior of (world, slot, hidden state); it sums to 1 (or is empty, see `only`)."""
        return self.situations.rule.weights(self.ledger)

    @cached_property
    def places(self) -> "Mapping[Place, tuple[Number, Mapping[Hashable, Number]]]":
        """For each (world, slot) its ``P_i(h)`` times the world's posterior, and its hidden states given that."""
        return _places(self.weights)

    @property
    def slots(self) -> dict[int, Number]:
        """``P_i(h)``: how likely each slot is, over all worlds."""
        slots: dict[int, Number] = defaultdict(Fraction)
        for particle, weight in self.weights.items():
            slots[particle.slot] += weight
        return dict(slots)

    @cached_property
    def worlds(self) -> tuple[Number, ...]:
        """The posterior of each world."""
        totals = _totals(self.weights)
        return tuple(totals[index] for index in range(len(self.situations.worlds)))

    def outcomes(self, place: Place, action: Hashable) -> Iterator[Outcome]:
        """Yield what may happen in a place, ``ν(· | h^i a)``, with its hidden state summed out."""
        return _outcomes(self.situations.worlds, place, self.places[place][1], action)

    def particle_outcomes(self, particle: Particle, action: Hashable) -> tuple[Outcome, ...]:
        """Return what may happen in a slot whose hidden state is known."""
        return self.situations.worlds[particle.world].outcomes(particle.slot, particle.state, action)

    def once(self, function: Callable[..., Any], *arguments: Hashable) -> Any:
        """Return ``function(*arguments)``, worked out at the first call and remembered with this situation."""
        key = (function, arguments)
        if key not in self._known:
            self._known[key] = function(*arguments)
        return self._known[key]

    def after(self, action: Hashable) -> Mapping[Hashable, "Belief"]:
        """Return the situation that each possible observation leads to."""
        return self.once(self._advance, action)  # type: ignore[no-any-return]

    def _advance(self, action: Hashable) -> Mapping[Hashable, "Belief"]:
        advanced = self.situations.rule.advance(self.situations.worlds, self.ledger, action)
        return {seen: self.situations.situation(ledger) for seen, ledger in advanced.items()}

    def only(self, keep: Callable[[Particle], bool]) -> "Belief":
        """Return this belief given that `keep` holds, followed by `Count`; without any weight if that is impossible."""
        kept = {particle: weight for particle, weight in self.weights.items() if keep(particle)}
        return self.situations.counted.situation(kept)


def _places(weights: Mapping[Particle, Number]) -> dict[Place, tuple[Number, dict[Hashable, Number]]]:
    states: dict[Place, dict[Hashable, Number]] = defaultdict(dict)
    for (world, slot, state), weight in weights.items():
        states[Place(world, slot)][state] = weight
    chances = {place: sum(inside.values(), Fraction()) for place, inside in states.items()}
    return {
        place: (chance, {state: weight / chance for state, weight in states[place].items()})
        for place, chance in chances.items()
    }


def _outcomes(
    worlds: Sequence[CheckedKernel], place: Place, states: Mapping[Hashable, Number], action: Hashable
) -> Iterator[Outcome]:
    for state, chance in states.items():
        for probability, arrivals in worlds[place.world].outcomes(place.slot, state, action):
            yield chance * probability, arrivals


def copy_branches(outcomes: Sequence[Outcome], share: Callable[[int], Number]) -> Iterator[Branch]:
    """Yield the futures of all copies of one slot, ``P_ij · ν(c^ij o^j | h^i a)`` (Orseau 2014, section 4.2).

    ``P_ij`` is the chance of each copy set member times its `share`, normalised over the members. It multiplies
    the joint probability and does not replace it: a single copy that is made half of the time weighs ½.
    """
    copied: dict[int, Number] = defaultdict(Fraction)
    for probability, arrivals in outcomes:
        for target in arrivals:
            copied[target] += share(target) * probability
    total = sum(copied.values())
    for probability, arrivals in outcomes:
        for target, arrival in arrivals.items():
            if copied[target]:
                yield Branch(copied[target] / total * probability, arrival.reward, arrival.observation)
