"""Files are read carefully: what is wrong is told with its line, its entry and the nearest name."""

import copy
import pickle
import sys
import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import errors
from multislot.errors import SettingError
from multislot.exact.files import reading, tokens
from multislot.exact.files.reading import Document, FileError, number
from multislot.exact.files.tokens import Tokens, read_statements
from multislot.exact.files.verdicts import list_alternatives
from multislot.files import foreign
from tests.test_architecture import imported


@dataclass(frozen=True)
class Door:
    kind: Literal["door"]
    cost: Annotated[int | Fraction, number]
    open: bool = False


@dataclass(frozen=True)
class Window:
    kind: Literal["window"]
    floor: int = 0
    view: Literal["sea", "yard"] = "yard"


@dataclass(frozen=True)
class House:
    name: str
    tags: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    parts: list[Door | Window] = field(default_factory=list)
    front: Door | None = None


TEXT = '''# a house
name = "ours"
map = """
[parts]
# = no entry
"""
tags = [
  "a", # one
  "[b]",
]

[facts]
lit = { at = [1, 2], by = "x = 3" }
"two words" = 1

[[parts]]
kind = "door"
cost = 0.1

[[parts]]
kind = "window"
view = "sea"
'''


def read(text):
    return Document.parse(text).read(House)


def test_a_file_is_read_in_its_form_and_numbers_as_written():
    house = read(TEXT.replace('map = """\n[parts]\n# = no entry\n"""\n', ""))
    assert house.tags == ["a", "[b]"]
    assert house.facts == {"lit": {"at": [1, 2], "by": "x = 3"}, "two words": 1}
    assert house.parts == [Door("door", Fraction(1, 10)), Window("window", view="sea")]
    assert house.front is None


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("cost = 0.1", 'cost = "0.1"'), 18, "line 18, entry 'parts.0.cost': got '0.1'; expected a finite number"),
        (("cost = 0.1", "cost = inf"), 18, "got inf; expected a finite number"),
        (("cost = 0.1", "cost = true"), 18, "got True; expected a finite number"),
        (("cost = 0.1", "open = true"), 16, "line 16, entry 'parts.0': 'cost' is missing"),
        (("cost = 0.1", "cots = 0.1"), 18, "entry 'parts.0.cots': unknown entry 'cots'; did you mean 'cost'?"),
        (('kind = "door"\n', ""), 16, "entry 'parts.0': 'kind' is missing; expected one of door, window"),
        (('"door"', '"dor"'), 17, "line 17, entry 'parts.0.kind': unknown kind 'dor'; did you mean 'door'?"),
        (('"sea"', '"see"'), 22, "line 22, entry 'parts.1.view': unknown word 'see'; did you mean 'sea'?"),
        (('view = "sea"', "floor = true"), 22, "got True; expected a whole number"),
        (('name = "ours"', "name = 3"), 2, "line 2, entry 'name': got 3; expected a text in quotes"),
        (('"a", # one', "4,"), 7, "line 7, entry 'tags.0': got 4; expected a text in quotes"),
        (("[facts]", "[front]"), 13, "unknown entry 'lit'"),
        (('name = "ours"', "name = "), 2, "line 2: this is not TOML"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_entry(change, line, message):
    text = TEXT.replace('map = """\n[parts]\n# = no entry\n"""', "\n\n\n")
    assert change[0] in text
    with pytest.raises(FileError) as caught:
        read(text.replace(change[0], change[1], 1))
    assert message in str(caught.value)
    assert caught.value.line == line


def test_the_errors_are_those_of_the_engine_and_travel_between_processes():
    document = Document.parse(TEXT)
    unknown = document.unknown("facts.lit", "fact", "lyt", ["lit"])
    assert isinstance(unknown, SettingError)
    for error in (unknown, document.error("name", "got 3; expected a text")):
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(other), str(other), other.line) == (type(error), str(error), error.line)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("a = 1/4", 'write a fraction in quotes, such as "1/4"'),
        ("a = 25%", "write 25% as 0.25"),
        ("a = {b = −1}", "this holds a dash or a printed minus sign"),
        ("a = 0,9", "write a point and no comma, as in 0.9"),
        ("a = “b”", "write straight quotes"),
        ("a = «b»", "write straight quotes"),
        ('a = "b', "close the quotes of this text"),
        ("a = b", "write texts, and names of parameters, in quotes"),
        ("[[b]]", "write this name with two brackets everywhere"),
        ("b = 2", "this name is written twice; keep one of the two"),
        ("[b]", r"write \[\[outcomes\]\] with two brackets"),
        ("a = [1, [2]", "close this bracket"),
        ('a = ["b" "c"]', 'put a comma before "c"'),
        (f'a = ["b" "{"c" * 30}"]', 'put a comma before "c{19}(?=;)'),
        ("a = { b = 1 c = 2 }", "put a comma before c = 2"),
        ("a = [{ b = 1 } { c = 2 }]", "put a comma before { c = 2"),
        ("a = -cost", 'write arithmetic in quotes, such as "-cost"'),
        ("a = { pays = 2 * cost }", 'write arithmetic in quotes, such as "2 \\* cost"'),
        ("a = True", "write true or false in small letters"),
        ("old body = 1", 'put a name of several words in quotes, such as "old body"'),
        ("[states.old body]", "put a name of several words in quotes"),
        ('a: "b"', "write = and no colon"),
        ('a "b"', "write = after the key"),
        ("Do you step in", r"expected key = value, a \[table\]"),
    ],
)
def test_a_beginners_mistake_is_told_with_its_line_and_its_remedy(line, remedy):
    with pytest.raises(FileError, match=f"^line 3: {remedy}.*; this is not TOML: "):
        Document.parse(f"b = 1\n\n{line}\n")


