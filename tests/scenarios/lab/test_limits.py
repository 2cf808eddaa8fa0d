"""Limits of time and memory, and texts of files that would steer a terminal."""

import gc
from contextlib import suppress

import pytest
from typer.testing import CliRunner

from multislot.errors import TooLargeError, UnknownNameError
from scenarios.lab import printing
from scenarios.lab.cli import app
from scenarios.lab.limits import limit_memory, limit_resources

resource = pytest.importorskip("resource")
HUGE = 2**37
"""More bytes than the limits here allow."""


def endless(*arguments):
    while True:
        pass


def lose_an_interrupt():
    """Runs on after an interrupt, as if it had come in a destructor, where Python ignores it."""
    with suppress(KeyboardInterrupt):
        endless()
    endless()


def test_work_that_takes_too_long_ends_in_a_sentence():
    with pytest.raises(TooLargeError, match=r"no answer within 0\.05 seconds"), limit_resources(0.05):
        endless()


def test_work_that_loses_an_interrupt_ends_too():
    with pytest.raises(TooLargeError, match="no answer within"), limit_resources(0.05):
        lose_an_interrupt()


def test_ctrl_c_stays_ctrl_c():
    with pytest.raises(KeyboardInterrupt), limit_resources(60):
        raise KeyboardInterrupt


def test_memory_is_limited_in_the_block_and_as_before_after_it():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limit_resources(60, 64):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 64 * 2**30
    with pytest.raises(TooLargeError, match="needs more than 64 GB of memory"), limit_resources(60, 64):
        bytearray(HUGE)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.parametrize("option", ["--seconds", "--gigabytes"])
@pytest.mark.parametrize(
    ("limit", "is_allowed"), [("0.0999", False), ("0.1", True), ("1e6", True), ("1000000.5", False)]
)
def test_limits_are_from_a_tenth_to_a_million(option, limit, is_allowed):
    """Where the limit is allowed, the world is looked for."""
    done = CliRunner().invoke(app, ["explore", "no-such-world", option, limit])
    assert isinstance(done.exception, UnknownNameError if is_allowed else SystemExit)
    assert (f"Invalid value for '{option}'" in done.output) != is_allowed
    if not is_allowed:
        assert f"Invalid value for '{option}'" in CliRunner().invoke(app, ["solve", "copy", option, limit]).output


def test_solve_gives_up_after_the_seconds_that_are_given(monkeypatch):
    """The control: with more time the same question is answered."""
    assert CliRunner().invoke(app, ["solve", "copy", "--seconds", "100"]).exit_code == 0
    monkeypatch.setattr("scenarios.lab.printing.show", endless)
    gc.disable()  # Hypothesis is told of each collection, and an interrupt that arrives there is lost
    try:
        done = CliRunner().invoke(app, ["solve", "copy", "--seconds", "0.1"])
    finally:
        gc.enable()
    assert isinstance(done.exception, TooLargeError)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[31mred", "\\x1b[31mred"), ("a\x9bb", "a\\x9bb"), ("a\rb\udcff", "a\\rb\\udcff"), ("a\u202eb", "a\\u202eb")],
)
def test_control_characters_of_texts_do_not_reach_the_terminal(text, shown, capsys):
    """The control: tabs, ends of lines and emoji do."""
    console = printing.output()
    console.print(text, markup=False)
    assert capsys.readouterr().out == f"{shown}\n"
    console.print("a\n🙂", markup=False)
    assert capsys.readouterr().out == "a\n🙂\n"


@pytest.mark.parametrize(("hard", "most"), [(-1, 3 * 2**29), (2**30, 2**30), (2**40, 3 * 2**29)])
def test_the_limit_is_so_many_gigabytes_or_the_systems_own(hard, most, monkeypatch):
    given = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (-1, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: given.append(limits))
    assert (limit_memory(1.5), given) == ((-1, hard), [(most, hard)])
