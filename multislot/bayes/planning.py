"""Values and best plans for one model and for a mixture of models, normalised: ``(1−γ) · E Σ_{t<T} γ^t r_t``.

A mixture's best plan is Bayes-adaptive: it counts on what it will learn (AIXI on the class, Hutter 2005). It is exact
over the graph of situations, for as many steps as that graph can hold; beyond ``depth`` steps each model is granted its
own best plan (as if all were revealed), which makes the value an upper bound: exact if ``depth`` is the horizon.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multislot.bayes.arrays import Floats, as_floats
from multislot.bayes.checks import check_is, checked_summary
from multislot.bayes.graph import GraphBuilder, SituationGraph, Summaries, situation_of, summaries_in
from multislot.bayes.mentor import MentorModel, TabularMentor, probabilities_of
from multislot.bayes.models import TabularModel, WorldModel, begun, law_of
from multislot.bayes.posterior import ModelClass
from multislot.checks import whole
from multislot.errors import SettingError, TooLargeError

MIXTURE_LIMIT = 50_000
TIE = 1e-9
LONGEST_VALUING = 150
VALUING_LIMIT = 100_000
SHALLOWER = "give a smaller depth=, beyond which each model is granted its own best plan"
SHORTER = "a shorter horizon"


@dataclass(frozen=True, eq=False)
class MixturePlan:
    """The first step of a mixture's best plan.

    Attributes:
        value: the mixture's best normalised value; an upper bound on it where ``depth`` is less than the horizon.
        action_values: [A].
        action: the first best action.
    """

    value: float
    action_values: Floats
    action: int


def check_planning(discount: float, horizon: int) -> float:
    """Returns the discount as a float (it may be a Fraction).

    Raises:
        SettingError: if the discount or the horizon is out of its domain.
    """
    if not isinstance(discount, (float, Real)) or not 0 <= discount < 1:
        raise SettingError(f"discount is {discount}, expected a number in [0, 1)")
    if not isinstance(horizon, (int, Integral)) or horizon < 1:
        raise SettingError(f"horizon is {horizon}, expected at least one step, in whole steps")
    return float(discount)


def policy_values(model: TabularModel, policy: ArrayLike, discount: float, horizon: int) -> Floats:
    """Returns [S], the normalised value of a policy, [S] actions or [S, A] probabilities, in one model."""
    discount = check_planning(discount, horizon)
    values: Floats = (1 - discount) * model.as_mdp().evaluate(policy, discount=discount, horizon=horizon)
    return values


def best_policy(model: TabularModel, discount: float, horizon: int) -> tuple[Floats, NDArray[np.int64]]:
    """Returns the best normalised values of one model, [S], and the first best action in each state, [S]."""
    discount = check_planning(discount, horizon)
    plan = model.as_mdp().solve(discount=discount, horizon=horizon)
    return (1 - discount) * plan.values, plan.policy


def best_mixture_plan(
    models: ModelClass,
    weights: ArrayLike,
    discount: float,
    horizon: int,
    summaries: Summaries | None = None,
    depth: int | None = None,
) -> MixturePlan:
    """Returns the Bayes-adaptive best plan for a mixture.

    Args:
        models: K models.
        weights: [K], at least 0, not all 0.
        discount: γ in [0, 1).
        horizon: number of rewards.
        summaries: where the models are; at their beginning by default.
        depth: steps for which learning is counted on; the whole horizon by default. Less needs tabular models.

    Raises:
        TooLargeError: if the graph would exceed `MIXTURE_LIMIT`.
        SettingError: if an argument is out of its domain.
    """
    check_is("models", models, ModelClass)
    discount = check_planning(discount, horizon)
    steps = horizon if depth is None else min(whole("depth", depth), horizon)
    known = _checked_weights(weights, len(models))
    left = np.flatnonzero(known > 0)
    begin = tuple(begun(model, None) for model in models.models) if summaries is None else summaries
    begin, known = tuple(begin[k] for k in left), known[left] / known[left].sum()
    revealed = None if steps == horizon else _revealed(models, left, discount, horizon - steps + 1)
    if revealed is not None and steps == 1:
        return _mixture_plan((1 - discount) * revealed(begin) @ known)
    situation = situation_of([models.models[k] for k in left], known, begin)
    remedy = f"use {SHORTER}" if models.stack is None else SHALLOWER
    graph = GraphBuilder(situation, False, MIXTURE_LIMIT, remedy).grow(steps)
    return _mixture_plan((1 - discount) * _first_action_values(graph, revealed, discount))


def _first_action_values(
    graph: SituationGraph, revealed: Callable[[Summaries], Floats] | None, discount: float
) -> Floats:
    """[A], what a mixture's best plan makes of each first action; ``revealed`` values the last step's situations."""
    values, action_values = np.zeros(graph.beliefs.shape), np.zeros((1, graph.n_actions))
    for layer in reversed(graph.layers):
        nodes = layer[0]
        if revealed is not None and nodes.stop == len(graph):
            ahead = np.array([revealed(summaries_in(situation)) for situation in graph.situations[nodes]])
        else:
            ahead = graph.backed_up(layer, values, discount)
        action_values = np.einsum("nak,nk->na", ahead, graph.beliefs[nodes])
        values[nodes] = np.einsum("na,nak->nk", one_hot(action_values), ahead)
    first: Floats = action_values[0]
    return first


def _checked_weights(weights: ArrayLike, count: int) -> Floats:
    """Weights of a mixture, [K]."""
    known = as_floats("weights", weights)
    if known.shape != (count,) or not (known >= 0).all() or not known.any():
        raise SettingError(f"weights is {known.tolist()}, expected {count} numbers of at least 0, not all 0")
    return known


def _mixture_plan(action_values: Floats) -> MixturePlan:
    """A plan read off the normalised values of the first actions, [A]."""
    return MixturePlan(float(action_values.max()), action_values, int(np.argmax(one_hot(action_values[None, :])[0])))


def _revealed(models: ModelClass, indices: Any, discount: float, left: int) -> Callable[[Summaries], Floats]:
    """Gives [A, n], some models' own best action values with so many steps left, not normalised."""
    if models.stack is None:
        raise SettingError("a depth below the horizon needs tabular models of one size")
    table = models.stack.best_action_values(discount, left)[indices] / (1 - discount)

    def action_values(summaries: Summaries) -> Floats:
        states = np.array([0 if s is None else s for s in summaries])
        values: Floats = table[np.arange(len(states)), states].T
        return values

    return action_values


