"""A walk in Craft-World as arrays: its states, where each action leads, and what it costs.

A state is a cell and the facts (`rules.Things`). The states are found by a search from the start. Facts change only at
the few cells that have a rule, so the search goes over facts in Python and over cells in NumPy: a map of 100×100 cells
takes seconds. Only states that can be reached are kept.

`Graph.learn_values` is the Q-learning of appendix C of Alizadeh Alamdari et al. 2021: everything is deterministic,
γ = 1, the learning rate is 1, and exploration is ε-greedy. The paper does not give the initial values. Here they are
the largest reward of a last step. If every step costs something, no true value is larger. Such optimistic values make
the agent explore even with ε = 0, which the paper uses for Table 1.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from considerate.craftworld.grid import MOVES, Grid, Position
from considerate.craftworld.qlearning import q_learning
from considerate.craftworld.rules import ENTERING, Barrier, Change, State, Things, first_change
from considerate.distributions import Number
from considerate.exact.paths.network import NegativeCycleError, Network, between
from considerate.exact.paths.rationals import Rationals, as_fraction
from multislot.engine.stream import EndlessStream
from multislot.errors import NeverEndingError, TooLargeError
from multislot.mdp.chains import Flags, Floats, Integers, reaches
from multislot.mdp.solving import TabularMDP

ENDED = "ended"
"""The fact that the agent has finished and left; a state with it is terminal."""

EPISODE_STEPS = 1000
"""Episodes of Q-learning are truncated after this number of steps, as in the authors' released experiments."""

MOST_STATES = 20_000_000
"""Cells times fact sets above which a search is refused."""


