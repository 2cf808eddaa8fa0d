"""Plans over the joint law of all copies: which rule to follow in each group, from the beginning on.

Up to a last step the groups that can be reached are listed step by step and planned backwards. Without one they must be
finitely many, and policy iteration ends at the optimum. Worths may be several numbers that are added up side by side;
what is maximised is a weighted sum of them, so one list of groups serves all weights.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, TypeAlias, cast

from multislot.errors import SettingError
from multislot.exact.belief import History, ImpossibleHistoryError
from multislot.exact.copies.coins import Chances
from multislot.exact.copies.joint import Affairs, Group, JointLaw, Numbers, Row, Rule, added
from multislot.exact.kernel import Number, checked_history
from multislot.exact.stationary import optimal_values, solve_linear
from multislot.exact.values import ActionValues, summed

Policy: TypeAlias = Callable[[History], Any]
"""From a history, a tuple of (action, observation) pairs, to the action, or to the probability of each action."""


def weighted(weights: Numbers, worth: Numbers) -> Number:
    """Return the weighted sum of several numbers."""
    return summed(weight * one for weight, one in zip(weights, worth, strict=True))


@dataclass(frozen=True)
class JointPlanner:
    """All groups that can be reached, and how to plan in them.

    Args:
        law: how groups follow each other.
        discount: γ.
        horizon: the number of steps from the beginning; None for endlessly many, with γ < 1 and no worth of lives.
    """

    law: JointLaw
    discount: Number
    horizon: int | None

    def plan(self, weights: Numbers) -> "JointPlan":
        """Return the plan that is best from the beginning; ties go to the rule that comes first.

        Args:
            weights: what each of the numbers that are added up counts.
        """
        return self._endless(weights) if self.horizon is None else self._finite(weights, self.horizon)

    @cached_property
    def root(self) -> Group:
        """The group in which everything begins; the empty history is number 0."""
        return self.law.begin(history=0)

    def rows(self, group: Group, step: int) -> Mapping[Rule, Row]:
        """Return what each rule does in a group at a step, counted from 0."""
        return self.law.rows(group, self.discount**step if self.law.scoring.lives else 0)

    @cached_property
    def _levels(self) -> Sequence[Sequence[Group]]:
        """The groups that can be reached after 0, 1, …, T steps."""
        levels = [[self.root]]
        for step in range(self.horizon or 0):
            levels.append(self._next(levels[-1], step))
        return levels

    def _next(self, groups: Sequence[Group], step: int) -> list[Group]:
        share = self.discount**step if self.law.scoring.lives else 0
        self.law.check_room(group for group in groups if not self.law.knows(group, share))
        rows = (row for group in groups for row in self.rows(group, step).values())
        return list(dict.fromkeys(after for row in rows for after in row.after))

    def _finite(self, weights: Numbers, horizon: int) -> "JointPlan":
        discount = 1 if self.law.scoring.lives else self.discount  # lives are discounted already
        worths = {group: self._at_the_end(group) for group in self._levels[horizon]}
        chosen: list[Mapping[Group, Rule]] = []
        values: Mapping[Group, ActionValues] = {}
        for step in reversed(range(horizon)):
            options = {
                group: {rule: _ahead(row, discount, worths) for rule, row in self.rows(group, step).items()}
                for group in self._levels[step]
            }
            values = {group: _valued(weights, worth_of) for group, worth_of in options.items()}
            chosen.insert(0, {group: _rule(found) for group, found in values.items()})
            worths = {group: worth_of[chosen[0][group]] for group, worth_of in options.items()}
        return JointPlan(self, _by_action(values[self.root]), worths[self.root], chosen)

    def _at_the_end(self, group: Group) -> Numbers:
        worth = self.law.scoring.nothing
        for affairs, weight in group:
            worth = added(worth, self.law.at_the_end(affairs), weight)
        return worth

    def _endless(self, weights: Numbers) -> "JointPlan":
        met = [self.root]
        known = set(met)
        for group in met:
            new = [after for after in self._next([group], 0) if after not in known]
            met += new
            known.update(new)
        rows = {group: self.rows(group, 0) for group in met}
        scored = {
            group: {rule: (weighted(weights, row.worth), row.after) for rule, row in some.items()}
            for group, some in rows.items()
        }
        values = optimal_values(scored, self.discount)
        chosen = {group: _rule(found) for group, found in values.items()}
        worth = [self._followed(rows, chosen, index) for index in range(len(weights))]
        return JointPlan(self, _by_action(values[self.root]), tuple(worth), chosen)

    def _followed(self, rows: Mapping[Group, Mapping[Rule, Row]], chosen: Mapping[Group, Rule], index: int) -> Number:
        """Return one of the numbers that are added up if the chosen rules are followed without end."""
        followed = {group: some[chosen[group]] for group, some in rows.items()}
        return solve_linear(
            {
                group: (row.worth[index], {after: self.discount * chance for after, chance in row.after.items()})
                for group, row in followed.items()
            }
        )[self.root]


@dataclass(frozen=True, eq=False)
class JointPlan:
    """A plan that is best from the beginning.

    Attributes:
        planner: the planner that made it.
        action_values: the worth of each first action.
        worth: each of the numbers that are added up, if the plan is followed.
        chosen: the rule for each group, for each step; or once, for all steps.
    """

    planner: JointPlanner
    action_values: ActionValues
    worth: Numbers
    chosen: Sequence[Mapping[Group, Rule]] | Mapping[Group, Rule]

    def policy(self, history: History = ()) -> Hashable:
        """Return the action after a history; the first of all actions after the last step.

        Raises:
            ImpossibleHistoryError: no slot can have this history.
        """
        pairs = checked_history(history)
        planner, group, number = self.planner, self.planner.root, 0
        if planner.horizon is not None and len(pairs) > planner.horizon:
            raise SettingError(f"got a history of {len(pairs)} steps; expected at most horizon={planner.horizon}")
        for step, (action, observation) in enumerate(pairs):
            rule = self._rules(step)[group]
            if action != rule[number]:
                raise SettingError(
                    f"got a history whose step {step + 1} takes {action!r}; expected {rule[number]!r}, as planned: "
                    "a plan made at the beginning says nothing of histories that it avoids"
                )
            leads = planner.rows(group, step)[rule].leads
            if (number, action, observation) not in leads:
                possible = [seen for one, _, seen in leads if one == number]  # type: ignore[misc, has-type]
                raise ImpossibleHistoryError(pairs, step + 1, possible, planner.law.actions)
            group, number = leads[number, action, observation]
        return planner.law.actions[0] if len(pairs) == planner.horizon else self._rules(len(pairs))[group][number]

    def _rules(self, step: int) -> Mapping[Group, Rule]:
        return self.chosen if isinstance(self.chosen, Mapping) else self.chosen[step]


def _ahead(row: Row, discount: Number, worths: Mapping[Group, Numbers]) -> Numbers:
    worth = row.worth
    for after, chance in row.after.items():
        worth = added(worth, worths[after], discount * chance)
    return worth


def _valued(weights: Numbers, worths: Mapping[Rule, Numbers]) -> ActionValues:
    return ActionValues({rule: weighted(weights, worth) for rule, worth in worths.items()})


def _rule(values: ActionValues) -> Rule:
    """Return the first best rule."""
    return values.best  # type: ignore[return-value]  # the choices of a group are rules


def _by_action(values: ActionValues) -> ActionValues:
    """Return the values of the rules for one history as those of its actions."""
    return ActionValues({rule[0]: value for rule, value in values.items()})  # type: ignore[index]


def followed(law: JointLaw, chances: Callable[[Any], Chances], discount: Number, horizon: int) -> tuple[Any, ...]:
    """Return what following a policy is worth, in each of the numbers that are added up; each copy draws for itself.

    Args:
        law: how states of affairs follow each other.
        chances: from a history to the probability of each action, a number or a polynomial in unknown ones.
        discount: γ.
        horizon: the number of steps.

    Raises:
        TooLargeError: more joint outcomes would be worked out than the law allows.
    """
    worth, now = law.scoring.nothing, dict[Affairs, Any](law.begin(history=()))
    for step in range(horizon):
        share, then = discount**step, defaultdict[Affairs, Any](Fraction)
        for affairs, weight in now.items():
            for drawn in product(*(chances(copy.history).items() for copy in affairs.copies)):
                drawn_weight = weight * prod(chance for _, chance in drawn)
                for chance, after, rewards in law.outcomes(affairs, [act for act, _ in drawn], share):
                    worth = added(worth, law.scoring.step(rewards), drawn_weight * (chance * share))
                    then[remember(after)] += drawn_weight * chance
        now = then
    for affairs, weight in now.items():
        worth = added(worth, law.at_the_end(affairs), weight)
    return worth


def remember(affairs: Affairs) -> Affairs:
    """Return the state of affairs with the whole history of each copy."""
    copies = []
    for copy in affairs.copies:
        before, act, observation = cast("tuple[tuple[object, ...], Hashable, Hashable]", copy.history)
        copies.append(copy._replace(history=(*before, (act, observation))))
    return affairs._replace(copies=tuple(copies))
