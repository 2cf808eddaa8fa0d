"""Craft-World as worlds of the engine, so that anything that acts can walk in it: `run`, PettingZoo, learners.

Sequential tasks: the acting agent lives in slot 1; when it has finished, its slot is emptied and those who come later
fill theirs, each in the world as the acting agent has left it (Alizadeh Alamdari et al. 2021, section 3). Simultaneous
ones: both agents act, the acting one first (section 4.3). Rewards are each agent's own; caring is up to wrappers.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from considerate.craftworld.arrays import ENDED, Walker, explore
from considerate.craftworld.definition import Holder, Owner, Task, Visitor, Visits
from considerate.craftworld.drawing import ansi, rgb_array
from considerate.craftworld.files import task as named_task
from considerate.craftworld.grid import MOVES, Cell
from considerate.craftworld.partner import AT, FINISHED, HAS, HELD_BY_ACTING, HELD_BY_PARTNER, KEY, Partner
from considerate.craftworld.rules import ENTERING, Change, State, Things, first_change
from multislot.errors import SettingError
from multislot.turn import Percept, Turn
from multislot.world import World

ACTING, SECOND = 1, 2
FOLLOW = "follow"
"""The action that does what the second agent's policy in the paper does once the first has moved."""
BYSTANDERS = "bystanders"
"""Under this key every percept's info has the returns so far of those who are affected and do not act, by name."""


