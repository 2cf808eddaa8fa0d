"""Errors of cells: one failed or took too long, results cannot be stored or read, the cluster was lost."""

from multislot.errors import MultislotError


class CellError(MultislotError):
    """A cell failed; finished cells are kept, and the message says which cell did not finish and why."""


class CellTimeoutError(CellError, TimeoutError):
    """A cell took longer than its limit."""


class StoreError(MultislotError):
    """Finished cells cannot be read or kept; the message names the file or folder."""


class ClusterError(MultislotError):
    """The cluster was lost, or its workers lack a package; finished cells are kept."""
