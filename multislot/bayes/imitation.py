"""Agents that imitate their mentor, and agents that seek reward close to an imitation.

`ImitatorAgent` imitates conservatively (Cohen, Hutter and Nanda, "Fully General Online Imitation Learning", arXiv
2102.08686). It takes action a itself with probability ``min_{π ∈ Π^α} π(a|h)``, and asks with what is left. The top
set ``Π^α`` holds the mentor-models whose posterior weight is at least α times the total of all models with the same
weight or more. The posterior follows the mentor's own steps.

`RegularizedAgent` maximizes reward minus a price for every nat by which its policy diverges from a base policy (Cohen,
Hutter, Bengio and Russell, "RL, but don't do anything I wouldn't do", arXiv 2410.06213). The base is the conservative
imitator, or the Bayesian one: the posterior mean, which learns from every action as if the mentor had taken it.

What holds here, derived: ``1/w(π|h)`` of the true mentor is a supermartingale. So with α ≤ δ·w(π) the truth stays in
the top set forever with probability at least 1 − δ. As long as it does, the imitator's own probability of each action
is at most the mentor's. So the probability that it ever takes an action that the mentor never takes is at most δ. The
same is true with a conservative base: at a finite divergence nothing happens that has probability 0 in the base. The
Bayesian base allows whatever one model of weight w does, for ``log(1/w)`` nats in a life of any length.

The top set and the rules are reconstructed from the abstracts. Departures: classes are finite. The second paper's
agents have a divergence budget; ours pay a price per nat. Ours plan in the most likely world-model, as if the base
policy stayed what it is now. An agent that foresees how its own steps persuade a Bayesian base would diverge from it at
a lower price.
"""

from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple, cast

import numpy as np

from multislot.bayes.agents import ClassAgent, Decision, MentoredAgent
from multislot.bayes.memory import PLANS, Memory
from multislot.bayes.mentor import TabularMentor, read_probabilities
from multislot.bayes.mentored import code_of
from multislot.bayes.models import draw
from multislot.bayes.posterior import MentorClass, MentorPosterior, ModelClass
from multislot.bayes.tabular import TabularModel
from multislot.bayes.top_sets import SAFE_SIDE, order_by_weight
from multislot.checks import checked_float, checked_instance, refusal
from multislot.engine.stream import Stream
from multislot.mdp.chains import Floats

NOTHING_LEFT = 1e-12
"""Probabilities whose sum is short of 1 by less than this sum to 1: nothing is left for asking."""
HALF = 0.5


@dataclass(frozen=True, slots=True)
class ImitatorDecision(Decision):
    """What the imitator decided at one step, and why; see also `Decision`.

    Attributes:
        reason: ``"imitates"`` or ``"asks"``.
        value: the probability of acting by itself.
        probabilities: [A], of each action by itself.
        top_set: ``Π^α``, indices in falling posterior order; all models for the Bayesian imitator.
    """

    probabilities: tuple[float, ...]
    top_set: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RegularizedDecision(Decision):
    """What the regularized agent decided at one step, and why; see also `Decision`.

    Attributes:
        reason: ``"acts"`` or ``"asks"``.
        value: normalized: reward minus the price of the divergence.
        probabilities: [A + 1], of each action, and last of asking.
        base: [A + 1], the same of the base policy.
        divergence: of the first from the second, in nats.
    """

    probabilities: tuple[float, ...]
    base: tuple[float, ...]
    divergence: float


def imitation_set(posterior: MentorPosterior, alpha: float | None) -> tuple[int, ...]:
    """Return ``Π^α`` as indices in falling order, all models for None; ties go to the lower index.

    Rounding excludes no model.
    """
    if alpha is None:
        return tuple(range(len(posterior.mentors)))
    log_weights, weights = posterior.log_weights, posterior.weights
    order = order_by_weight(log_weights)
    falling = weights[order]
    stays = (falling >= alpha * falling.cumsum() - SAFE_SIDE) & (falling > 0)
    return tuple(order[stays].tolist())


def imitate(posterior: MentorPosterior, alpha: float | None, policies: Floats) -> Floats:
    """Return [..., A], the imitator's own probabilities, from those of each mentor-model, [J, ..., A].

    With what is left it asks, see `add_asking`. With α = None the imitator is the Bayesian one. Its sum has the order
    of the models on every processor, which BLAS does not promise.
    """
    if alpha is None:
        mean: Floats = np.zeros(policies.shape[1:])
        for weight, policy in zip(posterior.weights.tolist(), policies, strict=True):
            mean += weight * policy
        return mean
    least: Floats = policies[list(imitation_set(posterior, alpha))].min(axis=0)
    return least


