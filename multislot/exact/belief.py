"""Beliefs: where an agent may be, given nothing but its history (Orseau 2014, section 4.1).

``W_i(h) = ν(h^i = h)``, the weight of slot ``i`` having had exactly history ``h``, obeys a forward recursion through
the kernel, per hidden state; ``P_i(h) = W_i(h) / Σ_j W_j(h)``. A `Belief` holds these weights normalised over
(world, slot, hidden state): a single kernel is a mixture of one world. Equal situations are one object, so whatever
is computed about a situation can be remembered by it.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from multislot.errors import ImpossibleHistoryError
from multislot.exact.kernel import CheckedKernel, Kernel, Number, Outcome
from multislot.exact.mixture import (
    POSTERIORS,
    Ledger,
    Mixture,
    Particle,
    Place,
    Posterior,
    forward,
    outcomes_of,
    places_of,
    totals_of,
)

History: TypeAlias = Sequence[tuple[Hashable, Hashable]]

FLOAT_DIGITS = 12  # float weights that agree to so many digits are one situation: sums differ in the last bits


def slot_weights(kernel: Kernel, history: History = ()) -> dict[int, Number]:
    """Return ``W_i(h)`` for every slot where it is not 0, by the forward recursion (Orseau 2014, section 4.1)."""
    checked = CheckedKernel(kernel)
    weights: Ledger = {Particle(0, slot, state): Fraction(1) for slot, state in checked.start.items()}
    for action, observation in history:
        weights = forward([checked], weights, action).get(observation, {})
    slots: dict[int, Number] = defaultdict(Fraction)
    for (_, slot, _), weight in weights.items():
        slots[slot] += weight
    return dict(slots)


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
        return places_of(self.weights)

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
        totals = totals_of(self.weights)
        return tuple(totals[index] for index in range(len(self.situations.worlds)))

    def outcomes(self, place: Place, action: Hashable) -> Iterator[Outcome]:
        """Yield what may happen in a place, ``ν(· | h^i a)``, with its hidden state summed out."""
        return outcomes_of(self.situations.worlds, place, self.places[place][1], action)

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
