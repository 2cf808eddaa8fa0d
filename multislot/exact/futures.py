"""Futures that an agent may care for beyond the three main ones (Orseau 2014, section 4, the list), and values by name.

The paper names these futures and prints no formulas. Each formula here is a stated reading of the paper's words "for
the next time step (and thus, recursively, for all future time steps)": the observations of the next step are chosen and
weighed, and at the next history the slot is estimated again. docs/values.md computes each by hand.

Each is a small class with its equation, written as a user would write it, with `Value`, `WeightedFuture` and `Belief`
alone.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from typing import Any, TypeVar

from multislot.checks import checked_instance, checked_parts, known_name, refusal, wrong_type
from multislot.exact.belief import Belief
from multislot.exact.kernel import Kernel, Number, check_slot
from multislot.exact.mixture.weights import Branch, Particle, Place
from multislot.exact.values import (
    CopyCentered,
    DynamicSlotCentered,
    MarkedKernel,
    Planner,
    StaticSlotCentered,
    Value,
    WeightedFuture,
    Written,
    onto,
    summed,
)

__all__ = ["VALUES", "named", "shown_values"]


@dataclass(frozen=True)
class KnownSlot(Value):
    """The slot that the agent now occupies, as if its future selves knew that slot; not time-consistent.

    ``V(h, a) = Σ_i P_i(h) V^i(h, a)`` and ``V^i(h, a) = Σ_o ν(c^ii o^i | h^i a) [r(o) + γ max_a' V^i(h a o, a')]``.

    Example:
        The agent is copied from slot 1 to {1, 2}. Both copies see the same, and may press left (slot 1 is paid 1) or
        right (slot 2 is paid 2). In slot 1 the agent foresees that it will press left. Once copied it cannot tell where
        it is, gives each slot ½, and presses right. `DynamicSlotCentered` foresees this.
    """

    name = "known-slot"
    plain_name = "known slot"
    meaning = "as if my future selves knew which slot they are in"

    time_consistent = False

    def action_values(self, belief: Belief, planner: Planner) -> Mapping[Hashable, Number]:
        """Return ``Σ_i P_i V^i`` for each action."""
        chances = belief.slots
        alone = {slot: belief.only(_is_in(slot)) for slot in chances}
        return {
            action: summed(
                chance * planner.now(self.on_slot, alone[slot], slot, action) for slot, chance in chances.items()
            )
            for action in belief.situations.actions
        }

    def on_slot(self, belief: Belief, slot: int, action: Hashable, planner: Planner) -> Number:
        """Return ``V^i(h, a)`` in a belief of slot ``i`` alone, in all worlds of a mixture."""
        terms = []
        for weight, reward, observation in OneSlot(slot).future(belief, action, None):
            after = belief.after(action)[observation].only(_is_in(slot))
            best = max(planner.later(self.on_slot, after, slot, choice) for choice in belief.situations.actions)
            terms += [weight * reward, weight * planner.discount * best]
        return summed(terms)


def _is_in(slot: int) -> Callable[[Particle], bool]:
    return lambda particle: particle.slot == slot


@dataclass(frozen=True)
class OneSlot(WeightedFuture):
    """Only the observations output to one slot: "slot 1" (Orseau 2014, section 4).

    ``V(h, a) = Σ_i P_i(h) Σ_o ν(c^ij o^j | h^i a) [r(o) + γ V(h a o)]`` for the one slot ``j``. Unlike the static
    value it does not require that the agent held the slot before: a copy may come onto it from any slot. It estimates
    its slot again at every step, as the copy-centered value does. So the chance of being where the copy comes from
    counts once a step.

    Example:
        The agent is copied from slot 1 to {1, 2}. Both copies see the same and stay, and slot 1 is paid 1 a step. For
        five steps at γ = 9/10 the value is ``Σ_t (9/10 · 1/2)^t = 1.785``, although slot 1 is occupied throughout. Each
        reward in slot 1 counted in full is worth ``Σ_t (9/10)^t = 4.095``; docs/values.md has that value, too.

    Args:
        slot: the slot ``j``.
    """

    name = "one-slot"
    plain_name = "one slot"
    meaning = "at each step slot 1 counts, times the chance that I am who gets there"

    slot: int = 1

    def __post_init__(self) -> None:
        check_slot(self.slot)

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield the branches of copies onto the slot."""
        for place, (chance, _) in belief.places.items():
            yield from onto(belief.outcomes(place, action), self.slot, chance)


