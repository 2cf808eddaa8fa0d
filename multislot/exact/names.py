"""Values by name: the copy-centered, static and dynamic ones of Orseau 2014, and the further futures of its list."""

from collections.abc import Callable, Mapping
from typing import Any

from multislot.checks import checked_parts
from multislot.errors import UnknownNameError
from multislot.exact.further import (
    ActedSequence,
    CommonAncestor,
    FirstCopy,
    KnownSlot,
    LeastRewarded,
    OneSlot,
    PrimeSlot,
    SameHistory,
)
from multislot.exact.values import CopyCentered, DynamicSlotCentered, StaticSlotCentered, Value, Written

VALUES: Mapping[str, Callable[[], Value]] = {
    "cpy": CopyCentered,
    "sta": StaticSlotCentered,
    "dyn": DynamicSlotCentered,
    "one-slot": OneSlot,
    "known-slot": KnownSlot,
    "prime-slot": PrimeSlot,
    "first-copy": FirstCopy,
    "least-rewarded": LeastRewarded,
    "same-history": SameHistory,
    "acted-sequence": ActedSequence,
    "common-ancestor": CommonAncestor,
}
"""What makes the value of each name, with the defaults of its class."""


def named(value: "str | Value | Any", slot: int = 1) -> Value:
    """Return the value that a name stands for, ``"sta"`` on `slot`; return values as they are."""
    if isinstance(value, str):
        if value not in VALUES:
            raise UnknownNameError("value", value, VALUES)
        return StaticSlotCentered(slot) if value == "sta" else VALUES[value]()
    checked_parts("value", value, "action_values", remedy=f"or one of the names {', '.join(VALUES)}")
    return value if isinstance(value, Value) else Written(value)
