"""The graph of situations in which a finite set of models can leave a planner, with a finite horizon.

A *situation* is: steps taken, each model's summary of the history, and the relative weights of the models. Histories
that share one share all values, so the graph merges them; this loses nothing for a mixture's best plan, nor for a
maximum over randomised plans of a minimum over models (any mixture of the plans of two merged histories is a plan of
either). A *pure* plan may treat two histories differently and gain by it, so for pure plans only those are merged that
it cannot both meet: they have the same percepts wherever more than one could come, and so differ first in an action
(and are as likely); and *resolved* ones, in which one model is left: there the best plan is simply the best for it.

`multislot.exact` plans on beliefs, too, for any kernel and with exact numbers; here the likelihoods of all models stand
side by side as floats, which the programs of `multislot.bayes.maxmin` need. Both find the same values, as tests show.

A plan is computed as realisation weights in sequence form (Koller, Megiddo and von Stengel 1996): ``x(n, a) ∈ [0, 1]``,
scaled by how likely the situation can be at most, so that the numbers stay near 1.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from multislot.bayes.models import Floats, History, Percept, WorldModel, percept_of
from multislot.errors import TooLargeError

Integers = NDArray[np.int64]
Summaries = tuple[Hashable, ...]

DIGITS = 10
SURE = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What can follow an action for a set of models in given summaries.

    Attributes:
        rewards: [K], expected reward in each model; 0 where the model is refuted.
        percepts: the P percepts that some model allows, in order.
        likelihoods: [P, K].
        summaries: P times K summaries one step later.
    """

    rewards: Floats
    percepts: tuple[Percept, ...]
    likelihoods: Floats
    summaries: tuple[Summaries, ...]


@dataclass(frozen=True, eq=False)
class SituationGraph:
    """Situations in order of steps taken; situation 0 is the root.

    Attributes:
        n_actions: A.
        weights: [K], the models' weights at the root.
        depth: [N], steps taken.
        beliefs: [N, K], relative weights, each row summing to 1.
        summaries: N times K summaries.
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
    beliefs: Floats
    summaries: tuple[Summaries, ...]
    rewards: Floats
    scale: Floats
    parent: Integers
    child: Integers
    chance: Floats
    likelihoods: Floats
    percepts: tuple[Percept, ...]

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
    def _next(self) -> dict[tuple[int, Percept], int]:
        edges = zip(self.parent.tolist(), self.percepts, self.child.tolist(), strict=True)
        return {(parent, percept): child for parent, percept, child in edges}

    def find(self, history: History) -> int | None:
        """Returns the situation that a history leads to, or None if no model allows it or it is too long."""
        situation: int | None = 0
        for action, percept in history:
            if situation is None:
                return None
            situation = self._next.get((situation * self.n_actions + action, percept_of(*percept)))
        return situation

    def backed_up(self, layer: tuple[slice, slice], values: Floats, discount: float) -> Floats:
        """One step of lookahead for one step's situations: [n, A, K] in each model, given values [N, K] of the next."""
        nodes, edges = layer
        ahead = np.zeros((nodes.stop - nodes.start, self.n_actions, len(self.weights)))
        flat = ahead.reshape(-1, len(self.weights))
        places = self.parent[edges] - nodes.start * self.n_actions
        np.add.at(flat, places, self.likelihoods[edges] * values[self.child[edges]])
        return self.rewards[nodes] + discount * ahead


