"""The exceptions of the engine: each says what was got, what was expected and how to mend it.

Everything that multislot, extenv, considerate and scenarios raise on purpose derives from `MultislotError`,
so that a user can catch the lot; most also derive from the built-in exception that a reader would expect.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multislot.trace import Trace


class MultislotError(Exception):
    """Base of every exception this project raises on purpose."""

    trace: "Trace | None" = None
    """What `multislot.run` had finished when the error came up; None outside a run."""


class SettingError(MultislotError, ValueError):
    """An argument is out of its domain; found before any work starts."""


class UnknownNameError(MultislotError, KeyError):
    """A name is not registered; the message suggests the nearest.

    Args:
        kind: what the name should name, in words ("scenario", "environment").
        name: what was got.
        known: every name that would do.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        folded = {name.casefold(): name for name in self.known}
        near = get_close_matches(str(self.name).casefold(), folded, n=1, cutoff=0.4)
        hint = f"did you mean {folded[near[0]]!r}?" if near else "known: " + (", ".join(self.known) or "none")
        return f"unknown {self.kind} {self.name!r}; {hint}"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.kind, self.name, self.known)


class MissingExtraError(MultislotError, ImportError):
    """Something needs an optional dependency; the message names the extra to install."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f'{what} needs the extra "{extra}": install it with  pip install "multislot[{extra}]"')

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.extra)


class TooLargeError(MultislotError):
    """An exact computation would exceed a stated size; the message names what to use instead."""


class NeverEndingError(MultislotError, ValueError):
    """An undiscounted problem in which never ending is optimal, or has no defined value; the message says where."""


class ImpossibleHistoryError(MultislotError, ValueError):
    """No slot of any world that is planned in can have the history.

    Args:
        history: (action, observation) pairs.
        step: the first step that cannot be, counted from 1.
        possible: what could be observed there, or None where there is no such action.
        actions: the actions that exist.
    """

    def __init__(
        self, history: tuple[object, ...], step: int, possible: list[object] | None, actions: tuple[object, ...]
    ) -> None:
        self.history, self.step, self.possible, self.actions = history, step, possible, actions
        super().__init__(history, step, possible, actions)

    def __str__(self) -> str:
        pair = self.history[self.step - 1]
        if self.possible is None:
            reason = f"its action is none of {self.actions}"
        else:
            reason = (
                f"after that action one observes one of {self.possible}" if self.possible else "every copy is deleted"
            )
        return f"no slot can have the history {self.history}: step {self.step} is {pair}, but {reason}"


class MapError(SettingError):
    """A map drawn in text cannot be read; the message says where: line, column (both from 1) and the mark there."""

    def __init__(self, problem: str, line: int, column: int, mark: str) -> None:
        self.problem, self.line, self.column, self.mark = problem, line, column, mark
        super().__init__(f"line {line}, column {column}, mark {mark!r}: {problem}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.problem, self.line, self.column, self.mark)


class ConsistencyError(MultislotError):
    """There is not exactly one consistent stationary policy, so an endless future has no one value.

    Attributes:
        policies: those that were found, none or several.
        first_actions: what each of them does first.
    """

    def __init__(self, policies: list[Any], first_actions: list[object]) -> None:
        self.policies, self.first_actions = policies, first_actions
        super().__init__(policies, first_actions)

    def __str__(self) -> str:
        if not self.policies:
            return "no stationary policy is consistent: a later self would not do what it foresees; give a horizon"
        return (
            f"{len(self.policies)} stationary policies are consistent, which first do {self.first_actions}; "
            "choose one of `.policies`, or give a horizon"
        )


class AgentError(MultislotError):
    """An agent broke the contract of `multislot.Agent` or `multislot.VectorAgent`."""


class SlotError(MultislotError):
    """A world or an agent broke the interaction protocol; the state before the step is intact.

    Args:
        message: what was got and what was expected.
        remedy: how to mend it.
        slot: the slot concerned, as it was named, which may be no number; None where it is no slot in particular.
        step: the step at which it happened, counted from 1; 0 is the start.
    """

    def __init__(self, message: str, remedy: str, slot: object, step: int) -> None:
        self.message, self.remedy, self.slot, self.step = message, remedy, slot, step
        where = f"step {step}" if slot is None else f"step {step}, slot {slot!r}"
        super().__init__(f"{where}: {message}; {remedy}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.remedy, self.slot, self.step)


class TurnError(SlotError):
    """A world's answer, or a part of it, is not of the form that `multislot.Turn` describes."""


