"""What a run may claim in one sentence: how much of each kind agrees, counted so that nothing pads the count.

A row that expects 0 or 1 is compared like any other, and a difference counts against the run. It is counted apart: such
a row often could not have come out otherwise. Controls are counted whatever they expect, since each must fail.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from multislot.statistics import UNDECIDED
from scenarios.lab.table import Row

NOTHING_COMPARED = "no number to compare at these settings"


@dataclass(frozen=True)
class Count:
    """How many rows of one kind agree, differ, and are not decided."""

    agree: int = 0
    differ: int = 0
    undecided: int = 0

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self.agree + self.differ + self.undecided

    def said(self, what: str = "") -> str:
        """Return ``3 of 5 formulas matched, 1 not decided``; nothing if there are no rows."""
        if not self.total:
            return ""
        undecided = f", {self.undecided} {UNDECIDED}" if self.undecided else ""
        return f"{self.agree} of {self.total} {what}".rstrip() + undecided


@dataclass(frozen=True)
class Headline:
    """The counts by kind, see `scenarios.lab.table`; `zero_or_one` has the rows that expect that, except controls."""

    published: Count
    formula: Count
    claim: Count
    control: Count
    zero_or_one: Count

    def as_json(self) -> dict[str, dict[str, int]]:
        """Return ``{"published": {"agree": …, "differ": …, "undecided": …}, …}``."""
        return {one.name: asdict(getattr(self, one.name)) for one in fields(self)}

    @property
    def all_agree(self) -> bool:
        """Whether nothing differs."""
        return not any(getattr(self, one.name).differ for one in fields(self))

    def __str__(self) -> str:
        """Return the sentence."""
        claims = f"{self.claim.agree} claims held, {self.claim.differ} failed, {self.claim.undecided} {UNDECIDED}"
        parts = [
            self.published.said("published values matched"),
            self.formula.said("formulas matched"),
            claims if self.claim.total else "",
            self.control.said("controls caught"),
            self.zero_or_one.said("zeros and ones agree, counted apart"),
        ]
        return "; ".join(filter(None, parts)) or NOTHING_COMPARED


def headline(rows: Iterable[Row]) -> Headline:
    """Return how many rows of each kind agree, differ, and are not decided."""
    found = Counter((_group(row), row.agrees) for row in rows)
    return Headline(
        **{one.name: Count(*(found[one.name, agrees] for agrees in (True, False, None))) for one in fields(Headline)}
    )


def _group(row: Row) -> str:
    return "zero_or_one" if row.is_zero_or_one and row.kind not in ("control", "measured") else row.kind
