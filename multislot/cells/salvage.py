"""What can still be read of a damaged store: every row whose bytes are intact, wherever in the file it lies.

SQLite stops at the first damaged page, and reads nothing behind a damaged header. Here the file is searched for rows
page by page, without its trees (https://www.sqlite.org/fileformat2.html). A row that is found is right: it has the hash
of its content. The pages of the write-ahead log are searched, too, and replace older ones in chains of overflow pages.
"""

import re
import struct
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from multislot.cells.rows import Finished, read_row
from multislot.files.foreign import ForeignFileError, open_file

PAGE = 4096
"""Bytes of a page of every store."""
LARGEST_LOCAL, LEAST_LOCAL = PAGE - 35, (PAGE - 12) * 32 // 255 - 23
"""The most bytes of a row that a page holds by itself, and the fewest of a row that goes on in overflow pages."""
LOG_HEADER, FRAME_HEADER = 32, 24
DIGEST_TYPE = re.compile(rb"\x81\x0d")
"""How a row's header says that its digest has 64 characters."""
LONGEST_BEGINNING = 32
"""At most so many bytes of a row come before the type of its digest."""
LARGEST_ROW = 2**30
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
FLOAT, ZERO, ONE, FIRST_TEXT = 7, 8, 9, 13
NOTHING = 0
COLUMNS = 5


class Page(NamedTuple):
    """A place in a file where a page is."""

    file: BinaryIO
    offset: int


def read_intact_rows(path: Path, log: Path) -> Iterator[Finished]:
    """Yield the undamaged rows of a store, some perhaps more than once.

    Args:
        path: the file.
        log: its write-ahead log, which need not exist.
    """
    with ExitStack() as stack:
        file = stack.enter_context(open_file(path))
        logged: Any = None
        with suppress(ForeignFileError):
            logged = stack.enter_context(open_file(log))
        places = _places(file, logged)
        latest = dict(places)
        for _, page in places:
            yield from _rows(_read(page), latest)


def _places(file: BinaryIO, log: Any) -> list[tuple[int, Page]]:
    """Every page with its number, those of the log last."""
    places = [(number + 1, Page(file, number * PAGE)) for number in range(-(-_length(file) // PAGE))]
    frames = range(LOG_HEADER, _length(log), FRAME_HEADER + PAGE) if log else ()
    places += [(int.from_bytes(_read(Page(log, at), 4)), Page(log, at + FRAME_HEADER)) for at in frames]
    return places


def _length(file: BinaryIO) -> int:
    return file.seek(0, 2)


def _read(page: Page, size: int = PAGE) -> bytes:
    """The content of a page; empty where the disk cannot read it."""
    with suppress(OSError):
        page.file.seek(page.offset)
        return page.file.read(size)
    return b""


def _rows(content: bytes, pages: dict[int, Page]) -> Iterator[Finished]:
    """Yield the rows that begin in a page; the hash of a row says whether it begins at a place."""
    for found in DIGEST_TYPE.finditer(content):
        for start in range(found.start() - 6, found.start() - LONGEST_BEGINNING, -1):
            cell = _row(content, start, pages) if start >= 0 else None
            if cell:
                yield cell
                break


def _row(content: bytes, start: int, pages: dict[int, Page]) -> Finished | None:
    """The row that begins at a place; None if there is none."""
    try:
        length, start = _number(content, start)
        _, start = _number(content, start)
        header, _ = _number(content, start)
        if not COLUMNS <= header <= LONGEST_BEGINNING or not header < length <= LARGEST_ROW:
            return None
        types = _types(content[start : start + header])
        if len(types) != COLUMNS or header + sum(map(_bytes, types)) != length:
            return None
        values = _payload(content, start, length, pages)[header:]
        if header + len(values) != length:
            return None
    except (IndexError, ValueError, KeyError):
        return None
    columns: list[object] = []
    for kind in types:
        columns.append(_value(kind, values[: _bytes(kind)]))
        values = values[_bytes(kind) :]
    return read_row(*columns)


def _payload(content: bytes, start: int, length: int, pages: dict[int, Page]) -> bytes:
    """The bytes of a row, collected from the page and from the overflow pages behind it."""
    if length <= LARGEST_LOCAL:
        return content[start : start + length]
    local = LEAST_LOCAL + (length - LEAST_LOCAL) % (PAGE - 4)
    local = local if local <= LARGEST_LOCAL else LEAST_LOCAL
    parts = [content[start : start + local]]
    following = int.from_bytes(content[start + local : start + local + 4])
    remaining = length - local
    while remaining > 0:
        overflow = _read(pages[following])
        part = overflow[4 : 4 + remaining]
        if not part:
            raise ValueError("the chain has no end")
        parts.append(part)
        remaining -= len(part)
        following = int.from_bytes(overflow[:4])
    return b"".join(parts)


def _number(content: bytes, start: int) -> tuple[int, int]:
    """A number of variable length, and where it ends; the lengths and numbers of our rows take at most five bytes."""
    value = 0
    for place in range(start, start + 5):
        value = value << 7 | content[place] & 0x7F
        if content[place] < 0x80:
            return value, place + 1
    raise ValueError("no number of a row")


def _types(header: bytes) -> list[int]:
    types, place = [], 1
    while place < len(header):
        kind, place = _number(header, place)
        types.append(kind)
    return types


def _bytes(kind: int) -> int:
    """Number of bytes of a value."""
    if kind >= FIRST_TEXT and kind % 2:
        return (kind - FIRST_TEXT) // 2
    if kind in (NOTHING, ZERO, ONE):
        return 0
    if kind == FLOAT:
        return 8
    return INTEGERS[kind]


def _value(kind: int, content: bytes) -> object:
    """A text, a number as a float (SQLite stores 1.0 as 1) or None."""
    if kind >= FIRST_TEXT:
        return content.decode(errors="replace")
    if kind == FLOAT:
        return float(struct.unpack(">d", content)[0])
    if kind in (ZERO, ONE):
        return float(kind - ZERO)
    return None if kind == NOTHING else float(int.from_bytes(content, signed=True))
