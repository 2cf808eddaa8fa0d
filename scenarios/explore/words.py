"""The values in words, for readers who meet them for the first time."""

from typing import NamedTuple


class ValueWords(NamedTuple):
    """What a value is called, and whose rewards it counts."""

    name: str
    label: str
    meaning: str

    def as_json(self) -> dict[str, str]:
        """Return it in the terms of JSON."""
        return self._asdict()


VALUE_WORDS = (
    ValueWords("cpy", "copy-centered", "all my copies are my future, in equal shares"),
    ValueWords("sta", "static slot-centered", "only what happens in slot 1 counts, and only while I have stayed there"),
    ValueWords("dyn", "dynamic slot-centered", "only the slot that I am in now counts, wherever that may be"),
    ValueWords("one-slot", "one slot", "whoever is in slot 1 counts, however they got there"),
    ValueWords("known-slot", "known slot", "as if my future selves knew which slot they are in"),
    ValueWords("prime-slot", "prime slots", "at step t only the t-th prime slot counts: 2, 3, 5, …"),
    ValueWords("first-copy", "first copy", "only the copy in the lowest slot counts"),
    ValueWords("least-rewarded", "least rewarded copy", "only the copies that are paid least count"),
    ValueWords("same-history", "same history", "everyone with exactly my memories counts, in equal shares"),
    ValueWords("acted-sequence", "acted a sequence", "copies count once they have acted 1, 1, 0, 1, 1"),
    ValueWords("common-ancestor", "common ancestor", "all my descendants count, each in full"),
)
"""Every value of `multislot.exact.futures.VALUES`, in its order (Orseau 2014, section 4)."""
