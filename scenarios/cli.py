"""The command ``multislot``: list, show, run and reproduce scenarios.

Results go to standard output, everything else (progress, notes, errors) to standard error, so that ``--json`` can
be piped.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import multislot
from multislot.cells import CellError, ClusterError, StoreError
from multislot.errors import MissingExtraError, MultislotError, SettingError
from scenarios import printing, registry, runner, solving, store
from scenarios.counting import headline
from scenarios.explore import command
from scenarios.registry import Scenario
from scenarios.runner import RunOutcome

EXIT_AGREES, EXIT_DIFFERS, EXIT_MISUSED, EXIT_FAILED, EXIT_UNSTORED, EXIT_NO_CLUSTER, EXIT_INTERRUPTED = (
    *(0, 1, 2, 3, 4, 5),
    130,
)
EXITS = (
    "Exit status: 0 everything compared agrees (or is not decided), 1 something differs, 2 wrong use, 3 a cell failed, "
    "4 results cannot be read or kept, 5 the cluster was lost or lacks a package, 130 interrupted."
)
INTERPRETED = "this build is not compiled: same results, learners about 20x slower (see the install notes in README)"

app = typer.Typer(
    epilog=f"Start with  multislot list , then  multislot run copy . {EXITS}",
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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Quick = Annotated[bool, typer.Option("--quick", help="At small settings, in seconds.")]
Full = Annotated[bool, typer.Option("--full", help="At the papers' size, however long that takes.")]
Results = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder of results; finished cells found there are not run again.")
]


def main() -> None:
    """Run the command; what the project raises on purpose is one line on standard error and an exit status."""
    try:
        app()
    except MultislotError as error:
        print(f"multislot: {error}", file=sys.stderr)
        sys.exit(exit_status(error))


def exit_status(error: MultislotError) -> int:
    """Return the exit status that an error ends the command with."""
    statuses = {CellError: EXIT_FAILED, StoreError: EXIT_UNSTORED, ClusterError: EXIT_NO_CLUSTER}
    return statuses.get(type(error), EXIT_MISUSED)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"multislot {multislot.__version__} ({'compiled' if store.compiled() else 'not compiled'})")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Thought experiments and benchmarks on agents that can be copied, deleted, simulated and asked to care."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list", short_help="Say which scenarios there are.")
def list_(as_json: AsJson = False) -> None:
    """Say which scenarios there are."""
    scenarios = registry.discover().values()
    if as_json:
        _print_json([_summary(one) for one in scenarios])
        return
    printing.show(printing.output(), printing.scenario_list(scenarios))
    _report_build()


@app.command(short_help="Describe a scenario and its settings.")
def show(name: Name, as_json: AsJson = False) -> None:
    """Describe a scenario: what it is about, its settings, and what the papers say comes out."""
    scenario = registry.find(name)
    if as_json:
        _print_json(_description(scenario))
        return
    console = printing.output()
    console.print(f"[bold]{name}[/bold] ({scenario.family})\n")
    console.print(scenario.description, markup=False)
    printing.show(console, printing.settings_table(scenario))
    if scenario.expected:
        printing.show(console, printing.expected_table(scenario))


@app.command(short_help="Run a scenario and compare it with its paper.", epilog=EXITS)
def run(
    name: Name,
    changes: Changes = None,
    seeds: Seeds = None,
    quick: Quick = False,
    full: Full = False,
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
    settings = scenario.settings(_changes(scenario, changes or (), seeds), _preset(quick, full, "DEFAULT"))
    outcome = _run(scenario, settings, 1 if jobs is None else jobs, cluster, results)
    _report_notes(outcome.notes)
    if as_json:
        _print_json(outcome.as_json())
    else:
        console = printing.output()
        printing.show(console, *printing.outcome_tables(outcome))
        if outcome.record.story:
            console.print("\n" + outcome.record.story, markup=False, highlight=False)
        print(_ending(outcome))
        _report_build()
    _exit([outcome])


app.command(short_help="Work out what every value decides in the world of a file.")(solving.solve)
app.command(short_help="Explore thought experiments in the browser.")(command.explore)


@app.command(short_help="Run every scenario and compare all with the papers.", epilog=EXITS)
def reproduce(
    quick: Quick = False,
    full: Full = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    results: Results = runner.RESULTS,
) -> None:
    """Run everything and put the papers next to it, at small settings unless --full is given.

    One table has every number compared, a second one line for each scenario.
    """
    preset = _preset(quick, full, "QUICK")
    store.prepare(results)
    jobs = _cores(cluster) if jobs is None else jobs
    outcomes, left_out, failed = _reproduce_each(preset, jobs, cluster, results)
    seconds = sum(one.seconds for one in outcomes)
    counted = headline(row for outcome in outcomes for row in outcome.rows)
    _report_notes([*dict.fromkeys(note for one in outcomes for note in one.notes), *left_out, *failed])
    if as_json:
        scenarios = [outcome.as_json() for outcome in outcomes]
        ending = {"headline": counted.as_json(), "left_out": left_out, "failed": failed, "seconds": round(seconds, 3)}
        _print_json({"scenarios": scenarios, **ending, "results": str(results)})
    else:
        _report_reproduction(outcomes)
        print(f"{counted}; {seconds:.0f} s; results are in {results}")
        _report_build()
    if failed:
        raise typer.Exit(EXIT_FAILED)
    _exit(outcomes)


def _preset(quick: bool, full: bool, otherwise: str) -> str:
    if quick and full:
        raise SettingError("--quick and --full: give one of them")
    return "QUICK" if quick else "FULL" if full else otherwise


def _exit(outcomes: Sequence[RunOutcome]) -> None:
    """End with the status that says whether everything agrees."""
    if not headline(row for outcome in outcomes for row in outcome.rows).all_agree:
        raise typer.Exit(EXIT_DIFFERS)


def _reproduce_each(
    preset: str, jobs: int, cluster: str | None, results: Path
) -> tuple[list[RunOutcome], list[str], list[str]]:
    """Return what the scenarios gave, which were left out, and which failed, the last two as sentences.

    Raises:
        StoreError: results cannot be kept, for any of them.
        ClusterError: likewise.
    """
    outcomes: list[RunOutcome] = []
    left_out: list[str] = []
    failed: list[str] = []
    for scenario in registry.discover().values():
        if preset == "QUICK" and not scenario.in_quick:
            left_out.append(f"{scenario.name} runs only with --full")
            continue
        try:
            outcome = _run(scenario, scenario.settings(preset=preset), jobs, cluster, results)
        except (StoreError, ClusterError):
            raise
        except MissingExtraError as error:
            left_out.append(f"{scenario.name} was left out: {error}")
        except MultislotError as error:
            failed.append(f"{scenario.name} failed: {error}")
        else:
            outcomes.append(outcome)
            print(f"{scenario.name}: {headline(outcome.rows)}, {outcome.seconds:.1f} s", file=sys.stderr)
    return outcomes, left_out, failed


def _report_reproduction(outcomes: Sequence[RunOutcome]) -> None:
    """Print the stories, every number compared, and at the end one line a scenario."""
    console = printing.output()
    for outcome in outcomes:
        if outcome.record.story:
            console.print(f"\n[bold]{outcome.scenario.name}[/bold]")
            console.print(outcome.record.story, markup=False, highlight=False)
    printing.show(console, printing.reproduction_table(outcomes), printing.summary_table(outcomes))


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


def _summary(scenario: Scenario) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "family": scenario.family,
        "summary": scenario.summary,
        "paper": scenario.paper,
        "has_seeds": scenario.has_seeds,
        "in_quick": scenario.in_quick,
    }


def _description(scenario: Scenario) -> dict[str, Any]:
    return {
        **_summary(scenario),
        "description": scenario.description,
        "settings": printing.settings_of(scenario),
        "expected": [row.as_json() for row in scenario.expected],
    }


def _ending(outcome: RunOutcome) -> str:
    resumed = f", {outcome.resumed} of {outcome.record.cells} cells were finished before" if outcome.resumed else ""
    compared = f"{headline(outcome.rows)}{_uncovered(outcome)}"
    return f"{compared}; {outcome.seconds:.1f} s{resumed}; results are in {outcome.folder}"


def _uncovered(outcome: RunOutcome) -> str:
    if not outcome.record.uncovered:
        return ""
    printed = (
        "1 printed number is" if outcome.record.uncovered == 1 else f"{outcome.record.uncovered} printed numbers are"
    )
    return f" ({printed} for other settings: multislot show {outcome.scenario.name})"


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False))


def _report_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def _report_build() -> None:
    if not store.compiled():
        _report_notes([INTERPRETED])


if __name__ == "__main__":
    main()
