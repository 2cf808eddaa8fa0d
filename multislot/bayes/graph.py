"""The graph of situations that a planner can get into under a finite set of models, with a finite horizon, in arrays.

A *situation* is a `Belief` of `multislot.exact` over the models' kernels, with the steps taken to it: what each model
needs to know of the history, and the relative weights of the models. Histories that share one share all values, so the
graph merges them; this loses nothing for a mixture's best plan, nor for a maximum over randomised plans of a minimum
over models (any mixture of the plans of two merged histories is a plan of either). A *pure* plan may treat two
histories differently and gain by it, so for pure plans only those are merged that it cannot both meet: they have the
same percepts wherever more than one could come, and so differ first in an action (and are as likely); and *resolved*
ones, in which one model is left: there the best plan is simply the best for it.

What follows a situation is worked out by `multislot.exact` alone. Here it is laid out as the programs of
`multislot.bayes.maxmin` need it: ``ν(percept | situation, action)`` of all models side by side, which is the percept's
probability under the mixture times how much it raises the model's posterior (Bayes).

A plan is computed as realisation weights in sequence form (Koller, Megiddo and von Stengel 1996): ``x(n, a) ∈ [0, 1]``,
scaled by how likely the situation can be at most, so that the numbers stay near 1.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multislot.bayes.arrays import Floats
from multislot.bayes.models import SLOT, History, PerceptKey, WorldModel, kernel_of, percept_of
from multislot.errors import TooLargeError
from multislot.exact import Belief, Mixture, Situations
from multislot.exact.mixture import Particle, totals_of

Integers = NDArray[np.int64]
Summaries = tuple[Hashable, ...]

DIGITS = 10
SURE = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class SituationGraph:
    """Situations in order of steps taken; situation 0 is the root.

    Attributes:
        n_actions: A.
        weights: [K], the models' weights at the root.
        depth: [N], steps taken.
        situations: [N], what `multislot.exact` knows of them.
        beliefs: [N, K], the models' relative weights, each row summing to 1.
        rewards: [N, A, K], expected reward of each action in each model.
        scale: [N], an upper bound on how likely a plan can make the situation, under the mixture.
        parent: [E], ``situation·A + action`` that an edge leaves from.
        child: [E], the situation that it leads to.
        chance: [E], its probability under the mixture.
        likelihoods: [E, K], its probability under each model.
        percepts: [E], the percept seen on it, as compared.
    """

    n_actions: int
    weights: Floats
    depth: Integers
    situations: tuple[Belief, ...]
    beliefs: Floats
    rewards: Floats
    scale: Floats
    parent: Integers
    child: Integers
    chance: Floats
    likelihoods: Floats
    percepts: tuple[PerceptKey, ...]

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
        edges = zip(self.parent.tolist(), self.percepts, self.child.tolist(), strict=True)
        return {(parent, percept): child for parent, percept, child in edges}

    def find(self, history: History) -> int | None:
        """Return the situation that a history leads to, or None if no model allows it or it is too long."""
        situation: int | None = 0
        for action, percept in history:
            if situation is None:
                return None
            situation = self._next.get((situation * self.n_actions + action, percept_of(*percept)))
        return situation

    def backed_up(self, layer: tuple[slice, slice], values: Floats, discount: float) -> Floats:
        """Return one step of lookahead, [n, A, K], for the situations of one step, given values [N, K] of the next."""
        nodes, edges = layer
        ahead = np.zeros((nodes.stop - nodes.start, self.n_actions, len(self.weights)))
        flat = ahead.reshape(-1, len(self.weights))
        places = self.parent[edges] - nodes.start * self.n_actions
        np.add.at(flat, places, self.likelihoods[edges] * values[self.child[edges]])
        return self.rewards[nodes] + discount * ahead


def situation_of(models: Sequence[WorldModel], weights: Floats, summaries: Summaries) -> Belief:
    """Return the situation in which models have given weights, [K], and know what their summaries say."""
    kernels = Mixture([kernel_of(model) for model in models], posterior="count")  # nobody is copied: as any other
    pairs = enumerate(zip(summaries, weights.tolist(), strict=True))
    ledger = {Particle(index, SLOT, summary): weight for index, (summary, weight) in pairs if weight > 0}
    return Situations(kernels).situation(ledger)


def summaries_in(situation: Belief) -> Summaries:
    """Return the models' summaries in a situation in which each has one; None where a model is refuted."""
    known = {particle.world: particle.state for particle in situation.weights}
    return tuple(known.get(index) for index in range(len(situation.situations.worlds)))


