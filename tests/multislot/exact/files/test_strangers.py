"""Small files that ask for much: refused, or answered, with a bounded amount of work."""

import gc
import sys

import pytest

from multislot.errors import MultislotError
from multislot.exact.files import arithmetic, worlds
from multislot.exact.files.answers import answer
from multislot.exact.files.reading import Document
from multislot.exact.files.worlds import parse_kernel

HEAD = 'name = "x"\nhorizon = 3\n'
START = '[start]\nstate = "s"\n'
OUTCOME = '[[outcomes]]\nstate = "s"\naction = "go"\n'
LONG_SUM = "+".join(["9**99"] * 25)
MOST_CALLS = 5_000_000
"""Of Python and C functions: seconds. Every file here took minutes or gigabytes before it had a limit."""

FILES = {
    "a key of 20,000 parts": "a." * 20_000 + "a = 1\n",
    "a header of 20,000 parts": "[" + "a." * 20_000 + "a]\n",
    "quoted parts": '"a" . ' * 20_000 + "a = 1\n",
    "450 actions in 450 states": HEAD
    + '[start]\nstate = "s0"\n'
    + "".join(f'[[outcomes]]\nstate="s{i}"\naction="a{i}"\nbecomes=[]\n' for i in range(450)),
    "a range in a range": HEAD
    + START
    + OUTCOME
    + 'each="k=1..10000"\nprobability="1/10000"\nbecomes=[{slot="j",each="j=1..10000"}]\n',
    "ranges for 100 actions": HEAD
    + f"actions={[str(i) for i in range(100)]}\n"
    + START
    + '[[outcomes]]\nstate="s"\neach="k=1..10000"\nprobability="1/10000"\nbecomes=[{}]\n',
    "700 ranges next to each other": HEAD
    + START
    + OUTCOME
    + "becomes=["
    + ",".join(f'{{slot="j+{i}0000",each="j=1..10000"}}' for i in range(700))
    + "]\n",
    "ranges for 1,500 agents": HEAD
    + "start=["
    + ",".join(f'{{state="s",slot={i}}}' for i in range(1, 1500))
    + "]\n"
    + OUTCOME
    + 'becomes=[{slot="slot*100000+j",each="j=1..10000"}]\n',
    "long sums in texts": HEAD
    + START
    + OUTCOME
    + f'becomes=[{{slot="j",each="j=1..9999",sees="{f"{{({LONG_SUM})*j}}" * 5}"}}]\n',
    "long texts": HEAD + START + OUTCOME + f'becomes=[{{slot="j",each="j=1..9999",sees="{"x" * 39_000}"}}]\n',
    "texts that become long": HEAD
    + START
    + OUTCOME
    + f'becomes=[{{slot="j",each="j=1..9999",sees="{"{9**999}" * 99}"}}]\n',
    "copies that copy themselves": HEAD + START + OUTCOME + 'becomes=[{slot="slot*1500+j",each="j=1..1500"}]\n',
    "copies by chance": HEAD + START + OUTCOME + 'each="k=1..2000"\nprobability="1/2000"\nbecomes=[{slot="slot+k"}]\n',
    "a long history": HEAD + "after=[" + '["go","s"],' * 2500 + "]\n" + START + OUTCOME + "becomes=[{}]\n",
    "a history of copies that copy themselves": HEAD
    + "after=["
    + '["go","s"],' * 9
    + "]\n"
    + START
    + OUTCOME
    + 'becomes=[{slot="slot*1500+j",each="j=1..1500",sees="s"}]\n',
    "a chain of states": HEAD
    + '[start]\nstate = "s0"\n'
    + "".join(f'[states.s{i}]\nlasts=0\nthen="s{i + 1}"\n' for i in range(800))
    + '[[outcomes]]\nstate="s800"\naction="go"\nbecomes=[{}]\n',
    "a number of 120,000 binary digits": HEAD + START + f"slot=0x{'f' * 30_000}\n" + OUTCOME + "becomes=[{}]\n",
    "20,000 lines": "".join(f"a{i}=1\n" for i in range(20_000)),
}


class TooManyCallsError(Exception):
    """A file asked for more work than is allowed here."""


def counted(function, most):
    """Call a function; raise TooManyCallsError where it makes more calls than `most`, whatever the machine.

    No garbage is collected meanwhile, because Hypothesis has a function called then, and its errors are lost.
    """
    calls = 0

    def count(*event):
        nonlocal calls
        calls += 1
        if calls > most:
            raise TooManyCallsError

    before = sys.getprofile()
    gc.disable()
    sys.setprofile(count)
    try:
        return function()
    finally:
        sys.setprofile(before)
        gc.enable()


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_small_file_that_asks_for_much_is_refused_in_a_sentence(text):
    reply = counted(lambda: answer({"file": text, "caring": ["1"]}), MOST_CALLS)
    assert reply["error"]["message"]
    assert len(reply["error"]["message"]) < 1000


def test_without_its_limit_a_range_in_a_range_asks_for_too_much(monkeypatch):
    """The control of the test above."""
    monkeypatch.setattr(worlds.FileKernel, "_spend", lambda *arguments, **named: None)
    with pytest.raises(TooManyCallsError):
        counted(lambda: answer({"file": FILES["a range in a range"]}), MOST_CALLS)


def test_what_is_asked_for_in_a_request_is_limited():
    for asked in ({"values": ["cpy"] * 1001}, {"caring": ["1"] * 100}, {"history": [["stay", "a"]] * 1001}):
        assert "expected" in answer({"world": "copy", **asked})["error"]["message"]


@pytest.mark.parametrize("escape", ["\\u001b[31m", "\\b", "\\u009b", "\\u202e", "\\u0000", "\\r"])
def test_control_characters_are_refused(escape):
    """The control: a text without them is read."""
    for text in (f'name = "x{escape}"', f'"x{escape}" = 1', f'a = ["{escape}"]'):
        with pytest.raises(MultislotError, match="got a control character in"):
            Document.parse(text)
    assert Document.parse('name = "x\\n\\té🙂"')


def test_the_limits_leave_room_for_large_worlds():
    """A range of 9,000 copies, each with a text of its own, and a template of the longest length."""
    kernel = parse_kernel(HEAD + START + OUTCOME + 'becomes=[{slot="j",each="j=1..9000",sees="room {j}"}]\n')
    ((_, arrivals),) = kernel.outcomes(1, "s", "go")
    assert arrivals[9000].observation == "room 9000"
    text = "x" * arithmetic.LONGEST_TEXT
    assert parse_kernel(HEAD + START + OUTCOME + f'becomes=[{{sees="{text}"}}]\n')


def test_lines_are_found_however_keys_are_written():
    """A string that the search for lines misreads must not make it slow: it once tried all ways to split a word."""
    text = 'x = """ " """"  # "\ny = """\n' + "a" * 100_000 + '\n"""\nname = 3\n'
    assert counted(lambda: Document.parse(text).line("name"), 1000) in range(6)
