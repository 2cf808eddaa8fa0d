"""The joint law of all copies, for worths in which the number of copies counts.

What becomes of one slot does not depend on the agents in others (Orseau 2014, Def. 9), but what a step is worth may
depend on all copies at once, so all slots are followed together. Copies with the same history act alike; nothing else
ties them. Two possible states of affairs can be planned apart if no history occurs in both: a `Group` holds those that
cannot. It forgets the histories themselves, so equal groups are planned once.

The work grows quickly with the number of different histories that occur together, because every rule "after this
history, that action" is tried. It is refused above a stated number of joint outcomes.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias, cast

from multislot.errors import SettingError, TooLargeError
from multislot.exact.kernel import CheckedKernel, InFractions, Number, Outcome
from multislot.exact.mixture import Mixture

MOST_JOINT_OUTCOMES = 200_000
MOST_COPIES = 2**12
"""So many copies that are alive at once are followed together."""

Numbers: TypeAlias = tuple[Number, ...]
Rule: TypeAlias = tuple[Hashable, ...]
"""An action for each history of a group, in the order of their numbers."""


class Copy(NamedTuple):
    """One agent: its slot, its hidden state, what stands for its history, and the discounted rewards of its life."""

    slot: int
    state: Hashable
    history: Hashable
    paid: Number


class Affairs(NamedTuple):
    """A possible state of affairs: the world, all living copies by slot, and the rewards of the lives that ended."""

    world: int
    copies: tuple[Copy, ...]
    ended: Numbers


Group: TypeAlias = tuple[tuple[Affairs, Fraction], ...]
"""States of affairs with their probabilities, which sum to 1; histories are numbers from 0 on."""


@dataclass(frozen=True)
class Scoring:
    """What a course of events is worth: one number, or several that are added up side by side.

    Attributes:
        step: the worth of a step, given the rewards of the copies alive after it, by slot.
        lives: the worth of all lives once they have ended, given their discounted rewards; None if it is nothing.
    """

    step: Callable[[Numbers], Numbers]
    lives: Callable[[Numbers], Numbers] | None = None

    @property
    def nothing(self) -> Numbers:
        """A worth of 0."""
        return tuple(Fraction() for _ in self.step(()))


@dataclass(frozen=True)
class Row:
    """What a rule does in a group.

    Attributes:
        worth: the expected worth of the step.
        after: the probability of each group that may come next.
        leads: from (number of a history, action, observation) to the next group and the longer history's number in it.
    """

    worth: Numbers
    after: Mapping[Group, Fraction]
    leads: Mapping[Hashable, tuple[Group, int]]


def added(worth: Numbers, more: Numbers, weight: Number) -> Numbers:
    """Return ``worth + weight · more``."""
    return tuple(one + weight * other for one, other in zip(worth, more, strict=True))


def linked(families: Iterable[Sequence[Hashable]]) -> Mapping[Hashable, Hashable]:
    """Return one representative for each member of a family; families that share a member have the same.

    This is a union-find of its own, since the exact engine runs with the standard library alone.
    """
    leaders: dict[Hashable, Hashable] = {}

    def leader(member: Hashable) -> Hashable:
        while leaders[member] != member:
            leaders[member] = member = leaders[leaders[member]]
        return member

    for family in families:
        for member in family:
            leaders.setdefault(member, member)
        for member in family[1:]:
            leaders[leader(member)] = leader(family[0])
    return {member: leader(member) for member in leaders}


class JointLaw:
    """How groups follow each other in a mixture of kernels.

    Args:
        mixture: the worlds, with their prior weights.
        scoring: the numbers that are added up.
        limit: how many joint outcomes may be worked out in all.
    """

    def __init__(self, mixture: Mixture, scoring: Scoring, limit: int = MOST_JOINT_OUTCOMES) -> None:
        self.mixture, self.scoring, self.limit = mixture, scoring, limit
        self._checked = [CheckedKernel(kernel) for kernel in mixture.kernels]
        self.worlds = [CheckedKernel(InFractions(world)) for world in self._checked]
        self.actions = self.worlds[0].actions
        self._worked_out = 0
        self._rows: dict[tuple[Group, Number], dict[Rule, Row]] = {}
        self._state_numbers: dict[Hashable, int] = {}

    @property
    def is_exact(self) -> bool:
        """Whether all numbers met so far were ints or Fractions."""
        return all(world.is_exact for world in self._checked) and float not in map(type, self.mixture.prior)

    def begin(self, history: Hashable) -> Group:
        """Return how each world begins, with its prior probability; all copies have the one given history."""
        prior = [Fraction(weight) for weight in self.mixture.prior]
        return tuple(
            (Affairs(index, tuple(Copy(i, s, history, Fraction()) for i, s in sorted(world.start.items())), ()), share)
            for index, world in enumerate(self.worlds)
            if (share := prior[index] / sum(prior))
        )

    def rows(self, group: Group, share: Number) -> Mapping[Rule, Row]:
        """Return what each rule does in a group, first actions first; worked out at the first call.

        Args:
            group: the group.
            share: what a reward counts in a life, ``γ^t``; 0 where lives do not count.

        Raises:
            TooLargeError: more joint outcomes than the limit would be worked out.
        """
        key = group, share
        if key not in self._rows:
            histories = {copy.history for affairs, _ in group for copy in affairs.copies}
            self.check_room([group])
            rules = product(self.actions, repeat=len(histories))
            self._rows[key] = {rule: self._row(group, rule, share) for rule in rules}
        return self._rows[key]

    def knows(self, group: Group, share: Number) -> bool:
        """Whether the rules of a group were worked out already."""
        return (group, share) in self._rows

    def check_room(self, groups: Iterable[Group]) -> None:
        """Refuse to work out all rules of some groups if that is too much, before it begins.

        Raises:
            TooLargeError: more joint outcomes than the limit would be worked out.
        """
        expected = self._worked_out
        for group in groups:
            histories = {copy.history for affairs, _ in group for copy in affairs.copies}
            for affairs, _ in group:
                ways: dict[Hashable, list[int]] = {one: [1] * len(self.actions) for one in histories}
                for copy in affairs.copies:
                    for place, action in enumerate(self.actions):
                        number = len(self.worlds[affairs.world].outcomes(copy.slot, copy.state, action))
                        ways[copy.history][place] *= number
                expected += prod(map(sum, ways.values()))
            if expected > self.limit:
                raise self._refusal()

    def _row(self, group: Group, rule: Rule, share: Number) -> Row:
        worth = self.scoring.nothing
        reached: dict[Affairs, Fraction] = defaultdict(Fraction)
        for affairs, weight in group:
            acts = [rule[cast("int", copy.history)] for copy in affairs.copies]
            for chance, after, rewards in self.outcomes(affairs, acts, share):
                worth = added(worth, self.scoring.step(rewards), weight * chance)
                reached[after] += weight * chance
        for affairs in [affairs for affairs in reached if not affairs.copies]:
            worth = added(worth, self.at_the_end(affairs), reached.pop(affairs))
        return Row(worth, *self._parted(reached))

    def outcomes(
        self, affairs: Affairs, acts: Sequence[Hashable], share: Number
    ) -> Iterator[tuple[Fraction, Affairs, Numbers]]:
        """Yield what may come of a state of affairs: the probability, the next state, the living copies' rewards.

        A copy's history becomes the triple of its history, its action and its observation.

        Args:
            affairs: the state of affairs.
            acts: the action of each copy.
            share: what a reward counts in a life, ``γ^t``.

        Raises:
            TooLargeError: more joint outcomes than the limit would be worked out.
        """
        world, copies, ended = affairs
        lists = [self.worlds[world].outcomes(one.slot, one.state, act) for one, act in zip(copies, acts, strict=True)]
        self._count(lists)
        for drawn in product(*lists):
            arrived = dict(sorted(_arrived(copies, acts, drawn, share).items()))
            after = tuple(copy for copy, _ in arrived.values())
            if self.scoring.lives:
                over = [one.paid for one, (_, found) in zip(copies, drawn, strict=True) if not found]
                ended = tuple(sorted((*affairs.ended, *over)))
            chance = prod((Fraction(probability) for probability, _ in drawn), start=Fraction(1))
            yield chance, Affairs(world, after, ended), tuple(reward for _, reward in arrived.values())

    def at_the_end(self, affairs: Affairs) -> Numbers:
        """Return what all lives are worth when every one has ended."""
        if self.scoring.lives is None:
            return self.scoring.nothing
        return self.scoring.lives((*affairs.ended, *(copy.paid for copy in affairs.copies)))

    def _count(self, lists: Sequence[Sequence[Outcome]]) -> None:
        if len(lists) > MOST_COPIES:
            raise TooLargeError(
                f"{len(lists)} copies alive at once would be followed together; expected at most {MOST_COPIES}; give a "
                "shorter horizon, or use bracket_for_copies"
            )
        self._worked_out += prod(map(len, lists))
        if self._worked_out > self.limit:
            raise self._refusal()

    def _refusal(self) -> TooLargeError:
        return TooLargeError(
            f"more than {self.limit} joint outcomes of all copies would be worked out; give a shorter horizon, or "
            "use bracket_for_copies"
        )

    def _parted(
        self, reached: Mapping[Affairs, Fraction]
    ) -> tuple[Mapping[Group, Fraction], Mapping[Hashable, tuple[Group, int]]]:
        """Return the groups that states of affairs fall into, with their probabilities, and where histories lead."""
        shared = linked([copy.history for copy in affairs.copies] for affairs in reached)
        parts: dict[Hashable, list[tuple[Affairs, Fraction]]] = defaultdict(list)
        for affairs, weight in reached.items():
            parts[shared[affairs.copies[0].history]].append((affairs, weight))
        groups: dict[Group, Fraction] = defaultdict(Fraction)
        leads: dict[Hashable, tuple[Group, int]] = {}
        for part in parts.values():
            group, numbers, weight = self._numbered(part)
            groups[group] += weight
            leads |= {history: (group, number) for history, number in numbers.items()}
        return groups, leads

    def _numbered(self, part: list[tuple[Affairs, Fraction]]) -> tuple[Group, Mapping[Hashable, int], Fraction]:
        """Return a part as a group, the number of each history, and the part's probability."""
        ordered = sorted(part, key=self._order)
        numbers: dict[Hashable, int] = {}
        for affairs, _ in ordered:
            for copy in affairs.copies:
                numbers.setdefault(copy.history, len(numbers))
        total = sum((weight for _, weight in part), Fraction())
        group = tuple(
            (
                one._replace(copies=tuple(copy._replace(history=numbers[copy.history]) for copy in one.copies)),
                weight / total,
            )
            for one, weight in ordered
        )
        return group, numbers, total

    def _order(self, one: tuple[Affairs, Fraction]) -> tuple[object, ...]:
        """Return what states of affairs are sorted by: all but the histories, so that equal groups look the same."""
        affairs, weight = one
        known = self._state_numbers
        copies = [(copy.slot, known.setdefault(copy.state, len(known)), copy.paid) for copy in affairs.copies]
        return affairs.world, copies, affairs.ended, weight


def _arrived(
    copies: Sequence[Copy], acts: Sequence[Hashable], drawn: Sequence[Outcome], share: Number
) -> dict[int, tuple[Copy, Number]]:
    """Return who is where after a step, with the reward of it."""
    arrived: dict[int, tuple[Copy, Number]] = {}
    for source, act, (_, arrivals) in zip(copies, acts, drawn, strict=True):
        for target, (state, observation, reward) in arrivals.items():
            if target in arrived:
                raise SettingError(f"two slots are both copied into slot {target}; copy sets must be disjoint")
            copy = Copy(target, state, (source.history, act, observation), source.paid + share * reward)
            arrived[target] = copy, reward
    return arrived
