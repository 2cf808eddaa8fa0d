"""Cheapest paths through a graph, exactly: weights are whole numbers of any sign and size, and 0 is allowed.

A cheapest path exists if no cycle has a negative cost. If some weight is negative, potentials make all weights at least
0 without changing which paths are cheapest (Johnson 1977). Then Dijkstra's search applies. A path around a cycle of
cost 0 never ends. So of the steps of such a cycle, only those that lead closer to the goal are taken.

If weights are floats (which are then exact), SciPy searches; if they are Python's integers, NetworkX does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import networkx
import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from considerate.exact.paths.rationals import Wholes
from multislot.errors import MultislotError
from multislot.mdp.chains import Flags, Integers, cheapest_edges

ROUNDS_BETWEEN_CHECKS = 32


class NegativeCycleError(MultislotError):
    """A cycle has a negative cost, so there is no cheapest path: each round makes a path cheaper.

    Attributes:
        state: the start of a step of the cycle that has a negative cost.
        action: the action of that step.
    """

    def __init__(self, state: int, action: int) -> None:
        self.state, self.action = state, action
        super().__init__(state, action)


@dataclass(frozen=True, eq=False)
class Network:
    """States, and steps between them that cost whole numbers.

    Args:
        targets: [S, A], where each step leads.
        weights: [S, A], what it costs: whole numbers, from `Rationals.whole` for sums of S terms.
        open: [S, A], the steps that can be taken.
    """

    targets: Integers
    weights: Wholes
    open: Flags

    @property
    def n_states(self) -> int:
        """Number of states S."""
        return len(self.targets)

    def distances_from(self, state: int) -> Wholes:
        """Return the least total weight from a state to every state, [S]; ∞ where there is no path."""
        distances = self._search(np.array([state]), backwards=False)
        reached = is_reached(distances)
        distances[reached] += self.potential[state] - self.potential[reached]
        return distances

    def distances_to(self, goals: Integers) -> Wholes:
        """Return the least total weight from every state to the nearest of some terminal goals, [S]; ∞ without path."""
        if not len(goals):
            return np.full(self.n_states, np.inf)
        distances = self._search(goals, backwards=True)
        reached = is_reached(distances)
        distances[reached] += self.potential[reached]
        return distances

    def steps_from(self, distances: Wholes) -> Flags:
        """Return [S, A], the steps on cheapest paths from the state where distances are 0."""
        reached = self.open & is_reached(distances)[:, None]
        ahead = np.where(reached, distances[self.targets], np.inf)
        tight: Flags = reached & (np.where(reached, distances[:, None], 0) + self.weights == ahead)
        return tight

    def steps_to(self, left: Wholes) -> Flags:
        """Return [S, A], the steps on cheapest paths to the states where ``left`` is 0."""
        leading = self.open & is_reached(left)[self.targets]
        tight: Flags = leading & (self.weights + np.where(leading, left[self.targets], 0) == left[:, None])
        return tight

    def on_cycles(self, steps: Flags) -> Flags:
        """Return [S, A], those of some cheapest steps that are part of a cycle, whose cost is then 0."""
        if (self.weights[steps] > 0).all():
            return np.zeros_like(steps)
        return _inside_cycles(self.targets, steps)

    def paths_to(self, goals: Integers) -> "CheapestPaths":
        """Return the cheapest paths to some goals."""
        left = self.distances_to(goals)
        steps = self.steps_to(left)
        on_cycles = self.on_cycles(steps)
        if on_cycles.any():
            backwards = csr_array(between(self.targets, steps).T)
            number = dijkstra(backwards, indices=goals, min_only=True, unweighted=True)
            steps &= ~on_cycles | (number[self.targets] < number[:, None])
        return CheapestPaths(self.targets, steps, left)

    @cached_property
    def potential(self) -> Wholes:
        """[S], numbers such that ``weight + potential[target] − potential[state] ≥ 0`` at every step.

        Raises:
            NegativeCycleError: a cycle has a negative cost.
        """
        potentials: Wholes = np.zeros(self.n_states, dtype=self.weights.dtype)
        if (self.weights[self.open] >= 0).all():
            return potentials
        rows, onward = np.arange(self.n_states), np.full(self.n_states, -1)
        rounds = 0
        while True:
            totals = np.where(self.open, self.weights + potentials[self.targets], np.inf)
            best = totals.argmin(axis=1)
            lower = totals[rows, best] < potentials
            if not lower.any():
                return potentials
            potentials = np.where(lower, totals[rows, best], potentials)
            onward = np.where(lower, best, onward)
            rounds += 1
            if rounds % ROUNDS_BETWEEN_CHECKS == 0:
                self._check_for_cycle(onward)

    def _check_for_cycle(self, onward: Integers) -> None:
        """Raise NegativeCycleError if the last steps that lowered totals (−1 for none) form a cycle."""
        moving = np.flatnonzero(onward >= 0)
        steps = np.zeros_like(self.open)
        steps[moving, onward[moving]] = True
        inside = _inside_cycles(self.targets, steps)
        if inside.any():
            cheapest = int(np.where(inside, self.weights, np.inf).argmin())
            raise NegativeCycleError(*map(int, np.unravel_index(cheapest, inside.shape)))

    def _search(self, starts: Integers, backwards: bool) -> Wholes:
        """[S], least totals of weights made non-negative by potentials, from or to the nearest of some states."""
        source, action = np.nonzero(self.open)
        target = self.targets[source, action]
        weight = self.weights[source, action] + self.potential[target] - self.potential[source]
        if backwards:
            source, target = target, source
        if self.weights.dtype == object:
            steps = zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
            return _search_in_integers(self.n_states, starts.tolist(), steps)
        edges = cheapest_edges(self.n_states, source, target, weight)
        return np.asarray(dijkstra(edges, indices=starts, min_only=True))


@dataclass(frozen=True, eq=False)
class CheapestPaths:
    """The cheapest paths from every state to some terminal goals.

    Attributes:
        targets: [S, A], where each step leads.
        steps: [S, A], the steps to take; none of them is part of a cycle.
        left: [S], the total weight still to come; ∞ where there is no path.
    """

    targets: Integers
    steps: Flags
    left: Wholes

    def follow(self, start: int) -> tuple[list[int], list[int]]:
        """Return a cheapest path: its states, and the actions between them.

        Of equally cheap actions it takes the last action again, if possible, and otherwise the first: straight lines.
        """
        states, actions = [start], list[int]()
        while self.steps[states[-1]].any():
            best = np.flatnonzero(self.steps[states[-1]])
            action = int(actions[-1]) if actions and actions[-1] in best else int(best[0])
            actions.append(action)
            states.append(int(self.targets[states[-1], action]))
        return states, actions


def is_reached(distances: Wholes) -> Flags:
    """Whether each distance is finite; any shape."""
    reached: Flags = distances != np.inf
    return reached


def between(targets: Integers, steps: Flags) -> csr_array:
    """Return [S, S], a 1 for each pair of states that a step connects."""
    source, action = np.nonzero(steps)
    shape = (len(targets), len(targets))
    return csr_array(coo_array((np.ones(len(source)), (source, targets[source, action])), shape))


def _inside_cycles(targets: Integers, steps: Flags) -> Flags:
    """[S, A], those of some steps that are part of a cycle."""
    _, label = connected_components(between(targets, steps), connection="strong")
    inside: Flags = steps & (label[:, None] == label[targets])
    return inside


def _search_in_integers(size: int, starts: list[int], steps: Iterable[tuple[int, int, int]]) -> Wholes:
    """[S], distances from the nearest of some states, by Dijkstra's search in integers of any size."""
    graph: "networkx.MultiDiGraph[int]" = networkx.MultiDiGraph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from(steps)
    distances = np.full(size, np.inf, dtype=object)
    for state, distance in networkx.multi_source_dijkstra_path_length(graph, set(starts)).items():
        distances[state] = distance
    return distances