def add_asking(own: Floats) -> Floats:
    """Return [S, A + 1], the probabilities of each action, [S, A], and then what is left for asking.

    Less than `NOTHING_LEFT` is 0: it is the rounding of the sum, and no policy may take it for a possibility.
    """
    left = np.array([1 - fsum(row) for row in own.tolist()])
    return np.column_stack([own, np.where(left < NOTHING_LEFT, 0.0, left)])


class ImitatorAgent(MentoredAgent):
    """Imitates its mentor as far as all likely mentor-models agree, and asks with the remaining probability.

    Args:
        mentors: the class of mentor-models.
        alpha: α in (0, 1]; 1 is the most likely model alone. None is the Bayesian imitator, which never asks.
        stream: what it draws from, one number a step.
        n_inner: number of observations, to read the engine's indices; that of the tabular mentors by default. Without
            tables `run` needs it; `decide` and `observe` do not.

    Attributes:
        mentor_posterior: over the mentor-models.
    """

    believes = ("mentor_posterior",)
    compared = ("mentors", "alpha")
    mentor_posterior: MentorPosterior

    def __init__(
        self, mentors: MentorClass, alpha: float | None, stream: Stream | None = None, n_inner: int | None = None
    ) -> None:
        self.mentors = checked_instance("mentors", mentors, MentorClass)
        self.alpha = None if alpha is None else checked_float("alpha", alpha, above=0, most=1)
        sizes = [mentor.n_states for mentor in mentors.mentors if isinstance(mentor, TabularMentor)]
        self.code = code_of(n_inner, sizes, mentors.n_actions)
        self._start(stream)

    def decide(self) -> ImitatorDecision:
        """Return the decision of this step; asking again gives the same."""
        return cast("ImitatorDecision", super().decide())

    def _decide(self) -> ImitatorDecision:
        posterior, step = self.mentor_posterior, len(self.done)
        policies = np.zeros((len(self.mentors), self.mentors.n_actions))
        for index in np.flatnonzero(posterior.weights):
            policies[index] = read_probabilities(self.mentors.mentors[index], posterior.summaries[index])
        chances = add_asking(imitate(posterior, self.alpha, policies)[None])[0]
        *own, asks = chances.tolist()
        drawn = draw(chances, self.stream.at(step))
        action, reason = (None, "asks") if drawn == len(own) else (drawn, "imitates")
        top = imitation_set(posterior, self.alpha)
        return ImitatorDecision(step, action, reason, fsum(own) if asks else 1.0, tuple(own), top)

    def _start(self, stream: Stream | None) -> None:
        super()._start(stream)
        self.mentor_posterior = MentorPosterior(self.mentors, from_everybody=self.alpha is None)


class NearPlan(NamedTuple):
    """The best policy near a base policy, with S states, A actions and, last, asking.

    Attributes:
        probabilities: [S, A + 1].
        action_values: [S, A + 1], not normalized; the price of this step's divergence is not subtracted.
        values: [S], not normalized: the reward minus the price of all divergences.
        divergence: [S], of this step's probabilities from the base, in nats.
    """

    probabilities: Floats
    action_values: Floats
    values: Floats
    divergence: Floats


def plan_near(
    model: TabularModel, base: Floats, mentor: Floats, price: float, discount: float, horizon: int
) -> NearPlan:
    """Return the policy that maximizes reward minus a price per nat of divergence from a base policy.

    ``V(s) = price · log Σ_a base(a|s) exp(Q(s, a) / price)`` and ``π(a|s) ∝ base(a|s) exp(Q(s, a) / price)``; asking is
    one more action, worth what the mentor is expected to do. Rewards and divergences are discounted alike. What the
    base never does has probability 0, however much more it is worth.

    Args:
        model: the world, S states.
        base: [S, A + 1], the base policy, asking last; see `add_asking`.
        mentor: [S, A], what the mentor is expected to do.
        price: of a nat, in rewards.
        discount: γ.
        horizon: number of rewards.
    """
    values = np.zeros(len(base))
    for _ in range(horizon):
        ahead = model.rewards + discount * (model.rows @ values).reshape(model.rewards.shape)
        worth = np.column_stack([ahead, (mentor * ahead).sum(axis=1)])
        values, logs = _weigh_exponentially(base, worth, price)
    chances = np.where(base > 0, base * np.exp(logs), 0.0)
    chances /= chances.sum(axis=1, keepdims=True)
    divergence = (chances * np.where(chances > 0, logs, 0.0)).sum(axis=1)
    return NearPlan(chances, worth, values, np.maximum(divergence, 0.0))


