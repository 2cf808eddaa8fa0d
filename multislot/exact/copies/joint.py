"""All copies followed together, for worths in which the number of copies counts, and plans for them.

What becomes of one slot does not depend on the agents in others (Orseau 2014, Def. 9), but what a step is worth may
depend on all copies at once, so all slots are followed together. Copies with the same history act alike; nothing else
ties them. Two possible states of affairs can be planned apart if no history occurs in both. A `Group` holds states that
cannot be planned apart. It forgets the histories themselves, so equal groups are planned once.

Up to a last step the groups that can be reached are listed step by step and planned backwards. Without one they must be
finitely many, and policy iteration ends at the optimum. Worths may be several numbers that are added up side by side;
what is maximized is a weighted sum of them, so one list of groups serves all weights.

The work grows quickly with the number of different histories that occur together, because every rule "after this
history, that action" is tried. It is refused above a stated number of joint outcomes.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from multislot.errors import SettingError, TooLargeError
from multislot.exact.belief import History, ImpossibleHistoryError
from multislot.exact.kernel import CheckedKernel, Kernel, Number
from multislot.exact.mixture import Mixture
from multislot.exact.stationary import optimal_values, solve_linear
from multislot.exact.values import ActionValues, summed

MOST_JOINT_OUTCOMES = 200_000
MOST_COPIES = 2**12
"""The largest number of copies alive at once that are followed together."""

Numbers: TypeAlias = tuple[Number, ...]
Rule: TypeAlias = tuple[Hashable, ...]
"""An action for each history of a group, in the order of their numbers."""
Chances: TypeAlias = Mapping[Hashable, Any]
"""The probability of each action: a number, or a polynomial in unknown ones."""
Place = TypeVar("Place")
Policy: TypeAlias = Callable[[History], Any]
"""From a history, a tuple of (action, observation) pairs, to the action, or to the probability of each action."""


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


class Group(tuple[tuple[Affairs, Fraction], ...]):
    """States of affairs with their probabilities, which sum to 1; histories are numbers from 0 on.

    The hash is computed once: groups are looked up millions of times, and the hash of a Fraction takes long.
    """

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class Scoring:
    """The worth of a course of events: one number, or several that are added up side by side.

    Attributes:
        step: from the rewards of the copies alive after a step, by slot, to the worth of the step.
        lives: from the discounted rewards of all lives to their worth once they have ended; None if they have none.
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
    leads: Mapping[tuple[Hashable, ...], tuple[Group, int]]


def added(worth: Numbers, more: Numbers, weight: Number) -> Numbers:
    """Return ``worth + weight · more``."""
    return tuple(number + weight * other for number, other in zip(worth, more, strict=True))


def weighted(weights: Numbers, worth: Numbers) -> Number:
    """Return the weighted sum of several numbers."""
    return summed(weight * number for weight, number in zip(weights, worth, strict=True))


