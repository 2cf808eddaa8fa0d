"""Max-min plans over a finite set of models, a credal set: ``Y = max_π min_{ν∈M} V^π_ν`` (Cohen and Hutter 2020).

``V^π_ν = (1−γ) · E Σ_{t<T} γ^t r_t``: the first T rewards, normalized, so that values lie in [0, 1]. The policy is
fixed first and the worst model answers it. This is not the minimum taken at each step. Three ways to compute it:

- *randomized* policies, exact: a linear program over realization plans (SciPy's HiGHS);
- *pure* policies, exact: the same with integral plans, a mixed-integer program. Its value can be strictly less;
- the *step-wise* (rectangular) minimum ``W(s) = max_a min_ν E_ν[r + γ W(s')]`` of tabular models: a lower bound, cheap
  at any horizon, with a pure policy that is worth at least as much in every model.

An upper bound is any mixture's best value, ``Y ≤ max_π Σ_ν w_ν V^π_ν``. That in turn is at most the value of learning
the true model after the first action, ``max_a Σ_ν w_ν Q*_ν(a)``. The bracket's upper side is the least of these over
all weights w: a matrix game between first actions and models, so a small linear program.

The paper's value is that of the whole future. With ``horizon=None`` the bracket contains it: later rewards count as the
least on its lower side and as the largest on its upper side, which widens it by ``γ^T · (r_max − r_min) ≤ error``.

The exact plan is not time-consistent: after a history it may act differently from a plan that is made there.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, log
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack, vstack

from multislot.bayes.models import History, WorldModel, begin_member, make_percept
from multislot.bayes.planning import (
    SHORTER,
    SituationGraph,
    Summaries,
    checked_planning,
    largest_value,
    make_situation,
    mark_best,
)
from multislot.bayes.posterior import ModelClass
from multislot.bayes.tabular import ModelStack, TabularModel
from multislot.checks import LONGEST_HORIZON, checked_float, checked_instance, refusal
from multislot.errors import MultislotError, SettingError, TooLargeError
from multislot.mdp.chains import Floats

RANDOMIZED_LIMIT = 20_000
PURE_LIMIT = 4_000
NEGLIGIBLE = 1e-9
STANDARD_OUTPUT = 1
REDIRECTING = Lock()
MIXED_INTEGER_SCALE = 1e2
NO_GAP: Any = {"mip_rel_gap": 0.0}  # the stubs of SciPy do not know this option

Decide = Callable[[History], Floats]
PlanTables = tuple[Floats, Floats, Floats]


class FirstStep(NamedTuple):
    """The first step of a max-min plan: its value, [A] probabilities, and [A] the worst model's action values."""

    value: float
    probabilities: Floats
    action_values: Floats


@dataclass(frozen=True, eq=False)
class PessimisticValue:
    """A bracket around ``Y``, and the policy that is worth its lower side.

    Attributes:
        lower: a lower bound on what `policy` is worth in the worst model; exact for an exact plan.
        action_values: [A], for each action the worst model's value of taking it first and then following the plan.
        first: [A], the policy's probabilities before anything happens.
        method: ``"randomized"``, ``"pure"`` or ``"step-wise"``.
        policy: maps a history, a tuple of (action, (observation, reward)) pairs, to [A] probabilities.
        horizon: number of rewards that were planned for.
        truncation: what all later rewards can add to the width of the bracket; 0 for a finite horizon.
    """

    lower: float
    action_values: Floats
    first: Floats
    method: str
    policy: Decide
    _upper: Callable[[], float] = field(repr=False)
    horizon: int = 0
    truncation: float = 0.0

    @cached_property
    def upper(self) -> float:
        """No policy is worth more in the worst model; for an exact plan this is `lower` plus the truncation."""
        return max(self.lower, self._upper())  # the two can differ by rounding


