"""Craft-World tasks as worlds of the engine, for `run`, PettingZoo and learners.

In a sequential task the acting agent lives in slot 1. When it has finished, its slot is emptied and the others enter
theirs, each in a world as the acting agent has left it (Alizadeh Alamdari et al. 2021, section 3). In a simultaneous
task both agents act, the acting one first (section 4.3). Rewards are each agent's own; wrappers add caring.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from considerate.craftworld.arrays import ENDED, Walker, explore
from considerate.craftworld.definition import BYSTANDERS, Holder, Owner, Task, Visitor, Visits
from considerate.craftworld.drawing import ansi, rgb_array
from considerate.craftworld.files import TASKS, load_task
from considerate.craftworld.files import task as named_task
from considerate.craftworld.partner import (
    AT,
    FINISHED,
    HAS,
    HELD,
    HELD_BY_OTHER,
    KEY,
    carried_by,
    position_of,
)
from considerate.craftworld.rules import HERE, State, Things
from considerate.distributions import Number
from multislot.checks import checked_instance
from multislot.engine.turn import Percept, Turn
from multislot.engine.world import World
from multislot.errors import SettingError

ACTING, SECOND = 1, 2
FOLLOW = "follow"
"""The action that follows the second agent's policy in the paper, after the first agent's move."""
TAKEN_AWAY = "taken away"
LEFT = {ACTING: ENDED, SECOND: FINISHED}
"""The fact that is true when an agent has left, by slot."""
NOT_CARRIED = {AT, HAS, FINISHED, ENDED, KEY}


def task_world(task: Task | str) -> "SequentialWorld | SimultaneousWorld":
    """A task as a world of the engine."""
    chosen = named_task(task) if isinstance(task, str) else checked_instance("task", task, Task)
    return SequentialWorld(chosen) if chosen.partner is None else SimultaneousWorld(chosen)


def file_world(path: str | Path = "box") -> "SequentialWorld | SimultaneousWorld":
    """A task of your own, from a file."""
    return task_world(path if isinstance(path, str) and path in TASKS else load_task(path))


class TaskWorld(World):
    """What the worlds of all tasks share."""

    task: Task
    actions: tuple[str, ...]

    def describe_action(self, action: int) -> str:
        """Return an action's name."""
        return self.actions[action]

    def copy(self) -> Self:
        """Return a world in the same state; what is shared never changes, since a step makes a new state."""
        twin = type(self).__new__(type(self))
        twin.__dict__ = vars(self).copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()


