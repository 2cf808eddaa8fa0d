"""The command ``multislot``: list, show, run and reproduce scenarios.

Results go to standard output, everything else (progress, notes, errors) to standard error, so that ``--json`` can
be piped.
"""

import dataclasses
import json
import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, get_type_hints

import typer
from rich.console import Console
from rich.table import Column, Table

import multislot
from multislot.errors import MissingExtraError, MultislotError, SettingError
from multislot.statistics import UNDECIDED
from scenarios import registry, runner, store
from scenarios.registry import Scenario
from scenarios.runner import RunOutcome
from scenarios.table import Row, Value

PIPED_WIDTH, VALUE_WIDTH = 160, 22
EXIT_ERROR, EXIT_DISAGREES, EXIT_INTERRUPTED = 2, 1, 130
LARGEST_DENOMINATOR = 1000
INTERPRETED = "this build is not compiled: same results, learners about 20x slower (see the install notes in README)"
NOTHING_COMPARED = "no number to compare at these settings"

app = typer.Typer(
    epilog="Start with  multislot list , then  multislot run copy .",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its help would show every option's Python type
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A scenario; `multislot list` has them all.", show_default=False)
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change a setting; may be repeated. `multislot show NAME` has them."
    ),
]
Seeds = Annotated[int | None, typer.Option(metavar="N", help="How many independent runs: short for --set seeds=N.")]
Jobs = Annotated[int | None, typer.Option(metavar="N", help="Processes to use.", show_default=False)]
Cluster = Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler to use, tcp://host:8786.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the table as JSON and nothing else.")]
Results = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder of results; finished cells found there are not run again.")
]


def main() -> None:
    """Runs the command; what the project raises on purpose is one line on standard error and exit status 2."""
    try:
        app()
    except MultislotError as error:
        print(f"multislot: {error}", file=sys.stderr)
        sys.exit(EXIT_ERROR)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"multislot {multislot.__version__} ({'compiled' if store.compiled() else 'not compiled'})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Thought experiments and benchmarks on agents that can be copied, deleted, simulated and asked to care."""


@app.command("list")
def list_() -> None:
    """Say which scenarios there are."""
    table = Table("scenario", "family", "what it is about", box=None, pad_edge=False)
    for one in registry.discover().values():
        table.add_row(one.name, one.family, one.summary)
    _console().print(table)
    _report_build()


@app.command()
def show(name: Name) -> None:
    """Describe a scenario: what it is about, its settings, and what the papers say comes out."""
    scenario = registry.find(name)
    console = _console()
    console.print(f"[bold]{name}[/bold] ({scenario.family})\n")
    console.print(scenario.description, markup=False)
    console.print(_settings_table(scenario))
    if scenario.expected:
        table = Table("quantity", "condition", "paper", "tolerance", "source", title="\nexpected", title_justify="left")
        for row in scenario.expected:
            table.add_row(row.quantity, row.condition, shown(row.paper), f"{row.tolerance:g}", row.source)
        console.print(table)


@app.command()
def run(
    name: Name,
    changes: Changes = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    results: Results = runner.RESULTS,
) -> None:
    """Run a scenario and compare it with its paper.

    Killed at any moment, the same command goes on where it was.

    Cells, tables (CSV; Parquet with the extra "parquet") and pictures (extra "plot") are kept in a folder it names.
    """
    scenario = registry.find(name)
    settings = scenario.settings(_changes(scenario, changes or (), seeds))
    outcome = _run(scenario, settings, 1 if jobs is None else jobs, cluster, results)
    _report_notes(outcome.notes)
    if as_json:
        print(json.dumps(outcome.as_json()))
        return
    console = _console()
    console.print(*outcome_tables(outcome), sep="\n")
    if outcome.story:
        console.print("\n" + outcome.story, markup=False, highlight=False)
    print(_ending(outcome))
    _report_build()


@app.command()
def reproduce(
    full: Annotated[bool, typer.Option("--full", help="At the papers' size, however long that takes.")] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    results: Results = runner.RESULTS,
) -> None:
    """Run everything and put the papers beside it.

    One table has every number compared, a second one line for each scenario.

    The exit status is 1 if anything disagrees with its paper.
    """
    store.prepare(results)
    jobs = _cores(cluster) if jobs is None else jobs
    outcomes, left_out, failed = _reproduce_each(full, jobs, cluster, results)
    _report_reproduction(outcomes)
    _report_notes([*dict.fromkeys(note for one in outcomes for note in one.notes), *left_out, *failed])
    rows = [row for outcome in outcomes for row in outcome.rows]
    print(f"{_count(rows)}; {sum(one.seconds for one in outcomes):.0f} s; results are in {results}")
    _report_build()
    if failed:
        raise typer.Exit(EXIT_ERROR)
    if any(row.agrees is False for row in rows):
        raise typer.Exit(EXIT_DISAGREES)


