"""Work that consists of independent pieces: run once, on one core, several or a cluster, and kept durably.

A *cell* is one independent, pure piece of work: its result depends on nothing but the cell. `finish` runs the cells
that a `CellStore` does not hold yet and keeps each result as soon as it is there, so that an interrupted run goes on
where it stopped. Scenarios, `extenv.measure` and sweeps stand on it.
"""

from multislot.cells.errors import CellError, ClusterError, StoreError
from multislot.cells.keys import as_json, cell_key
from multislot.cells.store import CellStore
from multislot.cells.work import finish, spread

__all__ = ["CellError", "CellStore", "ClusterError", "StoreError", "as_json", "cell_key", "finish", "spread"]
