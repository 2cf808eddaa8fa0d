"""Cells are run once, anywhere, with the same results; what fails is said and keeps nothing else from finishing."""

import functools
import operator
import threading
import time
import traceback
import warnings

import cloudpickle
import pytest

from multislot.cells import CellError, CellStore, as_json, cell_key, executors, finish, spread
from multislot.cells.resumable_runs import LONGEST_SHOWN
from multislot.errors import MissingExtraError, SettingError
from tests.multislot.cells.work import Square, needs_an_extra, noted, square, squares


@pytest.mark.parametrize("jobs", [1, 2, -1])
def test_every_cell_is_run_once_and_results_come_in_order(tmp_path, jobs):
    (tmp_path / "ran").mkdir()
    cells, calls = squares(30), []
    work = functools.partial(noted, tmp_path / "ran")
    with CellStore(tmp_path / "cells.sqlite") as store:
        first = finish(work, dict(list(cells.items())[:10]), store, jobs=jobs)
        for ran in (tmp_path / "ran").iterdir():
            ran.unlink()
        found = finish(work, cells, store, jobs=jobs, progress=lambda done, all_: calls.append((done, all_)))
    assert list(found.items()) == [(key, square(cell)) for key, cell in cells.items()]
    assert first.items() <= found.items()
    assert sorted(int(ran.name) for ran in (tmp_path / "ran").iterdir()) == list(range(10, 30))
    assert calls == [(done, 30) for done in range(11, 31)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failed_cell_does_not_keep_the_others_from_finishing(tmp_path, jobs):
    cells, told = {"bad": Square(99, fate="fails")} | squares(10), []
    with CellStore(tmp_path / "cells.sqlite") as store:
        with pytest.raises(
            CellError, match=r"^1 of 11 cells failed.*Square\(number=99.*no square of 99.*run again"
        ) as e:
            finish(square, cells, store, jobs=jobs, progress=lambda *counts: told.append(counts))
        assert told == [(done, 11) for done in range(1, 12)]
        assert isinstance(e.value.__cause__, ValueError)
        assert len(store.finished) == 10


@pytest.mark.parametrize("jobs", [1, 2])
def test_or_its_own_exception_comes_at_once_and_says_where_it_was_raised(jobs):
    with pytest.raises(ValueError, match="no square of 99 today") as caught:
        finish(square, {"bad": Square(99, fate="fails")} | squares(10), jobs=jobs, keep_going=False)
    assert "in square\n" in "".join(traceback.format_exception(caught.value))


def test_a_worker_that_dies_ends_the_run_and_the_next_one_goes_on(tmp_path):
    cells = squares(10) | {"bad": Square(99, fate="dies")}
    with CellStore(tmp_path / "cells.sqlite") as store:
        with pytest.raises(CellError, match="TerminatedWorkerError"):
            finish(square, cells, store, jobs=2)
        assert len(finish(square, squares(10), store, jobs=2)) == 10


def test_no_more_processes_are_started_than_there_is_work_and_memory_for(monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)
    with pytest.raises(SettingError, match=r"jobs=25; .* at most 24; this machine has 3 cores"):
        finish(square, squares(2), jobs=25)
    for cells, started in ((2, 3), (4, 4), (90, 5)):
        with executors.processes(5, cells) as pool:
            assert pool.workers() == started


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_that_is_spread_comes_back_in_order_or_says_that_a_process_died(jobs):
    numbers = [Square(number) for number in range(9)]
    assert list(spread(square, numbers, jobs)) == [square(number) for number in numbers]
    if jobs > 1:
        with pytest.raises(CellError, match=r"a process of this machine died.*jobs=1"):
            list(spread(square, [*numbers, Square(99, fate="dies")], jobs))


def test_a_result_that_has_no_form_in_json_fails_its_cell():
    with pytest.raises(CellError, match=r"got \{1\} of type set; only JSON values can be kept"):
        finish(lambda cell: {1}, squares(1))


def test_work_that_cannot_be_sent_says_so():
    with pytest.raises(SettingError, match=r"the work cannot go to another process \(.*lock.*\); give jobs=1"):
        finish(functools.partial(noted, threading.Lock()), squares(2), jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_missing_extra_is_said_at_once(jobs):
    with pytest.raises(MissingExtraError, match='needs the extra "deep"'):
        finish(needs_an_extra, squares(5), jobs=jobs)


def test_short_cells_are_sent_in_batches_and_long_ones_alone(monkeypatch):
    sizes = []
    receive = executors.receive

    def watched(future, batch, place):
        sizes.append(len(batch))
        return receive(future, batch, place)

    monkeypatch.setattr(executors, "receive", watched)
    finish(square, squares(500), jobs=2)
    assert sizes[0] == 1
    assert max(sizes) > 20
    sizes.clear()
    finish(square, squares(4, seconds=0.3), jobs=2)
    assert sizes == [1] * 4


def says_much(cell):
    raise ValueError("It was " * 100 + "so")


def test_a_long_message_of_a_failed_cell_is_cut_after_a_word():
    with pytest.raises(CellError, match="It was …;") as failure:
        finish(says_much, squares(1))
    assert len(str(failure.value)) < 3 * LONGEST_SHOWN


def test_numpy_s_numbers_become_plain_and_what_is_no_cell_is_named():
    import numpy as np

    assert as_json({"b": np.float64(0.5), "a": np.arange(2)}) == '{"a":[0,1],"b":0.5}'
    with pytest.raises(SettingError, match=r"got cell=7; expected an object of a frozen dataclass"):
        cell_key(7)


def test_threads_finish_what_one_after_the_other_does():
    cells = {str(number): number for number in range(20)}
    assert finish(lambda number: number**2, cells, threads=4) == finish(lambda number: number**2, cells)


def test_a_failure_in_a_thread_is_that_cells_own_and_ends_the_run():
    begun = []

    def perform(number):
        begun.append(number)
        if number == 3:
            raise ValueError("three")
        if number > 3 and not keep_going:
            time.sleep(0.5)
        return number

    cells, keep_going = {str(number): number for number in range(1000)}, False
    with pytest.raises(ValueError, match="three"):
        finish(perform, cells, threads=2, keep_going=False)
    assert len(begun) < 500
    keep_going = True
    with pytest.raises(CellError, match="1 of 1000 cells failed"):
        finish(perform, cells, threads=2)


def test_threads_are_not_combined_with_processes():
    with pytest.raises(SettingError, match="got threads=2; expected 1 together with jobs or a cluster"):
        finish(abs, {"0": 0}, threads=2, jobs=2)


def test_a_process_that_ended_without_work_is_replaced_even_where_warnings_are_errors():
    """Loky warns of it in a thread of its own, which an error would end, and all work with it."""
    said = "A worker stopped while some jobs were given to the executor. This can be caused by a too short timeout."
    with executors.processes(1):
        warnings.warn(said, UserWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="something else"):
            warnings.warn("something else", UserWarning, stacklevel=1)


class OddError(Exception):
    """An exception that no pickle holds."""

    def __init__(self):
        super().__init__("a lock", threading.Lock())


def raise_odd(cell):
    raise OddError


def test_a_batch_ends_when_its_time_is_over_and_errors_come_back_as_they_can():
    batch = [(str(number), number) for number in range(3)]
    packed = cloudpickle.dumps(operator.neg)
    assert [[each.result for each in executors.answer_batch(packed, batch, seconds)] for seconds in (0, 99)] == [
        ["0"],
        ["0", "-1", "-2"],
    ]
    (failed,) = executors.answer_batch(cloudpickle.dumps(raise_odd), batch[:1])
    assert (failed.key, type(failed.error)) == ("0", RuntimeError)
    assert str(failed.error).startswith("OddError: ('a lock', <unlocked _thread.lock")
    (failed,) = executors.answer_batch(cloudpickle.dumps(functools.partial(operator.truediv, 1)), batch[:1])
    assert isinstance(failed.error, ZeroDivisionError)
    assert "ZeroDivisionError: division by zero" in failed.error.__notes__[0]