class SequentialWorld(TaskWorld):
    """A task in which one agent acts first and walkers come later.

    A walker whose task is impossible does not move. It gets `Visitor.impossible` in its first step, and has then
    finished. Observations are the numbers of states, counted over all agents from 1 on. Owners and holders of options
    do not act. Every percept's info has their losses and gains so far under `BYSTANDERS`; a holder gains when the
    acting agent has left.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        visitors = [other for other in self.task.others if isinstance(other, Visitor)]
        walkers = [self.task.acting, *(visitor.walker for visitor in visitors)]
        self.actions = tuple(dict.fromkeys(action for walker in walkers for action in walker.actions))
        self.agent_names = tuple(walker.name for walker in walkers)
        self.max_agents = len(walkers)
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
        """Start with the acting agent alone."""
        self.at, self.failed = {ACTING: int(self.graphs[0].starts[0])}, set()
        return {ACTING: self._percept(ACTING, 0.0)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Move everyone; when the acting agent has finished, let the others enter."""
        rewards: dict[int, float] = {}
        ended: list[int] = []
        spawned: list[int] = []
        before, self.at = self.at, self.at.copy()  # copies of this world share the old positions
        for slot, action in actions.items():
            if slot in self.failed:
                rewards[slot] = float(self.visits[slot - SECOND].visitor.impossible)
                ended.append(slot)
                continue
            graph = self.graphs[slot - 1]
            rewards[slot] = -float(graph.costs[before[slot], action])
            self.at[slot] = int(graph.targets[before[slot], action])
            if graph.terminal[self.at[slot]]:
                ended.append(slot)
        if ACTING in ended:
            left = self.task.left(self._state(ACTING))
            for slot, visits in enumerate(self.visits, SECOND):
                self.at[slot] = int(self.graphs[slot - 1].starts[list(visits.starts).index(left)])
                spawned.append(slot)
            self.failed = {slot for slot, visits in enumerate(self.visits, SECOND) if not visits.can_end(left)}
        rewards |= dict.fromkeys(spawned, 0.0)
        percepts = {slot: self._percept(slot, reward) for slot, reward in rewards.items()}
        return Turn({slot: (slot,) for slot in actions}, percepts, ended, spawned)

    def distinct_actions(self, slot: int) -> tuple[int, ...]:
        """Return the actions that lead elsewhere, or cost something else, than all earlier ones."""
        if slot in self.failed:
            return (0,)
        graph, state = self.graphs[slot - 1], self.at[slot]
        effects = list(zip(graph.targets[state].tolist(), graph.costs[state].tolist(), strict=True))
        return tuple(index for index, effect in enumerate(effects) if effect not in effects[:index])

    def situation(self, slot: int) -> State | None:
        """An agent's cell and the facts of its world; None before it has entered."""
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
        left = self.task.left(acting) if acting.things[ENDED] else Things()
        walking = [slot for slot in self.at if self.agent_names[slot - 1] in other.walkers]
        walked = [self._state(slot).things for slot in walking]
        return 0.0 + float(other.own_return(acting.things, left, walked))

    def _percept(self, slot: int, reward: float) -> Percept:
        info = {"agent": self.agent_names[slot - 1], "state": self._state(slot), BYSTANDERS: self.bystanders()}
        return Percept(self.offsets[slot - 1] + self.at[slot], reward, info)

    def describe(self, observation: int) -> str:
        """Describe an observation: the agent, its cell and the facts."""
        for name, offset, graph in zip(self.agent_names, self.offsets, self.graphs, strict=False):
            if offset <= observation < offset + graph.n_states:
                cell, things = graph.state(observation - offset)
                return f"{name} at {cell}, {things}"
        return super().describe(observation)

    def text(self) -> str:
        """Draw the map as text for each agent that has not finished, with the facts of its world."""
        return "\n\n".join(ansi(self.task, self._state(slot)) for slot in self._present())

    def picture(self) -> NDArray[np.uint8]:
        """Draw the map with the first agent that has not finished, as pixels."""
        return rgb_array(self.task, self._state(self._present()[0]))

    def _present(self) -> list[int]:
        """The slots of those who have not finished; the highest slot if nobody is left."""
        going = [s for s in self.at if not self.graphs[s - 1].terminal[self.at[s]]]
        return going or [max(self.at)]


