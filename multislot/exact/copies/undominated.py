"""The best plan for all copies where their number is uncertain: combine plans backwards and remove dominated ones.

A plan for what follows a history gives each agent that has it a law of its descendants, see
`multislot.exact.copies.descendants`. For such an agent all others are *company*: M agents that are paid S. A step is
then worth ``E[(R + S) w(N + M)]``, which is linear in the law and in S. Plan B *dominates* plan A if it is worth at
least as much in every company that the agent may have. A dominated part of a plan can be replaced without a loss; if
several agents have the history, for one agent after the other. So plans are combined backwards from the last step, and
only those that no other dominates.

M lies between two extreme laws, see `multislot.exact.copies.company`; S/M lies between the smallest and the largest
reward.

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
from functools import cached_property, partial
from itertools import product
from math import log, prod
from operator import lt, mul, sub
from typing import Any, TypeAlias

from multislot.errors import TooLargeError
from multislot.exact.copies.company import PLAN, Company, Situation
from multislot.exact.copies.descendants import Descendants, Law, accumulate, copy_weight, law_after, worth
from multislot.exact.copies.joint import CommonPlan, walk
from multislot.exact.kernel import Number
from multislot.exact.values import ActionValues

EARLY = 200_000
"""Less work is done without a forecast. Comparing this many pairs takes about half a second."""
SMALLEST_SAMPLE, LARGEST_SAMPLE = 12, 384
"""The numbers of plans between which the size of a sample lies."""
SAMPLE_WORK = 36_000
"""The work that the samples of one step may take, if they are larger than the smallest."""
GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio are spread evenly, whatever the number of plans after each observation."""
UNSURE = 2
"""After early work, a plan is given up only if the forecast is too large by this factor."""
MARGIN = 1e-9
"""A float difference above this share of the largest possible worth is not rounding."""
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


