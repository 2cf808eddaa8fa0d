"""Careful reading of TOML files: an error says its line, its entry and the nearest valid name.

The form of a file is a frozen dataclass, whose fields are the entries of a table::

    @dataclass(frozen=True)
    class Room:
        name: str
        doors: list[str]
        cost: Annotated[Number, number] = 1

    document = Document.parse(text)
    room = document.read(Room)

A field is a str, a bool, an int, a `Literal`, a list, a tuple of any length, a dict with words as keys, another such
dataclass, one of several that differ in a `Literal` field (its *kind*), or ``Annotated[type, reader]``. A reader is a
function from the value in TOML to the value of the field; it raises ValueError with what it expected. A field without
default is required. An entry without a field is an error. Numbers are exact: 0.1 is the fraction 1/10.

Only the standard library is needed, so that the module loads in a browser.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from multislot.errors import SettingError, UnknownNameError, show_value
from multislot.exact.files.tokens import Tokens, read_statements
from multislot.files.foreign import read_text

__all__ = ["FileError"]

Form = TypeVar("Form")

PLAIN: dict[object, str] = {str: "a text in quotes", bool: "true or false", int: "a whole number"}
"""The types of TOML that need no conversion, in plain words."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that control a terminal or cannot be printed. Texts of files are shown in terminals."""
MOST_PARTS = 16
"""Parts of a dotted key; the time to read a key grows with the square of their number."""
LARGEST_FILE = 1_000_000
"""The largest number of characters of a file."""
LONGEST_LINE = 1000
"""So many characters of a line are searched for a common mistake."""
OTHER_FILES = (
    (r"{\\rtf", "a rich text file (RTF)"),
    ("PK\x03\x04", "a file of a word processor"),
    (r"\s*<(!doctype|html|\?xml)", "a web page"),
)
"""How files begin that are not plain text, and what they are."""
MISSING_COMMA = re.compile(r"""["'\]}\w]\s*$"""), re.compile(r"""["'{\[]|\w+\s*=""")
"""How a line ends before a missing comma, and how it goes on after it."""
DASHES = "\u2010-\u2015\u2212\uff0d"
"""Signs that look like a minus: hyphens, dashes, and the minus of print."""
MINUS_REMEDY = "this holds a dash or a printed minus sign; write the hyphen of the keyboard, as in -1"
REMEDIES = (
    (r"[“”„‘’«»″`]", 'write straight quotes, "like this"'),
    (rf"=[^\"']*[{DASHES}]", MINUS_REMEDY),
    (r"=\s*-\s*[A-Za-z_(]", 'write arithmetic in quotes, such as "-cost"'),
    (r"=\s*[\w.]+\s*[-+*/]\s*[A-Za-z_(\d]*[A-Za-z_]", 'write arithmetic in quotes, such as "2 * cost"'),
    (r"=\s*(True|False)\b", "write true or false in small letters"),
    (r"^\s*[\w-]+([ \t]+[\w-]+)+\s*=", 'put a name of several words in quotes, such as "old body" = …'),
    (r"^\s*\[+[\w-]+(\.[\w-]+)*[ \t]+[^\]]*\]", 'put a name of several words in quotes, such as [states."old body"]'),
    (r"^\s*[\w-]+\s*:", "write = and no colon"),
    (r"""^\s*[\w-]+[ \t]+(["'\[{]|\d+\s*$)""", "write = after the key"),
    (r"=\s*-?\d+\s*/\s*\d", 'write a fraction in quotes, such as "1/4"'),
    (r"\d\s*%", "write 25% as 0.25"),
    (r"=\s*-?\d+,\d", "write a point and no comma, as in 0.9"),
    (r"^\s*(\[\w+\]|\[\[\w+\](?!\]))", "write [[outcomes]] with two brackets, once for each outcome"),
    (r'=\s*"[^"]*$', "close the quotes of this text"),
    (r"=\s*[A-Za-z_]", "write texts, and names of parameters, in quotes"),
    (r"^\s*[^=#\[{]+$", "expected key = value, a [table], or a comment that begins with #"),
)
"""Common mistakes in a line that is not TOML, and what to write."""
REPEATED = (
    (r"^\s*\[\[", "write this name with two brackets everywhere, once for each outcome"),
    (r"^\s*\[(start|states|parameters)\b", "write this table once, with all its keys below it"),
    (r"^\s*\[", "write [[outcomes]] with two brackets, once for each outcome"),
    (r"", "this name is written twice; keep one of the two"),
)
SYNONYMS = {"reward": "pays", "chance": "probability", "observes": "sees", "observation": "sees"}
"""Names of entries that people expect, and the names that this format has."""


