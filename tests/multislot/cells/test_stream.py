"""Cells in constant memory, on any executor, kept under their code; and stores of several writers, merged."""

import importlib
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import types
import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, make_dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from gymnasium.spaces import Discrete

from multislot.agents.language import LanguageModel, Reply
from multislot.cells import (
    CellError,
    CellStore,
    CellTimeoutError,
    StoreError,
    as_json,
    cell_key,
    code_digest,
    executors,
    finish,
    resumable_runs,
    stream,
    write_parquet,
)
from multislot.cells.code import is_users
from multislot.cells.executors import MOST_IN_BATCH
from multislot.errors import SettingError
from tests.multislot.cells.work import Square, noted, square, squares

CELLS = list(squares(60).values())
RIGHT = [(cell, square(cell)) for cell in CELLS]


def in_order(results):
    return sorted(results, key=lambda result: result[0].number)


def slowly(number):
    time.sleep(0.2)
    return number


class Held(Future):
    """Work that loky hands on when it has been looked at twice."""

    looks = 0

    def running(self):
        self.looks += 1
        return self.looks > 2


def test_a_stream_that_is_closed_early_cancels_nothing_in_its_own_processes(monkeypatch):
    """Loky's thread dies with a traceback on cancelled work."""
    cancelled = []
    monkeypatch.setattr(Future, "cancel", cancelled.append)
    results = stream(slowly, range(200), jobs=2)
    next(results)
    results.close()
    assert not cancelled


def test_work_that_loky_still_holds_is_waited_for():
    """Loky's thread dies with a traceback when workers are killed before it has handed their work on."""
    held = [Held(), Held()]
    executors.wait_until_started(held)
    assert min(future.looks for future in held) == 3


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor, "loky", "dask"])
def test_any_executor_will_do(tmp_path, executor):
    def check(pool):
        with CellStore(tmp_path / "cells.sqlite") as store:
            assert in_order(stream(square, CELLS, store, executor=pool)) == RIGHT

    if executor == "loky":
        with executors.processes(2) as pool:
            check(pool.executor)
    elif executor == "dask":
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            check(client.get_executor(pure=False))
    else:
        with executor(2) as pool:
            check(pool)