def _reproduce_each(
    full: bool, jobs: int, cluster: str | None, results: Path
) -> tuple[list[RunOutcome], list[str], list[str]]:
    """What the scenarios gave, which were left out, and which failed, the last two as sentences."""
    outcomes: list[RunOutcome] = []
    left_out: list[str] = []
    failed: list[str] = []
    for scenario in registry.discover().values():
        if not (full or scenario.in_quick):
            left_out.append(f"{scenario.name} runs only with --full")
            continue
        try:
            settings = scenario.settings(preset="FULL" if full else "QUICK")
            outcomes.append(_run(scenario, settings, jobs, cluster, results))
            print(f"{scenario.name}: {_count(outcomes[-1].rows)}, {outcomes[-1].seconds:.1f} s", file=sys.stderr)
        except MissingExtraError as error:
            left_out.append(f"{scenario.name} was left out: {error}")
        except MultislotError as error:
            failed.append(f"{scenario.name} failed: {error}")
    return outcomes, left_out, failed


def _report_reproduction(outcomes: Sequence[RunOutcome]) -> None:
    """The stories, every number compared, and at the end one line a scenario."""
    console = _console()
    for outcome in outcomes:
        if outcome.story:
            console.rule(outcome.scenario.name, align="left")
            console.print(outcome.story, markup=False, highlight=False)
    console.print(_reproduction_table(outcomes))
    console.print(summary_table(outcomes))


def _run(scenario: Scenario, settings: object, jobs: int, cluster: str | None, results: Path) -> RunOutcome:
    try:
        return runner.run(scenario, settings, jobs=jobs, cluster=cluster, results=results, progress=True)
    except KeyboardInterrupt:
        print(f"interrupted; what {scenario.name} finished is kept, the same command goes on from it", file=sys.stderr)
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _cores(cluster: str | None) -> int:
    from joblib import cpu_count

    return 1 if cluster else int(cpu_count())


def _changes(scenario: Scenario, changes: Sequence[str], seeds: int | None) -> dict[str, object]:
    parsed: dict[str, object] = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise SettingError(f"--set {change}: write --set key=value")
        parsed[key.strip()] = value.strip()
    if seeds is not None:
        if not scenario.has_seeds:
            raise SettingError(f"--seeds {seeds}: {scenario.name} is exact and has no seeds; leave it out")
        parsed["seeds"] = seeds
    return parsed


def outcome_tables(outcome: RunOutcome) -> list[Table]:
    """A run's answer, for the terminal: what goes by cases side by side, then row by row what is left."""
    conditions = dict.fromkeys(_common(row) for row in outcome.rows if row.case)
    tables = [_case_table(outcome, condition) for condition in conditions]
    rows = [row for row in outcome.rows if not row.case]
    if rows:
        tables.append(
            Table(*("quantity", "condition", "paper", "ours", "error", "agrees"), title=outcome.scenario.name)
        )
    for row in rows:
        tables[-1].add_row(*_row(row))
    return tables


def _case_table(outcome: RunOutcome, condition: str) -> Table:
    """All cases of one condition: a line a case, a column a quantity."""
    rows = [row for row in outcome.rows if row.case and _common(row) == condition]
    found = {(row.case, row.quantity): _with_error(row) for row in rows}
    quantities = list(dict.fromkeys(row.quantity for row in rows))
    table = Table("", *quantities, title=f"{outcome.scenario.name}: {condition}")
    for case in dict.fromkeys(row.case for row in rows):
        table.add_row(case, *(found.get((case, quantity), "") for quantity in quantities))
    return table


def _common(row: Row) -> str:
    """The condition that a row shares with the other cases."""
    return row.condition.removeprefix(row.case).lstrip(", ")


def _reproduction_table(outcomes: Sequence[RunOutcome]) -> Table:
    """Everything that a paper or a formula says something about."""
    values = [Column(name, max_width=VALUE_WIDTH) for name in ("paper or formula", "ours", "error")]
    table = Table("scenario", "quantity", "condition", *values, "agrees")
    for outcome in outcomes:
        compared = [row for row in outcome.rows if row.paper is not None]
        for number, row in enumerate(compared):
            table.add_row("" if number else f"{outcome.scenario.name}\n{outcome.seconds:.1f} s", *_row(row))
        table.add_section()
    return table