class FileError(SettingError):
    """Something in a file is wrong.

    Attributes:
        line: its line, counted from 1; 0 if the whole file is concerned.
        entry: the entry, as ``table.entry`` with positions in lists from 0; empty if the whole file is concerned.
        problem: what was got and what was expected.
    """

    def __init__(self, line: int, entry: str, problem: str) -> None:
        self.line, self.entry, self.problem = line, entry, problem
        Exception.__init__(self, line, entry, problem)

    def __str__(self) -> str:
        where = [f"line {self.line}"] * bool(self.line) + [f"entry {self.entry!r}"] * bool(self.entry)
        return ": ".join([*([", ".join(where)] if where else []), self.problem])


@dataclass(frozen=True)
class Document:
    """The text of a TOML file, and what it holds; made by `parse` or `load`."""

    text: str
    content: dict[str, Any]

    @classmethod
    def parse(cls, text: str) -> "Document":
        """Return the document of a text."""
        if not isinstance(text, str):
            raise SettingError(f"got text={show_value(text)}; expected the text of a TOML file")
        if len(text) > LARGEST_FILE:
            raise SettingError(f"got a text; expected at most {LARGEST_FILE} characters, not {len(text)}")
        other = next((kind for begins, kind in OTHER_FILES if re.match(begins, text, re.IGNORECASE)), None)
        if other is not None:
            raise FileError(1, "", f"this is {other}; save it as plain text, in UTF-8")
        tokens = Tokens(text)
        if tokens.longest_key > MOST_PARTS:
            before = text.count("\n", 0, tokens.longest_key_at)
            raise FileError(before + 1, "", f"got a key of more than {MOST_PARTS} parts; expected fewer dots")
        try:
            document = cls(text, tomllib.loads(text, parse_float=_as_fraction))
        except (ValueError, RecursionError) as error:  # a whole number of 5,000 digits is a plain ValueError
            line, remedy = _explain_syntax(tokens, str(error))
            raise FileError(line, "", f"{remedy}this is not TOML: {error}") from None
        unseen = next(filter(CONTROL.search, _texts(document.content)), None)
        if unseen is not None:
            raise FileError(0, "", f"got a control character in {unseen[:40]!r}; expected printable characters")
        return document

    @classmethod
    def load(cls, path: str | Path) -> "Document":
        """Return the document of a file; raises as `parse` does, and SettingError if the file cannot be read."""
        return cls.parse(read_text(path, LARGEST_FILE))

    def read(self, form: type[Form]) -> Form:
        """Return the whole file in a form (see the module); raises FileError for the first entry that is wrong."""
        return self._table("", self.content, form)  # type: ignore[no-any-return]

    def error(self, entry: str, problem: str) -> FileError:
        """Return the error of an entry: what was got and what was expected."""
        return FileError(self.line(entry), entry, problem)

    def unknown(self, entry: str, kind: str, name: object, known: Iterable[object]) -> FileError:
        """Return the error of an entry that names something that does not exist; it suggests the nearest name."""
        return self.error(entry, str(UnknownNameError(kind, name, map(str, known))))

    def line(self, entry: str) -> int:
        """Return the line, counted from 1, of an entry, or of the nearest table or list around it; 0 if none."""
        while entry and entry not in self.lines:
            entry = entry.rpartition(".")[0]
        return self.lines.get(entry, 0)

    @cached_property
    def lines(self) -> Mapping[str, int]:
        """The line of every table and key, counted from 1; of the first part of a table that has several."""
        lines: dict[str, int] = {}
        table, counts = "", dict[str, int]()  # the last position of each list of tables
        for line, brackets, words in read_statements(self.text):
            entry = "" if brackets else table
            for number, word in enumerate(words, 1):
                entry = _join(entry, word)
                if brackets == 2 and number == len(words):
                    counts[entry] = counts.get(entry, -1) + 1
                if brackets and entry in counts:
                    entry = f"{entry}.{counts[entry]}"
            table = entry if brackets else table
            while entry and entry not in lines:
                lines[entry] = line
                entry = entry.rpartition(".")[0]
        return lines

    def _value(self, entry: str, value: object, hint: Any) -> Any:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._by_reader(entry, value, arguments[1])
        if origin in (Union, UnionType):
            return self._one_of(entry, value, [kind for kind in arguments if kind is not NoneType])
        if origin in (list, tuple):
            if isinstance(value, dict) and "." not in entry:
                raise self.error(entry, f"got one table; expected [[{entry}]] with two brackets, once for each")
            items = self._expect(entry, value, list, "a list in brackets, [ … ]")
            return origin(self._value(f"{entry}.{number}", item, arguments[0]) for number, item in enumerate(items))
        if origin is dict:
            table = self._expect(entry, value, dict, "a table in braces, { … }")
            return {name: self._value(_join(entry, name), item, arguments[1]) for name, item in table.items()}
        if origin is Literal:
            if value not in arguments:
                raise self.unknown(entry, "word", value, arguments)
            return value
        if is_dataclass(hint):
            return self._table(entry, value, hint)
        return value if hint is Any else self._expect(entry, value, hint, PLAIN[hint])

    def _by_reader(self, entry: str, value: object, reader: Callable[[object], Any]) -> Any:
        try:
            return reader(value)
        except ValueError as error:
            raise self.error(entry, f"got {_show(value)}; expected {error}") from None

    def _expect(self, entry: str, value: object, kind: Any, words: str) -> Any:
        """A value of exactly one type; true is not a whole number."""
        if type(value) is not kind:
            raise self.error(entry, f"got {_show(value)}; expected {words}")
        return value

    def _one_of(self, entry: str, value: object, kinds: list[Any]) -> Any:
        """A value of one of several types; the first `Literal` field says which."""
        if len(kinds) == 1:
            return self._value(entry, value, kinds[0])
        table = self._expect(entry, value, dict, "a table in braces, { … }")
        words = {word: kind for kind in kinds for word in get_args(_kind(kind)[1])}
        name = _kind(kinds[0])[0]
        if name not in table:
            raise self.error(entry, f"{show_value(name)} is missing; expected one of {', '.join(words)}")
        if not isinstance(table[name], str) or table[name] not in words:
            raise self.unknown(_join(entry, name), name, table[name], words)
        return self._table(entry, table, words[table[name]])

    def _table(self, entry: str, value: object, form: Any) -> Any:
        table = self._expect(entry, value, dict, "a table in braces, { … }")
        hints = get_type_hints(form, include_extras=True)
        for name in table:
            if SYNONYMS.get(name) in hints:
                raise self.error(_join(entry, name), f"unknown entry {name!r}; did you mean {SYNONYMS[name]!r}?")
            if name not in hints:
                raise self.unknown(_join(entry, name), "entry", name, hints)
        for field in fields(form):
            if field.name not in table and field.default is MISSING and field.default_factory is MISSING:
                example = field.metadata.get("example", '"…"' if hints[field.name] is str else "")
                remedy = f"; write {field.name} = {example}" if example else ""
                raise self.error(entry, f"{show_value(field.name)} is missing{remedy}")
        return form(**{name: self._value(_join(entry, name), item, hints[name]) for name, item in table.items()})


