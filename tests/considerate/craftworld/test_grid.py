"""Maps as text: what is read, and that every mistake is told by line, column and mark."""

import pickle

import pytest

from considerate.craftworld import parse_map
from considerate.craftworld.grid import MapError
from multislot.errors import UnknownNameError

SMALL = """
XXXXX
XD.KX
X..FX
XXXXX

D  door
K  key place
F  factory
"""


def test_cells_are_x_to_the_right_and_y_downwards():
    grid = parse_map(SMALL)
    assert (grid.width, grid.height) == (5, 4)
    assert grid.cells("door") == ((1, 1),)
    assert grid.cells("factory") == ((3, 2),)
    assert grid.word((3, 1)) == "key place"
    assert grid.word((2, 1)) == ""
    assert grid.free == ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2))


def test_one_mark_may_stand_in_several_cells_and_walls_may_be_hashes():
    grid = parse_map("####\n#KK#\n####\n\nK  key place")
    assert grid.cells("key place") == ((1, 1), (2, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1, mark '': there is no map"),
        ("XXX\nX?X\nXXX", r"line 2, column 2, mark '\?': the legend does not explain this mark"),
        ("\n\nXXX\nX?X\nXXX", r"line 4, column 2, mark '\?'"),
        ("XXXX\nX.X\nXXXX", "line 2, column 3, mark 'X': the row is 3 marks long, the first is 4"),
        ("XXX\n..X\nXXX", "line 2, column 1, mark '.': the border must be wall"),
        ("XXX\nX..\nXXX", "line 2, column 3, mark '.': the border must be wall"),
        ("X.X\nX.X\nXXX", "line 1, column 2, mark '.': the border must be wall"),
        ("XXX\nX.X\nX.X", "line 3, column 2, mark '.': the border must be wall"),
        ("XXX\nX.X\nXXX\n\nK  key place", "line 5, column 1, mark 'K': the legend explains 'key place', but"),
        ("XXX\nXKX\nXXX\n\nK", "line 5, column 1, mark 'K': a line of the legend is a mark, a space"),
        ("XXX\nXKX\nXXX\n\nK  key\nK  knot", "line 6, column 1, mark 'K': this mark already has a meaning"),
        ("XXX\nXKX\nXXX\n\nX  wall", "line 5, column 1, mark 'X': this mark already has a meaning"),
    ],
)
def test_mistakes_are_told_by_line_column_and_mark(text, message):
    with pytest.raises(MapError, match=message):
        parse_map(text)


def test_a_map_error_keeps_its_place_and_survives_pickling():
    with pytest.raises(MapError) as caught:
        parse_map("XXX\nX?X\nXXX")
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (copied.line, copied.column, copied.mark) == (2, 2, "?")
    assert str(copied) == str(caught.value)


def test_an_unknown_word_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'key place'"):
        parse_map(SMALL).cells("key plaec")
