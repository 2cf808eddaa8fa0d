"""The cost law: a text that is eight times as long takes at most sixteen times the work to refuse or to read."""

import gc
import hashlib
import json
import random
import sys
import time
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import extenv
from considerate.craftworld.files import parse_task
from considerate.craftworld.grid import parse_map
from extenv.composing.compose import handicap
from multislot.agents.language.model import read_letter
from multislot.agents.language.template import Texts
from multislot.cells.clusters import LARGEST_FILE as LARGEST_CLUSTER
from multislot.cells.clusters import read_cluster
from multislot.cells.rows import Finished
from multislot.checks import checked_import
from multislot.errors import MultislotError
from multislot.exact.files.answers import Asked, read_number
from multislot.exact.files.arithmetic import as_arithmetic, as_template
from multislot.exact.files.forms import each
from multislot.exact.files.reading import LARGEST_FILE, Document
from multislot.exact.files.tokens import TOKEN
from multislot.exact.files.worlds import parse_kernel
from scenarios.lab.records import RECORD, read_record
from scenarios.lab.registry import LONGEST as LONGEST_SETTING
from scenarios.lab.registry import find
from scenarios.lab.solving import _axis, read_changes
from scenarios.lab.store import PLACE
from scenarios.lab.table import read_expected
from scenarios.profile.subjects import find_subject
from scenarios.report.page import MARKED
from tests.doors.harness import time_limit

SHORT, LONG = 2000, 20_000
MOST_RATIO = 16
MOST_SECONDS = 2
FEWEST, MOST = 3, 12
"""Readings of a text that are timed. Other work on the machine makes times longer, never shorter, so the least counts,
and a text is read again while its least time is too long."""
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
    "dots": fixed("k = 1..", ".", "\n"),
    "dots before a colon": fixed("k=1..", ".", ":"),
    "a deep name": fixed("", "a.", ":b"),
    "lists": fixed("[", "[1],", "[]]"),
    "records": fixed('{"a":', '{"a":'),
    "list items": fixed("", ",,a"),
    "thoughts": fixed("", "<think>"),
    "marks": fixed("", "`*a"),
}
FAMILIES = [*KNOWN.values(), *map(family, range(40))]
MANY = [*KNOWN.values(), *map(family, range(600))]


def read_map(text):
    return parse_map(text[:LARGEST_FILE])


def in_file(name, read):
    """A reader of texts from one of files."""

    def reader(text):
        with TemporaryDirectory() as folder:
            Path(folder, name).write_text(text, encoding="utf-8", errors="replace")
            read(Path(folder, name))

    return reader


def read_forged(text):
    """A record whose hash is right."""
    record = json.dumps({"digest": hashlib.sha256(text.encode()).hexdigest(), "record": text})
    in_file(RECORD, lambda path: read_record(path.parent))(record)


def read_request(text):
    try:
        request = json.loads(text)
    except RecursionError:  # the explorer refuses such a request
        return
    Asked(request)


READERS = {
    "axes of maps": _axis,
    "changes of settings": lambda text: read_changes([text]),
    "clusters": lambda text: in_file("cluster.yaml", read_cluster)(text[:LARGEST_CLUSTER]),
    "environments": extenv.make,
    "expected numbers": in_file("expected.csv", read_expected),
    "handicaps": lambda text: handicap("CartPole-v1", by=text),
    "lists of settings": lambda text: find("newcomb").settings({"agents": text[:LONGEST_SETTING]}),
    "marked texts": lambda text: list(MARKED.finditer(text)),
    "modules": lambda text: checked_import("subject", text),
    "numbers of requests": lambda text: read_number(text, "discount"),
    "places of modules": PLACE.search,
    "ranges": each,
    "records": read_forged,
    "requests": read_request,
    "results": lambda text: Finished("key", text, 0.0).value,
    "sentences": lambda text: Texts(text, text, text, text, text),
    "settings": lambda text: find("copy").settings({"r_2": text[:LONGEST_SETTING]}),
    "subjects": find_subject,
    "worlds of requests": lambda text: Asked({"file": text}),
    "documents": lambda text: Document.parse(text).lines,
    "worlds": parse_kernel,
    "tasks": parse_task,
    "maps": read_map,
    "arithmetic": as_arithmetic,
    "templates": as_template,
    "answers of models": lambda text: read_letter(text, ("A", "B")),
}