@dataclass(frozen=True)
class PrimeSlot(WeightedFuture):
    """Only the observations output to the t-th prime slot at step t: 2, 3, 5, … (Orseau 2014, section 4).

    ``V(h, a) = Σ_i P_i(h) Σ_o ν(c^ij o^j | h^i a) [r(o) + γ V(h a o)]`` with ``j`` the t-th prime.
    """

    name = "prime-slot"
    plain_name = "prime slots"
    meaning = "at step t only the t-th prime slot counts: 2, 3, 5, …"

    depends_on_time = True

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield the branches of copies onto this step's slot."""
        if step is not None:  # always true, since it depends on time
            yield from OneSlot(prime(step)).future(belief, action, step)


def prime(index: int) -> int:
    """Return the prime number `index`, counted from 1."""
    primes = (n for n in count(2) if all(n % divisor for divisor in range(2, int(n**0.5) + 1)))
    return next(islice(primes, index - 1, None))


@dataclass(frozen=True)
class FirstCopy(WeightedFuture):
    """Only the observations received by the first of its copies, in order of slots (Orseau 2014, section 4).

    ``V(h, a) = Σ_i P_i(h) Σ_c ν(c | h^i a) [r(o^j) + γ V(h a o^j)]`` with ``j = min c``, c the copy set.
    """

    name = "first-copy"
    plain_name = "first copy"
    meaning = "only the copy in the lowest slot counts"

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield the branches of the lowest slot of each copy set."""
        for _, weight, arrivals in belief.copy_sets(action):
            if arrivals:
                first = arrivals[min(arrivals)]
                yield Branch(weight, first.reward, first.observation)


@dataclass(frozen=True)
class LeastRewarded(WeightedFuture):
    """Only the observations of those copies that yield the least reward (Orseau 2014, section 4).

    ``V(h, a) = Σ_i P_i(h) Σ_c ν(c o | h^i a) Σ_{j ∈ argmin r(o^j)} [r(o^j) + γ V(h a o^j)] / n``, with ``n`` copies
    that share the least reward of this step.
    """

    name = "least-rewarded"
    plain_name = "least rewarded copy"
    meaning = "only the copies that are paid least count"

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield the branches of the worst paid copies of each copy set."""
        for _, weight, arrivals in belief.copy_sets(action):
            least = min((arrival.reward for arrival in arrivals.values()), default=0)
            worst = [arrival for arrival in arrivals.values() if arrival.reward == least]
            for arrival in worst:
                yield Branch(weight / len(worst), least, arrival.observation)


@dataclass(frozen=True)
class SameHistory(WeightedFuture):
    """What all agents with exactly the same history receive next, whatever their ancestry (Orseau 2014, section 4).

    ``V(h, a) = Σ_ij P_ij Σ_o ν(c^ij o^j | h^i a) [r(o) + γ V(h a o)]`` with ``P_ij ∝ P_i(h) ν(c^ij | h^i a)``, summing
    to 1 over all pairs: where copies are certain all next agents have the same weight, while the copy-centered
    value first weighs the slots that they come from. In a mixture the pairs are normalized in each world.
    """

    name = "same-history"
    plain_name = "same history"
    meaning = "everyone with exactly my memories counts, in equal shares"

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield ``P_ij · ν(c^ij o^j | h^i a)`` for all copies of all agents with the history."""
        copied: dict[tuple[Place, int], Number] = defaultdict(Fraction)
        totals: dict[int, Number] = defaultdict(Fraction)
        for place, weight, arrivals in belief.copy_sets(action):
            totals[place.world] += weight * len(arrivals)
            for target in arrivals:
                copied[place, target] += weight
        for place in belief.places:
            for probability, arrivals in belief.outcomes(place, action):
                for target, arrival in arrivals.items():
                    share = belief.worlds[place.world] * copied[place, target] / totals[place.world]
                    yield Branch(share * probability, arrival.reward, arrival.observation)


@dataclass(frozen=True)
class ActedSequence(WeightedFuture):
    """The rewards of those copies that have output a given sequence of actions (Orseau 2014, section 4).

    It is the copy-centered value, but a reward counts only if its step completes the sequence or comes later. Agents
    that are not copies are left out, since their observations do not depend on the agent's actions (Def. 9).

    Args:
        actions: the sequence; the paper's example is 1, 1, 0, 1, 1.
    """

    name = "acted-sequence"
    plain_name = "acted a sequence"
    meaning = "copies count once they have acted 1, 1, 0, 1, 1"

    actions: tuple[Hashable, ...] = (1, 1, 0, 1, 1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", tuple(self.actions))
        if not self.actions:
            raise refusal("actions", self.actions, "at least one action", "use CopyCentered to count every copy")

    def mark(self, kernel: Kernel) -> Kernel:
        """Remember the latest actions, and keep them once they are the sequence."""
        return MarkedKernel(kernel, lambda _: (), self._then)

    def _then(self, mark: Hashable, source: int, action: Hashable, target: int) -> Hashable:
        latest: tuple[Hashable, ...] = mark  # type: ignore[assignment]
        return latest if latest == self.actions else (*latest, action)[-len(self.actions) :]

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield the copies' branches, with reward 0 until the sequence has been output."""
        # The mark follows from the history alone, so any particle shows it.
        marks = {self._then(particle.state.mark, 0, action, 0) for particle in belief.weights}  # type: ignore[attr-defined]
        for branch in CopyCentered().future(belief, action, step):
            yield branch if marks == {self.actions} else branch._replace(reward=Fraction())


