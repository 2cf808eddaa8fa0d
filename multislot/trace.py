"""What happened in a run: a forest of occupancies, from which every history of every slot can be read.

One row an occupancy, that is one agent in one slot after one step: its slot, the row it continues, what it observed and
was paid, and the action it then took. Following parents from a row gives its slot history and its agent history
(Orseau 2014, Defs. 6 and 7) in O(t), however many slots there are.
"""

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812

import numpy as np

from multislot.agent import FloatArray, IntArray
from multislot.errors import SettingError
from multislot.history import History
from multislot.turn import Percept

if TYPE_CHECKING:
    from multislot.lineage import Lineage

FORMAT = "multislot-trace-1"
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """What happened in a run of T steps, over R occupancies; made by `multislot.run`.

    Steps count from 1, as in the paper; 0 is the start. ``actions[k]``, ``observations[k]`` and ``rewards[k]`` are
    those of step ``k + 1``, as mappings from slot; `start` holds the observations before the first step.

    Attributes:
        offsets: row ``offsets[t]`` is the first occupancy after step t, shape [T + 2].
        slot: slot of every occupancy, ascending within a step, shape [R].
        parent: the row that it continues; its own where an agent was put in or spawned, shape [R].
        observation: what it observed, shape [R].
        reward: what it was paid, shape [R].
        action: what it did next; 0 where `acted` is false, shape [R].
        acted: whether it acted: not after the last step, nor after its own last, shape [R].
        simulated: ``(slot, step)`` of every agent that the world spawned to simulate.
    """

    offsets: IntArray
    slot: IntArray
    parent: IntArray
    observation: IntArray
    reward: FloatArray
    action: IntArray
    acted: np.ndarray[tuple[int], np.dtype[np.bool_]]
    simulated: tuple[tuple[int, int], ...] = field(default=())

    def __repr__(self) -> str:
        return f"Trace({self.steps} steps, {len(np.unique(self.slot))} slots, {len(self.slot)} occupancies)"

    @property
    def steps(self) -> int:
        """Number of steps T that were run."""
        return len(self.offsets) - 2

    def rows(self, step: int) -> slice:
        """Return the rows of the occupancies after `step`, 0 for the start."""
        if not 0 <= step <= self.steps:
            raise SettingError(f"got step {step}; the trace has steps 0 to {self.steps}")
        return slice(int(self.offsets[step]), int(self.offsets[step + 1]))

    def occupied(self, step: int) -> list[int]:
        """Return the agent set ``S_t`` after `step`, ascending (Orseau 2014, Def. 2)."""
        return cast("list[int]", self.slot[self.rows(step)].tolist())

    @property
    def start(self) -> dict[int, int]:
        """The first observation of every slot occupied at the start; λ is 0."""
        return _mapping(self.slot[self.rows(0)], self.observation[self.rows(0)])

    @cached_property
    def actions(self) -> Sequence[Mapping[int, int]]:
        """``actions[k][slot]``: what the occupant of `slot` before step ``k + 1`` did in it."""
        return StepView(self, "action", before=True)

    @cached_property
    def observations(self) -> Sequence[Mapping[int, int]]:
        """``observations[k][slot]``: what the occupant of `slot` after step ``k + 1`` observed."""
        return StepView(self, "observation")

    @cached_property
    def rewards(self) -> Sequence[Mapping[int, float]]:
        """``rewards[k][slot]``: what the occupant of `slot` after step ``k + 1`` was paid, ``r(o)``."""
        return StepView(self, "reward")

    @cached_property
    def lineage(self) -> "Lineage":
        """The copy graph of the run."""
        from multislot.lineage import Lineage

        return Lineage(self)

    def row(self, slot: int, step: int) -> int:
        """Return the row of the agent in `slot` after `step`.

        Raises:
            SettingError: the slot is empty then.
        """
        rows = self.rows(step)
        position = rows.start + int(np.searchsorted(self.slot[rows], slot))
        if position == rows.stop or self.slot[position] != slot:
            held = ", ".join(map(str, self.occupied(step)[:20])) or "none"
            raise SettingError(f"slot {slot} is empty after step {step}; occupied: {held}")
        return int(position)

    def path(self, slot: int, step: int | None = None) -> list[int]:
        """Return the rows that led to the agent in `slot` after `step` (the last by default), oldest first; O(t)."""
        row = self.row(slot, self.steps if step is None else step)
        newest_first = [row]
        while (parent := int(self.parent[row])) != row:
            newest_first.append(parent)
            row = parent
        return newest_first[::-1]

    def slot_history(self, slot: int, step: int | None = None) -> tuple[int, ...]:
        """Return the slots in which the agent now in `slot` has lived, oldest first (Orseau 2014, Def. 6)."""
        return tuple(self.slot[self.path(slot, step)].tolist())

    def agent_history(self, slot: int, step: int | None = None) -> History:
        """Return ``h_{1:t}`` of the agent in `slot` after `step`: its (action, observation) pairs (Def. 7)."""
        path = self.path(slot, step)
        return History(zip(self.action[path[:-1]].tolist(), self.observation[path[1:]].tolist(), strict=True))

    def reward_history(self, slot: int, step: int | None = None) -> tuple[float, ...]:
        """Return the rewards along the agent history of `slot`, one a step."""
        return tuple(self.reward[self.path(slot, step)[1:]].tolist())

    def save(self, path: str | Path) -> Path:
        """Write the trace to a compressed ``.npz`` file, without pickle; never over an existing file.

        Raises:
            SettingError: the file exists.
        """
        path = Path(path)
        path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
        if path.exists():
            raise SettingError(f"{path} exists; choose another name or delete it first")
        header = json.dumps({"format": FORMAT, "simulated": self.simulated})
        with path.open("xb") as file:
            np.savez_compressed(file, header=np.array(header), **{name: getattr(self, name) for name in COLUMNS})
        return path

    @staticmethod
    def load(path: str | Path) -> "Trace":
        """Read a trace that `save` wrote.

        Raises:
            SettingError: the file is not a trace.
        """
        try:
            with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                if header["format"] != FORMAT:
                    raise SettingError(f"{path} has format {header['format']!r}; expected {FORMAT!r}")
                simulated = tuple((slot, step) for slot, step in header["simulated"])
                return Trace(**{name: file[name] for name in COLUMNS}, simulated=simulated)
        except (KeyError, ValueError, TypeError, OSError, EOFError, BadZipFile, ZlibError) as error:
            if isinstance(error, FileNotFoundError | SettingError):
                raise
            raise SettingError(f"{path} is not a trace that Trace.save wrote, or not all of it") from error


