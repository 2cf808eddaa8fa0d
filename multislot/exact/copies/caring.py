"""Caring for one's copies: the policy that is best from the beginning, whatever its copies are to each other.

Let ``N_t`` be the number of copies alive after step t. Each copy counts its own reward and, times the caring
coefficient α, that of every other. On average over the living a policy (history → action) is worth

    ``J_α = E[Σ_t γ^t w_α(N_t) Σ_i r_i(t)]`` with ``w_α(N) = (1 + α(N − 1)) / N`` and ``w_α(0) = 0``.

α = 0 is the average over the living copies, α = 1 their sum. (Derived here: Orseau 2014 has copies and no caring,
Alizadeh Alamdari et al. 2021 have caring, their equation 6, and no copies.) Copies with the same history act alike. The
policy is chosen once, so no credence about where one is enters: a mixture counts by its prior weights, and its
posterior is not used.

``J_0`` averages over those alive at each step. Where all copies live at the same time, that is the average of Armstrong
2011. Where one is born after the other, it is not: ``criterion="average-life"`` averages over everyone who ever lived.

At α = 1, and where the number of copies is known once the first action is, what all copies receive is added up history
by history. Otherwise all slots are followed together, see `multislot.exact.copies.joint`.

An average over the living has a known fault: it rises when a copy that is worse off is deleted. The sum over all copies
does not reward that as long as rewards are above 0, nor does ``criterion="worst"``, which looks at the worst of all
lives, ended ones included.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from multislot.checks import checked_callable, checked_discount, checked_horizon, number, refusal, whole
from multislot.errors import UnknownNameError
from multislot.exact.copies.joint import MOST_JOINT_OUTCOMES, JointLaw, Numbers, Scoring
from multislot.exact.copies.joint_planning import JointPlanner, Policy, followed, weighted
from multislot.exact.copies.populations import PopulationPlanner, Weight, total_plan
from multislot.exact.files.affine import is_moving
from multislot.exact.kernel import Kernel, Number, exact
from multislot.exact.mixture import Mixture
from multislot.exact.values import ActionValues

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


def copy_weight(caring: Number, copies: int) -> Number:
    """Return ``w_α(N) = (1 + α(N − 1)) / N``, what a reward of each of N copies counts; 0 for N = 0."""
    return (1 + caring * (copies - 1)) / Fraction(copies) if copies else Fraction()


@dataclass(frozen=True)
class CopiesPlan:
    """What is best from the beginning.

    Attributes:
        action_values: the worth of each first action, if the best is done after it; in the kernel's order.
        policy: from a history, a tuple of (action, observation) pairs, to the action.
    """

    action_values: ActionValues
    policy: Policy = field(repr=False)

    @property
    def value(self) -> Number:
        """The worth of the best policy: a Fraction where all numbers are ints or Fractions, otherwise a float."""
        return max(self.action_values.values())


@dataclass(frozen=True)
class Line:
    """What a policy is worth as a function of α: ``base + α · slope``.

    Attributes:
        base: the worth at α = 0.
        slope: what one unit of α adds.
        policy: from a history to the action.
    """

    base: Number
    slope: Number
    policy: Policy = field(repr=False)

    def at(self, caring: Number) -> Number:
        """Return the worth for an α."""
        return self.base + caring * self.slope


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


def plan_for_copies(
    kernel: Kernel | Mixture,
    *,
    caring: Number = 1,
    discount: Number,
    horizon: int | None = None,
    criterion: Criterion | None = None,
    limit: int = MOST_JOINT_OUTCOMES,
) -> CopiesPlan:
    """Return the policy that is best for all copies from the beginning, and its worth.

    Args:
        kernel: the world, or a `Mixture` of worlds, whose prior counts and whose posterior does not.
        caring: α ≥ 0, what the reward of another copy counts.
        discount: γ in [0, 1]; the first reward counts ``γ^0``.
        horizon: the number of steps; None for endlessly many, with γ < 1 and γ times the growth of the number of copies
            below 1.
        criterion: another objective instead of ``J_α``, with `caring` left at 1: ``"worst"`` (the expected least, over
            all lives, of a life's discounted rewards), ``"average-life"`` (their expected average), any `Lives`, or a
            function from the rewards of the copies alive after a step, by slot, to the value of the step. It is not
            called if no copy is alive; then the value is 0.
        limit: how many joint outcomes of all copies may be worked out, where they must be.

    Raises:
        SettingError: an argument is out of its domain, two slots are copied into one, or an endless sum is not finite.
        TooLargeError: more joint outcomes than `limit` would be worked out, or too many copies followed together; see
            `bracket_for_copies`.
        UnknownNameError: there is no criterion of this name.
    """
    asked = Question(kernel, discount, horizon, criterion, limit)
    return asked.plan(asked.coefficient(caring))


def bracket_for_copies(kernel: Kernel | Mixture, *, caring: Number, discount: Number, horizon: int) -> CopiesBracket:
    """Return bounds on the worth of the best policy for all copies, at the speed of `action_values`.

    They stand for the number of copies being, at each step, the worst or the best that any actions after the first can
    bring about. They meet where that number is known.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        caring: α ≥ 0.
        discount: γ in [0, 1].
        horizon: the number of steps.

    Raises:
        SettingError: an argument is out of its domain.
    """
    whole("horizon", horizon, remedy="bounds need a last step")
    asked = Question(kernel, discount, horizon)
    weight = _weight(asked.coefficient(caring))
    low, high = (asked.populations.plan(weight, hopeful=hopeful) for hopeful in (False, True))
    both = {action: (low.action_values[action], high.action_values[action]) for action in asked.mixture.actions}
    return CopiesBracket(max(low.action_values.values()), max(high.action_values.values()), low.policy, both)


def worth_for_copies(
    kernel: Kernel | Mixture,
    policy: Policy,
    *,
    caring: Number = 1,
    discount: Number,
    horizon: int,
    criterion: Criterion | None = None,
    limit: int = MOST_JOINT_OUTCOMES,
) -> Number:
    """Return what a policy is worth to all copies from the beginning.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        policy: from a history, a tuple of (action, observation) pairs, to the action.
        caring: as in `plan_for_copies`.
        discount: γ in [0, 1].
        horizon: the number of steps.
        criterion: as in `plan_for_copies`.
        limit: as in `plan_for_copies`.

    Raises:
        SettingError: an argument is out of its domain, or two slots are copied into one.
        TooLargeError: more joint outcomes than `limit` would be worked out.
        UnknownNameError: there is no criterion of this name.
    """
    checked_callable("policy", policy)
    asked = Question(
        kernel, discount, whole("horizon", horizon, remedy="a policy is followed to a last step"), criterion, limit
    )
    weights = asked.weights(asked.coefficient(caring))
    return asked.as_number(weighted(weights, followed(asked.law, policy, asked.discount, horizon)))


@dataclass(frozen=True)
class Question:
    """A kernel or mixture with an objective; results for one α serve every other α.

    Args:
        kernel: as in `plan_for_copies`.
        discount: as in `plan_for_copies`.
        horizon: as in `plan_for_copies`.
        criterion: as in `plan_for_copies`.
        limit: as in `plan_for_copies`.

    Raises:
        SettingError: an argument is out of its domain.
        UnknownNameError: there is no criterion of this name.
    """

    kernel: Kernel | Mixture
    discount: Number
    horizon: int | None
    criterion: Criterion | None = None
    limit: int = MOST_JOINT_OUTCOMES

    def __post_init__(self) -> None:
        checked_horizon(self.horizon)
        discount = exact(checked_discount(self.discount, endless=self.horizon is None), "the discount")
        object.__setattr__(self, "discount", discount)
        if isinstance(self.criterion, str):
            if self.criterion not in CRITERIA:
                raise UnknownNameError("criterion", self.criterion, CRITERIA)
            object.__setattr__(self, "criterion", CRITERIA[self.criterion])
        if isinstance(self.criterion, Lives) and self.horizon is None:
            raise refusal("horizon", None, "a whole number, at least 1", "lives are compared when they have ended")
        if self.criterion is not None and not isinstance(self.criterion, Lives):
            checked_callable("criterion", self.criterion, "a name, Lives(…) or a function of rewards")

    def coefficient(self, caring: Number) -> Number:
        """Return α, checked."""
        if self.criterion is not None and caring != 1:
            raise refusal("caring", caring, "1 with a criterion of its own", "α belongs to the default objective")
        return caring if is_moving(caring) else exact(number("caring", caring, 0), "caring")

    def weights(self, caring: Number) -> Numbers:
        """Return what each of the numbers that `law` adds up counts: the average and, times α, the rest of the sum."""
        return (Fraction(1), caring) if self.criterion is None else (Fraction(1),)

    @cached_property
    def mixture(self) -> Mixture:
        """The worlds."""
        return self.kernel if isinstance(self.kernel, Mixture) else Mixture((self.kernel,))

    @cached_property
    def law(self) -> JointLaw:
        """The joint law of all copies, with the numbers that are added up."""
        return JointLaw(self.mixture, _scoring(self.criterion), self.limit)

    @cached_property
    def joint(self) -> JointPlanner:
        """The planner over the joint law."""
        return JointPlanner(self.law, self.discount, self.horizon)

    @cached_property
    def populations(self) -> PopulationPlanner:
        """The planner over single histories; for a horizon."""
        return PopulationPlanner(self.mixture, self.discount, self.horizon or 0)

    @cached_property
    def has_known_numbers(self) -> bool:
        """Whether the number of copies is known at each step, once the first action is."""
        return self.criterion is None and self.horizon is not None and self.populations.is_certain

    def plan(self, caring: Number) -> CopiesPlan:
        """Return the best plan for an α that is checked."""
        if self.criterion is None and caring == 1:
            apart = total_plan(self.mixture, self.discount, self.horizon)
        elif self.has_known_numbers:
            apart = self.populations.plan(_weight(caring))
        else:
            together = self.joint.plan(self.weights(caring))
            values = {action: self.as_number(worth) for action, worth in together.action_values.items()}
            return CopiesPlan(ActionValues(values), together.policy)
        return CopiesPlan(apart.action_values, apart.policy)

    def line(self, caring: Number) -> Line:
        """Return what the best plan for an α is worth for every other α."""
        if self.has_known_numbers:
            plan = self.populations.plan(_weight(caring))
            average, total = self.populations.followed(plan, [_weight(Fraction(0)), _weight(Fraction(1))])
            return Line(average, total - average, plan.policy)
        together = self.joint.plan(self.weights(caring))
        average, rest = together.worth
        return Line(self.as_number(average), self.as_number(rest), together.policy)

    def as_number(self, worth: Number) -> Number:
        """Return a worth as a Fraction if everything was exact, otherwise as a float."""
        is_exact = self.law.is_exact and isinstance(self.discount, Fraction)
        return exact(worth) if is_exact else float(worth)


def _weight(caring: Number) -> Weight:
    return lambda copies: copy_weight(caring, copies)


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