def linked(families: Iterable[Sequence[Hashable]]) -> Mapping[Hashable, Hashable]:
    """Return a representative for each member of a family; families that share a member have the same one.

    This is a union-find of its own, since the exact engine runs in browsers with the standard library alone.
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


class Worlds:
    """The worlds of a kernel or mixture; each answer of a kernel is checked and asked for once.

    Attributes:
        mixture: the worlds with their prior weights.
        kernels: the kernels, with all probabilities as Fractions.
        prior: the prior weights as Fractions that sum to 1.
    """

    def __init__(self, kernel: Kernel | Mixture) -> None:
        self.mixture = kernel if isinstance(kernel, Mixture) else Mixture((kernel,))
        self.kernels = [CheckedKernel(world, in_fractions=True) for world in self.mixture.kernels]
        weights = [Fraction(weight) for weight in self.mixture.prior]
        self.prior = [weight / sum(weights) for weight in weights]

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """The actions, in order."""
        return self.kernels[0].actions

    @property
    def is_exact(self) -> bool:
        """Whether all numbers of the answers so far were ints or Fractions."""
        return all(kernel.is_exact for kernel in self.kernels) and float not in map(type, self.mixture.prior)


class JointLaw:
    """How groups follow each other in some worlds, with at most `limit` joint outcomes in all."""

    def __init__(self, worlds: Worlds, scoring: Scoring, limit: int = MOST_JOINT_OUTCOMES) -> None:
        self.worlds, self.scoring, self.limit = worlds, scoring, limit
        self.actions = worlds.actions
        self._computed = 0
        self._rows: dict[tuple[Group, Number], dict[Rule, Row]] = {}
        self._state_numbers: dict[Hashable, int] = {}

    def begin(self, history: Hashable) -> Group:
        """Return the start of each world with its prior probability; all copies have the same given history."""
        return Group(
            (Affairs(index, tuple(Copy(i, s, history, Fraction()) for i, s in sorted(world.start.items())), ()), share)
            for index, (world, share) in enumerate(zip(self.worlds.kernels, self.worlds.prior, strict=True))
            if share
        )

    def rows(self, groups: Iterable[Group], share: Number) -> Mapping[Group, Mapping[Rule, Row]]:
        """Return the effect of each rule in some groups, first actions first; computed at the first call.

        Args:
            groups: the groups.
            share: what a reward counts in a life, ``γ^t``; 0 where lives do not count.

        Raises:
            TooLargeError: more joint outcomes than the limit would be computed; refused before it begins.
        """
        groups = list(groups)
        numbers = {
            group: 1 + max((cast("int", copy.history) for affairs, _ in group for copy in affairs.copies), default=-1)
            for group in groups
            if (group, share) not in self._rows
        }
        expected = self._computed
        for group, number in numbers.items():
            for affairs, _ in group:
                ways = [[1] * len(self.actions) for _ in range(number)]
                for copy in affairs.copies:
                    for place, action in enumerate(self.actions):
                        outcomes = self.worlds.kernels[affairs.world].outcomes(copy.slot, copy.state, action)
                        ways[cast("int", copy.history)][place] *= len(outcomes)
                expected += prod(map(sum, ways))
            if expected > self.limit:
                raise self._refusal()
        for group, number in numbers.items():
            rules = product(self.actions, repeat=number)
            self._rows[group, share] = {rule: self._row(group, rule, share) for rule in rules}
        return {group: self._rows[group, share] for group in groups}

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
        shared = linked([copy.history for copy in affairs.copies] for affairs in reached)
        parts: dict[Hashable, list[tuple[Affairs, Fraction]]] = defaultdict(list)
        for affairs, weight in reached.items():
            parts[shared[affairs.copies[0].history]].append((affairs, weight))
        groups: dict[Group, Fraction] = defaultdict(Fraction)
        leads: dict[tuple[Hashable, ...], tuple[Group, int]] = {}
        for part in parts.values():
            after_part, numbers, weight = self._numbered(part)
            groups[after_part] += weight
            leads |= {cast("Any", history): (after_part, number) for history, number in numbers.items()}
        return Row(worth, groups, leads)

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
            TooLargeError: more joint outcomes than the law allows, or too many copies.
        """
        world, copies, ended = affairs
        if len(copies) > MOST_COPIES:
            raise TooLargeError(
                f"{len(copies)} copies alive at once would be followed together; expected at most {MOST_COPIES}; give "
                "a shorter horizon, or use bracket_for_copies"
            )
        kernel = self.worlds.kernels[world]
        lists = [kernel.outcomes(copy.slot, copy.state, act) for copy, act in zip(copies, acts, strict=True)]
        self._computed += prod(map(len, lists))
        if self._computed > self.limit:
            raise self._refusal()
        for drawn in product(*lists):
            arrived: dict[int, tuple[Copy, Number]] = {}
            for source, act, (_, arrivals) in zip(copies, acts, drawn, strict=True):
                for target, (state, observation, reward) in arrivals.items():
                    if target in arrived:
                        raise SettingError(f"two slots are both copied into slot {target}; copy sets must be disjoint")
                    copy = Copy(target, state, (source.history, act, observation), source.paid + share * reward)
                    arrived[target] = copy, reward
            alive = [arrived[target] for target in sorted(arrived)]
            if self.scoring.lives:
                over = [copy.paid for copy, (_, arrivals) in zip(copies, drawn, strict=True) if not arrivals]
                ended = tuple(sorted((*affairs.ended, *over)))
            chance = prod((Fraction(probability) for probability, _ in drawn), start=Fraction(1))
            yield chance, Affairs(world, tuple(copy for copy, _ in alive), ended), tuple(reward for _, reward in alive)

    def at_the_end(self, affairs: Affairs) -> Numbers:
        """Return the worth of all lives when each of them has ended."""
        if self.scoring.lives is None:
            return self.scoring.nothing
        return self.scoring.lives((*affairs.ended, *(copy.paid for copy in affairs.copies)))

    def _refusal(self) -> TooLargeError:
        return TooLargeError(
            f"more than {self.limit} joint outcomes of all copies would be computed; give a shorter horizon, a "
            "larger limit, or use bracket_for_copies"
        )

    def _numbered(self, part: list[tuple[Affairs, Fraction]]) -> tuple[Group, Mapping[Hashable, int], Fraction]:
        """Return a part as a group, the number of each history, and the part's probability."""
        ordered = sorted(part, key=self._order)
        numbers: dict[Hashable, int] = {}
        for affairs, _ in ordered:
            for copy in affairs.copies:
                numbers.setdefault(copy.history, len(numbers))
        total = sum((weight for _, weight in part), Fraction())
        group = Group(
            (
                affairs._replace(copies=tuple(copy._replace(history=numbers[copy.history]) for copy in affairs.copies)),
                weight / total,
            )
            for affairs, weight in ordered
        )
        return group, numbers, total

    def _order(self, member: tuple[Affairs, Fraction]) -> tuple[object, ...]:
        """Return a sorting key of a state of affairs: all but the histories, so that equal groups look the same."""
        affairs, weight = member
        numbers = self._state_numbers
        copies = [(copy.slot, numbers.setdefault(copy.state, len(numbers)), copy.paid) for copy in affairs.copies]
        return affairs.world, copies, affairs.ended, weight