COLUMNS = ("offsets", "slot", "parent", "observation", "reward", "action", "acted")


def _mapping(slots: IntArray, values: "np.ndarray[tuple[int], np.dtype[np.generic]]") -> dict[int, int]:
    return dict(zip(slots.tolist(), values.tolist(), strict=True))


class StepView(Sequence[Mapping[int, Number]]):
    """One column of a trace step by step, as mappings from slot that are made when they are asked for.

    Args:
        trace: the trace.
        column: the name of its column.
        before: take the occupancies before each step that acted, not those after it.
    """

    def __init__(self, trace: Trace, column: str, *, before: bool = False) -> None:
        self._trace, self._column, self._before = trace, column, before

    def __len__(self) -> int:
        return self._trace.steps

    def __getitem__(self, index: int | slice) -> "Mapping[int, Number] | list[Mapping[int, Number]]":  # type: ignore[override]
        if isinstance(index, slice):
            return [self._at(position) for position in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"step index {index} out of range: the trace has {len(self)} steps")
        return self._at(index % len(self))

    def __iter__(self) -> Iterator[Mapping[int, Number]]:
        return (self._at(position) for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self._column} of {len(self)} steps"

    def _at(self, position: int) -> Mapping[int, Number]:
        rows = self._trace.rows(position if self._before else position + 1)
        slots, values = self._trace.slot[rows], getattr(self._trace, self._column)[rows]
        if self._before:
            acted = self._trace.acted[rows]
            slots, values = slots[acted], values[acted]
        return cast("Mapping[int, Number]", _mapping(slots, values))


class Recorder:
    """Collects the rows of a `Trace` while a run goes on; appending a row costs a few list operations."""

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

        Args:
            percepts: what every slot occupied after the step received.
            sources: where each was copied from; a slot that is missing was filled afresh.
            before: the row of every slot occupied before the step.
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
        columns = (self.slot, slots), (self.parent, parents), (self.observation, observations)
        for column, values in columns:
            column.frombytes(np.ascontiguousarray(values, dtype=np.int64).tobytes())
        self.reward.frombytes(np.ascontiguousarray(rewards, dtype=np.float64).tobytes())
        self.offsets.append(len(self.slot))

    def trace(self, simulated: Iterable[tuple[int, int]] = ()) -> Trace:
        """Return what has been recorded up to the last closed step, the start at least."""
        rows, last = self.offsets[-1], self.offsets[-2]
        acted = np.ones(rows, dtype=np.bool_)
        acted[last:] = False
        acted[[row for row in self.silent if row < rows]] = False
        action = np.zeros(rows, dtype=np.int64)
        action[: min(rows, len(self.action))] = self.action[:rows]
        action[~acted] = 0
        columns = (np.array(column[:rows], dtype=np.int64) for column in (self.slot, self.parent, self.observation))
        slot, parent, observation = columns
        reward = np.array(self.reward[:rows], dtype=np.float64)
        offsets = np.array(self.offsets, dtype=np.int64)
        return Trace(offsets, slot, parent, observation, reward, action, acted, tuple(simulated))
