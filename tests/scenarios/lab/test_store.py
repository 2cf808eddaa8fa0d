"""What a run leaves: nothing is written over, everything says what produced it."""

import csv
import json
import sys
from dataclasses import replace

import numpy as np
import pandas
import pytest

from multislot.cells import StoreError
from multislot.engine import version
from scenarios.lab import registry, runner, store
from scenarios.lab.store import manifest
from tests.build import ROOT, built
from tests.scenarios.toys import squares as squares_module


@pytest.fixture(autouse=True)
def _without_pictures(monkeypatch):
    """Drawing takes longer than all the rest of a run."""
    monkeypatch.setattr(squares_module, "figures", lambda settings, results: {})


def run_of(squares, results, **changes):
    return runner.run(squares, squares.settings(changes), results=results)


def test_other_settings_make_another_folder_and_the_same_ones_find_theirs(squares, results):
    first = run_of(squares, results)
    assert run_of(squares, results).folder == first.folder
    assert run_of(squares, results, seeds=4).folder != first.folder


def test_settings_versions_seeds_and_hash_are_kept(squares, results):
    kept = json.loads((run_of(squares, results).folder / "run.json").read_text())
    assert kept["settings"]["factor"] == "1/2"
    assert kept["seeds"] == 3
    assert kept["versions"]["numpy"] == np.__version__
    assert kept["code"]
    assert len(kept["hash"]) == 64