@dataclass(frozen=True, eq=False)
class CommonPlan:
    """A plan for all copies that is best from the beginning.

    Attributes:
        action_values: the worth of each first action.
        worth: each of the numbers that are added up, if the plan is followed: by default the worth at α = 0, and what
            one unit of α adds.
        policy: from a history that follows the plan to the action; an impossible one is an ImpossibleHistoryError.
        loss: the most by which another plan can be better; 0 if none is.
    """

    action_values: ActionValues
    worth: Numbers
    policy: Policy
    loss: float = 0.0


def walk(
    start: Place,
    act: Callable[[Place], Hashable],
    after: Callable[[Place], Mapping[Hashable, Place]],
    actions: Sequence[Hashable],
) -> Policy:
    """Return the policy that begins at a place of a plan.

    Args:
        start: the place of the empty history.
        act: from a place to the action.
        after: from a place to the place after each possible observation.
        actions: all actions.
    """

    def policy(history: History = ()) -> Hashable:
        place = start
        for step, (_, observation) in enumerate(history, start=1):
            places = after(place)
            if observation not in places:
                raise ImpossibleHistoryError(tuple(history), step, list(places), tuple(actions))
            place = places[observation]
        return act(place)

    return policy


@dataclass(frozen=True)
class JointPlanner:
    """All groups that can be reached, and how to plan in them; without a horizon lives cannot be compared."""

    law: JointLaw
    discount: Number
    horizon: int | None

    def plan(self, weights: Numbers) -> CommonPlan:
        """Return the plan that is best for a weighted sum of the numbers; ties go to the rule that comes first."""
        return self._endless(weights) if self.horizon is None else self._finite(weights)

    @cached_property
    def root(self) -> Group:
        """The group in which everything begins; the empty history is number 0."""
        return self.law.begin(history=0)

    def rows(self, groups: Iterable[Group], step: int) -> Mapping[Group, Mapping[Rule, Row]]:
        """Return the effect of each rule in some groups at a step, counted from 0."""
        return self.law.rows(groups, self.discount**step if self.law.scoring.lives else 0)

    @cached_property
    def _levels(self) -> Sequence[Mapping[Group, Mapping[Rule, Row]]]:
        """The groups that can be reached after 0, 1, …, T − 1 steps, with their rows."""
        levels = [self.rows([self.root], 0)]
        for step in range(1, self.horizon or 0):
            levels.append(self.rows(_after(levels[-1]), step))
        return levels

    def _finite(self, weights: Numbers) -> CommonPlan:
        discount = 1 if self.law.scoring.lives else self.discount  # lives are discounted already
        worths: dict[Group, Numbers] = {}
        for group in _after(self._levels[-1]):
            worths[group] = self.law.scoring.nothing
            for affairs, weight in group:
                worths[group] = added(worths[group], self.law.at_the_end(affairs), weight)
        chosen: list[Mapping[Group, Rule]] = []
        values: dict[Group, ActionValues] = {}
        for level in reversed(self._levels):
            now, rules = {}, {}
            for group, rows in level.items():
                ahead = {}
                for rule, row in rows.items():
                    ahead[rule] = row.worth
                    for after, chance in row.after.items():
                        ahead[rule] = added(ahead[rule], worths[after], discount * chance)
                values[group] = ActionValues({rule: weighted(weights, worth) for rule, worth in ahead.items()})
                rules[group] = cast("Rule", values[group].best)
                now[group] = ahead[rules[group]]
            worths = now
            chosen.insert(0, rules)
        return self._planned(values[self.root], worths[self.root], lambda step, group: chosen[step][group])

    def _endless(self, weights: Numbers) -> CommonPlan:
        rows = dict(self.rows([self.root], 0))
        new = list(rows)
        while new:
            new = [after for after in _after({group: rows[group] for group in new}) if after not in rows]
            rows |= self.rows(new, 0)
        scored = {
            group: {rule: (weighted(weights, row.worth), row.after) for rule, row in some.items()}
            for group, some in rows.items()
        }
        values = optimal_values(scored, self.discount)
        chosen = {group: cast("Rule", of_rules.best) for group, of_rules in values.items()}
        followed = {group: some[chosen[group]] for group, some in rows.items()}
        after = {
            group: {after: self.discount * chance for after, chance in row.after.items()}
            for group, row in followed.items()
        }
        worth = [
            solve_linear({group: (row.worth[index], after[group]) for group, row in followed.items()})[self.root]
            for index in range(len(weights))
        ]
        return self._planned(values[self.root], tuple(worth), lambda _, group: chosen[group])

    def _planned(self, values: ActionValues, worth: Numbers, rule_at: Callable[[int, Group], Rule]) -> CommonPlan:
        """Return a plan, from the worth of each rule for the first action and the best rule for each step and group."""

        def act(place: tuple[int, Group, int]) -> Hashable:
            step, group, number = place
            return self.law.actions[0] if step == self.horizon else rule_at(step, group)[number]

        def after(place: tuple[int, Group, int]) -> Mapping[Hashable, tuple[int, Group, int]]:
            step, group, number = place
            if step == self.horizon:
                return {}
            leads = self.rows([group], step)[group][rule_at(step, group)].leads
            return {seen: (step + 1, *then) for (before, _, seen), then in leads.items() if before == number}

        action_values = ActionValues({cast("Rule", rule)[0]: value for rule, value in values.items()})
        return CommonPlan(action_values, worth, walk((0, self.root, 0), act, after, self.law.actions))


