"""The best plan for all copies where their number is uncertain: combine plans backwards and remove dominated ones.

A plan for what follows a history gives each agent that has it a law of its descendants, see
`multislot.exact.copies.descendants`. For such an agent all others are *company*: M agents that are paid S. A step is
then worth ``E[(R + S) w(N + M)]``, which is linear in the law and in S. Plan B *dominates* plan A if it is worth at
least as much in every company that the agent may have. A dominated part of a plan can be replaced without a loss; if
several agents have the history, for one agent after the other. So plans are combined backwards from the last step, and
only those that no other dominates.

M is not arbitrary. Whatever is done, it lies between a stochastically smallest and a largest law. Both are computed
backwards from the kernel and forwards along the history. S/M lies between the smallest and the largest reward.

Removal is decided with floats and a margin that rounding cannot reach, or else with Fractions. What remains at the
beginning is compared in Fractions. If the number of plans to keep is limited, nearly dominated ones are removed as
well, and the total that this can cost is added to the upper bound.

The work is counted in pairs of plans that are compared. Other work counts as many pairs as take the same time. Before
much work is done, samples of the plans at all further steps say how much to expect. So a plan that needs too much is
refused early.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate as running_sums
from itertools import pairwise, product
from math import log, prod
from operator import lt, mul, sub
from typing import Any, TypeAlias

from multislot.errors import TooLargeError
from multislot.exact.belief import History, ImpossibleHistoryError
from multislot.exact.copies.descendants import (
    Descendants,
    Law,
    accumulate,
    copy_weight,
    join,
    law_after,
    multiply,
    worth,
)
from multislot.exact.kernel import Number
from multislot.exact.values import ActionValues

PLAN = 20
"""The number of pairs that are compared in the time in which a plan is made, even if its laws are short."""
PRODUCTS = 25
"""The number of products of laws and profiles that are computed in the time in which a pair is compared."""
EARLY = 200_000
"""Less work is done without a forecast. Comparing so many pairs takes about half a second."""
SMALLEST_SAMPLE, LARGEST_SAMPLE = 12, 384
"""The numbers of plans between which the size of a sample lies."""
SAMPLE_WORK = 36_000
"""The work that the samples of one step may take, if they are larger than the smallest."""
GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio are spread evenly, whatever the number of plans after each observation."""
MOST_PREPARATION = 2 * EARLY
UNSURE = 2
"""After early work, a plan is given up only if the forecast is too large by this factor."""
MARGIN = 1e-9
"""A float difference above this share of the largest possible worth is not rounding."""
Situation: TypeAlias = frozenset[int]
"""The kinds of all agents that can have a history; plans depend on nothing else of it."""
Populations: TypeAlias = list[list[float]]
"""For each coming step the probabilities of 0, 1, … agents."""
Profile: TypeAlias = list[tuple[list[float], list[float]]]
"""For each coming step the worth if all others are paid the least, or the most, by the number M of others."""


@dataclass(eq=False)
class Option:
    """A plan for what follows a history.

    Attributes:
        action: the index of the first action.
        after: the plan after each observation; empty at the last step.
        laws: the law of the descendants of each kind of agent that can have the history, in floats.
    """

    action: int
    after: Mapping[Hashable, "Option"]
    laws: Mapping[int, Law]
    _exact: dict[int, Law] = field(default_factory=dict, repr=False)

    def law(self, descendants: Descendants, kind: int) -> Law:
        """Return the law of a kind's descendants in Fractions."""
        if kind not in self._exact:
            self._exact[kind] = law_after(
                descendants.ways[kind][self.action],
                lambda child: self.after[child.observation].law(descendants, child.kind),
                descendants.steps_left[kind],
            )
        return self._exact[kind]