FILES = (
    *("family/__init__.py", "family/helper.py", "family/named.py", "family/shared.txt"),
    *("family/child/__init__.py", "family/child/part.py", "family/child/plot.py", "family/child.csv"),
    *("family/child/data.csv", "family/sister.py", "family/sister.csv"),
    *("engine/__init__.py", "engine/tasks/map.toml", "engine/deep/__init__.py"),
)
SETTINGS = "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Settings:\n    size: int = 1\n"


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """A folder of sources of which a scenario is made, and its hash as they are now."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for scenario in ("child/__init__.py", "sister.py"):
        (tmp_path / "family" / scenario).write_text(SETTINGS)
    (tmp_path / "family/child/part.py").write_text("from family import helper\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(store, "ENGINE", ("engine",))
    scenario = registry.Scenario("family.child")
    yield tmp_path, lambda: manifest(scenario, scenario.settings())["hash"]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("family", "engine")]:
        del sys.modules[name]


AFTER_THE_CELLS = ("family/child/plot.py", "family/child.csv", "family/sister.csv", "engine/.map.toml.swp")


@pytest.mark.parametrize(
    "name",
    [
        *("family/child/part.py", "family/helper.py", "family/shared.txt", "family/child/data.csv"),
        *("engine/tasks/map.toml", "engine/__init__.py", "family/__init__.py"),
        *("family/named.py", "family/sister.py", "family/unused.py"),
        *AFTER_THE_CELLS,
    ],
)
def test_what_a_cell_runs_or_reads_makes_another_run_when_edited_and_what_is_read_after_it_does_not(edited, name):
    folder, hash_now = edited
    first = hash_now()
    (folder / name).write_text("# 2\n")
    assert (hash_now() == first) is (name in AFTER_THE_CELLS)


def test_an_edited_module_of_a_users_package_counts_but_edited_data_only_in_the_family(edited):
    folder, _ = edited
    for name in ("__init__.py", "one/__init__.py", "two/__init__.py", "two/helper.py", "two/data.txt"):
        (folder / "family/below" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "family/below" / name).touch()
    (folder / "family/below/one/child.py").write_text(SETTINGS)
    scenario = registry.Scenario("family.below.one.child")
    first = store.code_hash(scenario)
    (folder / "family/below/two/data.txt").write_text("2\n")
    assert store.code_hash(scenario) == first
    (folder / "family/below/two/helper.py").write_text("# 2\n")
    assert store.code_hash(scenario) != first


def test_the_lab_counts_and_other_families_do_not():
    places = {place.rpartition("/")[0] for place in store.code_files(registry.find("copy"))}
    assert {"scenarios.lab", "scenarios.identity", "multislot/exact/copies", "extenv", "considerate"} <= places
    assert not any(place.startswith(("scenarios.anthropics", "scenarios.report")) for place in places)


def test_a_file_that_was_moved_makes_another_run_though_nothing_in_it_was_edited(edited):
    folder, hash_now = edited
    first = hash_now()
    (folder / "engine/tasks/map.toml").rename(folder / "engine/deep/map.toml")
    assert hash_now() != first


def test_both_builds_share_their_cells(squares, results, monkeypatch):
    for compiled in (True, False, True):
        monkeypatch.setattr(version, "is_compiled", lambda compiled=compiled: compiled)
        outcome = run_of(squares, results)
    assert (outcome.resumed, outcome.record.uncovered, outcome.notes) == (3, 1, ())
    assert tuple(cell for cell, _ in outcome.results) == squares.cells(outcome.settings)
    assert replace(outcome, seconds=1.23456).as_json()["seconds"] == 1.235


def test_compiled_is_what_the_tests_of_the_build_say():
    assert version.is_compiled() is bool(built(ROOT / "multislot" / "engine" / "stream.py"))


@pytest.mark.parametrize(
    ("place", "reason"),
    [("file", ".+"), ("file/below", ".+"), ("/proc/x", ".+"), ("link", "the link .*/link leads to no folder")],
)
def test_results_that_cannot_be_written_are_one_sentence(squares, tmp_path, place, reason):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(StoreError, match=rf"cannot be written \({reason}\); choose another --results$") as caught:
        run_of(squares, tmp_path / place)
    assert "\n" not in str(caught.value)


def test_a_table_that_cannot_be_written_is_one_sentence(squares, results):
    table = run_of(squares, results).folder / "table.csv"
    table.unlink()
    table.mkdir()
    with pytest.raises(StoreError, match=r"table\.csv cannot be written \(Is a directory\)"):
        run_of(squares, results)


def test_tables_are_written_as_csv_with_the_run_that_made_them(squares, results):
    outcome = run_of(squares, results)
    content = json.loads((outcome.folder / "run.json").read_text())
    with (outcome.folder / "table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["quantity"] for line in lines] == ["square"] * 3 + ["sum", "parity"]
    assert {line["run"] for line in lines} == {content["hash"][:12]}
    cells = pandas.read_csv(outcome.folder / "cells.csv")
    assert cells.square.tolist() == [0.0, 0.5, 2.0]
    assert cells.square_exact.tolist() == ["0", "1/2", "2"]
    assert (lines[-1]["ours"], lines[-1]["ours_exact"]) == ("", "odd")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("table.csv", "edited by hand"),
        *(("run.json", text) for text in ("{}", "", "[1", "[" * 10**5, "9" * 5000, "\0")),
    ],
    ids=range(7),
)
def test_a_file_that_differs_is_moved_aside_and_said(squares, results, name, content):
    """Also the description of another run, or of none."""
    file = run_of(squares, results).folder / name
    ours, aside = file.read_text(), name.replace(".", ".1.")
    file.write_text(content)
    outcome = run_of(squares, results)
    assert outcome.notes == (f"{file} had other contents; they are kept as {aside}",)
    assert outcome.resumed == 3
    assert (file.with_name(aside).read_text(), file.read_text()) == (content, ours)
    file.unlink()
    assert run_of(squares, results).resumed == 3


def test_damaged_cells_are_set_aside_and_said(squares, results):
    folder = run_of(squares, results).folder
    (folder / "cells.sqlite").write_bytes(b"no database at all" * 100)
    outcome = run_of(squares, results)
    assert outcome.resumed == 0
    assert outcome.notes[0].endswith(
        "cells.sqlite was damaged (file is not a database) and is now cells.1.sqlite; 0 of its cells could be read, "
        "all others are computed again"
    )
    assert (folder / "cells.1.sqlite").read_bytes() == b"no database at all" * 100
    assert run_of(squares, results).resumed == 3


def test_a_record_that_was_made_otherwise_is_made_again_of_the_kept_cells(squares, results, monkeypatch):
    first = run_of(squares, results).record
    monkeypatch.setattr(runner, "presentation", lambda *_: "another table")
    outcome = run_of(squares, results)
    assert (outcome.record.made_from, outcome.resumed) == ("another table", 3)
    assert first.made_from != "another table"
    monkeypatch.setattr(runner, "_finish", lambda *_: pytest.fail("the record was current"))
    assert run_of(squares, results).record == outcome.record
