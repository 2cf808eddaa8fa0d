"""The rows of a run: a forest of occupancies, which `Trace` and `Lineage` read.

Each row is an occupancy, one agent in one slot after one step: its slot, the row that it continues, its observation and
reward, and its next action. Following parents from a row gives its slot history and its agent history (Orseau 2014,
Defs. 6 and 7) in O(t), however many slots there are.
"""

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from multislot.checks import refusal, whole
from multislot.engine.agent import FloatArray, IntArray
from multislot.engine.turn import Percept

if TYPE_CHECKING:
    import numpy as np

COLUMNS = ("offsets", "slot", "parent", "observation", "reward", "action", "acted")
NAMED_SLOTS = 20
"""An error names at most this many slots."""


@dataclass(frozen=True, eq=False, repr=False)
class Forest:
    """The occupancies of a run of T steps, R in all; steps count from 1, 0 is the start.

    Attributes:
        offsets: row ``offsets[t]`` is the first occupancy after step t, shape [T + 2].
        slot: slot of every occupancy, ascending within a step, shape [R].
        parent: the row that it continues; its own for a fresh agent, shape [R].
        observation: its observation, shape [R].
        reward: its reward, shape [R].
        action: its next action; 0 where `acted` is false, shape [R].
        acted: whether it acted; false after the last step, and after an agent's own last step, shape [R].
        simulated: ``(slot, step)`` of every agent that the world spawned to simulate.
    """

    offsets: IntArray
    slot: IntArray
    parent: IntArray
    observation: IntArray
    reward: FloatArray
    action: IntArray
    acted: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
    simulated: tuple[tuple[int, int], ...] = ()

    @property
    def steps(self) -> int:
        """Number of steps T that were run."""
        return len(self.offsets) - 2

    def rows(self, step: int) -> slice:
        """Return the rows of the occupancies after `step`, 0 for the start."""
        step = whole("step", step, 0, self.steps)
        return slice(int(self.offsets[step]), int(self.offsets[step + 1]))

    def occupied(self, step: int) -> list[int]:
        """Return the agent set ``S_t`` after `step`, ascending (Orseau 2014, Def. 2)."""
        return cast("list[int]", self.slot[self.rows(step)].tolist())

    def row(self, slot: int, step: int) -> int:
        """Return the row of the agent in `slot` after `step`."""
        rows, slot = self.rows(step), whole("slot", slot)
        position = bisect_left(self.slot, slot, rows.start, rows.stop)
        if position == rows.stop or self.slot[position] != slot:
            held = ", ".join(map(str, self.occupied(step)[:NAMED_SLOTS])) or "none"
            raise refusal("slot", slot, f"a slot that is occupied after step {step}", f"occupied: {held}")
        return position

    def path(self, slot: int, step: int | None = None) -> list[int]:
        """Return the rows that led to the agent in `slot` after `step` (the last by default), oldest first; O(t)."""
        row = self.row(slot, self.steps if step is None else step)
        newest_first = [row]
        while (parent := int(self.parent[row])) != row:
            newest_first.append(parent)
            row = parent
        return newest_first[::-1]


def find_fault(forest: Forest) -> str | None:
    """The first law of runs that a forest breaks, as a clause; None if it keeps all."""
    import numpy as np

    kinds = {name: {"reward": "f", "acted": "b"}.get(name, "i") for name in COLUMNS}
    for name, kind in kinds.items():
        column = getattr(forest, name)
        if column.ndim != 1 or column.dtype.kind != kind or column.dtype.itemsize != (1 if kind == "b" else 8):
            return f"{name} has {column.ndim} dimensions and type {column.dtype}"
        if name != "offsets" and len(column) != len(forest.slot):
            return f"{name} has {len(column)} rows and slot has {len(forest.slot)}"
    offsets, rows = forest.offsets, np.arange(len(forest.slot))
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(rows) or (np.diff(offsets) < 0).any():
        return "offsets do not divide the rows into steps"
    step = np.searchsorted(offsets, rows, side="right") - 1
    founder = forest.parent == rows
    one_step_back = (forest.parent >= offsets[np.maximum(step - 1, 0)]) & (forest.parent < offsets[step])
    new_step = np.diff(step, prepend=-1) > 0
    laws = {
        "a slot is below 1": forest.slot >= 1,
        "slots do not ascend within a step": new_step | (np.diff(forest.slot, prepend=0) > 0),
        "a parent is not of the step before": founder | one_step_back,
        "an observation is negative": forest.observation >= 0,
        "a reward is not finite": np.isfinite(forest.reward),
        "an action is negative": forest.action >= 0,
        "a row without an acting agent has an action": forest.acted | (forest.action == 0),
        "somebody acts after the last step": ~forest.acted | (step < forest.steps),
    }
    broken = [law for law, holds in laws.items() if not holds.all()]
    if not broken and any(slot < 1 or not 0 <= at <= forest.steps for slot, at in forest.simulated):
        return "a simulated agent is in no slot or step of the run"
    return broken[0] if broken else None


def as_mapping(slots: Any, values: Any) -> dict[int, Any]:
    """Return part of a column as a mapping from slot."""
    return dict(zip(slots.tolist(), values.tolist(), strict=True))


class Recorder:
    """Collects the rows of a `Forest` while a run goes on; appending a row costs a few list operations."""

    def __init__(self) -> None:
        self.offsets = array("q", [0])
        self.slot = array("q")
        self.parent = array("q")
        self.observation = array("q")
        self.reward = array("d")
        self.action = array("q")
        self.silent = array("q")

    @property
    def started(self) -> bool:
        """Whether the start has been recorded."""
        return len(self.offsets) > 1

    def record(
        self, percepts: Mapping[int, Percept], sources: Mapping[int, int], before: Mapping[int, int]
    ) -> dict[int, int]:
        """Add the rows of a step, slots ascending, and return the row of every slot.

        A slot without a source has a fresh agent; `before` has the row of every slot before the step.
        """
        row, rows = self.offsets[-1], {}
        for slot, percept in percepts.items():
            rows[slot] = row
            self.slot.append(slot)
            self.parent.append(before[sources[slot]] if slot in sources else row)
            self.observation.append(percept.observation)
            self.reward.append(percept.reward)
            row += 1
        self.offsets.append(row)
        return rows

    def extend(self, slots: IntArray, parents: IntArray, observations: IntArray, rewards: FloatArray) -> None:
        """Add many rows at once; arrays of shape [rows]."""
        columns = (self.slot, slots), (self.parent, parents), (self.observation, observations), (self.reward, rewards)
        for column, values in columns:
            column.frombytes(values.astype(column.typecode).tobytes())
        self.offsets.append(len(self.slot))

    def columns(self) -> dict[str, Any]:
        """Return the columns of a `Forest` up to the last finished step; at least the start."""
        import numpy as np

        rows, last = self.offsets[-1], self.offsets[-2]
        acted = array("b", bytes([1]) * last + bytes(rows - last))
        action = self.action[:last] + array("q", [0]) * (rows - last)
        for row in self.silent:
            if row < rows:
                acted[row] = action[row] = 0
        columns = (
            self.offsets,
            self.slot[:rows],
            self.parent[:rows],
            self.observation[:rows],
            self.reward[:rows],
            action,
        )
        return dict(zip(COLUMNS, [*map(np.array, columns), np.array(acted, dtype=np.bool_)], strict=True))
