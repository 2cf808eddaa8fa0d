"""Markov chains as sparse matrices: reachability, shortest paths to a terminal state, and returns.

Shapes are those of `multislot.mdp.solving`: S states, A actions; a terminal state is an empty row.
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
"""One [S, S] matrix for each action."""


def total(matrix: csr_array, rewards: Floats, discount: float) -> Floats:
    """Return the return of a chain from every state, [S]; solves ``V = r + γ T V``."""
    system = eye_array(len(rewards), format="csc") - discount * matrix.tocsc()
    return np.atleast_1d(np.asarray(spsolve(system.tocsc(), rewards), dtype=float))


def undiscounted_total(matrix: csr_array, rewards: Floats, terminal: Flags) -> Floats:
    """Return the total reward of a chain that may never end, from every state, [S].

    A class of states that is never left is worth 0 if all its rewards are 0, otherwise ±∞ by their sign. A state that
    may reach a class of infinite worth has the same worth.

    Raises:
        NeverEndingError: a class has rewards of both signs, or a state may reach both −∞ and +∞.
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
        raise NeverEndingError(f"the policy's undiscounted return from state {state} has no limit; give a discount")
    frozen = closed | falls | rises
    kept = diags_array((~frozen).astype(float)) @ matrix @ diags_array((~frozen).astype(float))
    values = total(csr_array(kept), np.where(frozen, 0.0, rewards), 1.0)
    return np.where(falls, -np.inf, np.where(rises, np.inf, values))


def reaches(matrix: csr_array, targets: Flags) -> Flags:
    """Return the states from which a path of positive probability leads to `targets`, and the targets, [S]."""
    states = len(targets)
    goal = coo_array((np.ones(targets.sum()), (np.flatnonzero(targets), np.zeros(targets.sum(), int))), (states, 1))
    blocks: Any = [[matrix, goal], [None, csr_array((1, 1))]]
    graph = csr_array(block_array(blocks).T)
    reached = np.zeros(states + 1, dtype=bool)
    reached[breadth_first_order(graph, states, return_predecessors=False)] = True
    return reached[:-1]


def ends_surely(transitions: Transitions, available: Flags, terminal: Flags) -> tuple[Flags, Flags]:
    """Return the states from which some policy ends with probability 1, and the actions [S, A] that keep to them.

    A set of candidates shrinks until each candidate can reach a terminal state and no action used can leave the set.
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
    """Return the graph of all `usable` actions together: an entry is positive where one of them may lead."""
    graph = csr_array(transitions[0].shape)
    for action, matrix in enumerate(transitions):
        graph = graph + diags_array(usable[:, action].astype(float)) @ matrix
    return csr_array(graph)


def lead_to_end(transitions: Transitions, available: Flags, terminal: Flags, usable: Flags) -> Integers:
    """Return a policy that ends with probability 1 where that is possible, [S].

    Each of its actions leads, with some probability, one step nearer to a terminal state.
    """
    steps = distance(csr_array(union(transitions, usable) > 0).astype(float), terminal)
    policy: Integers = np.argmax(available, axis=1)
    for action in reversed(range(len(transitions))):
        matrix, nearest = transitions[action], np.full(len(steps), np.inf)
        np.minimum.at(nearest, np.repeat(np.arange(len(steps)), np.diff(matrix.indptr)), steps[matrix.indices])
        policy = np.where(usable[:, action] & (nearest < steps), action, policy)
    return np.asarray(policy, dtype=np.int64)


def distance(graph: csr_array, terminal: Flags) -> Floats:
    """Return the length of the shortest path to a terminal state, ∞ if there is no path."""
    ends = np.flatnonzero(terminal)
    if not ends.size:
        return np.full(len(terminal), np.inf)
    lengths: Any = dijkstra(csr_array(graph.T), indices=ends, min_only=True)
    return np.asarray(lengths, dtype=float)


def shortest(transitions: Transitions, rewards: Floats, available: Flags, terminal: Flags) -> Floats:
    """Return the least total cost of ending a deterministic process whose rewards are all negative, [S]."""
    sources, targets, costs = [], [], []
    for action, matrix in enumerate(transitions):
        rows = np.flatnonzero(available[:, action])
        sources.append(rows)
        targets.append(matrix.indices)
        costs.append(-rewards[rows, action])
    source, target, cost = np.concatenate(sources), np.concatenate(targets), np.concatenate(costs)
    return distance(cheapest_edges(len(terminal), source, target, cost), terminal)


def cheapest_edges(size: int, source: NDArray[Any], target: NDArray[Any], cost: NDArray[Any]) -> csr_array:
    """Return the cost of the cheapest edge between any two states, [S, S]; edges of cost 0 are stored zeros."""
    order = np.lexsort((cost, target, source))
    source, target, cost = source[order], target[order], cost[order]
    first = np.ones(len(source), dtype=bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    return csr_array(coo_array((cost[first], (source[first], target[first])), (size, size)))
