"""The durable store of finished cells: one SQLite file that several processes may read and add to.

What it promises:

- A cell that was added survives the end of the process, however it ends. When the power fails, at most the cells that
  took one second of computing together are lost.
- Every row carries a hash of its content. A damaged row is named, and its cell is computed again; a damaged file is set
  aside under another name, and what can still be read of it is kept. A wrong result is never returned.
- Every row says which code made it (`multislot.cells.code_digest`).

Rows are only ever appended, and two processes that finish the same cell add two equal rows. The index over keys only
finds rows: a row that it leads to must have the right key and the right hash. The file uses SQLite's write-ahead log
and belongs on a local disk, which only one machine writes to; the workers of a cluster never see it. Several machines
write one store each; `CellStore.merge` joins them.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from multislot.cells.errors import StoreError
from multislot.cells.files import set_aside, sync_folder
from multislot.checks import checked_instance, wrong_type
from multislot.errors import show_value

APPLICATION = int.from_bytes(b"mslt")
APPLICATION_PLACE = slice(68, 72)  # of the header of an SQLite file
HEADER = b"SQLite format 3\0"
SCHEMA = "CREATE TABLE cells (key TEXT, result TEXT, seconds REAL, digest TEXT, code TEXT)"
INDEX = "CREATE INDEX IF NOT EXISTS cells_by_key ON cells (key)"
ROWS = "SELECT rowid, key, result, seconds, digest, code FROM cells"
MOST_ASKED = 500
"""Keys in one query."""
MERGED_AT_ONCE = 5000
LOG_SUFFIXES = ("-wal", "-shm")
AT_RISK_SECONDS = 1.0
PATIENCE_SECONDS = 60
DAMAGE = (sqlite3.Error, UnicodeError, OverflowError, MemoryError)
"""What a damaged file may raise when it is read."""
ENVIRONMENT = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL),
}
"""Errors of SQLite that say nothing about the file's contents: the disk is full, the file is locked, and so on."""


@dataclass(frozen=True)
class Finished:
    """A finished cell.

    Attributes:
        key: its name, see `multislot.cells.cell_key`.
        result: as JSON.
        seconds: how long it took, failed attempts included.
        code: digest of the code that made it; empty where that is not known.
    """

    key: str
    result: str
    seconds: float
    code: str = ""

    @property
    def digest(self) -> str:
        """Hash of the content."""
        if self.code:
            content = "\0".join((self.key, self.result, repr(self.seconds), self.code))
        else:  # as version 0.2 wrote it
            content = json.dumps([self.key, self.result, self.seconds])
        return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()

    @property
    def value(self) -> Any:
        """The result as a JSON value.

        Raises:
            StoreError: it is not JSON; no run writes such a result.
        """
        try:
            return json.loads(self.result)
        except (ValueError, RecursionError) as error:
            remedy = "delete the store, or the row with this key"
            raise StoreError(f"the result of {show_value(self.key)} cannot be read ({error}); {remedy}") from None


