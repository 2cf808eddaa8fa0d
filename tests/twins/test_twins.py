"""The expected rows that independent programs wrote are still theirs, and they notice a planted fault."""

import csv
from dataclasses import replace

import pytest

from considerate.craftworld import task
from considerate.exact.frontiers import frontier
from scenarios.lab import registry
from scenarios.self_reflection.formal_battery import examples
from tests.twins import SCENARIOS, craft_world, formal, futures


def written(path, command):
    """The rows of a program in a file."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["source"].endswith(command)]
    return [(line["quantity"], line["condition"], line["paper"], line["tolerance"]) for line in lines]


def test_the_rows_of_craft_world_are_those_of_its_program():
    for place, rows in craft_world.rows().items():
        path = SCENARIOS / "consideration" / f"{place}.csv"
        assert written(path, craft_world.COMMAND) == [tuple(map(str, row)) for row in rows]


def test_the_rows_of_the_futures_are_those_of_their_program():
    rows = [tuple(map(str, row)) for row in futures.rows()]
    assert written(SCENARIOS / "identity" / "values.csv", futures.COMMAND) == rows


@pytest.mark.slow
def test_the_rows_of_the_formal_examples_are_those_of_their_program():
    rows = [tuple(map(str, row)) for row in formal.rows()]
    assert written(SCENARIOS / "self_reflection" / "formal_battery.csv", formal.COMMAND) == rows


FAULTS = {
    "10 crying baby": ("satiation", lambda play: 100 + 20 * play[2::3].count(0) - len(play)),
    "3 backward consciousness": ("reverse", lambda prompt: prompt),
    "11 self-recognition": ("split", lambda play: (play[:2], play[-1])),
    "13 meta example": ("PLAY_IT", 1),
}


EXPECTED = {(row.quantity, row.condition): row.paper for row in registry.find("formal-battery").expected}
PERCEPTS = "percepts of three hash agents after nine plays"


@pytest.mark.parametrize("name", examples.EXAMPLES)
def test_every_formal_example_shows_and_pays_hash_agents_what_its_program_says(name):
    assert examples.percepts_of_hash_agents(examples.EXAMPLES[name].environment) == EXPECTED[PERCEPTS, name]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_formal_example_changes_what_hash_agents_get(name, monkeypatch):
    monkeypatch.setattr(f"extenv.formal.examples.{FAULTS[name][0]}", FAULTS[name][1])
    assert examples.percepts_of_hash_agents(examples.EXAMPLES[name].environment) != EXPECTED[PERCEPTS, name]


def test_the_cost_of_a_rule_added_to_the_cost_of_its_step_is_noticed():
    """In box the extra wood costs 12 in all; with the step's cost added, the last threshold moves."""
    box = task("box")
    dearer = tuple(replace(rule, cost=rule.cost + 1) if rule.cost else rule for rule in box.acting.changes)
    expected = {(row.quantity, row.condition): row.paper for row in registry.find("formulations").expected}
    for acting, is_right in ((box.acting.changes, True), (dearer, False)):
        found = frontier(replace(box, acting=replace(box.acting, changes=acting)))
        shown = ", ".join(map(str, found.thresholds))
        assert (shown == expected["thresholds in α", "box, equation 1"]) is is_right
