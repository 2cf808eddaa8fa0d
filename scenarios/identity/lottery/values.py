"""The value that counts chance once, and the worlds of the lottery."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from multislot.exact import Arrival, Belief, Branch, FirstCopy, Value, WeightedFuture
from multislot.exact.futures import named
from multislot.exact.kernel import Outcome


@dataclass(frozen=True)
class OutcomeByOutcome(WeightedFuture):
    """The copy-centered future with the weight 1/|c| in each outcome, c its own copy set.

    ``V(h, a) = Σ_i P_i(h) Σ_c ν(c o | h^i a) Σ_{j ∈ c} [r(o^j) + γ V(h a o^j)] / |c|``. In deterministic worlds this is
    the paper's ``P_ij`` (Orseau 2014, section 4.2); it is 0 where the agent is deleted.
    """

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield every copy, weighed by the chance of its outcome and the number of its siblings."""
        for place, (chance, _) in belief.places.items():
            for probability, arrivals in belief.outcomes(place, action):
                for found in arrivals.values():
                    yield Branch(chance * probability / len(arrivals), found.reward, found.observation)


NAMES = ("copy-centered", "outcome by outcome", "first copy")


def value_named(name: str) -> Value:
    """Return one of the values that are compared."""
    return {"outcome by outcome": OutcomeByOutcome(), "first copy": FirstCopy()}.get(name) or named("cpy")


@dataclass(frozen=True)
class Drift:
    """An agent that a fair coin puts into slot 1 or 2 at every step, and that is paid 1; it is never copied."""

    @property
    def actions(self) -> Sequence[str]:
        """It has no choice."""
        return ("wait",)

    @property
    def observations(self) -> Sequence[str]:
        """All that can be seen."""
        return ("here",)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: "here"}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Sequence[Outcome]:
        """Return heads and tails."""
        return [(Fraction(1, 2), {target: Arrival("here", "here", 1)}) for target in (1, 2)]
