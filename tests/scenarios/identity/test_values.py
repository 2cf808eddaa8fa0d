"""Each value stands alone in its smallest world, and worlds or values that are broken are seen."""

import re
from random import Random

import pytest

from scenarios.identity import values
from scenarios.identity.values import Settings, worlds
from scenarios.identity.values.worlds import NAMES, WITNESSES, Copy, Witness, alone, decisions, node
from scenarios.lab.table import beside_papers
from tests.scenarios.conftest import finished, read_back

SMALL = Settings()


def random_world(draw, steps=worlds.STEPS):
    """A random world, in which two slots may both be copied into one."""

    def copy(slot):
        then = random_world(draw, steps - 1) if steps > 1 and draw.random() < 0.7 else None
        return Copy(slot, draw.randint(0, 3), then, draw.choice(worlds.SEEN))

    def together():
        return tuple(map(copy, sorted(draw.sample((1, 2, 3, 5), draw.choice((0, 1, 1, 1, 2, 2))))))

    a, b = (tuple(together() for _ in range(draw.choice((1, 1, 1, 2)))) for _ in worlds.ACTIONS)
    return worlds.Node((a, b))


@pytest.fixture(scope="module")
def results():
    return finished(values, SMALL)


def rows(results):
    return beside_papers(values.table(SMALL, results), [])


def test_all_eleven_stand_alone_and_controls_are_caught(results):
    found = rows(results)
    assert set(WITNESSES) == set(NAMES)
    said = [row for row in found if row.kind in ("formula", "claim", "control")]
    assert len(said) > 3 * len(NAMES)
    assert all(row.agrees for row in said)


def rows_about_worlds():
    cell = values.Cell(SMALL, "witnesses")
    return values.exact_rows([(cell, read_back(values.run_cell(cell)))], "witnesses")


def test_a_witness_from_which_something_can_be_taken_away_is_refused(monkeypatch):
    bloated = node(a=(Copy(2, 1), Copy(3)), b=(Copy(1, 2),))
    assert alone(decisions(bloated)) == "prime-slot"
    monkeypatch.setitem(WITNESSES, "prime-slot", Witness(bloated, "a", "too large"))
    failed = [row.condition for row in rows_about_worlds() if row.kind == "claim" and not row.agrees]
    assert failed == ["prime-slot"]


def test_a_witness_of_nothing_is_refused(monkeypatch):
    """All agree that 2 is more than 1."""
    plain = node(a=(Copy(1, 1), Copy(2, 1)), b=(Copy(1, 2), Copy(2, 2)))
    monkeypatch.setitem(WITNESSES, "cpy", Witness(plain, "a", "no reason"))
    (lonely,) = [row for row in rows_about_worlds() if row.paper == "cpy: a"]
    assert lonely.ours == "nobody"


def test_a_forecast_that_is_broken_is_seen(results, monkeypatch):
    """If the known slot stood under the name of the dynamic value, its claim would fail."""
    find_value, worths = worlds.find_value, worlds.worths
    monkeypatch.setattr(worlds, "find_value", lambda name: find_value("known-slot"))
    monkeypatch.setattr(worlds, "worths", lambda root, name, *history: worths(root, "known-slot", *history))
    swapped = [
        (cell, read_back(values.run_cell(cell)) if cell.part == "forecasts" else result) for cell, result in results
    ]
    forecasts = [row for row in rows(swapped) if row.quantity == "slot 1 receives what was foreseen"]
    assert {row.condition.partition(",")[0]: row.agrees for row in forecasts} == {
        "sta": False,
        "dyn": False,
        "known-slot": True,
    }


def test_who_decides_unlike_all_others_is_alone():
    assert alone({"one": "a", "two": "b", "three": "b"}) == "one"
    assert alone({"one": "a", "two": "b", "three": "a"}) == "two"
    assert alone({"one": "a", "two": "a"}) is None
    assert alone({"one": "a", "two": "a", "three": "b", "four": "b"}) is None


def test_all_rewards_are_tripled_and_nothing_else_changes():
    draw = Random(1)
    for world in (random_world(draw) for _ in range(30)):
        tripled = values._triple_rewards(world)
        assert repr(tripled) == re.sub(r"pays=(\d+)", lambda found: f"pays={3 * int(found[1])}", repr(world))
