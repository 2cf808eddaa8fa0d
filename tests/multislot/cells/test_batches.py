"""What a batch, its worker and a cluster's file do, in this process."""

import operator
import os
import sys
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from unittest import mock

import cloudpickle
import pytest

from multislot.cells import CellTimeoutError, ClusterError, executors
from multislot.cells.executors import answer_batch, try_again
from multislot.errors import MultislotError, SettingError


class OddError(Exception):
    """An exception that cannot be read back from a pickle."""

    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")


def raise_odd(cell):
    raise OddError("a", "b")


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_cell_that_takes_longer_than_its_limit_is_ended(in_thread):
    ended = []

    def work():
        ended.append(try_again(lambda cell: cell + 1, 0, 9, 6))
        for perform in (lambda cell: time.sleep(9), raise_odd):
            try:
                try_again(perform, 0, 0.05, 0)
            except Exception as error:
                ended.append(error)

    began = time.monotonic()
    if in_thread:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        work()
    assert time.monotonic() - began < 8
    assert (ended[0], str(ended[1]), str(ended[2])) == (7, "took longer than 0.05 seconds", "a and b")
    assert isinstance(ended[1], CellTimeoutError)
    time.sleep(0.1)  # no alarm is left


def test_a_batch_ends_when_its_time_is_over_and_errors_come_back_as_they_can():
    batch = [(str(number), number) for number in range(3)]
    packed = cloudpickle.dumps(operator.neg)
    assert [[each.result for each in answer_batch(packed, batch, seconds)] for seconds in (0, 99)] == [
        ["0"],
        ["0", "-1", "-2"],
    ]
    (failed,) = answer_batch(cloudpickle.dumps(raise_odd), batch[:1])
    assert (failed.key, repr(failed.error)) == ("0", "RuntimeError('OddError: a and b')")
    (failed,) = answer_batch(cloudpickle.dumps(partial(operator.truediv, 1)), batch[:1])
    assert isinstance(failed.error, ZeroDivisionError)
    assert "ZeroDivisionError: division by zero" in failed.error.__notes__[0]


def test_an_executor_has_as_many_workers_as_it_says():
    plain, dask = mock.Mock(spec=Executor), mock.Mock(spec=Executor)
    dask._client = SimpleNamespace(nthreads=lambda: {"a": 2, "b": 3})
    with ThreadPoolExecutor(3) as threads:
        pools = [executors.make_pool(*given) for given in ((threads,), (threads, 7), (plain,), (dask,), (dask, 1))]
    assert [pool.workers() for pool in pools] == [3, 7, os.cpu_count(), 5, 1]
    assert {pool.is_remote for pool in pools} == {False}
    for jobs in (0, executors.MOST_JOBS + 1, -2):
        with pytest.raises(SettingError, match="jobs"), executors.processes(jobs):
            pass
    inside = mock.Mock(return_value=SimpleNamespace(name="LokyProcess-1"))
    with mock.patch.object(executors, "current_process", inside), pytest.raises(SettingError, match="got jobs=2; exp"):
        executors.processes(2).__enter__()


def test_a_cluster_that_does_not_answer_or_is_lost_is_one_sentence(monkeypatch):
    client = mock.MagicMock(nthreads=mock.Mock(return_value={"a": 2, "b": 3}))
    library = mock.MagicMock(Client=mock.Mock(return_value=client))
    monkeypatch.setitem(sys.modules, "distributed", library)
    with executors.dask_cluster("tcp://host:1") as pool:
        assert (pool.workers(), pool.place, pool.is_remote, pool.ends_itself) == (
            5,
            "the cluster at tcp://host:1",
            True,
            False,
        )
        client.nthreads.side_effect = OSError
        with pytest.raises(ClusterError, match=r"^the cluster at tcp://host:1 was lost$"):
            pool.workers()
    library.Client.assert_called_once_with("tcp://host:1", timeout=10, set_as_default=False)
    client.get_executor.assert_called_once_with(pure=False)
    for error, reason in ((OSError(" gone \nlong ago"), "gone "), (ValueError(), "ValueError")):
        library.Client.side_effect = error
        with pytest.raises(MultislotError) as raised, executors.dask_cluster("tcp://host:1"):
            pass
        assert str(raised.value) == f"--cluster tcp://host:1: no Dask scheduler answers there ({reason})"
