"""The command as a person or a script meets it."""

import dataclasses
import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

import multislot
from multislot.cells import CellError, ClusterError, StoreError
from multislot.errors import MissingExtraError, SettingError
from multislot.statistics import UNDECIDED
from scenarios.lab import cli, commands, printing, registry, runner
from scenarios.lab.table import NOTHING_COMPARED, Row
from tests.scenarios.conftest import TOYS
from tests.scenarios.toys import squares as squares_module


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Runs the command on the toy scenario and returns exit status, standard output and standard error."""
    toys = registry.discover(TOYS)
    monkeypatch.setattr(registry, "discover", lambda package=TOYS: toys)
    monkeypatch.chdir(tmp_path)

    def call(*arguments, compiled=True):
        monkeypatch.setattr(sys, "argv", ["multislot", *arguments])
        monkeypatch.setattr(multislot.engine.version, "is_compiled", lambda: compiled)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


def test_show_has_the_moral_and_the_last_result(command, monkeypatch):
    assert "not run yet: multislot run squares" in command("show", "squares")[1]
    command("run", "squares", "--seeds", "2")
    shown = command("show", "squares")[1]
    for words in ("last result: 2 of 2 published values matched", "2 squares were taken.", "run squares --quick"):
        assert words in shown
    monkeypatch.setattr(squares_module, "MORAL", "Squares grow\nfast.", raising=False)
    assert "\nSquares grow fast.\n" in command("show", "squares")[1]
    assert json.loads(command("show", "squares", "--json")[1])["moral"] == "Squares grow\nfast."


def test_prose_is_reflowed_and_what_is_set_out_is_not():
    text = "One\ntwo.\n\n  a  b\n  c\n\n- one\n- two"
    assert printing.reflow(text) == "One two.\n\n  a  b\n  c\n\n- one\n- two"


@pytest.mark.parametrize("name", ["list", "show", "run", "solve", "explore", "reproduce", "report"])
def test_help_shows_what_to_write_without_python_types_and_ends_with_commands(command, name):
    status, output, _ = command(name, "--help")
    assert status == 0
    for words in ("<bool>", "<int>", "<path>", "int | None", "--install-completion"):
        assert words not in output
    if name == "run":
        assert "--jobs N " in output
        assert "--results FOLDER" in output
    lines = output.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert lines
    for line in lines:
        assert line.strip().startswith(f"multislot {name}")


def test_what_to_try_next_finds_the_same_results(command):
    _, _, told = command("run", "squares", "--results", "my own")
    told = told.partition("Try next:")[2].splitlines()
    assert [line.endswith(" --results 'my own'") for line in told if line] == [True, True, True]
    assert command(*shlex.split(told[-1].replace("--open", ""))[1:])[0] == 0
    assert "--results" not in command("run", "squares")[2]


def test_the_report_is_written_and_opened(command, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(commands.webbrowser, "open", opened.append)
    assert command("report")[0] == cli.EXIT_MISUSED
    assert command("run", "squares")[1].splitlines()[-1] == "report: results/index.html"
    page = tmp_path / "results" / "index.html"
    page.unlink()
    assert command("report", "--open")[:2] == (0, "results/index.html\n")
    assert opened == [page.as_uri()]
    assert page.exists()


def test_only_what_stands_for_its_family_is_in_the_core(command, monkeypatch):
    assert command("reproduce", "--core", "--jobs", "1")[1].startswith("0 experiments")
    monkeypatch.setattr(registry.Scenario, "in_core", True)
    assert command("reproduce", "--core", "--jobs", "1")[1].startswith("1 experiment in")


def test_every_family_of_papers_has_two_scenarios_in_the_core():
    chosen = [one for one in registry.discover("scenarios").values() if one.in_core]
    families = {one.family for one in registry.discover("scenarios").values()} - {"studies"}
    counted = {family: sum(one.family == family for one in chosen) for family in families}
    assert set(counted.values()) == {2}
    assert all(one.in_quick for one in chosen)


AGREEING = "1 of 2 published values matched; 1 of 1 formulas matched"


def test_run_prints_the_moral_the_table_the_story_and_where_results_are(command, monkeypatch):
    monkeypatch.setattr(squares_module, "MORAL", "Squares grow\nfast.", raising=False)
    short = command("run", "squares")[1]
    assert "Squares grow fast." in short
    assert AGREEING in short
    assert "What differs" in short
    assert "seed 1, offset 0" not in short  # this row agrees
    status, output, _ = command("run", "squares", "--table")
    assert status == cli.EXIT_DIFFERS
    for words in ("seed 1, offset 0", "2.50 ± 0.50", "3 squares were taken.", AGREEING, "results/squares"):
        assert words in output
    assert output.index("Squares grow fast.") < output.index("seed 1, offset 0") < output.index("3 squares were taken.")
    assert output.count("Squares grow") == 1


@pytest.mark.parametrize("arguments", [["list"], ["run", "squares"], ["reproduce", "--jobs", "1"]])
def test_a_build_that_is_not_compiled_is_said_in_one_line(command, arguments):
    assert "not compiled" not in "".join(command(*arguments, compiled=True)[1:])
    _, output, errors = command(*arguments, compiled=False)
    assert "not compiled" not in output
    assert f"note: {commands.INTERPRETED}" in errors.splitlines()
    assert errors.count("not compiled") == 1


def test_the_version_is_the_package_s_and_says_how_it_was_built(command):
    assert command("--version") == (0, f"multislot {multislot.__version__} (compiled)\n", "")
    assert command("--version", compiled=False)[1].endswith(" (not compiled)\n")


def test_numbers_for_other_settings_are_counted_apart(command):
    lines = command("run", "squares")[1].splitlines()
    apart = "1 number of the paper was not compared, since other settings made it (multislot show squares)"
    assert lines[-3].startswith(f"{AGREEING}; {apart}; ")
    assert lines[-2].startswith("picture: results/squares/")
    assert f"{AGREEING}; {apart}" in lines


def test_json_is_the_promised_object_and_nothing_else(command):
    status, output, errors = command("run", "squares", "--json", "--set", "factor=2", "--seeds", "2")
    found = json.loads(output)
    assert (status, errors, list(found)[:3]) == (cli.EXIT_DIFFERS, "", ["scenario", "rows", "seconds"])
    assert {tuple(row)[:6] for row in found["rows"]} == {("quantity", "condition", "paper", "ours", "error", "agrees")}
    assert (
        found["rows"][1].items()
        >= {
            "quantity": "square",
            "condition": "seed 1, offset 0",
            "paper": 0.5,
            "ours": 2.0,
            "error": 1.5,
            "agrees": False,
            "kind": "published",
            "ours_exact": "2",
            "paper_exact": "1/2",
        }.items()
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "sqares"], "unknown experiment 'sqares'; did you mean 'squares'?; known: squares"),
        (
            ["run", "squares", "--set", "fctor=1"],
            "unknown setting of squares 'fctor'; did you mean 'factor'?; known: factor, failing, offsets, "
            "seconds, seeds",
        ),
        (["run", "squares", "--set", "factor"], "--set factor: write --set key=value"),
        (["run", "squares", "--seeds", "0"], "squares: seeds=0: input should be greater than or equal to 1"),
        (["run", "squares", "--jobs", "0"], "--jobs 0: give the number of processes, 1 or more"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_two(command, arguments, sentence):
    assert command(*arguments) == (cli.EXIT_MISUSED, "", f"multislot: {sentence}\n")


def test_without_arguments_there_is_help(command):
    status, output, _ = command()
    assert status == 0
    for words in ("list ", "show ", "run ", "reproduce ", "Exit status: 0"):
        assert words in output


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SettingError, cli.EXIT_MISUSED),
        (MissingExtraError, cli.EXIT_MISUSED),
        (CellError, cli.EXIT_FAILED),
        (StoreError, cli.EXIT_UNSTORED),
        (ClusterError, cli.EXIT_NO_CLUSTER),
    ],
)
def test_every_kind_of_failure_has_an_exit_status_of_its_own(command, monkeypatch, error, status):
    def fail(*arguments, **options):
        raise error("what", "extra") if error is MissingExtraError else error("what")

    monkeypatch.setattr(runner, "run", fail)
    found, output, errors = command("run", "squares")
    assert (found, output, errors.count("\n")) == (status, "", 1)
    assert str(status) in cli.EXITS


@pytest.mark.parametrize("error", [StoreError, ClusterError])
def test_a_reproduction_ends_where_nothing_can_be_kept_or_run(command, monkeypatch, error):
    squares = registry.find("squares")
    monkeypatch.setattr(registry, "discover", lambda package=TOYS: {"one": squares, "other": squares})
    calls = []

    def fail(*arguments, **options):
        calls.append(arguments)
        raise error("gone")

    monkeypatch.setattr(runner, "run", fail)
    _, output, errors = command("reproduce", "--jobs", "1")
    assert (output, errors.splitlines()[1:]) == ("", ["multislot: gone"])
    assert len(calls) == 1


def test_settings_may_be_quick_or_full(command):
    assert "2 squares were taken." in command("run", "squares", "--quick")[1]
    assert "4 squares were taken." in command("run", "squares", "--full")[1]
    _, output, hint = command("run", "squares", "--full", "--seeds", "5", "--set", "factor=3")
    assert "5 squares were taken." in output
    assert re.search(r"multislot run squares .*--set seeds=5 .*--table\n", hint)
    ran = json.loads(command("reproduce", "--quick", "--jobs", "1", "--json")[1])
    assert [one["cells"] for one in ran["scenarios"]] == [2]
    for arguments in (["run", "squares"], ["reproduce"]):
        found = command(*arguments, "--quick", "--full")
        assert found == (cli.EXIT_MISUSED, "", "multislot: --quick and --full: give one of them\n")


def test_all_that_is_printed_can_be_had_as_json(command):
    (listed,) = json.loads(command("list", "--json")[1])
    assert listed == {
        "name": "squares",
        "family": "toys",
        "summary": "Squares of seeds, slowly.",
        "paper": "",
        "has_seeds": True,
        "in_quick": True,
        "in_core": False,
    }
    described = json.loads(command("show", "squares", "--json")[1])
    assert described.items() >= listed.items()
    assert described["settings"][0] == {"name": "seeds", "default": "3", "description": "independent runs"}
    assert described["expected"][0] == {
        "quantity": "square",
        "condition": "seed 1, offset 0",
        "paper": 0.5,
        "paper_exact": "1/2",
        "tolerance": 0.0,
        "source": "Euclid, Elements, Book II",
        "kind": "published",
    }
    found = json.loads(command("run", "squares", "--json")[1])
    assert found["headline"]["published"] == {"agree": 1, "differ": 1, "undecided": 0, "refuted": 0}
    assert (found["cells"], found["resumed"], found["settings"]["seeds"], len(found["hash"])) == (3, 0, 3, 64)
    status, output, _ = command("reproduce", "--json", "--jobs", "1")
    everything = json.loads(output)
    assert status == cli.EXIT_DIFFERS
    assert list(everything) == ["scenarios", "headline", "left_out", "failed", "seconds", "results", "report"]
    assert [one["scenario"] for one in everything["scenarios"]] == ["squares"]


LONG = "a condition of many words, which name every setting that moves the number, as long as that may be"


@pytest.mark.parametrize("width", [60, 100, None])
@pytest.mark.parametrize(
    "arguments",
    [["list"], ["show", "squares"], ["run", "squares", "--table"], ["reproduce", "--jobs", "1"]],
)
def test_no_width_loses_a_word_and_none_is_exceeded(command, monkeypatch, arguments, width):
    rows = [Row(f"quantity {n}", LONG, Fraction(1, 3), 0.01, paper=Fraction(1, 3)) for n in range(3)]
    monkeypatch.setattr(squares_module, "table", lambda settings, results: rows)
    wide = command(*arguments)[1]
    if width:
        monkeypatch.setattr(printing, "output", lambda: Console(width=width))
    output = command(*arguments)[1]
    assert words_of(wide) <= words_of(output)
    lines = [line for line in output.splitlines() if arguments[0] != "run" or "formulas matched" not in line]
    widest = printing.TABLE_WIDTH if arguments[0] == "run" else 10**6
    assert max(map(len, lines)) <= (width or widest)


def words_of(text):
    """The words of a text, without what draws tables and what differs from run to run."""
    return {word for word in re.findall(r"[\w/.=+-]*\w", text) if not re.search(r"\d\.\d|^\d$", word)}


@pytest.mark.parametrize(
    ("has_seeds", "sentence"),
    [
        (False, "--seeds 3: squares is exact and has no seeds; leave it out"),
        (True, "--seeds 3 is short for --set seeds=3; give one of the two"),
    ],
)
def test_seeds_are_refused_where_nothing_is_random_or_if_given_twice(command, monkeypatch, has_seeds, sentence):
    monkeypatch.setattr(registry.Scenario, "has_seeds", has_seeds)
    asked = command("run", "squares", "--seeds", "3", "--set", "seeds=4")
    assert asked == (cli.EXIT_MISUSED, "", f"multislot: {sentence}\n")


def test_a_reproduction_ends_in_a_summary_that_begins_with_what_differs(command):
    lines = command("reproduce", "--jobs", "1")[1].splitlines()
    assert len(lines) == 12
    assert lines[0].endswith("3 rows compared: DIFFERS: squares (1)")
    assert "published values  2 of 2 matched" in lines[1]
    assert "fitted values     none" in lines[2]
    assert "derived values    none" in lines[3]
    assert "formulas          0 of 1 matched" in lines[4]
    assert "1, compared with nothing" in lines[8]
    assert lines[-1] == "report: results/index.html"


def test_a_scenario_that_fails_does_not_keep_the_others_from_being_reproduced(command, monkeypatch):
    squares = registry.find("squares")
    broken = registry.Scenario("tests.scenarios.toys.squares")
    monkeypatch.setattr(registry, "discover", lambda package=TOYS: {"broken": broken, "squares": squares})
    monkeypatch.setitem(vars(broken), "expected", squares.expected)
    monkeypatch.setattr(type(broken), "cells", lambda self, settings: failing(self is broken, settings))
    status, output, errors = command("reproduce", "--jobs", "1")
    assert status == cli.EXIT_FAILED
    assert "[1/2] squares failed: 1 of 2 cells failed" in errors
    assert "\n[2/2] squares: 2 of 2 published values matched" in errors
    assert "FAILED: squares" in output


def test_a_missing_extra_leaves_a_scenario_out_and_says_so(command, monkeypatch):
    monkeypatch.setattr(squares_module, "run_cell", needs_torch)
    status, output, errors = command("reproduce", "--jobs", "1")
    assert status == 0
    assert 'squares was left out: a deep agent needs the extra "deep"' in errors
    assert "0 rows compared: nothing was compared" in output
    assert "left out: squares" in output
    assert "0 of 0" not in output + errors


def test_a_scenario_without_a_number_of_a_paper_says_so(command, monkeypatch):
    monkeypatch.setattr(squares_module, "table", lambda settings, results: [Row("q", "c", 1)])
    assert NOTHING_COMPARED in command("run", "squares")[1]
    status, output, errors = command("reproduce", "--jobs", "1")
    assert status == 0
    assert f"squares: {NOTHING_COMPARED}" in errors
    assert "0 of 0" not in output + errors


def test_rows_are_printed_with_their_uncertainty(command, monkeypatch):
    rows = [
        Row("share", f"β={beta}", ours, 0.04, interval=ends, case=f"β={beta}")
        for beta, ours, ends in ((0.5, 0.525, (0.361, 0.685)), (0.9, 0.0, (0.0, 0.0881)))
    ]
    rows.append(Row("[/q]", "[c]", UNDECIDED, paper="[/2]"))
    monkeypatch.setattr(squares_module, "table", lambda settings, results: rows)
    output = command("run", "squares", "--table")[1]
    assert all(text in output for text in ("[/q]", "[c]", "[/2]"))
    assert "0.53 [0.36, 0.69]" in output
    assert "0.000 [0.000, 0.088]" in output
    assert output.splitlines()[-3].startswith("0 of 1 formulas matched, 1 not decided; 3 numbers of the paper were not")
    assert f"{UNDECIDED}: squares (1)" in command("reproduce", "--jobs", "1")[1]


def test_an_interrupted_run_says_that_what_is_finished_is_kept(command, monkeypatch):
    run_cell = squares_module.run_cell
    monkeypatch.setattr(squares_module, "run_cell", lambda cell: interrupt() if cell.seed == 2 else run_cell(cell))
    status, output, errors = command("run", "squares")
    assert (status, output) == (cli.EXIT_INTERRUPTED, "")
    assert errors == "interrupted; what squares finished is kept, the same command goes on from it\n"
    monkeypatch.setattr(squares_module, "run_cell", run_cell)
    assert "2 of 3 cells were finished before" in command("run", "squares")[1]


def interrupt():
    raise KeyboardInterrupt


def failing(broken, settings):
    return squares_module.cells(dataclasses.replace(settings, failing=1 if broken else None))


def needs_torch(cell):
    raise MissingExtraError("a deep agent", "deep")


def test_without_the_plot_extra_a_run_works_and_says_so_once(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, errors = command("reproduce", "--jobs", "1")
    assert errors.count('needs the extra "plot"') == 1
    assert status == cli.EXIT_DIFFERS


LARGE = {"numpy", "pettingzoo", "scipy", "pandas", "torch", "matplotlib", "flint", "joblib", "networkx", "jinja2"}
LARGE |= {"cloudpickle", "rich", "pydantic"}


def loads(folder, *arguments):
    """Which of `LARGE` the command imports, in a process of its own."""
    command = [sys.executable, "-X", "importtime", "-m", "multislot", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(multislot.__file__).parents[1])])}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return LARGE & {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["worlds"], {"rich", "pydantic"}),
        (["new", "mine.toml"], {"rich", "pydantic"}),
        (["solve", "branch-line"], {"rich", "pydantic", "numpy", "pettingzoo"}),
    ],
)
def test_a_command_imports_what_it_needs_and_nothing_large(tmp_path, arguments, needed):
    assert loads(tmp_path, *arguments) <= needed


def test_a_large_import_would_be_noticed(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import pandas\n")
    assert "pandas" in loads(tmp_path, "--version")
