"""The commands of ``multislot`` that list, describe, run and reproduce scenarios, and write the report on them."""

import json
import shlex
import sys
import webbrowser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from joblib import cpu_count

from multislot.engine import version
from multislot.errors import SettingError
from multislot.starting import EXIT_INTERRUPTED
from scenarios import report
from scenarios.lab import printing, registry, reproducing, runner, store
from scenarios.lab.cli import EXIT_DIFFERS, EXIT_FAILED
from scenarios.lab.records import Record
from scenarios.lab.registry import Scenario
from scenarios.lab.reproducing import Reproduction
from scenarios.lab.runner import RunOutcome
from scenarios.lab.solving import read_changes
from scenarios.lab.table import headline

EXPECTED = ("quantity", "condition", "paper", "paper_exact", "tolerance", "source", "kind")
INTERPRETED = "this build is not compiled: same results, learners about 20x slower (see the install notes in README)"


def _names(incomplete: str) -> list[str]:
    """Names of scenarios that begin with a text, for shell completion."""
    return [name for name in registry.discover() if name.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="An experiment; `multislot list` shows all.", show_default=False, autocompletion=_names
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change a setting; may be repeated. `multislot show NAME` lists them."
    ),
]
Seeds = Annotated[int | None, typer.Option(metavar="N", help="How many independent runs: short for --set seeds=N.")]
Jobs = Annotated[int | None, typer.Option(metavar="N", help="Processes to use.", show_default=False)]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask scheduler to use, tcp://host:8786; or slurm:FILE.yaml or kubernetes:FILE.yaml to start workers.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
Tables = Annotated[bool, typer.Option("--table", help="Print every number.")]
Quick = Annotated[bool, typer.Option("--quick", help="At small settings, in seconds.")]
Full = Annotated[bool, typer.Option("--full", help="At the papers' size, however long that takes.")]
Results = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder of results; finished cells found there are not run again.")
]


def list_(as_json: AsJson = False) -> None:
    """List the experiments: first those whose numbers are in a paper, then our own studies."""
    scenarios = registry.discover().values()
    if as_json:
        _print_json([_summary(scenario) for scenario in scenarios])
        return
    console = printing.output()
    of_papers = [scenario for scenario in scenarios if scenario.printed]
    for title, listed in (
        ("Experiments whose numbers are in a paper", of_papers),
        ("Our own studies and checks", [scenario for scenario in scenarios if not scenario.printed]),
    ):
        if listed:
            console.print(f"[bold]{title}[/bold]")
            printing.show(console, printing.scenario_list(listed))
            console.print()
    console.print("What `multislot solve` and `multislot explore` take: multislot worlds", highlight=False)
    _report_build()
    printing.say_next("show copy", "run copy --quick", "worlds")


def show(name: Name, as_json: AsJson = False, results: Results = runner.RESULTS) -> None:
    """Describe an experiment: its question, its moral, its settings, what the papers say, and its last result."""
    scenario = registry.find(name)
    if as_json:
        _print_json(_description(scenario))
        return
    console = printing.output()
    console.print(f"[bold]{name}[/bold] ({scenario.family})\n", highlight=False)
    for text in filter(None, (scenario.description, scenario.moral)):
        console.print(f"{printing.reflow(text)}\n", markup=False, highlight=False)
    printing.show(console, printing.settings_table(scenario))
    if scenario.printed:
        printing.show(console, printing.expected_table(scenario))
    for line in _last_result(scenario, results):
        console.print(line, markup=False, highlight=False)
    printing.say_next(f"run {name}" + " --quick" * scenario.in_quick + _results_option(results))


def run(
    name: Name,
    changes: Changes = None,
    seeds: Seeds = None,
    quick: Quick = False,
    full: Full = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    table: Tables = False,
    as_json: AsJson = False,
    results: Results = runner.RESULTS,
) -> None:
    """Run an experiment and compare it with its paper.

    It prints what one learns, whether the numbers agree, and where the picture (extra "plot") and the report are; with
    --table also every number. If it is interrupted or killed, the same command continues where it stopped.
    """
    scenario = registry.find(name)
    settings = scenario.settings(_changes(scenario, changes or (), seeds), _preset(quick, full, "DEFAULT"))
    outcome = _run(scenario, settings, 1 if jobs is None else jobs, cluster, results)
    report.note(results, name, "shown", outcome.folder.name)
    page = report.write_report(results)
    _report_notes(outcome.notes)
    if as_json:
        _print_json(outcome.as_json() | {"report": str(page)})
    else:
        console = printing.output()
        record = outcome.record
        for text in filter(None, (scenario.summary, printing.reflow(record.moral), _agreement(record))):
            console.print(f"{text}\n", markup=False, highlight=False)
        if table:
            printing.show(console, printing.rows_table(name, outcome.rows))
        elif differing := [row for row in outcome.rows if row.agrees is False]:
            printing.show(console, printing.rows_table("What differs", differing))
        if explanation := record.story.strip().removesuffix(record.moral).rstrip():
            console.print("\n" + explanation, markup=False, highlight=False)
        resumed = f", {outcome.resumed} of {record.cells} cells were finished before" if outcome.resumed else ""
        print(f"{_agreement(record)}; {outcome.seconds:.1f} s{resumed}; results are in {outcome.folder}")
        if pictures := sorted(outcome.folder.glob("*.png")):
            print(f"picture: {pictures[0]}")
        print(f"report: {page}")
        _report_build()
        there = _results_option(results)
        all_numbers = [] if table else [f"{record.command.removeprefix('multislot ')} --table{there}"]
        printing.say_next(*all_numbers, f"run {name} --set KEY=VALUE{there}", f"report --open{there}")
    _exit([outcome])