class CopyCollisionError(SlotError):
    """Two sources are copied into one slot (Orseau 2014, Def. 3: copy sets are disjoint)."""


class EmptySourceError(SlotError):
    """A world copies from a slot that holds no agent."""


class UnknownSlotError(SlotError):
    """A slot is not a positive integer (Orseau 2014, Def. 1), or a percept goes to a slot that is empty."""


class MissingPerceptError(SlotError):
    """A slot is occupied after the copies but the world sent it no percept (Orseau 2014, Def. 4, stage 4)."""


class EmptySlotActionError(SlotError):
    """An action was given for a slot that holds no agent, or none for one that does."""


class ActionError(SlotError):
    """An agent's action is outside ``range(n_actions)``."""


class ObservationError(SlotError):
    """A world's observation is outside ``range(n_observations)``."""


class RewardError(SlotError):
    """A world's reward is not a finite number."""


class NoAgentError(SlotError):
    """A world fills a slot with a fresh agent but `run` was given none for it."""


class CellError(MultislotError):
    """A cell of a scenario failed; the finished ones are kept and the message says which one did not."""


class StoreError(MultislotError):
    """The stored results of a run cannot be read or would be overwritten; the message names the folder."""


class UnexplainedError(MultislotError, ValueError):
    """Every model of a class gives what was seen probability 0.

    Args:
        step: the step concerned, counted from 1.
        action: the action taken; None where it is not known.
        percept: the (observation, reward) that followed, with None for an observation that is not known; None where it
            is the action itself, a mentor's, that no mentor-model allows.
    """

    def __init__(self, step: int, action: int | None, percept: tuple[int | None, float] | None) -> None:
        self.step, self.action, self.percept = step, action, percept
        what = "the mentor's choice of it" if percept is None else f"observation {percept[0]} with reward {percept[1]}"
        if percept is not None and percept[0] is None:
            what = f"a last reward of {percept[1]}"
        taken = "unknown" if action is None else action
        super().__init__(
            f"step {step}, action {taken}: every model of the class gives {what} probability 0; widen the class"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.step, self.action, self.percept)


class NoAnswerError(MultislotError, EOFError):
    """A person was asked and the input ended; the message says for what."""


class PerceptError(MultislotError):
    """A formal environment returned something else than an exact reward and a natural observation."""


class MercyError(MultislotError):
    """An environment declared merciful paid a negative reward (Alexander 2022, Def. 4)."""


def bad_action(action: object, n_actions: int, slot: int, step: int) -> ActionError:
    """Return the error of an action out of range."""
    return ActionError(f"the agent's action is {action!r}", f"return one of range({n_actions})", slot, step)


def bad_observation(observation: object, n_observations: int, slot: int, step: int) -> ObservationError:
    """Return the error of an observation out of range."""
    return ObservationError(
        f"the world's observation is {observation!r}", f"send one of range({n_observations})", slot, step
    )


def bad_reward(reward: object, slot: int, step: int) -> RewardError:
    """Return the error of a reward that is not finite."""
    return RewardError(f"the world's reward is {reward!r}", "send a finite number", slot, step)


def no_percept(slot: int, step: int) -> MissingPerceptError:
    """Return the error of an occupied slot without percept."""
    return MissingPerceptError(
        "the slot is occupied but received no percept", "send one Percept to every slot in a copy set", slot, step
    )


def percept_for_nobody(slot: int, step: int) -> UnknownSlotError:
    """Return the error of a percept for an empty slot."""
    return UnknownSlotError(
        "the world sent a percept to an empty slot", "send percepts to slots in copy sets only", slot, step
    )


def ended_nobody(slot: int, step: int) -> EmptySourceError:
    """Return the error of ending an occupant that is not there."""
    return EmptySourceError(
        "the world ends an occupant of an empty slot", "end only slots that are in a copy set", slot, step
    )


class ConformanceError(MultislotError, AssertionError):
    """An agent or a world breaks the contract that `multislot.testing` checks; the message says which part and how."""