def texts_of(name):
    """The texts for the long tests: all for the readers of files, every tenth for the others."""
    return MANY if name in ("documents", "worlds", "tasks") else [*KNOWN.values(), *MANY[len(KNOWN) :: 10]]


def attempt(reader, text):
    try:
        reader(text)
    except (MultislotError, ValueError) as error:
        str(error)  # some look for a near name only now


def calls(reader, text):
    """Count the function calls, of Python and of C, that reading a text takes.

    No garbage is collected meanwhile, because a collector calls functions of its own.
    """
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()
    sys.setprofile(profile)
    try:
        attempt(reader, text)
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def seconds(reader, text):
    """Seconds of the processor; looking for garbage goes through everything that is imported, and is left out."""
    gc.disable()
    began = time.process_time()
    attempt(reader, text)
    took = time.process_time() - began
    gc.enable()
    return took


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


@pytest.mark.parametrize("name", ["axes of maps", "marked texts", "numbers of requests", "places of modules", "ranges"])
def test_a_pattern_looks_at_a_place_of_a_text_few_times(name):
    """Calls do not show what a pattern does; a quadratic one takes minutes here."""
    for text in KNOWN.values():
        with time_limit(30):
            attempt(READERS[name], text(10**5))


def test_every_character_belongs_to_one_token():
    """So the regular expression starts at each place at most once."""
    for text in FAMILIES:
        written = text(SHORT)
        assert "".join(match[0] for match in TOKEN.finditer(written)) == written


def test_a_reader_of_quadratic_cost_is_noticed():
    """The control: it compares each character with all before it."""
    few, many = (calls(lambda text: [text.count(c) for c in text for _ in text], "a" * n) for n in (50, 400))
    assert many > MOST_RATIO * few


def grow_too_fast(reader, text, length):
    """The times for a text and for one that is eight times as long, if the second is too long; otherwise nothing."""
    times = [float("inf")] * 2
    for reading in range(MOST):
        times = [min(least, seconds(reader, text(n))) for least, n in zip(times, (length, 8 * length), strict=True)]
        if reading + 1 >= FEWEST and times[1] <= MOST_RATIO * max(times[0], 0.002):
            return []
    return times


@pytest.mark.full
@pytest.mark.parametrize("name", READERS)
def test_time_and_memory_grow_with_the_length_of_a_text(name):
    """In seconds of the processor; the control is the test below."""
    reader = READERS[name]
    for text in texts_of(name):
        assert grow_too_fast(reader, text, LONG) == [], text(80)
    for text in MANY[::10]:
        few, many = (peak(reader, text(length)) for length in (LONG, 8 * LONG))
        assert many <= MOST_RATIO * max(few, 10_000), text(80)


@pytest.mark.full
@pytest.mark.parametrize("name", READERS)
def test_the_largest_text_is_refused_or_read_in_two_seconds(name):
    for text in texts_of(name):
        written = text(LARGEST_FILE)
        assert any(seconds(READERS[name], written) <= MOST_SECONDS for _ in range(MOST)), text(60)


@pytest.mark.full
def test_a_reader_that_took_quadratic_time_is_noticed():
    """The control: the pattern that looked for long keys until version 0.3.0."""
    import re

    deep = re.compile(r"""(?<![A-Za-z0-9_-])(?:(?:"(?:\\.|[^"\\\n])*+"|[A-Za-z0-9_-]++)[ \t]*+\.[ \t]*+){32}""")
    assert grow_too_fast(deep.search, KNOWN["escaped quotes that do not end"], SHORT)