def pessimistic_value(
    models: ModelClass | Sequence[WorldModel],
    discount: float,
    horizon: int | None,
    exact: bool = True,
    pure: bool = False,
    error: float = 1e-6,
) -> PessimisticValue:
    """Return the max-min value of the first ``horizon`` rewards over a set of models, times 1−γ.

    Args:
        models: at least one. Their weights, if they have any, do not matter.
        discount: γ in [0, 1).
        horizon: number of rewards, at least 1; None for the whole future, with a stated truncation (tabular models
            only). The policy then ends where planning did.
        exact: solve the program; otherwise the step-wise lower bound (tabular models only).
        pure: the best pure policy instead of the best randomized one; the step-wise policy is always pure.
        error: the largest truncation if ``horizon`` is None.

    Raises:
        TooLargeError: the program would exceed `RANDOMIZED_LIMIT` or `PURE_LIMIT` variables, or `error` takes too
            many steps.
    """
    top = models if isinstance(models, ModelClass) else ModelClass(models)
    summaries = tuple(begin_member(model, None) for model in top.models)
    if horizon is None:
        steps = sufficient_horizon(top, discount, error)
        if steps > LONGEST_HORIZON:
            raise TooLargeError(
                f"error={error} takes a horizon of {steps}; expected at most {LONGEST_HORIZON} steps; give a larger "
                "error= or a smaller discount"
            )
        value = pessimistic_value(top, discount, steps, exact, pure)
        later, (least, most) = float(discount) ** steps, _reward_range(top)
        return replace(
            value,
            lower=value.lower + later * least,
            action_values=value.action_values + later * least,
            _upper=lambda: value.upper + later * most,
            truncation=later * (most - least),
        )
    discount, horizon = checked_planning(discount, horizon)
    everyone = tuple(range(len(top)))
    if exact:
        return exact_value(top, everyone, summaries, discount, horizon, pure)
    if top.stack is None:
        raise refusal("exact", exact, "True, unless all models are tabular and of one size", "use a short horizon")
    return stepwise_value(top.stack, everyone, [cast("int", s) for s in summaries], discount, horizon)


def sufficient_horizon(models: ModelClass, discount: float, error: float) -> int:
    """Return the smallest T with ``γ^T · (r_max − r_min) ≤ error``.

    Whatever the rewards after the first T are, normalized values then differ by at most ``error``.

    Args:
        models: tabular models, whose rewards are bounded.
        discount: γ in [0, 1).
        error: more than 0.
    """
    discount, _ = checked_planning(discount, 1)
    error = checked_float("error", error, above=0)
    least, most = _reward_range(checked_instance("models", models, ModelClass))
    if not discount or most - least <= error:
        return 1
    return max(1, ceil(log(error / (most - least)) / log(discount) - NEGLIGIBLE))


def _reward_range(models: ModelClass) -> tuple[float, float]:
    if not all(isinstance(model, TabularModel) for model in models.models):
        raise refusal(
            "models", models.models, "tabular models, whose rewards are known to be bounded", "give a horizon"
        )
    rewards = [model.rewards for model in models.models if isinstance(model, TabularModel)]
    return float(min(table.min() for table in rewards)), float(max(table.max() for table in rewards))


def exact_value(
    models: ModelClass, top: Sequence[int], summaries: Summaries, discount: float, horizon: int, pure: bool
) -> PessimisticValue:
    """Return the exact max-min value over some models of a class, whose summaries of the history are given."""
    situation = make_situation([models.models[k] for k in top], np.full(len(top), 1 / len(top)), summaries)
    remedy = f"use {SHORTER}" if models.stack is None else f"use exact=False, the step-wise lower bound, or {SHORTER}"
    graph = SituationGraph(situation, horizon, pure, PURE_LIMIT if pure else RANDOMIZED_LIMIT, remedy)
    plan = _read_plan(graph, _solve(graph, discount, pure=False), discount, pure=False)
    if pure:  # the likeliest actions of the best randomized plan, if they are worth as much
        rounded = _read_plan(graph, plan[0], discount, pure=True)
        is_best = rounded[1][0].min() >= plan[1][0].min() - NEGLIGIBLE
        plan = rounded if is_best else _read_plan(graph, _solve(graph, discount, pure=True), discount, pure=True)
    policy, values, first = plan
    worst = float((1 - discount) * values[0].min())

    def decide(history: History) -> Floats:
        situation = graph.find(history)
        if situation is None:
            raise _no_action(horizon, history)
        chances: Floats = policy[situation]
        return chances

    method = "pure" if pure else "randomized"
    return PessimisticValue(
        worst, (1 - discount) * first.min(axis=1), policy[0], method, decide, lambda: worst, horizon
    )


