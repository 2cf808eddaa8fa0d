"""Situations that a planner can get into under some models, and best plans for one model and for a mixture.

Values are normalized: ``(1−γ) · E Σ_{t<T} γ^t r_t``. Values of T rewards are at most ``1 − γ^T``. That can be a very
small number, so values are divided by it before they are compared with a tolerance (`largest_value`).

A *situation* is a `Belief` of `multislot.exact` over the models' kernels, with the number of steps taken: what each
model needs to know of the history, and the relative weights of the models. Histories with the same situation have the
same values, so the graph of situations merges them. This loses nothing for a mixture's best plan. Nor does it for
randomized plans, since any mixture of the plans of two merged histories is a plan of either. A *pure* plan may gain by
treating two histories differently. So for pure plans only two kinds of histories are merged. The first are histories
that one plan cannot both meet: they have the same percepts at every step that could show more than one, so they first
differ in an action, and they are equally likely. The second are *resolved* histories, in which one model is left: the
best plan is then the best for that model.

What follows a situation is computed by `multislot.exact` alone. This module arranges it as the programs of
`multislot.bayes.maxmin` need it: ``ν(percept | situation, action)`` of all models side by side. That is the percept's
probability under the mixture times the factor by which it raises the model's posterior (Bayes). A plan is computed as
realization weights in sequence form (Koller, Megiddo and von Stengel 1996): ``x(n, a) ∈ [0, 1]``, divided by the
largest possible probability of the situation, so that the numbers stay near 1.

A mixture's best plan is Bayes-adaptive: it counts on what it will learn (AIXI on the class, Hutter 2005). It is exact
for as many steps as the graph of situations can hold. Beyond ``depth`` steps each model gets its own best plan, as if
the truth were revealed then. The value is then an upper bound, and exact if ``depth`` is the horizon.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import expm1, log
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multislot.bayes.mentor import MentorModel, TabularMentor, read_probabilities
from multislot.bayes.models import (
    SLOT,
    History,
    PerceptKey,
    WorldModel,
    as_floats,
    as_percept,
    begin_member,
    make_kernel,
    make_percept,
)
from multislot.bayes.posterior import ModelClass
from multislot.bayes.tabular import TabularModel
from multislot.checks import (
    checked_float,
    checked_index,
    checked_instance,
    checked_parts,
    checked_steps,
    refusal,
    whole,
)
from multislot.errors import TooLargeError
from multislot.exact import Belief, Mixture, Situations
from multislot.exact.mixture.weights import Particle, sum_worlds
from multislot.mdp.chains import Floats

Summaries = tuple[Hashable, ...]

DIGITS = 10
SURE = 1 - 1e-12
MIXTURE_LIMIT = 50_000
TIE = 1e-9
VALUING_LIMIT = 100_000
SHALLOWER = "give a smaller depth=, beyond which each model gets its own best plan"
SHORTER = "a shorter horizon"


class SituationGraph:
    """Situations in order of steps taken; situation 0 is the root.

    Args:
        situation: the root.
        horizon: number of decisions.
        pure: whether the graph is for pure plans, and merges less.
        limit: largest number of (situation, action) pairs.
        remedy: what to use if the limit is exceeded.

    Attributes:
        actions: A of them.
        situations: [N], what `multislot.exact` knows of them.
        depth: [N], steps taken.
        scale: [N], an upper bound on how likely a plan can make the situation, under the mixture.
        beliefs: [N, K], the models' relative weights, each row summing to 1.
        weights: [K], the models' weights at the root.
        rewards: [N, A, K], expected reward of each action in each model.
        parent: [E], ``situation·A + action`` that an edge leaves from.
        child: [E], the situation that it leads to.
        chance: [E], its probability under the mixture.
        likelihoods: [E, K], its probability under each model.
    """

    def __init__(self, situation: Belief, horizon: int, pure: bool, limit: int, remedy: str) -> None:
        self.actions, self.situations = situation.situations.actions, [situation]
        self.n_actions = len(self.actions)
        self._pure, self._limit, self._remedy = pure, limit, remedy
        self._depths, self._scales = [0], [1.0]
        self._edges: list[tuple[int, int, float, Any]] = []
        self._trails, self._trail = dict[tuple[int, int, Hashable], int](), [0]
        first = 0
        for _ in range(horizon - 1):
            first = self._grow(first)
        self.depth, self.scale = np.array(self._depths), np.array(self._scales)
        self.parent = np.array([edge[0] for edge in self._edges], dtype=np.int64)
        self.child = np.array([edge[1] for edge in self._edges], dtype=np.int64)
        self.chance = np.array([edge[2] for edge in self._edges])
        self.beliefs, self.rewards = self._weigh_models()
        self.weights = self.beliefs[0]
        before, after = self.beliefs[self.parent // self.n_actions], self.beliefs[self.child]
        raised: Floats = np.divide(after, before, out=np.zeros_like(after), where=before > 0)
        self.likelihoods = self.chance[:, None] * raised

    def __len__(self) -> int:
        return len(self.depth)

    @cached_property
    def resolved(self) -> NDArray[np.bool_]:
        """[N], whether one model is left."""
        flags: NDArray[np.bool_] = (self.beliefs > 0).sum(axis=1) == 1
        return flags

    @cached_property
    def layers(self) -> tuple[tuple[slice, slice], ...]:
        """Situations and outgoing edges of each step, first step first; edges are in order of their parents."""
        steps = np.arange(int(self.depth[-1]) + 2)
        nodes = np.searchsorted(self.depth, steps)
        edges = np.searchsorted(self.parent, nodes * self.n_actions)
        cuts = zip(nodes[:-1], nodes[1:], edges[:-1], edges[1:], strict=True)
        return tuple((slice(first, last), slice(start, end)) for first, last, start, end in cuts)

    @cached_property
    def _next(self) -> dict[tuple[int, PerceptKey], int]:
        return {(parent, percept): child for parent, child, _, percept in self._edges}

    def find(self, history: History) -> int | None:
        """Return the situation that a history leads to, or None if no model allows it or it is too long."""
        situation: int | None = 0
        for action, percept in history:
            if situation is None:
                return None
            situation = self._next.get((situation * self.n_actions + action, make_percept(*percept)))
        return situation

    def look_ahead(self, layer: tuple[slice, slice], values: Floats, discount: float) -> Floats:
        """Return one step of lookahead, [n, A, K], for the situations of one step, given values [N, K] of the next."""
        nodes, edges = layer
        ahead = np.zeros((nodes.stop - nodes.start, self.n_actions, len(self.weights)))
        flat = ahead.reshape(-1, len(self.weights))
        places = self.parent[edges] - nodes.start * self.n_actions
        np.add.at(flat, places, self.likelihoods[edges] * values[self.child[edges]])
        return self.rewards[nodes] + discount * ahead

    def _grow(self, first: int) -> int:
        """Add what follows the latest situations, `first` and those after it; return the first new one."""
        last, children = len(self.situations), dict[Hashable, int]()
        for node in range(first, last):
            for index, action in enumerate(self.actions):
                for percept, (weight, situation) in self.situations[node].weighed(action).items():
                    chance = float(weight)
                    reach = chance * self._scales[node]
                    if reach > 0:  # else it has underflowed
                        child = self._child(node, situation, percept, reach, children)
                        self._edges.append((node * self.n_actions + index, child, chance, percept))
        return last

    def _child(
        self, node: int, situation: Belief, percept: Hashable, reach: float, children: dict[Hashable, int]
    ) -> int:
        """The situation after a percept, a new one if necessary; ``reach`` is how likely a plan can make it."""
        apart = self._pure and len(sum_worlds(situation.weights)) > 1
        trail = self._trail[node]  # numbers the percepts so far, leaving out those that were sure to come
        if apart and reach <= SURE * self._scales[node]:
            trail = self._trails.setdefault((trail, self._depths[node], percept), len(self._trails) + 1)
        trail = trail if apart else 0
        key = (situation, trail, round(log(reach), DIGITS)) if apart else situation
        child = children.setdefault(key, len(self.situations))
        if child < len(self.situations):
            self._scales[child] = min(1.0, self._scales[child] + (0.0 if apart else reach))
            return child
        if (child + 1) * self.n_actions > self._limit:
            raise TooLargeError(
                f"the plan has more than {self._limit} variables after {self._depths[node] + 1} steps; {self._remedy}"
            )
        self.situations.append(situation)
        self._depths.append(self._depths[node] + 1)
        self._scales.append(reach)
        self._trail.append(trail)
        return child

    def _weigh_models(self) -> tuple[Floats, Floats]:
        """The weights of the models, [N, K], and what each expects of each action, [N, A, K]."""
        root, numbers = self.situations[0], dict[Particle, int]()
        entries = [
            (node, particle.world, numbers.setdefault(particle, len(numbers)), weight)
            for node, situation in enumerate(self.situations)
            for particle, weight in situation.weights.items()
        ]
        nodes, worlds, places, weights = (np.array(column) for column in zip(*entries, strict=True))
        expected = np.array(
            [
                [
                    sum(c * a[SLOT].reward for c, a in root.particle_outcomes(particle, action))
                    for action in self.actions
                ]
                for particle in numbers
            ],
            dtype=float,
        )
        beliefs = np.zeros((len(self.situations), len(root.situations.worlds)))
        rewards = np.zeros((*beliefs.shape, self.n_actions))
        np.add.at(beliefs, (nodes, worlds), weights)
        np.add.at(rewards, (nodes, worlds), (weights / beliefs[nodes, worlds])[:, None] * expected[places])
        return beliefs, rewards.transpose(0, 2, 1)


def make_situation(models: Sequence[WorldModel], weights: Floats, summaries: Summaries) -> Belief:
    """Return the situation in which the models have these weights, [K], and these summaries."""
    kernels = Mixture(
        [make_kernel(model) for model in models], posterior="count"
    )  # nobody is copied, so any rule gives the same
    pairs = enumerate(zip(summaries, weights.tolist(), strict=True))
    ledger = {Particle(index, SLOT, summary): weight for index, (summary, weight) in pairs if weight > 0}
    return Situations(kernels).situation(ledger)


@dataclass(frozen=True, eq=False)
class MixturePlan:
    """The first step of a mixture's best plan.

    Attributes:
        value: the mixture's best normalized value; an upper bound on it if ``depth`` is less than the horizon.
        action_values: [A].
        action: the first best action.
    """

    value: float
    action_values: Floats
    action: int


def checked_planning(discount: float, horizon: int) -> tuple[float, int]:
    """Return the discount as a float (it may be a Fraction), and the horizon."""
    normalized = "values are multiplied by 1 − γ, so with γ = 1 all would be 0" if discount == 1 else ""
    return checked_float("discount", discount, 0, below=1, remedy=normalized), checked_steps("horizon", horizon)


def largest_value(discount: float, horizon: int) -> float:
    """Return the largest possible normalized value of T = ``horizon`` rewards, ``1 − γ^T``."""
    return -expm1(horizon * log(discount)) if discount else 1.0


def policy_values(model: TabularModel, policy: ArrayLike, discount: float, horizon: int) -> Floats:
    """Return [S], the normalized value of a policy, [S] actions or [S, A] probabilities, in one model."""
    discount, horizon = checked_planning(discount, horizon)
    checked_instance("model", model, TabularModel)
    values: Floats = (1 - discount) * model.as_mdp().evaluate(policy, discount=discount, horizon=horizon)
    return values


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
        summaries: the models' summaries of the history; by default those of the empty history.
        depth: steps for which it counts on what it will learn; by default the whole horizon. Less needs tabular models.

    Raises:
        TooLargeError: if the graph would exceed `MIXTURE_LIMIT`.
    """
    checked_instance("models", models, ModelClass)
    discount, horizon = checked_planning(discount, horizon)
    steps = horizon if depth is None else min(whole("depth", depth), horizon)
    shares = as_floats("weights", weights)
    if shares.shape != (len(models),) or not (shares >= 0).all() or not shares.any():
        raise refusal("weights", shares, f"{len(models)} numbers of at least 0, not all 0")
    left = np.flatnonzero(shares > 0)
    begin = tuple(begin_member(model, None) for model in models.models) if summaries is None else summaries
    if len(begin) != len(models):
        raise refusal("summaries", summaries, f"{len(models)}, one for each model")
    begin, shares = tuple(begin[k] for k in left), shares[left] / shares[left].sum()
    revealed = None
    if steps < horizon:
        if models.stack is None:
            raise refusal("depth", steps, "None, unless all models are tabular and of one size", f"use {SHORTER}")
        revealed = models.stack.best_action_values(discount, horizon - steps + 1)[left] / (1 - discount)
    if revealed is not None and steps == 1:
        each = revealed[np.arange(len(left)), cast("Any", begin)]
        action_values = (1 - discount) * (shares[:, None] * each).sum(axis=0)
    else:
        situation = make_situation([models.models[k] for k in left], shares, begin)
        remedy = f"use {SHORTER}" if models.stack is None else SHALLOWER
        graph = SituationGraph(situation, steps, False, MIXTURE_LIMIT, remedy)
        action_values = (1 - discount) * _first_action_values(graph, revealed, discount)
    return MixturePlan(float(action_values.max()), action_values, find_first_best(action_values, discount, horizon))