def test_what_is_no_executor_is_refused():
    with pytest.raises(SettingError, match=r"expected a concurrent\.futures\.Executor"):
        next(stream(square, CELLS, executor="tcp://host:8786"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_stored_cells_are_not_run_again_and_finish_finds_them(tmp_path, jobs):
    (tmp_path / "ran").mkdir()
    path, work = tmp_path / "cells.sqlite", partial(noted, tmp_path / "ran")
    list(stream(work, CELLS[:20], path, jobs=jobs))
    for ran in (tmp_path / "ran").iterdir():
        ran.unlink()
    assert in_order(stream(work, CELLS, path, jobs=jobs)) == RIGHT
    with CellStore(path) as store:
        assert finish(work, squares(60), store, jobs=jobs) == {key: square(cell) for key, cell in squares(60).items()}
    assert sorted(int(ran.name) for ran in (tmp_path / "ran").iterdir()) == list(range(20, 60))


def test_a_result_is_kept_before_it_is_yielded(tmp_path):
    path = tmp_path / "cells.sqlite"
    for cell, _ in stream(square, CELLS, path):
        with CellStore(path) as store:
            assert cell_key(cell) in store.finished


@pytest.mark.parametrize("jobs", [1, 2])
def test_endlessly_many_cells_are_read_as_they_are_needed(jobs):
    read = []

    def endless():
        for number in count():
            read.append(number)
            yield Square(number)

    results = stream(lambda cell: cell.number, endless(), jobs=jobs)
    assert len(list(islice(results, 10))) == 10
    results.close()
    assert len(read) <= 20 * MOST_IN_BATCH  # a few batches for each process, however fast they are


def test_a_cell_that_comes_twice_is_yielded_twice_and_run_once(tmp_path):
    (tmp_path / "ran").mkdir()
    runs = []

    def work(cell):
        runs.append(cell)
        return cell.number

    assert list(stream(work, [Square(1), Square(1), Square(2)])) == [(Square(1), 1), (Square(1), 1), (Square(2), 2)]
    assert runs == [Square(1), Square(2)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_failed_cells_are_said_at_the_end_and_all_others_are_yielded(tmp_path, jobs):
    cells, found = [Square(99, fate="fails"), *CELLS, Square(98, fate="fails")], []
    with pytest.raises(CellError, match=r"^2 cells failed, .*Square\(number=9.*no square of 9.*run again"):
        found.extend(stream(square, cells, tmp_path / "cells.sqlite", jobs=jobs))
    assert in_order(found) == RIGHT


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_that_fails_sometimes_is_tried_again(tmp_path, jobs):
    def work(cell):
        with (tmp_path / str(cell.number)).open("a") as file:
            file.write(".")
        if (tmp_path / str(cell.number)).stat().st_size < 3:
            raise OSError("not yet")
        return cell.number

    assert dict(stream(work, [Square(1)], jobs=jobs, retries=2)) == {Square(1): 1}
    with pytest.raises(CellError, match=r"^1 cell failed, .*OSError: not yet"):
        list(stream(work, [Square(2)], jobs=jobs, retries=1))
    assert [(tmp_path / name).stat().st_size for name in "12"] == [3, 2]


@pytest.mark.parametrize("caught", [Exception, BaseException])
def test_a_cell_that_catches_errors_is_late_too(caught):
    def stubborn(cell):
        begun = time.monotonic()
        while time.monotonic() - begun < (600 if caught is Exception else 0.5):
            with suppress(caught):
                time.sleep(0.01)

    with pytest.raises(CellError, match=r"took longer than 0\.05 seconds"):
        list(stream(stubborn, [1], seconds=0.05))


@pytest.mark.parametrize("seconds", [1e-9, 1e-5])
def test_a_limit_that_is_over_before_the_cell_begins_is_a_late_cell(seconds):
    with pytest.raises(CellError, match="took longer than"):
        list(stream(square, CELLS[:1], seconds=seconds))
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.parametrize("jobs", [1, 2, "threads"])
def test_a_cell_that_takes_too_long_fails_alone(jobs):
    cells = [Square(0, seconds=1000.0), *CELLS[1:]]
    began, found = time.monotonic(), []
    with ThreadPoolExecutor(2) as pool:
        results = stream(square, cells, seconds=1.0, **({"executor": pool} if jobs == "threads" else {"jobs": jobs}))
        with pytest.raises(CellError, match=r"took longer than 1\.0 seconds") as caught:
            found.extend(results)
    assert isinstance(caught.value.__cause__, CellTimeoutError)
    assert in_order(found) == RIGHT[1:]
    assert time.monotonic() - began < 900  # its sleep was not waited for


def module(name, text):
    """A module of a user, from its text."""
    made = types.ModuleType(name)
    sys.modules[name] = made
    exec(compile(text, f"{name}.py", "exec"), made.__dict__)
    return made


BASE = """
from collections import defaultdict
from enum import Enum, IntEnum
from functools import cache, lru_cache, partial, singledispatch, update_wrapper
from typing import NamedTuple
FACTOR = 2
class Rule:
    def apply(self, number): return number * FACTOR
class Slotted:
    __slots__ = ("size",)
    def __init__(self, size): self.size = size
SLOTTED = Slotted(9)
def double(number): return number * 2
RULES, SET, TABLE = {"double": double}, {lambda number: number - 4}, {(0, 1): 5.5}
class Maker(type):
    def __call__(cls, *values): return super().__call__(*values[:10])
class Private(metaclass=Maker):
    __slots__ = ("__held",)
    def __init__(self, held): self.__held = held
    held = property(lambda self: self.__held, lambda self, held: held + 12, lambda self: 13)
    __call__ = cache(lambda self: 14)
@singledispatch
def shown(value): return 15
shown.register(int, lambda value: value + 16)
class Level(IntEnum):
    LOW = 1
    HIGH = 2
    def raised(self): return self + 17
class Pair(NamedTuple):
    first: int
    def total(self): return self.first + 18
class Wrapped:
    def __init__(self, inner, factor):
        self.inner, self.factor = inner, factor
        update_wrapper(self, inner)
class Own(property):
    def __get__(self, owner, kind): return 19
class Bound:
    __doc__ = property(lambda self: 25)
    get = Private(20).__init__
    own = Own()
class Color(Enum):
    RED = "red"
    BLUE = "blue"
class Later(Rule, Slotted): pass
COLORS = [Color.RED, Color.BLUE, Color.RED, Rule, Slotted, Later]
LEVELS = [COLORS, Level.HIGH, Level.LOW, Level.HIGH, {"level": Level.LOW}]
OBJECTS = [Private(21), shown, LEVELS, Pair(1), Wrapped(double, 22), Bound]
FILLED, NESTED = defaultdict(lambda: 23), {"filled": defaultdict(lambda: 24)}
@lru_cache
def helper(number): return Rule().apply(number) + RULES["double"](0) + TABLE[0, 1] * 0 + len(SET) * 0 + SLOTTED.size * 0
def unused(): return OBJECTS, FILLED, NESTED
def perform(cell, *, shift=0, other=unused): return helper(cell) + shift
shifted = partial(perform, shift=1)
def maker(inner):
    def made(cell): return inner + cell
    return made
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FACTOR = 2", "FACTOR = 3"),
        ("number * FACTOR", "number + FACTOR"),
        ("Rule().apply(number)", "Rule().apply(number) + 1"),
        ("helper(cell) + shift", "helper(cell) - shift"),
        ("shift=0", "shift=4"),
        ("number * 2", "number * 3"),
        ("5.5", "6.5"),
        ("number - 4", "number - 5"),
        ("Slotted(9)", "Slotted(8)"),
        ("values[:10]", "values[:1]"),
        ("held + 12", "held + 1"),
        ("self: 13", "self: 1"),
        ("self: 14", "self: 1"),
        ("return 15", "return 1"),
        ("value + 16", "value + 1"),
        ("register(int", "register(str"),
        ("self + 17", "self + 1"),
        ("first + 18", "first + 1"),
        ("return 19", "return 1"),
        ("Private(20)", "Private(1)"),
        ("Private(21)", "Private(1)"),
        ("double, 22", "double, 1"),
        ("lambda: 23", "lambda: 1"),
        ("lambda: 24", "lambda: 1"),
        ("self: 25", "self: 1"),
        ("LOW, Level.HIGH", "LOW, Level.LOW"),
        ("Color.BLUE, Color.RED", "Color.BLUE, Color.BLUE"),
        ("Later(Rule, Slotted)", "Later(Slotted, Rule)"),
    ],
)
def test_a_change_in_what_a_function_uses_changes_its_digest(old, new):
    before, after = (code_digest(module("theirs", text).perform) for text in (BASE, BASE.replace(old, new)))
    assert before != after


def test_the_source_of_a_module_that_is_used_whole_changes_the_digest(tmp_path):
    digests, path = [], tmp_path / "helpers.py"
    module("helpers", "").__file__ = str(path)
    for number in (1, 2, 1):
        path.write_text(f"NUMBER = {number}")
        digests.append(code_digest(module("theirs", "import helpers\ndef perform(): helpers.NUMBER").perform))
    assert digests[0] == digests[2] != digests[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def perform(gain, loss): return gain - loss", "def perform(loss, gain): return loss - gain"),
        ("def perform(cell, *rest): return rest", "def perform(cell, rest): return rest"),
        (
            "def perform(c):\n try: f(c); y = g(c)\n except ValueError: y = 0\n return y",
            "def perform(c):\n try: f(c)\n except ValueError: y = 0\n else: y = g(c)\n return y",
        ),
    ],
)
def test_the_same_instructions_with_other_parameters_or_another_try_are_other_code(old, new):
    digests = [code_digest(module("study", text).perform) for text in (old, new, old)]
    assert digests[0] == digests[2] != digests[1]


@pytest.mark.parametrize(
    "text",
    [
        "import middle\ndef perform(): return middle.base.rule(1)",
        "import middle\ndef perform(): return middle.taken(1)",
        "def perform():\n    import base\n    return base.rule(1)",
    ],
)
def test_what_a_module_imports_changes_the_digest(tmp_path, monkeypatch, text):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "middle.py").write_text("import base\nfrom base import rule as taken\n")
    digests = []
    for factor in ("2", "3", "2"):
        (tmp_path / "base.py").write_text(f"def rule(number): return number * {factor}\n")
        for name in ("base", "middle"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        digests.append(code_digest(module("theirs", text).perform))
    assert digests[0] == digests[2] != digests[1]


def first_letter(request):
    return Reply(request.letters[0])


def last_letter(request):
    return Reply(request.letters[-1])


@dataclass(frozen=True)
class Descent:
    rate: float

    def step(self):
        return self.rate


@dataclass(frozen=True)
class Momentum:
    rate: float


@dataclass(frozen=True)
class Fitted:
    rule: object


def test_settings_of_another_kind_are_another_cell():
    cells = [Fitted(Descent(0.5)), Fitted(Momentum(0.5)), Fitted((Descent(0.5),)), Fitted((Momentum(0.5),))]
    assert len({cell_key(cell) for cell in cells}) == 4
    assert list(stream(lambda cell: repr(cell), cells)) == [(cell, repr(cell)) for cell in cells]


def test_the_methods_of_a_dataclass_count(monkeypatch):
    before = [code_digest(partial(noted, rule)) for rule in (Descent(0.5), {"rule": Descent(0.5)}, Momentum(0.5))]
    monkeypatch.setattr(Descent, "step", lambda self: -self.rate)
    after = [code_digest(partial(noted, rule)) for rule in (Descent(0.5), {"rule": Descent(0.5)}, Momentum(0.5))]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]
    assert len({*before, *after}) == 5


@pytest.mark.parametrize(
    "make",
    [
        lambda second: re.compile("a" if second else "b"),
        lambda second: bytes([second]),
        lambda second: complex(0, second),
        lambda second: pd.DataFrame({"a": [0] * 200 + [int(second)]}),
        lambda second: LanguageModel(last_letter if second else first_letter, "m"),
        lambda second: {first_letter, last_letter if second else square},
        lambda second: pytest.importorskip("torch").full((2,), float(second), requires_grad=True),
    ],
)
def test_an_object_counts_by_what_it_holds_and_a_path_does_not(make):
    digests = [code_digest(partial(noted, make(second))) for second in (False, True, False)]
    assert digests[0] == digests[2] != digests[1]
    assert code_digest(partial(noted, Path("one"))) == code_digest(partial(noted, Path("other")))


def test_a_part_of_a_module_that_was_made_by_hand_is_the_users():
    """Python finds no specification of such a module."""
    module("by_hand", "")
    assert code_digest(module("by_hand.part", "def perform(): return 1").perform)
    del sys.modules["by_hand.part"]
    assert is_users("by_hand.part")


@pytest.mark.parametrize(
    ("place", "metadata", "users"),
    [("lab", "", True), ("site-packages", "", False), ("target", "a-1.dist-info", False)],
)
def test_what_pip_has_installed_anywhere_is_not_the_users(place, metadata, users, tmp_path, monkeypatch):
    """As by ``pip install --user``, in the environment below a virtual one, or ``--target``."""
    package = tmp_path / place / "anywhere"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package.parent / (metadata or "no")).mkdir()
    monkeypatch.syspath_prepend(package.parent)
    assert is_users("anywhere") == users


def test_drawing_numbers_does_not_change_the_digest():
    space, generator = Discrete(3), np.random.default_rng(0)
    digests = []
    for _ in range(2):
        digests.append(code_digest(partial(noted, space, generator)))
        space.seed(1)
        generator.random()
    assert digests[0] == digests[1] != code_digest(partial(noted, Discrete(4), generator))


def test_comments_and_places_do_not_change_the_digest():
    plain = code_digest(module("theirs", BASE).perform)
    assert code_digest(module("theirs", "# a comment\n\n" + BASE + "\nUNUSED = 1\n").perform) == plain
    made = module("theirs", BASE)
    made.shown(1)  # functools remembers it
    assert code_digest(made.perform) == plain
    assert code_digest(made.shifted) != plain
    assert code_digest(made.maker(1)) != code_digest(made.maker(2))
    assert code_digest(made.maker(1)) == code_digest(made.maker(1))


def test_the_digest_is_the_same_in_every_process():
    program = (
        "import sys, types; from functools import partial; from multislot.cells import code_digest; "
        "sys.modules['theirs'] = made = types.ModuleType('theirs'); exec(sys.stdin.read(), made.__dict__); "
        "print(code_digest(partial(made.perform, {1, 2, 'a'})))"
    )
    found = {
        subprocess.run(
            [sys.executable, *option, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            input=BASE.encode(),
            capture_output=True,
            check=True,
        ).stdout
        for seed, option in (("1", []), ("2", []), ("3", ["-O"]))
    }
    assert len(found) == 1


def test_a_changed_function_is_run_again_and_finish_warns(tmp_path, monkeypatch):
    path = tmp_path / "cells.sqlite"
    old, new = (module("theirs", text).perform for text in (BASE, BASE.replace("FACTOR = 2", "FACTOR = 3")))
    assert dict(stream(old, range(3), path)) == {0: 0, 1: 2, 2: 4}
    keyed = {str(number): number for number in range(3)}
    with CellStore(path) as store, pytest.warns(UserWarning, match="3 results in .* were made by other code"):
        assert finish(new, keyed, store) == {"0": 0, "1": 2, "2": 4}
    monkeypatch.setattr(resumable_runs, "LOOKED_UP_AT_ONCE", 2)
    with pytest.warns(UserWarning, match="2 stored results were made by other code; they are run again") as warned:
        assert dict(stream(new, range(3), path)) == {0: 0, 1: 3, 2: 6}
    assert len(warned) == 1
    with CellStore(path) as store:  # no warning
        assert finish(new, keyed, store) == {"0": 0, "1": 3, "2": 6}
        assert finish(old, keyed, store) == {"0": 0, "1": 2, "2": 4}


def test_what_another_process_just_stored_is_of_the_same_code(tmp_path):
    class Racing(CellStore):
        """Another process finishes a cell between two look-ups."""

        is_alone = True

        def find(self, keys, *code):
            found = super().find(keys, *code)
            if self.is_alone:
                self.is_alone = False
                list(stream(slowly, [1], self.path))
            return found

    with Racing(tmp_path / "cells.sqlite") as store, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert finish(slowly, {as_json(number): number for number in (1, 2)}, store) == {"1": 1, "2": 2}


def test_stores_are_merged_by_key_and_a_second_time_nothing_is_added(tmp_path):
    paths = [tmp_path / f"{shard}.sqlite" for shard in range(4)]
    for shard, path in enumerate(paths):
        list(stream(square, CELLS[shard::3], path))  # shards overlap
    whole = tmp_path / "whole.sqlite"
    with CellStore(whole) as store:
        assert store.merge(*paths) == 60
        assert store.merge(*paths) == 0
        assert len(store.finished) == 60
    assert in_order(stream(square, CELLS, whole)) == RIGHT
    with CellStore(whole) as store, pytest.raises(StoreError, match="there is no such store"):
        store.merge(tmp_path / "nowhere.sqlite")


def test_results_become_a_parquet_file(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "results.parquet"
    monkeypatch.setattr("multislot.cells.parquet.ROWS", 7)
    assert write_parquet(stream(square, CELLS), path) == 60
    table = parquet.read_table(path)
    assert table.column_names == ["number", "seconds", "fate", "half", "square"]
    assert sorted(table["square"].to_pylist()) == [number**2 for number in range(60)]
    assert write_parquet(stream(lambda cell: [cell], range(3)), Path(path)) == 3
    assert parquet.read_table(path).to_pylist()[2] == {"cell": 2, "result": "[2]"}
    assert write_parquet([], tmp_path / "nothing") == 0
    for wrong in ([(1, 2, 3)], [(1,)], [[1, 2]]):
        with pytest.raises(TypeError, match="pairs of a cell and its result"):
            write_parquet(wrong, tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_parquet_file_keeps_every_value_or_refuses_it(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "results.parquet"
    monkeypatch.setattr("multislot.cells.parquet.ROWS", 2)
    slotted = make_dataclass("Slotted", [("steps", int)], slots=True)
    results = [{"r": 1}, {"died": 7, "r": 0.5}, {"r": 2}, {"died": 2**60, "r": math.inf}]
    assert write_parquet([(slotted(steps), result) for steps, result in enumerate(results)], path) == 4
    kept = [{"steps": steps, "died": None} | result for steps, result in enumerate(results)]
    assert parquet.read_table(path).to_pylist() == kept
    for lines, told in (
        (
            [{"r": 1}, {}, {"died": 7}],
            "got results: died=7; expected a name of one of the first 2 rows; give every row",
        ),
        ([{"r": 1}, {}, {"r": 2.5}], "got results: r=2.5; expected a whole number of 64 bits, as in"),
        ([{"r": 1.5}, {}, {"r": 2**53 + 1}], "got results: r=9007199254740993; expected a number that a float holds"),
        ([{"r": None}, {}, {"r": 1}], "got results: r=1; expected nothing, as"),
        ([{"r": 1.5}, {"r": True}], "got results: r=True; expected a number that"),
        ([{"r": 2**63}], "got results: r=9223372036854775808; expected a whole number of 64 bits"),
        ([{"steps": 3}], "got results: steps=3; expected names that the cell does not have; rename it in the result"),
    ):
        with pytest.raises(SettingError, match=re.escape(told)):
            write_parquet([(slotted(0), line) for line in lines], path)
    assert parquet.read_table(path).to_pylist() == kept


def test_a_worker_process_starts_no_processes_of_its_own():
    def start_more(number):
        return list(stream(lambda cell: cell, [number], jobs=2))

    with pytest.raises(CellError, match="expected 1 inside a worker process"):
        list(stream(start_more, [1, 2], jobs=2))
