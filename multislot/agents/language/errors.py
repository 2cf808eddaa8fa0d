"""What goes wrong with language models: they do not answer, or they would be asked too often."""

from multislot.errors import MultislotError


class LanguageError(MultislotError):
    """A language model did not answer; the message says why, and where the answers so far are kept."""


class CallLimitError(LanguageError):
    """The largest number of calls is used up; the answers so far are kept."""
