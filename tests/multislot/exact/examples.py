"""Small worlds that more than one test needs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from multislot.exact import Arrival


@dataclass(frozen=True)
class BlindFork:
    """The agent is copied from slot 1 to {1, 2}; both see the same and choose: left pays slot 1, right slot 2 more."""

    left: int = 1
    right: int = 2
    actions = ("left", "right")
    start: ClassVar = {1: "before"}

    def outcomes(self, slot, state, action):
        if state == "before":
            return [(1, {target: Arrival("after", "dark") for target in (1, 2)})]
        pays = {(1, "left"): self.left, (2, "right"): self.right}.get((slot, action), 0)
        return [(1, {slot: Arrival("after", "dark", pays)})]


@dataclass(frozen=True)
class Postponed:
    """A task that costs all agents with the history now, and pays only slot 1 later.

    At every step slot 1 makes a copy that sees the same once more and then ends. Such a copy weighs ½ in what to do
    now, and nothing in what slot 1 foresees: so it is always better to do the task one step later.
    """

    cost: Fraction
    bonus: int = 10
    actions = ("wait", "do")
    start: ClassVar = {1: "even", 2: "guest"}

    def outcomes(self, slot, state, action):
        paid = -self.cost if action == "do" else 0
        if state == "guest":
            return [(1, {slot: Arrival("leaving", "leaving", paid)})]
        if state == "leaving":
            return [(1, {})]
        if state in ("done", "over"):
            return [(1, {slot: Arrival("over", "over", self.bonus if state == "done" else 0)})]
        if action == "do":
            return [(1, {slot: Arrival("done", "done", paid)})]
        other, free = ("odd", 3) if state == "even" else ("even", 2)
        return [(1, {slot: Arrival(other, "again"), free: Arrival("guest", "again")})]


@dataclass(frozen=True)
class Coin:
    """One slot; each step shows "yes" with a fixed probability, and then the action "bet" pays."""

    chance: Fraction
    actions = ("pass", "bet")
    start: ClassVar = {1: "here"}

    def outcomes(self, slot, state, action):
        pays = 1 if action == "bet" else 0
        return [
            (self.chance, {slot: Arrival(state, "yes", pays)}),
            (1 - self.chance, {slot: Arrival(state, "no", -pays)}),
        ]