@dataclass(frozen=True)
class CommonAncestor(WeightedFuture):
    """What all agents with a common ancestor receive, each with weight 1 (Orseau 2014, section 4).

    ``V(h, a) = Σ_i P_i(h) Σ_j Σ_o ν(c^ij o^j | h^i a) [r(o) + γ V(h a o)]``: for each agent with this history, the sum
    over all descendants. Relatives with another history add a constant that no action changes (Def. 9), and are left
    out. This sum need not be finite without a last step; so the paper weighs copies instead (section 4.2).
    """

    name = "common-ancestor"
    plain_name = "common ancestor"
    meaning = "all my descendants count, each in full"

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield every copy at full weight."""
        for _, weight, arrivals in belief.copy_sets(action):
            for arrival in arrivals.values():
                yield Branch(weight, arrival.reward, arrival.observation)


PAPER_VALUES: tuple[type[Value], ...] = (
    CopyCentered,
    StaticSlotCentered,
    DynamicSlotCentered,
    OneSlot,
    KnownSlot,
    PrimeSlot,
    FirstCopy,
    LeastRewarded,
    SameHistory,
    ActedSequence,
    CommonAncestor,
)
"""The values of Orseau 2014, section 4."""
VALUES: dict[str, type[Value]] = {kind.name: kind for kind in PAPER_VALUES}
"""The class of each registered value by name; a value by name has the defaults of its class."""
V = TypeVar("V", bound=type[Value])


def register_value(kind: V) -> V:
    """Register a class of values under its `name`; usable as a decorator.

    Everything that takes a value by name then takes this one, and what shows all values shows it: `action_values`,
    ``multislot solve --all``, the explorer, the survival scenarios.
    """
    if not (isinstance(kind, type) and issubclass(kind, Value)):
        raise wrong_type("kind", kind, "a subclass of Value")
    for attribute in ("name", "plain_name", "meaning"):
        if not checked_instance(f"{kind.__name__}.{attribute}", getattr(kind, attribute), str):
            raise refusal(f"{kind.__name__}.{attribute}", "", "some text")
    if VALUES.get(kind.name, kind) is not kind or kind.name.partition("=")[0] == "caring":
        taken = ", ".join([*VALUES, "caring"])
        raise refusal(f"{kind.__name__}.name", kind.name, f"a name that is free, not one of {taken}")
    VALUES[kind.name] = kind
    return kind


def shown_values() -> tuple[str, ...]:
    """Names of the values that are shown where nobody chose values."""
    return tuple(name for name, kind in VALUES.items() if kind.is_shown)


def named(value: "str | Value | Any", slot: int = 1) -> Value:
    """Return the value that a name stands for, ``"sta"`` on `slot`; return values as they are."""
    if isinstance(value, str):
        known_name("value", value, VALUES)
        return StaticSlotCentered(slot) if value == "sta" else VALUES[value]()
    checked_parts("value", value, "action_values", remedy=f"or one of the names {', '.join(VALUES)}")
    return value if isinstance(value, Value) else Written(value)