@pytest.mark.parametrize(
    ("begin", "kind"),
    [
        ("{\\rtf1 ", r"a rich text file \(RTF\)"),
        ("PK\x03\x04", "a file of a word processor"),
        ("<!DOCTYPE html>", "a web page"),
    ],
)
def test_a_file_of_another_program_is_named(begin, kind):
    with pytest.raises(FileError, match=f"^line 1: this is {kind}; save it as plain text"):
        Document.parse(f'{begin}name = "mine"\n')


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(SettingError, match="expected a text file in UTF-8"):
        Document.load(path)
    with pytest.raises(SettingError, match=r"none\.toml'; this file does not exist"):
        Document.load(tmp_path / "none.toml")
    with pytest.raises(SettingError, match="expected the text of a TOML file"):
        Document.parse(7)


@pytest.mark.parametrize(
    ("text", "value"), [("1e-7", Fraction(1, 10**7)), ("1_0.5", Fraction(21, 2)), ("1e-999999999", 0), ("-0.0", 0)]
)
def test_floats_are_exact_and_none_takes_all_memory(text, value):
    assert Document.parse(f"x = {text}").content == {"x": value}


words = st.sampled_from(["a", "b", '"c d"', "'#'", "e-f"])
values = st.sampled_from(["1", '"]"', "[\n 1,\n 2]", '"""\n[a]\nb = 1\n"""', "{ a = 1 }", "'''\n#'''", "3 # [no]"])


def entries(content, place=""):
    """Every entry of parsed TOML, as errors name them."""
    found = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, value in found:
        entry = f"{place}.{name}" if place else str(name)
        yield entry
        yield from entries(value, entry)


@given(st.lists(st.tuples(st.sampled_from(["", "[{}]\n", "[[{}]]\n", "# {}\n"]), words, words, values), max_size=6))
def test_every_line_that_begins_an_entry_is_known_and_no_other(parts):
    text = "".join(header.format(table) + f"{key} = {value}\n" for header, table, key, value in parts)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    document = Document.parse(text)
    assert set(document.lines) <= set(entries(document.content))
    for entry, line in document.lines.items():
        last = next(word for word in reversed(entry.split(".")) if not word.isdigit())
        assert last in text.splitlines()[line - 1]
    assert all(document.line(entry) > 0 for entry in entries(document.content))


def test_the_module_needs_no_other_package():
    """Nor do those that it imports; so it loads where no compiled package does. Only arrays need NumPy."""
    loaded = {module.__name__: module for module in (reading, errors, tokens, foreign)}
    names = {name for module in loaded.values() for name in imported(Path(module.__file__))}
    others = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names} - loaded.keys()
    assert {name.split(".")[0] for name in others} == {"numpy"}


def test_the_longest_key_is_found_wherever_it_is():
    text = 'x = "a.b.c.d.e.f"\n[p.q."r.s"]\nt . u.v.w = [1.5, [2]  # a.b.c.d.e\n'
    tokens = Tokens(text)
    assert (tokens.longest_key, tokens.longest_key_at, tokens.unclosed) == (4, text.index("t ."), text.index("[2]"))
    longest = ".".join("abcdefghijklmnop")
    assert Document.parse(f"x = 1.5\n{longest} = 1").content["x"] == Fraction(3, 2)
    for key in (f"{longest}.q", f".{longest}.q"):
        with pytest.raises(FileError, match=r"line 2: got a key of more than 16 parts; expected fewer dots"):
            Document.parse(f"x = 1.5\n{key} = 1")


def test_statements_begin_where_their_headers_and_keys_do():
    text = """a . "b\\u0021" = x.y
[[x.'y z']]
c = [
  { d = 1 }, # e = 2
]

f = \"\"\"
g = 3
\"\"\"
[h]
i=4"""
    found = [(one.line, one.brackets, *one.words) for one in read_statements(text)]
    assert found == [(1, 0, "a", "b!"), (2, 2, "x", "y z"), (3, 0, "c"), (7, 0, "f"), (10, 1, "h"), (11, 0, "i")]


def test_alternatives_are_joined_as_people_do():
    assert [list_alternatives("abc"[:count]) for count in range(1, 4)] == ["a", "a or b", "a, b or c"]
