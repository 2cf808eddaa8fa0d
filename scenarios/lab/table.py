"""The table of a scenario: our results next to those of a paper or a formula, and how many of them agree.

A scenario makes `Row` objects. Its file of expected numbers holds rows, too: what a paper says, without `ours`.
`beside_papers` joins the two. Numbers are compared exactly where both are rational. Every row has a kind:

- ``"published"``: a number or word that a paper prints; the default for rows of the file;
- ``"fitted"``: a printed number that our rules were fitted to, so that agreeing shows nothing about the rules;
- ``"derived"``: what follows from a paper's text and is not printed in it;
- ``"formula"``: what a formula, an exact argument or an independent program gives; the default for a `paper` in code;
- ``"claim"``: a statement that may hold, fail or stay undecided; `ours` is a verdict, `paper` the verdict "it holds";
- ``"control"``: something that a claim must refuse, such as a mutant; `paper` is how it must fail, so that the row
  agrees when the control was caught;
- ``"measured"``: a number that is not compared with anything; the default without a `paper`.

The file's column `kind` says which of its rows are not published. `Row.agrees` says whether a row is as expected, and
`Row.outcome` what became of the statement that the row is about: a conjecture of a paper that is known to fail here is
expected to be refuted.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from multislot.errors import SettingError
from multislot.files.foreign import read_text
from multislot.statistics import UNDECIDED, Interval, clopper_pearson, mean_and_error, normal_error

__all__ = ["Row", "beside_papers", "read_expected"]

Value: TypeAlias = int | float | Fraction | str | None
Kind: TypeAlias = Literal["published", "fitted", "derived", "formula", "claim", "control", "measured"]
Outcome: TypeAlias = Literal["confirmed", "refuted", "differs", "not decided"]

KINDS: tuple[Kind, ...] = get_args(Kind)
COUNTED = {
    "published": ("published values", "matched"),
    "fitted": ("fitted values", "matched"),
    "derived": ("derived values", "matched"),
    "formula": ("formulas", "matched"),
    "claim": ("claims", "held"),
    "control": ("controls", "caught"),
    "zero_or_one": ("zeros and ones", "agree (listed separately: they are easy to match)"),
}
"""For each kind that is compared, its name in a count and the word for agreeing."""
NOTHING_COMPARED = "no number to compare at these settings"
EXACT = "_exact"
"""Suffix of the columns that hold the exact text of a number."""
LARGEST_EXPECTED = 10_000_000
EXPECTED_COLUMNS = ("quantity", "condition", "paper", "tolerance", "source")


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Args:
        quantity: what was measured, in words ("value of accepting, copy-centered").
        condition: under which settings, naming every one that moves the number.
        ours: what came out; `UNDECIDED` where the data allow both the expected word and its opposite.
        uncertainty: standard error of `ours`; 0 if it is exact.
        paper: what it should be; the file of expected numbers has precedence.
        tolerance: largest absolute difference that still agrees.
        interval: its 95% confidence interval, shown where a standard error would mislead (0 of n).
        case: how `condition` begins, if only that distinguishes it from its neighbors; pictures tell rows apart by it.
        kind: see the module. Give it for claims, controls and derived numbers; otherwise leave it out.
        source: where `paper` stands or why it holds.
        conjecture: what a paper conjectures instead, if that is known to fail here. A control must show that the check
            could have confirmed it.
    """

    quantity: str
    condition: str
    ours: Value = None
    uncertainty: float = 0.0
    paper: Value = None
    tolerance: float = 0.0
    interval: Interval | None = None
    case: str = ""
    kind: Kind | None = None
    source: str = ""
    conjecture: Value = None

    @property
    def error(self) -> Value:
        """The absolute difference of two numbers; None if one of them is a word or missing."""
        if self.ours is None or self.paper is None or isinstance(self.ours, str) or isinstance(self.paper, str):
            return None
        if isinstance(self.ours, float) or isinstance(self.paper, float):
            return abs(float(self.ours) - float(self.paper))
        return abs(Fraction(self.ours) - Fraction(self.paper))

    @property
    def agrees(self) -> bool | None:
        """Whether `ours` is what it should be; None where nothing is expected or nothing is decided."""
        if self.kind == "measured" or self.paper is None or self.ours == UNDECIDED:
            return None
        error = self.error
        return self.ours == self.paper if error is None or isinstance(error, str) else bool(error <= self.tolerance)

    @property
    def outcome(self) -> Outcome | None:
        """What became of the statement that the row is about; None if nothing is compared.

        ``"refuted"`` is said only of a conjecture that fails here as expected. What is not as expected ``"differs"``.
        """
        if self.kind == "measured":
            return None
        if self.agrees is None:
            return "not decided"
        if not self.agrees:
            return "differs"
        return "confirmed" if self.conjecture is None else "refuted"

    @property
    def state(self) -> str:
        """``agrees``, ``differs``, ``undecided`` or ``measured``."""
        if self.kind == "measured":
            return "measured"
        return {True: "agrees", False: "differs", None: "undecided"}[self.agrees]

    @property
    def allowed(self) -> str:
        """The largest difference that still counts as agreement, as text; empty if the row is compared with nothing."""
        if self.kind == "measured" or self.error is None:
            return ""
        return f"± {self.tolerance:.3g}" if self.tolerance else "exact"

    @property
    def is_zero_or_one(self) -> bool:
        """Whether a 0 or a 1 is expected, which is often easy to match."""
        return isinstance(self.paper, int | float | Fraction) and self.paper in (0, 1)

    @property
    def counted_as(self) -> str:
        """The entry of `COUNTED` that it is counted under, or ``measured``; controls count whatever they expect."""
        return "zero_or_one" if self.is_zero_or_one and self.kind not in ("control", "measured") else str(self.kind)

    def as_json(self) -> dict[str, Any]:
        """The row as JSON values: a fraction is the nearest float, with its text under ``…_exact``."""
        return {
            "quantity": self.quantity,
            "condition": self.condition,
            "paper": _plain(self.paper),
            "ours": _plain(self.ours),
            "error": _plain(self.error),
            "agrees": self.agrees,
            "kind": self.kind,
            "outcome": self.outcome,
            "paper_exact": _exact(self.paper),
            "ours_exact": _exact(self.ours),
            "uncertainty": _plain(self.uncertainty),
            "tolerance": self.tolerance,
            "interval": self.interval and [_plain(end) for end in self.interval],
            "source": self.source,
            "case": self.case,
            "conjecture": _plain(self.conjecture),
            f"conjecture{EXACT}": _exact(self.conjecture),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Row":
        """Read a row that `as_json` wrote."""
        names = ("quantity", "condition", "kind", "uncertainty", "tolerance", "source", "case")
        ours, paper, conjecture = (
            _restore_value(values[name], values[name + EXACT]) for name in ("ours", "paper", "conjecture")
        )
        interval = values["interval"] and tuple(values["interval"])
        kept = {name: values[name] for name in names}
        return cls(**kept, ours=ours, paper=paper, conjecture=conjecture, interval=interval)


def _plain(value: Value) -> int | float | str | None:
    if isinstance(value, Fraction):
        return float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _exact(value: Value) -> str | None:
    """Text of a rational number, of a word, or of a float that JSON lacks; None for other floats."""
    return None if value is None or (isinstance(value, float) and math.isfinite(value)) else str(value)


def _restore_value(plain: Value, exact: str | None) -> Value:
    if exact is None or isinstance(plain, str):
        return plain
    return float(exact) if plain is None else Fraction(exact)


def claim_row(
    quantity: str,
    condition: str,
    holds: bool,
    source: str,
    *,
    case: str = "",
    control: bool = False,
    words: tuple[str, str] = ("holds", "fails"),
) -> Row:
    """Make the row of a statement that must hold, or of a control, for which it must fail; two words say which."""
    ours, paper = (words[0] if is_so else words[1] for is_so in (holds, not control))
    kind: Kind = "control" if control else "claim"
    return Row(quantity, condition, ours, paper=paper, kind=kind, case=case, source=source)


def caught_row(quantity: str, condition: str, is_refused: bool, source: str = "") -> Row:
    """Make the row of a control: something wrong, which a check must refuse."""
    return claim_row(quantity, condition, not is_refused, source, control=True, words=("passes", "refused"))


def word_row(
    quantity: str,
    condition: str,
    ours: str,
    paper: str,
    source: str,
    *,
    control: bool = False,
    conjecture: str | None = None,
) -> Row:
    """Make the row of a word that says what happens, as it is claimed or, for a control, as it must be."""
    kind: Kind = "control" if control else "claim"
    return Row(quantity, condition, ours, paper=paper, kind=kind, source=source, conjecture=conjecture)


def plain_row(quantity: str, case: str, common: str, ours: Value, **more: Any) -> Row:
    """Make the row of an exact number or a word, whose condition begins with its case; `more` is as for `Row`."""
    return Row(quantity, f"{case}, {common}" if case else common, ours, case=case, **more)


def formula_row(quantity: str, case: str, common: str, ours: Value, formula: Value, source: str = "") -> Row:
    """Make a row that compares our exact value with the value of a formula. `formula` is None if there is none."""
    return plain_row(quantity, case, common, ours, paper=formula, source=source)


def mean_row(quantity: str, case: str, common: str, values: Sequence[float]) -> Row:
    """Make the row of a mean with its standard error, 0 if all values are equal."""
    mean, error = mean_and_error(values)
    return plain_row(quantity, case, common, mean, uncertainty=error)


def interval_row(quantity: str, case: str, common: str, ours: float, interval: Interval) -> Row:
    """Make the row of a number with its interval; its standard error is that of a normal one as wide."""
    return plain_row(quantity, case, common, ours, uncertainty=normal_error(interval), interval=interval)


def share_row(quantity: str, case: str, common: str, successes: int, trials: int) -> Row:
    """Make the row of a share of independent trials, with its exact interval."""
    return interval_row(quantity, case, common, successes / trials, clopper_pearson(successes, trials))


def read_expected(path: Path) -> list[Row]:
    """Read a scenario's file of expected numbers; without a file there are none.

    Its columns are `EXPECTED_COLUMNS` and, if some rows are not published, `kind`.
    """
    if not path.exists():
        return []
    reader = csv.DictReader(io.StringIO(read_text(path, LARGEST_EXPECTED)))
    try:
        columns = tuple(reader.fieldnames or ())
        if columns not in (EXPECTED_COLUMNS, (*EXPECTED_COLUMNS, "kind")):
            raise SettingError(f"{path}: got columns {list(columns)}; expected {list(EXPECTED_COLUMNS)}, perhaps kind")
        rows = [_expected(line) for line in reader]
    except SettingError:
        raise
    except (csv.Error, ValueError, TypeError) as error:  # a field that is missing, too long or not a number
        raise SettingError(f"{path}: a line cannot be read ({error})") from None
    for row in rows:
        if not row.source:
            raise SettingError(f"{path}: {row.quantity!r}, {row.condition!r} has no source; every number needs one")
        _check_kind(row)
    return rows


def _expected(line: Mapping[str, Any]) -> Row:
    return Row(
        line["quantity"],
        line["condition"],
        paper=parse_value(line["paper"]),
        tolerance=float(line["tolerance"] or 0),
        source=line["source"],
        kind=line.get("kind") or "published",
    )


def parse_value(text: str) -> Value:
    """Read a number (exact for ``3`` and ``3/4``, a float for ``0.75``); any other text stays as it is."""
    for kind in (Fraction, float) if "." not in text else (float,):
        try:
            return kind(text)
        except (ValueError, ZeroDivisionError):
            continue
    return text


def beside_papers(measured: Iterable[Row], expected: Iterable[Row]) -> list[Row]:
    """Give each measured row, in order, what its paper or formula says, and its kind."""
    papers = {(row.quantity, row.condition): row for row in expected}
    rows = []
    for row in measured:
        if printed := papers.get((row.quantity, row.condition)):
            kind = row.kind or printed.kind
            # a list of numbers is text, also if there is only one
            paper = str(printed.paper) if isinstance(row.ours, str) else printed.paper
            row = replace(row, paper=paper, tolerance=printed.tolerance, source=printed.source, kind=kind)
        elif row.kind is None:
            row = replace(row, kind="measured" if row.paper is None else "formula")
        _check_kind(row)
        if row.kind != "measured" and row.paper is None:
            raise SettingError(
                f"{row.quantity}, {row.condition}: a {row.kind} needs paper=, the value that is expected"
            )
        rows.append(row)
    return rows


def not_covered(measured: Iterable[Row], expected: Iterable[Row]) -> list[Row]:
    """List the expected rows that these settings did not measure."""
    covered = {(row.quantity, row.condition) for row in measured}
    return [row for row in expected if (row.quantity, row.condition) not in covered]


def _check_kind(row: Row) -> None:
    if row.kind not in KINDS:
        raise SettingError(
            f"{row.quantity}, {row.condition}: got kind={row.kind!r}; expected one of {', '.join(KINDS)}"
        )


@dataclass(frozen=True)
class Count:
    """How many rows of one kind agree, differ, and are not decided; of those that agree, so many are refuted."""

    agree: int = 0
    differ: int = 0
    undecided: int = 0
    refuted: int = 0

    @property
    def total(self) -> int:
        """How many rows there are."""
        return self.agree + self.differ + self.undecided

    def describe(self, words: str = "") -> str:
        """Write ``3 of 5 formulas matched, 1 not decided``; an empty text if there are no rows."""
        if not self.total:
            return ""
        refuted = f", {self.refuted} refuted" if self.refuted else ""
        undecided = f", {self.undecided} {UNDECIDED}" if self.undecided else ""
        return f"{self.agree - self.refuted} of {self.total} {words}".rstrip() + refuted + undecided


@dataclass(frozen=True)
class Headline:
    """How much of each kind in `COUNTED` agrees, and how many rows are only measured.

    A row that expects 0 or 1 is compared like any other, and a difference counts against the run. It is counted
    separately, because 0 and 1 are easy to match.
    """

    counts: Mapping[str, Count]
    measured: int

    @property
    def everything(self) -> Count:
        """The counts of all kinds together."""
        counts = self.counts.values()
        return Count(*(sum(numbers) for numbers in zip(*map(astuple, counts), strict=True)))

    def as_json(self) -> dict[str, dict[str, int]]:
        """The counts as ``{"published": {"agree": …, "differ": …, "undecided": …, "refuted": …}, …}``."""
        return {name: asdict(count) for name, count in self.counts.items()}

    def __str__(self) -> str:
        """Write all counts as one sentence."""
        parts = [self.counts[kind].describe(" ".join(words)) for kind, words in COUNTED.items()]
        claims = self.counts["claim"]
        if claims.total:
            place = list(COUNTED).index("claim")
            refuted = f"{claims.refuted} refuted, " if claims.refuted else ""
            held = f"{claims.agree - claims.refuted} claims held, {refuted}{claims.differ} failed"
            parts[place] = f"{held}, {claims.undecided} {UNDECIDED}"
        return "; ".join(filter(None, parts)) or NOTHING_COMPARED


def headline(rows: Iterable[Row]) -> Headline:
    """Count the rows of each kind that agree, refute, differ, and are not decided."""
    groups = Counter((row.counted_as, row.outcome) for row in rows)

    def number(kind: str, *outcomes: Outcome) -> int:
        return sum(groups[kind, outcome] for outcome in outcomes)

    counts = {
        kind: Count(
            number(kind, "confirmed", "refuted"),
            number(kind, "differs"),
            number(kind, "not decided"),
            number(kind, "refuted"),
        )
        for kind in COUNTED
    }
    return Headline(counts, groups["measured", None])
