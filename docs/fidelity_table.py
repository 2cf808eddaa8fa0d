"""Make ``fidelity.md`` from ``fidelity.csv``, and find what in it has rotted.

Every definition, equation, theorem, figure, table cell and claim of the five papers has a row: where it is in the code,
how it is checked, and why not where it is not. ``fidelity_rows.csv`` holds what the named rows of scenarios gave in the
last reproduction. Usage::

    python docs/fidelity_table.py                    # write docs/fidelity.md
    python docs/fidelity_table.py --record RESULTS   # first read fidelity_rows.csv from a folder of results
"""

import argparse
import ast
import csv
import importlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from html import escape
from pathlib import Path

from multislot.errors import SettingError, UnknownNameError
from scenarios.lab import registry
from scenarios.lab.table import Row

DOCS = Path(__file__).parent
ROOT = DOCS.parent
TABLE, RECORDED, PAGE = DOCS / "fidelity.csv", DOCS / "fidelity_rows.csv", DOCS / "fidelity.md"
REFERENCE = re.compile(r"(?P<scenario>[a-z0-9-]+): (?P<quantity>.+) \[(?P<kind>[a-z]+)\](?: @ (?P<part>.+))?")
IMPLEMENTED = {
    "yes": "yes",
    "reading": "with a stated reading",
    "differs": "with a difference",
    "no": "**not implemented**",
}
LATER = "later"
VERDICTS = {"True": "agree", "False": "differ", "": "not decided", LATER: "only in the full reproduction"}


@dataclass(frozen=True)
class Entry:
    """One thing that a paper says; `code`, `tests` and `rows` hold several names, separated by bars.

    Attributes:
        paper: author and year.
        place: where it stands there.
        says: what it is.
        code: dotted names of objects.
        tests: ``path/of/test_file::test_name``, below ``tests/`` and without ``.py``.
        rows: ``scenario: quantity [kind] @ part of the condition``; the last part may be missing.
        implemented: ``yes``, ``reading`` (the paper has words, and no formula), ``differs`` or ``no``.
        remark: what it gave, what is different, or why it is not there.
    """

    paper: str
    place: str
    says: str
    code: str
    tests: str
    rows: str
    implemented: str
    remark: str


@dataclass(frozen=True)
class Recorded:
    """What a row of a scenario gave: `agrees` is ``True``, ``False``, or empty where nothing is decided or compared."""

    scenario: str
    quantity: str
    condition: str
    kind: str
    agrees: str


def named(text: str) -> list[str]:
    """Return the names in a cell."""
    return [name.strip() for name in text.split(" | ") if name.strip()]


def read_entries(path: Path = TABLE) -> list[Entry]:
    """Return the rows of the table."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Entry(**line) for line in csv.DictReader(file)]


def read_recorded(path: Path = RECORDED) -> list[Recorded]:
    """Return what the rows of scenarios gave."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Recorded(**line) for line in csv.DictReader(file)]


def problems(entries: Iterable[Entry], recorded: Sequence[Recorded]) -> list[str]:
    """Return what has rotted, one sentence each: unknown names, rows that differ, missing reasons."""
    return [f"{one.paper}, {one.place}: {problem}" for one in entries for problem in _problems_of(one, recorded)]


def _problems_of(one: Entry, recorded: Sequence[Recorded]) -> Iterator[str]:
    if one.implemented not in IMPLEMENTED:
        yield f"implemented={one.implemented!r}; expected one of {', '.join(IMPLEMENTED)}"
    if one.implemented != "yes" and not one.remark:
        yield "it is not there as printed, and no reason is given"
    if one.implemented != "no" and not (one.tests or one.rows):
        yield "it is there, and nothing checks it"
    yield from (f"no object {name}" for name in named(one.code) if not exists(name))
    yield from (f"no test {name}" for name in named(one.tests) if not is_test(name))
    for reference in named(one.rows):
        met = rows_of(reference, recorded)
        if not met:
            yield f"no row {reference}"
        if any(row.agrees == "False" for row in met):
            yield f"a row differs: {reference}"


