"""Several processes at one store, in every order: a scheduler that pauses each at every open, commit and rename.

A process is a thread with a store of its own; one runs at a time. SQLite and the lock of files keep threads with
connections of their own apart as they do processes.
"""

import gc
import os
import random
import shutil
import signal
import sqlite3
import struct
import threading
from collections import Counter
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from itertools import count, cycle
from pathlib import Path
from unittest import mock

from filelock import FileLock, Timeout

from multislot.cells import CellStore, as_json, finish, stream
from multislot.cells.rows import Finished

CODE = "c" * 64
STORED = 30
PAGE = 4096
MOST_PAUSES = 10_000
PAUSED_STATEMENTS = ("BEGIN", "COMMIT", "PRAGMA journal_mode")
PAUSED_METHODS = ("rename", "replace", "hardlink_to", "unlink", "touch")

ESSENTIAL = ("open", "COMMIT", "rename", "replace", "unlink", "close")
"""Where a process changes what others see."""
EVERYWHERE = (*ESSENTIAL, "BEGIN", "PRAGMA", "hardlink_to", "touch", "lock", "unlock")

state = threading.local()
chosen = {"places": EVERYWHERE}


def pause(place):
    """Let the scheduler, if this thread has one, run another process first."""
    if place.startswith(chosen["places"]):
        with suppress(AttributeError):
            state.pause(place)


class PausingConnection(sqlite3.Connection):
    """Pauses before each commit, and when it is closed; writes without waiting for the disk."""

    def execute(self, statement, *values):
        if statement.startswith("PRAGMA synchronous"):
            statement = "PRAGMA synchronous = OFF"
        if statement.startswith(PAUSED_STATEMENTS):
            pause(statement)
        return super().execute(statement, *values)

    def close(self):
        pause("close")
        super().close()


@contextmanager
def pauses(places=EVERYWHERE):
    """Pause at every open, lock, commit, rename, link and deletion, or at some of them."""
    chosen["places"] = places
    connect, acquire, release = sqlite3.connect, FileLock.acquire, FileLock.release

    def paused_connect(place, **options):
        pause("open")
        return connect(place, **{**options, "timeout": 0.0}, factory=PausingConnection)

    def paused_acquire(lock, **options):
        pause("lock")
        while True:
            try:
                return acquire(lock, timeout=0.0)
            except Timeout:
                state.blocked()

    def paused_release(lock, *given, **named):
        release(lock, *given, **named)
        pause("unlock")

    def paused(name):
        real = getattr(Path, name)

        def method(path, *given, **named):
            pause(name)
            return real(path, *given, **named)

        return method

    with (
        mock.patch.object(sqlite3, "connect", paused_connect),
        mock.patch.object(FileLock, "acquire", paused_acquire),
        mock.patch.object(FileLock, "release", paused_release),
        mock.patch.multiple(Path, **{name: paused(name) for name in PAUSED_METHODS}),
    ):
        yield


class Process(threading.Thread):
    """A process of a schedule."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.error, self.may_run, self.stopped = work, None, threading.Semaphore(0), threading.Semaphore(0)
        self.status = "paused"

    def run(self):
        state.pause, state.blocked = lambda place: self.stop("paused"), lambda: self.stop("blocked")
        self.may_run.acquire()
        try:
            self.work()
        except BaseException as error:
            self.error = error
        self.status = "done"
        self.stopped.release()

    def stop(self, status):
        self.status = status
        self.stopped.release()
        self.may_run.acquire()

    def step(self):
        """Run to the next pause."""
        self.may_run.release()
        self.stopped.acquire()


def run(works, choose):
    """Run processes until all are done; return their errors.

    Args:
        works: what each process does.
        choose: the process for each step, of those that are not done; a blocked one gives its step to the next.
    """
    processes = [Process(work) for work in works]
    for process in processes:
        process.start()
    gc.disable()  # a lock that is collected would pause inside the library that collects it
    try:
        return _run(processes, choose)
    finally:
        gc.enable()


def _run(processes, choose):
    for _ in range(MOST_PAUSES):
        waiting = [number for number, process in enumerate(processes) if process.status != "done"]
        if not waiting:
            return [process.error for process in processes if process.error]
        chosen = choose(waiting)
        processes[chosen].step()
        for other in waiting:
            if processes[chosen].status == "blocked" and other != chosen:
                processes[other].step()
    raise AssertionError("the processes wait for each other")


class Switches:
    """Run one process for a number of steps, then the next for another number, and so on; the last to its end."""

    def __init__(self, first, lengths):
        self.current, self.lengths, self.used = first, list(lengths), 0

    def __call__(self, waiting):
        while self.lengths and (self.lengths[0] == 0 or self.current not in waiting):
            self.lengths.pop(0)
            self.used += self.current in waiting
            self.current = 1 - self.current
        if self.current not in waiting:
            return waiting[0]
        if self.lengths:
            self.lengths[0] -= 1
        return self.current


def all_switches(most, attempt):
    """Try every schedule of two processes with at most so many switches; return how many those were.

    Args:
        most: number of switches.
        attempt: tries a `Switches`; a schedule in which a process ended before its switch is not tried with more steps.
    """
    tried = 0

    def extend(first, lengths):
        nonlocal tried
        for length in count(1):
            schedule = Switches(first, [*lengths, length])
            attempt(schedule)
            tried += 1
            if schedule.used <= len(lengths):
                return
            if len(lengths) + 1 < most:
                extend(first, [*lengths, length])

    for first in (0, 1):
        extend(first, [])
    return tried


def at_random(seed):
    """Choose a process at random, again after a few steps."""
    chance, chosen = random.Random(seed), [0, 0]

    def choose(waiting):
        if chosen[1] == 0 or chosen[0] not in waiting:
            chosen[:] = [chance.choice(waiting), chance.choice((1, 1, 2, 5, 20))]
        chosen[1] -= 1
        return chosen[0]

    return choose


def cell(key):
    """A cell that takes about a tenth of a page."""
    return Finished(key, '"' + key * 60 + '"', 0.5, CODE)


def row_bytes(stored):
    """A cell's columns as they stand in the file."""
    texts = stored.key, stored.result, stored.digest, stored.code
    key, result, digest, code = (text.encode() for text in texts)
    return key + result + struct.pack(">d", stored.seconds) + digest + code


