"""Kill one or both of two processes that write into one store, at random moments, and damage the store now and then.

Run with ``python -m tests.multislot.cells.kills_of_two``: 500 kills, about a minute. After each kill the store is
looked at, while the other process goes on: no cell that was acknowledged may be missing, unless its bytes were damaged,
and none may be there twice. Every look reads the whole store, so a new one is begun after `KILLS_A_STORE` kills. The
controls of what is looked for are in ``test_interleavings``.
"""

import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from multislot.cells import CellStore
from tests.multislot.cells.schedules import PAGE, cell, faults_of_store, row_bytes, zero

KILLS = 500
KILLS_A_STORE = 25
LONGEST_LIFE = 0.06
DAMAGED = 0.3
"""How often the store is damaged when both are dead."""
AHEAD = 50
"""The next numbers among which both processes choose, so that they often add the same cell."""


def write_forever(path, seed, acknowledging):
    """Add cells until the end; say which are in the store by now."""
    chance = random.Random(seed)
    with CellStore(path) as store:
        for first in range(seed % 1000 * AHEAD, sys.maxsize, 3):
            keys = [f"cell {first + chance.randrange(AHEAD)}" for _ in range(chance.choice((1, 1, 2, 5)))]
            store.add([cell(key) for key in dict.fromkeys(keys)])
            os.write(acknowledging, "".join(f"{key}\n" for key in keys).encode())


class Writers:
    """Two processes at one store.

    Args:
        path: the store.
        seed: of what they write and when they are killed.
    """

    def __init__(self, path, seed):
        self.path, self.chance = path, random.Random(seed)
        self.told = path.with_name("told")
        self.damaged = set()
        self.writers = []
        self.started = 0

    def start(self):
        """Start writers until there are two."""
        while len(self.writers) < 2:
            self.started += 1
            child = os.fork()
            if not child:
                try:
                    handle = os.open(self.told, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
                    write_forever(self.path, self.started // 2, handle)
                finally:  # an error of the store: the parent sees the exit code
                    os._exit(1)
            self.writers.append(child)

    def kill(self, number):
        """Kill so many of the writers; an error if one of them ended by itself."""
        for _ in range(number):
            child = self.writers.pop(self.chance.randrange(len(self.writers)))
            os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
            if not os.WIFSIGNALED(status):
                raise AssertionError("a writer ended with an error")

    def acknowledged(self):
        lines = self.told.read_text().splitlines() if self.told.exists() else []
        return set(lines) - self.damaged

    def damage(self):
        """Overwrite the header or a page while nobody has the store open; what was there may be lost."""
        size = self.path.stat().st_size
        page = self.chance.choice((0, self.chance.randrange(max(1, size // PAGE))))
        zero(self.path, page * PAGE, page * PAGE + (100 if page == 0 else PAGE))
        log = self.path.with_name(f"{self.path.name}-wal")
        content = self.path.read_bytes() + (log.read_bytes() if log.exists() else b"")
        self.damaged |= {key for key in self.acknowledged() if row_bytes(cell(key)) not in content}

    def faults(self):
        """What is missing or there twice; the other writer goes on meanwhile."""
        return faults_of_store(self.path, self.acknowledged())


def kill_writers(folder, kills, seed):
    """Kill writers so many times; return how often what happened, and the faults."""
    writers, counts = Writers(Path(folder, "cells.sqlite"), seed), Counter()
    try:
        while counts["kills"] < kills:
            writers.start()
            time.sleep(writers.chance.random() * LONGEST_LIFE)
            number = writers.chance.choice((1, 1, 2))
            writers.kill(number)
            counts["kills"] += number
            if number == 2 and writers.path.exists() and writers.chance.random() < DAMAGED:
                writers.damage()
                counts["damages"] += 1
            faults = writers.faults()
            if faults:
                return counts, faults
    finally:
        for child in writers.writers:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    counts["cells"], counts["damaged cells"] = len(writers.acknowledged()), len(writers.damaged)
    return counts, []


def main():
    began, dice, counts = time.monotonic(), random.Random(0), Counter()
    while counts["kills"] < KILLS:
        some = min(KILLS_A_STORE, KILLS - counts["kills"])
        with TemporaryDirectory() as folder:
            further, faults = kill_writers(folder, some, dice.getrandbits(32))
        counts += further
        if faults:
            sys.exit("; ".join(faults)[:2000])
    print(", ".join(f"{number} {name}" for name, number in counts.items()), f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