class SimultaneousWorld(TaskWorld):
    """Both agents of the simultaneous experiment; each chooses its actions, the acting one moves first.

    Both follow the rules of the task. An agent sees its own cell, its own things and the place of the key
    (`key_places`); it does not see the other agent. The second agent's action `FOLLOW` takes the action of its policy
    in the paper, which reacts to the first agent's move in the same step. For the acting agent `FOLLOW` is waiting. If
    an agent leaves with a key that the other still needs, the other pays the loss and its task ends. Episodes in which
    the second agent always follows have the returns of the paper's Table 1.
    """

    def __init__(self, task: Task) -> None:
        if task.partner is None:
            raise SettingError(f"in task {task.name!r} others come later; use SequentialWorld")
        self.task, self.partner = task, task.partner
        self.walker: Walker = self.task.acting
        self.agent_names = (self.walker.name, self.partner.name)
        self.max_agents = len(self.agent_names)
        self.affected = self.agent_names[1:]
        self.actions = (*self.walker.actions, FOLLOW)
        self.cells = self.task.grid.free
        names = sorted({name for rule in self.walker.changes for name, value in rule.sets.items() if value} - {KEY})
        # Every set of things, except the key, that rules can give an agent.
        self.items = [tuple(n for bit, n in enumerate(names) if number >> bit & 1) for number in range(2 ** len(names))]
        places = sorted({cell for rule in self.walker.changes if KEY in rule.sets for cell in rule.at})
        words = {rule.sets[KEY] for rule in self.walker.changes if KEY in rule.sets} - {HELD, HERE, *places}
        self.key_places: tuple[Any, ...] = (HELD, HELD_BY_OTHER, TAKEN_AWAY, *places, *sorted(words, key=str))
        self.n_observations = 1 + len(self.cells) * len(self.items) * len(self.key_places)
        self.n_actions = len(self.actions)
        self.state: State | None = None

    def start(self, seed: int) -> dict[int, Percept]:
        """Start with both agents at their starts."""
        self.state = self.task.start
        return {slot: self._percept(slot, 0.0) for slot in (ACTING, SECOND)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Move the acting agent, then the second."""
        rewards, ended = dict.fromkeys(actions, 0.0), list[int]()
        for slot in sorted(actions):
            if slot in ended:
                continue
            rewards[slot] -= float(self._act(slot, self.actions[actions[slot]]))
            if self._has_left(slot):
                ended.append(slot)
                other = ACTING + SECOND - slot
                away = self._key_seen(other) == TAKEN_AWAY  # the other may need a key that is gone
                if other in actions and away and not self._has_left(other) and not self._carried(other)["box"]:
                    rewards[other] -= float(self.partner.loss)
                    ended.append(other)
                    self.state = State(self._now.cell, self._now.things.put({LEFT[other]: True}))
        percepts = {slot: self._percept(slot, rewards[slot]) for slot in actions}
        return Turn({slot: (slot,) for slot in actions}, percepts, ended)

    def situation(self, slot: int) -> State | None:
        """The acting agent's state in the task; None for the second agent and before the start."""
        return self.state if slot == ACTING else None

    def text(self) -> str:
        """Draw the map as text with the acting agent; below it are the places of the second agent and of the key."""
        return ansi(self.task, self._shown())

    def picture(self) -> NDArray[np.uint8]:
        """Draw the map with both agents and the key, as pixels."""
        return rgb_array(self.task, self._shown())

    @property
    def _now(self) -> State:
        return self.task.start if self.state is None else self.state

    def _act(self, slot: int, action: str) -> Number:
        """Perform an agent's action; return its cost, for the second agent always the usual cost."""
        cell, things = self._now
        if slot == SECOND:
            action = self.partner.choose(things) if action == FOLLOW else action
            self.state = State(cell, self.partner.act(things, action))
            return self.partner.step_cost
        cell, things, change = self.walker.act(self.cells, cell, things, action)
        self.state = State(cell, things.put({ENDED: True}) if change is not None and change.ends else things)
        return self.task.step_cost if change is None or change.cost is None else change.cost

    def _has_left(self, slot: int) -> bool:
        return bool(self._now.things[LEFT[slot]])

    def _carried(self, slot: int) -> Things:
        """The things that an agent has, besides the key."""
        things = self._now.things
        return carried_by(things) if slot == SECOND else things.only(frozenset(set(things) - NOT_CARRIED))

    def _key_seen(self, slot: int) -> Any:
        """The place of the key, as an agent sees it."""
        key = self._now.things[KEY]
        holder = {HELD: ACTING, HELD_BY_OTHER: SECOND}.get(key) if isinstance(key, str) else None
        if holder is None:
            return key
        return TAKEN_AWAY if self._has_left(holder) else HELD if holder == slot else HELD_BY_OTHER

    def _shown(self) -> State:
        seen = {KEY: self._key_seen(ACTING), self.agent_names[1]: position_of(self._now.things)}
        return State(self._now.cell, self._carried(ACTING).put(seen))

    def _percept(self, slot: int, reward: float) -> Percept:
        cell = self._now.cell if slot == ACTING else position_of(self._now.things)
        place = self.key_places.index(self._key_seen(slot))
        items = self.items.index(tuple(sorted(self._carried(slot))))
        index = (self.cells.index(cell) * len(self.items) + items) * len(self.key_places) + place
        return Percept(1 + index, reward, {"agent": self.agent_names[slot - 1], "cell": cell})

    def describe(self, observation: int) -> str:
        """Describe an observation: the cell, the things and the place of the key."""
        if observation == 0:
            return super().describe(observation)
        rest, place = divmod(observation - 1, len(self.key_places))
        cell, items = divmod(rest, len(self.items))
        carried = ", ".join(self.items[items]) or "nothing"
        return f"at {self.cells[cell]} with {carried}, key: {self.key_places[place]}"