def write_store(path):
    """Write an undamaged store of `STORED` cells; all of it is in the file, nothing in a log."""
    with CellStore(path) as store:
        store.add([cell(f"old{number}") for number in range(STORED)])


def zero(path, start, stop):
    """Overwrite a part of a file with zeros."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(bytes(stop - start))


def middle_page(path):
    """The first page of rows behind the header: where the tenth row is."""
    return path.read_bytes().index(row_bytes(cell("old10"))) // PAGE * PAGE


DAMAGES = {
    "none": lambda path: None,
    "header": lambda path: zero(path, 0, 100),
    "page": lambda path: zero(path, middle_page(path), middle_page(path) + PAGE),
    "row": lambda path: zero(path, (at := path.read_bytes().index(row_bytes(cell("old3")))), at + 5),
    "root": lambda path: zero(path, PAGE, PAGE + 8),
    "half": lambda path: os.truncate(path, path.stat().st_size // 2 // PAGE * PAGE),
    "text": lambda path: path.write_text("no store\n" * 1000),
    "missing": Path.unlink,
}


def live(path, name, acknowledged, store_class=CellStore):
    """Open a store, look cells up, and add those that are missing; note each that was acknowledged."""
    with store_class(path) as store:
        for key in (f"{name}a", "shared", f"{name}b"):
            if not store.find([key], CODE):
                store.add([cell(key)])
            acknowledged.add(key)


def repeat(text):
    return text * 60


def live_by_finish(path, name, acknowledged, store_class=CellStore):
    """The same by `finish`."""
    cells = {key: key for key in (f"{name}a", "finished", f"{name}b")}
    with store_class(path) as store:
        if finish(repeat, cells, store) != {key: repeat(key) for key in cells}:
            raise AssertionError("finish returned other results")
    acknowledged.update(cells)


def live_by_stream(path, name, acknowledged, store_class=CellStore):
    """The same by `stream`."""
    with store_class(path) as store:
        for text, result in stream(repeat, [f"{name}a", "streamed", f"{name}b"], store):
            if result != repeat(text):
                raise AssertionError("stream yielded another result")
            acknowledged.add(as_json(text))


LIVES = (live, live_by_finish, live_by_stream)


def faults_of_store(path, acknowledged):
    """Say which acknowledged cells are missing in a store, and which cells are there twice."""
    with CellStore(path) as store:
        missing = sorted(acknowledged - store.find(sorted(acknowledged)).keys())
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        keys = Counter(connection.execute("SELECT key, code FROM cells NOT INDEXED"))
    twice = [key for (key, _), number in keys.items() if number > 1]
    return [f"missing: {missing}"] * bool(missing) + [f"twice: {twice}"] * bool(twice)


class Trial:
    """A damaged store that processes use, and what is wrong with it afterwards."""

    def __init__(self, folder, damage):
        self.folder, self.path = folder / "trial", folder / "trial" / "cells.sqlite"
        template = folder / "template.sqlite"
        if not template.exists():
            write_store(template)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copyfile(template, self.path)
        DAMAGES[damage](self.path)
        content = self.path.read_bytes() if self.path.exists() else b""
        self.acknowledged = {key for key in map("old{}".format, range(STORED)) if row_bytes(cell(key)) in content}

    def faults(self):
        """What is missing or there twice, and an opening that fails."""
        try:
            return faults_of_store(self.path, self.acknowledged)
        except Exception as error:
            return [f"opening failed: {type(error).__name__}: {error}"]

    def run(self, choose, names, store_class=CellStore, lives=(live,)):
        """Run processes in an order; return what is wrong."""
        works = [
            partial(does, self.path, name, self.acknowledged, store_class) for name, does in zip(names, cycle(lives))
        ]
        errors = run(works, choose)
        return [f"{type(error).__name__}: {error}" for error in errors] + self.faults()

    def kill(self, at, names=("x",)):
        """Kill a process at one of its pauses; return whether it got there."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            acknowledging = os.fdopen(writing, "w", buffering=1)
            counted = count(1)

            class Told(set):
                def add(self, key):
                    print(key, file=acknowledging)

            state.pause = lambda place: next(counted) == at and os.kill(os.getpid(), signal.SIGKILL)
            try:
                for name in names:
                    live(self.path, name, Told())
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            self.acknowledged |= set(told.read().split())
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])


class CarelessStore(CellStore):
    """The control: as version 0.3.0, it recovers without a lock, and does not ask whether its file has been renamed."""

    def _locked(self):
        return nullcontext()

    def _is_current(self):
        return True


class DoublingStore(CellStore):
    """Another control: it adds what the store has already."""

    def _insert(self, cells):
        rows = [(cell.key, cell.result, cell.seconds, cell.digest, cell.code) for cell in cells]
        self._connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?)", rows)
        return len(rows)