@dataclass(frozen=True)
class Walker:
    """An agent that walks: where it starts and by which rules.

    Args:
        name: the agent.
        start: the cell where it enters.
        changes: the rules under which something happens, in order of precedence.
        barriers: the rules that close cells to it.
    """

    name: str
    start: Position
    changes: tuple[Change, ...]
    barriers: tuple[Barrier, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """The moves, then every other action that a rule names, in order of first use."""
        return tuple(MOVES) + tuple(dict.fromkeys(rule.by for rule in self.changes if rule.by != ENTERING))

    def closed(self, things: Things) -> frozenset[Position]:
        """Return the cells that cannot be entered while some facts hold."""
        return frozenset(cell for rule in self.barriers for cell in rule.at if rule.closed(things, cell))

    def act(
        self, free: Collection[Position], cell: Position, things: Things, action: str
    ) -> tuple[Position, Things, Change | None]:
        """Apply an action; return the cell and the facts afterwards, and the rule that applied, if any.

        Args:
            free: the cells of the map that are not walls.
            cell: where the agent is.
            things: the facts as it sees them.
            action: a move, or another action; a name that no rule has does nothing.
        """
        event = action
        if action in MOVES:
            (x, y), (dx, dy) = cell, MOVES[action]
            target = (x + dx, y + dy)
            if target in free and not any(rule.closed(things, target) for rule in self.barriers):
                event, cell = ENTERING, target
        change = first_change(self.changes, event, things, cell)
        return cell, things if change is None else change.after(things, cell), change


Meanwhile = Callable[[Things], Things]
"""What the others do in a step: from the facts that they find to the facts that they leave."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A deterministic decision process over the states that can be reached.

    Attributes:
        actions: names of the A actions.
        cells: the cells that states refer to.
        things: the sets of facts that states refer to.
        cell_of: [S], index into `cells`.
        things_of: [S], index into `things`.
        targets: [S, A], the state that an action leads to; the state itself where it is terminal.
        exact_costs: [S, A], what the step costs; 0 in terminal states.
        terminal: [S], whether the agent has finished.
        starts: the states in which the search started.
    """

    actions: tuple[str, ...]
    cells: tuple[Position, ...]
    things: tuple[Things, ...]
    cell_of: Integers
    things_of: Integers
    targets: Integers
    exact_costs: Rationals
    terminal: Flags
    starts: Integers

    @property
    def n_states(self) -> int:
        """Number of states S."""
        return len(self.cell_of)

    def state(self, index: int) -> State:
        """Return the cell and facts of a state."""
        return State(self.cells[self.cell_of[index]], self.things[self.things_of[index]])

    @property
    def costs(self) -> Floats:
        """[S, A], what the step costs, as floats."""
        return self.exact_costs.floats

    @cached_property
    def transitions(self) -> tuple[csr_array, ...]:
        """One [S, S] matrix an action, empty rows for terminal states."""
        live = np.flatnonzero(~self.terminal)
        counts = np.concatenate([[0], np.cumsum(~self.terminal)])
        shape = (self.n_states, self.n_states)
        return tuple(
            csr_array((np.ones(len(live)), self.targets[live, action], counts), shape=shape)
            for action in range(len(self.actions))
        )

    def evaluate(self, function: Callable[[State, str, State], Number]) -> Rationals:
        """Evaluate a function of (state, action, next state) at every step, [S, A]; 0 in terminal states."""
        states = [self.state(index) for index in range(self.n_states)]
        values = [
            0 if self.terminal[source] else function(states[source], self.actions[action], states[target])
            for source, targets in enumerate(self.targets.tolist())
            for action, target in enumerate(targets)
        ]
        return Rationals.of(values, self.targets.shape)

    def process(self, rewards: Floats | None = None) -> TabularMDP:
        """Return the walk as a decision process from its first start; rewards [S, A] are by default minus the costs."""
        start = np.zeros(self.n_states)
        start[self.starts[0]] = 1
        return TabularMDP(self.transitions, -self.costs if rewards is None else rewards, start)

    def ends(self) -> Integers:
        """Return the terminal states."""
        return np.flatnonzero(self.terminal)

    def follow(self, policy: Integers, start: int) -> tuple[list[int], list[int]] | None:
        """Follow a policy, [S]; return the states and the actions between them, or None if it never ends."""
        state, visited, actions = int(start), dict[int, None](), list[int]()
        while not self.terminal[state]:
            if state in visited:
                return None
            visited[state] = None
            actions.append(int(policy[state]))
            state = int(self.targets[state, actions[-1]])
        return [*visited, state], actions

    def learn_values(
        self, rewards: Floats, starts: Integers, steps: int, epsilon: float, stream: EndlessStream
    ) -> Floats:
        """Learn action values by Q-learning, [S, A].

        Args:
            rewards: [S, A], what a step pays.
            starts: the states in which episodes start, in turn.
            steps: how many steps to learn in all.
            epsilon: chance of exploring.
            stream: where chance is read.
        """
        last = rewards[self.terminal[self.targets] & ~self.terminal[:, None]]
        values = q_learning(
            self.targets.ravel().tolist(),
            rewards.ravel().tolist(),
            self.terminal.tolist(),
            starts.tolist(),
            len(self.actions),
            steps,
            EPISODE_STEPS,
            epsilon,
            1.0,
            1.0,
            float(last.max()),
            stream,
        )
        return np.array(values).reshape(self.targets.shape)

    @cached_property
    def walks(self) -> Network:
        """The steps with their costs times `exact_costs.denominator`."""
        return self.network(self.exact_costs)

    def network(self, weights: Rationals, steps: Flags | None = None) -> Network:
        """Return the steps with other weights, as whole numbers: times ``weights.denominator``.

        Args:
            weights: [S, A].
            steps: [S, A], the steps that can be taken; by default all that do not start in a terminal state.

        Raises:
            NeverEndingError: a cycle has a negative cost.
        """
        live = np.repeat(~self.terminal[:, None], len(self.actions), axis=1)
        network = Network(self.targets, weights.whole(self.n_states), live if steps is None else live & steps)
        try:
            _ = network.potential
        except NegativeCycleError as cycle:
            cell, things = self.state(cycle.state)
            raise NeverEndingError(
                f"never ending pays without bound: {self.actions[cycle.action]!r} at {cell} with {things!r} gains "
                f"{-weights.exact(cycle.state, cycle.action)} and is part of a cycle that gains; let the step cost, "
                "or need something that it takes away, or give other coefficients"
            ) from None
        return network

    def steps_to(self, goals: Integers) -> Floats:
        """Return the least number of steps from every state to each of some goals, [goals, S]; ∞ without path."""
        live = np.repeat(~self.terminal[:, None], len(self.actions), axis=1)
        steps = between(self.targets, live).T
        return np.asarray(dijkstra(csr_array(steps), indices=goals, unweighted=True))


def explore(
    grid: Grid,
    walker: Walker,
    entering: Sequence[Things],
    step_cost: Number = 1,
    meanwhile: Meanwhile | None = None,
    actions: tuple[str, ...] | None = None,
) -> Graph:
    """Find all states of a walk and where its actions lead.

    Args:
        grid: the map.
        walker: the agent that walks.
        entering: the facts that it may find when it enters; each gives one start.
        step_cost: what a step costs where no rule says otherwise.
        meanwhile: what others do after each of its steps; by default nothing.
        actions: names of all actions in their order; by default those of the walker.

    Raises:
        TooLargeError: cells times fact sets exceed `MOST_STATES`.
    """
    search = _Search(grid, walker, walker.actions if actions is None else actions, step_cost, meanwhile)
    starts = [search.index(things) * search.n_cells + search.cell_index[walker.start] for things in entering]
    return search.graph(np.array(starts))


class _Search:
    """The search of `explore`: all cells of one set of facts at a time."""

    def __init__(
        self, grid: Grid, walker: Walker, actions: tuple[str, ...], step_cost: Number, meanwhile: Meanwhile | None
    ) -> None:
        self.walker, self.actions, self.step_cost = walker, actions, step_cost
        self.cells = grid.free
        self.n_cells = len(self.cells)
        self.cell_index = {cell: index for index, cell in enumerate(self.cells)}
        self.moves = _moves(self.cells, self.cell_index, actions)
        places = [rule.at for rule in walker.changes] + [barrier.at for barrier in walker.barriers]
        # Action and cell of every step that a rule may change, by the cell that it leads to.
        self.special: list[tuple[int, int]] = []
        for cell in sorted({self.cell_index[cell] for cells in places for cell in cells}):
            arriving = np.argwhere((self.moves == cell) & (np.arange(self.n_cells) != cell))
            self.special += [(int(action), int(source)) for action, source in arriving]
            self.special += [(action, cell) for action, name in enumerate(actions) if name not in MOVES]
        self.costs: dict[Number, int] = {}
        self.things: list[Things] = []
        self.indices: dict[Things, int] = {}
        # The index of the facts after the others' part of a step, which is computed once.
        self.settle = cache(lambda things: self.index(things if meanwhile is None else meanwhile(things)))

    def index(self, things: Things) -> int:
        """The index of a set of facts; a new set will be searched."""
        if things not in self.indices:
            self.indices[things] = len(self.things)
            self.things.append(things)
            if len(self.things) * self.n_cells > MOST_STATES:
                raise TooLargeError(
                    f"more than {MOST_STATES:,} states; use fewer facts or a smaller map, or learn instead of solving"
                )
        return self.indices[things]

    def _layer(self, things: Things) -> tuple[Integers, Integers]:
        """Targets and indices into `costs`, [cells, A] each, of all states with these facts."""
        shape = (self.n_cells, len(self.actions))
        if things[ENDED]:
            own = self.indices[things] * self.n_cells + np.arange(self.n_cells)
            return np.repeat(own[:, None], shape[1], axis=1), np.full(shape, self._cost(0))
        settled = self.settle(things)
        targets, costs = settled * self.n_cells + self.moves.T, np.full(shape, self._cost(self.step_cost))
        for action, source in self.special:
            cell, after, change = self.walker.act(self.cell_index, self.cells[source], things, self.actions[action])
            following = settled
            if change is not None:
                following = self.settle(after.put({ENDED: True}) if change.ends else after)
                if change.cost is not None:
                    costs[source, action] = self._cost(change.cost)
            targets[source, action] = following * self.n_cells + self.cell_index[cell]
        return targets, costs

    def _cost(self, cost: Number) -> int:
        return self.costs.setdefault(cost, len(self.costs))

    def graph(self, starts: Integers) -> Graph:
        """The part that can be reached from the starts."""
        layers = [self._layer(things) for things in self.things]  # `_layer` adds to `things`
        targets = np.concatenate([layer[0] for layer in layers])
        backwards = csr_array(between(targets, np.ones(targets.shape, dtype=bool)).T)
        kept = np.flatnonzero(reaches(backwards, np.isin(np.arange(len(targets)), starts)))
        new = np.full(len(targets), -1)
        new[kept] = np.arange(len(kept))
        kinds = np.concatenate([layer[1] for layer in layers])[kept]
        ended = np.array([bool(things[ENDED]) for things in self.things])
        return Graph(
            actions=self.actions,
            cells=self.cells,
            things=tuple(self.things),
            cell_of=kept % self.n_cells,
            things_of=kept // self.n_cells,
            targets=new[targets[kept]],
            exact_costs=Rationals(tuple(map(as_fraction, self.costs)), kinds),
            terminal=ended[kept // self.n_cells],
            starts=new[starts],
        )


def _moves(cells: tuple[Position, ...], index: dict[Position, int], actions: tuple[str, ...]) -> Integers:
    """[A, cells], the cell that an action leads to if nothing is closed."""
    steps = [MOVES.get(action, (0, 0)) for action in actions]
    return np.array([[index.get((x + dx, y + dy), own) for own, (x, y) in enumerate(cells)] for dx, dy in steps])