def _first_action_values(graph: SituationGraph, revealed: Floats | None, discount: float) -> Floats:
    """[A], the value of each first action in a mixture's best plan.

    ``revealed``, [K, S, A], are each model's best action values in the last situations; None if nothing comes after.
    """
    values, action_values = np.zeros(graph.beliefs.shape), np.zeros((1, graph.n_actions))
    for layer in reversed(graph.layers):
        nodes = layer[0]
        if revealed is not None and nodes.stop == len(graph):
            known = [{particle.world: particle.state for particle in at.weights} for at in graph.situations[nodes]]
            models = range(len(graph.weights))
            states = [[at.get(k, 0) for k in models] for at in known]  # a refuted model is in any state
            ahead = revealed[models, states].transpose(0, 2, 1)
        else:
            ahead = graph.look_ahead(layer, values, discount)
        action_values = np.einsum("nak,nk->na", ahead, graph.beliefs[nodes])
        values[nodes] = np.einsum("na,nak->nk", mark_best(action_values), ahead)
    first: Floats = action_values[0]
    return first


def mentor_value(
    model: WorldModel, summary: Any, mentor: MentorModel, mentor_summary: Any, discount: float, horizon: int
) -> float:
    """Return the normalized value of following a mentor-model in a world-model, from their summaries of the history.

    Raises:
        TooLargeError: if they are not both tabular, and meet more than `VALUING_LIMIT` situations.
    """
    discount, horizon = checked_planning(discount, horizon)
    checked_parts("model", model, "n_actions", "begin", "law", "after")
    checked_parts("mentor", mentor, "n_actions", "begin", "probabilities", "after")
    if isinstance(model, TabularModel):
        summary = checked_index("summary", summary, len(model.rewards))
    if isinstance(mentor, TabularMentor):
        mentor_summary = checked_index("mentor_summary", mentor_summary, mentor.n_states)
    if isinstance(model, TabularModel) and isinstance(mentor, TabularMentor) and summary == mentor_summary:
        return float(policy_values(model, mentor.policy, discount, horizon)[summary])
    kernel, situations, total = make_kernel(model), 0, 0.0
    reached: dict[tuple[Any, Any], float] = {(summary, mentor_summary): 1.0}
    for step in range(horizon):
        situations += len(reached)
        if situations > VALUING_LIMIT:
            raise TooLargeError(f"the mentor meets over {VALUING_LIMIT} situations; use a shorter horizon")
        following: dict[tuple[Any, Any], float] = defaultdict(float)
        for (at, mentor_at), chance in reached.items():
            for action, share in enumerate(read_probabilities(mentor, mentor_at).tolist()):
                if share == 0:
                    continue
                for probability, arrivals in kernel.outcomes(SLOT, at, action):
                    state, seen, reward = arrivals[SLOT]
                    reach = chance * share * float(probability)
                    total += discount**step * reach * float(reward)
                    mentor_state = mentor.after(mentor_at, action, as_percept(seen))
                    following[state, mentor_state] += reach
        reached = following
    return (1 - discount) * total


def find_first_best(action_values: Floats, discount: float, horizon: int) -> int:
    """Return the first best action of normalized action values, [A]; ties are up to rounding."""
    return int(np.argmax(mark_best(action_values[None, :] / largest_value(discount, horizon))[0]))


def mark_best(values: Floats) -> Floats:
    """Return [n, A] ones at the first best of each row of [n, A]; ties up to rounding go to the first in order."""
    best = values.max(axis=1, keepdims=True)
    hot: Floats = np.eye(values.shape[1])[np.argmax(values >= best - TIE, axis=1)]
    return hot
