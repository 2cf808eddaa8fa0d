"""The exceptions of the engine: each message says what was got, what was expected and how to correct it.

Every exception that multislot, extenv, considerate and scenarios raise on purpose derives from `MultislotError`. Most
also derive from the built-in exception that a reader would expect.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Complex
from typing import Any

__all__ = [
    "ActionError",
    "AgentError",
    "CopyCollisionError",
    "EmptySlotActionError",
    "EmptySourceError",
    "MissingExtraError",
    "MissingPerceptError",
    "NeverEndingError",
    "NoAgentError",
    "ObservationError",
    "RewardError",
    "SettingError",
    "SlotError",
    "TooLargeError",
    "TurnError",
    "UnknownNameError",
    "UnknownSlotError",
]

FEW = 12
"""The largest number of names that are always listed in full."""
LONGEST_VALUE = 200
"""The largest number of characters of a value in a message."""


def show_value(value: object) -> str:
    """Text of any value for a message: printable, and at most `LONGEST_VALUE` characters."""
    try:
        text = str(value) if isinstance(value, Complex) else repr(value)
    except Exception:  # an integer of over 4,300 digits, deep nesting, a user's own __repr__
        text = f"<{type(value).__name__}>"
    text = printable(text[: LONGEST_VALUE + 1])
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def printable(text: str) -> str:
    """The text with lone surrogates and control characters escaped, except line breaks."""
    return "".join(
        character if character.isprintable() or character == "\n" else repr(character)[1:-1] for character in text
    )


class MultislotError(Exception):
    """Base of every exception that this project raises on purpose.

    An exception of this module can be created from its text alone. Gymnasium's vector environments do so when they
    raise the error of an environment again.
    """

    trace: Any = None
    """The `multislot.Trace` of the steps that `multislot.run` had finished; None outside a run."""

    def __str__(self) -> str:
        return printable(super().__str__())  # it may repeat a text of a file or of another library


class SettingError(MultislotError, ValueError):
    """An argument is out of its domain. It is raised before any work starts."""


class WrongTypeError(SettingError, TypeError):
    """An argument is of the wrong type. It is raised before any work starts."""


class UnknownNameError(MultislotError, KeyError):
    """A name is not registered; the message suggests a near one, and lists all if they are few or none is near."""

    def __init__(self, kind: str, name: object = None, known: Iterable[str] = ()) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        if self.name is None and not self.known:
            return printable(self.kind)
        folded = {name.casefold(): name for name in self.known}
        name = self.name.casefold() if isinstance(self.name, str) else ""
        abbreviated = [known for known in folded if "".join(word[:1] for word in known.split("_")) == name]
        matches = [*get_close_matches(name, folded, n=1), *abbreviated][:1]
        near = [f"did you mean {folded[match]!r}?" for match in matches]
        listed = [] if near and len(self.known) > FEW else ["known: " + (", ".join(self.known) or "none")]
        return printable("; ".join([f"unknown {self.kind} {show_value(self.name)}", *near, *listed]))


class UnknownParameterError(UnknownNameError, TypeError):
    """A factory (`kind`) has no parameter of this name; the message is Python's own for it, and names a near one."""

    def __str__(self) -> str:
        message = super().__str__()
        if self.name is None:
            return message
        _, _, advice = message.partition("; ")
        return f"{self.kind} got an unexpected keyword argument {self.name!r}; {advice}"


class MissingExtraError(MultislotError, ImportError):
    """Something needs an optional dependency; the message names the extra to install."""

    def __init__(self, what: str, extra: str = "") -> None:
        self.what, self.extra = what, extra
        super().__init__(what, extra)
        self.msg = str(self)

    def __str__(self) -> str:
        if not self.extra:
            return str(self.what)
        return f'{self.what} needs the extra "{self.extra}": install it with  pip install "multislot[{self.extra}]"'


class TooLargeError(MultislotError):
    """An exact computation would exceed a stated size; the message names what to use instead."""


class NeverEndingError(MultislotError, ValueError):
    """An undiscounted problem in which never ending is optimal, or has no defined value; the message says where."""


class AgentError(MultislotError):
    """An agent broke the contract of `multislot.Agent` or `multislot.VectorAgent`."""


class SlotError(MultislotError):
    """A world or an agent broke the interaction protocol; the state before the step is intact.

    Args:
        message: what was got and what was expected.
        remedy: how to correct it.
        slot: the slot that was got, of any type; None if the error does not concern a single slot.
        step: the step, counted from 1; 0 is the start.
    """

    def __init__(self, message: str, remedy: str = "", slot: object = None, step: int = 0) -> None:
        self.message, self.remedy, self.slot, self.step = message, remedy, slot, step
        super().__init__(message, remedy, slot, step)

    def __str__(self) -> str:
        if not self.remedy:
            return printable(str(self.message))
        where = f"step {self.step}" if self.slot is None else f"step {self.step}, slot {show_value(self.slot)}"
        return printable(f"{where}: {self.message}; {self.remedy}")


class TurnError(SlotError):
    """A world's answer does not have the form that `multislot.Turn` describes."""


class CopyCollisionError(SlotError):
    """Two sources are copied into one slot (Orseau 2014, Def. 3: copy sets are disjoint)."""


class EmptySourceError(SlotError):
    """A world copies from a slot that holds no agent."""


class UnknownSlotError(SlotError):
    """A slot is not a positive integer (Orseau 2014, Def. 1), or a percept goes to an empty slot."""


class MissingPerceptError(SlotError):
    """The world sent no percept to a slot that is occupied after the copies (Orseau 2014, Def. 4, stage 4)."""


class EmptySlotActionError(SlotError):
    """An action was given for an empty slot, or no action for an occupied one."""


class ActionError(SlotError):
    """An agent's action is outside ``range(n_actions)``."""


class ObservationError(SlotError):
    """A world's observation is outside ``range(n_observations)``."""


class RewardError(SlotError):
    """A world's reward is not a finite number."""


class NoAgentError(SlotError):
    """A world fills a slot with a fresh agent, but `run` was given none for the slot."""


def request_action(n_actions: int) -> str:
    """Return the remedy for an action out of range, or of another type."""
    return f"return an int from 0 to {n_actions - 1}"


def bad_action(action: object, n_actions: int, slot: int, step: int) -> ActionError:
    """Return the error of an action out of range."""
    return ActionError(f"the agent's action is {show_value(action)}", request_action(n_actions), slot, step)


def bad_observation(observation: object, n_observations: int, slot: int, step: int) -> ObservationError:
    """Return the error of an observation out of range."""
    return ObservationError(
        f"the world's observation is {show_value(observation)}", f"send one of range({n_observations})", slot, step
    )


def bad_reward(reward: object, slot: int, step: int) -> RewardError:
    """Return the error of a reward that is not finite."""
    return RewardError(f"the world's reward is {show_value(reward)}", "send a finite number", slot, step)
