"""One pass over the text of a TOML file, from left to right; the time grows with the length of the text.

Every character belongs to exactly one token and is looked at at most twice, also in a text that is not TOML: a string
that does not end goes to the end of its line, or of the text. So no text is searched again from a place inside it.
(``*+`` and ``++`` in a pattern never give back what they have matched.)
"""

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

TOKEN = re.compile(
    r'(?P<texts>"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5})?+|\'\'\'(?:[^\']++|\'(?!\'\'))*+(?:\'{3,5})?+)'
    r'|(?P<text>"(?:[^"\\\n]++|\\[^\n])*+"?+|\'[^\'\n]*+\'?+)'
    r"|(?P<newline>(?:[ \t\r]*+(?:#[^\n]*+)?+\n)++)|(?P<comment>#[^\n]*+)|(?P<open>[\[{]++)|(?P<close>[\]}]++)"
    r"|(?P<dot>\.)|(?P<word>[A-Za-z0-9_-]++)|(?P<space>[ \t]++)|(?P<other>[^]\[{}\"'#.\w \t\n-]++|.)",
    re.DOTALL,
)
"""Strings of several lines and of one, comments, brackets, and the parts of keys; a number is words and dots.

Ends of lines with nothing but comments between them are one token, and so are brackets side by side, to save time."""


class Statement(NamedTuple):
    """The beginning of a header, or of a key with its value.

    Attributes:
        line: its line, counted from 1.
        brackets: 1 for the header of a table, 2 for that of a table in a list, 0 for a key.
        words: the parts of the key.
    """

    line: int
    brackets: int
    words: tuple[str, ...]


class Tokens:
    """What one pass over a text finds.

    Args:
        text: the text of a TOML file; it need not be correct.

    Attributes:
        longest_key: the largest number of parts of a dotted key.
        longest_key_at: where that key begins.
        unclosed: where the last bracket is, if more are opened than closed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.longest_key, self.longest_key_at = 0, 0
        parts, begins, follows_dot, depth, opened = 0, 0, False, 0, 0
        for match in TOKEN.finditer(text):
            kind = match.lastgroup
            if kind == "word" or kind == "text":
                parts, begins = (parts + 1, begins) if follows_dot else (1, match.start())
                follows_dot = False
                if parts > self.longest_key:
                    self.longest_key, self.longest_key_at = parts, begins
            elif kind == "dot":
                follows_dot = parts > 0
            elif kind != "space":
                parts, follows_dot = 0, False
                if kind == "open":
                    depth, opened = depth + len(match[0]), match.end() - 1
                elif kind == "close":
                    depth -= len(match[0])
        self.unclosed = opened if depth > 0 else None


def read_statements(text: str) -> Iterator[Statement]:
    """Yield the beginning of every header, and of every key with its value, in a text that is TOML."""
    line, depth, begins, brackets, words = 1, 0, 1, 0, list[str]()
    in_key = True
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "newline" and not depth:
            if words:
                yield Statement(begins, brackets, tuple(words))
            brackets, words, in_key = 0, [], True
        elif (kind == "word" or kind == "text") and in_key:
            begins = begins if words else line
            words.append(_unquoted(match[0]) if kind == "text" else match[0])
        elif kind == "open" and in_key and not words:
            brackets += len(match[0])
        elif kind not in ("space", "dot", "comment"):
            in_key = False
        if kind == "open":
            depth += len(match[0])
        elif kind == "close":
            depth -= len(match[0])
        elif kind == "newline" or kind == "texts":
            line += match[0].count("\n")
    if words:
        yield Statement(begins, brackets, tuple(words))


def _unquoted(text: str) -> str:
    if "\\" not in text:
        return text[1:-1]
    word: str = tomllib.loads(f"word = {text}")["word"]
    return word