class CellStore:
    """The finished cells in one file. The file is made if it does not exist; leaving the context closes it.

    Opening the store checks the file as a whole. Rows are read and checked when they are asked for.

    Args:
        path: the file.

    Raises:
        StoreError: the file cannot be opened or read; not for damage, see `notes`.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._finished: dict[str, Finished] | None = None
        self._notes: list[str] = []
        self._at_risk = 0.0
        try:
            self._open()
        except DAMAGE as error:
            self._recover(error)

    def __enter__(self) -> "CellStore":
        return self

    def __exit__(self, *problem: object) -> None:
        with suppress(sqlite3.Error):  # every cell that was added is in the file already
            self._connection.close()

    @property
    def finished(self) -> dict[str, Finished]:
        """All finished cells by key, in memory from now on; for a few of many, see `find`."""
        if self._finished is None:
            self._finished = {}
            try:
                for cell in self._checked(ROWS):
                    self._finished.setdefault(cell.key, cell)
            except DAMAGE as error:
                self._recover(error)
        return self._finished

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
            some = [key for key in some if key.encode(errors="replace").decode() == key]  # others cannot be stored
            query = f"{ROWS} WHERE key IN ({','.join('?' * len(some))}) ORDER BY rowid"
            try:
                rows = list(self._checked(query, some))
            except DAMAGE as error:
                self._recover(error)
                return self.find(keys, code)
            for cell in rows:
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
                cells = other._checked(ROWS)
                while some := list(islice(cells, MERGED_AT_ONCE)):
                    lacking = {(cell.key, cell.code): cell for cell in reversed(some)}
                    for code in {cell.code for cell in some}:
                        present = self.find([key for key, its_code in lacking if its_code == code], code)
                        lacking = {
                            key: cell for key, cell in lacking.items() if key[1] != code or key[0] not in present
                        }
                    self.add(reversed(lacking.values()))
                    added += len(lacking)
        return added

    def _open(self) -> None:
        """Connect and check the file as a whole."""
        is_new = not self.path.exists()
        try:
            self._connection = sqlite3.connect(  # threads that share a store use a lock of their own
                self.path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (sqlite3.Error, ValueError) as error:  # ValueError: NUL or half a surrogate in the path
            raise _store_error(self.path, error) from None
        self._connection.text_factory = lambda text: text.decode(errors="replace")  # damage shows in the hash
        self._begin()
        self._connection.execute("PRAGMA journal_mode = WAL")
        if is_new:
            sync_folder(self.path.parent)
        (verdict,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict.splitlines()[-1])

    def _begin(self) -> None:
        """Make an empty file a store, in one transaction; check that any other file is a store."""
        self._connection.execute("BEGIN IMMEDIATE")
        if not self._connection.execute("PRAGMA schema_version").fetchone()[0]:
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(SCHEMA)
        if self._connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            self._connection.execute("ROLLBACK")
            raise sqlite3.DatabaseError("no store of this version")
        columns = [name for _, name, *_ in self._connection.execute("PRAGMA table_info(cells)")]
        if columns and "code" not in columns:  # a file of version 0.2
            self._connection.execute("ALTER TABLE cells ADD COLUMN code TEXT")
        self._connection.execute(INDEX)
        self._connection.execute("COMMIT")

    def _checked(self, query: str, values: Sequence[str] = ()) -> Iterator[Finished]:
        """Yield the undamaged rows; delete the damaged ones and note that."""
        damaged = []
        for row, *columns in self._connection.execute(query, values):
            cell = _read_row(*columns)
            if cell:
                yield cell
            else:
                damaged.append((row, columns[0]))
        self._notes += [
            f"{self.path}: the row of {key!r:.200} was damaged; its cell is computed again" for _, key in damaged
        ]
        if damaged:
            with self.exclusive():
                self._connection.executemany("DELETE FROM cells WHERE rowid = ?", [(row,) for row, _ in damaged])

    def _recover(self, error: Exception) -> None:
        """Set a damaged file aside and begin a new one with what can be read."""
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in ENVIRONMENT:
            self._connection.close()
            raise _store_error(self.path, error) from None
        read: dict[str, Finished] = {}
        with suppress(*DAMAGE):
            for _, *columns in self._connection.execute(ROWS):
                cell = _read_row(*columns)
                if cell:
                    read.setdefault(cell.key, cell)
        self._connection.close()
        aside = set_aside(self.path, *LOG_SUFFIXES)
        self._notes = [
            f"{self.path} was damaged ({error}) and is now {aside.name}; {len(read)} of its cells could be read, "
            "all others are computed again"
        ]
        self._open()
        self._finished = {}
        self.add(read.values())

    def add(self, cells: Iterable[Finished]) -> None:
        """Store finished cells; once this returns, they survive the end of the process.

        Raises:
            StoreError: the file cannot be written, for example because the disk is full.
        """
        added = [checked_instance("cell", cell, Finished) for cell in cells]
        rows = [(cell.key, cell.result, cell.seconds, cell.digest, cell.code or None) for cell in added]
        self._at_risk += sum(cell.seconds for cell in added)
        is_synced = self._at_risk >= AT_RISK_SECONDS
        with self.exclusive(synced=is_synced):
            self._connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?)", rows)
        self._at_risk = 0.0 if is_synced else self._at_risk
        if self._finished is not None:
            for cell in added:
                self._finished.setdefault(cell.key, cell)

    @contextmanager
    def exclusive(self, synced: bool = True) -> Iterator[None]:
        """Keep other processes from adding, and from entering this context, while it is open.

        Args:
            synced: write everything that was added so far to the disk before the context is left.
        """
        try:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._connection.in_transaction:  # a full disk has ended it
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: finished cells could not be kept ({error})") from None


def _store_error(path: Path, error: Exception) -> StoreError:
    place = str(path).encode(errors="backslashreplace").decode()
    return StoreError(f"{place}: {error}; choose another place for results")


def is_store(path: Path) -> bool:
    """Whether the header of a file says that it is a store, damaged or not."""
    with path.open("rb") as file:
        beginning = file.read(APPLICATION_PLACE.stop)
    return beginning.startswith(HEADER) and beginning[APPLICATION_PLACE] == APPLICATION.to_bytes(4)


def _read_row(key: object, result: object, seconds: object, digest: object, code: object) -> Finished | None:
    """A cell as it was written, or None if anything in its row has changed."""
    if not (isinstance(key, str) and isinstance(result, str) and isinstance(seconds, float)):
        return None
    if not isinstance(code, str | None):
        return None
    cell = Finished(key, result, seconds, code or "")
    return cell if cell.digest == digest else None
