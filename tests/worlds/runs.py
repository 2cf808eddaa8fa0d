"""Every run of a world, with all copies together: each copy draws its own action and its own outcome. Slow and plain.

What is computed from it is written as the definition says it, as a sum over runs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any


@dataclass(frozen=True)
class Living:
    """A copy after a step: its slot, its hidden state, its history, its last reward, and its row of the step before."""

    slot: int
    state: Any
    history: tuple
    reward: Fraction
    parent: int | None


@dataclass(frozen=True)
class Run:
    """A run so far: its world, its probability, and the living copies after 0, 1, … steps, by slot."""

    world: int
    chance: Fraction
    steps: tuple[tuple[Living, ...], ...]

    def payoff(self, weigh: Callable[[int], Fraction], discount: Fraction) -> Fraction:
        """``Σ_t γ^t w(N_t) Σ_i r_i(t)``."""
        total = Fraction()
        for step, living in enumerate(self.steps[1:]):
            if living:
                total += discount**step * weigh(len(living)) * sum(copy.reward for copy in living)
        return total

    def lives(self, discount: Fraction) -> list[Fraction]:
        """The discounted rewards of every life: a path from a start to an end."""
        paid: list[Fraction] = [Fraction() for _ in self.steps[0]]
        ended = []
        for step, living in enumerate(self.steps[1:]):
            parents = {copy.parent for copy in living}
            ended += [worth for row, worth in enumerate(paid) if row not in parents]
            paid = [paid[copy.parent] + discount**step * copy.reward for copy in living]
        return ended + paid


def caring_weight(caring: Fraction) -> Callable[[int], Fraction]:
    """``w_α(N) = (1 + α(N − 1)) / N``."""
    return lambda number: (1 + caring * (number - 1)) / Fraction(number)


@dataclass(frozen=True)
class Brute:
    """A class of worlds, and a policy from a history to the probabilities of actions."""

    kernels: Sequence[Any]
    prior: Sequence[Fraction]
    policy: Callable[[tuple], Mapping[Any, Fraction]]
    horizon: int

    @cached_property
    def runs(self) -> list[Run]:
        """Every run of probability above 0."""
        return [run for begun in self.begin() for run in self.follow(begun, self.horizon)]

    def begin(self) -> Iterator[Run]:
        for world, (kernel, weight) in enumerate(zip(self.kernels, self.prior, strict=True)):
            first = tuple(Living(slot, state, (), Fraction(), None) for slot, state in sorted(kernel.start.items()))
            yield Run(world, weight, (first,))

    def follow(self, run: Run, steps: int) -> Iterator[Run]:
        """Every continuation by so many steps."""
        if not steps:
            yield run
            return
        for longer in self.advance(run, [self.policy(copy.history) for copy in run.steps[-1]]):
            yield from self.follow(longer, steps - 1)

    def advance(self, run: Run, drawing: Sequence[Mapping[Any, Fraction]]) -> Iterator[Run]:
        """Every continuation by one step if each copy draws its action so."""
        living = run.steps[-1]
        for actions in product(*(chances.items() for chances in drawing)):
            outcomes = [
                self.kernels[run.world].outcomes(copy.slot, copy.state, action)
                for copy, (action, _) in zip(living, actions, strict=True)
            ]
            for drawn in product(*outcomes):
                chance, arrived = run.chance, {}
                for row, (copy, (action, share), (probability, arrivals)) in enumerate(
                    zip(living, actions, drawn, strict=True)
                ):
                    chance *= share * probability
                    for target, (state, seen, reward) in arrivals.items():
                        assert target not in arrived
                        history = (*copy.history, (action, seen))
                        arrived[target] = Living(target, state, history, Fraction(reward), row)
                if chance:
                    yield replace(run, chance=chance, steps=(*run.steps, tuple(arrived[t] for t in sorted(arrived))))

    def expected(self, worth: Callable[[Run], Any]) -> Any:
        """The expected worth of a run."""
        return sum((run.chance * worth(run) for run in self.runs), Fraction())


def sure(policy: Callable[[tuple], Any]) -> Callable[[tuple], Mapping[Any, Fraction]]:
    """A policy without chance as one with probabilities."""
    return lambda history: {policy(history): Fraction(1)}