class SequentialWorld(World):
    """A task in which one agent acts first and walkers come later.

    A walker that finds its task impossible is paid what that is worth in its first step, and has then finished.
    Observations are states, numbered through over all agents; 0 is not used. Owners and holders of options do not act:
    what they lose and gain stands in every percept's info under `BYSTANDERS`, a holder's once the acting agent is gone.

    Args:
        task: the task, or the name of one of the papers'.

    Raises:
        SettingError: if it is no task, or both act at the same time in it.
        UnknownNameError: if no task has this name.
    """

    def __init__(self, task: Task | str) -> None:
        self.task = _as_task(task)
        if self.task.partner is not None:
            raise SettingError(f"in task {self.task.name!r} both act at the same time; use SimultaneousWorld")
        visitors = [other for other in self.task.others if isinstance(other, Visitor)]
        walkers = [self.task.acting, *(visitor.walker for visitor in visitors)]
        self.actions = tuple(dict.fromkeys(action for walker in walkers for action in walker.actions))
        self.names = tuple(walker.name for walker in walkers)
        self.affected = self.task.agents[1:]
        self.visits: tuple[Visits, ...] = tuple(map(self.task.visits, visitors))
        acting = explore(self.task.grid, walkers[0], [self.task.start.things], self.task.step_cost, None, self.actions)
        later = [
            explore(self.task.grid, visits.visitor.walker, list(visits.starts), self.task.step_cost, None, self.actions)
            for visits in self.visits
        ]
        self.graphs = (acting, *later)
        self.offsets = [1]
        for graph in self.graphs:
            self.offsets.append(self.offsets[-1] + graph.n_states)
        self.n_observations, self.n_actions = self.offsets[-1], len(self.actions)
        self.at: dict[int, int] = {}
        self.failed: set[int] = set()

    def start(self, seed: int) -> dict[int, Percept]:
        """Begin with the acting agent alone."""
        self.at, self.failed = {ACTING: int(self.graphs[0].starts[0])}, set()
        return {ACTING: self._percept(ACTING, 0.0)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Move everyone; when the acting agent has finished, let the others enter."""
        rewards, ended = dict[int, float](), list[int]()
        for slot, action in actions.items():
            graph, before = self.graphs[slot - 1], self.at[slot]
            reward = -float(graph.costs[before, action])
            self.at[slot] = int(graph.targets[before, action])
            if slot in self.failed:
                reward = float(self.visits[slot - 2].visitor.impossible)
            rewards[slot] = reward
            if slot in self.failed or graph.terminal[self.at[slot]]:
                ended.append(slot)
        spawned = self._entering() if ACTING in ended else []
        rewards |= dict.fromkeys(spawned, 0.0)
        percepts = {slot: self._percept(slot, reward) for slot, reward in rewards.items()}
        return Turn({slot: (slot,) for slot in actions}, percepts, ended, spawned)

    def _entering(self) -> list[int]:
        """Put those who come later where they start, with what they find."""
        left = self.task.left(self._state(ACTING))
        for slot, visits in enumerate(self.visits, SECOND):
            self.at[slot] = int(self.graphs[slot - 1].starts[list(visits.starts).index(left)])
            if not visits.can_end(left):
                self.failed.add(slot)
        return list(range(SECOND, SECOND + len(self.visits)))

    def situation(self, slot: int) -> State | None:
        """Where an agent is and what is true in its world; None before it has entered."""
        return self._state(slot) if slot in self.at else None

    def _state(self, slot: int) -> State:
        return self.graphs[slot - 1].state(self.at[slot])

    def bystanders(self) -> dict[str, float]:
        """The returns so far of those who do not act, by name."""
        return {other.name: self._return_of(other) for other in self.task.others if not isinstance(other, Visitor)}

    def _return_of(self, other: Owner | Holder) -> float:
        acting = self._state(ACTING)
        if isinstance(other, Holder):
            return float(bool(acting.things[ENDED]) and other.initiation.holds(self.task.left(acting)))
        counted = [slot for slot in self.at if slot == ACTING or self.names[slot - 1] in other.walkers]
        times = sum(bool(self._state(slot).things[other.fact]) for slot in counted)
        return 0.0 - float(other.loss) * times

    def _percept(self, slot: int, reward: float) -> Percept:
        info = {"agent": self.names[slot - 1], "state": self._state(slot), BYSTANDERS: self.bystanders()}
        return Percept(self.offsets[slot - 1] + self.at[slot], reward, info)

    def describe(self, observation: int) -> str:
        """Return whose state an observation is, and what it is."""
        for name, offset, graph in zip(self.names, self.offsets, self.graphs, strict=False):
            if offset <= observation < offset + graph.n_states:
                cell, things = graph.state(observation - offset)
                return f"{name} at {cell}, {things}"
        return super().describe(observation)

    def describe_action(self, action: int) -> str:
        """Return an action's name."""
        return self.actions[action]

    def text(self) -> str:
        """Return the map with whoever is there, and what is true in its world."""
        return "\n\n".join(ansi(self.task, self._state(slot)) for slot in self._present())

    def picture(self) -> NDArray[np.uint8]:
        """Return the map with the first agent that is there, as pixels."""
        return rgb_array(self.task, self._state(self._present()[0]))

    def _present(self) -> list[int]:
        """The slots of those who have not finished; of those who finished last if nobody is left."""
        going = [s for s in self.at if not self.graphs[s - 1].terminal[self.at[s]]]
        return going or [max(self.at)]

    def copy(self) -> "SequentialWorld":
        """Return a world in the same state; the task, which never changes, is shared."""
        twin = SequentialWorld.__new__(SequentialWorld)
        twin.__dict__ = {**self.__dict__, "at": dict(self.at), "failed": set(self.failed)}
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> "SequentialWorld":
        return self.copy()


class SimultaneousWorld(World):
    """Both agents of the simultaneous experiment; each chooses its actions, the acting one moves first.

    An agent sees its own cell and things and where the key is (`key_places`); it does not see the other. The second
    agent's action `FOLLOW` does what its policy in the paper does, which reacts to the first one's move of the same
    step; for the acting agent it is waiting. Whoever leaves with a key that the other still needs costs it the loss,
    and ends it. Episodes in which the second agent follows have the returns of the paper's Table 1.

    Args:
        task: the task, or its name.

    Raises:
        SettingError: if it is no task, others come later in it, or something else is true at first than where the key
            lies.
        UnknownNameError: if no task has this name.
    """

    def __init__(self, task: Task | str = "shared-key") -> None:
        self.task = _as_task(task)
        if self.task.partner is None:
            raise SettingError(f"in task {self.task.name!r} others come later; use SequentialWorld")
        self.partner: Partner = self.task.partner
        self.walker: Walker = self.task.acting
        self.names = (self.walker.name, self.partner.name)
        self.affected = self.names[1:]
        self.actions = (*self.walker.actions, FOLLOW)
        self.cells = self.task.grid.free
        self.items = _item_sets(self.walker)
        places = sorted({cell for rule in self.walker.changes if "key" in rule.sets for cell in rule.at})
        self.key_places: tuple[Any, ...] = ("held", "held by the other", "taken away", *places)
        if set(self.task.facts) != {"key"} or self.task.facts["key"] not in places:
            raise SettingError(
                f"in task {self.task.name!r} {self.task.facts} is true at first; expected only the key, lying where a "
                f"rule can put it: at one of {places}"
            )
        self.n_observations = 1 + len(self.cells) * len(self.items) * len(self.key_places)
        self.n_actions = len(self.actions)
        self.at: dict[int, Cell] = {}
        self.own: dict[int, Things] = {}
        self.left: set[int] = set()
        self.key: Any = None

    def start(self, seed: int) -> dict[int, Percept]:
        """Begin with both at their starts."""
        self.at = {ACTING: self.walker.start, SECOND: self.partner.start}
        self.own, self.left = {ACTING: Things(), SECOND: Things()}, set()
        self.key = self.task.facts["key"]
        return {slot: self._percept(slot, 0.0) for slot in self.at}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Move the acting agent, then the second."""
        rewards, ended = dict.fromkeys(actions, 0.0), list[int]()
        for slot in sorted(actions):
            if slot in ended:
                continue
            change = self._move(slot, self.actions[actions[slot]])
            rewards[slot] -= self._cost(slot, change)
            if change is not None and change.ends:
                ended.append(slot)
                other = ACTING + SECOND - slot
                if self.key == slot and other in actions and other not in ended and self.own[other]["box"] is None:
                    rewards[other] -= float(self.partner.loss)
                    ended.append(other)
        self.left.update(ended)
        percepts = {slot: self._percept(slot, rewards[slot]) for slot in actions}
        return Turn({slot: (slot,) for slot in actions}, percepts, ended)

    def situation(self, slot: int) -> State | None:
        """The state in which the acting agent is, as the task's states are; None for the second agent."""
        if slot != ACTING:
            return None
        keys = {ACTING: HELD_BY_ACTING, SECOND: HELD_BY_PARTNER}
        finished = {name: True for name, who in ((ENDED, ACTING), (FINISHED, SECOND)) if who in self.left}
        second = {KEY: keys.get(self.key, self.key), AT: self.at[SECOND], HAS: tuple(sorted(self.own[SECOND]))}
        return State(self.at[ACTING], self.own[ACTING].put(second | finished))

    def text(self) -> str:
        """Return the map with the acting agent, and where the second one is and the key."""
        return ansi(self.task, self._shown())

    def picture(self) -> NDArray[np.uint8]:
        """Return the map with the acting agent, the second one and the key, as pixels."""
        return rgb_array(self.task, self._shown())

    def _shown(self) -> State:
        """What a picture shows."""
        facts = dict(self.own[ACTING].facts) | {"key": self._key_seen(ACTING), self.names[1]: self.at[SECOND]}
        return State(self.at[ACTING], Things.of(facts))

    def _cost(self, slot: int, change: Change | None) -> float:
        """What a step costs: by its rule if the acting agent takes it, the usual cost if the second one does."""
        if change is None or change.cost is None or slot == SECOND:
            return float(self.task.step_cost)
        return float(change.cost)

    def _move(self, slot: int, action: str) -> Change | None:
        """Do one agent's action; the rule by which that changed something."""
        follows = action == FOLLOW
        if follows:
            action = self._policy_action() if slot == SECOND else FOLLOW
        event, cell = action, self.at[slot]
        if action in MOVES:
            dx, dy = MOVES[action]
            target = (cell[0] + dx, cell[1] + dy)
            enters = target in self.cells and (follows or not self._closed(slot, target))
            event, cell = (ENTERING, target) if enters else (FOLLOW, cell)
        self.at[slot] = cell
        before = self.own[slot].put({"key": self._key_seen(slot)})
        change = first_change(self.walker.changes, event, before, cell)
        if change is not None:
            after = change.after(before, cell)
            if "key" in change.sets:
                self.key = slot if after["key"] == "held" else after["key"]
            self.own[slot] = after.put({"key": None})
        return change

    def _closed(self, slot: int, cell: Cell) -> bool:
        """Whether a rule closes a cell to an agent."""
        before = self.own[slot].put({"key": self._key_seen(slot)})
        return any(barrier.closed(before, cell) for barrier in self.walker.barriers)

    def _policy_action(self) -> str:
        """What the second agent's policy does now."""
        items = tuple(sorted(self.own[SECOND]))
        key = HELD_BY_PARTNER if self.key == SECOND else "held" if self.key == ACTING else self.key
        target = self.partner.target(items, key)
        if self.at[SECOND] == target:
            return "use"
        x, y = self.at[SECOND]
        to_x, to_y = self.partner.next_cell(self.at[SECOND], target, items)
        return next((name for name, step in MOVES.items() if step == (to_x - x, to_y - y)), FOLLOW)

    def _key_seen(self, slot: int) -> Any:
        """Where the key is, as one agent sees it."""
        if self.key in self.left:
            return "taken away"
        if self.key == slot:
            return "held"
        return "held by the other" if self.key in (ACTING, SECOND) else self.key

    def _percept(self, slot: int, reward: float) -> Percept:
        place = self.key_places.index(self._key_seen(slot))
        items = self.items.index(tuple(sorted(self.own[slot])))
        index = (self.cells.index(self.at[slot]) * len(self.items) + items) * len(self.key_places) + place
        return Percept(1 + index, reward, {"agent": self.names[slot - 1], "cell": self.at[slot]})

    def describe(self, observation: int) -> str:
        """Return the cell, the things and where the key is."""
        if observation == 0:
            return super().describe(observation)
        rest, place = divmod(observation - 1, len(self.key_places))
        cell, items = divmod(rest, len(self.items))
        carried = ", ".join(self.items[items]) or "nothing"
        return f"at {self.cells[cell]} with {carried}, key: {self.key_places[place]}"

    def describe_action(self, action: int) -> str:
        """Return an action's name."""
        return self.actions[action]


def _as_task(task: Task | str) -> Task:
    """A task, or the one of this name; raises SettingError if it is neither."""
    if isinstance(task, Task):
        return task
    if not isinstance(task, str):
        raise SettingError(f"the task is {task!r}; expected a Task, or the name of one of the papers'")
    return named_task(task)


def _item_sets(walker: Walker) -> list[tuple[str, ...]]:
    """Every set of things but the key that rules can give an agent, in order of names."""
    names = sorted({name for rule in walker.changes for name, value in rule.sets.items() if value} - {"key"})
    return [tuple(n for bit, n in enumerate(names) if number >> bit & 1) for number in range(2 ** len(names))]
