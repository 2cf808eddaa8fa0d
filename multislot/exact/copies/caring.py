"""Caring for one's copies: the policy that is best from the beginning, whatever its copies are to each other.

Let ``N_t`` be the number of copies alive after step t. Each copy counts its own reward and, times the caring
coefficient α, that of every other. On average over the living a policy (history → action) is worth

    ``J_α = E[Σ_t γ^t w_α(N_t) Σ_i r_i(t)]`` with ``w_α(N) = (1 + α(N − 1)) / N`` and ``w_α(0) = 0``.

α = 0 is the average over the living copies, α = 1 their sum. (Derived here: Orseau 2014 has copies and no caring,
Alizadeh Alamdari et al. 2021 have caring, their equation 6, and no copies.) Copies with the same history act alike. The
policy is chosen once, before anything is observed (ex ante, updateless). So a mixture counts by its prior weights, and
its posterior is not used. In the terms of game theory the copies are one player with imperfect recall, whose
information sets are histories; if each copy knows which one it is, this is a Dec-POMDP.

``J_0`` averages over those alive at each step. Where all copies live at the same time, that is the average of Armstrong
2011. Where one is born after the other, it is not: ``criterion="average-life"`` averages over everyone who ever lived.

At α = 1, and where the number of copies is known once the first action is, what all copies receive is added up history
by history. Otherwise all slots are followed together, see `multislot.exact.copies.joint`.

An average over the living has a known fault: it rises when a copy that is worse off is deleted. As long as no reward is
below 0, the sum over all copies does not reward that, nor does ``criterion="worst"``, which looks at the worst of all
lives, ended ones included.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from typing import Any, Literal, TypeAlias, overload

from multislot.checks import checked_callable, checked_discount, checked_horizon, known_name, number, refusal, whole
from multislot.errors import SettingError, TooLargeError, show_value
from multislot.exact.belief import History, Situations
from multislot.exact.copies.coins import Unknowns, distribution
from multislot.exact.copies.company import Company
from multislot.exact.copies.descendants import MOST_DESCENDANTS, Descendants, copy_weight, worth
from multislot.exact.copies.envelope import Line
from multislot.exact.copies.joint import (
    MOST_JOINT_OUTCOMES,
    Chances,
    CommonPlan,
    JointLaw,
    JointPlanner,
    Numbers,
    Policy,
    Scoring,
    Worlds,
    followed,
)
from multislot.exact.copies.optimizing import Maximum, Polynomial, maximize
from multislot.exact.copies.polynomials import Algebraic
from multislot.exact.copies.populations import MOST_COUNTED_STEPS, PopulationPlanner, check_finite, counted, total_plan
from multislot.exact.copies.undominated import UndominatedPlanner
from multislot.exact.files.affine import is_moving
from multislot.exact.kernel import Kernel, Number, checked_history, exact
from multislot.exact.mixture import Mixture
from multislot.exact.values import ActionValues, refusing_overflow, summed

QUICK_JOINT_OUTCOMES = 5_000
"""The limit of joint outcomes of the first attempt, which is quick over long horizons with few groups."""
MOST_CHANCES = 40
"""The largest number of unknown probabilities that are sought at once."""
PAIRS = 60
"""The largest number of pairs of plans that are compared, for each joint outcome of the limit."""
BRACKET_PAIRS = 5
"""The same where bounds are enough."""
KEPT = (24, 6)
"""The numbers of plans that bounds keep at each history; the second if the first takes too much work."""
MOST_CARING = 1e100
"""The product of a larger coefficient and a reward could overflow."""
COINS = ("none", "private", "shared")

StepWorth: TypeAlias = Callable[[Numbers], Number]
"""From the rewards of the copies alive after a step, by slot, to the value of the step; 0 if no copy is alive."""


@dataclass(frozen=True)
class Lives:
    """A criterion that looks at whole lives: paths from the beginning to an end or to the horizon.

    Args:
        worth: from the discounted rewards of all lives to their worth.
    """

    worth: Callable[[Numbers], Number]


def average_life(lives: Numbers) -> Number:
    """Average of the discounted rewards of everyone who ever lived, however long ago their life ended."""
    return sum(lives, Fraction()) / len(lives)


CRITERIA: dict[str, Lives] = {"worst": Lives(min), "average-life": Lives(average_life)}

Criterion: TypeAlias = str | Lives | StepWorth


@dataclass(frozen=True)
class CopiesPlan:
    """What is best from the beginning.

    Attributes:
        action_values: the worth of each first action, if the best is done after it; in the kernel's order.
        policy: from a history, a tuple of (action, observation) pairs, to the action; with private coins to the
            probability of each action. For a history that the plan avoids it raises a SettingError.
        best_value: the value if it is not the largest action value, where several agents begin and draw.
        coins: as in `plan_for_copies`.
    """

    action_values: ActionValues
    policy: Policy
    best_value: Any = None
    coins: str = "none"

    def __repr__(self) -> str:
        return f"CopiesPlan(value={self.value}, best={self.policy(())!r}, coins={self.coins!r})"

    @property
    def value(self) -> Any:
        """The worth of the best policy: a Fraction (or `Algebraic`) where all numbers are exact, otherwise a float."""
        return max(self.action_values.values()) if self.best_value is None else self.best_value

    @property
    def lower(self) -> Number:
        """A bound below the value: the value itself where it is rational."""
        return self.value.lower if isinstance(self.value, Algebraic) else self.value

    @property
    def upper(self) -> Number:
        """A bound above the value."""
        return self.value.upper if isinstance(self.value, Algebraic) else self.value


@dataclass(frozen=True)
class CopiesBracket:
    """Bounds on the best plan from the beginning.

    Attributes:
        lower: no best policy is worth less; `policy` is worth at least this.
        upper: no policy is worth more.
        policy: from a history to the action.
        action_values: both bounds for each first action.
    """

    lower: Number
    upper: Number
    policy: Policy = field(repr=False)
    action_values: dict[Hashable, tuple[Number, Number]]


@overload
def plan_for_copies(
    kernel: Kernel | Mixture,
    *,
    caring: Number = 1,
    discount: Number,
    horizon: int | None = None,
    criterion: Criterion | None = None,
    coins: Literal["none", "shared"] = "none",
    limit: int | None = None,
) -> CopiesPlan: ...


@overload
def plan_for_copies(
    kernel: Kernel | Mixture,
    *,
    caring: Number = 1,
    discount: Number,
    horizon: int | None = None,
    criterion: Criterion | None = None,
    coins: str,
    limit: int | None = None,
) -> CopiesPlan | CopiesBracket: ...


@refusing_overflow()
def plan_for_copies(
    kernel: Kernel | Mixture,
    *,
    caring: Number = 1,
    discount: Number,
    horizon: int | None = None,
    criterion: Criterion | None = None,
    coins: str = "none",
    limit: int | None = None,
) -> CopiesPlan | CopiesBracket:
    """Find the policy that is best for all copies from the beginning, and its worth.

    Args:
        kernel: the world, or a `Mixture` of worlds, whose prior counts and whose posterior does not.
        caring: α, what the reward of another copy counts; below 0 it is ill will.
        discount: γ in [0, 1]; the first reward counts ``γ^0``.
        horizon: the number of steps; None for endlessly many, with γ < 1 and γ times the growth of the number of copies
            below 1.
        criterion: another objective instead of ``J_α``, with `caring` left at 1: ``"worst"`` (the expected least, over
            all lives, of a life's discounted rewards), ``"average-life"`` (their expected average), any `Lives`, or a
            function from the rewards of the copies alive after a step, by slot, to the value of the step. It is not
            called if no copy is alive; then the value is 0.
        coins: ``"none"``: copies with the same history act alike; ``"private"``: each draws its own action;
            ``"shared"``: one draw for all, which gains nothing over the best plan, see `multislot.exact.copies.coins`.
        limit: the largest number of joint outcomes of all copies, where they must be computed; by default 200,000, and
            5,000 for endlessly many steps. Where plans are compared instead, at most 60 times as many pairs of them.

    Returns:
        A plan; with private coins bounds only, a `CopiesBracket`, where the worth is too large a polynomial.

    Raises:
        TooLargeError: more would be computed than `limit` allows, or too many copies followed together; see
            `bracket_for_copies`.
    """
    known_name("coins", coins, COINS)
    asked = Question(kernel, discount, horizon, criterion, limit)
    alpha = asked.coefficient(caring)
    plan = asked.plan_with_coins(alpha) if coins == "private" else asked.plan(alpha)
    policy = follow_only(plan.policy, asked.horizon)
    return (
        replace(plan, policy=policy) if isinstance(plan, CopiesBracket) else replace(plan, policy=policy, coins=coins)
    )


def follow_only(policy: Policy, horizon: int | None) -> Policy:
    """Return a policy that refuses the histories that it avoids: a plan from the beginning says nothing about them."""
    answer_to = cache(policy)

    def follow(history: History = ()) -> Any:
        pairs = checked_history(history)
        if horizon is not None and len(pairs) > horizon:
            raise SettingError(f"got a history of {len(pairs)} steps; expected at most horizon={horizon}")
        for step, (action, _) in enumerate(pairs):
            answer = answer_to(pairs[:step])
            planned = tuple(answer) if isinstance(answer, Mapping) else (answer,)
            if action not in planned:
                raise SettingError(
                    f"got a history whose step {step + 1} takes {show_value(action)}; expected "
                    f"{' or '.join(map(repr, planned))}, as planned: a plan made at the beginning says nothing "
                    "about histories that it avoids"
                )
        return policy(pairs)

    return follow


@refusing_overflow()
def bracket_for_copies(kernel: Kernel | Mixture, *, caring: Number, discount: Number, horizon: int) -> CopiesBracket:
    """Bound the worth of the best policy for all copies.

    The first bounds assume that the number of copies is, at each step, the worst or the best that is possible after the
    first action. They are equal where that number is known. Otherwise plans are combined as for `plan_for_copies`, but
    few are kept at each history. What that can cost is added to the upper bound.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        caring: α; below 0 it is ill will.
        discount: γ in [0, 1].
        horizon: the number of steps.
    """
    whole("horizon", horizon, remedy="bounds need a last step")
    asked = Question(kernel, discount, horizon)
    bracket = asked.bracket(asked.coefficient(caring))
    return replace(bracket, policy=follow_only(bracket.policy, horizon))


@refusing_overflow()
def worth_for_copies(
    kernel: Kernel | Mixture,
    policy: Policy,
    *,
    caring: Number = 1,
    discount: Number,
    horizon: int,
    criterion: Criterion | None = None,
    limit: int | None = None,
) -> Number:
    """Return the worth of a policy to all copies from the beginning.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        policy: from a history, a tuple of (action, observation) pairs, to the action, or to a mapping from actions to
            probabilities, from which each copy draws for itself.
        caring: as in `plan_for_copies`.
        discount: γ in [0, 1].
        horizon: the number of steps.
        criterion: as in `plan_for_copies`.
        limit: as in `plan_for_copies`.

    Raises:
        TooLargeError: more joint outcomes than `limit` would be computed.
    """
    checked_callable("policy", policy, remedy="the policy of a plan is plan.policy")
    asked = Question(
        kernel, discount, whole("horizon", horizon, remedy="a policy is followed to a last step"), criterion, limit
    )
    worth = asked.followed(
        asked.coefficient(caring), lambda history: distribution(policy, history, asked.worlds.actions)
    )
    return asked.as_number(worth)


def checked_caring(name: str, caring: Number) -> Number:
    """A coefficient α as `exact` returns it."""
    return caring if is_moving(caring) else exact(number(name, caring, -MOST_CARING, MOST_CARING), name)


@dataclass(frozen=True)
class Question:
    """A kernel or mixture with an objective, as in `plan_for_copies`; results for one α serve every other α."""

    kernel: Kernel | Mixture
    discount: Number
    horizon: int | None
    criterion: Criterion | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        checked_horizon(self.horizon)
        if self.limit is not None:
            whole("limit", self.limit)
        discount = exact(checked_discount(self.discount, endless=self.horizon is None), "the discount")
        object.__setattr__(self, "discount", discount)
        if isinstance(self.criterion, str):
            known_name("criterion", self.criterion, CRITERIA)
            object.__setattr__(self, "criterion", CRITERIA[self.criterion])
        if isinstance(self.criterion, Lives) and self.horizon is None:
            raise refusal("horizon", None, "a whole number, at least 1", "lives are compared when they have ended")
        if self.criterion is not None and not isinstance(self.criterion, Lives):
            checked_callable("criterion", self.criterion, "a name, Lives(…) or a function of rewards")

    def coefficient(self, caring: Number) -> Number:
        """Return α, checked."""
        if self.criterion is not None and caring != 1:
            raise refusal("caring", caring, "1 with a criterion of its own", "α belongs to the default objective")
        return checked_caring("caring", caring)

    def weights(self, caring: Number) -> Numbers:
        """Return the weights of the numbers that `law` adds up: 1 for the average, and α for the rest of the sum."""
        return (Fraction(1), caring) if self.criterion is None else (Fraction(1),)

    @property
    def most_outcomes(self) -> int:
        """The limit, or its default."""
        return self.limit or (QUICK_JOINT_OUTCOMES if self.horizon is None else MOST_JOINT_OUTCOMES)

    @cached_property
    def worlds(self) -> Worlds:
        """The worlds, for laws of descendants and bounds on the number of copies."""
        return Worlds(self.kernel)

    @cached_property
    def law(self) -> JointLaw:
        """The joint law of all copies, with the numbers that are added up."""
        # Worlds of its own: a result is exact if all numbers behind it are, and it may need fewer than the bounds do.
        return JointLaw(Worlds(self.kernel), _scoring(self.criterion), self.most_outcomes)

    @cached_property
    def joint(self) -> JointPlanner:
        """The planner over the joint law."""
        return JointPlanner(self.law, self.discount, self.horizon)

    @cached_property
    def quick_joint(self) -> JointPlanner:
        """The same for small worlds only."""
        most = min(self.most_outcomes, QUICK_JOINT_OUTCOMES)
        return replace(self.joint, law=JointLaw(self.law.worlds, self.law.scoring, most))

    @cached_property
    def descendants(self) -> Descendants:
        """The laws of descendants; for a horizon."""
        return Descendants(self.worlds, self.horizon or 0)

    @cached_property
    def company(self) -> Company:
        """The situations of agents with the same history."""
        return Company(self.descendants)

    @cached_property
    def uses_laws(self) -> bool:
        """Whether plans can be made, and policies be followed, with laws of descendants."""
        return self.criterion is None and self.horizon is not None and self.descendants.apply

    @cached_property
    def populations(self) -> PopulationPlanner:
        """The planner over single histories; for a horizon.

        Raises:
            TooLargeError: the horizon is more than `MOST_COUNTED_STEPS`.
        """
        horizon = self.horizon or 0
        if horizon > MOST_COUNTED_STEPS:
            raise TooLargeError(
                f"got horizon={show_value(horizon)}; copies are counted over {MOST_COUNTED_STEPS} steps at most; "
                "give fewer, or horizon=None with a discount below 1"
            )
        return PopulationPlanner(self.worlds, self.discount, horizon)

    @cached_property
    def has_known_numbers(self) -> bool:
        """Whether the number of copies is known at each step, once the first action is."""
        return self.criterion is None and self.horizon is not None and self.populations.is_certain

    def plan(self, caring: Number) -> CopiesPlan:
        """Return the best plan for an α that is checked."""
        if self.horizon is None:
            for kernel in self.law.worlds.kernels:
                check_finite(kernel)
        if self.criterion is None and caring == 1:
            apart = total_plan(self.worlds.mixture, self.discount, self.horizon)
        elif self.has_known_numbers:
            apart = self.populations.plan(partial(copy_weight, caring))
        else:
            together = self._together(caring)
            values = {action: self.as_number(worth) for action, worth in together.action_values.items()}
            return CopiesPlan(ActionValues(values), follow_only(together.policy, self.horizon))
        return CopiesPlan(apart.action_values, apart.policy)

    def _together(self, caring: Number) -> CommonPlan:
        """Return the best plan where the number of copies is uncertain."""
        if self.criterion is None and self.horizon is not None:
            try:  # long horizons with few groups are quick this way
                return self.quick_joint.plan(self.weights(caring))
            except TooLargeError:
                if self.descendants.beginning.apply:  # the laws of all steps may take long to list
                    Company(self.descendants.beginning).check_preparation()
            if self.uses_laws:
                return UndominatedPlanner(self.company, caring, self.discount, PAIRS * self.most_outcomes).plan()
        return self.joint.plan(self.weights(caring))

    def followed(self, caring: Number, chances: Callable[[Any], Chances]) -> Any:
        """Return the worth of a policy: a number, or a polynomial in unknown probabilities."""
        if self.uses_laws and not is_moving(caring):
            return worth(self.descendants.followed(chances), partial(copy_weight, caring), self.discount)
        worths = followed(self.law, chances, self.discount, self.horizon or 0)
        return sum(weight * number for weight, number in zip(self.weights(caring), worths, strict=True))

    def plan_with_coins(self, caring: Number) -> CopiesPlan | CopiesBracket:
        """Return the best plan if each copy draws for itself, for an α that is checked."""
        founders = [len(kernel.start) for kernel in self.worlds.kernels]
        if self.criterion is None and (caring == 1 or (max(founders) == 1 and self.has_known_numbers)):
            plain = self.plan(caring)

            def certain(history: History = ()) -> Chances:
                return {plain.policy(history): Fraction(1)}

            return replace(plain, policy=certain)
        if self.horizon is None:
            raise refusal("horizon", None, "a whole number, at least 1", "private coins need a last step")
        if self.is_too_large_for_coins:
            if self.criterion is not None or max(founders) > 1:
                raise TooLargeError(
                    f"more than {MOST_CHANCES} probabilities would be sought at once; give a shorter horizon"
                )
            return self.bracket(caring, private=True)
        best = {first: self._with_coins(caring, {(): first}) for first in self.worlds.actions}
        top, policy = (
            self._with_coins(caring, {}) if max(founders) > 1 else max(best.values(), key=lambda b: b[0].lower)
        )
        every = [top, *(maximum for maximum, _ in best.values())]
        if all(maximum.value is not None for maximum in every):
            values = ActionValues({first: self.as_number(maximum.value) for first, (maximum, _) in best.items()})
            return CopiesPlan(values, policy, max(self.as_number(maximum.value) for maximum in every))
        both = {first: (self.as_number(top.lower), self.as_number(top.upper)) for first, (top, _) in best.items()}
        upper = max(maximum.upper for maximum in every)
        return CopiesBracket(self.as_number(top.lower), self.as_number(upper), policy, both)

    @cached_property
    def is_too_large_for_coins(self) -> bool:
        """Whether more than `MOST_CHANCES` probabilities would be sought, after all possible histories."""
        number, worlds = 0, self.law.worlds
        mixture = counted(Mixture(worlds.kernels, worlds.prior))
        level = [Situations(mixture, most=10**9).belief()]  # few histories, however many hidden states each has
        for _ in range(self.horizon or 0):
            number += len(level) * (len(worlds.actions) - 1)
            if number > MOST_CHANCES:
                return True
            steps = product(level, worlds.actions)
            level = [after for belief, action in steps for after in belief.after(action).values()]
        return False

    def _with_coins(self, caring: Number, fixed: Mapping[Hashable, Hashable]) -> tuple[Maximum, Policy]:
        """Return the largest worth if some histories have a fixed action, and a policy that has it."""
        unknowns = Unknowns(self.worlds.actions, fixed)
        maximum = maximize(Polynomial.of(self.followed(Fraction(caring), unknowns)))
        solved = unknowns.solved(maximum)
        nothing = {self.worlds.actions[0]: Fraction(1)}

        def policy(history: History = ()) -> Chances:
            return solved.get(checked_history(history), nothing)

        return maximum, policy

    def bracket(self, caring: Number, *, private: bool = False) -> CopiesBracket:
        """Return bounds on the best plan for an α that is checked.

        If each copy draws for itself, only the bounds on the number of copies bound the worth.
        """
        weight = partial(copy_weight, caring)
        low, high = (self.populations.plan(weight, hopeful=hopeful) for hopeful in (False, True))
        lower, upper = dict(low.action_values), dict(high.action_values)
        policy: Policy = low.policy
        too_many = self.populations.most_alive > MOST_DESCENDANTS  # then only their number bounds the worth
        for keep in () if self.has_known_numbers or not self.uses_laws or too_many else KEPT:
            planner = UndominatedPlanner(self.company, caring, self.discount, BRACKET_PAIRS * self.most_outcomes, keep)
            try:
                plan = planner.plan()
            except TooLargeError:
                continue
            if max(plan.action_values.values()) > max(lower.values()):
                policy = plan.policy
            for action, value in plan.action_values.items():
                lower[action] = max(lower[action], self.as_number(value))
                if not private:
                    upper[action] = min(upper[action], self.as_number(value + Fraction(plan.loss)))
            break
        both = {action: (lower[action], upper[action]) for action in self.worlds.actions}
        return CopiesBracket(max(lower.values()), max(upper.values()), policy, both)

    def line(self, caring: Number) -> Line[Policy]:
        """Return the worth of the best plan for an α, as a function of α."""
        if self.has_known_numbers:
            plan = self.populations.plan(partial(copy_weight, caring))
            average, total = self.populations.followed(plan, [partial(copy_weight, 0), partial(copy_weight, 1)])
            return Line(average, total - average, follow_only(plan.policy, self.horizon))
        together = self._together(caring)
        average, rest = together.worth
        return Line(self.as_number(average), self.as_number(rest), follow_only(together.policy, self.horizon))

    def as_number(self, worth: Any) -> Number:
        """Return a worth as a Fraction, or as it is if it is irrational; as a float unless everything was exact."""
        if not self._exactly:
            return summed([float(worth)])
        return worth if isinstance(worth, Algebraic) else exact(worth)  # type: ignore[return-value]  # as a number

    @property
    def _exactly(self) -> bool:
        return (self if self.uses_laws else self.law).worlds.is_exact and isinstance(self.discount, Fraction)


def _scoring(criterion: Criterion | None) -> Scoring:
    if criterion is None:
        return Scoring(_average_and_rest)
    if isinstance(criterion, Lives):
        of_lives = criterion.worth
        return Scoring(lambda rewards: (Fraction(),), lambda lives: (exact(of_lives(lives), "the worth of lives"),))
    of_step: StepWorth = criterion  # type: ignore[assignment]  # names are resolved
    return Scoring(lambda rewards: (exact(of_step(rewards), "the worth of a step") if rewards else Fraction(),))


def _average_and_rest(rewards: Numbers) -> Numbers:
    """Return the average of rewards, and what is missing from it to their sum."""
    total = sum(rewards, Fraction())
    average = total / (len(rewards) or 1)
    return average, total - average
