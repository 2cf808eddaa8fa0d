"""The second agent of the simultaneous experiment: what it is left with, and exact solutions against every walk."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import considerate
from considerate.craftworld import Barrier, Things, parse_task, task
from considerate.craftworld.partner import FINISHED, KEY
from considerate.craftworld.worlds import SimultaneousWorld
from multislot.errors import SettingError
from tests.considerate.craftworld.test_tasks import load_text

LITTLE = """
XXXXXX
XSKTWX
X.FKDX
XXXXXX
"""
PLACES = {"key": [2, 1], "toolshed": [3, 1], "wood": [4, 1], "factory": [2, 2], "key_place": [3, 2], "exit": [4, 2]}
LONG_ENOUGH = 30


def little(rows=LITTLE, places=PLACES, **numbers):
    """The shared key on a map of eight cells, with other numbers."""
    text = load_text("shared-key")
    first, last = text.index('map = """\n') + len('map = """\n'), text.index("\n\nS  start")
    text = text[:first] + rows.strip() + text[last:]
    for name, cell in zip(("agent_1", "agent_2"), numbers.get("starts", ()), strict=False):
        text = text.replace(f'name = "{name}"\nstart = [1, 1]', f'name = "{name}"\nstart = {cell}')
    for name, value in {**places, "loss": numbers.get("loss", 100)}.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
    text = text.replace('at = "toolshed"\n', f'at = "toolshed"\ncost = {numbers.get("tool", 1)}\n')
    return parse_task(f"step_cost = {numbers.get('usual', 1)}\n{text}")


def rest(partner, things):
    """What the partner still gets, step by step."""
    total = 0
    while not things[FINISHED]:
        things, reward = partner.step(things)
        total += reward
    return total


def single_steps(chosen):
    """(next state, cost, what the partner is paid, what it still gets if this ends, whether it loses) of all steps."""
    graph, partner = chosen.graph, chosen.partner
    found = {state: [] for state in range(graph.n_states) if not graph.terminal[state]}
    for state, steps in found.items():
        before = graph.state(state).things
        for action, target in enumerate(graph.targets[state].tolist()):
            things, cost = graph.state(target).things, graph.exact_costs.exact(state, action)
            lost = things["ended"] and things[KEY] == "held" and not before[FINISHED]
            lost = lost and not things["partner_has"]["box"]
            paid = 0 if before[FINISHED] else -partner.loss if lost else -partner.step_cost
            steps.append((target, cost, paid, rest(partner, things) if things["ended"] else None, lost))
    return found


def endings(chosen):
    """(own, other's whole return, other's value of the end) of every way to end within some steps."""
    steps = single_steps(chosen)
    layer, found = {int(chosen.graph.starts[0]): {(0, 0)}}, set()
    for _ in range(LONG_ENOUGH):
        following = {}
        for state, totals in layer.items():
            for target, cost, paid, onward, lost in steps[state]:
                if onward is None:
                    following.setdefault(target, set()).update((own - cost, other + paid) for own, other in totals)
                else:
                    value = paid if lost else onward
                    found |= {(own - cost, other + paid + onward, value) for own, other in totals}
        layer = following
    return found


tenths = st.integers(1, 30).map(lambda number: Fraction(number, 10))


@settings(deadline=None, max_examples=5)
@given(tenths, tenths, st.integers(0, 400), st.fractions(0, 3, max_denominator=7), st.sampled_from(["sim", "value"]))
def test_fractions_of_a_task_file_are_solved_as_written(usual, tool, loss, alpha, criterion):
    chosen = little(usual=float(usual), tool=float(tool), loss=loss / 10)
    assert chosen.partner.step_cost == usual
    assert chosen.partner.loss == Fraction(loss, 10)
    worths = {
        (own, other, value): own + alpha * (value if criterion == "value" else other)
        for own, other, value in endings(chosen)
    }
    best = max(worths.values())
    solution = considerate.solve(chosen, criterion, alpha)
    assert solution.objective == best
    named = {tuple(outcome.returns.values()) for outcome in (solution, *solution.ties)}
    assert named == {(own, other) for (own, other, _), worth in worths.items() if worth == best}
    assert all(isinstance(number, int | Fraction) for returns in named for number in returns)


@pytest.mark.parametrize("criterion", ["value", "worst", "neg", "min", "per_agent", "sim"])
def test_whoever_cares_enough_does_not_leave_with_the_key(criterion):
    """The loss falls into the ending step itself, and counts under every criterion."""
    for chosen in (little(), task("shared-key")):
        careless, careful = (considerate.solve(chosen, criterion, alpha) for alpha in (0, Fraction(1, 10)))
        assert careless.end_state.things[KEY] == "held"
        assert careless.returns["agent_2"] < -100
        assert careful.end_state.things[KEY] != "held"
        assert careful.returns["agent_2"] > -100
        assert considerate.frontier(chosen, criterion).at(Fraction(1, 10)).returns == careful.returns


def test_in_little_worlds_every_end_is_worth_what_follows_from_it():
    chosen = little(usual=0.5, loss=7.5)
    values = {value for _, _, value in endings(chosen)}
    found = chosen.value_functions()["agent_2"]
    assert {found(state) for state in chosen.end_states.values()} == values


def test_whoever_would_wait_for_ever_has_the_loss():
    well = '[[rules.work]]\nat = "start"\nby = "use"\nneeds = { key = "held" }\nsets = { key = "sunk" }\n\n[handover]'
    chosen = parse_task(load_text("shared-key").replace("[handover]", well))
    sunk = [state for state in chosen.end_states.values() if state.things[KEY] == "sunk" and not state.things[FINISHED]]
    assert sunk
    value = chosen.value_functions()["agent_2"]
    assert {value(state) <= -100 for state in sunk if not state.things["partner_has"]["box"]} == {True}


def played(chosen, solution):
    """What both agents are paid in the world, where the first does what was found and the second follows."""
    world = SimultaneousWorld(chosen)
    world.start(0)
    follow, acts = world.actions.index("follow"), iter(solution.actions)
    paid, going = {1: 0.0, 2: 0.0}, {1, 2}
    while going:
        turn = world.step({slot: world.actions.index(next(acts)) if slot == 1 else follow for slot in going})
        for slot in going:
            paid[slot] += turn.percepts[slot].reward
        going -= set(turn.ended)
    return list(paid.values())


@st.composite
def places_on_a_map(draw):
    """A map of up to nine cells, and where the second agent starts and has its places; two may be one."""
    width, height = draw(st.sampled_from([(4, 2), (3, 3), (8, 1)]))
    marks = draw(st.permutations("SKTWFKD" + "." * (width * height - 7)))
    rows = ["X" * (width + 2), *(f"X{''.join(marks[y * width :][:width])}X" for y in range(height)), "X" * (width + 2)]
    cells = {mark: [[x, y] for y, row in enumerate(rows) for x, m in enumerate(row) if m == mark] for mark in "STWFKD"}
    places = {"toolshed": "T", "wood": "W", "factory": "F", "exit": "D"}
    at = {name: cells[mark][0] for name, mark in places.items()} | dict(
        zip(["key", "key_place"], cells["K"], strict=True)
    )
    moved = draw(st.sampled_from([*places, "key", "key_place"]))
    somewhere = [cell for found in cells.values() for cell in found]
    if draw(st.integers(0, 3)) == 0:
        at[moved] = draw(st.sampled_from(somewhere))
    return "\n".join(rows), at, cells["S"][0], draw(st.sampled_from(somewhere))


@given(places_on_a_map(), st.integers(1, 100), st.fractions(0, 3, max_denominator=7))
def test_on_any_map_the_world_pays_what_the_exact_solution_says(found, loss, alpha):
    """Two places may be one, the exit on the way: one rule for the solution and the world, or the task is refused."""
    rows, at, start, other_start = found
    try:
        chosen = little(rows, at, starts=(start, other_start), loss=loss)
    except SettingError:
        assume(False)
    for criterion in ("sim", "value"):
        solution = considerate.solve(chosen, criterion, alpha)
        assert played(chosen, solution) == list(map(float, solution.returns.values()))


@pytest.mark.parametrize(
    ("name", "cell", "message"),
    [
        ("exit", [1, 8], "'agent_2' would never finish: at (1, 8) with {box, key: (7, 7)} it wants to be at (1, 8)"),
        ("exit", [7, 7], "'agent_2' would never finish: at (7, 7) with {box, key: "),
        ("key_place", [8, 8], "'agent_2' would leave with the key; give it another key_place than its exit (8, 8)"),
        ("key_place", [4, 4], "at (4, 4) with {box, key: held} it wants to be at (4, 4); give it cells"),
        ("toolshed", [8, 8], "at (8, 8) with {key: held} it wants to be at (8, 8)"),
        ("wood", [3, 1], "would never finish: at (3, 1) with {hammer: held, key: "),
        ("factory", [2, 2], "at (2, 2) with {hammer: held, key: held, wood: held}"),
    ],
)
def test_places_that_make_no_sense_are_refused(name, cell, message):
    text = re.sub(rf"^{name} = .*$", f"{name} = {cell}", load_text("shared-key"), flags=re.MULTILINE)
    with pytest.raises(SettingError, match=re.escape(message)):
        parse_task(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"facts": Things.of({KEY: (3, 1), "hammer": "held"})}, "expected only the key, at one of"),
        ({"facts": Things.of({KEY: (4, 4)})}, "expected only the key, at one of"),
        ({"facts": Things.of({KEY: "held"})}, "expected only the key, at one of"),
        ({"acting": replace(task("shared-key").acting, changes=())}, "'agent_2' follows other rules than 'agent_1'"),
        ({"others": task("box").others}, "not both"),
        ({"partner": replace(task("shared-key").partner, factory=(2, 2))}, "'agent_2' would never finish"),
        (
            {"partner": replace(task("shared-key").partner, factory=(99, 99))},
            r"wants to be at \(99, 99\); give it cells",
        ),
    ],
)
def test_a_task_built_in_python_is_checked_as_well(change, message):
    with pytest.raises(SettingError, match=message):
        replace(task("shared-key"), **change)


def test_the_partner_does_only_what_the_rules_allow():
    """A rule that closes a cell to one agent closes it to the other: the policy walks round it."""
    chosen = task("shared-key")
    wall = Barrier(frozenset({(2, 1)}))
    acting, walker = (replace(one, barriers=(wall,)) for one in (chosen.acting, chosen.partner.walker))
    closed = replace(chosen, acting=acting, partner=replace(chosen.partner, walker=walker))
    things, cells = closed.start.things, []
    while not things[FINISHED]:
        things = closed.partner.moves(things)
        cells.append(things["partner_at"])
    assert (2, 1) not in cells
    assert closed.partner.act(closed.start.things, "right") == closed.start.things


def test_whoever_would_wait_for_ever_alone_is_refused():
    """The way from the factory to the key's place leads through the exit alone."""
    places = {"key": [2, 1], "toolshed": [3, 1], "wood": [4, 1], "factory": [5, 1], "exit": [6, 1], "key_place": [7, 1]}
    with pytest.raises(SettingError, match=r"never finish: at \(5, 1\) .* wants to be at \(7, 1\)"):
        little("XXXXXXXXX\nXSKTWFDKX\nXXXXXXXXX", places)
