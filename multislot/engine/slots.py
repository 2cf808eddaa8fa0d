"""The memory spaces: which agent lives in which slot.

Orseau 2014, Defs. 1 to 3: slots are numbered from 1; all copies of a step happen in parallel; a slot in no copy set is
empty afterwards; staying is not implicit. Spawning a fresh agent into a slot goes beyond the paper. Worlds need it if
they simulate agents, or if agents enter late.
"""

from collections.abc import ItemsView, Iterator, Mapping
from itertools import count

from multislot.checks import checked_hashable, checked_mapping, refusal
from multislot.engine.agent import Agent
from multislot.engine.copy_sets import CopySets, checked_slot, find_sources
from multislot.errors import (
    CopyCollisionError,
    EmptySourceError,
    TooLargeError,
)

MOST_ALIVE = 2**20
"""The default limit of agents alive at once."""


def check_alive(alive: int, most: int, step: int) -> None:
    """Check that at most `most` agents would be alive after a step."""
    if alive > most:
        raise TooLargeError(
            f"step {step}: {alive} agents would be alive; expected at most={most}; "
            "give run() fewer steps or a larger most="
        )


class Slots(Mapping[int, Agent]):
    """Agents by slot number: a read-only mapping; `copy`, `delete` and `spawn` change it.

    Args:
        agents: the agent set at the start, ``{slot: agent}``.

    Attributes:
        step: the present step, set by `multislot.run`; 0 before the first.
        births: ``(slot, step)`` of every agent spawned to be simulated.
    """

    def __init__(self, agents: Mapping[int, Agent] | None = None) -> None:
        self._agents: dict[int, Agent] = {}
        self._simulated: dict[int, Agent] = {}
        self.step = 0
        self.births: list[tuple[int, int]] = []
        for slot, agent in checked_mapping("agents", {} if agents is None else agents).items():
            self._agents[checked_slot(slot, 0)] = agent
        self.check_newcomers({})

    def __getitem__(self, slot: int) -> Agent:
        return self._agents[slot]

    def __iter__(self) -> Iterator[int]:
        return iter(self._agents)

    def __len__(self) -> int:
        return len(self._agents)

    def items(self) -> ItemsView[int, Agent]:
        """Return the slots and the agents in them."""
        return self._agents.items()

    @property
    def simulated(self) -> Mapping[int, Agent]:
        """Agents that a world keeps in slots to ask and to train; they are not part of the protocol."""
        return self._simulated

    def copy(self, copies: CopySets) -> None:
        """Apply copy sets in parallel: every slot outside them is empty afterwards (Orseau 2014, Def. 3).

        The agent of a source stays in its own slot if that is a target; otherwise it moves to the first target. The
        other targets get copies.
        """
        self.apply(find_sources(copies, self._agents, self.step))

    def apply(self, sources: Mapping[int, int]) -> Mapping[int, Agent]:
        """Apply checked copies, ``{target: source}``, and return who lives where now."""
        before = self._agents
        after = {target: before[source] for target, source in sources.items() if target == source}
        moved = set(after)
        if len(after) < len(sources):
            for target, source in sources.items():
                if target != source:
                    after[target] = before[source].copy() if source in moved else before[source]
                    moved.add(source)
        self._agents = after
        return after

    def delete(self, slot: int) -> Agent:
        """Empty a slot and return the agent that was in it; a deleted agent learns nothing.

        Raises:
            EmptySourceError: the slot is empty.
        """
        if checked_hashable("slot", slot) not in self._agents:
            raise EmptySourceError("there is no agent to delete", "delete from occupied slots only", slot, self.step)
        return self._agents.pop(slot)

    def spawn(self, agent: Agent, slot: int | None = None, *, simulated: bool = False) -> int:
        """Put a fresh agent into an empty slot and return the slot.

        Args:
            agent: the agent; the object itself is kept.
            slot: where it goes; the lowest empty slot by default.
            simulated: the agent is not part of the protocol: only the world that spawned it asks and trains it.

        Raises:
            CopyCollisionError: the slot is occupied.
            UnknownSlotError: the slot is not a positive integer.
        """
        if slot is None:
            slot = next(free for free in count(1) if free not in self._agents and free not in self._simulated)
        slot = checked_slot(slot, self.step)
        if slot in self._agents or slot in self._simulated:
            raise CopyCollisionError(
                "the slot is occupied, a fresh agent cannot enter", "empty it first", slot, self.step
            )
        self.check_newcomers({slot: agent})
        (self._simulated if simulated else self._agents)[slot] = agent
        if simulated:
            self.births.append((slot, self.step))
        return slot

    def check_newcomers(self, agents: Mapping[int, Agent]) -> None:
        """Check that every slot has an agent object of its own once `agents` enter."""
        lives_in: dict[int, int] = {}
        for slot, agent in (
            *self._agents.items(),
            *self._simulated.items(),
            *checked_mapping("agents", agents).items(),
        ):
            first = lives_in.setdefault(id(agent), slot)
            if first != slot:
                own = f"it is in slot {first} too: give slot {slot} a copy()"
                raise refusal(f"agents[{slot}]", agent, "an agent object of its own", own)

    def enter(self, agents: Mapping[int, Agent]) -> None:
        """Put agents that were checked into empty slots."""
        self._agents.update(agents)
