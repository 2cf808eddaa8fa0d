"""Resumable work: independent pieces run once, on one core, several cores or a cluster, and their results are stored.

A *cell* is one pure piece of work: its result depends on nothing but the cell. `finish` and `stream` run the cells that
a `CellStore` does not hold yet, and store each result as soon as it is there. So an interrupted run continues where it
stopped. `finish` returns all results, `stream` yields them in constant memory. Scenarios, `extenv.measure` and sweeps
use this package.
"""

from multislot.cells.code import code_digest
from multislot.cells.errors import CellError, CellTimeoutError, ClusterError, StoreError
from multislot.cells.keys import as_json, cell_key
from multislot.cells.parquet import write_parquet
from multislot.cells.resumable_runs import finish, spread, stream
from multislot.cells.store import CellStore

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