def summary_table(outcomes: Sequence[RunOutcome]) -> Table:
    """What was reproduced, as a paper would print it: one line a scenario."""
    numbers = [Column(name, justify="right") for name in ("compared", "agree", "seconds")]
    table = Table("scenario", "paper", *numbers, title="\nwhat was reproduced", title_justify="left")
    for outcome in outcomes:
        compared, agree = _counts(outcome.rows)
        counts = (str(compared), str(agree)) if compared else ("none here", "")
        table.add_row(outcome.scenario.name, outcome.scenario.paper, *counts, f"{outcome.seconds:.1f}")
    table.add_section()
    compared, agree = _counts([row for outcome in outcomes for row in outcome.rows])
    table.add_row("all", "", str(compared), str(agree), f"{sum(one.seconds for one in outcomes):.1f}")
    return table


def _row(row: Row) -> tuple[str, ...]:
    agrees = {True: "yes", False: "[bold red]no[/bold red]", None: ""}[row.agrees]
    return row.quantity, row.condition, shown(row.paper), _with_error(row), shown(row.error), agrees


def _with_error(row: Row) -> str:
    """Our value, to the second digit of its standard error or of its interval's width if it has one."""
    if not row.uncertainty or isinstance(row.ours, str | None):
        return shown(row.ours)
    if row.interval:
        decimals = _decimals(row.interval[1] - row.interval[0])
        share, low, high = (f"{float(number):.{decimals}f}" for number in (row.ours, *row.interval))
        return f"{share} [{low}, {high}]"
    decimals = _decimals(row.uncertainty)
    return f"{float(row.ours):.{decimals}f} ± {row.uncertainty:.{decimals}f}"


def _decimals(uncertainty: float) -> int:
    """How many decimals show two digits of it."""
    return max(0, 1 - math.floor(math.log10(uncertainty)))


def shown(value: Value) -> str:
    """A number as a person would write it: short fractions as they are, the rest with six digits."""
    if value is None:
        return ""
    if isinstance(value, Fraction):
        return str(value) if value.denominator <= LARGEST_DENOMINATOR else f"{float(value):.6g}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _settings_table(scenario: Scenario) -> Table:
    table = Table("setting", "default", "what it is", title="\nsettings, for --set", title_justify="left")
    hints = get_type_hints(scenario.settings_type, include_extras=True)
    default = scenario.settings()
    for field in dataclasses.fields(default):
        value = getattr(default, field.name)
        words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        notes = (getattr(one, "description", None) for one in getattr(hints[field.name], "__metadata__", ()))
        table.add_row(field.name, words, "; ".join(note for note in notes if note))
    return table


def _ending(outcome: RunOutcome) -> str:
    resumed = f", {outcome.resumed} of {len(outcome.results)} cells were finished before" if outcome.resumed else ""
    compared = f"{_count(outcome.rows)}{_uncovered(outcome)}"
    return f"{compared}; {outcome.seconds:.1f} s{resumed}; results are in {outcome.folder}"


def _uncovered(outcome: RunOutcome) -> str:
    if not outcome.uncovered:
        return ""
    printed = "1 printed number is" if outcome.uncovered == 1 else f"{outcome.uncovered} printed numbers are"
    return f" ({printed} for other settings: multislot show {outcome.scenario.name})"


def _count(rows: Sequence[Row]) -> str:
    compared, agree = _counts(rows)
    undecided = sum(row.paper is not None and row.agrees is None for row in rows)
    words = f"{agree} of {compared} agree with paper or formula" if compared else NOTHING_COMPARED
    return f"{words}, {undecided} {UNDECIDED}" if undecided else words


def _counts(rows: Sequence[Row]) -> tuple[int, int]:
    """How many rows were compared with a paper or formula, and how many of them agree."""
    verdicts = [row.agrees for row in rows if row.agrees is not None]
    return len(verdicts), sum(verdicts)


def _report_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def _report_build() -> None:
    if not store.compiled():
        _report_notes([INTERPRETED])


def _console() -> Console:
    """The terminal; where there is none, wide enough that tables are not folded."""
    return Console() if sys.stdout.isatty() else Console(width=PIPED_WIDTH)


if __name__ == "__main__":
    main()
