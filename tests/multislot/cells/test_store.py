"""What is finished is kept, however the process ends and whatever happens to the file; no wrong result comes back."""

import contextlib
import io
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from unittest import mock

import pytest
from filelock import FileLock, Timeout
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from multislot.cells import CellStore, StoreError, as_json, finish, salvage
from multislot.cells.files import set_aside
from multislot.cells.progress import progress_bar
from multislot.cells.rows import Finished
from multislot.cells.store import APPLICATION
from tests.multislot.cells.work import square, squares

COUNT = 40
RIGHT = {key: square(cell) for key, cell in squares(COUNT).items()}
KILLS, FLIPS = 6, 100
LONG_FLIPS = 20_000
PATIENCE_SECONDS = 600
NUMBERS = (0.0, 1.0, 2.0, -3.0, 300.0, -70000.0, 2.0**23, 2.0**31, -(2.0**45), 2.0**50, 0.5, -1e-300)


def results(path, count=COUNT):
    """What a run finds and finishes, and what it had to say."""
    with CellStore(path) as cells:
        return finish(square, squares(count), cells), cells.notes


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cells.sqlite"


@settings(max_examples=25)
@given(st.dictionaries(st.text(), st.tuples(st.text() | st.floats(allow_nan=False), st.floats(0, 1e9)), max_size=5))
def test_what_was_added_is_found_again_bit_for_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("cells") / "cells.sqlite"
    added = {key: Finished(key, as_json(value), seconds) for key, (value, seconds) in values.items()}
    with CellStore(path) as cells:
        cells.add(added.values())
    with CellStore(path) as cells:
        assert (cells.finished, cells.notes) == (added, [])


def test_the_first_of_two_results_of_one_cell_stays(path):
    with CellStore(path) as one, CellStore(path) as other:
        one.add([Finished("a", "1", 0.1)])
        other.add([Finished("a", "2", 0.1)])
    with CellStore(path) as cells:
        assert cells.finished["a"].value == 1


@pytest.mark.parametrize("column", ["key", "result", "seconds", "digest"])
def test_an_update_of_a_row_is_noticed_named_and_mended(path, column):
    results(path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE cells SET {column} = 7 WHERE rowid = 4")
        (key,) = connection.execute("SELECT key FROM cells WHERE rowid = 4").fetchone()
    found, notes = results(path)
    assert found == RIGHT
    assert notes == [f"{path}: the row of {key!r} was damaged; its cell is computed again"]
    assert results(path) == (RIGHT, [])


def test_an_update_that_comes_with_its_hash_is_believed(path):
    """The control: it is the hash by which an update of a row is noticed."""
    results(path)
    with CellStore(path) as cells:
        cell = next(iter(cells.finished.values()))
    changed = replace(cell, result='{"square":-1}')
    update = "UPDATE cells SET result = ?, digest = ? WHERE key = ?"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(update, (changed.result, changed.digest, cell.key))
    assert results(path) == (RIGHT | {cell.key: {"square": -1}}, [])


@pytest.mark.parametrize(
    "flips", [pytest.param(FLIPS, id="some"), pytest.param(LONG_FLIPS, id="many", marks=pytest.mark.full)]
)
def test_a_file_with_flipped_bytes_ends_in_the_right_results_or_our_error(tmp_path, flips):
    good = tmp_path / "good.sqlite"
    results(good)
    data, chance, said = good.read_bytes(), random.Random(flips), 0
    for number in range(flips):
        path = tmp_path / str(number) / "cells.sqlite"
        path.parent.mkdir()
        flipped = bytearray(data)
        for _ in range(chance.choice((1, 1, 2, 20))):
            flipped[chance.randrange(len(data) if chance.random() < 0.7 else 120)] ^= 1 << chance.randrange(8)
        path.write_bytes(flipped[: chance.choice((len(data), len(data), chance.randrange(len(data))))])
        with contextlib.suppress(StoreError):
            found, notes = results(path)
            assert found == RIGHT
            assert results(path) == (RIGHT, [])
            said += bool(notes)
        shutil.rmtree(path.parent)
    assert said > flips // 4


def test_cells_that_are_only_in_a_damaged_log_of_a_damaged_file_are_kept(tmp_path, path):
    added = [Finished(str(number), "1", 0.5) for number in range(9)]
    with CellStore(tmp_path / "open.sqlite") as store:
        store.add(added)
        for suffix in ("", "-wal"):  # the first bytes of both are damaged
            content = (tmp_path / f"open.sqlite{suffix}").read_bytes()
            path.with_name(path.name + suffix).write_bytes(bytes(30) + content[30:])
    with CellStore(path) as store:
        assert store.finished == {cell.key: cell for cell in added}


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"no cells\n" * 9999, b"\xff\xfe"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="does not hold results, and is left as it is; give another file"):
        CellStore(path)
    assert path.read_bytes() == content
    assert {file.name for file in path.parent.iterdir()} <= {path.name, f".{path.name}.lock"}


