"""The strip at the top of a report: (ours − paper) ÷ tolerance of every number that has a tolerance, with intervals."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multislot.statistics import UNDECIDED
from scenarios.lab.records import Record
from scenarios.lab.table import Row, Value

END = 2.5
"""Where the axis ends, in tolerances; what lies farther out is drawn there."""
LANES = 5
"""Points of a scenario are spread over so many lanes."""
NORMAL_95 = 1.96
ROW_PIXELS = 26
AGREES, DIFFERS = "agrees", "differs"


@dataclass(frozen=True)
class Strip:
    """A chart as a Vega-Lite specification; and how many numbers without a tolerance are equal and unequal."""

    specification: Mapping[str, Any] | None
    points: int
    equal: int
    unequal: int


def strip_of(records: Iterable[Record]) -> Strip:
    """The strip of all rows that compare numbers, controls left out."""
    rows = [(record.scenario, row) for record in records for row in record.rows if row.kind in ("published", "formula")]
    compared = [(scenario, row) for scenario, row in rows if _is_number(row.ours) and _is_number(row.paper)]
    points = [_point(scenario, row) for scenario, row in compared if row.tolerance]
    exact = [row.agrees for _, row in compared if not row.tolerance]
    for number, point in enumerate(points):
        point["lane"] = number % LANES
    specification = _specification(points) if points else None
    return Strip(specification, len(points), exact.count(True), exact.count(False))


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float | Fraction) and math.isfinite(value)


def _point(scenario: str, row: Row) -> dict[str, Any]:
    """Return where a row is on the strip, in tolerances."""
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
        "verdict": UNDECIDED if row.agrees is None else AGREES if row.agrees else DIFFERS,
        "x": round(x, 3),
        "low": round(low, 3),
        "high": round(high, 3),
    }


def _specification(points: list[dict[str, Any]]) -> dict[str, Any]:
    names = list(dict.fromkeys(point["scenario"] for point in points))
    y = {
        "field": "scenario",
        "type": "nominal",
        "sort": names,
        "title": None,
        "axis": {"labelLimit": 220, "ticks": False, "domain": False},
        "scale": {"paddingInner": 0.25},
    }
    lane = {"field": "lane", "type": "ordinal"}
    x = {
        "type": "quantitative",
        "scale": {"domain": [-END, END], "nice": False, "clamp": True},
        "axis": {"values": [-2, -1, 0, 1, 2], "title": "(ours − paper) ÷ tolerance", "gridOpacity": 0.4},
    }
    verdicts = {
        "field": "verdict",
        "type": "nominal",
        "title": None,
        "scale": {"domain": [AGREES, DIFFERS, UNDECIDED]},
        "legend": {"orient": "top"},
    }
    shown = ("scenario", "quantity", "condition", "ours", "paper", "tolerance", "in tolerances", "verdict")
    tooltip = [{"field": name, "type": "nominal"} for name in shown]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "Every compared number that has a tolerance: how far ours is from the paper's, in tolerances",
        "width": "container",
        "height": {"step": ROW_PIXELS / LANES},
        "data": {"values": points},
        "encoding": {"y": y, "yOffset": lane},
        "layer": [
            {
                "data": {"values": [{}]},
                "mark": {"type": "rect", "color": "#0072B2", "opacity": 0.08},
                "encoding": {"x": {"datum": -1, **x}, "x2": {"datum": 1}, "y": None, "yOffset": None},
            },
            {
                "mark": {"type": "rule", "opacity": 0.55},
                "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}, "color": verdicts},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 36, "opacity": 0.9},
                "encoding": {"x": {"field": "x", **x}, "color": verdicts, "tooltip": tooltip},
            },
        ],
        "config": {"view": {"stroke": None}},
    }