def _weigh_exponentially(base: Floats, worth: Floats, price: float) -> tuple[Floats, Floats]:
    """``V = price · log Σ_a base(a) exp(worth(a) / price)``, [S], and ``log(π / base)``, [S, A + 1].

    Only what the base does counts. All exponents are relative to the best of it, so that none is above 0. Near 0 the
    logarithm is taken of 1 plus the rest, which loses no digits at a high price.
    """
    possible = base > 0
    worths = np.where(possible, worth, -np.inf)
    best = worths.max(axis=1)
    with np.errstate(over="ignore"):  # −∞ at a very low price
        gaps = (worths - best[:, None]) / price
    shortfall = (base * np.expm1(gaps)).sum(axis=1)
    near = shortfall > -HALF
    logs = np.where(near, np.log1p(np.where(near, shortfall, 0.0)), np.log((base * np.exp(gaps)).sum(axis=1)))
    with np.errstate(over="ignore"):  # −∞ at a very high price; the value is never below the worst possibility
        values = np.maximum(best + price * logs, np.where(possible, worth, np.inf).min(axis=1))
    return values, np.where(possible, gaps - logs[:, None], -np.inf)


class RegularizedAgent(ClassAgent):
    """Seeks reward, and pays for every nat by which it diverges from an imitation of its mentor.

    Args:
        models: the class of world-models, tabular and of one size; it plans in the most likely.
        mentors: the class of mentor-models, tabular and of the same size.
        alpha: of the conservative base policy; None for the Bayesian one, see `ImitatorAgent`.
        discount, horizon, stream, n_inner: as in `ClassAgent`; it draws one number a step.
        price: of a nat, in rewards.

    Attributes:
        mentor_posterior: over the mentor-models.
    """

    believes = ("posterior", "mentor_posterior")
    compared = (*ClassAgent.compared, "mentors", "alpha", "price")
    mentor_posterior: MentorPosterior

    def __init__(
        self,
        models: ModelClass,
        mentors: MentorClass,
        alpha: float | None,
        discount: float,
        horizon: int,
        *,
        price: float = 1.0,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        checked_instance("models", models, ModelClass)
        if models.stack is None:
            raise refusal("models", models, "tabular models of one size")
        shape = (models.stack.n_states, models.n_actions)
        for index, mentor in enumerate(checked_instance("mentors", mentors, MentorClass).mentors):
            if not isinstance(mentor, TabularMentor) or mentor.policy.shape != shape:
                raise refusal(f"mentors[{index}]", mentor, f"a TabularMentor of {shape[0]} states, {shape[1]} actions")
        self.mentors, self.price = mentors, checked_float("price", price, above=0)
        self.alpha = None if alpha is None else checked_float("alpha", alpha, above=0, most=1)
        self._policies: Floats = np.array([mentor.policy for mentor in mentors.mentors])  # type: ignore[attr-defined]
        self._plans: Memory[tuple[Floats, NearPlan]] = Memory(PLANS)
        super().__init__(models, discount, horizon, stream, n_inner)

    def decide(self) -> RegularizedDecision:
        """Return the decision of this step; asking again gives the same."""
        return cast("RegularizedDecision", super().decide())

    def _decide(self) -> RegularizedDecision:
        index = self.posterior.top_set(0.0)[0]
        state: Any = self.posterior.summaries[index]
        belief = (index, self.mentor_posterior.weights.tobytes())
        base, plan = self._plans.once(belief, lambda: self._make_plan(index))
        chances = plan.probabilities[state]
        drawn = draw(chances, self.stream.at(len(self.done)))
        action, reason = (None, "asks") if drawn == self.models.n_actions else (drawn, "acts")
        return RegularizedDecision(
            step=len(self.done),
            action=action,
            reason=reason,
            value=(1 - self.discount) * float(plan.values[state]),
            probabilities=tuple(chances.tolist()),
            base=tuple(base[state].tolist()),
            divergence=float(plan.divergence[state]),
        )

    def _make_plan(self, index: int) -> tuple[Floats, NearPlan]:
        """The base policy, [S, A + 1], and the plan near it."""
        assert self.models.stack is not None  # checked by __init__
        mentor = imitate(self.mentor_posterior, None, self._policies)
        base = add_asking(imitate(self.mentor_posterior, self.alpha, self._policies))
        model = self.models.stack.models[index]
        return base, plan_near(model, base, mentor, self.price, self.discount, self.horizon)

    def _start(self, stream: Stream | None) -> None:
        super()._start(stream)
        self.mentor_posterior = MentorPosterior(self.mentors, from_everybody=self.alpha is None)
