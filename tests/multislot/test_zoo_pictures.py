"""The picture of an episode numbers what it shows."""

from multislot import HistoryAgent, run
from multislot.rendering import GLYPHS, picture
from tests.multislot.worlds import Scripted


def pictured(script):
    return picture(run(Scripted(script), {1: HistoryAgent(lambda history: 0)}, len(script)))


def read(pixels, y, x, digits):
    """Read the number in the middle of which lies a pixel, figure by figure."""
    inked = (pixels == 60).all(axis=2)
    left, number = x - (4 * digits - 1), ""
    for digit in range(digits):
        figure = inked[y - 5 : y + 5 : 2, left + 8 * digit : left + 8 * digit + 6 : 2]
        drawn = " ".join("".join("#" if mark else " " for mark in row) for row in figure)
        number += next(name for name, glyph in GLYPHS.items() if glyph == drawn)
    return int(number)


def test_figures_are_told_apart():
    assert len(set(GLYPHS.values())) == len(GLYPHS) == 10
    assert {len(glyph) for glyph in GLYPHS.values()} == {19}


def test_a_picture_numbers_slots_and_every_fourth_step():
    pixels = pictured([{1: (1, 30)}, *[{1: (1,), 30: (30,)}] * 38])
    assert read(pixels, 22, 48 + 84, 1) == 1
    assert read(pixels, 22, 48 + 252, 2) == 30
    assert read(pixels, 32 + 5, 48 - 4 - 3, 1) == 8
    assert [read(pixels, 32 + 5 + 11 * (step - 8), 48 - 4 - 7, 2) for step in (12, 36)] == [12, 36]


def test_a_picture_of_many_slots_numbers_those_there_is_room_for():
    pixels = pictured([{1: range(1, 401)}])
    assert pixels.shape == (384, 384, 3)
    assert [read(pixels, 22, 48 + slot - 1, len(str(slot))) for slot in (27, 53, 313)] == [27, 53, 313]


def test_numbers_too_long_for_the_picture_are_cut_and_nothing_breaks():
    assert pictured([{1: (10**12,)}]).shape == (384, 384, 3)
    assert picture(run(Scripted([{1: ()}]), {1: HistoryAgent(lambda history: 0)}, 1)).shape == (384, 384, 3)
