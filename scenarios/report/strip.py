"""The strip at the top of a report: (ours − paper) ÷ tolerance of every number that has a tolerance, with intervals.

The chart is in ``strip.json``, a Vega-Lite specification without its data.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from typing import Any

from multislot.statistics import UNDECIDED
from scenarios.lab.records import Record
from scenarios.lab.table import Row, Value

LANES = 5
"""Points of a scenario are spread over this number of lanes."""
NORMAL_95 = 1.96


@dataclass(frozen=True)
class Strip:
    """A chart as a Vega-Lite specification; and how many numbers without a tolerance are equal and unequal."""

    specification: Mapping[str, Any] | None
    points: int
    equal: int
    unequal: int


def strip_of(records: Iterable[Record]) -> Strip:
    """The strip of all rows that compare numbers, controls left out."""
    rows = [
        (record.scenario, row) for record in records for row in record.rows if row.kind not in ("control", "measured")
    ]
    compared = [(scenario, row) for scenario, row in rows if _is_number(row.ours) and _is_number(row.paper)]
    points = [_point(scenario, row) for scenario, row in compared if row.tolerance]
    exact = [row.agrees for _, row in compared if not row.tolerance]
    chart = json.loads((files("scenarios.report") / "strip.json").read_text(encoding="utf-8"))
    data = {"values": [{**point, "lane": number % LANES} for number, point in enumerate(points)]}
    return Strip({**chart, "data": data} if points else None, len(points), exact.count(True), exact.count(False))


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float | Fraction) and math.isfinite(value)


def _point(scenario: str, row: Row) -> dict[str, Any]:
    """The place of a row on the strip, in tolerances."""
    ours, paper = float(row.ours or 0), float(row.paper or 0)
    spread = NORMAL_95 * row.uncertainty
    low, high = row.interval or (ours - spread, ours + spread)
    x, low, high = ((value - paper) / row.tolerance for value in (ours, low, high))
    return {
        "scenario": scenario,
        "quantity": row.quantity,
        "condition": row.condition,
        "ours": f"{ours:.6g}",
        "paper": f"{paper:.6g}",
        "tolerance": f"{row.tolerance:.3g}",
        "in tolerances": f"{x:.2f}",
        "verdict": UNDECIDED if row.agrees is None else row.state,
        "x": round(x, 3),
        "low": round(low, 3),
        "high": round(high, 3),
    }
