"""The cost law: a text that is eight times as long takes at most sixteen times the work to refuse or to read."""

import random
import sys
import time
import tracemalloc

import pytest

from considerate.craftworld.files import parse_task
from considerate.craftworld.grid import parse_map
from multislot.agents.language.model import read_letter
from multislot.errors import MultislotError
from multislot.exact.files.arithmetic import as_arithmetic, as_template
from multislot.exact.files.reading import LARGEST_FILE, Document
from multislot.exact.files.tokens import TOKEN
from multislot.exact.files.worlds import parse_kernel

SHORT, LONG = 2000, 20_000
MOST_RATIO = 16
MOST_SECONDS = 2
ATOMS = (
    *('"', "'", '"""', "'''", '\\"', "\\\\", "\\", "\\u0041", "\\\n", "[", "]", "[[", "]]", "{", "}", ",", "=", " = "),
    *(
        "a",
        "a.",
        '"a".',
        "'a' . ",
        ".",
        "a=1\n",
        "[a]\n",
        "[[a]]\n",
        "[[a]]\n[a.b]\n",
        "[a.b.c]\n",
        "#",
        "# x\n",
        "\n",
        "\r\n",
    ),
    *(
        "1",
        "1_",
        "0x1",
        "1.5,",
        "1e9,",
        "-",
        "+",
        "inf,",
        "1979-05-27,",
        "07:32:00,",
        " ",
        "\t",
        "\u00e9",
        "\u2028",
        "\U0001f642",
    ),
    *("{a=1},", "{a.b=1},", "true,", '"a",', "x = [1,\n", "\0", "\x85", "[ ", "a ", '= "', "1/", "* "),
)
"""What the grammar of TOML knows, and what it does not."""
BEGINNINGS = ("", "x = ", 'x = "', 'x = """', "x = '''", "x = [", "x = {", "[", "map = '''\n")


def distinct(text, separator):
    """The same text with a number in place of each @."""
    parts = text.split("@")
    return separator.join(f"{part}{number}" for number, part in enumerate(parts))


def family(seed):
    """A text of any length: a beginning, and some atoms that are repeated; every second time they get numbers."""
    chance = random.Random(seed)
    beginning, repeated = chance.choice(BEGINNINGS), "".join(chance.choices(ATOMS, k=chance.choice((1, 1, 2, 3))))
    repeated = repeated.replace("a", "a@") if chance.random() < 0.5 else repeated

    def text(length):
        written = distinct(repeated * (length // len(repeated) + 1), "") if "@" in repeated else repeated * length
        return (beginning + written)[:length]

    return text


def fixed(beginning, repeated, end=""):
    return lambda length: beginning + repeated * ((length - len(beginning + end)) // len(repeated)) + end


DEEP_KEY = ".".join("a" * 15)
KNOWN = {
    "escaped quotes that do not end": fixed('x = """', '\\"'),
    "escaped quotes": fixed('x = "', '\\"', '"'),
    "many keys of many parts": lambda length: "".join(f"{DEEP_KEY}.k{n} = 1\n" for n in range(length // 42)),
    "many headers": lambda length: "".join(f"[a{n}]\n" for n in range(length // 9)),
    "lists of tables": fixed("", "[[a]]\n"),
    "comments": fixed("", "#\n"),
    "spaces": fixed("[a", " "),
    "a deep list": fixed("x = ", "["),
    "a deep table": fixed("x = ", "{a="),
    "one word": fixed("", "a"),
    "words": fixed("", "a "),
}
FAMILIES = [*KNOWN.values(), *map(family, range(40))]
MANY = [*KNOWN.values(), *map(family, range(600))]


def read_map(text):
    return parse_map(text[:LARGEST_FILE])


READERS = {
    "documents": lambda text: Document.parse(text).lines,
    "worlds": parse_kernel,
    "tasks": parse_task,
    "maps": read_map,
    "arithmetic": as_arithmetic,
    "templates": as_template,
    "answers of models": lambda text: read_letter(text, ("A", "B")),
}


def attempt(reader, text):
    try:
        reader(text)
    except (MultislotError, ValueError):
        return


def calls(reader, text):
    """Number of function calls, of Python and of C, that reading a text takes."""
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        attempt(reader, text)
    finally:
        sys.setprofile(None)
    return count


def seconds(reader, text):
    began = time.process_time()
    attempt(reader, text)
    return time.process_time() - began


def peak(reader, text):
    """Bytes that reading a text takes at most."""
    tracemalloc.start()
    attempt(reader, text)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


@pytest.mark.parametrize("name", READERS)
def test_calls_grow_with_the_length_of_a_text(name):
    for text in FAMILIES:
        few, many = (calls(READERS[name], text(length)) for length in (SHORT // 4, 2 * SHORT))
        assert many <= MOST_RATIO * max(few, 100), text(80)


def test_every_character_belongs_to_one_token():
    """So the regular expression starts at each place at most once."""
    for text in FAMILIES:
        written = text(SHORT)
        assert "".join(match[0] for match in TOKEN.finditer(written)) == written


def test_a_reader_of_quadratic_cost_is_noticed():
    """The control: it compares each character with all before it."""
    few, many = (calls(lambda text: [text.count(c) for c in text for _ in text], "a" * n) for n in (50, 400))
    assert many > MOST_RATIO * few


@pytest.mark.full
@pytest.mark.parametrize("name", READERS)
def test_time_and_memory_grow_with_the_length_of_a_text(name):
    """In seconds of the processor; the control is the test below."""
    reader = READERS[name]
    for text in MANY:
        lengths = [LONG * factor for factor in (1, 2, 4, 8)]
        times = [min(seconds(reader, text(length)) for _ in range(2)) for length in lengths]
        assert times[-1] <= MOST_RATIO * max(times[0], 0.002), (text(80), times)
    for text in MANY[::10]:
        few, many = (peak(reader, text(length)) for length in (LONG, 8 * LONG))
        assert many <= MOST_RATIO * max(few, 10_000), text(80)


@pytest.mark.full
@pytest.mark.parametrize("name", ["documents", "worlds", "tasks"])
def test_the_largest_text_is_refused_or_read_in_two_seconds(name):
    slow = {text(60): took for text in MANY if (took := seconds(READERS[name], text(LARGEST_FILE))) > MOST_SECONDS}
    assert slow == {}


@pytest.mark.full
def test_a_reader_that_took_quadratic_time_is_noticed():
    """The control: the pattern that looked for long keys until version 0.3.0."""
    import re

    deep = re.compile(r"""(?<![A-Za-z0-9_-])(?:(?:"(?:\\.|[^"\\\n])*+"|[A-Za-z0-9_-]++)[ \t]*+\.[ \t]*+){32}""")
    few, many = (seconds(deep.search, KNOWN["escaped quotes that do not end"](length)) for length in (2000, 16_000))
    assert many > MOST_RATIO * few
