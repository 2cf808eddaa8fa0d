"""Work that consists of independent pieces: run once, on one core, several or a cluster, and kept durably.

A *cell* is one independent, pure piece of work: its result depends on nothing but the cell. `finish` and `stream` run
the cells that a `CellStore` does not hold yet and keep each result as soon as it is there, so that an interrupted run
goes on where it stopped. `finish` returns all results, `stream` yields them in constant memory. Scenarios,
`extenv.measure` and sweeps stand on this.
"""

from multislot.cells.code import code_digest
from multislot.cells.errors import CellError, CellTimeoutError, ClusterError, StoreError
from multislot.cells.keys import as_json, cell_key
from multislot.cells.parquet import write_parquet
from multislot.cells.store import CellStore
from multislot.cells.work import finish, spread, stream

__all__ = [
    "CellError",
    "CellStore",
    "CellTimeoutError",
    "ClusterError",
    "StoreError",
    "as_json",
    "cell_key",
    "code_digest",
    "finish",
    "spread",
    "stream",
    "write_parquet",
]