def exists(name: str) -> bool:
    """Return whether a dotted name is a module or an object in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for attribute in parts[length:]:
            if not hasattr(found, attribute):
                return False
            found = getattr(found, attribute)
        return True
    return False


def is_test(name: str) -> bool:
    """Return whether a test of this name is in its file."""
    path, _, function = name.partition("::")
    return function in _tests_in(ROOT / "tests" / f"{path}.py")


@cache
def _tests_in(path: Path) -> frozenset[str]:
    if not path.exists():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


def rows_of(reference: str, recorded: Iterable[Recorded]) -> list[Recorded]:
    """Return the rows that a reference means: as recorded, or as ``expected.csv`` announces them."""
    parts = REFERENCE.fullmatch(reference)
    if not parts:
        return []
    scenario, quantity, kind, part = parts.group("scenario", "quantity", "kind", "part")
    met = [
        row
        for row in recorded
        if (row.scenario, row.quantity) == (scenario, quantity) and (part or "") in row.condition
    ]
    if met:
        return [row for row in met if row.kind == kind]
    return [
        Recorded(scenario, quantity, one.condition, kind, LATER)
        for one in _announced(scenario)
        if kind == "published" and one.quantity == quantity and (part or "") in one.condition
    ]


@cache
def _announced(scenario: str) -> tuple[Row, ...]:
    try:
        return tuple(registry.find(scenario).expected)
    except UnknownNameError:
        return ()


def scenarios_of(entries: Iterable[Entry]) -> list[str]:
    """Return the scenarios that the table names, each once."""
    return list(dict.fromkeys(row.partition(":")[0] for one in entries for row in named(one.rows)))


def meant(rows: Iterable[Recorded], entries: Sequence[Entry]) -> list[Recorded]:
    """Return those of all rows whose quantities the table names, of whatever kind."""
    wanted = {row.rpartition(" [")[0] for one in entries for row in named(one.rows)}
    return [row for row in rows if f"{row.scenario}: {row.quantity}" in wanted]


def read_results(folder: Path, names: Iterable[str]) -> list[Recorded]:
    """Return the rows of the newest run of each scenario in a folder of results.

    Raises:
        SettingError: a scenario has no run there.
    """
    found = []
    for name in names:
        tables = sorted((folder / name).glob("*/table.csv"), key=lambda path: path.stat().st_mtime)
        if not tables:
            raise SettingError(
                f"{folder} has no run of {name}; expected one of each scenario in the table: run it first"
            )
        with tables[-1].open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                known = (line[one.name] for one in fields(Recorded)[1:])
                found.append(Recorded(name, *known))
    return found


def write_recorded(rows: Iterable[Recorded], path: Path = RECORDED) -> None:
    """Write what the rows of scenarios gave."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([one.name for one in fields(Recorded)])
        writer.writerows(astuple(row) for row in rows)


def page(entries: Sequence[Entry], recorded: Sequence[Recorded]) -> str:
    """Return the page: what the table says in all; `rows` shows the table itself."""
    counted = Counter(
        "not compared" if row.kind == "measured" else VERDICTS[row.agrees]
        for one in entries
        for reference in named(one.rows)
        for row in rows_of(reference, recorded)
    )
    results = ", ".join(f"{count:,} {word}" for word, count in counted.most_common())
    parts = [HEAD, *_summary(entries), f"\nRows of experiments compare our numbers with the papers: {results}.\n"]
    return "\n".join([*parts, "## All rows\n", ROWS, ""])


HEAD = """# True to the papers

A table lists every definition, equation, theorem, figure, table cell and claim of the five papers on which this project
is based. Each line of the table says where the code is, how it is checked, and with which result. If our code differs
from a paper or leaves something out, the table says why. A test fails if a name in the table does not fit the code, if
a number is not as expected, or if a line gives no reason for a difference.
"""
HERE = "<!-- all rows -->"
FIRST = "differs"
"""The rows that are shown first."""
ROWS = f"""The table is the file `docs/fidelity.csv`. The web page of the documentation shows the table here, with a
filter. The table's third column says what checks our code: a test (its name in words, and its file) or a row of an
[experiment](scenarios.md) (*experiment: quantity*, and the [kind of the row](scenarios.md#the-report)). The table's
last column says how many of an experiment's rows agreed in the last short reproduction (`multislot
reproduce`). If a published number needs longer runs, the last column says "only in the full reproduction". A
*control* is a check that must fail, so its row agrees if it failed.

{HERE}"""
FILTER = """<p class="filter"><label>Show <select id="kind"><option value="">all</option>{kinds}</select></label>
<label>of <select id="paper"><option value="">all papers</option>{papers}</select></label>
<label>with the words <input id="words" type="search"></label> <output id="count"></output></p>
<script>
addEventListener("DOMContentLoaded", () => {{
  const [kind, paper, words, count] = ["kind", "paper", "words", "count"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("#fidelity tbody tr")];
  const show = () => {{
    let shown = 0;
    for (const row of rows) {{
      const text = row.textContent.toLowerCase();
      row.hidden = !((!kind.value || row.dataset.kind === kind.value)
        && (!paper.value || row.dataset.paper === paper.value)
        && words.value.toLowerCase().split(" ").every((word) => text.includes(word)));
      shown += !row.hidden;
    }}
    count.textContent = `${{shown}} of ${{rows.length}} rows`;
  }};
  for (const one of [kind, paper, words]) one.addEventListener("input", show);
  show();
}});
</script>"""