@dataclass(eq=False)
class UndominatedPlanner:
    """A search for the best plan for one weight of a reward.

    Args:
        company: the situations of the agents.
        caring: α.
        discount: γ.
        limit: the largest number of pairs of plans that may be compared, other work included.
        keep: the largest number of plans that are kept for a history, at a loss; None to lose nothing.

    Attributes:
        compared: the number of pairs compared so far.
    """

    company: Company
    caring: Number
    discount: Number
    limit: int
    keep: int | None = None
    compared: int = field(default=0, init=False)

    @property
    def descendants(self) -> Descendants:
        """The agents, and what may come of them."""
        return self.company.descendants

    def plan(self) -> CommonPlan:
        """Return the best plan.

        Raises:
            TooLargeError: more pairs of plans would be compared than the limit.
        """
        if self.keep is None:
            self.company.check_preparation()
        kept_plans: dict[Situation, list[Option]] = {}
        loss = 0.0
        for depth in reversed(range(self.descendants.horizon)):
            largest = 0.0
            if self.keep is None:
                self._check_forecast(depth, kept_plans)
            for situation in self.company.levels[depth]:
                number = self._number(situation, kept_plans)
                self._count(number * self._cost(situation, depth))
                options = [self._option(situation, kept_plans, place) for place in range(number)]
                if depth:
                    kept_plans[situation], lost = self._undominated(situation, options, depth)
                    largest = max(largest, lost)
                else:
                    kept_plans[situation] = options
            loss += largest * self.company.most_alive[depth] * float(self.discount) ** depth
        return self._best(kept_plans[self.company.levels[0][0]], loss)

    def _check_forecast(self, depth: int, kept_plans: Mapping[Situation, list[Option]]) -> None:
        """Refuse what will need too much work before much of it is done, and before the plans of a level are made."""
        numbers = {situation: self._number(situation, kept_plans) for situation in self.company.levels[depth]}
        costs = {situation: self._cost(situation, depth) for situation in numbers}
        room = self.limit * (1 if self.compared < EARLY else UNSURE) - self.compared
        most = sum(number * (costs[situation] + number / 2) for situation, number in numbers.items())
        if self.compared + most > EARLY and self._forecast(depth, kept_plans, room) > room:
            raise self._refusal()

    def _forecast(self, depth: int, kept_plans: Mapping[Situation, list[Option]], room: float) -> float:
        """Return how much work to expect from a level to the beginning, as far as that is needed to decide.

        The forecast ends where there is no room for the work, and after one level if that level can be afforded: the
        next forecast will know more. At each level some plans are combined from those that remained of the samples one
        step later. The undominated ones in the sample and in a quarter of it say how many to expect in all: their
        number grows as a power of the number of plans.
        """
        work, samples = 0.0, dict(kept_plans)
        expected = {situation: float(len(plans)) for situation, plans in kept_plans.items()}
        for level in range(depth, -1, -1):
            for situation in self.company.levels[level]:
                cost = self._cost(situation, level)
                number = sum(
                    prod((expected[later] for later in after.values()), start=1.0)
                    for after in self.company.afters(situation)
                )
                work += number * cost
                if level and work <= room:
                    samples[situation], expected[situation] = self._sample(situation, level, samples, number)
                    work += number * expected[situation] / 2
            if work > room or (level == depth and self.compared + work <= EARLY):
                break
        return work

    def _sample(
        self, situation: Situation, depth: int, kept_plans: Mapping[Situation, list[Option]], number: float
    ) -> tuple[list[Option], float]:
        """Return the undominated plans in a sample, and how many to expect in a number of plans."""
        cost, combined = self._cost(situation, depth), self._number(situation, kept_plans)
        size = min(LARGEST_SAMPLE, max(SMALLEST_SAMPLE, SAMPLE_WORK // (cost * len(self.company.levels[depth]))))
        places = dict.fromkeys(int(combined * (k * GOLDEN % 1)) for k in range(1, size + 1))
        self._count(len(places) * cost)
        options = [self._option(situation, kept_plans, place) for place in places]
        judge, part = _Judge(self, situation, depth, options), max(1, len(options) // 4)
        kept = judge.undominated(self._count)
        growth = len(kept) / len(judge.undominated(self._count, first=part))
        power = log(growth) / log(len(options) / part) if part < len(options) else 0.0
        expected = len(kept) * (number / len(options)) ** min(max(power, 0.0), 1.0)
        return [options[i] for i in kept], max(1.0, expected)

    def _cost(self, situation: Situation, depth: int) -> int:
        return PLAN if self.keep else self.company.cost(situation, depth)

    def _number(self, situation: Situation, kept_plans: Mapping[Situation, list[Option]]) -> int:
        """Return the number of plans that can be combined."""
        return sum(prod(len(kept_plans[later]) for later in after.values()) for after in self.company.afters(situation))

    def _option(self, situation: Situation, kept_plans: Mapping[Situation, list[Option]], place: int) -> Option:
        """Return the plan in a place of the list of all: an action, and a kept plan after each observation."""
        action, afters = 0, self.company.afters(situation)
        while place >= (number := prod(len(kept_plans[later]) for later in afters[action].values())):
            place, action = place - number, action + 1
        plans = {}
        for seen, later in reversed(afters[action].items()):  # the last observation changes first
            place, which = divmod(place, len(kept_plans[later]))
            plans[seen] = kept_plans[later][which]
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

    def _best(self, options: list[Option], loss: float) -> CommonPlan:
        """Return the best of the plans for the empty history, compared in Fractions where floats nearly tie."""
        descendants, weight = self.descendants, partial(copy_weight, self.caring)
        guesses = [worth(descendants.together(option.laws.__getitem__), weight, self.discount) for option in options]
        best: dict[int, tuple[Number, Law, Option]] = {}
        slack = MARGIN * self._scale
        for action in range(len(descendants.actions)):
            mine = [i for i, option in enumerate(options) if option.action == action]
            top = max(guesses[i] for i in mine)
            for i in mine:
                if guesses[i] >= top - slack:
                    law = descendants.together(lambda kind, option=options[i]: option.law(descendants, kind))  # type: ignore[misc]
                    value = worth(law, weight, self.discount)
                    if action not in best or value > best[action][0]:
                        best[action] = value, law, options[i]
        values = ActionValues({descendants.actions[action]: value for action, (value, _, _) in best.items()})
        _, law, option = best[list(values).index(values.best)]
        average, total = (worth(law, partial(copy_weight, alpha), self.discount) for alpha in (0, 1))

        def after(place: tuple[Option | None, Situation]) -> Mapping[Hashable, tuple[Option | None, Situation]]:
            option, situation = place
            if option is None:  # no step is left
                return {}
            following = self.company.after(situation, option.action)
            return {seen: (option.after.get(seen), later) for seen, later in following.items()}

        start: tuple[Option | None, Situation] = option, self.company.levels[0][0]
        policy = walk(
            start,
            lambda place: descendants.actions[place[0].action if place[0] else 0],
            after,
            descendants.actions,
        )
        return CommonPlan(values, (average, total - average), policy, loss)

    @cached_property
    def _scale(self) -> float:
        """A bound on the worth of a plan."""
        rewards = max(abs(reward) for span in self.company.rewards for reward in span)
        most = max(1.0, abs(float(self.caring)) * max(map(len, self.company.most_company)))
        return max(rewards * self.descendants.horizon * most, 1e-300)

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
        self.company = {kind: planner.company.bounds[self.situation, kind] for kind in self.kinds}
        self.cumulated = {kind: planner.company.cumulated[self.situation, kind] for kind in self.kinds}
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
                inverses = self.planner.company.inverses[: len(self.company[kind][1][step])]
                own = [factor * (total + rest * sum(map(mul, pay, inverse))) for inverse in inverses]
                of_others = [factor * rest * m * sum(map(mul, numbers, inverse)) for m, inverse in enumerate(inverses)]
                least, most = (
                    [mine + theirs * reward for mine, theirs in zip(own, of_others, strict=True)]
                    for reward in self.planner.company.rewards[self.depth + step]
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
                if any(own + others * Fraction(reward) < 0 for reward in planner.company.rewards[self.depth + step]):
                    return False
        return True
