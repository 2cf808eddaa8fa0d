"""Equation (2) of Orseau 2014 in two readings: the posteriors ``"own"`` and ``"printed"``.

Under ``"own"`` each world counts in proportion to the value's own prediction of the observations. At the empty history
the value of a `Mixture` is then the paper's equation (2), ``V_M^π = Σ_ν w_ν V_ν^π``, for every value that is a
weighted sum over what comes next, and one policy is best at every later history. Substitute ``V_ν^π(h) = Σ_k weight_k
[reward_k + γ V_ν^π(h a o_k)]`` and collect the terms of each observation: the weight of world ν after ``h a o`` is
``w_ν(h a o) = w_ν(h) · b_ν(o | h a)``, where ``b_ν`` is the sum of the weights of the branches that show ``o``.

The paper prints the *prior* weight ``w_ν`` at every history, and chooses anew at each. That is ``"printed"``: what was
observed moves the weights of slots and states in each world, and never those of the worlds. An example in which both
differ: two equally likely worlds show x with chance 9/10 and 1/10; then action a pays 1 in the first, b pays 11/10 in
the second. After x ``"own"`` takes a (9/10 against 11/100), ``"printed"`` takes b (1/2 against 11/20).
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from multislot.exact.belief import Belief, Situations
from multislot.exact.kernel import CheckedKernel, Number
from multislot.exact.mixture import Branch, Count, Ledger, Particle, forward, totals_of


class Future(Protocol):
    """The part of a `WeightedFuture` that the rule reads."""

    depends_on_time: bool

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterable[Branch]:
        """Yield the branches of a belief in one world."""


class Timed(NamedTuple):
    """A `Particle`, and the step whose action comes next; None where the value does not read it."""

    world: int
    particle: Particle
    step: int | None


class Own:
    """Posterior ∝ ``w_ν Π_t b_ν(o_t | h a)``, with the value's own branch weights ``b_ν`` in world ν.

    A world that the value gives no weight keeps its slots and states with weight 0, so that its histories stay
    possible. Where all worlds weigh 0, so does the value of every action.

    Args:
        value: the value.
    """

    keeps_zeros = True
    restarts = False

    def __init__(self, value: Future) -> None:
        self.value = value

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Share a world's prior weight among its start slots."""
        step = 1 if self.value.depends_on_time else None
        return {
            Timed(particle.world, particle, step): weight / len(worlds[particle.world].start)
            for particle, weight in Count().begin(worlds, prior).items()
        }

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Follow the copies within each world, and weigh the worlds by the value's own branches."""
        step = next(iter(ledger)).step if ledger else None
        predicted = self._predictions(worlds, ledger, action, step)
        after = forward(worlds, {key.particle: weight for key, weight in ledger.items()}, action)
        return {seen: dict(self._weighed(weights, predicted[seen], step)) for seen, weights in after.items()}

    def _weighed(
        self, weights: Ledger, predicted: Mapping[int, Number], step: int | None
    ) -> Iterator[tuple[Timed, Number]]:
        totals = totals_of(weights)
        for particle, weight in weights.items():
            share = predicted[particle.world] / totals[particle.world] if weight else 0
            yield Timed(particle.world, particle, None if step is None else step + 1), weight * share

    def _predictions(
        self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable, step: int | None
    ) -> Mapping[Hashable, dict[int, Number]]:
        """Return ``w_ν b_ν(o | h a)`` for each observation and world."""
        predicted: dict[Hashable, dict[int, Number]] = defaultdict(lambda: defaultdict(Fraction))
        for index, weights in _by_world(self.weights(ledger)).items():
            total = sum(weights.values())
            belief = Situations(worlds[index]).situation(weights)
            for branch in self.value.future(belief, action, step):
                predicted[branch.observation][index] += total * branch.weight
        return predicted

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return the weights that are not 0."""
        return {key.particle: weight for key, weight in ledger.items() if weight}


class Printed(Own):
    """`Own` as the plan goes on, but every decision begins with the prior weights ``w_ν`` again.

    A world in which the history is impossible, or has no weight for the value, counts 0, as its value does. Values
    are divided by the prior weights of the worlds that are left, which changes no choice.
    """

    restarts = True


def _by_world(weights: Mapping[Particle, Number]) -> dict[int, dict[Particle, Number]]:
    """Return each world's weights, as those of a single world."""
    found: dict[int, dict[Particle, Number]] = defaultdict(dict)
    for (world, slot, state), weight in weights.items():
        found[world][Particle(0, slot, state)] = weight
    return found
