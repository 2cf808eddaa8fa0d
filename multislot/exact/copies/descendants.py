"""The law of an agent's descendants: how many are alive after each step, and what they are paid together.

What becomes of a slot does not depend on other agents (Orseau 2014, Def. 9), so the descendants of two agents are
independent of each other, whatever policy all follow. Let N be the number of an agent's descendants that are alive
after a step and R the sum of their rewards in it. The law of a step is the pair of lists ``P(N = n)`` and
``E[R; N = n]``, n = 0, 1, … Laws of independent agents are multiplied like polynomials (they are generating functions),
so the worth ``J_α`` of a policy needs no list of joint outcomes. Probabilities of actions may be Fractions or floats,
or polynomials in unknown probabilities: then the worth is a polynomial, too.

Slots and hidden states from which everything looks the same for the steps left are one *kind*.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

from multislot.errors import TooLargeError
from multislot.exact.copies.joint import Worlds
from multislot.exact.copies.populations import may_meet, seat_levels
from multislot.exact.files.affine import NotLinearError, is_moving
from multislot.exact.kernel import Number

MOST_KINDS = 20_000
MOST_DESCENDANTS = 512
MANY_SEATS = 2_000
"""Listing this many pairs of a slot and a hidden state, with their outcomes, takes about 0.1 seconds."""

Ring: TypeAlias = Any
"""A number or a polynomial."""
Law: TypeAlias = tuple[tuple[Sequence[Ring], Sequence[Ring]], ...]
"""For each coming step ``P(N = n)`` and ``E[R; N = n]``, n = 0, 1, …"""
END = 0
"""The kind of every agent when no step is left."""


class Child(NamedTuple):
    """One agent after a step: what it sees, what it is paid, and its kind."""

    observation: Hashable
    reward: Fraction
    kind: int


Way: TypeAlias = tuple[Any, tuple[Child, ...]]
"""A probability, and the children that an agent then has."""


def multiply(left: Sequence[Ring], right: Sequence[Ring]) -> list[Ring]:
    """Return the product of two polynomials, given by their coefficients."""
    product: list[Ring] = [0] * (len(left) + len(right) - 1)
    for start, factor in enumerate(left):
        if factor:
            for place, other in enumerate(right, start):
                product[place] += factor * other
    return product


def accumulate(total: list[Ring], more: Sequence[Ring], weight: Ring) -> None:
    """Add ``weight · more`` to a list of coefficients in place."""
    total.extend([0] * (len(more) - len(total)))
    for place, coefficient in enumerate(more):
        total[place] += weight * coefficient


def join(laws: Iterable[tuple[Sequence[Ring], Sequence[Ring]]]) -> tuple[list[Ring], list[Ring]]:
    """Return the law of a step for several independent agents together."""
    of_each = iter(laws)
    numbers, pay = map(list, next(of_each, ([1], [0])))
    for more_numbers, more_pay in of_each:
        joined = multiply(pay, more_numbers)
        accumulate(joined, multiply(numbers, more_pay), 1)
        numbers, pay = multiply(numbers, more_numbers), joined
    return numbers, pay


def law_after(ways: Sequence[Way], law_of: Callable[[Child], Law], steps: int) -> Law:
    """Return the law of an agent's descendants for `steps` steps, from the laws of its possible children."""

    def of_way(children: tuple[Child, ...]) -> Law:
        nothing = [0] * len(children)
        first = [*nothing, 1], [*nothing, sum(child.reward for child in children)]
        return first, *(join(law_of(child)[step] for child in children) for step in range(steps - 1))

    return mix(((probability, of_way(children)) for probability, children in ways), steps)


def mix(laws: Iterable[tuple[Ring, Law]], steps: int) -> Law:
    """Return the weighted mean of laws."""
    mixed: list[tuple[list[Ring], list[Ring]]] = [([], []) for _ in range(steps)]
    for weight, law in laws:
        for step in range(steps):
            for total, more in zip(mixed[step], law[step], strict=True):
                accumulate(total, more, weight)
    return tuple(mixed)


