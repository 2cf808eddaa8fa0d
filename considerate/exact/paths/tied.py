"""All cheapest paths from a start to some ends, distinguished by their results.

Paths of the same cost may have different results for others; each difference is reported as a tie. Paths are extended
state by state along cheapest steps only. Of paths with the same counts one is kept.

If cycles of cost 0 change a count, there are infinitely many paths. Then a step of such a cycle is taken only if it
leads away from the start (to a state that is more steps from there). Paths that visit no state twice and take other
steps of such cycles are not considered, so their results may be missing.
"""

from collections import defaultdict, deque
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from considerate.exact.paths.network import Network, between, is_reached
from considerate.exact.paths.rationals import Wholes

Counts: TypeAlias = tuple[int, ...]
Edge: TypeAlias = tuple[int, int, int, Counts, int]
"""State, action, next state, and what the step adds to the counts and to the preference."""
Node: TypeAlias = tuple[int, Counts]


class TiedPaths:
    """The cheapest paths, by their results.

    Args:
        network: their steps.
        start: where they start.
        ends: terminal states, each reached by some path.
        counts: [S, A] each, whole numbers; paths with different totals are distinguished.
        preference: [S, A], whole numbers; of paths with the same counts, one with the least total is kept.

    Attributes:
        totals: for each state, the counts of cheapest paths to it, each with the least preference. Paths over cycles of
            cost 0 that change a count are included only if they always lead away from the start.
    """

    def __init__(
        self, network: Network, start: int, ends: list[int], counts: tuple[Wholes, ...], preference: Wholes
    ) -> None:
        distances = network.distances_from(start)
        steps = network.steps_from(distances)
        backwards = csr_array(between(network.targets, steps).T)
        left = dijkstra(backwards, indices=np.array(ends), min_only=True, unweighted=True)
        steps &= np.isfinite(left)[network.targets]  # those that lead on to an end
        self.on_cycles = network.on_cycles(steps)
        if any(weight[self.on_cycles].any() for weight in (*counts, preference)):  # only steps that lead away stay
            away = dijkstra(between(network.targets, steps), indices=[start], unweighted=True).ravel()
            steps &= ~self.on_cycles | (away[network.targets] > away[:, None])
        self.start = (start, (0,) * len(counts))
        self.ahead: dict[int, list[Edge]] = defaultdict(list)
        self.behind: dict[int, list[Edge]] = defaultdict(list)
        for state, action in np.argwhere(steps).tolist():
            adds = tuple(int(count[state, action]) for count in counts)
            edge = (state, action, int(network.targets[state, action]), adds, int(preference[state, action]))
            self.ahead[state].append(edge)
            self.behind[edge[2]].append(edge)
        self.totals: dict[int, dict[Counts, int]] = defaultdict(dict)
        reached = is_reached(distances)
        distances[reached] += network.potential[reached]
        self._extend_all(distances)

    def _extend_all(self, order: Wholes) -> None:
        """Find all totals, in an order in which few states are visited twice."""
        self.totals[self.start[0]][self.start[1]] = 0
        queue = [(order[self.start[0]], self.start[0])]
        waiting = {self.start[0]}
        while queue:
            _, state = heappop(queue)
            if state not in waiting:
                continue
            waiting.remove(state)
            for _, _, target, adds, worse in self.ahead[state]:
                earlier, improved = self.totals[target], False
                for total, preference in list(self.totals[state].items()):
                    longer = tuple(count + added for count, added in zip(total, adds, strict=True))
                    if preference + worse < earlier.get(longer, np.inf):
                        earlier[longer], improved = preference + worse, True
                if improved:
                    waiting.add(target)
                    heappush(queue, (order[target], target))

    def follow(self, end: int, counts: Counts) -> tuple[list[int], list[int]]:
        """Return one of the paths with these counts: its states, and the actions between them; straight if possible."""
        goal = (end, counts)
        choices, left = self._towards(goal)
        node, states, actions = self.start, [self.start[0]], list[int]()
        while node != goal:
            able = {a: n for a, n in choices[node] if not self.on_cycles[node[0], a] or left[n] < left[node]}
            actions.append(actions[-1] if actions and actions[-1] in able else min(able))
            node = able[actions[-1]]
            states.append(node[0])
        return states, actions

    def _towards(self, goal: Node) -> tuple[dict[Node, list[tuple[int, Node]]], dict[Node, int]]:
        """For each (state, counts so far) the pairs (action, next) that lead to a goal, and its distance."""
        choices: dict[Node, list[tuple[int, Node]]] = defaultdict(list)
        left, queue = {goal: 0}, deque([goal])
        while queue:
            node = queue.popleft()
            for state, action, target, adds, worse in self.behind[node[0]]:
                counts = tuple(count - added for count, added in zip(node[1], adds, strict=True))
                before = self.totals[state].get(counts)
                if before is not None and before + worse == self.totals[target][node[1]]:
                    choices[state, counts].append((action, node))
                    if (state, counts) not in left:
                        left[state, counts] = left[node] + 1
                        queue.append((state, counts))
        return choices, left
