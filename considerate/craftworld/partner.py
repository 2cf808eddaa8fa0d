"""The second agent of the simultaneous experiment, which follows a fixed policy (Alizadeh Alamdari et al. 2021, 4.3).

"If the agent does not have a box, then it will try to get the key (if available), the hammer, or wood (in that priority
order). If [it] has the key, the hammer, and wood, it will go to the factory to make a box. If the agent has a box and
the key, it will leave the key at the 'K' location near the bottom right corner. If the agent has a box and does not
have the key, it will exit the environment. Finally, if the agent needs the key but the key is not available (after
collecting wood and the hammer), then the agent will go to the 'K' location near the bottom right corner and wait".

The policy only *chooses* an action (`Partner.choose`). The effects of actions follow from the rules, which are those of
the acting agent. The paper leaves some things open; here they are chosen so that its Table 1 is reproduced exactly:

- the step into the exit has a cost, too;
- the agents do not collide;
- in each step the acting agent moves first, and this one reacts to the result;
- if the acting agent leaves with a key that this one still needs, this one loses 100 once, does not move in that step,
  and is finished;
- it takes a shortest path, along x before along y if possible;
- it leaves by entering the exit with a box, so with a box it avoids the exit until it has put the key down.
"""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from considerate.craftworld.arrays import ENDED, Walker
from considerate.craftworld.grid import MOVES, Grid, Position
from considerate.craftworld.rules import State, Things, first_change
from considerate.distributions import Number
from multislot.errors import SettingError

AT, HAS, FINISHED, KEY = "partner_at", "partner_has", "partner_finished", "key"
HELD, HELD_BY_OTHER = "held", "held by the other"
WAIT = "wait"
"""The action that does nothing."""
ALONG_X_FIRST = ("left", "right", "up", "down")
MOST_TARGETS = 1000
"""Distances to this number of targets are kept, with different cells closed; a task has about ten."""