@dataclass(frozen=True, eq=False)
class UndominatedPlan:
    """The best of all plans that were combined.

    Attributes:
        action_values: the worth of each first action.
        law: the law of everyone who follows the plan.
        loss: the most that removing nearly dominated plans can have cost; 0 if none was removed.
    """

    descendants: Descendants
    action_values: ActionValues
    law: Law
    discount: Number
    option: Option
    loss: float

    @property
    def worth(self) -> tuple[Number, Number]:
        """The worth at α = 0, and what one unit of α adds."""
        average, total = (worth(self.law, lambda n, c=c: copy_weight(c, n), self.discount) for c in (0, 1))  # type: ignore[misc]
        return average, total - average

    def policy(self, history: History = ()) -> Hashable:
        """Return the action after a history that follows the plan; the first of all actions after the last step.

        Raises:
            ImpossibleHistoryError: no slot can have this history.
        """
        option, actions, horizon = self.option, self.descendants.actions, self.descendants.horizon
        kinds = {kind for _, founders in self.descendants.founders for kind in founders}
        for step, (_, observation) in enumerate(history):
            children = [c for k in kinds for _, way in self.descendants.ways[k][option.action] for c in way]
            kinds = {child.kind for child in children if child.observation == observation}
            if not kinds:
                possible: list[object] = list(dict.fromkeys(child.observation for child in children))
                raise ImpossibleHistoryError(tuple(history), step + 1, possible, tuple(actions))
            if step + 1 < horizon:
                option = option.after[observation]
        return actions[0] if len(history) == horizon else actions[option.action]


