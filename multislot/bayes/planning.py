"""Values and best plans for one model and for a mixture of models, normalised: ``(1−γ) · E Σ_{t<T} γ^t r_t``.

Values of T rewards are at most ``1 − γ^T``. That can be a very small number, so values are divided by it before they
meet a tolerance (`largest_value`).

A mixture's best plan is Bayes-adaptive: it counts on what it will learn (AIXI on the class, Hutter 2005). It is exact
over the graph of situations, for as many steps as that graph can hold. Beyond ``depth`` steps each model gets its own
best plan, as if the truth were told then. The value is then an upper bound; it is exact if ``depth`` is the horizon.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import expm1, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multislot.bayes.arrays import Floats, as_floats
from multislot.bayes.graph import GraphBuilder, SituationGraph, Summaries, situation_of, summaries_in
from multislot.bayes.mentor import MentorModel, TabularMentor, probabilities_of
from multislot.bayes.models import SLOT, TabularModel, WorldModel, as_percept, begun, checked_summary, kernel_of
from multislot.bayes.posterior import ModelClass
from multislot.checks import (
    checked_float,
    checked_hashable,
    checked_index,
    checked_instance,
    checked_parts,
    checked_steps,
    refusal,
    whole,
)
from multislot.errors import TooLargeError

MIXTURE_LIMIT = 50_000
TIE = 1e-9
VALUING_LIMIT = 100_000
SHALLOWER = "give a smaller depth=, beyond which each model gets its own best plan"
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


def checked_planning(discount: float, horizon: int) -> tuple[float, int]:
    """Return the discount as a float (it may be a Fraction), and the horizon."""
    normalised = "values are multiplied by 1 − γ, so γ = 1 is no discount here" if discount == 1 else ""
    return checked_float("discount", discount, 0, below=1, remedy=normalised), checked_steps("horizon", horizon)


def largest_value(discount: float, horizon: int) -> float:
    """Return the largest possible normalised value of T = ``horizon`` rewards, ``1 − γ^T``."""
    return -expm1(horizon * log(discount)) if discount else 1.0


def policy_values(model: TabularModel, policy: ArrayLike, discount: float, horizon: int) -> Floats:
    """Return [S], the normalised value of a policy, [S] actions or [S, A] probabilities, in one model."""
    discount, horizon = checked_planning(discount, horizon)
    checked_instance("model", model, TabularModel)
    values: Floats = (1 - discount) * model.as_mdp().evaluate(policy, discount=discount, horizon=horizon)
    return values


def best_policy(model: TabularModel, discount: float, horizon: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the best normalised values of one model, [S], and the first best action in each state, [S]."""
    discount, horizon = checked_planning(discount, horizon)
    plan = checked_instance("model", model, TabularModel).as_mdp().solve(discount=discount, horizon=horizon)
    return (1 - discount) * plan.values, plan.policy


def best_mixture_plan(
    models: ModelClass,
    weights: ArrayLike,
    discount: float,
    horizon: int,
    summaries: Summaries | None = None,
    depth: int | None = None,
) -> MixturePlan:
    """Return the Bayes-adaptive best plan for a mixture.

    Args:
        models: K models.
        weights: [K], at least 0, not all 0.
        discount: γ in [0, 1).
        horizon: number of rewards.
        summaries: where the models are; at their beginning by default.
        depth: steps for which learning is counted on; by default the whole horizon. Less needs tabular models.

    Raises:
        TooLargeError: if the graph would exceed `MIXTURE_LIMIT`.
    """
    checked_instance("models", models, ModelClass)
    discount, horizon = checked_planning(discount, horizon)
    steps = horizon if depth is None else min(whole("depth", depth), horizon)
    shares = as_floats("weights", weights)
    if shares.shape != (len(models),) or not (shares >= 0).all() or not shares.any():
        raise refusal("weights", shares.tolist(), f"{len(models)} numbers of at least 0, not all 0")
    left = np.flatnonzero(shares > 0)
    begin = tuple(begun(model, None) for model in models.models) if summaries is None else summaries
    begin, shares = tuple(begin[k] for k in left), shares[left] / shares[left].sum()
    revealed = None if steps == horizon else _revealed(models, left, discount, horizon, steps)
    if revealed is not None and steps == 1:
        action_values = (1 - discount) * revealed(begin) @ shares
    else:
        situation = situation_of([models.models[k] for k in left], shares, begin)
        remedy = f"use {SHORTER}" if models.stack is None else SHALLOWER
        graph = GraphBuilder(situation, False, MIXTURE_LIMIT, remedy).grow(steps)
        action_values = (1 - discount) * _first_action_values(graph, revealed, discount)
    return MixturePlan(float(action_values.max()), action_values, first_best(action_values, discount, horizon))


