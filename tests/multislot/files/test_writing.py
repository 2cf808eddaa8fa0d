"""Two processes that write one file: each step of one can come between any two of the other."""

from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from multislot import run as run_world
from multislot.agents import RandomAgent
from multislot.exact import KernelWorld, copy
from multislot.files.writing import PresentFileError, open_draft, write_file
from scenarios.lab.worlds import write_new
from tests.multislot.cells.schedules import all_switches, pause, pauses, run

TEXTS = b"one " * 1000, b"two " * 1000


@pytest.fixture(scope="module")
def traces():
    return [run_world(KernelWorld(copy()), {1: RandomAgent}, steps) for steps in (2, 3)]


@pytest.fixture
def paused():
    """Pause at each open, too."""
    real = Path.open

    def opened(path, *given, **named):
        pause("open")
        return real(path, *given, **named)

    with pauses(), mock.patch.object(Path, "open", opened):
        yield


def write_draft(path, number, traces=None):
    with open_draft(path, is_new=True) as file:
        file.write(TEXTS[number])


WRITERS = {
    "draft": write_draft,
    "trace": lambda path, number, traces: traces[number].save(path),
    "world": lambda path, number, traces: write_new(path),
}


def endings(folder, write):
    """The errors of two processes that write the same file, and what is in it, for every order of their steps."""
    ends = []

    def attempt(schedule):
        place = folder / str(len(ends))
        place.mkdir()
        errors = run([partial(write, place / "new.npz", number) for number in (0, 1)], schedule)
        (path,) = place.iterdir()  # no draft stays
        ends.append((errors, path.read_bytes()))

    assert all_switches(3, attempt) > 20
    return ends


def check_one_writes(ends):
    """One process makes the file, and the other says that it is there."""
    for errors, _ in ends:
        assert [type(error) for error in errors] == [PresentFileError]
        assert "new.npz exists already; give another name" in str(errors[0])


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize("name", WRITERS)
def test_of_two_processes_one_makes_a_new_file(tmp_path, paused, traces, monkeypatch, name, has_links):
    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", mock.Mock(side_effect=PermissionError))
    ends = endings(tmp_path, partial(WRITERS[name], traces=traces))
    check_one_writes(ends)
    assert name != "draft" or {content for _, content in ends} == set(TEXTS)


def test_a_file_that_may_be_replaced_is_whole_in_any_order(tmp_path, paused):
    ends = endings(tmp_path, lambda path, number: write_file(path, TEXTS[number]))
    assert [errors for errors, _ in ends if errors] == []
    assert {content for _, content in ends} == set(TEXTS)


def test_a_writer_that_looks_and_then_renames_is_noticed(tmp_path, paused):
    """The control: both processes say that they made the file."""
    with mock.patch.object(Path, "hardlink_to", lambda place, draft: Path.replace(draft, place)):
        ends = endings(tmp_path, write_draft)
    with pytest.raises(AssertionError):
        check_one_writes(ends)