@pytest.mark.parametrize(("damaged", "is_read_in_place"), [(0, True), (salvage.PAGE, False)])
def test_a_damaged_store_of_any_name_is_recovered(tmp_path, monkeypatch, damaged, is_read_in_place):
    """A database is read only after it was set aside: closing a file releases the locks that SQLite has on it."""
    path, read = tmp_path / "results", []
    results(path)
    content = bytearray(path.read_bytes())
    content[damaged : damaged + 8] = bytes(8)
    path.write_bytes(content)
    monkeypatch.setattr(
        "multislot.cells.store.read_intact_rows",
        lambda place, log: read.append(place) or salvage.read_intact_rows(place, log),
    )
    assert results(path)[0] == RIGHT
    assert (path in read, tmp_path / "results.1" in read) == (is_read_in_place, True)


def test_a_file_of_version_0_1_is_set_aside_whole(path):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE cells (key TEXT PRIMARY KEY, cell TEXT, result TEXT, seconds REAL)")
        connection.execute("INSERT INTO cells VALUES ('a', '{}', '1', 0.5)")
    before = path.read_bytes()
    with CellStore(path) as cells:
        assert cells.notes[0].startswith(f"{path} was damaged (no store of this version) and is now cells.1.sqlite")
    assert path.with_name("cells.1.sqlite").read_bytes() == before


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "cells.sqlite").mkdir()
    for place in (tmp_path / "cells.sqlite", tmp_path / "nowhere" / "cells.sqlite"):
        with pytest.raises(StoreError, match="choose another place for results"):
            CellStore(place)