def reproduce(
    quick: Quick = False,
    full: Full = False,
    core: Annotated[bool, typer.Option("--core", help="Only two experiments of each family but studies.")] = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
    results: Results = runner.RESULTS,
) -> None:
    """Run every experiment and compare the results with the papers, at small settings unless --full is given.

    Ends with a line for each kind of number and the path of the report. What is finished is not run again.
    """
    preset = _preset(quick, full, "QUICK")
    store.prepare(results)
    if jobs is None:
        jobs = 1 if cluster else int(cpu_count())
    chosen = [scenario for scenario in registry.discover().values() if scenario.in_core or not core]
    print(f"{len(chosen)} experiments; finished ones are not run again", file=sys.stderr, flush=True)
    run_one = partial(_run, jobs=jobs, cluster=cluster, results=results)
    reproduction = reproducing.reproduce(chosen, preset, run_one, results)
    page = report.write_report(results)
    _report_notes(reproduction.notes)
    if as_json:
        _print_json(_reproduction(reproduction, results, page))
    else:
        console = printing.output()
        for line in reproducing.summary(reproduction, page):
            console.print(line, markup=False, highlight=False)
        _report_build()
        printing.say_next(f"report --open{_results_option(results)}", "explore", "new my_world.toml")
    if reproduction.failed:
        raise typer.Exit(EXIT_FAILED)
    _exit(reproduction.outcomes)


def report_(
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    results: Results = runner.RESULTS,
) -> None:
    """Write the report on all results: one page that opens without a server or a network.

    Every run and reproduction writes it, too.
    """
    if not results.is_dir():
        raise SettingError(f"--results {results}: this folder does not exist; multislot run copy makes one")
    page = report.write_report(results)
    print(page)
    if open_:
        webbrowser.open(page.resolve().as_uri())
    else:
        printing.say_next(f"report --open{_results_option(results)}")


def _results_option(results: Path) -> str:
    """What a command needs to find the same results; nothing for the usual folder."""
    return "" if results == runner.RESULTS else f" --results {shlex.quote(str(results))}"


def _preset(quick: bool, full: bool, otherwise: str) -> str:
    if quick and full:
        raise SettingError("--quick and --full: give one of them")
    return "QUICK" if quick else "FULL" if full else otherwise


def _exit(outcomes: Sequence[RunOutcome]) -> None:
    """End with the status that says whether everything agrees."""
    if headline(row for outcome in outcomes for row in outcome.rows).everything.differ:
        raise typer.Exit(EXIT_DIFFERS)


def _reproduction(reproduction: Reproduction, results: Path, page: Path) -> dict[str, object]:
    return {
        "scenarios": [outcome.as_json() for outcome in reproduction.outcomes],
        "headline": reproduction.headline.as_json(),
        "left_out": list(reproduction.left_out.values()),
        "failed": list(reproduction.failed.values()),
        "seconds": round(reproduction.seconds, 3),
        "results": str(results),
        "report": str(page),
    }


def _run(scenario: Scenario, settings: object, jobs: int, cluster: str | None, results: Path) -> RunOutcome:
    try:
        return runner.run(scenario, settings, jobs=jobs, cluster=cluster, results=results, progress=True)
    except KeyboardInterrupt:
        print(f"interrupted; what {scenario.name} finished is kept, the same command goes on from it", file=sys.stderr)
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _changes(scenario: Scenario, changes: Sequence[str], seeds: int | None) -> dict[str, object]:
    parsed: dict[str, object] = dict(read_changes(changes))
    if seeds is not None:
        if not scenario.has_seeds:
            raise SettingError(f"--seeds {seeds}: {scenario.name} is exact and has no seeds; leave it out")
        if "seeds" in parsed:
            raise SettingError(f"--seeds {seeds} is short for --set seeds={seeds}; give one of the two")
        parsed["seeds"] = seeds
    return parsed


def _last_result(scenario: Scenario, results: Path) -> list[str]:
    """Describe the last result of a scenario, or how to run it."""
    last = report.read_shelf(results).shown.get(scenario.name)
    if not last:
        return [f"\nnot run yet: {scenario.name_settings(scenario.settings()).command}"]
    record = last.record
    moral = [printing.reflow(record.moral)] if record.moral and not scenario.moral else []
    return [f"\nlast result: {_agreement(record)}", *moral, record.command, str(results / last.place)]


def _summary(scenario: Scenario) -> dict[str, Any]:
    names = ("name", "family", "summary", "paper", "has_seeds", "in_quick", "in_core")
    return {name: getattr(scenario, name) for name in names}


def _description(scenario: Scenario) -> dict[str, Any]:
    return {
        **_summary(scenario),
        "description": scenario.description,
        "moral": scenario.moral,
        "settings": printing.settings_of(scenario),
        "expected": [{name: row.as_json()[name] for name in EXPECTED} for row in scenario.expected],
    }


def _agreement(record: Record) -> str:
    """How many rows agree, and how many numbers of the paper these settings leave out."""
    number = record.uncovered
    printed = "1 number of the paper was" if number == 1 else f"{number} numbers of the paper were"
    made = "it" if number == 1 else "them"
    name = shlex.quote(shlex.split(record.command)[2])
    others = f"; {printed} not compared, since other settings made {made} (multislot show {name})"
    return str(headline(record.rows)) + (others if number else "")


def _print_json(value: object) -> None:
    print(json.dumps(value))


def _report_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def _report_build() -> None:
    if not version.is_compiled():
        _report_notes([INTERPRETED])