def _after(rows: Mapping[Group, Mapping[Rule, Row]]) -> list[Group]:
    """Return the groups that may come next."""
    return list(dict.fromkeys(after for some in rows.values() for row in some.values() for after in row.after))


def ways(
    law: JointLaw, affairs: Affairs, chances: Iterable[Chances], share: Number
) -> Iterator[tuple[Any, Fraction, Affairs, Numbers]]:
    """Yield what may come of a state of affairs if each copy draws its own action.

    Copies hold their whole histories. An item has the probability of the actions, that of their outcome, the next state
    of affairs, and the living copies' rewards.

    Args:
        law: how states of affairs follow each other.
        affairs: the state of affairs.
        chances: for each copy the probability of each action, a number or a polynomial in unknown ones.
        share: as in `JointLaw.outcomes`.
    """
    for drawn in product(*(of_copy.items() for of_copy in chances)):
        chance_of_acts = prod(chance for _, chance in drawn)
        for chance, after, rewards in law.outcomes(affairs, [act for act, _ in drawn], share):
            copies = []
            for copy in after.copies:
                before, act, observation = cast("tuple[tuple[object, ...], Hashable, Hashable]", copy.history)
                copies.append(copy._replace(history=(*before, (act, observation))))
            yield chance_of_acts, chance, after._replace(copies=tuple(copies)), rewards


def course(
    law: JointLaw, chances: Callable[[Any], Chances], discount: Number, horizon: int
) -> Iterator[tuple[Mapping[Affairs, Any], tuple[Any, ...]]]:
    """Yield the probability of each state of affairs after 0, 1, … steps, and the worth of a policy so far.

    Copies hold their whole histories. The worth is that of steps, in each of the numbers that are added up.

    Args:
        law: how states of affairs follow each other.
        chances: from a history to the probability of each action, a number or a polynomial in unknown ones.
        discount: γ.
        horizon: the number of steps.

    Raises:
        TooLargeError: more joint outcomes would be computed than the law allows.
    """
    worth, now = law.scoring.nothing, dict[Affairs, Any](law.begin(history=()))
    yield now, worth
    for step in range(horizon):
        then, factor = defaultdict[Affairs, Any](Fraction), discount**step
        share = factor if law.scoring.lives else 0  # otherwise states that differ in past rewards only are one
        for affairs, weight in now.items():
            drawing = (chances(copy.history) for copy in affairs.copies)
            for drawn, chance, after, rewards in ways(law, affairs, drawing, share):
                worth = added(worth, law.scoring.step(rewards), weight * drawn * (chance * factor))
                then[after] += weight * drawn * chance
        now = then
        yield now, worth


def followed(law: JointLaw, chances: Callable[[Any], Chances], discount: Number, horizon: int) -> tuple[Any, ...]:
    """Return the worth of a policy, in each of the numbers that are added up; see `course`."""
    *_, (ends, worth) = course(law, chances, discount, horizon)
    for affairs, weight in ends.items():
        worth = added(worth, law.at_the_end(affairs), weight)
    return worth
