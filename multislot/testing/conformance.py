"""What the checks of this package raise."""

from multislot.errors import MultislotError


class ConformanceError(MultislotError, AssertionError):
    """An agent or a world breaks the contract that `multislot.testing` checks; the message says which part and how."""
