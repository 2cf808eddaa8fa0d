"""Self-locating (de se) beliefs: where an agent may be, given only its history (Orseau 2014, section 4.1).

``W_i(h) = ν(h^i = h)``, the weight of slot ``i`` having had exactly history ``h``, obeys a forward recursion through
the kernel, per hidden state; ``P_i(h) = W_i(h) / Σ_j W_j(h)``. A `Belief` holds these weights normalized over
(world, slot, hidden state): a single kernel is a mixture of one world. Equal situations are one object, so that
results about a situation can be stored with it.

A history is followed in Fractions. Where a probability is a float, they are rounded to `HISTORY_BITS` significant bits
at every step, so that nothing underflows or drifts in a long history. Such weights become floats only where planning
begins. Floats that agree to `FLOAT_BITS` significant bits are one situation. Without a last step there must be finitely
many situations. Then floats that agree to `FLOAT_DIGITS` digits after the point are one, which is an approximation.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import frexp, ldexp
from typing import Any, TypeAlias

from multislot.checks import known_name, refusal, whole
from multislot.errors import MultislotError, TooLargeError, show_value
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel, Number, Outcome, checked_history, checked_kernel
from multislot.exact.mixture import Mixture
from multislot.exact.mixture.thirders_and_halfers import POSTERIORS, Posterior
from multislot.exact.mixture.weights import (
    Ledger,
    Particle,
    Place,
    forward,
    group_places,
    mix_outcomes,
    normalize,
    sum_worlds,
)

__all__ = ["ImpossibleHistoryError"]

History: TypeAlias = Sequence[tuple[Hashable, Hashable]]

HISTORY_BITS = 80
FLOAT_BITS = 40  # about 12 digits: sums of floats differ in the last bits
FLOAT_SCALE = 2.0**FLOAT_BITS
FLOAT_DIGITS = 12
MOST_WEIGHTS = 2**16
"""The default limit of weights of (world, slot, hidden state) in all situations of a plan together."""


class ImpossibleHistoryError(MultislotError, ValueError):
    """No slot of any world can have the history; `step` is the first impossible one, counted from 1.

    ``possible`` are the possible observations there; None if the action is none of the `actions`.
    """

    def __init__(
        self, history: tuple[object, ...], step: int, possible: list[object] | None, actions: tuple[object, ...]
    ) -> None:
        self.history, self.step, self.possible, self.actions = history, step, possible, actions
        super().__init__(history, step, possible, actions)

    def __str__(self) -> str:
        pair = self.history[self.step - 1]
        if self.possible is None:
            reason = f"its action is none of {self.actions}"
        elif self.possible:
            reason = f"after that action the observation is one of {self.possible}"
        else:
            reason = "every copy is deleted"
        return f"no slot can have the history {self.history}: step {self.step} is {pair}, but {reason}"


def slot_weights(kernel: Kernel, history: History = ()) -> dict[int, Number]:
    """Return ``W_i(h)`` for every slot where it is not 0, by the forward recursion (Orseau 2014, section 4.1)."""
    checked = CheckedKernel(kernel)
    weights: Ledger = {Particle(0, slot, state): Fraction(1) for slot, state in checked.start.items()}
    for action, observation in checked_history(history):
        weights = forward([checked], weights, known_name("action", action, checked.actions)).get(observation, {})
    slots: dict[int, Number] = defaultdict(Fraction)
    for (_, slot, _), weight in weights.items():
        slots[slot] += weight
    return dict(slots)


def find_rule(mixture: Mixture) -> Posterior:
    """Return the rule that a mixture names."""
    if mixture.posterior not in POSTERIORS:
        raise refusal("posterior", mixture.posterior, f"one of {', '.join(POSTERIORS)} where no value is given")
    return POSTERIORS[mixture.posterior]()


class Situations:
    """All situations met while planning in a kernel or mixture, each as one `Belief`.

    Args:
        source: the kernel or mixture.
        mark: turns each kernel into one with more in its hidden state, if a value needs it.
        endless: whether float weights are merged by their absolute difference, so that situations return: an
            approximation for planning without a last step.
        most: the largest number of weights of (world, slot, hidden state) in all situations together.
        make_rule: gives the rule by which the weights of the mixture's worlds follow a history.

    Attributes:
        mixture: the source as a mixture.
        worlds: the kernels, marked and checked (once).
        actions: the actions, in order.
    """

    def __init__(
        self,
        source: Kernel | Mixture,
        mark: Callable[[Kernel], Kernel] = lambda kernel: kernel,
        endless: bool = False,
        make_rule: Callable[[Mixture], Posterior] = find_rule,
        most: int = MOST_WEIGHTS,
    ) -> None:
        self.mixture = source if isinstance(source, Mixture) else Mixture((source,), posterior="count")
        self.worlds = tuple(checked_kernel(mark(checked_kernel(kernel))) for kernel in self.mixture.kernels)
        self.actions = self.worlds[0].actions
        self.most, self._mark, self._endless, self._make_rule = whole("most", most), mark, endless, make_rule
        self._met: dict[Hashable, Belief] = {}
        self._weights = 0

    @property
    def is_exact(self) -> bool:
        """Whether all numbers met so far were ints or Fractions."""
        return self.has_exact_chances and all(world.is_exact for world in self.worlds)

    @property
    def has_exact_chances(self) -> bool:
        """Whether the prior, and all probabilities met so far, were ints or Fractions."""
        return all(world.has_exact_chances for world in self.worlds) and float not in map(type, self.mixture.prior)

    @cached_property
    def rule(self) -> Posterior:
        """The rule by which the weights follow a history."""
        return self._make_rule(self.mixture)

    @cached_property
    def counted(self) -> "Situations":
        """The same situations with the rule of `Count`, for beliefs that follow one slot only."""
        if self.mixture.posterior == "count":
            return self
        mixture = Mixture(self.mixture.kernels, self.mixture.prior, "count")
        return Situations(mixture, self._mark, self._endless, most=self.most)

    @cached_property
    def beginning(self) -> "Followed":
        """The empty history."""
        worlds = tuple(CheckedKernel(world, in_fractions=True) for world in self.worlds)
        return Followed(self, worlds, self.rule.begin(worlds, tuple(Fraction(weight) for weight in self.mixture.prior)))

    def __len__(self) -> int:
        return len(self._met)

    def belief(self, history: History = ()) -> "Belief":
        """Return the situation after a history of (action, observation) pairs.

        Raises:
            ImpossibleHistoryError: no slot of any world can have it.
        """
        followed, pairs = self.beginning, checked_history(history)
        for step, (action, observation) in enumerate(pairs, start=1):
            after = followed.after(action) if action in self.actions else None
            if after is None or observation not in after:
                raise ImpossibleHistoryError(pairs, step, None if after is None else list(after), self.actions)
            followed = after[observation]
        ledger = self._restart(followed.ledger) if self.rule.restarts else followed.ledger
        kind = Fraction if self.has_exact_chances else float
        return self.situation({key: kind(weight) for key, weight in ledger.items()})

    def _restart(self, ledger: Ledger) -> Ledger:
        """The ledger with each world's prior weight again, and its slots and states as they were."""
        totals = sum_worlds(ledger)
        return {
            key: weight * Fraction(self.mixture.prior[key[0]]) / totals[key[0]] if weight else weight
            for key, weight in ledger.items()
        }

    def situation(self, ledger: Ledger) -> "Belief":
        """Return the belief of a ledger, which is normalized."""
        return self.weighed(ledger)[1]

    def weighed(self, ledger: Ledger) -> "tuple[Number, Belief]":
        """Return the sum of a ledger, and its belief.

        Raises:
            TooLargeError: all situations together would hold more than `most` weights.
        """
        scaled = normalize(ledger, keep_zeros=self.rule.keeps_zeros)
        rounded = self._round
        identity = frozenset([(key, rounded(weight)) for key, weight in scaled.items()])
        belief = self._met.get(identity)
        if belief is None:
            if self._weights + len(scaled) > self.most:
                raise TooLargeError(
                    f"the world grows too large: {len(self)} situations hold {self._weights} weights of (world, "
                    f"slot, hidden state); expected at most={show_value(self.most)}; give a shorter horizon, a "
                    "kernel whose situations return, or a larger most="
                )
            self._weights += len(scaled)
            belief = self._met[identity] = Belief(self, scaled)
        return sum(ledger.values()), belief

    def _round(self, weight: Number) -> Number:
        """A float to the bits, or without an end the digits, by which situations are compared."""
        if type(weight) is not float:
            return weight
        if self._endless:
            return round(weight, FLOAT_DIGITS)
        mantissa, exponent = frexp(weight)
        return ldexp(round(mantissa * FLOAT_SCALE), exponent - FLOAT_BITS)