@dataclass(frozen=True)
class Partner:
    """The second agent; its state is in the facts ``key`` and ``partner_…``.

    Args:
        walker: its name, where it enters, and the rules, which are those of the acting agent.
        grid: the map that it walks on.
        toolshed: where the hammer is.
        wood: where wood is.
        factory: where a box is made.
        key_place: where it leaves the key, and waits for it.
        exit: where it leaves.
        loss: what it loses if it can no longer finish.
        step_cost: what each of its steps costs.
    """

    walker: Walker
    grid: Grid
    toolshed: Position
    wood: Position
    factory: Position
    key_place: Position
    exit: Position
    loss: Number = 100
    step_cost: Number = 1

    @property
    def name(self) -> str:
        """The agent."""
        return self.walker.name

    def enters(self, things: Things) -> Things:
        """Return the facts with this agent at its start."""
        return things.put({AT: self.walker.start, HAS: Things()})

    def sees(self, things: Things) -> Things:
        """Return the facts as this agent sees them: what it carries, and where the key is."""
        return carried_by(things).put({KEY: _from_the_other_side(things[KEY])})

    def act(self, things: Things, action: str) -> Things:
        """Return the facts after an action of this agent, by the rules."""
        cell, seen, change = self.walker.act(self._free, position_of(things), self.sees(things), action)
        after = {AT: cell, HAS: seen.put({KEY: None}), KEY: _from_the_other_side(seen[KEY])}
        return things.put(after | {FINISHED: True} if change is not None and change.ends else after)

    def choose(self, things: Things) -> str:
        """Return its policy's action: a move towards its target or, at the target, the first action with an effect."""
        here, seen = position_of(things), self.sees(things)
        target = self.target(seen)
        if here != target:
            return self._towards(target, here, seen)
        own = (action for action in self.walker.actions if action not in MOVES)
        return next((action for action in own if first_change(self.walker.changes, action, seen, here)), WAIT)

    def target(self, seen: Things) -> Position:
        """Choose its goal, by what it carries and where the key is."""
        key = seen[KEY]
        if seen["box"]:
            return self.key_place if key == HELD else self.exit
        if isinstance(key, tuple):
            return cast("Position", key)
        for item, place in (("hammer", self.toolshed), ("wood", self.wood)):
            if not seen[item]:
                return place
        return self.factory if key == HELD else self.key_place

    def step(self, things: Things) -> tuple[Things, Number]:
        """Return the facts after its part of a step, and its reward."""
        if things[FINISHED]:
            return things, 0
        if key_is_gone(things):
            return things.put({FINISHED: True}), -self.loss
        return self.act(things, self.choose(things)), -self.step_cost

    def moves(self, things: Things) -> Things:
        """Return the facts after its part of a step."""
        return self.step(things)[0]

    def reward(self, before: State, after: State) -> Number:
        """Return its reward for the step between two states; if the acting agent ends there, with all later rewards."""
        if before.things[FINISHED]:
            return 0
        paid = -self.loss if key_is_gone(after.things) else -self.step_cost
        return paid + self.rest(after.things) if after.things[ENDED] else paid

    def value(self, state: State) -> Number:
        """Return V(s') of equations 1–5: its return from where the acting agent ended.

        This is its return over all later steps. The loss counts as well if the acting agent has ended with the key that
        it still needs, although the loss falls into the ending step itself. The usual cost of the ending step does not
        count: it is paid wherever the acting agent ends. At s₀ this is the return of doing its task alone.
        """
        return -self.loss if key_is_gone(state.things) else self.rest(state.things)

    def rest(self, things: Things) -> Number:
        """Return the sum of its later rewards while nobody else acts; with the loss if it would never finish."""
        total: Number = 0
        visited = {things}
        while not things[FINISHED]:
            things, reward = self.step(things)
            if things in visited:
                return total - self.loss
            visited.add(things)
            total += reward
        return total

    def check(self, key: Hashable) -> None:
        """Raise SettingError if it could not finish alone, with the key in place or kept by the other for some time."""
        for place in (key, HELD):
            things, visited = self.enters(Things.of({KEY: place})), set[Things]()
            while not things[FINISHED]:
                if things in visited and things[KEY] != HELD:
                    raise self._stuck(things)
                put_back = things in visited
                visited.add(things)
                things = things.put({KEY: self.key_place}) if put_back else self.moves(things)
            if things[KEY] == HELD_BY_OTHER:
                raise SettingError(
                    f"{self.name!r} would leave with the key; give it another key_place than its exit {self.exit}"
                )

    def _stuck(self, things: Things) -> SettingError:
        return SettingError(
            f"{self.name!r} would never finish: at {things[AT]} with {self.sees(things)!r} it wants to be at "
            f"{self.target(self.sees(things))}; give it cells that it can reach and where a rule does what it comes for"
        )

    def _towards(self, target: Position, here: Position, seen: Things) -> str:
        """The first move of a shortest path; `WAIT` if there is no path."""
        closed = self.walker.closed(seen)
        if seen["box"] and self.exit not in (here, target):
            closed |= {self.exit}
        away = distances(self._free, target, closed - {here})
        for name in ALONG_X_FIRST:
            cell = (here[0] + MOVES[name][0], here[1] + MOVES[name][1])
            if away.get(cell, len(away)) < away.get(here, 0):
                return name
        return WAIT

    @cached_property
    def _free(self) -> frozenset[Position]:
        return frozenset(self.grid.free)


@lru_cache(maxsize=MOST_TARGETS)
def distances(free: frozenset[Position], target: Position, closed: frozenset[Position]) -> dict[Position, int]:
    """The distance in steps from every free cell to a target, around closed cells."""
    steps, queue = {target: 0}, deque([target])
    while queue:
        x, y = queue.popleft()
        for cell in ((x + dx, y + dy) for dx, dy in MOVES.values()):
            if cell in free and cell not in steps and cell not in closed:
                steps[cell] = steps[x, y] + 1
                queue.append(cell)
    return steps


def carried_by(things: Things) -> Things:
    """The things that the second agent carries, besides the key."""
    return cast("Things", things[HAS] or Things())


def position_of(things: Things) -> Position:
    """The cell of the second agent."""
    return cast("Position", things[AT])


def key_is_gone(things: Things) -> bool:
    """Whether the acting agent has left with a key that the second agent still needs."""
    return bool(things[ENDED]) and things[KEY] == HELD and not carried_by(things)["box"]


def _from_the_other_side(key: Hashable) -> Hashable:
    """The place of the key, as the other agent sees it."""
    return {HELD: HELD_BY_OTHER, HELD_BY_OTHER: HELD}.get(key, key) if isinstance(key, str) else key
