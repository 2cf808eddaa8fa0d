"""The durable store of finished cells: one SQLite file that several processes may read and add to.

What it promises, also if several processes use a damaged file at the same time:

- A cell that was added survives the end of the process, however it ends. When the power fails, at most the cells that
  took one second of computing together are lost.
- Every row carries a hash of its content. A damaged row is named, and its cell is computed again; a damaged file is set
  aside under another name, and every row of it whose bytes are intact is kept. A wrong result is never returned.
- Every row says which code made it (`multislot.cells.code_digest`). A cell is in the store once for each code.
- Every error is a `StoreError`.

How: whatever changes the file, or which file has its name, happens under one lock, which ends with its process. Under
the lock a process first compares the file that it has opened with the one that has the name now. If another process has
set the file aside, it opens the new one. A file that was set aside has a mark until all its cells are in the new store,
so that a recovery that is killed is finished by the next process that opens the store.

The index over keys only finds rows: a row that it leads to must have the right key and the right hash. The file uses
SQLite's write-ahead log and belongs on a local disk, which only one machine writes to; the workers of a cluster never
see it. Several machines write one store each; `CellStore.merge` joins them.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TypeVar

from multislot.cells.errors import StoreError
from multislot.cells.files import UNREAD, lock_of, locked, set_aside
from multislot.cells.rows import Finished, read_row
from multislot.cells.salvage import PAGE, read_intact_rows
from multislot.checks import checked_instance, wrong_type
from multislot.files.foreign import ForeignFileError, check_kind
from multislot.files.writing import sync_folder

R = TypeVar("R")

APPLICATION = int.from_bytes(b"mslt")
ENDINGS = (".sqlite", ".sqlite3", ".db")
"""A file with such a name is a database, whatever damage has left of it."""
SCHEMA = "CREATE TABLE cells (key TEXT, result TEXT, seconds REAL, digest TEXT, code TEXT)"
INDEX = "CREATE INDEX IF NOT EXISTS cells_by_key ON cells (key)"
ROWS = "SELECT rowid, key, result, seconds, digest, code FROM cells"
MOST_ASKED = 500
"""Keys in one query."""
MERGED_AT_ONCE = 5000
LOG = "-wal"
COMPANIONS = (LOG, "-shm", "-journal")
AT_RISK_SECONDS = 1.0
PATIENCE_SECONDS = 60
MOST_RECOVERIES = 3
LARGEST_RECOVERED = 2**36
"""Bytes of a damaged file that are searched for cells; a sparse file of any size takes no room on a disk."""
CONVERSIONS = (UnicodeError, OverflowError)
"""What Python raises for damaged texts and numbers."""
FAILURES = (sqlite3.Error, sqlite3.Warning, OSError, MemoryError, ForeignFileError, *CONVERSIONS)
DAMAGE = {
    *(sqlite3.SQLITE_ERROR, sqlite3.SQLITE_INTERNAL, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB),
    *(sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_CONSTRAINT),
}
"""Errors of SQLite that a damaged file causes; others say that the disk is full, the file is locked, and so on."""


class DamagedError(sqlite3.DatabaseError):
    """A store is damaged, which SQLite has not noticed by itself."""


class CellStore:
    """The finished cells in one file. The file is made if it does not exist; leaving the context closes it.

    Opening the store checks the file as a whole. Rows are read and checked when they are asked for. Several threads may
    share a store.

    Args:
        path: the file.

    Raises:
        StoreError: the file cannot be opened or read, or is one of another program; not for damage, see `notes`.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._notes: list[str] = []
        self._at_risk = 0.0
        self._mutex = RLock()
        self._opened: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        try:
            self._place = Path(os.path.realpath(self.path))  # SQLite's log lies next to the file, not next to a link
            self._lock = lock_of(self._place)
        except (OSError, ValueError) as error:  # NUL or half a surrogate in the path
            raise _store_error(self.path, error) from None
        try:
            self._ensure(self._open)
        except StoreError:
            self._disconnect()
            raise

    def __enter__(self) -> "CellStore":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; every cell that was added is in it."""
        with self._mutex, suppress(StoreError):
            if self._opened is None:
                return
            with self._locked():  # closing empties SQLite's log, found by its name
                self._disconnect()
        self._disconnect()

    @property
    def finished(self) -> dict[str, Finished]:
        """All finished cells by key; reads and checks the whole file each time. For a few of many, see `find`."""
        return self._ensure(self._read_all)

    @property
    def notes(self) -> list[str]:
        """What was damaged and what was done about it, one sentence for each damage; reads all rows."""
        _ = self.finished
        return self._notes

    def find(self, keys: Sequence[str], code: str | None = None) -> dict[str, Finished]:
        """The finished ones of some cells by key; with `code`, only those that this code made."""
        cells: dict[str, Finished] = {}
        for first in range(0, len(keys), MOST_ASKED):
            some = keys[first : first + MOST_ASKED]
            if not all(isinstance(key, str) for key in some):
                raise wrong_type("keys", keys, "texts, as cell_key returns them")
            asked = [key for key in some if key.encode(errors="replace").decode() == key]  # others cannot be stored
            for cell in self._ensure(partial(self._look_up, asked)):
                if code in (None, cell.code):
                    cells.setdefault(cell.key, cell)
        return cells

    def merge(self, *paths: Path | str) -> int:
        """Add what other stores hold and this one does not, by key and code; returns how many cells that were.

        Merging again adds nothing, so that a merge that was killed is simply repeated.

        Raises:
            StoreError: one is missing, or cannot be read or written.
        """
        added = 0
        for path in paths:
            if not Path(path).exists():
                raise StoreError(f"{path}: there is no such store; give the files that stream or finish wrote")
            with CellStore(path) as other:
                added += other._ensure(lambda: self._merge_rows(other))
        return added

    def add(self, cells: Iterable[Finished]) -> None:
        """Store finished cells; once this returns, they survive the end of the process.

        A cell that the store has already, made by the same code, stays as it is.

        Raises:
            StoreError: the file cannot be written, for example because the disk is full.
        """
        self._add(list(cells))

    def _add(self, cells: Sequence[Finished]) -> int:
        added = [checked_instance("cell", cell, Finished) for cell in cells]
        with self._mutex:
            at_risk = self._at_risk + sum(cell.seconds for cell in added)
            count = self._ensure(
                lambda: self._write(added, at_risk >= AT_RISK_SECONDS), "finished cells could not be kept"
            )
            self._at_risk = at_risk if at_risk < AT_RISK_SECONDS else 0.0
            return count

    def _ensure(self, work: Callable[[], R], failure: str = "") -> R:
        """Do something with the file; recover it where it turns out to be damaged, and do it again."""
        with self._mutex:
            for _ in range(MOST_RECOVERIES):
                try:
                    return work()
                except FAILURES as error:
                    if not _is_damage(error):
                        raise _store_error(self.path, error, failure) from None
                    reason = error
                try:
                    self._recover(reason)
                except FAILURES as error:
                    if not _is_damage(error):
                        raise _store_error(self.path, error, failure) from None
            raise _store_error(self.path, reason, failure)

    def _open(self) -> None:
        """Connect and check the file as a whole."""
        if self._opened is None:
            with self._locked():
                self._connect()
        (verdict,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise DamagedError(verdict.splitlines()[-1])

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            raise StoreError(f"{self.path}: the store is closed; open it again")
        return self._opened

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self.path, self._lock)

    def _connect(self, damage: str = "") -> None:
        """Open the file that has the name now, or make it; under the lock."""
        self._disconnect()
        is_new = not self._place.exists()
        if is_new:
            for suffix in COMPANIONS:  # of a file that was set aside or deleted
                self._place.with_name(self._place.name + suffix).unlink(missing_ok=True)
        else:
            check_kind(self._place)
        self._opened = sqlite3.connect(
            self._place, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._identity = _identify(self._place)
        self._opened.text_factory = lambda text: text.decode(errors="replace")  # damage shows in the hash
        self._opened.execute(f"PRAGMA page_size = {PAGE}")  # of a new file
        self._begin()
        self._opened.execute("PRAGMA journal_mode = WAL")
        if is_new:
            sync_folder(self._place.parent)
        self._merge_unread(damage)

    def _disconnect(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(sqlite3.Error):
                opened.close()

    def _begin(self) -> None:
        """Make an empty file a store, in one transaction; check that any other file is a store."""
        with self._transaction():
            if not self._connection.execute("PRAGMA schema_version").fetchone()[0]:
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute(SCHEMA)
            columns = [name for _, name, *_ in self._connection.execute("PRAGMA table_info(cells)")]
            if self._connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                self._check_foreign(columns)
                raise DamagedError("no store of this version")
            self._connection.execute(INDEX)

    def _check_foreign(self, columns: Sequence[str]) -> None:
        """Raise StoreError for an undamaged database that has no cells: it is not ours to be set aside."""
        (verdict,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if not columns and verdict == "ok":
            raise StoreError(f"{self.path}: this is a database of another program; choose another place for results")

    def _merge_unread(self, damage: str) -> None:
        """Add the cells of files that were set aside and not read to their end; under the lock."""
        stem, suffix = self._place.stem, self._place.suffix
        for mark in sorted(self._place.parent.iterdir()):
            if not (mark.name.startswith(f"{stem}.") and mark.name.endswith(f"{suffix}{UNREAD}")):
                continue
            aside = mark.with_name(mark.name.removesuffix(UNREAD))
            if aside.exists():
                kept = 0
                cells = read_intact_rows(aside, aside.with_name(aside.name + LOG))
                while some := list(islice(cells, MERGED_AT_ONCE)):
                    with self._transaction():
                        kept += self._insert(some)
                self._notes.append(
                    f"{self.path} was damaged{damage} and is now {aside.name}; {kept} of its cells could be read, all "
                    "others are computed again"
                )
            mark.unlink(missing_ok=True)

    def _read_all(self) -> dict[str, Finished]:
        self._refresh()
        cells: dict[str, Finished] = {}
        for cell in self._checked(ROWS):
            cells.setdefault(cell.key, cell)
        return cells

    def _look_up(self, keys: Sequence[str]) -> list[Finished]:
        self._refresh()
        return list(self._checked(f"{ROWS} WHERE key IN ({','.join('?' * len(keys))}) ORDER BY rowid", keys))

    def _checked(self, query: str, values: Sequence[str] = ()) -> Iterator[Finished]:
        """Yield the undamaged rows; delete the damaged ones and note that."""
        damaged = []
        for row, *columns in self._connection.execute(query, values):
            cell = read_row(*columns)
            if cell:
                yield cell
            else:
                damaged.append(row)
        if damaged:
            with self._locked():
                self._reopen_if_renamed()
                with self._transaction():
                    for row in damaged:
                        self._delete_damaged(row)

    def _delete_damaged(self, row: int) -> None:
        """Delete a row and note that; raise DamagedError if the row is fine, and only the index led to it wrongly."""
        stored = self._connection.execute(f"{ROWS} NOT INDEXED WHERE rowid = ?", (row,)).fetchone()
        if stored is None:  # another process has deleted it, or renewed the file
            return
        if read_row(*stored[1:]):
            raise DamagedError("its index does not fit its rows")
        self._connection.execute("DELETE FROM cells WHERE rowid = ?", (row,))
        self._notes.append(f"{self.path}: the row of {stored[1]!r:.200} was damaged; its cell is computed again")

    def _merge_rows(self, other: "CellStore") -> int:
        cells, added = other._checked(ROWS), 0
        while some := list(islice(cells, MERGED_AT_ONCE)):
            added += self._add(some)
        return added

    def _write(self, cells: Sequence[Finished], is_synced: bool) -> int:
        with self._locked():
            self._reopen_if_renamed()
            with self._transaction(is_synced):
                return self._insert(cells)

    def _insert(self, cells: Iterable[Finished]) -> int:
        """Add the cells that the store does not have; return their number. Within a transaction."""
        count = 0
        for cell in cells:
            present = False
            for row, *columns in self._connection.execute(f"{ROWS} WHERE key = ?", (cell.key,)).fetchall():
                stored = read_row(*columns)
                if stored is None:
                    self._delete_damaged(row)
                elif stored.code == cell.code:
                    present = True
            if not present:
                row = (cell.key, cell.result, cell.seconds, cell.digest, cell.code or None)
                self._connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?, ?)", row)
                count += 1
        return count

    @contextmanager
    def _transaction(self, synced: bool = True) -> Iterator[None]:
        """Keep all changes of the context, or none.

        Args:
            synced: write everything that was added so far to the disk before the context is left.
        """
        connection = self._connection
        connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # a full disk has ended it
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise

    def _is_current(self) -> bool:
        """Whether the file that was opened has the name now."""
        return self._identity is not None and self._identity == _identify(self._place)

    def _refresh(self) -> None:
        """Open the file that has the name now, if that is another one."""
        if self._opened is not None and not self._is_current():
            with self._locked():
                self._reopen_if_renamed()

    def _reopen_if_renamed(self) -> None:
        """The same under the lock."""
        if not self._is_current() and self._connection:
            self._connect()
            self._notes.append(f"{self.path} was set aside or deleted by another process; the new file is used")

    def _recover(self, error: Exception) -> None:
        """Set a damaged file aside and begin a new one with what can be read, unless another process has done so."""
        with self._locked():
            if self._is_current():
                size = self._place.stat().st_size
                if size > LARGEST_RECOVERED:
                    raise StoreError(f"{self.path} is damaged ({error}) and too large to be searched; move it away")
                if self._is_foreign(error):
                    raise StoreError(f"{self.path} does not hold results, and is left as it is; give another file")
                set_aside(self._place, *COMPANIONS, release=self._disconnect)
            self._connect(f" ({error})")

    def _is_foreign(self, error: Exception) -> bool:
        """Whether a file is something else than a database; a damaged one has such a name, or rows that are intact.

        Only a file without the header of a database is read here: closing a file releases SQLite's locks on it.
        """
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_NOTADB or self._place.suffix in ENDINGS:
            return False
        log = self._place.with_name(self._place.name + LOG)
        return next(read_intact_rows(self._place, log), None) is None


def _identify(path: Path) -> tuple[int, int] | None:
    """Which file has a name; None if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _is_damage(error: Exception) -> bool:
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.ProgrammingError):
        return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in DAMAGE
    return isinstance(error, CONVERSIONS)


def _store_error(path: Path, error: Exception, failure: str = "") -> StoreError:
    place = str(path).encode(errors="backslashreplace").decode()
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if failure:
        return StoreError(f"{place}: {failure} ({reason})")
    return StoreError(f"{place}: {reason}; choose another place for results")
