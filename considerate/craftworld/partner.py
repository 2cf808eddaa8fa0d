"""The second agent of the simultaneous experiment, which follows a fixed policy (Alizadeh Alamdari et al. 2021, 4.3).

"If the agent does not have a box, then it will try to get the key (if available), the hammer, or wood (in that priority
order). If [it] has the key, the hammer, and wood, it will go to the factory to make a box. If the agent has a box and
the key, it will leave the key at the 'K' location near the bottom right corner. If the agent has a box and does not
have the key, it will exit the environment. Finally, if the agent needs the key but the key is not available (after
collecting wood and the hammer), then the agent will go to the 'K' location near the bottom right corner and wait".

What the paper leaves open is set so that its Table 1 comes out exactly: taking, making and putting down are each a
step; the step into the exit costs too; the agents do not collide; in each step the acting agent moves first and this
one reacts to what it then finds; if the acting agent leaves with a key that this one still needs, this one loses 100
once, does not move in that step, and is finished. It takes the shortest way, along x before along y where it can.
Whoever enters the exit with a box leaves; so with a box it goes round the exit until it has put the key down.
"""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from considerate.craftworld.arrays import ENDED
from considerate.craftworld.grid import MOVES, Cell, Grid
from considerate.craftworld.rules import State, Things
from considerate.distributions import Number

AT, HAS, FINISHED, KEY = "partner_at", "partner_has", "partner_finished", "key"
HELD_BY_ACTING, HELD_BY_PARTNER = "held", "held by partner"
ALONG_X_FIRST = ("left", "right", "up", "down")


@dataclass(frozen=True)
class Partner:
    """The second agent: everything it knows is in the facts ``key`` and ``partner_…``.

    It heeds walls, but no rules: each of its steps has the usual cost, and what rules close is open to it. That what it
    does is what rules do as well is checked where tasks are read (`agreement.check_policy`).

    Args:
        name: the agent.
        grid: the map that it walks on.
        start: where it enters.
        toolshed: where the hammer is.
        wood: where wood is.
        factory: where a box is made.
        key_place: where it leaves the key, and waits for it.
        exit: where it leaves.
        loss: what it loses if it can no longer finish.
        step_cost: what a step costs.
    """

    name: str
    grid: Grid
    start: Cell
    toolshed: Cell
    wood: Cell
    factory: Cell
    key_place: Cell
    exit: Cell
    loss: Number = 100
    step_cost: Number = 1

    def enters(self, things: Things) -> Things:
        """The facts with this agent at its start."""
        return things.put({AT: self.start, HAS: ()})

    def step(self, things: Things) -> tuple[Things, Number]:
        """Its part of a step: from the facts that it finds, the facts it leaves and its reward."""
        if things[FINISHED]:
            return things, 0
        if _key_is_gone(things):
            return things.put({FINISHED: True}), -self.loss
        items = carried_by(things)
        target = self.target(items, things[KEY])
        if things[AT] == target:
            return things.put(self._changes(items, things[KEY])), -self.step_cost
        after = things.put({AT: self.next_cell(things[AT], target, items)})
        leaves = "box" in items and after[AT] == self.exit
        return (after.put({FINISHED: True}) if leaves else after), -self.step_cost

    def moves(self, things: Things) -> Things:
        """The facts after its part of a step."""
        return self.step(things)[0]

    def reward(self, before: State, after: State) -> Number:
        """Its reward of the step between two states; all that is still to come if the acting agent then leaves."""
        if before.things[FINISHED]:
            return 0
        paid = -self.loss if _key_is_gone(after.things) else -self.step_cost
        return paid + self.rest(after.things) if after.things[ENDED] else paid

    def value(self, things: Things) -> Number:
        """V(s') of equations 1–5: its return because of where the acting agent ended, and from there on.

        That is its return of every later step, and the loss if the acting agent has ended with the key that it still
        needs, although the loss falls into the ending step itself. The usual cost of that step is not in it: it is paid
        wherever the acting agent ends. At the acting agent's initial state s₀ it is the return of doing its task alone.
        """
        return -self.loss if _key_is_gone(things) else self.rest(things)

    def rest(self, things: Things) -> Number:
        """Its return of all later steps, while nobody else acts; the loss if it would wait for ever."""
        total: Number = 0
        while not things[FINISHED]:
            after, reward = self.step(things)
            if after == things:
                return total - self.loss
            things, total = after, total + reward
        return total

    def next_cell(self, cell: Hashable, target: Cell, items: tuple[str, ...]) -> Cell:
        """The next cell on its way with what it carries; where it is, if there is no way."""
        here: Cell = cell if isinstance(cell, tuple) else target
        away = self._distances(target, "box" in items and self.exit not in (here, target))
        for name in ALONG_X_FIRST:
            x, y = here[0] + MOVES[name][0], here[1] + MOVES[name][1]
            if (x, y) in away and away[x, y] < away.get(here, 0):
                return x, y
        return here

    def _distances(self, target: Cell, round_exit: bool) -> dict[Cell, int]:
        """How many steps away from a cell every other one is, where there is a way, perhaps one round the exit."""
        if (target, round_exit) not in self._known_distances:
            free = set(self.grid.free) - ({self.exit} if round_exit else set())
            found, queue = {target: 0}, deque([target])
            while queue:
                x, y = queue.popleft()
                for dx, dy in MOVES.values():
                    if (x + dx, y + dy) in free and (x + dx, y + dy) not in found:
                        found[x + dx, y + dy] = found[x, y] + 1
                        queue.append((x + dx, y + dy))
            self._known_distances[target, round_exit] = found
        return self._known_distances[target, round_exit]

    @cached_property
    def _known_distances(self) -> dict[tuple[Cell, bool], dict[Cell, int]]:
        return {}

    def target(self, items: tuple[str, ...], key: Hashable) -> Cell:
        """Where it wants to be, by what it carries and where the key is."""
        if "box" in items:
            return self.key_place if key == HELD_BY_PARTNER else self.exit
        if isinstance(key, tuple):
            return key
        for item, place in (("hammer", self.toolshed), ("wood", self.wood)):
            if item not in items:
                return place
        return self.factory if key == HELD_BY_PARTNER else self.key_place

    def _changes(self, items: tuple[str, ...], key: Hashable) -> dict[str, Hashable]:
        """What it changes once it is where it wants to be."""
        if "box" in items:
            return {KEY: self.key_place} if key == HELD_BY_PARTNER else {}
        if isinstance(key, tuple):
            return {KEY: HELD_BY_PARTNER}
        for item in ("hammer", "wood"):
            if item not in items:
                return {HAS: tuple(sorted((*items, item)))}
        return {HAS: ("box",)} if key == HELD_BY_PARTNER else {}


def carried_by(things: Things) -> tuple[str, ...]:
    """What the second agent carries besides the key."""
    items = things[HAS]
    return items if isinstance(items, tuple) else ()


def _key_is_gone(things: Things) -> bool:
    """Whether the acting agent has left with a key that this one still needs."""
    return bool(things[ENDED]) and things[KEY] == HELD_BY_ACTING and "box" not in carried_by(things)
