"""The exception of the checks."""

from multislot.errors import MultislotError


class ConformanceError(MultislotError, AssertionError):
    """An agent, world or environment breaks a contract that `multislot.testing` checks; the message says how."""
