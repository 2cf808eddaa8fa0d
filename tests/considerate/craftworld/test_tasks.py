"""The nine tasks: where things stand, what each agent can do, and what others find."""

from fractions import Fraction

import pytest

from considerate.craftworld import State, Things, load_task, parse_task, task
from multislot.errors import NeverEndingError, SettingError, UnknownNameError

GEOMETRY = {
    "box": {"door": [(1, 1), (8, 8)], "key place": [(3, 1), (7, 7)], "toolshed": [(8, 1)], "wood": [(6, 5)]},
    "shared-key": {"start": [(1, 1)], "door": [(8, 8)], "factory": [(5, 6)], "key place": [(3, 1), (7, 7)]},
    "garden": {"fence site": [(1, 2)], "garden": [(2, 1)], "start": [(1, 5)], "exit": [(3, 1)]},
    "doll": {"first place of the doll": [(2, 3)], "place for the doll": [(4, 2), (3, 3)], "start": [(1, 5)]},
    "mail-room": {"mail room": [(6, 7)], "start": [(7, 7)], "key place in Room 1": [(4, 6)]},
    "kitchen-salad": {"start": [(1, 1)], "fridge": [(3, 1)], "oven": [(1, 3)], "exit": [(3, 3)]},
}


@pytest.mark.parametrize("name", GEOMETRY)
def test_things_stand_where_the_paper_has_them(name):
    grid = task(name).grid
    assert {word: list(grid.cells(word)) for word in GEOMETRY[name]} == GEOMETRY[name]


def test_inner_walls_of_the_garden():
    assert not {(2, 2), (3, 2), (4, 2)} & set(task("garden").grid.free)
    assert (task("garden").grid.width, task("mail-room").grid.width, task("box").grid.width) == (7, 9, 10)


OWN_OPTIMA = {
    "box": [-20, -20],
    "garden": [-6, -20, -6],
    "doll": [-4, -4, -4, -4, -4, -1],
    "mail-room": [-10, 0, 0, 1, 1, 0],
    "kitchen-salad": [-8, -8],
    "kitchen-peanut": [-8, -8],
    "kitchen-salt": [-8, -8],
    "kitchen-cookie": [-8, -10],
}


@pytest.mark.parametrize("name", OWN_OPTIMA)
def test_what_everyone_gets_alone(name):
    chosen = task(name)
    own = -chosen.graph.walks.distances_to(chosen.graph.ends())[chosen.graph.starts[0]]
    assert [own, *(value(chosen.start) for value in chosen.value_functions().values())] == OWN_OPTIMA[name]


def test_an_agent_that_starts_beside_the_doll_needs_a_step():
    text = (load_text("doll")).replace("start = [1, 3]", "start = [3, 3]")
    chosen = parse_task(text)
    end = next(state for state in chosen.end_states.values() if state.things["doll"] == (3, 3))
    assert chosen.value_functions()["agent_6"](end) == -1


def load_text(name):
    from importlib.resources import files

    return (files("considerate.craftworld") / "tasks" / f"{name}.toml").read_text(encoding="utf-8")


def test_the_mail_room_cannot_be_entered_without_the_key():
    graph = task("mail-room").graph
    inside = [graph.state(s).things["key"] for s in range(graph.n_states) if graph.state(s).cell == (6, 7)]
    assert set(inside) == {"held"}


def test_an_option_can_start_where_its_task_is_possible():
    chosen = task("box")
    option = chosen.options()["agent_2"]
    starts = {str(end.things["key"]): option.can_start(end) for end in chosen.end_states.values()}
    assert starts == {"held": False, "(7, 7)": True, "(3, 1)": True}


def test_what_nobody_can_leave_is_not_answered():
    chosen = task("box")
    with pytest.raises(SettingError, match="nothing that the acting agent does leaves"):
        chosen.value_functions()["agent_2"](State((1, 1), Things.of({"key": (2, 2)})))
    with pytest.raises(UnknownNameError, match="did you mean 'agent_2'"):
        chosen.other("agent_22")
    with pytest.raises(UnknownNameError, match="unknown agent after the acting one 'agent_1'; did you mean 'agent_2'"):
        chosen.other("agent_1")


def test_a_task_from_a_file_is_the_same(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(load_text("box"), encoding="utf-8")
    mine = load_task(path)
    assert mine == task("box")


@pytest.mark.parametrize(("cost", "worth"), [("0", -5), ("0.3", Fraction(-53, 10)), ("-0.5", Fraction(-9, 2))])
def test_those_who_come_later_may_walk_free_or_be_paid_once(cost, worth):
    text = load_text("garden").replace(
        'at = "garden"\n', f'at = "garden"\nneeds = {{ garden_trampled = false }}\ncost = {cost}\n'
    )
    chosen = parse_task(text)
    assert chosen.value_functions()["agent_3"](chosen.start) == worth


def test_whoever_is_paid_for_going_in_circles_is_told_where():
    text = load_text("garden").replace('at = "garden"\n', 'at = "garden"\ncost = -3\n')
    with pytest.raises(
        NeverEndingError,
        match=r"agent 'agent_3': never ending .* gains 3 and is part of a cycle that gains; let the step cost",
    ):
        parse_task(text).value_functions()["agent_3"](parse_task(text).start)