@dataclass(frozen=True, eq=False)
class Followed:
    """The ledger after a history, in Fractions, before it is merged with others."""

    situations: Situations = field(repr=False)
    worlds: tuple[CheckedKernel, ...] = field(repr=False)
    ledger: Ledger
    _after: dict[Hashable, Mapping[Hashable, "Followed"]] = field(default_factory=dict, repr=False)

    def after(self, action: Hashable) -> Mapping[Hashable, "Followed"]:
        """Return the ledger after each possible observation, computed at the first call."""
        if action not in self._after:
            self._after[action] = {
                seen: Followed(self.situations, self.worlds, ledger) for seen, ledger in self._ledgers(action).items()
            }
        return self._after[action]

    def _ledgers(self, action: Hashable) -> Mapping[Hashable, Ledger]:
        situations = self.situations
        if situations.has_exact_chances:
            after = situations.situation(self.ledger).after(action)
            if situations.has_exact_chances:  # then nothing was rounded, and planning may have been here before
                return {seen: belief.ledger for seen, belief in after.items()}
        advanced = situations.rule.advance(self.worlds, self.ledger, action)
        keep = situations.rule.keeps_zeros
        return {
            seen: {
                key: _to_history_bits(Fraction(weight)) for key, weight in normalize(ledger, keep_zeros=keep).items()
            }
            for seen, ledger in advanced.items()
        }