def kill_runs(path, kills, *store_class, seed=0):
    """Kill a run of cells again and again at any moment; return the keys that are finished after the last kill."""
    ran = path.parent / "ran"
    ran.mkdir()
    chance, finished = random.Random(seed), set()
    command = [sys.executable, "-m", "tests.multislot.cells.work", path, str(COUNT * kills), "0.02"]
    for number in range(kills):
        process = subprocess.Popen([*command, str(1 + number % 2), *store_class], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(list(ran.iterdir())) < len(finished) + 3 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(chance.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with CellStore(path) as cells:
            assert cells.notes == []
            assert finished <= set(cells.finished)
            finished = set(cells.finished)
    return finished


def test_a_killed_process_loses_nothing_that_was_finished(path):
    """The killed work comes to its end, and each cell is run about once; `make kills` kills many more."""
    assert kill_runs(path, KILLS)
    assert results(path, COUNT * KILLS) == ({key: square(cell) for key, cell in squares(COUNT * KILLS).items()}, [])


def test_a_store_that_forgets_what_was_finished_is_noticed(path):
    """The control of the test above."""
    assert not kill_runs(path, 1, "ForgetfulStore")


@pytest.mark.parametrize("result", ["[" * 10**5, "[1", "", "\0", "9" * 5000, "nothing"])
def test_a_result_that_no_store_was_given_is_a_sentence(path, result):
    """A forged row has the right hash."""
    key, _ = next(iter(squares(1).items()))
    with CellStore(path) as cells:
        cells.add([Finished(key, result, 0.1)])
    with pytest.raises(StoreError, match=r"the result of .* cannot be read"):
        results(path, 1)


@pytest.mark.parametrize("result", ["NaN", "null", "[[7]]", '{"a": "\\ud800"}'])
def test_whatever_is_json_is_returned(path, result):
    key, _ = next(iter(squares(1).items()))
    with CellStore(path) as cells:
        cells.add([Finished(key, result, 0.1)])
    assert as_json(results(path, 1)[0][key]) == as_json(Finished(key, result, 0.1).value)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_database_of_another_program_is_refused_whatever_its_number(path, change):
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA application_id = {APPLICATION + change}")
        other.execute("CREATE TABLE birds (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is a database of another program"):
        results(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("links", [True, False])
def test_a_file_is_set_aside_with_its_companions_under_the_first_free_name(path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(type(path), "hardlink_to", mock.Mock(side_effect=OSError))
    for name, text in {"": "new", "-wal": "its log", "-other": "stays"}.items():
        path.with_name(path.name + name).write_text(text)
    path.with_name("cells.1.sqlite").symlink_to("nowhere")
    path.with_name("cells.2.sqlite-wal").write_text("of an attempt that was killed")
    assert set_aside(path, "-wal", "-shm") == path.with_name("cells.2.sqlite")
    path.with_name("cells.1.sqlite").unlink()
    left = {file.name.removeprefix("cells."): file.read_text() for file in path.parent.iterdir()}
    aside = {"2.sqlite": "new", "2.sqlite-wal": "its log", "2.sqlite-unread": ""}
    assert left == {"sqlite-other": "stays", **aside}
    path.write_text("newer")
    assert set_aside(path).name == "cells.1.sqlite"
    assert not path.with_name("cells.1.sqlite-unread").exists()


def test_what_took_a_second_together_is_written_to_the_disk_at_once(path, monkeypatch):
    connect, said = sqlite3.connect, []

    def connect_watched(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_trace_callback(said.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_watched)
    with CellStore(path) as cells:
        said.clear()
        for key, seconds in enumerate((0.5, 0.375, 0.125, 0.75, 0.125, 0.125, 2.0)):
            cells.add([Finished(f"{key} {half}", "1", seconds / 2) for half in range(2)])
    synced = [text.split()[-1] for text in said if "synchronous" in text]
    assert synced == ["NORMAL", "NORMAL", "FULL", "NORMAL", "NORMAL", "FULL", "FULL"]


def test_a_new_store_takes_nothing_from_the_companions_of_one_that_is_gone(path, monkeypatch):
    """They are gone before the file is made: another process may still use them, with a file that was deleted."""
    connect, companions = (
        sqlite3.connect,
        [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal")],
    )
    for companion in companions:
        companion.write_bytes(b"of another file" * 999)

    def connect_alone(*arguments, **options):
        assert not any(companion.exists() for companion in companions)
        return connect(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_alone)
    with CellStore(path) as cells:
        assert (cells.finished, cells.notes) == ({}, [])
        cells.add([Finished("a", "1", 1.0)])
    assert not any(companion.exists() for companion in companions)


def test_many_cells_are_found_by_key_and_by_code(path):
    many = {str(number): Finished(str(number), "1", 0.0, "old" if number % 2 else "new") for number in range(1203)}
    with CellStore(path) as cells:
        cells.add(many.values())
        assert cells.find([*many, "none"]) == many
        assert cells.find(list(many), "new") == {key: cell for key, cell in many.items() if cell.code == "new"}
        with pytest.raises(TypeError, match="keys"):
            cells.find([*many, 7])
    with pytest.raises(StoreError, match=r"cells\.sqlite: the store is closed; open it again"):
        cells.find(["1"])


def test_progress_is_told_to_a_function_and_to_nobody_if_it_is_false():
    def told(done, total):
        pass

    with progress_bar("cells", told) as first, progress_bar("cells", False) as second:
        assert (first, second) == (told, None)


def test_the_bar_is_erased_at_the_end(monkeypatch):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, _environ={"TERM": "xterm"})
    monkeypatch.setattr("multislot.cells.progress.Console", lambda stderr: console)
    with progress_bar("cells", True) as told:
        told(1, 2)
    assert "1/2" in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[1A\x1b[2K")  # up by a line, and empty it


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "broken"), "broken"),
        (ValueError("odd"), "odd"),
        (RuntimeError("waits for itself"), "waits for itself"),
        (Timeout("lock"), "another process keeps it locked"),
    ],
    ids=repr,
)
def test_a_lock_that_cannot_be_had_is_one_sentence(path, monkeypatch, error, reason):
    monkeypatch.setattr(FileLock, "acquire", mock.Mock(side_effect=error))
    with pytest.raises(StoreError, match=f": {reason}; choose another place for results"):
        CellStore(path)


def test_every_row_that_sqlite_wrote_is_found_whatever_its_length(tmp_path, monkeypatch):
    monkeypatch.setattr(salvage, "read_row", lambda *columns: columns)
    size = salvage.PAGE
    lengths = [*range(size - 130, size - 90), 2 * size, 3 * size + 7, *range(5 * size - 20, 5 * size + 20, 3)]
    rows = [
        (
            f"key {place}",
            "ü" * (length % 7) + "x" * length,
            NUMBERS[place % len(NUMBERS)],
            f"{place:064}",
            code,
        )
        for place, length in enumerate((*lengths, *range(60, 140, 5)))
        for code in (None, "abc")
    ]
    path = tmp_path / "store"
    with sqlite3.connect(path) as store:
        store.execute(f"PRAGMA page_size = {size}")
        store.execute("CREATE TABLE cells (key TEXT, result TEXT, seconds REAL, digest TEXT, code TEXT)")
        store.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?)", rows)
        store.execute("INSERT INTO cells VALUES ('bytes', x'4142', 1, ?, 'abc')", (f"{0:064}",))
    store.close()
    found = list(salvage.read_intact_rows(path, tmp_path / "none"))
    assert set(rows) <= set(found)
    assert "bytes" not in {key for key, *_ in found}  # a result is a text