def number(value: object) -> int | Fraction:
    """Read a finite number of a file, exact; raises ValueError, as a reader does (see the module)."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise ValueError("a finite number")
    return int(value) if value.denominator == 1 else value


def _explain_syntax(tokens: Tokens, error: str) -> tuple[int, str]:
    """Line of a syntax error, counted from 1, and what to write there, as the beginning of a sentence."""
    text = tokens.text
    lines = text.splitlines() or [""]
    named = re.search(r"at line (\d+)", error)
    if named is None and "Unclosed" in error and tokens.unclosed is not None:
        return 1 + text.count("\n", 0, tokens.unclosed), "close this bracket; "
    if named is None and "end of document" not in error:
        return 0, ""
    number = len(lines) if named is None else int(named[1])
    line = lines[number - 1][:LONGEST_LINE]
    column = re.search(r"column (\d+)", error)
    if column is not None and "Unclosed" in error:
        before, after = line[: int(column[1]) - 1], line[int(column[1]) - 1 :]
        if MISSING_COMMA[0].search(before) and MISSING_COMMA[1].match(after):
            return number, f"put a comma before {after[:20].strip()}; "
    remedies = REPEATED if re.search("overwrite|twice", error) else REMEDIES
    remedy = next((remedy for pattern, remedy in remedies if re.search(pattern, line)), None)
    if remedy is None and "Unclosed array" in error:
        remedy = "close the bracket [ of an entry before this line"
    return number, "" if remedy is None else f"{remedy}; "


def _as_fraction(text: str) -> Fraction | float:
    """A float of TOML as the fraction that is written; infinities, and what is not a number, as a float."""
    nearest = float(text)
    return Fraction(text) if nearest and isfinite(nearest) else nearest if nearest else Fraction(0)


def _texts(content: object) -> Iterator[str]:
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value


def _join(entry: str, name: str) -> str:
    return f"{entry}.{name}" if entry else name


def _show(value: object) -> str:
    """A value of a file for an error: a fraction as the number that was written."""
    return show_value(float(value) if isinstance(value, Fraction) else value)


def _kind(form: Any) -> tuple[str, Any]:
    """The name and the type of the first `Literal` field of a form."""
    return next((name, hint) for name, hint in get_type_hints(form).items() if get_origin(hint) is Literal)