def _constraints(graph: SituationGraph) -> tuple[csr_array, Floats]:
    """Constraints on realization weights: as much leaves a situation as arrives there, and 1 leaves the root."""
    count, actions = len(graph), graph.n_actions
    leaving = coo_array((np.ones(count * actions), (np.repeat(np.arange(count), actions), np.arange(count * actions))))
    share = graph.chance * graph.scale[graph.parent // actions] / graph.scale[graph.child]
    shape = (count, count * actions)
    arriving = coo_array((share, (graph.child, graph.parent)), shape=shape)
    return csr_array(leaving - arriving), np.eye(1, count)[0]


def _payoffs(graph: SituationGraph, discount: float) -> Floats:
    """[K, N·A], what a realization weight of 1 adds to each model's value, not yet normalized."""
    reached = graph.scale * discount**graph.depth
    share = reached[:, None] * graph.beliefs / graph.weights
    table: Floats = (graph.rewards * share[:, None, :]).reshape(-1, len(graph.weights)).T
    return table


def _solve(graph: SituationGraph, discount: float, pure: bool) -> Floats:
    """[N, A] realization weights of the best plan; of a pure one, integral wherever more than one model is left."""
    payoffs = _payoffs(graph, discount) * (MIXED_INTEGER_SCALE if pure else 1.0)
    balance, supply = _constraints(graph)
    models, count = payoffs.shape
    integral = np.append(np.repeat(pure & ~graph.resolved, graph.n_actions), 0)
    with standard_output_closed() if pure else nullcontext():
        solution = linprog(
            c=np.append(np.zeros(count), -1.0),
            A_ub=hstack([csr_array(-payoffs), csr_array(np.ones((models, 1)))], format="csr"),
            b_ub=np.zeros(models),
            A_eq=hstack([balance, csr_array((len(graph), 1))], format="csr"),
            b_eq=supply,
            bounds=[(0, 1 if pure else None)] * count + [(0, None)],
            method="highs",
            integrality=integral,
            options=NO_GAP,
        )
    return _read_solution(solution).reshape(len(graph), graph.n_actions)


@contextmanager
def standard_output_closed() -> Iterator[None]:
    """Keep HiGHS 1.12 from writing to the process's output: sometimes it prints a debugging line.

    Only one thread at a time may redirect the output: otherwise a second thread would take the replacement for the
    original.
    """
    with REDIRECTING:
        with suppress(AttributeError, OSError, ValueError):  # None or closed
            sys.stdout.flush()
        try:
            kept = os.dup(STANDARD_OUTPUT)
        except OSError:  # the process has no output
            yield
            return
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), STANDARD_OUTPUT)
        try:
            yield
        finally:
            os.dup2(kept, STANDARD_OUTPUT)
            os.close(kept)


def _read_solution(solution: Any) -> Floats:
    """The variables of a solved program, without the last one, its value."""
    if solution.x is None:
        raise MultislotError(f"HiGHS found no plan: {solution.message}")
    variables: Floats = np.maximum(solution.x[:-1], 0.0)
    return variables


def _read_plan(graph: SituationGraph, weights: Floats, discount: float, pure: bool) -> PlanTables:
    """The plan as probabilities [N, A], its value in each model [N, K], and that of the first actions [A, K].

    If one model is left, the plan is the best one for it. In situations that the plan never reaches, it takes the
    action that is worth most in the worst model. Neither lowers the value that the program computed.
    """
    policy = np.zeros((len(graph), graph.n_actions))
    values = np.zeros((len(graph), len(graph.weights)))
    for layer in reversed(graph.layers):
        nodes = layer[0]
        ahead = graph.look_ahead(layer, values, discount)
        possible = (graph.beliefs[nodes] > 0)[:, None, :]
        safest = mark_best(np.where(possible, ahead, np.inf).min(axis=2))
        total = weights[nodes].sum(axis=1, keepdims=True)
        planned = np.where(weights[nodes] > NEGLIGIBLE * np.maximum(total, 1), weights[nodes], 0.0)
        reached = (total > NEGLIGIBLE) & ~graph.resolved[nodes, None]
        planned = mark_best(planned) if pure else planned / np.maximum(planned.sum(axis=1, keepdims=True), NEGLIGIBLE)
        policy[nodes] = np.where(reached, planned, safest)
        values[nodes] = np.einsum("na,nak->nk", policy[nodes], ahead)
    return policy, values, ahead[0]