def copy_weight(caring: Number, copies: int) -> Number:
    """Return ``w_α(N) = (1 + α(N − 1)) / N``, what a reward of each of N copies counts; 0 for N = 0."""
    return (1 + caring * (copies - 1)) / Fraction(copies) if copies else Fraction()


def worth(law: Law, weights: Callable[[int], Number], discount: Number) -> Ring:
    """Return ``Σ_t γ^t Σ_n w(n) E[R; N = n]``."""
    return sum(
        (
            discount**step * weights(number) * pay
            for step, (_, pays) in enumerate(law)
            for number, pay in enumerate(pays)
            if number and pay
        ),
        Fraction(),
    )


@dataclass(frozen=True)
class Descendants:
    """All kinds of agents that there can be up to a last step.

    Args:
        worlds: the worlds; no two slots may be copied into one, see `apply`.
        horizon: the number of steps.
    """

    worlds: Worlds
    horizon: int

    @property
    def actions(self) -> Sequence[Hashable]:
        """The actions, in order."""
        return self.worlds.actions

    @cached_property
    def apply(self) -> bool:
        """Whether laws describe the worlds: no two slots are copied into one, no reward moves, and kinds are few."""
        try:
            return bool(self.ways) and not any(may_meet(kernel, self.horizon) for kernel in self.worlds.kernels)
        except (NotLinearError, TooLargeError):
            return False

    @cached_property
    def beginning(self) -> "Descendants":
        """The same for fewer steps, if in all steps together agents may come into many seats."""
        seats = 0
        for steps, levels in enumerate(self._levels):
            seats += len(levels)
            if steps and seats > MANY_SEATS:
                return replace(self, horizon=steps)
        return self

    @property
    def _levels(self) -> Iterator[list[tuple[int, int, Hashable]]]:
        """All worlds, slots and hidden states in which an agent can be after 0, 1, … steps."""
        of_worlds = (seat_levels(kernel, self.horizon - 1) for kernel in self.worlds.kernels)
        for levels in zip(*of_worlds, strict=True):
            yield [(w, *seat) for w, level in enumerate(levels) for seat in level]

    @property
    def founders(self) -> Sequence[tuple[Fraction, tuple[int, ...]]]:
        """For each world its prior probability and the kinds of its agents at the beginning."""
        return self._tables[0]

    @property
    def ways(self) -> Sequence[Sequence[Sequence[Way]]]:
        """For each kind and action the possible ways on; that of `END` is empty."""
        return self._tables[1]

    @cached_property
    def float_ways(self) -> Sequence[Sequence[Sequence[Way]]]:
        """The same with floats."""
        return [
            [
                [(float(chance), tuple(c._replace(reward=float(c.reward)) for c in kids)) for chance, kids in ways]  # type: ignore[arg-type]
                for ways in of_kind
            ]
            for of_kind in self.ways
        ]

    @property
    def steps_left(self) -> Sequence[int]:
        """For each kind the number of steps that are left."""
        return self._tables[2]

    @cached_property
    def _tables(self) -> tuple[list[tuple[Fraction, tuple[int, ...]]], list[list[list[Way]]], list[int]]:
        """The founders, the ways and the steps left; kinds are found backwards from the last step."""
        levels: list[list[tuple[int, int, Hashable]]] = []
        for level in self._levels:
            levels.append(level)
            if sum(map(len, levels)) > MOST_KINDS:
                raise TooLargeError(
                    f"agents may come into more than {MOST_KINDS} situations of (step, slot, hidden state); give a "
                    "shorter horizon"
                )
        orders: dict[Hashable, int] = {}
        ways: list[list[list[Way]]] = [[]]
        steps_left = [0]
        kinds: dict[Any, int] = {}
        after: dict[Any, int] = {}
        for left, level in enumerate(reversed(levels), start=1):
            now: dict[Any, int] = {}
            for w, slot, state in level:
                of_seat = []
                for action in self.actions:
                    merged: dict[tuple[Child, ...], Fraction] = defaultdict(Fraction)  # ways by their children
                    for probability, arrivals in self.worlds.kernels[w].outcomes(slot, state, action):
                        children = [
                            Child(
                                arrival.observation,
                                _exactly(arrival.reward),
                                after.get((w, target, arrival.state), END),
                            )
                            for target, arrival in arrivals.items()
                        ]
                        for child in children:
                            orders.setdefault(child.observation, len(orders))
                        children.sort(key=lambda child: (orders[child.observation], child.kind, child.reward))
                        merged[tuple(children)] += Fraction(probability)
                    of_seat.append(merged)
                key = left, tuple(frozenset(merged.items()) for merged in of_seat)
                if key not in kinds:
                    kinds[key] = len(ways)
                    ways.append([[(chance, kids) for kids, chance in merged.items()] for merged in of_seat])
                    steps_left.append(left)
                now[w, slot, state] = kinds[key]
            after = now
        founders = [
            (share, tuple(after[w, slot, state] for slot, state in kernel.start.items()))
            for w, (kernel, share) in enumerate(zip(self.worlds.kernels, self.worlds.prior, strict=True))
            if share
        ]
        return founders, ways, steps_left

    def together(self, law_of: Callable[[int], Law]) -> Law:
        """Return the law of everyone, from the laws of the founders' kinds."""
        return mix(
            (
                (share, tuple(join(law_of(kind)[step] for kind in kinds) for step in range(self.horizon)))
                for share, kinds in self.founders
            ),
            self.horizon,
        )

    def followed(self, chances: Callable[[tuple[tuple[Hashable, Hashable], ...]], Mapping[Hashable, Ring]]) -> Law:
        """Return the law of everyone under a policy whose copies each draw for themselves.

        Args:
            chances: from a history to the probability of each action.

        Raises:
            TooLargeError: too many copies may be alive at once.
        """
        chances = cache(chances)

        @cache
        def law_of(kind: int, history: tuple[tuple[Hashable, Hashable], ...]) -> Law:
            left = self.steps_left[kind]
            laws = []
            for action, chance in chances(history).items():

                def law_of_child(child: Child, action: Hashable = action) -> Law:
                    return law_of(child.kind, (*history, (action, child.observation)))

                after = law_after(self.ways[kind][self.actions.index(action)], law_of_child, left)
                laws.append((chance, after))
                if any(len(numbers) > MOST_DESCENDANTS for numbers, _ in after):
                    raise TooLargeError(
                        f"more than {MOST_DESCENDANTS} copies may be alive at once; give a shorter horizon"
                    )
            return laws[0][1] if len(laws) == 1 and laws[0][0] == 1 else mix(laws, left)

        met: set[tuple[int, tuple[tuple[Hashable, Hashable], ...]]] = set()
        waiting: list[tuple[int, tuple[tuple[Hashable, Hashable], ...]]] = [
            (kind, ()) for _, kinds in self.founders for kind in kinds
        ]
        while waiting:  # children before their parents, so that no call is nested deeply
            kind, history = agent = waiting.pop()
            if agent in met:
                law_of(kind, history)
                continue
            met.add(agent)
            waiting.append(agent)
            waiting += [
                (child.kind, (*history, (action, child.observation)))
                for action in chances(history)
                for _, children in self.ways[kind][self.actions.index(action)]
                for child in children
                if child.kind != END
            ]
        return self.together(lambda kind: law_of(kind, ()))


def _exactly(reward: Number) -> Fraction:
    if is_moving(reward):
        raise NotLinearError("the number of copies is followed with fixed rewards only")
    return Fraction(reward)
