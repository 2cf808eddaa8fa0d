"""How many others there can be: bounds on the company of an agent that has a history.

M, the number of others that are alive, is not arbitrary. Whatever is done, it lies between a stochastically smallest
and a largest law. Both are computed backwards from the kernel and forwards along the history.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate as running_sums
from itertools import pairwise
from typing import Any, TypeAlias

from multislot.errors import TooLargeError
from multislot.exact.copies.descendants import Descendants, Law, accumulate, join, law_after, multiply
from multislot.exact.copies.populations import list_levels

PLAN = 20
"""The number of pairs that are compared in the time in which a plan is made, even if its laws are short."""
PRODUCTS = 25
"""The number of products of laws and profiles that are computed in the time in which a pair is compared."""
MOST_PREPARATION = 400_000

Situation: TypeAlias = frozenset[int]
"""The kinds of all agents that can have a history; plans depend on nothing else of it."""
Populations: TypeAlias = list[list[float]]
"""For each coming step the probabilities of 0, 1, … agents."""


@dataclass(frozen=True, eq=False)
class Company:
    """The situations that agents can be in, and bounds on the number of others there."""

    descendants: Descendants
    _joined: dict[Any, tuple[Populations, Populations]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def levels(self) -> Sequence[Sequence[Situation]]:
        """The situations of histories of 0, 1, … steps."""
        founders = frozenset(kind for _, kinds in self.descendants.founders for kind in kinds)

        def following(situation: Situation) -> Iterator[Situation]:
            for action in range(len(self.descendants.actions)):
                yield from self.after(situation, action).values()

        return list(list_levels([founders], following, self.descendants.horizon - 1))

    def after(self, situation: Situation, action: int) -> dict[Hashable, Situation]:
        """Return the situation after each observation."""
        kinds: dict[Hashable, set[int]] = {}
        for kind in sorted(situation):
            for _, children in self.descendants.ways[kind][action]:
                for child in children:
                    kinds.setdefault(child.observation, set()).add(child.kind)
        return {observation: frozenset(of_observation) for observation, of_observation in kinds.items()}

    def afters(self, situation: Situation) -> list[dict[Hashable, Situation]]:
        """Return for each action the situation after each observation; none at the last step."""
        is_last = self.descendants.steps_left[next(iter(situation))] == 1
        return [{} if is_last else self.after(situation, act) for act in range(len(self.descendants.actions))]

    def check_preparation(self) -> None:
        """Refuse what takes long before any plan is made. The work rises with the number of steps.

        Raises:
            TooLargeError: bounding the company takes too much work.
        """
        costs = (self.cost(situation, depth) for depth, level in enumerate(self.levels) for situation in level)
        work = len(self.descendants.actions) * sum(costs)
        if work > MOST_PREPARATION:
            raise TooLargeError(
                f"bounding how many others are alive would take as long as comparing {work} pairs of plans; expected "
                f"at most {MOST_PREPARATION}; give a shorter horizon, or use bracket_for_copies"
            )

    def cost(self, situation: Situation, depth: int) -> int:
        """Return how many pairs are compared in the time in which a plan is made, with its laws and profile."""
        products = sum(
            (own + 1) * (together + 2)
            for kind in situation
            for own, together in zip(self._most[kind], self._everyone[depth:], strict=True)
        )
        return PLAN + products // PRODUCTS

    @cached_property
    def _most(self) -> Mapping[int, list[int]]:
        """The largest number of descendants of each kind after each step."""
        most: dict[int, list[int]] = {0: []}
        for kind, ways in enumerate(self.descendants.ways[1:], start=1):  # children come before their parents
            families = [children for of_action in ways for _, children in of_action]
            later = range(self.descendants.steps_left[kind] - 1)
            most[kind] = [
                max(map(len, families)),
                *(max(sum(most[child.kind][step] for child in children) for children in families) for step in later),
            ]
        return most

    @cached_property
    def _everyone(self) -> Sequence[int]:
        """The largest number of agents alive after each step."""
        worlds = [zip(*(self._most[kind] for kind in kinds), strict=True) for _, kinds in self.descendants.founders]
        return [max(map(sum, of_step)) for of_step in zip(*worlds, strict=True)]

    @cached_property
    def rewards(self) -> Sequence[tuple[float, float]]:
        """The smallest and the largest reward of each step."""
        rewards: list[list[float]] = [[] for _ in range(self.descendants.horizon + 1)]
        for left, ways in zip(self.descendants.steps_left, self.descendants.float_ways, strict=True):
            rewards[left] += [
                float(child.reward) for of_action in ways for _, children in of_action for child in children
            ]
        return [(min(of_step, default=0.0), max(of_step, default=0.0)) for of_step in reversed(rewards[1:])]

    @cached_property
    def _envelopes(self) -> tuple[Mapping[int, Law], Mapping[int, Law]]:
        """For each kind the stochastically smallest and largest number of its descendants after each step, unpaid."""
        return self._extremes(max), self._extremes(min)

    def _extremes(self, choose: Callable[..., float]) -> Mapping[int, Law]:
        laws: dict[int, Law] = {}
        ways, steps_left = self.descendants.float_ways, self.descendants.steps_left
        for kind in range(1, len(ways)):  # children come before their parents
            of_actions = [law_after(way, lambda child: laws[child.kind], steps_left[kind]) for way in ways[kind]]
            laws[kind] = tuple(
                (_envelope([numbers for numbers, _ in of_step], choose), [0])
                for of_step in zip(*of_actions, strict=True)
            )
        return laws

    @cached_property
    def most_company(self) -> Populations:
        """The stochastically largest number of agents alive after each step, over all worlds."""
        founders = [kinds for _, kinds in self.descendants.founders]
        worlds = [self._others(kinds, self.descendants.horizon)[1] for kinds in founders]
        return [_envelope(laws, min) for laws in zip(*worlds, strict=True)]

    @cached_property
    def inverses(self) -> Sequence[Sequence[float]]:
        """``1 / (n + m)`` by the numbers m of others and n of own descendants; 0 for nobody."""
        most = range(max(map(len, self.most_company)) + 1)
        return [[1 / (n + m) if n + m else 0.0 for n in most] for m in most]

    @cached_property
    def most_alive(self) -> Sequence[float]:
        """A bound on the expected number of agents alive after 0, 1, … steps."""
        most = [sum(n * chance for n, chance in enumerate(law)) for law in self.most_company]
        return [float(max(len(kinds) for _, kinds in self.descendants.founders)), *most]

    @cached_property
    def bounds(self) -> Mapping[tuple[Situation, int], tuple[Populations, Populations]]:
        """The smallest and the largest law of the number of others after each step, by situation and own kind."""
        bounds: dict[tuple[Situation, int], tuple[Populations, Populations]] = {}

        def add(key: tuple[Situation, int], ends: tuple[Populations, Populations]) -> None:
            if key in bounds:
                low, high = bounds[key]
                ends = (
                    [_envelope(pair, max) for pair in zip(low, ends[0], strict=True)],
                    [_envelope(pair, min) for pair in zip(high, ends[1], strict=True)],
                )
            bounds[key] = ends

        beginning = self.levels[0][0]
        for _, kinds in self.descendants.founders:
            for i, kind in enumerate(kinds):
                add((beginning, kind), self._others((*kinds[:i], *kinds[i + 1 :]), self.descendants.horizon))
        for level in self.levels[:-1]:
            for situation in level:
                for action, after in enumerate(self.afters(situation)):
                    for kind in situation:
                        for key, ends in self._siblings(kind, action, after, bounds[situation, kind]):
                            add(key, ends)
        return bounds

    @cached_property
    def cumulated(self) -> Mapping[tuple[Situation, int], Sequence[tuple[list[float], list[float]]]]:
        """For each step the probabilities of at most 0, 1, … others, by the smallest and the largest law."""
        return {
            key: [(_cumulate(low, len(high)), _cumulate(high, len(high))) for low, high in zip(*ends, strict=True)]
            for key, ends in self.bounds.items()
        }

    def _others(self, kinds: tuple[int, ...], steps: int) -> tuple[Populations, Populations]:
        """Return the smallest and the largest law of the descendants of several agents; each is computed once."""
        if (kinds, steps) not in self._joined:
            low, high = (
                [join(laws[kind][step] for kind in kinds)[0] for step in range(steps)] for laws in self._envelopes
            )
            self._joined[kinds, steps] = low, high
        return self._joined[kinds, steps]

    def _siblings(
        self, kind: int, action: int, after: Mapping[Hashable, Situation], company: tuple[Populations, Populations]
    ) -> Iterator[tuple[tuple[Situation, int], tuple[Populations, Populations]]]:
        """Yield the company of each child of an agent: its siblings, by chance, and the company of its parent."""
        steps = range(self.descendants.steps_left[kind] - 1)
        totals: dict[tuple[Hashable, int], tuple[list[float], Populations, Populations]] = {}
        for chance, children in self.descendants.float_ways[kind][action]:
            for i, child in enumerate(children):
                others = tuple(sibling.kind for j, sibling in enumerate(children) if j != i)
                seen = child.observation, child.kind  # two observations can lead to one situation
                total, *ends = totals.setdefault(seen, ([0.0], [[] for _ in steps], [[] for _ in steps]))
                total[0] += chance
                for mixed, laws in zip(ends, self._others(others, len(steps)), strict=True):
                    for step in steps:
                        accumulate(mixed[step], laws[step], chance)
        for (observation, child_kind), (total, *ends) in totals.items():
            low, high = (
                # Of two lists, `multiply` skips the zeros of the first, and company has more of them.
                [multiply(before[step + 1], [chance / total[0] for chance in laws[step]]) for step in steps]
                for laws, before in zip(ends, company, strict=True)
            )
            yield (after[observation], child_kind), (low, high)


def _envelope(laws: Sequence[Sequence[float]], choose: Callable[..., float]) -> list[float]:
    """Return the stochastically smallest (`max`) or largest (`min`) law that some laws allow."""
    length = max(map(len, laws))
    sums = [choose(column) for column in zip(*(_cumulate(law, length) for law in laws), strict=True)]
    return [sums[0], *(later - sooner for sooner, later in pairwise(sums))]


def _cumulate(law: Sequence[float], length: int) -> list[float]:
    """Return the probabilities of at most 0, 1, … agents."""
    sums = [min(total, 1.0) for total in running_sums(law[:length])]
    return sums + sums[-1:] * (length - len(sums))
