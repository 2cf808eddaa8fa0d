"""The picture of an episode shows one colour an occupant and numbers slots and steps."""

import copy as copying

import numpy as np
import pytest

from multislot import HistoryAgent, run
from multislot.errors import SettingError
from multislot.zoo import DynamicView, FixedView
from multislot.zoo.rendering import picture
from tests.multislot.bustle import Bustle, Script, turn
from tests.multislot.worlds import Scripted
from tests.multislot.zoo.test_zoo_views import all_zero


@pytest.mark.parametrize("view", [DynamicView, lambda world, **rest: FixedView(world, 4, **rest)])
def test_pictures(view):
    environment = view(Bustle(), render_mode="rgb_array")
    environment.reset(seed=0)
    before = environment.render()
    environment.step(all_zero(environment))
    after = environment.render()
    assert before.shape == after.shape == (384, 384, 3)
    assert before.dtype == np.uint8
    assert not np.array_equal(before, after)
    written = view(Bustle(), render_mode="ansi")
    written.reset(seed=0)
    assert "after step 0:\nslot 1: sight 0, paid 0" in written.render()
    silent = view(Bustle())
    silent.reset(seed=0)
    with pytest.raises(SettingError, match="got render_mode=None; expected one of"):
        silent.render()


def test_a_picture_shows_one_colour_an_occupant():
    environment = DynamicView(Script(turn({1: [1, 2]}), turn({2: [2]}), turn({2: [1]})), render_mode="rgb_array")
    environment.reset(seed=0)
    for _ in range(3):
        environment.step(all_zero(environment))
    pixels = environment.render()
    cells = pixels[32 + 5 :: 11, [48 + 84, 48 + 252]][:5]
    white, empty = [255] * 3, [232] * 3
    first, second = cells[0, 0].tolist(), cells[1, 1].tolist()
    assert cells[0, 1].tolist() == empty
    assert cells[1, 0].tolist() == first != second
    assert cells[2].tolist() == [empty, second]
    assert cells[3, 0].tolist() not in (empty, first, second)
    assert cells[3, 1].tolist() == empty
    assert cells[4].tolist() == [white, white]


def test_a_world_may_draw_itself():
    class Drawn(Bustle):
        def text(self):
            return "a map"

        def picture(self):
            return np.full((7, 5, 3), 9, dtype=np.uint8)

    def rendered(mode):
        environment = DynamicView(Drawn(), render_mode=mode)
        environment.reset(seed=0)
        return environment.render()

    assert rendered("ansi") == "a map"
    assert rendered("rgb_array").shape == (7, 5, 3)
    assert rendered("human") is None


def test_many_slots_are_counted_where_they_cannot_be_drawn():
    world = Script(turn({1: range(1, 101)}))
    world.n_observations = 101
    environment = DynamicView(world, max_agents=100, render_mode="ansi")
    environment.reset(seed=0)
    environment.step({"copy_0": 0})
    assert environment.render().endswith("and 36 more slots")


def test_a_window_is_left_behind_by_copies(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    environment = DynamicView(Bustle(), render_mode="human")
    environment.reset(seed=0)
    assert environment.render() is None
    other = copying.deepcopy(environment)
    other.step(all_zero(other))
    other.close()
    environment.close()
    environment.close()


def pictured(script):
    return picture(run(Scripted(script), {1: HistoryAgent(lambda history: 0)}, len(script)))


def test_numbers_too_long_for_the_picture_are_cut_and_nothing_breaks():
    assert pictured([{1: (10**12,)}]).shape == (384, 384, 3)
    assert picture(run(Scripted([{1: ()}]), {1: HistoryAgent(lambda history: 0)}, 1)).shape == (384, 384, 3)