def _first_action_values(
    graph: SituationGraph, revealed: Callable[[Summaries], Floats] | None, discount: float
) -> Floats:
    """Return [A], the value of each first action in a mixture's best plan; ``revealed`` values the last situations."""
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


def _revealed(
    models: ModelClass, indices: Any, discount: float, horizon: int, steps: int
) -> Callable[[Summaries], Floats]:
    """A function to [A, n], the unnormalized best action values of some models alone, after all steps but one."""
    if models.stack is None:
        raise refusal("depth", steps, "None, unless all models are tabular and of one size", f"use {SHORTER}")
    table = models.stack.best_action_values(discount, horizon - steps + 1)[indices] / (1 - discount)

    def action_values(summaries: Summaries) -> Floats:
        states = np.array([0 if s is None else s for s in summaries])
        values: Floats = table[np.arange(len(states)), states].T
        return values

    return action_values


def mentor_value(
    model: WorldModel, summary: Any, mentor: MentorModel, mentor_summary: Any, discount: float, horizon: int
) -> float:
    """Return the normalised value of following a mentor-model in a world-model, from where both are.

    Raises:
        TooLargeError: if they are not both tabular, and meet more than `VALUING_LIMIT` situations.
    """
    discount, horizon = checked_planning(discount, horizon)
    checked_parts("model", model, "n_actions", "begin", "law", "after")
    checked_parts("mentor", mentor, "n_actions", "begin", "probabilities", "after")
    checked_hashable("summary", summary)
    if isinstance(model, TabularModel):
        summary = checked_index("summary", summary, len(model.rewards))
    if isinstance(mentor, TabularMentor):
        mentor_summary = checked_index("mentor_summary", mentor_summary, mentor.n_states)
    if isinstance(model, TabularModel) and isinstance(mentor, TabularMentor) and summary == mentor_summary:
        return float(policy_values(model, mentor.policy, discount, horizon)[summary])
    kernel, situations, total = kernel_of(model), 0, 0.0
    reached: dict[tuple[Hashable, Hashable], float] = {
        (checked_summary(model, summary), checked_summary(mentor, mentor_summary)): 1.0
    }
    for step in range(horizon):
        situations += len(reached)
        if situations > VALUING_LIMIT:
            raise TooLargeError(f"the mentor meets over {VALUING_LIMIT} situations; use a shorter horizon")
        following: dict[tuple[Hashable, Hashable], float] = defaultdict(float)
        for (at, mentor_at), chance in reached.items():
            for action, share in enumerate(probabilities_of(mentor, mentor_at).tolist()):
                if share == 0:
                    continue
                for probability, arrivals in kernel.outcomes(SLOT, at, action):
                    state, seen, reward = arrivals[SLOT]
                    reach = chance * share * float(probability)
                    total += discount**step * reach * float(reward)
                    mentor_state = checked_summary(mentor, mentor.after(mentor_at, action, as_percept(seen)))
                    following[checked_summary(model, state), mentor_state] += reach
        reached = following
    return (1 - discount) * total


def first_best(action_values: Floats, discount: float, horizon: int) -> int:
    """Return the first best action of normalised action values, [A]; ties are up to rounding."""
    return int(np.argmax(one_hot(action_values[None, :] / largest_value(discount, horizon))[0]))


def one_hot(values: Floats) -> Floats:
    """Return [n, A] ones at the first best of each row of [n, A]; ties up to rounding go to the first in order."""
    best = values.max(axis=1, keepdims=True)
    hot: Floats = np.eye(values.shape[1])[np.argmax(values >= best - TIE, axis=1)]
    return hot
