"""Chains of states as sparse matrices: what reaches what, who can be sure to end, how far the end is, what comes of it.

The graph half of `multislot.mdp`. Arrays have the shapes that they have there: S states, A actions; a terminal state is
an empty row. Shortest paths and components are SciPy's.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csr_array, diags_array, eye_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra
from scipy.sparse.linalg import spsolve

from multislot.errors import NeverEndingError

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Transitions: TypeAlias = tuple[csr_array, ...]
"""One [S, S] matrix an action."""


def total(matrix: csr_array, rewards: Floats, discount: float) -> Floats:
    """The return of a chain from every state, [S]: solves ``V = r + γ T V``."""
    system = eye_array(len(rewards), format="csc") - discount * matrix.tocsc()
    return np.atleast_1d(np.asarray(spsolve(system.tocsc(), rewards), dtype=float))


def undiscounted_total(matrix: csr_array, rewards: Floats, terminal: Flags) -> Floats:
    """Total reward of a chain that may run for ever.

    A class of states that is never left is worth 0 if it pays nothing and ±∞ by the sign of what it pays; any state
    that may reach such a class shares its fate.

    Raises:
        NeverEndingError: if a class pays both signs, or a state may reach both −∞ and +∞.
    """
    states = len(rewards)
    count, label = connected_components(matrix, directed=True, connection="strong")
    rows = np.repeat(np.arange(states), np.diff(matrix.indptr))
    left = np.zeros(count, dtype=bool)
    left[label[rows][label[rows] != label[matrix.indices]]] = True
    closed = ~left[label] & ~terminal
    lowest, highest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(lowest, label, rewards)
    np.maximum.at(highest, label, rewards)
    falls = reaches(matrix, closed & (lowest[label] < 0))
    rises = reaches(matrix, closed & (highest[label] > 0))
    if (falls & rises).any():
        state = int(np.argmax(falls & rises))
        raise NeverEndingError(f"undiscounted, the policy's return from state {state} has no limit; give a discount")
    frozen = closed | falls | rises
    kept = diags_array((~frozen).astype(float)) @ matrix @ diags_array((~frozen).astype(float))
    values = total(csr_array(kept), np.where(frozen, 0.0, rewards), 1.0)
    return np.where(falls, -np.inf, np.where(rises, np.inf, values))


def reaches(matrix: csr_array, targets: Flags) -> Flags:
    """[S], the states from which some path of positive probability leads to ``targets`` (themselves included)."""
    states = len(targets)
    goal = coo_array((np.ones(targets.sum()), (np.flatnonzero(targets), np.zeros(targets.sum(), int))), (states, 1))
    blocks: Any = [[matrix, goal], [None, csr_array((1, 1))]]
    graph = csr_array(block_array(blocks).T)
    found = np.zeros(states + 1, dtype=bool)
    found[breadth_first_order(graph, states, return_predecessors=False)] = True
    return found[:-1]


def never_ends(matrix: csr_array, terminal: Flags) -> Flags:
    """[S], the states from which a chain cannot reach a terminal state at all."""
    return ~reaches(matrix, terminal)


def ends_surely(transitions: Transitions, available: Flags, terminal: Flags) -> tuple[Flags, Flags]:
    """States from which some policy ends with probability 1, and the actions [S, A] that keep to such states.

    Shrinks a candidate set until everything in it can reach an end without ever risking to leave it.
    """
    within = np.ones(len(terminal), dtype=bool)
    while True:
        leaves = np.column_stack([matrix @ (~within).astype(float) > 0 for matrix in transitions])
        usable = available & ~leaves & within[:, None]
        reached = reaches(union(transitions, usable), terminal)
        if (reached >= within).all():
            return within, usable
        within = within & reached


def union(transitions: Transitions, usable: Flags) -> csr_array:
    """The graph of all ``usable`` actions together: entry > 0 where one may lead."""
    graph = csr_array(transitions[0].shape)
    for action, matrix in enumerate(transitions):
        graph = graph + diags_array(usable[:, action].astype(float)) @ matrix
    return csr_array(graph)


def towards_the_end(transitions: Transitions, available: Flags, terminal: Flags, usable: Flags) -> Integers:
    """A policy that ends with probability 1 where one exists: each action may come a step nearer to the end."""
    steps = distance(csr_array(union(transitions, usable) > 0).astype(float), terminal)
    policy: Integers = np.argmax(available, axis=1)
    for action in reversed(range(len(transitions))):
        nearest = least_successor(transitions[action], steps)
        policy = np.where(usable[:, action] & (nearest < steps), action, policy)
    return np.asarray(policy, dtype=np.int64)


def distance(graph: csr_array, terminal: Flags) -> Floats:
    """Length of the shortest path to a terminal state, ∞ where there is none."""
    ends = np.flatnonzero(terminal)
    if not ends.size:
        return np.full(len(terminal), np.inf)
    lengths: Any = dijkstra(csr_array(graph.T), indices=ends, min_only=True)
    return np.asarray(lengths, dtype=float)


def least_successor(matrix: csr_array, steps: Floats) -> Floats:
    """The least of ``steps`` among a row's successors, ∞ for an empty row."""
    least = np.full(len(steps), np.inf)
    np.minimum.at(least, np.repeat(np.arange(len(steps)), np.diff(matrix.indptr)), steps[matrix.indices])
    return least


def shortest(transitions: Transitions, rewards: Floats, available: Flags, terminal: Flags) -> Floats:
    """Least cost to an end in a deterministic process in which every step costs, [S]."""
    sources, targets, costs = [], [], []
    for action, matrix in enumerate(transitions):
        rows = np.flatnonzero(available[:, action])
        sources.append(rows)
        targets.append(matrix.indices)
        costs.append(-rewards[rows, action])
    source, target, cost = np.concatenate(sources), np.concatenate(targets), np.concatenate(costs)
    order = np.lexsort((cost, target, source))
    source, target, cost = source[order], target[order], cost[order]
    first = np.ones(len(source), dtype=bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    return distance(csr_array(coo_array((cost[first], (source[first], target[first])), transitions[0].shape)), terminal)