class GraphBuilder:
    """Grows a `SituationGraph` step by step.

    Args:
        situation: the root.
        pure: whether the graph is for pure plans, and merges less.
        limit: largest number of (situation, action) pairs.
        remedy: what to use where the limit is exceeded.
    """

    def __init__(self, situation: Belief, pure: bool, limit: int, remedy: str) -> None:
        self.actions, self.pure, self.limit, self.remedy = situation.situations.actions, pure, limit, remedy
        self.situations, self.depth, self.scale = [situation], [0], [1.0]
        self.edges: list[tuple[int, int, float, Any]] = []
        self.trails, self.trail = dict[tuple[int, int, Hashable], int](), [0]

    def grow(self, horizon: int) -> SituationGraph:
        """Return the graph of ``horizon`` decisions."""
        first = 0
        for _ in range(horizon - 1):
            last, known = len(self.depth), dict[Hashable, int]()
            for node in range(first, last):
                for index, action in enumerate(self.actions):
                    for percept, (weight, situation) in self.situations[node].weighed(action).items():
                        chance = float(weight)
                        reach = chance * self.scale[node]
                        if reach > 0:  # else it has underflowed
                            child = self._child(node, situation, percept, reach, known)
                            self.edges.append((node * len(self.actions) + index, child, chance, percept))
            first = last
        return self._finished()

    def _child(self, node: int, situation: Belief, percept: Hashable, reach: float, known: dict[Hashable, int]) -> int:
        """Return the situation that follows a percept, made if it is new; a plan can make it as likely as ``reach``."""
        apart = self.pure and len(totals_of(situation.weights)) > 1
        trail = self.trail[node]  # numbers the percepts so far, leaving out those that were sure to come
        if apart and reach <= SURE * self.scale[node]:
            trail = self.trails.setdefault((trail, self.depth[node], percept), len(self.trails) + 1)
        trail = trail if apart else 0
        key = (situation, trail, round(log(reach), DIGITS)) if apart else situation
        child = known.setdefault(key, len(self.depth))
        if child < len(self.depth):
            self.scale[child] = min(1.0, self.scale[child] + (0.0 if apart else reach))
            return child
        if (child + 1) * len(self.actions) > self.limit:
            raise TooLargeError(
                f"the plan has more than {self.limit} variables after {self.depth[node] + 1} steps; {self.remedy}"
            )
        self.situations.append(situation)
        self.depth.append(self.depth[node] + 1)
        self.scale.append(reach)
        self.trail.append(trail)
        return child

    def _finished(self) -> SituationGraph:
        """Return the graph in arrays."""
        parent = np.array([edge[0] for edge in self.edges], dtype=np.int64)
        child = np.array([edge[1] for edge in self.edges], dtype=np.int64)
        chance = np.array([edge[2] for edge in self.edges])
        beliefs, rewards = self._beliefs_and_rewards()
        before, after = beliefs[parent // len(self.actions)], beliefs[child]
        return SituationGraph(
            n_actions=len(self.actions),
            weights=beliefs[0],
            depth=np.array(self.depth),
            situations=tuple(self.situations),
            beliefs=beliefs,
            rewards=rewards,
            scale=np.array(self.scale),
            parent=parent,
            child=child,
            chance=chance,
            likelihoods=chance[:, None] * np.divide(after, before, out=np.zeros_like(after), where=before > 0),
            percepts=tuple(edge[3] for edge in self.edges),
        )

    def _beliefs_and_rewards(self) -> tuple[Floats, Floats]:
        """Return the weights of the models, [N, K], and what each expects of each action, [N, A, K]."""
        count, numbers = len(self.situations[0].situations.worlds), dict[Particle, int]()
        entries = [
            (node, particle.world, numbers.setdefault(particle, len(numbers)), weight)
            for node, situation in enumerate(self.situations)
            for particle, weight in situation.weights.items()
        ]
        nodes, worlds, places, weights = (np.array(column) for column in zip(*entries, strict=True))
        expected = np.array([self._expected(particle) for particle in numbers])
        beliefs, rewards = (
            np.zeros((len(self.situations), count)),
            np.zeros((len(self.situations), count, len(self.actions))),
        )
        np.add.at(beliefs, (nodes, worlds), weights)
        np.add.at(rewards, (nodes, worlds), (weights / beliefs[nodes, worlds])[:, None] * expected[places])
        return beliefs, rewards.transpose(0, 2, 1)

    def _expected(self, particle: Particle) -> list[float]:
        """Return the expected reward of each action where a model and its summary are known."""
        root = self.situations[0]
        return [
            float(sum(chance * arrivals[SLOT].reward for chance, arrivals in root.particle_outcomes(particle, action)))
            for action in self.actions
        ]