@dataclass(eq=False)
class UndominatedPlanner:
    """A search for the best plan for one weight of a reward.

    Args:
        descendants: the agents.
        caring: α.
        discount: γ.
        limit: the largest number of pairs of plans that may be compared, other work included.
        keep: the largest number of plans that are kept for a history, at a loss; None to lose nothing.

    Attributes:
        compared: the number of pairs compared so far.
    """

    descendants: Descendants
    caring: Number
    discount: Number
    limit: int
    keep: int | None = None
    compared: int = field(default=0, init=False)
    _joined: dict[Any, tuple[Populations, Populations]] = field(default_factory=dict, init=False, repr=False)

    def plan(self) -> UndominatedPlan:
        """Return the best plan.

        Raises:
            TooLargeError: more pairs of plans would be compared than the limit.
        """
        if self.keep is None:
            self.check_preparation()
        known: dict[Situation, list[Option]] = {}
        loss = 0.0
        for depth in reversed(range(self.descendants.horizon)):
            largest = 0.0
            if self.keep is None:
                self._check_forecast(depth, known)
            for situation in self.levels[depth]:
                number = self._number(situation, known)
                self._count(number * self._cost(situation, depth))
                options = [self._option(situation, known, place) for place in range(number)]
                if depth:
                    known[situation], lost = self._undominated(situation, options, depth)
                    largest = max(largest, lost)
                else:
                    known[situation] = options
            loss += largest * self._most_alive[depth] * float(self.discount) ** depth
        return self._best(known[self.levels[0][0]], loss)

    @cached_property
    def levels(self) -> Sequence[Sequence[Situation]]:
        """The situations of histories of 0, 1, … steps."""
        founders = frozenset(kind for _, kinds in self.descendants.founders for kind in kinds)
        levels = [[founders]]
        for _ in range(self.descendants.horizon - 1):
            met = [
                after
                for situation in levels[-1]
                for action in range(len(self.descendants.actions))
                for after in self._after(situation, action).values()
            ]
            levels.append(list(dict.fromkeys(met)))
        return levels

    def _after(self, situation: Situation, action: int) -> dict[Hashable, Situation]:
        """Return the situation after each observation."""
        kinds: dict[Hashable, set[int]] = {}
        for kind in sorted(situation):
            for _, children in self.descendants.ways[kind][action]:
                for child in children:
                    kinds.setdefault(child.observation, set()).add(child.kind)
        return {observation: frozenset(found) for observation, found in kinds.items()}

    def check_preparation(self) -> None:
        """Refuse what takes long before any plan is made. The work rises with the number of steps.

        Raises:
            TooLargeError: bounding the company takes too much work.
        """
        if self._preparation > MOST_PREPARATION:
            raise TooLargeError(
                f"bounding how many others are alive would take as long as comparing {self._preparation} pairs of "
                f"plans; expected at most {MOST_PREPARATION}; give a shorter horizon, or use bracket_for_copies"
            )

    def _check_forecast(self, depth: int, known: Mapping[Situation, list[Option]]) -> None:
        """Refuse what will need too much work before much of it is done, and before the plans of a level are made."""
        numbers = {situation: self._number(situation, known) for situation in self.levels[depth]}
        costs = {situation: self._cost(situation, depth) for situation in numbers}
        room = self.limit * (1 if self.compared < EARLY else UNSURE) - self.compared
        most = sum(number * (costs[situation] + number / 2) for situation, number in numbers.items())
        if self.compared + most > EARLY and self._forecast(depth, known, room) > room:
            raise self._refusal()

    def _forecast(self, depth: int, known: Mapping[Situation, list[Option]], room: float) -> float:
        """Return how much work to expect from a level to the beginning, as far as that is needed to decide.

        The forecast ends where there is no room for the work, and after one level if that level can be afforded: the
        next forecast will know more. At each level some plans are combined from those that remained of the samples one
        step later. The undominated ones in the sample and in a quarter of it say how many to expect in all: their
        number grows as a power of the number of plans.
        """
        work, samples, expected = 0.0, dict(known), {situation: float(len(known[situation])) for situation in known}
        for level in range(depth, -1, -1):
            for situation in self.levels[level]:
                cost = self._cost(situation, level)
                number = sum(
                    prod((expected[later] for later in after.values()), start=1.0) for after in self._afters(situation)
                )
                work += number * cost
                if level and work <= room:
                    samples[situation], expected[situation] = self._sample(situation, level, samples, number)
                    work += number * expected[situation] / 2
            if work > room or (level == depth and self.compared + work <= EARLY):
                break
        return work

    def _sample(
        self, situation: Situation, depth: int, known: Mapping[Situation, list[Option]], number: float
    ) -> tuple[list[Option], float]:
        """Return the undominated plans in a sample, and how many to expect in a number of plans."""
        cost, combined = self._cost(situation, depth), self._number(situation, known)
        size = min(LARGEST_SAMPLE, max(SMALLEST_SAMPLE, SAMPLE_WORK // (cost * len(self.levels[depth]))))
        places = dict.fromkeys(int(combined * (k * GOLDEN % 1)) for k in range(1, size + 1))
        self._count(len(places) * cost)
        options = [self._option(situation, known, place) for place in places]
        judge, part = _Judge(self, situation, depth, options), max(1, len(options) // 4)
        kept = judge.undominated(self._count)
        growth = len(kept) / len(judge.undominated(self._count, first=part))
        power = log(growth) / log(len(options) / part) if part < len(options) else 0.0
        expected = len(kept) * (number / len(options)) ** min(max(power, 0.0), 1.0)
        return [options[i] for i in kept], max(1.0, expected)

    @property
    def _preparation(self) -> int:
        """The work of bounding the company in all situations."""
        costs = (self._cost(situation, depth) for depth, level in enumerate(self.levels) for situation in level)
        return len(self.descendants.actions) * sum(costs)

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

    def _cost(self, situation: Situation, depth: int) -> int:
        """Return how many pairs are compared in the time in which a plan is made, with its laws and profile."""
        products = sum(
            (own + 1) * (together + 2)
            for kind in situation
            for own, together in zip(self._most[kind], self._everyone[depth:], strict=True)
        )
        return PLAN if self.keep else PLAN + products // PRODUCTS

    @cached_property
    def _everyone(self) -> Sequence[int]:
        """The largest number of agents alive after each step."""
        worlds = [zip(*(self._most[kind] for kind in kinds), strict=True) for _, kinds in self.descendants.founders]
        return [max(map(sum, of_step)) for of_step in zip(*worlds, strict=True)]

    @property
    def _acts(self) -> Sequence[int]:
        return range(len(self.descendants.actions))

    def _afters(self, situation: Situation) -> list[dict[Hashable, Situation]]:
        """Return for each action the situation after each observation; none at the last step."""
        is_last = self.descendants.steps_left[next(iter(situation))] == 1
        return [{} if is_last else self._after(situation, act) for act in range(len(self.descendants.actions))]

    def _number(self, situation: Situation, known: Mapping[Situation, list[Option]]) -> int:
        """Return the number of plans that can be combined."""
        return sum(prod(len(known[later]) for later in after.values()) for after in self._afters(situation))

    def _option(self, situation: Situation, known: Mapping[Situation, list[Option]], place: int) -> Option:
        """Return the plan in a place of the list of all: an action, and a known plan after each observation."""
        action, afters = 0, self._afters(situation)
        while place >= (number := prod(len(known[later]) for later in afters[action].values())):
            place, action = place - number, action + 1
        plans = {}
        for seen, later in reversed(afters[action].items()):  # the last observation changes first
            place, which = divmod(place, len(known[later]))
            plans[seen] = known[later][which]
        laws = {
            kind: law_after(
                self.descendants.float_ways[kind][action],
                lambda child: plans[child.observation].laws[child.kind],
                self.descendants.steps_left[kind],
            )
            for kind in situation
        }
        return Option(action, plans, laws)

    def _count(self, pairs: int) -> None:
        self.compared += pairs
        if self.compared > self.limit:
            raise self._refusal()

    def _refusal(self) -> TooLargeError:
        return TooLargeError(
            f"more than {self.limit} pairs of plans would be compared; give a shorter horizon, or use "
            "bracket_for_copies"
        )

    def _best(self, options: list[Option], loss: float) -> UndominatedPlan:
        """Return the best of the plans for the empty history, compared in Fractions where floats nearly tie."""
        descendants = self.descendants
        guesses = [
            worth(descendants.together(option.laws.__getitem__), self._weight, self.discount) for option in options
        ]
        best: dict[int, tuple[Number, Law, Option]] = {}
        slack = MARGIN * self._scale
        for action in range(len(descendants.actions)):
            mine = [i for i, option in enumerate(options) if option.action == action]
            top = max(guesses[i] for i in mine)
            for i in mine:
                if guesses[i] >= top - slack:
                    law = descendants.together(lambda kind, option=options[i]: option.law(descendants, kind))  # type: ignore[misc]
                    value = worth(law, self._weight, self.discount)
                    if action not in best or value > best[action][0]:
                        best[action] = value, law, options[i]
        values = ActionValues({descendants.actions[action]: value for action, (value, _, _) in best.items()})
        _, law, option = best[list(values).index(values.best)]
        return UndominatedPlan(descendants, values, law, self.discount, option, loss)

    def _weight(self, number: int) -> Number:
        return copy_weight(self.caring, number)

    @cached_property
    def _scale(self) -> float:
        """A bound on the worth of a plan."""
        rewards = max(abs(reward) for span in self._rewards for reward in span)
        most = max(1.0, abs(float(self.caring)) * max(map(len, self._most_company)))
        return max(rewards * self.descendants.horizon * most, 1e-300)

    @cached_property
    def _rewards(self) -> Sequence[tuple[float, float]]:
        """The smallest and the largest reward of each step."""
        spans = []
        for left in range(self.descendants.horizon, 0, -1):
            rewards = [
                child.reward
                for kind, ways in enumerate(self.descendants.float_ways)
                if self.descendants.steps_left[kind] == left
                for of_action in ways
                for _, children in of_action
                for child in children
            ]
            spans.append((min(rewards, default=Fraction()), max(rewards, default=Fraction())))
        return [(float(low), float(high)) for low, high in spans]

    @cached_property
    def _envelopes(self) -> Mapping[int, tuple[Populations, Populations]]:
        """For each kind the stochastically smallest and largest number of its descendants after each step."""
        found: dict[int, tuple[Populations, Populations]] = {}
        ways, steps_left = self.descendants.float_ways, self.descendants.steps_left
        for kind in range(1, len(ways)):  # children come before their parents
            ends: list[Populations] = []
            for end, choose in enumerate((max, min)):
                of_actions = [_populations(of_action, found, end, steps_left[kind]) for of_action in ways[kind]]
                ends.append([_envelope(laws, choose) for laws in zip(*of_actions, strict=True)])
            found[kind] = ends[0], ends[1]
        return found

    @cached_property
    def _most_company(self) -> Populations:
        """The stochastically largest number of agents alive after each step, over all worlds."""
        worlds = [
            [
                join((self._envelopes[kind][1][step], [0]) for kind in kinds)[0]
                for step in range(self.descendants.horizon)
            ]
            for _, kinds in self.descendants.founders
        ]
        return [_envelope(laws, min) for laws in zip(*worlds, strict=True)]

    @cached_property
    def _inverses(self) -> Sequence[Sequence[float]]:
        """``1 / (n + m)`` by the numbers m of others and n of own descendants; 0 for nobody."""
        most = range(max(map(len, self._most_company)) + 1)
        return [[1 / (n + m) if n + m else 0.0 for n in most] for m in most]

    @cached_property
    def _most_alive(self) -> Sequence[float]:
        """A bound on the expected number of agents alive after 0, 1, … steps."""
        most = [sum(n * chance for n, chance in enumerate(law)) for law in self._most_company]
        return [float(max(len(kinds) for _, kinds in self.descendants.founders)), *most]

    @cached_property
    def _company(self) -> Mapping[tuple[Situation, int], tuple[Populations, Populations]]:
        """The smallest and the largest law of the number of others after each step, by situation and own kind."""
        found: dict[tuple[Situation, int], tuple[Populations, Populations]] = {}

        def add(key: tuple[Situation, int], ends: tuple[Populations, Populations]) -> None:
            if key in found:
                low, high = found[key]
                ends = (
                    [_envelope(pair, max) for pair in zip(low, ends[0], strict=True)],
                    [_envelope(pair, min) for pair in zip(high, ends[1], strict=True)],
                )
            found[key] = ends

        beginning = self.levels[0][0]
        for _, kinds in self.descendants.founders:
            for i, kind in enumerate(kinds):
                add((beginning, kind), self._others((*kinds[:i], *kinds[i + 1 :]), self.descendants.horizon))
        for level in self.levels[:-1]:
            for situation in level:
                for action, after in enumerate(self._afters(situation)):
                    for kind in situation:
                        for key, ends in self._siblings(kind, action, after, found[situation, kind]):
                            add(key, ends)
        return found

    def _others(self, kinds: tuple[int, ...], steps: int) -> tuple[Populations, Populations]:
        """Return the smallest and the largest law of the descendants of several agents; each is computed once."""
        if (kinds, steps) not in self._joined:
            low, high = (
                [join((self._envelopes[kind][end][step], [0]) for kind in kinds)[0] for step in range(steps)]
                for end in (0, 1)
            )
            self._joined[kinds, steps] = low, high
        return self._joined[kinds, steps]

    def _siblings(
        self, kind: int, action: int, after: Mapping[Hashable, Situation], company: tuple[Populations, Populations]
    ) -> list[tuple[tuple[Situation, int], tuple[Populations, Populations]]]:
        """Return the company of each child of an agent: its siblings, by chance, and the company of its parent."""
        steps = range(self.descendants.steps_left[kind] - 1)
        totals: dict[tuple[Situation, int], tuple[list[float], Populations, Populations]] = {}
        for chance, children in self.descendants.float_ways[kind][action]:
            for i, child in enumerate(children):
                others = tuple(sibling.kind for j, sibling in enumerate(children) if j != i)
                key = after[child.observation], child.kind
                total, *ends = totals.setdefault(key, ([0.0], [[] for _ in steps], [[] for _ in steps]))
                total[0] += chance
                for mixed, laws in zip(ends, self._others(others, len(steps)), strict=True):
                    for step in steps:
                        accumulate(mixed[step], laws[step], chance)
        found = []
        for key, (total, *ends) in totals.items():
            low, high = (
                # Of two lists, `multiply` skips the zeros of the first, and company has more of them.
                [multiply(before[step + 1], [chance / total[0] for chance in laws[step]]) for step in steps]
                for laws, before in zip(ends, company, strict=True)
            )
            found.append((key, (low, high)))
        return found

    def _undominated(self, situation: Situation, options: list[Option], depth: int) -> tuple[list[Option], float]:
        """Return the options that no other dominates, and what a nearly dominated one can have been better by."""
        judge, slack = _Judge(self, situation, depth, options), 0.0
        while True:
            kept = judge.undominated(self._count, slack, self.keep)
            if self.keep is None or len(kept) <= self.keep:
                return [options[i] for i in sorted(kept)], slack
            slack = 4 * slack or self._scale / 2**14


@dataclass
class _Judge:
    """Compares plans for what follows a history of `depth` steps in one situation."""

    planner: UndominatedPlanner
    situation: Situation
    depth: int
    options: Sequence[Option]

    def __post_init__(self) -> None:
        planner = self.planner
        self.kinds = sorted(self.situation)
        self.company = {kind: planner._company[self.situation, kind] for kind in self.kinds}
        self.cumulated = {
            kind: [
                (_cumulated(low, len(high)), _cumulated(high, len(high)))
                for low, high in zip(*self.company[kind], strict=True)
            ]
            for kind in self.kinds
        }
        self.caring, self.discount = float(planner.caring), float(planner.discount)
        self.profiles = [self.profile(option) for option in self.options]

    def undominated(
        self, count: Callable[[int], None], slack: float = 0.0, keep: int | None = None, first: int | None = None
    ) -> list[int]:
        """Return the places of the options that no other dominates, the most promising first.

        Args:
            count: called with the number of pairs before they are compared.
            slack: how much better than its dominator an option may be.
            keep: stop when more options than this are kept.
            first: how many of the options to look at; by default all.
        """
        margin, kept = MARGIN * self.planner._scale, list[int]()
        corners = [corners for _, corners in self.profiles]
        for i in sorted(range(len(self.options[:first])), key=lambda i: -corners[i][0]):
            count(len(kept))
            least = [corner - slack - margin for corner in corners[i]]
            rivals = (j for j in kept if not any(map(lt, corners[j][1:], least[1:])))
            if not any(self._dominates(j, i, slack, margin) for j in rivals):
                kept.append(i)
            if keep is not None and len(kept) > keep:
                break
        return kept

    def profile(self, option: Option) -> tuple[dict[int, Profile], list[float]]:
        """Return the worth of an option by kind, step and company, and in the extreme companies."""
        profiles: dict[int, Profile] = {}
        corners: list[float] = []
        for kind in self.kinds:
            profile: Profile = []
            ends = [0.0] * 4
            for step, (numbers, pay) in enumerate(option.laws[kind]):
                factor = self.discount**step
                total = self.caring * sum(pay)
                rest = 1 - self.caring
                inverses = self.planner._inverses[: len(self.company[kind][1][step])]
                own = [factor * (total + rest * sum(map(mul, pay, inverse))) for inverse in inverses]
                of_others = [factor * rest * m * sum(map(mul, numbers, inverse)) for m, inverse in enumerate(inverses)]
                least, most = (
                    [mine + theirs * reward for mine, theirs in zip(own, of_others, strict=True)]
                    for reward in self.planner._rewards[self.depth + step]
                )
                profile.append((least, most))
                laws = (self.company[kind][end][step] for end in (0, 1))
                for place, (law, row) in enumerate(product(laws, (least, most))):
                    ends[place] += sum(map(mul, law, row))
            profiles[kind] = profile
            corners += ends
        return profiles, [sum(corners), *corners]

    def _dominates(self, better: int, worse: int, slack: float, margin: float) -> bool:
        """Whether one plan is worth at least as much as another, less `slack`, in every company."""
        better_profile, worse_profile = self.profiles[better][0], self.profiles[worse][0]
        lead = min(self._lead(kind, better_profile[kind], worse_profile[kind]) for kind in self.kinds)
        if lead + slack > margin:
            return True
        return lead + slack > -margin and all(
            self._leads_exactly(kind, self.options[better], self.options[worse]) for kind in self.kinds
        )

    def _lead(self, kind: int, better: Profile, worse: Profile) -> float:
        """Return the smallest lead of a plan over another, over all laws of the company between the two extremes."""
        lead = 0.0
        for left, right, (low, high) in zip(better, worse, self.cumulated[kind], strict=True):
            gains = list(map(min, map(sub, left[0], right[0]), map(sub, left[1], right[1])))
            falls = list(map(sub, gains, gains[1:]))
            lead += gains[-1] + sum(map(min, map(mul, falls, low), map(mul, falls, high)))
        return lead

    def _leads_exactly(self, kind: int, option: Option, other: Option) -> bool:
        """Whether one plan is worth at least as much as another in each step and company, in Fractions."""
        descendants, planner = self.planner.descendants, self.planner
        caring = planner.caring
        laws = zip(option.law(descendants, kind), other.law(descendants, kind), strict=True)
        for step, ((more_numbers, more_pay), (numbers, pay)) in enumerate(laws):
            if more_numbers == numbers and more_pay == pay:
                continue
            gained_numbers: list[Any] = list(more_numbers)
            gained_pay: list[Any] = list(more_pay)
            accumulate(gained_numbers, numbers, -1)
            accumulate(gained_pay, pay, -1)
            for m in range(len(self.company[kind][1][step])):
                own = caring * sum(gained_pay) + (1 - caring) * sum(
                    gain / Fraction(n + m) for n, gain in enumerate(gained_pay) if n + m
                )
                others = (
                    (1 - caring) * m * sum(gain / Fraction(n + m) for n, gain in enumerate(gained_numbers) if n + m)
                )
                if any(own + others * Fraction(reward) < 0 for reward in planner._rewards[self.depth + step]):
                    return False
        return True


def _populations(
    ways: Sequence[Any], envelopes: Mapping[int, tuple[Populations, Populations]], end: int, steps: int
) -> Populations:
    """Return the extreme law of the number of descendants after each step, given the action."""
    laws: Populations = [[] for _ in range(steps)]
    for chance, children in ways:
        for step in range(steps):
            law: list[float] = [0.0] * len(children) + [1.0]
            if step:
                law = join((envelopes[child.kind][end][step - 1], [0]) for child in children)[0]
            accumulate(laws[step], law, chance)
    return laws


def _envelope(laws: Sequence[Sequence[float]], choose: Callable[..., float]) -> list[float]:
    """Return the stochastically smallest (`max`) or largest (`min`) law that some laws allow."""
    length = max(map(len, laws))
    sums = [choose(column) for column in zip(*(_cumulated(law, length) for law in laws), strict=True)]
    return [sums[0], *(later - sooner for sooner, later in pairwise(sums))]


def _cumulated(law: Sequence[float], length: int) -> list[float]:
    """Return the probabilities of at most 0, 1, … agents."""
    sums = [min(total, 1.0) for total in running_sums(law[:length])]
    return sums + sums[-1:] * (length - len(sums))