@dataclass(frozen=True, eq=False)
class StepwisePlan:
    """The step-wise minimum over a set of tabular models, for any situation with that set.

    Attributes:
        values: [T + 1, S], by steps left.
        actions: [T + 1, S], the first best action; row 0 means nothing.
        action_values: [S, A], with all T steps left.
    """

    values: Floats
    actions: Floats
    action_values: Floats


def stepwise_plan(stack: ModelStack, top: Sequence[int], discount: float, horizon: int) -> StepwisePlan:
    """Return ``W_t(s) = max_a min_{ν∈top} [(1−γ) r_ν(s, a) + γ Σ_s' ν(s'|s, a) W_{t−1}(s')]`` for all t ≤ horizon.

    Ties, up to rounding, go to the first action in order.
    """
    rows = csr_array(vstack([stack.models[k].rows for k in top], format="csr"))
    rewards = (1 - discount) * stack.rewards[list(top)].reshape(len(top), -1)
    values, actions = np.zeros((horizon + 1, stack.n_states)), np.zeros((horizon + 1, stack.n_states))
    worst = np.zeros((stack.n_states, stack.n_actions))
    for left in range(1, horizon + 1):
        ahead = (rows @ values[left - 1]).reshape(len(top), -1)
        worst = (rewards + discount * ahead).min(axis=0).reshape(worst.shape)
        values[left] = worst.max(axis=1)
        tolerance = NEGLIGIBLE * largest_value(discount, left)
        actions[left] = np.argmax(worst >= values[left][:, None] - tolerance, axis=1)
    return StepwisePlan(values, actions, worst)


def first_step(
    stack: ModelStack, plan: StepwisePlan, top: Sequence[int], states: Sequence[int], discount: float
) -> FirstStep:
    """Return the first step of a step-wise plan from the states in which the models are, one each."""
    if len(set(states)) == 1:
        worst = plan.action_values[states[0]]
    else:
        per_model = [
            (1 - discount) * stack.rewards[k, state]
            + discount
            * (stack.models[k].rows[state * stack.n_actions : (state + 1) * stack.n_actions] @ plan.values[-2])
            for k, state in zip(top, states, strict=True)
        ]
        worst = np.min(per_model, axis=0)
    likeliest = mark_best(worst[None, :] / largest_value(discount, len(plan.values) - 1))[0]
    return FirstStep(float(worst.max()), likeliest, worst)


def stepwise_value(
    stack: ModelStack, top: tuple[int, ...], states: Sequence[int], discount: float, horizon: int
) -> PessimisticValue:
    """Return the step-wise bracket from the states in which the models are."""
    plan = stepwise_plan(stack, top, discount, horizon)
    value, first, worst = first_step(stack, plan, top, states, discount)

    def decide(history: History) -> Floats:
        state = make_percept(*history[-1][1])[0] if history else 0
        if len(history) >= horizon or not 0 <= state < stack.n_states:
            raise _no_action(horizon, history)
        if not history:
            return first
        chances: Floats = np.eye(stack.n_actions)[int(plan.actions[horizon - len(history), state])]
        return chances

    def upper() -> float:
        return least_mixture(stack.best_action_values(discount, horizon)[list(top), list(states)])

    return PessimisticValue(value, worst, first, "step-wise", decide, upper, horizon)


def _no_action(horizon: int, history: History) -> SettingError:
    return SettingError(f"the plan of {horizon} steps has no action after {history}: too long or impossible")


def least_mixture(payoffs: Floats) -> float:
    """Return ``min_w max_a Σ_k w_k payoffs[k, a]`` over weights w that sum to 1; rounding never makes it less."""
    count, actions = payoffs.shape
    solution = linprog(
        c=np.append(np.zeros(count), 1.0),
        A_ub=np.hstack([payoffs.T, -np.ones((actions, 1))]),
        b_ub=np.zeros(actions),
        A_eq=np.append(np.ones(count), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    weights = _read_solution(solution)
    mixed = ((weights / weights.sum())[:, None] * payoffs).sum(axis=0)
    return float(min(mixed.max(), payoffs.max(axis=1).min()))
