"""The record of a run, by step, by slot and by agent, on the rows of a `multislot.engine.forest.Forest`."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress, pairwise
from operator import index
from pathlib import Path
from typing import TypeVar

from multislot.checks import checked_path, refusal
from multislot.engine.forest import COLUMNS, Forest, as_mapping, find_fault
from multislot.engine.history import History
from multislot.engine.lineage import Lineage
from multislot.errors import SettingError
from multislot.files.foreign import ForeignFileError, LargeFileError, MissingFileError, read_arrays
from multislot.files.writing import open_draft

FORMAT = "multislot-trace-1"
MOST_BYTES = 2**31
Number = TypeVar("Number", int, float)


class Trace(Forest):
    """What happened in a run; made by `multislot.run`. Its columns, one row an occupancy, are those of `Forest`.

    Steps count from 1, as in the paper; 0 is the start. ``actions[k]``, ``observations[k]`` and ``rewards[k]`` are
    those of step ``k + 1``, as mappings from slot; `start` holds the observations before the first step.
    """

    def __repr__(self) -> str:
        return f"Trace({self.steps} steps, {len(set(self.slot.tolist()))} slots, {len(self.slot)} occupancies)"

    @property
    def start(self) -> dict[int, int]:
        """The first observation of every slot occupied at the start; λ is 0."""
        return as_mapping(self.slot[self.rows(0)], self.observation[self.rows(0)])

    @cached_property
    def actions(self) -> Sequence[Mapping[int, int]]:
        """``actions[k][slot]``: the action of the agent in `slot` at step ``k + 1``."""
        return StepView(self, "action", before=True)

    @cached_property
    def observations(self) -> Sequence[Mapping[int, int]]:
        """``observations[k][slot]``: the observation in `slot` at the end of step ``k + 1``."""
        return StepView(self, "observation")

    @cached_property
    def rewards(self) -> Sequence[Mapping[int, float]]:
        """``rewards[k][slot]``: the reward in `slot` at the end of step ``k + 1``, ``r(o)``."""
        return StepView(self, "reward")

    @cached_property
    def lineage(self) -> Lineage:
        """The copy graph of the run."""
        return Lineage(self)

    def slot_history(self, slot: int, step: int | None = None) -> tuple[int, ...]:
        """Return the slots in which the agent in `slot` has lived, oldest first (Orseau 2014, Def. 6)."""
        return tuple(int(self.slot[row]) for row in self.path(slot, step))

    def agent_history(self, slot: int, step: int | None = None) -> History:
        """Return ``h_{1:t}`` of the agent in `slot` after `step`: its (action, observation) pairs (Def. 7)."""
        path = self.path(slot, step)
        return History((int(self.action[a]), int(self.observation[b])) for a, b in pairwise(path))

    def reward_history(self, slot: int, step: int | None = None) -> tuple[float, ...]:
        """Return the rewards along the agent history of `slot`, one a step."""
        return tuple(float(self.reward[row]) for row in self.path(slot, step)[1:])

    def save(self, path: str | Path) -> Path:
        """Write the trace to a compressed ``.npz`` file, without pickle; an existing file is an error."""
        import numpy as np

        path = checked_path("path", path)
        path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
        header = json.dumps({"format": FORMAT, "simulated": self.simulated})
        with open_draft(path, is_new=True) as file:
            np.savez_compressed(file, header=np.array(header), **{name: getattr(self, name) for name in COLUMNS})
        return path

    @staticmethod
    def load(path: str | Path, *, most_bytes: int = MOST_BYTES) -> "Trace":
        """Read a trace that `save` wrote; version 0.1 wrote the same format.

        Args:
            path: the file.
            most_bytes: the largest uncompressed size; it is checked before the file is read.
        """
        path = Path(path)
        try:
            columns = read_arrays(path, most_bytes, {"header", *COLUMNS})
            header = json.loads(str(columns.pop("header")))
            if header["format"] != FORMAT:
                remedy = f"read {path} with the version of multislot that wrote it, or run again"
                raise refusal("format", header["format"], repr(FORMAT), remedy)
            simulated = tuple((index(slot), index(step)) for slot, step in header["simulated"])
            trace = Trace(**columns, simulated=simulated)
        except LargeFileError as error:
            remedy = f"give most_bytes={error.size} if the memory is there"
            raise refusal(
                "path", str(path), f"a trace of at most {most_bytes} bytes, not {error.size}", remedy
            ) from None
        except MissingFileError:
            raise
        except (ForeignFileError, KeyError, ValueError, TypeError, RecursionError) as error:
            if isinstance(error, SettingError) and not isinstance(error, ForeignFileError):
                raise
            raise refusal("path", str(path), "a complete file that Trace.save wrote", "run again") from error
        fault = find_fault(trace)
        if fault:
            raise refusal("path", str(path), "a file that Trace.save wrote", f"{fault}: the file is damaged, run again")
        return trace


class StepView(Sequence[Mapping[int, Number]]):
    """One column of a trace step by step, as mappings from slot that are made on request.

    With `before` it holds the occupancies that acted in each step, otherwise those after the step.
    """

    def __init__(self, trace: Trace, column: str, *, before: bool = False) -> None:
        self._trace, self._column, self._before = trace, column, before

    def __len__(self) -> int:
        return self._trace.steps

    def __getitem__(self, index: int | slice) -> "Mapping[int, Number] | list[Mapping[int, Number]]":  # type: ignore[override]
        if isinstance(index, slice):
            return [self._at(position) for position in range(len(self))[index]]
        return self._at(range(len(self))[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"{self._column} of {len(self)} steps"

    def _at(self, position: int) -> Mapping[int, Number]:
        rows = self._trace.rows(position if self._before else position + 1)
        values = as_mapping(self._trace.slot[rows], getattr(self._trace, self._column)[rows])
        if self._before and not all(acted := self._trace.acted[rows].tolist()):
            return dict(compress(values.items(), acted))
        return values