class GraphBuilder:
    """Grows a `SituationGraph` step by step.

    Args:
        models: K models.
        weights: [K], positive.
        summaries: the models' summaries of the history so far.
        pure: whether the graph is for pure plans, and merges less.
        limit: largest number of (situation, action) pairs.
        remedy: what to use where the limit is exceeded.
    """

    def __init__(
        self,
        models: Sequence[WorldModel],
        weights: Floats,
        summaries: Summaries,
        pure: bool,
        limit: int,
        remedy: str,
    ) -> None:
        self.models, self.n_actions = tuple(models), models[0].n_actions
        self.weights, self.pure, self.limit, self.remedy = weights, pure, limit, remedy
        self.outcomes: dict[tuple[Summaries, int], Outcomes] = {}
        self.depth, self.scale = [0], [1.0]
        self.beliefs: list[Floats] = [weights / weights.sum()]
        self.summaries: list[Summaries] = [summaries]
        self.rewards: list[list[Floats]] = []
        self.edges: list[tuple[int, int, float, Floats, Percept]] = []
        self.trails, self.trail = dict[tuple[int, int, Percept], int](), [0]

    def grow(self, horizon: int) -> SituationGraph:
        """Returns the graph of ``horizon`` decisions.

        Raises:
            TooLargeError: as soon as the limit is exceeded.
        """
        first = 0
        for step in range(horizon):
            last, known = len(self.depth), dict[Hashable, int]()
            for node in range(first, last):
                self._expand(node, known, final=step == horizon - 1)
            first = last
        return self._finished()

    def _expand(self, node: int, known: dict[Hashable, int], final: bool) -> None:
        """Adds a situation's rewards and, unless it is a last one, its edges."""
        belief, rewards = self.beliefs[node], []
        for action in range(self.n_actions):
            outcomes = self._outcomes(self.summaries[node], action)
            rewards.append(outcomes.rewards)
            for index in range(0 if final else len(outcomes.percepts)):
                joint = belief * outcomes.likelihoods[index]
                chance = float(joint.sum())
                if chance > 0:
                    reach, percept = chance * self.scale[node], outcomes.percepts[index]
                    child = self._child(node, joint / chance, outcomes.summaries[index], percept, reach, known)
                    edge = (node * self.n_actions + action, child, chance, outcomes.likelihoods[index], percept)
                    self.edges.append(edge)
        self.rewards.append(rewards)

    def _child(
        self,
        node: int,
        belief: Floats,
        summaries: Summaries,
        percept: Percept,
        reach: float,
        known: dict[Hashable, int],
    ) -> int:
        """Finds or makes the situation that follows a percept, which ``reach`` says how likely a plan can make."""
        left = tuple(s if b > 0 else None for s, b in zip(summaries, belief.tolist(), strict=True))
        key: Hashable = (left, np.round(belief, DIGITS).tobytes())
        trail = self._trail(node, percept, reach)
        apart = self.pure and int((belief > 0).sum()) > 1
        if apart:
            key = (key, trail, round(float(np.log(reach)), DIGITS))
        child = known.setdefault(key, len(self.depth))
        if child < len(self.depth):
            self.scale[child] = min(1.0, self.scale[child] + (0.0 if apart else reach))
            return child
        if (child + 1) * self.n_actions > self.limit:
            raise TooLargeError(
                f"the plan has more than {self.limit} variables after {self.depth[node] + 1} steps; {self.remedy}"
            )
        self.depth.append(self.depth[node] + 1)
        self.scale.append(reach)
        self.beliefs.append(belief)
        self.summaries.append(left)
        self.trail.append(trail)
        return child

    def _trail(self, node: int, percept: Percept, reach: float) -> int:
        """Numbers the percepts so far, leaving out those that were sure to come."""
        if reach > SURE * self.scale[node]:
            return self.trail[node]
        return self.trails.setdefault((self.trail[node], self.depth[node], percept), len(self.trails) + 1)

    def _outcomes(self, summaries: Summaries, action: int) -> Outcomes:
        """What can follow an action, computed once."""
        key = (summaries, action)
        if key not in self.outcomes:
            self.outcomes[key] = joint_outcomes(self.models, summaries, action)
        return self.outcomes[key]

    def _finished(self) -> SituationGraph:
        """The graph in arrays."""
        count = len(self.weights)
        likelihoods = np.array([edge[3] for edge in self.edges]).reshape(len(self.edges), count)
        return SituationGraph(
            n_actions=self.n_actions,
            weights=self.weights / self.weights.sum(),
            depth=np.array(self.depth),
            beliefs=np.array(self.beliefs),
            summaries=tuple(self.summaries),
            rewards=np.array(self.rewards),
            scale=np.array(self.scale),
            parent=np.array([edge[0] for edge in self.edges], dtype=np.int64),
            child=np.array([edge[1] for edge in self.edges], dtype=np.int64),
            chance=np.array([edge[2] for edge in self.edges]),
            likelihoods=likelihoods,
            percepts=tuple(edge[4] for edge in self.edges),
        )


def joint_outcomes(models: Sequence[WorldModel], summaries: Summaries, action: int) -> Outcomes:
    """Returns what can follow an action for several models; a summary of None stands for a refuted model."""
    count = len(models)
    rewards, likelihoods = np.zeros(count), dict[Percept, Floats]()
    after: dict[Percept, list[Hashable]] = {}
    for index, (model, summary) in enumerate(zip(models, summaries, strict=True)):
        if summary is None:
            continue
        for known, chance in model.law(summary, action).items():
            percept = percept_of(*known)
            rewards[index] += chance * known[1]
            likelihoods.setdefault(percept, np.zeros(count))[index] += chance
            after.setdefault(percept, [None] * count)[index] = model.after(summary, action, known)
    percepts = tuple(sorted(likelihoods))
    table = np.array([likelihoods[percept] for percept in percepts]).reshape(len(percepts), count)
    return Outcomes(rewards, percepts, table, tuple(tuple(after[percept]) for percept in percepts))
