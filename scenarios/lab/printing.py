"""Tables for the terminal; without a terminal they are as wide as they need.

A table that would break words because the terminal is narrow is printed as a list, an entry a row.
"""

import dataclasses
import math
import re
import sys
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, get_type_hints

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from multislot.exact.files.reading import CONTROL

if TYPE_CHECKING:  # printing a list of worlds needs no scenario
    from scenarios.lab.registry import Scenario
    from scenarios.lab.table import Row, Value

UNLIMITED_WIDTH = 100_000
TABLE_WIDTH = 120
"""Width of a table with lines that is printed into a file."""
COLUMNS = ("quantity", "condition", "kind", "expected", "ours", "error", "tolerance", "outcome")
LARGEST_DENOMINATOR = 1000
INDENT = 2
SET_OUT = re.compile(r"^([ \t]|[-*] |\d+\. )", re.MULTILINE)


def escape_controls(text: str) -> str:
    """A text in which characters that control a terminal, or cannot be printed, are escaped."""
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


class Terminal(Console):
    """A console that prints no control characters, since texts may come from files."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make the text that is printed of a string."""
        return super().render_str(escape_controls(text), **options)


def output(*, markup: bool = True) -> Console:
    """The terminal; without one, a console that wraps nothing. Without `markup`, brackets are printed as they stand."""
    return Terminal(markup=markup, width=None if sys.stdout.isatty() else UNLIMITED_WIDTH)


def say_next(*commands: str) -> None:
    """Print what to try next at the end of a command, on standard error because it is not a result."""
    print("", "Try next:", *(f"  multislot {command}" for command in commands), sep="\n", file=sys.stderr)


def reflow(text: str) -> str:
    """Prose with each paragraph on one line, for any width; what is indented or a list stays as it is."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        paragraph if SET_OUT.search(paragraph) else " ".join(paragraph.split()) for paragraph in paragraphs
    )


def show(console: Console, *tables: Table) -> None:
    """Print tables, each as a list of its rows if its words do not fit side by side."""
    for table in tables:
        if _fit(console, table):
            console.print(table)
        else:
            _show_as_list(console, table)


def _fit(console: Console, table: Table) -> bool:
    """Give every column at least its longest word; return False if there is no room for that."""
    frame = Measurement.get(console, console.options, Table(*([""] * len(table.columns)), box=table.box)).maximum
    columns = [(column.header, *column.cells) for column in table.columns]
    needs = [[Measurement.get(console, console.options, cell) for cell in cells] for cells in columns]
    least = [max((cell.minimum for cell in cells), default=0) for cells in needs]
    most = [max((cell.maximum for cell in cells), default=0) for cells in needs]
    width = TABLE_WIDTH if table.box and console.width == UNLIMITED_WIDTH else console.width
    spare = width - frame - sum(least)
    if spare < 0:
        return False
    wanted = sum(most) - sum(least)
    share = min(1.0, spare / wanted) if wanted else 0.0
    for column, low, high in zip(table.columns, least, most, strict=True):
        column.width = low + int(share * (high - low))
    return True


def _show_as_list(console: Console, table: Table) -> None:
    if table.title:
        console.print(table.title, style="bold")
    headers = [str(column.header) for column in table.columns]
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        first, *rest = (
            f"{header}: {cell}" if header else cell for header, cell in zip(headers, cells, strict=True) if cell
        )
        console.print(first.partition(": ")[2] or first, highlight=False)
        console.print(Padding("; ".join(rest), (0, 0, 0, INDENT), expand=False), highlight=False)


def scenario_list(scenarios: "Iterable[Scenario]") -> Table:
    """A line for each scenario."""
    table = Table("experiment", "family", "what it is about", box=None, pad_edge=False)
    for scenario in scenarios:
        table.add_row(scenario.name, scenario.family, scenario.summary)
    return table


def settings_table(scenario: "Scenario") -> Table:
    """The settings of a scenario with their defaults."""
    table = Table("setting", "default", "what it is", title="\nsettings, for --set", title_justify="left")
    for setting in settings_of(scenario):
        table.add_row(setting["name"], setting["default"], setting["description"])
    return table


def settings_of(scenario: "Scenario") -> list[dict[str, str]]:
    """Return name, default and description of every setting, as text."""
    hints = get_type_hints(scenario.settings_type, include_extras=True)
    default = scenario.settings()
    described = []
    for field in dataclasses.fields(default):
        value = getattr(default, field.name)
        words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        notes = (getattr(note, "description", None) for note in getattr(hints[field.name], "__metadata__", ()))
        described.append(
            {"name": field.name, "default": words, "description": "; ".join(note for note in notes if note)}
        )
    return described


def expected_table(scenario: "Scenario") -> Table:
    """Make a table of what papers say, with tolerance and source."""
    table = Table("quantity", "condition", "expected", "tolerance", "source", title="\nexpected", title_justify="left")
    for row in scenario.printed:
        table.add_row(row.quantity, row.condition, format_value(row.paper), f"{row.tolerance:g}", row.source)
    return table


def rows_table(title: str, rows: "Iterable[Row]") -> Table:
    """A line for each row."""
    table = Table(*COLUMNS, title=title)
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: "Row") -> tuple[str, ...]:
    outcome = "[bold red]differs[/bold red]" if row.outcome == "differs" else row.outcome or ""
    return (
        escape(row.quantity),
        escape(row.condition),
        str(row.kind),
        escape(format_value(row.paper)),
        escape(with_error(row)),
        format_value(row.error),
        row.allowed,
        outcome,
    )


def with_error(row: "Row") -> str:
    """Our value, to the second digit of its standard error or of its interval's width if it has one."""
    if not row.uncertainty or isinstance(row.ours, str | None):
        return format_value(row.ours)
    if row.interval:
        decimals = _decimals(row.interval[1] - row.interval[0])
        share, low, high = (f"{float(number):.{decimals}f}" for number in (row.ours, *row.interval))
        return f"{share} [{low}, {high}]"
    decimals = _decimals(row.uncertainty)
    return f"{float(row.ours):.{decimals}f} ± {row.uncertainty:.{decimals}f}"


def _decimals(uncertainty: float) -> int:
    """Number of decimals that show two digits of an uncertainty."""
    return max(0, 1 - math.floor(math.log10(uncertainty)))


def format_value(value: "Value") -> str:
    """A number as a person would write it: short fractions as they are, the rest with six digits."""
    if value is None:
        return ""
    if isinstance(value, Fraction):
        return str(value) if value.denominator <= LARGEST_DENOMINATOR else f"{float(value):.6g}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
