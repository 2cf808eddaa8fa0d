"""The pessimistic agent (Cohen and Hutter 2020).

At every step: take ``M^β``, the most likely models up to a total weight of more than β; plan
``Y = max_π min_{ν∈M^β} V^π_ν``; draw a world-model ν̂ and a mentor-model π̂ from the posteriors and noise Z > 0; defer to
the mentor if ``V^π̂_ν̂ > Y + Z``, or if ``Y = 0`` (zero condition). Otherwise take the plan's first action. Start over at
the next step. β = 0 is the most likely model alone, not the mixture; an agent with β = 0 still defers.

Departures from the paper, which describes the agent in prose. Its plan is *pure* by default. With a plan that mixes the
third result fails: the drawn action may be one that a model in ``M^β`` pays nothing for while Y > 0. In either case a
*guard* comes before acting: if the worst model gives the drawn action value 0 (up to rounding), defer. β means "more
than" (see `multislot.bayes.posterior`). The plan is exact, or the step-wise lower bound. That bound is as safe, but the
second result is not promised for it. Values of T rewards are at most ``1 − γ^T``, so the noise and the tolerances are
multiplied by that: otherwise they would drown the values where γ is near 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple, Protocol

from multislot.bayes.agents import ClassAgent
from multislot.bayes.arrays import Floats
from multislot.bayes.graph import Summaries
from multislot.bayes.maxmin import exact_value, first_action_values, stepwise_plan
from multislot.bayes.memory import PLANS, Memory
from multislot.bayes.mentor import TabularMentor
from multislot.bayes.mentor_posterior import MentorClass, MentorPosterior
from multislot.bayes.planning import largest_value, mentor_value, one_hot, policy_values
from multislot.bayes.posterior import ModelClass, Posterior, checked_beta
from multislot.bayes.record import Decision, Done, digest_of
from multislot.bayes.weights import draw
from multislot.checks import checked_float, checked_instance, refusal
from multislot.engine.stream import Stream

ZERO = 1e-9
DRAWS = 4
SMALLEST_CHANCE = 2.0**-53
Beta = float | Callable[[int], float]


@dataclass(frozen=True, slots=True)
class PessimisticDecision(Decision):
    """What the pessimistic agent decided at one step, and why.

    Attributes:
        step: number of percepts observed before it.
        action: what it takes; None where it defers.
        reason: ``"acts"``, or why it defers: ``"zero condition"``, ``"mentor is worth more"`` or ``"guard"``.
        value: the pessimistic value Y.
        beta: β at this step.
        top_set: ``M^β``, indices in falling posterior order.
        mentor_value: ``V^π̂_ν̂``.
        noise: Z.
        model: index of ν̂.
        mentor: index of π̂.
        drawn_action: the first action of the plan, drawn if the plan mixes.
        drawn_value: what the worst model in ``M^β`` gives that action, the plan followed afterwards.
    """

    beta: float
    top_set: tuple[int, ...]
    mentor_value: float
    noise: float
    model: int
    mentor: int
    drawn_action: int
    drawn_value: float


@dataclass(frozen=True, eq=False, slots=True)
class FirstStep:
    """A plan's first step.

    Attributes:
        value: Y.
        probabilities: [A], of the first action.
        action_values: [A], what the worst model gives each first action.
    """

    value: float
    probabilities: Floats
    action_values: Floats


class FirstSteps(NamedTuple):
    """The first steps of step-wise plans from each of S situations: the first best action for sure.

    Attributes:
        values: [S].
        probabilities: [S, A].
        action_values: [S, A].
    """

    values: Floats
    probabilities: Floats
    action_values: Floats

    @classmethod
    def of(cls, worst: Floats, discount: float, horizon: int) -> "FirstSteps":
        """Return the first steps, given what the worst model gives each first action, [S, A]."""
        return cls(worst.max(axis=1), one_hot(worst / largest_value(discount, horizon)), worst)

    def at(self, situation: int) -> FirstStep:
        """Return the first step from one of them."""
        return FirstStep(float(self.values[situation]), self.probabilities[situation], self.action_values[situation])


class MaxminPlanner(Protocol):
    """Gives the first step of a max-min plan for a top set, from where the models are."""

    def plan(self, top: tuple[int, ...], summaries: Summaries) -> FirstStep:
        """Return the first step; the same question always has the same answer."""


class ExactMaxmin:
    """Plans by the exact program; the latest `PLANS` answers are kept.

    Args:
        models: the class.
        discount: γ.
        horizon: number of rewards.
        pure: whether the plan must not mix.
    """

    def __init__(self, models: ModelClass, discount: float, horizon: int, pure: bool) -> None:
        self.models, self.discount, self.horizon, self.pure = models, discount, horizon, pure
        self._plans: Memory[FirstStep] = Memory(PLANS)

    def plan(self, top: tuple[int, ...], summaries: Summaries) -> FirstStep:
        """Return the first step of the exact plan.

        Raises:
            TooLargeError: if the program would be too large.
        """
        indices = tuple(sorted(top))
        left = tuple(summaries[k] for k in indices)
        return self._plans.once((indices, left), lambda: self._planned(indices, left))

    def _planned(self, indices: tuple[int, ...], summaries: Summaries) -> FirstStep:
        found = exact_value(self.models, indices, summaries, self.discount, self.horizon, self.pure)
        return FirstStep(found.lower, found.first, found.action_values)

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExactMaxmin":
        return self


class StepwiseMaxmin:
    """Plans by the step-wise lower bound; a plan serves all states, and those of the latest `PLANS` top sets are kept.

    Args:
        models: the class; tabular models of one size.
        discount: γ.
        horizon: number of rewards.
    """

    def __init__(self, models: ModelClass, discount: float, horizon: int) -> None:
        if models.stack is None:
            raise refusal("exact", False, "True, unless all models are tabular and of one size")
        self.stack, self.discount, self.horizon = models.stack, discount, horizon
        self._plans: Memory[FirstSteps] = Memory(PLANS)

    def plan(self, top: tuple[int, ...], summaries: Summaries) -> FirstStep:
        """Return the first step of the step-wise plan."""
        indices = tuple(sorted(top))
        states: list[Any] = [summaries[k] for k in indices]
        if any(state != states[0] for state in states):
            plan = stepwise_plan(self.stack, indices, self.discount, self.horizon)
            worst = first_action_values(self.stack, plan, indices, states, self.discount)
            return FirstSteps.of(worst[None, :], self.discount, self.horizon).at(0)
        return self._plans.once(indices, lambda: self._planned(indices)).at(int(states[0]))

    def _planned(self, indices: tuple[int, ...]) -> "FirstSteps":
        plan = stepwise_plan(self.stack, indices, self.discount, self.horizon)
        return FirstSteps.of(plan.action_values, self.discount, self.horizon)

    def __deepcopy__(self, memo: dict[int, Any]) -> "StepwiseMaxmin":
        return self


class MentorValues:
    """The values ``V^π_ν`` of following a mentor-model in a world-model, kept for each two that are tabular.

    Args:
        models: world-models.
        mentors: mentor-models.
        discount: γ.
        horizon: number of rewards.
    """

    def __init__(self, models: ModelClass, mentors: MentorClass, discount: float, horizon: int) -> None:
        self.models, self.mentors, self.discount, self.horizon = models, mentors, discount, horizon
        self._known: dict[tuple[int, int], Floats] = {}

    def value(self, model: int, summary: Any, mentor: int, mentor_summary: Any) -> float:
        """Return the value from where both are."""
        policy, stack = self.mentors.mentors[mentor], self.models.stack
        if stack is None or not isinstance(policy, TabularMentor) or summary != mentor_summary:
            known = self.models.models[model]
            return mentor_value(known, summary, policy, mentor_summary, self.discount, self.horizon)
        key = (model, mentor)
        if key not in self._known:
            self._known[key] = policy_values(stack.models[model], policy.policy, self.discount, self.horizon)
        return float(self._known[key][summary])

    def __deepcopy__(self, memo: dict[int, Any]) -> "MentorValues":
        return self


def planner_of(models: ModelClass, discount: float, horizon: int, exact: bool, pure: bool) -> MaxminPlanner:
    """Return the planner of these settings, which all agents on the class share with its plans."""
    key = (MaxminPlanner, discount, horizon, exact, exact and pure)
    if exact:
        return models.remembered(key, lambda: ExactMaxmin(models, discount, horizon, pure))
    return models.remembered(key, lambda: StepwiseMaxmin(models, discount, horizon))


class PessimisticAgent(ClassAgent):
    """Acts by the worst of the likely models, or defers to its mentor.

    Args:
        models: the class of world-models.
        mentors: the class of mentor-models.
        beta: β in [0, 1), or a function from step to β; 0 is the most likely model alone.
        discount: γ in [0, 1).
        horizon: the number of rewards that every value looks ahead; it recedes, see `ClassAgent`.
        exact: plan by the exact program; otherwise by the step-wise lower bound (tabular models, any horizon).
        pure: plan with pure policies only. Without it the exact plan may mix.
        guard: defer where the worst model gives the drawn action value 0. Without it a plan that mixes is not safe.
        noise: mean of Z, which is exponential, as a share of the largest possible value ``1 − γ^T``.
        stream: what it draws from: four numbers a step, for ν̂, π̂, Z and the action.
        n_inner: number of observations, to read the engine's indices; that of the tabular models by default.
    """

    def __init__(
        self,
        models: ModelClass,
        mentors: MentorClass,
        beta: Beta,
        discount: float,
        horizon: int,
        *,
        exact: bool = True,
        pure: bool = True,
        guard: bool = True,
        noise: float = 0.01,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        self.mentors = checked_instance("mentors", mentors, MentorClass)
        super().__init__(models, discount, horizon, stream, n_inner)
        if mentors.n_actions != models.n_actions:
            raise refusal("mentors.n_actions", mentors.n_actions, f"{models.n_actions}, as many as the models have")
        _check_starts(models, mentors)
        self.beta, self.noise = beta if callable(beta) else checked_beta(beta), checked_float("noise", noise, above=0)
        self.exact, self.pure, self.guard = bool(exact), bool(pure), bool(guard)
        self.largest_value = largest_value(self.discount, self.horizon)
        self.planner: MaxminPlanner = planner_of(models, self.discount, self.horizon, self.exact, self.pure)
        self.mentor_values: MentorValues = models.remembered(
            (MentorValues, mentors, self.discount, self.horizon),
            lambda: MentorValues(models, mentors, self.discount, self.horizon),
        )

    def settings(self) -> dict[str, Any]:
        """Return the settings that must match on resume; a schedule of β only by its name."""
        return {
            **super().settings(),
            "mentors": digest_of(self.mentors.mentors),
            "mentors' prior": self.mentors.prior.tolist(),
            "beta": getattr(self.beta, "__name__", "schedule") if callable(self.beta) else self.beta,
            "exact": self.exact,
            "pure": self.pure,
            "guard": self.guard,
            "noise": self.noise,
        }

    def _decided(self) -> PessimisticDecision:
        chances = [self.stream.at(DRAWS * len(self.done) + index) for index in range(DRAWS)]
        beta = checked_beta(self.beta(len(self.done))) if callable(self.beta) else self.beta
        top = self.posterior.top_set(beta)
        first = self.planner.plan(top, tuple(self.posterior.summaries))
        drawn_action = draw(first.probabilities, chances[3])
        model = draw(self.posterior.weights, chances[0])
        mentor = draw(self.mentor_posterior.weights, chances[1])
        worth = self.mentor_values.value(
            model, self.posterior.summaries[model], mentor, self.mentor_posterior.summaries[mentor]
        )
        noise = -self.noise * log(1 - max(chances[2], SMALLEST_CHANCE))
        drawn_value = float(first.action_values[drawn_action])
        reason = self._reason(first.value, worth, noise, drawn_value)
        action = drawn_action if reason == "acts" else None
        return PessimisticDecision(
            step=len(self.done),
            action=action,
            reason=reason,
            value=first.value,
            beta=beta,
            top_set=top,
            mentor_value=worth,
            noise=noise,
            model=model,
            mentor=mentor,
            drawn_action=drawn_action,
            drawn_value=drawn_value,
        )

    def _reason(self, value: float, worth: float, noise: float, drawn_value: float) -> str:
        """Return why the agent defers, or ``"acts"``."""
        if value <= ZERO * self.largest_value:
            return "zero condition"
        if worth > value + noise * self.largest_value:
            return "mentor is worth more"
        return "guard" if self.guard and drawn_value <= ZERO * self.largest_value else "acts"

    def _start(self, stream: Stream) -> None:
        super()._start(stream)
        self.mentor_posterior: MentorPosterior = self.mentors.posterior()

    def _learned(self, done: Done, posterior: Posterior) -> None:
        action, (observation, reward), by_mentor, *_ = done
        if action is None or observation is None:
            self.mentor_posterior.observe_last(action, by_mentor)
        else:
            self.mentor_posterior.observe(action, (observation, reward), by_mentor)

    def _begin(self, first: int | None = None) -> None:
        mentor_posterior = self.mentor_posterior.copy()
        mentor_posterior.begin(first)
        super()._begin(first)
        self.mentor_posterior = mentor_posterior


def _check_starts(models: ModelClass, mentors: MentorClass) -> None:
    """Raise SettingError if a tabular mentor is of another size than the models, or begins in another state."""
    if models.stack is None:
        return
    starts = {model.start for model in models.stack.models}
    for index, mentor in enumerate(mentors.mentors):
        if not isinstance(mentor, TabularMentor):
            continue
        if mentor.n_states != models.stack.n_states:
            raise refusal(f"mentors[{index}].n_states", mentor.n_states, f"{models.stack.n_states}, as the models have")
        if mentor.start not in starts:
            raise refusal(f"mentors[{index}].start", mentor.start, f"one of {sorted(starts)}, where the models start")
