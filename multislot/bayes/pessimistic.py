"""The pessimistic agent (Cohen and Hutter 2020).

At every step: take ``M^β``, the most likely models up to a total weight of more than β; plan
``Y = max_π min_{ν∈M^β} V^π_ν``; draw a world-model ν̂ and a mentor-model π̂ from the posteriors and noise Z > 0; defer to
the mentor if ``V^π̂_ν̂ > Y + Z``, or if ``Y = 0`` (zero condition). Otherwise take the plan's first action. Start over at
the next step. β = 0 is the most likely model alone, not the mixture; an agent with β = 0 still defers.

Departures from the paper, which describes the agent in prose. Its plan is *pure* by default. With a plan that mixes the
third result fails: the drawn action may be one that a model in ``M^β`` pays nothing for while Y > 0. In either case a
*guard* comes before acting: if the worst model gives the drawn action value 0 (up to rounding), defer. β means "more
than" (see `multislot.bayes.top_set`). The plan is exact, or the step-wise lower bound. That bound is as safe, but the
second result is not promised for it. Values of T rewards are at most ``1 − γ^T``, so the noise and the tolerances are
multiplied by that: otherwise they would be larger than the values if γ is near 1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

from multislot.bayes.agents import ClassAgent, Decision
from multislot.bayes.maxmin import FirstStep, StepwisePlan, exact_value, first_step, stepwise_plan
from multislot.bayes.memory import PLANS, Memory
from multislot.bayes.mentor import TabularMentor
from multislot.bayes.models import draw
from multislot.bayes.planning import largest_value, mentor_value, policy_values
from multislot.bayes.posterior import MentorClass, MentorPosterior, ModelClass
from multislot.bayes.tabular import TabularModel
from multislot.bayes.top_sets import checked_beta
from multislot.checks import checked_float, checked_index, checked_instance, refusal
from multislot.engine.stream import Stream
from multislot.mdp.chains import Floats

ZERO = 1e-9
DRAWS = 4
SMALLEST_CHANCE = 2.0**-53
Beta = float | Callable[[int], float]


@dataclass(frozen=True, slots=True)
class PessimisticDecision(Decision):
    """What the pessimistic agent decided at one step, and why; see also `Decision`.

    Attributes:
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


class PessimisticAgent(ClassAgent):
    """Acts by the worst of the likely models, or defers to its mentor.

    Args:
        models, discount, horizon, n_inner: as in `ClassAgent`.
        mentors: the class of mentor-models.
        beta: β in [0, 1), or a function from step to β; 0 is the most likely model alone.
        exact: plan by the exact program; otherwise by the step-wise lower bound (tabular models, any horizon).
        pure: plan with pure policies only. Without it the exact plan may mix.
        guard: defer if the worst model gives the drawn action value 0. Without it a plan that mixes is not safe.
        noise: mean of Z, which is exponential, as a share of the largest possible value ``1 − γ^T``.
        stream: what it draws from: four numbers a step, for ν̂, π̂, Z and the action.
    """

    believes = ("posterior", "mentor_posterior")
    compared = (*ClassAgent.compared, "mentors", "beta", "exact", "pure", "guard", "noise")

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
        if not self.exact and models.stack is None:
            raise refusal("exact", False, "True, unless all models are tabular and of one size")
        settings = (self.discount, self.horizon, self.exact, self.exact and self.pure)
        self._first_steps: Memory[FirstStep]
        self._stepwise: Memory[StepwisePlan]
        self._first_steps, self._stepwise = models.plans.once(
            (FirstStep, *settings), lambda: (Memory(PLANS), Memory(PLANS))
        )
        self._mentor_values: Memory[Floats] = models.plans.once(  # [S], for each model with each tabular mentor
            (TabularMentor, mentors, self.discount, self.horizon), lambda: Memory(len(models) * len(mentors))
        )

    def _decide(self) -> PessimisticDecision:
        chances = [self.stream.at(DRAWS * len(self.done) + index) for index in range(DRAWS)]
        beta = checked_beta(self.beta(len(self.done))) if callable(self.beta) else self.beta
        top = self.posterior.top_set(beta)
        first = self.plan(top)
        drawn_action = draw(first.probabilities, chances[3])
        model = draw(self.posterior.weights, chances[0])
        mentor = draw(self.mentor_posterior.weights, chances[1])
        worth = self._mentor_value(model, mentor)
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

    def plan(self, top: tuple[int, ...]) -> FirstStep:
        """Return the first step of the max-min plan for a top set of models, after the history so far."""
        checked_instance("top", top, tuple)
        indices = tuple(sorted(checked_index("top", model, len(self.posterior.summaries)) for model in top))
        if not indices:
            raise refusal("top", top, "at least one model")
        places: tuple[Any, ...] = tuple(self.posterior.summaries[k] for k in indices)
        return self._first_steps.once((indices, places), lambda: self._make_plan(indices, places))

    def _make_plan(self, indices: tuple[int, ...], places: tuple[Any, ...]) -> FirstStep:
        stack = None if self.exact else self.models.stack
        if stack is None:
            plan = exact_value(self.models, indices, places, self.discount, self.horizon, self.exact and self.pure)
            return FirstStep(plan.lower, plan.first, plan.action_values)
        stepwise = self._stepwise.once(indices, lambda: stepwise_plan(stack, indices, self.discount, self.horizon))
        return first_step(stack, stepwise, indices, places, self.discount)

    def _mentor_value(self, model: int, mentor: int) -> float:
        """``V^π_ν``, the value of following a mentor-model in a world-model from here on."""
        world, policy = self.models.models[model], self.mentors.mentors[mentor]
        state: Any = self.posterior.summaries[model]
        mentor_state: Any = self.mentor_posterior.summaries[mentor]
        if isinstance(world, TabularModel) and isinstance(policy, TabularMentor) and state == mentor_state:
            values = self._mentor_values.once(
                (model, mentor), lambda: policy_values(world, policy.policy, self.discount, self.horizon)
            )
            return float(values[state])
        return mentor_value(world, state, policy, mentor_state, self.discount, self.horizon)

    def _reason(self, value: float, worth: float, noise: float, drawn_value: float) -> str:
        """Why the agent defers, or ``"acts"``."""
        if value <= ZERO * self.largest_value:
            return "zero condition"
        if worth > value + noise * self.largest_value:
            return "mentor is worth more"
        return "guard" if self.guard and drawn_value <= ZERO * self.largest_value else "acts"

    def _start(self, stream: Stream | None) -> None:
        super()._start(stream)
        self.mentor_posterior: MentorPosterior = self.mentors.posterior()


def _check_starts(models: ModelClass, mentors: MentorClass) -> None:
    """Raise SettingError if a tabular mentor has another size than the models, or another first state."""
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
