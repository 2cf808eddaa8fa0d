"""The answer of every scenario: a table that puts what the papers say next to what came out.

A scenario measures (`Measured`), its ``expected.csv`` holds the printed numbers with tolerance and source (`Expected`),
and `beside_papers` makes the rows (`Row`). Numbers are compared exactly where both are rational. Every row has a kind:

- ``"published"``: a number or word that a paper prints; the default for what ``expected.csv`` holds;
- ``"formula"``: what a formula or an exact argument gives; the default for a `paper` given in code;
- ``"claim"``: a statement that may hold, fail or stay undecided; `ours` is a verdict, `paper` the verdict "it holds";
- ``"control"``: something that a claim must refuse, such as a mutant; `paper` is how it must fail, so that the row
  agrees when the control was caught;
- ``"measured"``: a number that nothing is said about; the default without a `paper`, and never compared.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from multislot.errors import SettingError
from multislot.statistics import UNDECIDED, Interval, clopper_pearson, mean_and_error, normal_error

Value: TypeAlias = int | float | Fraction | str | None
Kind: TypeAlias = Literal["published", "formula", "claim", "control", "measured"]

KINDS: tuple[Kind, ...] = get_args(Kind)
PROMISED_COLUMNS = ("quantity", "condition", "paper", "ours", "error", "agrees")
EXACT = "_exact"
"""How the name of a column ends that has the exact text of the numbers in another."""
EXPECTED_COLUMNS = ("quantity", "condition", "paper", "tolerance", "source")


@dataclass(frozen=True)
class Measured:
    """One thing that a scenario found.

    Args:
        quantity: what was measured, in words ("value of accepting, copy-centred").
        condition: under which settings, naming every one that moves the number.
        ours: what came out; `UNDECIDED` where the data allow both the expected word and its opposite.
        uncertainty: standard error of `ours`; 0 if it is exact.
        paper: what it should be, where that is a formula, a claim or a control; ``expected.csv`` comes first.
        tolerance: largest absolute difference that still agrees, for a `paper` given here.
        interval: its 95% confidence interval, shown where a standard error would mislead (0 of n).
        case: how `condition` begins, if only that distinguishes it from its neighbours; they are printed side by side.
        kind: what kind of row this is, see the module; give it for claims and controls, otherwise leave it out.
        source: where a `paper` given here stands or why it holds.
    """

    quantity: str
    condition: str
    ours: Value
    uncertainty: float = 0.0
    paper: Value = None
    tolerance: float = 0.0
    interval: Interval | None = None
    case: str = ""
    kind: Kind | None = None
    source: str = ""


@dataclass(frozen=True)
class Expected:
    """One row of ``expected.csv``: a number of a paper (or a word), its tolerance and where it stands."""

    quantity: str
    condition: str
    paper: Value
    tolerance: float
    source: str

    def as_json(self) -> dict[str, object]:
        """Return the row as JSON values; see `Row.as_json`."""
        return {
            "quantity": self.quantity,
            "condition": self.condition,
            "paper": _plain(self.paper),
            "paper_exact": _exact(self.paper),
            "tolerance": self.tolerance,
            "source": self.source,
        }


@dataclass(frozen=True)
class Row:
    """One row of the answer; see `Measured` for what is not listed here.

    Attributes:
        error: the absolute difference of two numbers.
        agrees: whether `ours` is what it should be; None where nothing is said or nothing is decided.
    """

    quantity: str
    condition: str
    paper: Value
    ours: Value
    error: Value
    agrees: bool | None
    kind: Kind
    uncertainty: float = 0.0
    tolerance: float = 0.0
    interval: Interval | None = None
    source: str = ""
    case: str = ""

    @property
    def is_zero_or_one(self) -> bool:
        """Whether a 0 or a 1 is expected: too little for a headline that counts."""
        return isinstance(self.paper, int | float | Fraction) and self.paper in (0, 1)

    def as_json(self) -> dict[str, object]:
        """Return the row as JSON values: a fraction is the nearest float here and exact text under ``…_exact``."""
        return {name: _plain(getattr(self, name)) for name in PROMISED_COLUMNS} | {
            "kind": self.kind,
            "paper_exact": _exact(self.paper),
            "ours_exact": _exact(self.ours),
            "uncertainty": _plain(self.uncertainty),
            "tolerance": self.tolerance,
            "interval": self.interval and [_plain(end) for end in self.interval],
            "source": self.source,
        }

    def as_line(self) -> dict[str, object]:
        """Return the row for a table in a file: as in JSON, with the ends of the interval in two columns.

        ``paper`` and ``ours`` are numbers there; words stand under ``…_exact`` alone.
        """
        low, high = self.interval or (None, None)
        columns = {name: value for name, value in self.as_json().items() if name != "interval"}
        numbers = {name: None if isinstance(columns[name], str) else columns[name] for name in ("paper", "ours")}
        return columns | numbers | {"low": low, "high": high}


def share_row(quantity: str, case: str, common: str, successes: int, trials: int) -> Measured:
    """Return the row of a share of independent trials, with its exact interval."""
    return interval_row(quantity, case, common, successes / trials, clopper_pearson(successes, trials))


def interval_row(quantity: str, case: str, common: str, ours: float, interval: Interval) -> Measured:
    """Return the row of a number with its interval; its standard error is that of a normal one as wide."""
    return Measured(quantity, _condition(case, common), ours, normal_error(interval), interval=interval, case=case)


def mean_row(quantity: str, case: str, common: str, values: Sequence[float]) -> Measured:
    """Return the row of a mean with its standard error, 0 if all values are equal."""
    return Measured(quantity, _condition(case, common), *mean_and_error(values), case=case)


def plain_row(quantity: str, case: str, common: str, ours: float | str) -> Measured:
    """Return the row of an exact number or a word."""
    return Measured(quantity, _condition(case, common), ours, case=case)


def _condition(case: str, common: str) -> str:
    return f"{case}, {common}" if case else common


def read_expected(path: Path) -> list[Expected]:
    """Return the rows of an ``expected.csv``; an empty list if there is no such file.

    Raises:
        SettingError: a column is missing, or a row has no source.
    """
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != EXPECTED_COLUMNS:
            raise SettingError(f"{path}: got columns {reader.fieldnames}; expected {list(EXPECTED_COLUMNS)}")
        return [_expected(line, path) for line in reader]


def _expected(line: dict[str, str], path: Path) -> Expected:
    if not line["source"]:
        raise SettingError(f"{path}: {line['quantity']!r}, {line['condition']!r} has no source; every number needs one")
    tolerance = float(line["tolerance"] or 0)
    return Expected(line["quantity"], line["condition"], parse_value(line["paper"]), tolerance, line["source"])


def parse_value(text: str) -> Value:
    """Return the number that `text` is (exact for ``3`` and ``3/4``, a float for ``0.75``), otherwise the text."""
    for kind in (Fraction, float) if "." not in text else (float,):
        try:
            return kind(text)
        except (ValueError, ZeroDivisionError):
            continue
    return text


def beside_papers(measured: Iterable[Measured], expected: Sequence[Expected]) -> list[Row]:
    """Return a row for each thing measured, in order, with what its paper or formula says.

    Raises:
        SettingError: the kind of a row is unknown, or a claim or control does not say what is expected.
    """
    papers = {(row.quantity, row.condition): row for row in expected}
    return [_row(one, papers.get((one.quantity, one.condition))) for one in measured]


def not_covered(measured: Iterable[Measured], expected: Iterable[Expected]) -> list[Expected]:
    """Return the rows of ``expected.csv`` that these settings did not measure."""
    done = {(one.quantity, one.condition) for one in measured}
    return [row for row in expected if (row.quantity, row.condition) not in done]


def _row(one: Measured, printed: Expected | None) -> Row:
    said = printed or one
    kind = _kind(one, printed)
    error = _difference(one.ours, said.paper)
    return Row(
        quantity=one.quantity,
        condition=one.condition,
        paper=said.paper,
        ours=one.ours,
        error=error,
        agrees=None if kind == "measured" else _agrees(one.ours, said.paper, error, said.tolerance),
        kind=kind,
        uncertainty=one.uncertainty,
        tolerance=said.tolerance,
        interval=one.interval,
        source=said.source,
        case=one.case,
    )


def _kind(one: Measured, printed: Expected | None) -> Kind:
    if one.kind is None:
        return "published" if printed else "measured" if one.paper is None else "formula"
    if one.kind not in KINDS:
        raise SettingError(
            f"{one.quantity}, {one.condition}: got kind={one.kind!r}; expected one of {', '.join(KINDS)}"
        )
    if one.kind != "measured" and printed is None and one.paper is None:
        raise SettingError(f"{one.quantity}, {one.condition}: a {one.kind} needs paper=, the value that is expected")
    return one.kind


def _agrees(ours: Value, paper: Value, error: Value, tolerance: float) -> bool | None:
    if paper is None or ours == UNDECIDED:
        return None
    if isinstance(error, str) or error is None:
        return ours == paper
    return bool(error <= tolerance)


def _difference(ours: Value, paper: Value) -> Value:
    if ours is None or paper is None or isinstance(ours, str) or isinstance(paper, str):
        return None
    if isinstance(ours, float) or isinstance(paper, float):
        return abs(float(ours) - float(paper))
    return abs(Fraction(ours) - Fraction(paper))


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _exact(value: Value) -> str | None:
    """Return a rational number or a word as text; None for a float, which is not exact, and where there is nothing."""
    return None if value is None or isinstance(value, float) else str(value)
