"""The table of what the papers say cannot rot: every name in it exists, and a row that is rotten is refused."""

import html
import re
from dataclasses import replace

import pytest

from scenarios.lab import registry, runner
from scenarios.self_reflection.stored_totals import stored_measurements, with_seeds
from tests.build import load_script

LEAST = 210
QUICK = ("avoid-ending", "doll")
"""Scenarios that take a second or so; the full test runs all that the table names."""


table = load_script("docs/fidelity_table.py")
ENTRIES, RECORDED = table.read_entries(), table.read_recorded()


COMMAND = re.compile(r"gives (\.\d{4}) \(standard error (\.\d{4}), the paper's five seeds\)")
"""What a row of Table 2 says that the command of the page gives."""


def test_the_measures_of_deep_agents_are_those_of_the_stored_runs():
    said = {entry.place.removeprefix("Table 2, "): COMMAND.search(entry.remark) for entry in ENTRIES}
    said = {agent: found.groups() for agent, found in said.items() if found}
    stored = {agent: with_seeds(runs, range(1, 6)) for agent, runs in stored_measurements().items()}
    assert set(said) == {"DQN", "RC(DQN)", "A2C", "RC(A2C)", "PPO", "RC(PPO)"}
    assert said == {
        agent: (f"{stored[agent].mean:.4f}"[1:], f"{stored[agent].standard_error:.4f}"[1:]) for agent in said
    }


def test_nothing_in_the_table_has_rotted():
    assert table.problems(ENTRIES, RECORDED) == []


def test_it_covers_the_five_papers():
    assert len(ENTRIES) >= LEAST
    assert len({(one.paper, one.place) for one in ENTRIES}) == len(ENTRIES)
    assert len({one.paper for one in ENTRIES}) == 5


def test_the_page_is_what_the_table_says():
    assert table.PAGE.read_text(encoding="utf-8") == table.page(ENTRIES, RECORDED), "run python docs/fidelity_table.py"


def test_the_built_page_shows_every_row_with_its_reason():
    shown = table.rows(ENTRIES, RECORDED)
    assert shown.count("<tr data-kind=") == len(ENTRIES)
    for one in ENTRIES:
        assert html.escape(one.says) in shown
        assert html.escape(one.remark) in shown
    assert table.HERE in table.PAGE.read_text(encoding="utf-8")


SOUND = next(one for one in ENTRIES if one.place == "Theorem 1")


@pytest.mark.parametrize(
    ("rotten", "said"),
    [
        (replace(SOUND, code="multislot.exact.NoSuchWorld"), "no object multislot.exact.NoSuchWorld"),
        (replace(SOUND, code="no_such_package"), "no object no_such_package"),
        (replace(SOUND, tests="laws/test_universal::test_theorem_2"), "no test laws/test_universal::test_theorem_2"),
        (replace(SOUND, tests="laws/test_nowhere::test_theorem_1"), "no test laws/test_nowhere::test_theorem_1"),
        (
            replace(SOUND, rows="universal-belief: weight of the dice [formula]"),
            "no row universal-belief: weight of the dice [formula]",
        ),
        (
            replace(SOUND, rows="universal-belief: weight of the coin [claim]"),
            "no row universal-belief: weight of the coin [claim]",
        ),
        (
            replace(SOUND, rows="universal-belief: weight of the coin [formula] @ nobody"),
            "no row universal-belief: weight of the coin",
        ),
        (
            replace(SOUND, rows="multiversal-belief: weight of the coin [published]"),
            "no row multiversal-belief: weight of the coin [published]",
        ),
        (replace(SOUND, rows="not a reference"), "no row not a reference"),
        (replace(SOUND, implemented="mostly", remark="in part"), "implemented='mostly'"),
        (replace(SOUND, implemented="no", remark=""), "no reason is given"),
        (replace(SOUND, tests="", rows=""), "nothing checks it"),
    ],
)
def test_a_rotten_row_is_refused(rotten, said):
    (found,) = table.problems([rotten], RECORDED)
    assert found.startswith("Orseau 2014, Theorem 1: ")
    assert said in found


def test_a_sound_row_is_not_refused():
    assert table.problems([SOUND], RECORDED) == []


def test_a_row_that_is_not_as_expected_is_refused_whatever_the_table_says():
    reference = "universal-belief: weight of the coin [formula]"
    rows = [
        replace(row, agrees="False") if (row.scenario, row.kind) == ("universal-belief", "formula") else row
        for row in RECORDED
    ]
    for implemented in ("yes", "reading", "differs", "no"):
        entry = replace(SOUND, rows=reference, implemented=implemented, remark="why")
        assert table.problems([entry], RECORDED) == []
        (found,) = table.problems([entry], rows)
        assert "a row differs" in found


def check_recorded(name, tmp_path):
    """Run a scenario as the reproduction does: the recorded rows are there, of their kind, and agree as recorded."""
    scenario = registry.find(name)
    runner.run(scenario, settings=scenario.settings(preset="QUICK"), jobs=1, results=tmp_path)
    found = table.meant(table.read_results(tmp_path, [name]), ENTRIES)
    assert found
    assert found == [row for row in RECORDED if row.scenario == name]


@pytest.mark.parametrize("name", QUICK)
def test_recorded_rows_are_what_a_scenario_gives(name, tmp_path):
    check_recorded(name, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in table.scenarios_of(ENTRIES) if name not in QUICK])
def test_all_recorded_rows_are_what_scenarios_give(name, tmp_path):
    check_recorded(name, tmp_path)
