"""The expected rows that independent programs wrote are still theirs, and they notice a planted fault."""

import csv
from dataclasses import replace

from considerate.craftworld import task
from considerate.exact.frontiers import frontier
from scenarios.lab import registry
from tests.twins import SCENARIOS, craft_world, futures


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


def test_the_cost_of_a_rule_added_to_the_cost_of_its_step_is_noticed():
    """In box the extra wood costs 12 in all; with the step's cost added, the last threshold moves."""
    box = task("box")
    dearer = tuple(replace(rule, cost=rule.cost + 1) if rule.cost else rule for rule in box.acting.changes)
    expected = {(row.quantity, row.condition): row.paper for row in registry.find("formulations").expected}
    for acting, is_right in ((box.acting.changes, True), (dearer, False)):
        found = frontier(replace(box, acting=replace(box.acting, changes=acting)))
        shown = ", ".join(map(str, found.thresholds))
        assert (shown == expected["thresholds in α", "box, equation 1"]) is is_right
