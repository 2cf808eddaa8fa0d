"""The answer of every scenario: a table that puts the paper's number or formula beside ours.

A scenario measures (`Measured`), its ``expected.csv`` holds what the paper says with a tolerance and a source
(`Expected`), and `compare` makes the rows (`Row`). Numbers are compared exactly where both are rational.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from multislot.errors import SettingError
from multislot.statistics import UNDECIDED, Interval, clopper_pearson, mean_and_error, normal_error

Value: TypeAlias = int | float | Fraction | str | None

COLUMNS = ("quantity", "condition", "paper", "ours", "error", "agrees")
EXPECTED_COLUMNS = ("quantity", "condition", "paper", "tolerance", "source")


@dataclass(frozen=True)
class Measured:
    """One thing that a scenario found.

    Args:
        quantity: what was measured, in words ("value of accepting, copy-centred").
        condition: under which settings, naming every one that moves the number.
        ours: what came out; `UNDECIDED` where what was seen allows the paper's word and its opposite.
        uncertainty: standard error of `ours`; 0 if it is exact.
        paper: what it should be, where that is a formula; otherwise ``expected.csv`` is asked.
        tolerance: largest absolute difference that still agrees, for a `paper` given here.
        interval: ends of its 95% confidence interval, to be shown where a standard error would mislead (0 of n).
        case: how `condition` begins, if that is all that tells it from its neighbours'; they are printed side by side.
    """

    quantity: str
    condition: str
    ours: Value
    uncertainty: float = 0.0
    paper: Value = None
    tolerance: float = 0.0
    interval: Interval | None = None
    case: str = ""


@dataclass(frozen=True)
class Expected:
    """One row of ``expected.csv``: a number of a paper (or a word), its tolerance and where it stands."""

    quantity: str
    condition: str
    paper: Value
    tolerance: float
    source: str


@dataclass(frozen=True)
class Row:
    """One row of the answer.

    `error` is the absolute difference; `agrees` is None where the paper says nothing or nothing is decided.
    """

    quantity: str
    condition: str
    paper: Value
    ours: Value
    error: Value
    agrees: bool | None
    uncertainty: float = 0.0
    interval: Interval | None = None
    case: str = ""

    @property
    def ends(self) -> dict[str, float | None]:
        """The ends of its confidence interval, None where it has none."""
        low, high = self.interval or (None, None)
        return {"low": low, "high": high}

    def as_json(self) -> dict[str, object]:
        """The six promised columns as JSON values; a fraction becomes the nearest float, no number None."""
        return {name: _plain(getattr(self, name)) for name in COLUMNS}


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
    """The rows of an ``expected.csv``; none if the file is not there.

    Raises:
        SettingError: a column is missing, or a row has no source.
    """
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != EXPECTED_COLUMNS:
            raise SettingError(f"{path}: the columns are {reader.fieldnames}, they should be {list(EXPECTED_COLUMNS)}")
        return [_expected(line, path) for line in reader]


def _expected(line: dict[str, str], path: Path) -> Expected:
    if not line["source"]:
        raise SettingError(f"{path}: {line['quantity']!r}, {line['condition']!r} has no source; every number needs one")
    tolerance = float(line["tolerance"] or 0)
    return Expected(line["quantity"], line["condition"], parse_value(line["paper"]), tolerance, line["source"])


def parse_value(text: str) -> Value:
    """A number if `text` is one (an exact one for ``3`` and ``3/4``, a float for ``0.75``), else the text itself."""
    for kind in (Fraction, float) if "." not in text else (float,):
        try:
            return kind(text)
        except (ValueError, ZeroDivisionError):
            continue
    return text


def compare(measured: Iterable[Measured], expected: Sequence[Expected]) -> list[Row]:
    """Puts what the papers say beside each thing measured, in the order in which they were measured."""
    papers = {(row.quantity, row.condition): row for row in expected}
    return [_row(one, papers.get((one.quantity, one.condition))) for one in measured]


def not_covered(measured: Iterable[Measured], expected: Iterable[Expected]) -> list[Expected]:
    """The rows of ``expected.csv`` that these settings did not measure."""
    done = {(one.quantity, one.condition) for one in measured}
    return [row for row in expected if (row.quantity, row.condition) not in done]


def _row(one: Measured, expected: Expected | None) -> Row:
    paper, tolerance = (expected.paper, expected.tolerance) if expected else (one.paper, one.tolerance)
    error = _difference(one.ours, paper)
    if paper is None or one.ours == UNDECIDED:
        agrees = None
    elif isinstance(error, str) or error is None:
        agrees = one.ours == paper
    else:
        agrees = bool(error <= tolerance)
    return Row(one.quantity, one.condition, paper, one.ours, error, agrees, one.uncertainty, one.interval, one.case)


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