def _to_history_bits(weight: Fraction) -> Fraction:
    """Return a weight to `HISTORY_BITS` significant bits; only 0 is rounded to 0."""
    bits = HISTORY_BITS + weight.denominator.bit_length() - weight.numerator.bit_length()
    return Fraction((weight.numerator << bits) // weight.denominator, 1 << bits)


@dataclass(frozen=True, eq=False)
class Belief:
    """A situation: the normalized weights of (world, slot, hidden state) after a history.

    Equal situations of one `Situations` are the same object, and beliefs compare and hash as objects.
    """

    situations: Situations = field(repr=False)
    ledger: Ledger
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def weights(self) -> Mapping[Particle, Number]:
        """The posterior of (world, slot, hidden state); it sums to 1 (or is empty, see `only`)."""
        return self.situations.rule.weights(self.ledger)

    @cached_property
    def places(self) -> "Mapping[Place, tuple[Number, Mapping[Hashable, Number]]]":
        """For each (world, slot) its ``P_i(h)`` times the world's posterior, and its hidden states given that."""
        return group_places(self.weights)

    @property
    def slots(self) -> dict[int, Number]:
        """``P_i(h)``: the probability of each slot, over all worlds."""
        slots: dict[int, Number] = defaultdict(Fraction)
        for particle, weight in self.weights.items():
            slots[particle.slot] += weight
        return dict(slots)

    @cached_property
    def worlds(self) -> tuple[Number, ...]:
        """The posterior of each world."""
        totals = sum_worlds(self.weights)
        return tuple(totals[index] for index in range(len(self.situations.worlds)))

    def outcomes(self, place: Place, action: Hashable) -> Iterator[Outcome]:
        """Yield the outcomes of a place, ``ν(· | h^i a)``, with its hidden state summed out."""
        return mix_outcomes(self.situations.worlds, place, self.places[place][1], action)

    def copy_sets(self, action: Hashable) -> Iterator[tuple[Place, Number, Mapping[int, Arrival]]]:
        """Yield each possible copy set: the place of its source, its weight ``P_i(h) ν(c o | h^i a)``, its arrivals."""
        for place, (chance, _) in self.places.items():
            for probability, arrivals in self.outcomes(place, action):
                yield place, chance * probability, arrivals

    def particle_outcomes(self, particle: Particle, action: Hashable) -> tuple[Outcome, ...]:
        """Return the outcomes of a slot whose hidden state is known."""
        return self.situations.worlds[particle.world].outcomes(particle.slot, particle.state, action)

    def once(self, function: Callable[..., Any], *arguments: Hashable) -> Any:
        """Return ``function(*arguments)``, computed at the first call and stored with this situation."""
        key = (function, arguments)
        if key not in self._known:
            self._known[key] = function(*arguments)
        return self._known[key]

    def after(self, action: Hashable) -> Mapping[Hashable, "Belief"]:
        """Return the situation after each possible observation."""
        key = ("after", action)
        if key not in self._known:
            self._known[key] = {seen: belief for seen, (_, belief) in self.weighed(action).items()}
        return self._known[key]  # type: ignore[no-any-return]

    def weighed(self, action: Hashable) -> Mapping[Hashable, "tuple[Number, Belief]"]:
        """Return the weight of each possible observation, and the situation after it.

        If agents are neither copied nor deleted, the weight is the observation's probability.
        """
        return self.once(self._advance, action)  # type: ignore[no-any-return]

    def _advance(self, action: Hashable) -> Mapping[Hashable, "tuple[Number, Belief]"]:
        advanced = self.situations.rule.advance(self.situations.worlds, self.ledger, action)
        return {seen: self.situations.weighed(ledger) for seen, ledger in advanced.items()}

    def only(self, keep: Callable[[Particle], bool]) -> "Belief":
        """Return this belief given that `keep` holds, followed by `Count`; it is empty if that is impossible."""
        kept = {particle: weight for particle, weight in self.weights.items() if keep(particle)}
        return self.situations.counted.situation(kept)
