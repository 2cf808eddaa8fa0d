"""All cheapest ways from a start to some ends, told apart by what comes of them.

Ways that cost the same may differ in what they bring others; a tie is named for each difference. Ways are gone through
state by state on cheapest steps alone, and of ways with the same counts one is kept.

Where circles that cost nothing change a count, there would be no end of ways. Then a step on such a circle is taken
only if it leads away from the start (to a state that is more steps from there). Ways that come to no state twice and
take other steps of such circles are not looked at: what they bring may be missing.
"""

from collections import defaultdict, deque
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from considerate.paths.network import Network, between, there_is_a_way
from considerate.paths.rationals import Wholes
from multislot.chains import Flags, Integers

Counts: TypeAlias = tuple[int, ...]
Edge: TypeAlias = tuple[int, int, int, Counts, int]
"""State, action, next state, what the step adds to the counts and to what is preferred less of."""
Node: TypeAlias = tuple[int, Counts]


class TiedWays:
    """The cheapest ways.

    Args:
        network: where they lead.
        start: where they start.
        ends: terminal states, each reached by some way.
        counts: [S, A] each, whole numbers; ways that differ in a total are told apart.
        preference: [S, A], whole numbers; of ways with the same counts, one of least total is kept.

    Attributes:
        totals: for each state, the counts that cheapest ways to it come with, each with the least preference; of ways
            over circles that cost nothing and change a count, only of those that always lead away from the start.
    """

    def __init__(
        self, network: Network, start: int, ends: list[int], counts: tuple[Wholes, ...], preference: Wholes
    ) -> None:
        distances = network.distances_from(start)
        steps = _leading_to(network, network.steps_from(distances), ends)
        self.circling = network.circling(steps)
        self._cut_circles(network.targets, steps, start, (*counts, preference))
        self.start = (start, (0,) * len(counts))
        self.ahead: dict[int, list[Edge]] = defaultdict(list)
        self.behind: dict[int, list[Edge]] = defaultdict(list)
        for state, action in np.argwhere(steps).tolist():
            adds = tuple(int(count[state, action]) for count in counts)
            edge = (state, action, int(network.targets[state, action]), adds, int(preference[state, action]))
            self.ahead[state].append(edge)
            self.behind[edge[2]].append(edge)
        self.totals: dict[int, dict[Counts, int]] = defaultdict(dict)
        reached = there_is_a_way(distances)
        distances[reached] += network.potential[reached]
        self._go_through(distances)

    def _cut_circles(self, targets: Integers, steps: Flags, start: int, weights: tuple[Wholes, ...]) -> None:
        """Drops, where circles would change a count, their steps that do not lead away from the start."""
        if not any(weight[self.circling].any() for weight in weights):
            return
        away = dijkstra(between(targets, steps), indices=[start], unweighted=True).ravel()
        steps &= ~self.circling | (away[targets] > away[:, None])

    def _go_through(self, order: Wholes) -> None:
        """Finds all totals, in an order in which few states come up twice."""
        self.totals[self.start[0]][self.start[1]] = 0
        queue = [(order[self.start[0]], self.start[0])]
        waiting = {self.start[0]}
        while queue:
            _, state = heappop(queue)
            if state not in waiting:
                continue
            waiting.remove(state)
            for _, _, target, adds, worse in self.ahead[state]:
                if self._extend(target, self.totals[state], adds, worse):
                    waiting.add(target)
                    heappush(queue, (order[target], target))

    def _extend(self, target: int, totals: dict[Counts, int], adds: Counts, worse: int) -> bool:
        """Takes ways one step on; whether that brought anything new."""
        known, new = self.totals[target], False
        for total, preference in list(totals.items()):
            longer = tuple(count + added for count, added in zip(total, adds, strict=True))
            if preference + worse < known.get(longer, np.inf):
                known[longer], new = preference + worse, True
        return new

    def follow(self, end: int, counts: Counts) -> tuple[list[int], list[int]]:
        """One of the ways with these counts: its states, and the actions between them; straight where it can be."""
        goal = (end, counts)
        choices, left = self._towards(goal)
        node, states, actions = self.start, [self.start[0]], list[int]()
        while node != goal:
            able = {a: n for a, n in choices[node] if not self.circling[node[0], a] or left[n] < left[node]}
            actions.append(actions[-1] if actions and actions[-1] in able else min(able))
            node = able[actions[-1]]
            states.append(node[0])
        return states, actions

    def _towards(self, goal: Node) -> tuple[dict[Node, list[tuple[int, Node]]], dict[Node, int]]:
        """From each (state, counts so far): the (action, next) that lead to a goal, and how many steps it is away."""
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


def _leading_to(network: Network, steps: Flags, ends: list[int]) -> Flags:
    """[S, A], those of some steps from which others of them lead to one of some ends."""
    backwards = csr_array(between(network.targets, steps).T)
    left = dijkstra(backwards, indices=np.array(ends), min_only=True, unweighted=True)
    found: Flags = steps & np.isfinite(left)[network.targets]
    return found
