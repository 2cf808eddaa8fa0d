"""What a run leaves: nothing is written over, everything says what produced it."""

import csv
import json
import sys

import numpy as np
import pyarrow.parquet
import pytest

from multislot.errors import StoreError
from scenarios import registry, runner
from scenarios.store import Store, as_json, cell_key, manifest


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


def test_an_edited_source_makes_another_run_and_an_edited_picture_does_not(tmp_path, monkeypatch):
    folder = tmp_path / "family_of_one" / "only_child"
    folder.mkdir(parents=True)
    for file in ("../__init__.py", "__init__.py", "settings.py", "run.py", "plot.py"):
        (folder / file).touch()
    (folder / "settings.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Settings:\n    size: int = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    scenario = registry.find("only-child", "family_of_one")
    first = manifest(scenario, scenario.settings())["hash"]
    (folder / "plot.py").write_text("COLOUR = 'red'\n")
    assert manifest(scenario, scenario.settings())["hash"] == first
    (folder / "run.py").write_text("FACTOR = 2\n")
    assert manifest(scenario, scenario.settings())["hash"] != first


def test_tables_are_written_as_csv_and_parquet_with_the_run_that_made_them(squares, results):
    outcome = run_of(squares, results)
    content = json.loads((outcome.folder / "run.json").read_text())
    with (outcome.folder / "table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["quantity"] for line in lines] == ["square"] * 3 + ["sum", "parity"]
    assert {line["run"] for line in lines} == {content["hash"]}
    cells = pyarrow.parquet.read_table(outcome.folder / "cells.parquet")
    assert cells.column("square").to_pylist() == ["0", "1/2", "2"]
    assert json.loads(cells.schema.metadata[b"multislot"]) == content
    assert pyarrow.parquet.read_table(outcome.folder / "table.parquet").column("ours").to_pylist()[-1] == "odd"


def test_without_pyarrow_there_is_csv_alone(squares, results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    files = {path.suffix for path in run_of(squares, results).folder.iterdir()}
    assert ".csv" in files
    assert ".parquet" not in files


def test_a_file_that_differs_is_moved_aside_and_said(squares, results):
    table = run_of(squares, results).folder / "table.csv"
    ours = table.read_text()
    table.write_text("edited by hand")
    outcome = run_of(squares, results)
    assert outcome.notes == (f"{table} had other contents; they are kept as table.1.csv",)
    assert (table.with_name("table.1.csv").read_text(), table.read_text()) == ("edited by hand", ours)


def test_a_folder_of_another_run_is_refused(squares, results):
    folder = run_of(squares, results).folder
    (folder / "run.json").write_text("{}")
    with pytest.raises(StoreError, match=r"describes another run; move .* away or choose another --results"):
        run_of(squares, results)


def test_cells_that_cannot_be_read_are_an_error_with_a_remedy(squares, results):
    folder = run_of(squares, results).folder
    (folder / "cells.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match=r"file is not a database; move .* away and run again"):
        run_of(squares, results)


def test_a_cell_stored_twice_keeps_its_first_result(squares, results):
    settings = squares.settings()
    cell = squares.cells(settings)[0]
    with Store(results, manifest(squares, settings)) as store:
        for result in ('{"square":"1"}', '{"square":"2"}'):
            store.add(cell, result, 0.1)
        assert store.finished() == {cell_key(cell): ({"square": "1"}, 0.1)}


def test_numpy_s_numbers_become_plain_and_anything_else_is_named():
    assert as_json({"b": np.float64(0.5), "a": np.arange(2)}) == '{"a":[0,1],"b":0.5}'
    with pytest.raises(TypeError, match="only JSON values can be kept"):
        as_json({"a": {1, 2}})