def mentor_value(
    model: WorldModel, summary: Any, mentor: MentorModel, mentor_summary: Any, discount: float, horizon: int
) -> float:
    """Returns the normalised value of following a mentor-model in a world-model, from where both are.

    Raises:
        TooLargeError: if they are not both tabular, and the horizon exceeds `LONGEST_VALUING` or the situations met
            `VALUING_LIMIT`.
    """
    if isinstance(model, TabularModel) and isinstance(mentor, TabularMentor) and summary == mentor_summary:
        return float(policy_values(model, mentor.policy, discount, horizon)[summary])
    if horizon > LONGEST_VALUING:
        raise TooLargeError(f"a mentor that is no table is valued for {LONGEST_VALUING} steps at most, got {horizon}")
    return (1 - discount) * _Followed(model, mentor, discount).value(summary, mentor_summary, horizon)


class _Followed:
    """What it is worth to follow a mentor-model in a world-model, situation by situation, not normalised."""

    def __init__(self, model: WorldModel, mentor: MentorModel, discount: float) -> None:
        self.model, self.mentor, self.discount = model, mentor, discount
        self._known: dict[Hashable, float] = {}

    def value(self, at: Any, mentor_at: Any, left: int) -> float:
        """Returns the value with so many steps left."""
        if not left:
            return 0.0
        key = (checked_summary(self.model, at), checked_summary(self.mentor, mentor_at), left)
        if key not in self._known:
            if len(self._known) >= VALUING_LIMIT:
                raise TooLargeError(f"the mentor meets over {VALUING_LIMIT} situations; use a shorter horizon")
            self._known[key] = sum(
                chance * self._action_value(at, mentor_at, action, left)
                for action, chance in enumerate(probabilities_of(self.mentor, mentor_at).tolist())
                if chance > 0
            )
        return self._known[key]

    def _action_value(self, at: Any, mentor_at: Any, action: int, left: int) -> float:
        total = 0.0
        for percept, chance in law_of(self.model, at, action).items():
            arrived = self.model.after(at, action, percept), self.mentor.after(mentor_at, action, percept)
            total += chance * (percept[1] + self.discount * self.value(*arrived, left - 1))
        return total


def one_hot(values: Floats) -> Floats:
    """Returns [n, A] ones at the first best of each row of [n, A]; ties up to rounding go to the first in order."""
    best = values.max(axis=1, keepdims=True)
    hot: Floats = np.eye(values.shape[1])[np.argmax(values >= best - TIE, axis=1)]
    return hot