def rows(entries: Sequence[Entry], recorded: Sequence[Recorded]) -> str:
    """Return the whole table in HTML, with a filter."""
    kinds = "".join(
        f'<option value="{kind}"{" selected" * (kind == FIRST)}>{words.strip("*")}</option>'
        for kind, words in IMPLEMENTED.items()
    )
    papers = "".join(f"<option>{escape(paper)}</option>" for paper in dict.fromkeys(one.paper for one in entries))
    titles = ("place in the paper", "what it is, and where it is in the code", "how it is checked", "result")
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "\n".join(_row(one, recorded) for one in entries)
    table = f'<table class="docutils" id="fidelity"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>'
    return f'{FILTER.format(kinds=kinds, papers=papers)}\n<div class="stacked">{table}</div>'


def _summary(entries: Sequence[Entry]) -> list[str]:
    counts: Mapping[str, Counter[str]] = {one.paper: Counter() for one in entries}
    for one in entries:
        counts[one.paper][one.implemented] += 1
    lines = [f"| {paper} | {' | '.join(str(count[word]) for word in IMPLEMENTED)} |" for paper, count in counts.items()]
    total = Counter(one.implemented for one in entries)
    lines.append(f"| all {len(entries)} | {' | '.join(str(total[word]) for word in IMPLEMENTED)} |")
    return [
        "| paper | as printed | with a stated reading | with a stated difference | not implemented |",
        "|---|---|---|---|---|",
        *lines,
    ]


def _row(one: Entry, recorded: Sequence[Recorded]) -> str:
    what = [escape(one.says), *(f"<code>{name.replace('.', '.<wbr>')}</code>" for name in named(one.code))]
    checks = [escape(_test_shown(name)) for name in named(one.tests)] + [_row_shown(row) for row in named(one.rows)]
    met = [row for reference in named(one.rows) for row in rows_of(reference, recorded)]
    gave = filter(None, (_verdicts(met), "tests pass" if one.tests else ""))
    words = IMPLEMENTED[one.implemented].strip("*") + (f": {escape(one.remark)}" if one.remark else "")
    place = f"{escape(one.paper)}<br>{escape(one.place)}"
    cells = (place, "<br>".join(what), "<br>".join(checks), "<br>".join([words, *gave]))
    inside = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr data-kind="{one.implemented}" data-paper="{escape(one.paper)}">{inside}</tr>'


def _test_shown(name: str) -> str:
    """Return a test's name in words, which a narrow column can wrap, and its file."""
    path, _, function = name.partition("::")
    return f"{function.removeprefix('test_').replace('_', ' ')} ({path.rpartition('/')[2]})"


def _row_shown(reference: str) -> str:
    parts = REFERENCE.fullmatch(reference)
    if not parts:
        return escape(reference)
    scenario, quantity, kind, part = map(escape, parts.groups(""))
    return f"<em>{scenario}: {quantity}</em>" + (f" ({part}, {kind})" if part else f" ({kind})")


def _verdicts(rows: Sequence[Recorded]) -> str:
    """Return how many of the rows agree, differ, and are not decided; measured ones are not compared."""
    counts = Counter("measured" if row.kind == "measured" else VERDICTS[row.agrees] for row in rows)
    return "rows: " + ", ".join(f"{count} {word}" for word, count in counts.items()) if counts else ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Record what the rows gave, if asked to, and write the page."""
    parser = argparse.ArgumentParser(description="Make docs/fidelity.md from docs/fidelity.csv.")
    parser.add_argument("--record", type=Path, metavar="RESULTS", help="read what rows gave from a folder of results")
    asked = parser.parse_args(arguments)
    entries = read_entries()
    if asked.record:
        write_recorded(meant(read_results(asked.record, scenarios_of(entries)), entries))
    PAGE.write_text(page(entries, read_recorded()), encoding="utf-8")


if __name__ == "__main__":
    main()
