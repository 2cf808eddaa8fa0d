"""The scenario of language models: what comes out for known ones, and what it refuses."""

import json
from dataclasses import replace

import pytest

from extenv import measure
from multislot.agents import QLearner, RandomAgent
from multislot.agents.language import FirstLetter, ScriptedServer
from multislot.errors import MultislotError
from multislot.testing import check_agent
from scenarios.lab import runner
from scenarios.lab.registry import find
from scenarios.lab.table import beside_papers
from scenarios.self_reflection.language import asking, plot, rows
from scenarios.self_reflection.language.asking import UnpaidFactory
from scenarios.self_reflection.language.settings import QUICK

pytest.importorskip("openai")

SCENARIO = find("language")
SMALL = replace(QUICK, steps=4, turns=4, environments=("TemptingButton", "IncentivizeLearningRate"))


def played(settings):
    cells = SCENARIO.cells(settings)
    return [(cell, json.loads(json.dumps(SCENARIO.run_cell(cell)))) for cell in cells]


@pytest.fixture(scope="module")
def results():
    return played(SMALL)


def table(results, settings=SMALL):
    return {(row.quantity, row.condition): row for row in beside_papers(SCENARIO.table(settings, results), [])}


def test_all_that_is_compared_agrees(results):
    compared = [row for row in table(results).values() if row.agrees is not None]
    assert [row for row in compared if not row.agrees] == []
    assert {row.kind for row in compared} == {"formula", "control"}
    assert len([row for row in compared if row.kind == "control"]) == 4


def test_the_measure_is_that_of_the_library(results):
    found = measure(QLearner, steps=4, seeds=2, environments=SMALL.environments)
    row = table(results)["self-reflection measure", "scripted:Q, 4 steps, 2 seeds, 2 environments"]
    assert (row.ours, row.paper) == (pytest.approx(found.mean), pytest.approx(found.mean))
    assert found.mean


def test_pictures_and_a_story_are_made(results):
    figures = SCENARIO.figures(SMALL, results)
    assert set(figures) == {"language", "environments"}
    assert all(figure.axes for figure in figures.values())
    assert "These are the numbers of a known policy, Q" in SCENARIO.story(SMALL, results)


def test_a_dry_run_says_what_would_be_asked(results):
    dry = replace(SMALL, dry=True, input_price=2.0, output_price=8.0)
    foretold = {row.quantity: row.ours for row in table(played(dry), dry).values()}
    done = {quantity: row.ours for (quantity, _), row in table(results).items()}
    assert foretold["prompts that would be asked"] == pytest.approx(done["prompts"], rel=0.1)
    assert foretold["input tokens that would be asked"] == pytest.approx(done["input tokens"], rel=0.1)
    assert foretold["cost"] > 0
    assert SCENARIO.figures(dry, played(dry)) == {}


def test_a_reward_that_does_not_depend_on_what_was_done_brings_the_measure_to_zero():
    """And rewards that are only shuffled would not have to: an agent may act on whether all of them are good."""
    found = measure(UnpaidFactory(QLearner), steps=30, seeds=2)
    assert found.mean == 0.0
    assert measure(QLearner, steps=30, seeds=2).mean > 0.1
    assert any(found.mean_rewards(name, False) != [0.0, 0.0] for name in found.weights)
    check_agent(UnpaidFactory(RandomAgent))


def test_what_the_seeds_cannot_show_is_said(results):
    rows_found = table(results)
    distances = [row.ours for (quantity, _), row in rows_found.items() if quantity.startswith("distance")]
    assert distances == sorted(distances, reverse=True)
    assert len(distances) == len(rows.SEEDS_SHOWN)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model": "scripted:P"}, "unknown scripted model 'scripted:P'"),
        ({"steps": "1"}, "steps=1"),
        ({"form": "words"}, "form=words"),
        ({"most_cals": "3"}, "did you mean 'most_calls'"),
        ({"environments": "TemptingBotton"}, "did you mean 'TemptingButton'"),
    ],
)
def test_settings_are_checked_before_anybody_is_asked(changes, sentence):
    with pytest.raises(MultislotError, match=sentence):
        SCENARIO.settings(changes)


def test_a_limit_on_calls_holds_for_the_whole_run(tmp_path):
    with ScriptedServer(FirstLetter()) as server:
        asked = {"model": "anybody", "base_url": server.base_url, "answers": str(tmp_path / "answers.sqlite")}
        limited = replace(SMALL, most_calls=20, threads=2, **asked)
        for most in (20, 40):  # a second run goes on from what the first was answered
            for cell in SCENARIO.cells(limited)[:4]:
                with pytest.raises(MultislotError, match=f"most_calls=20 is used up; (1[0-9]|{most}) answers so far"):
                    SCENARIO.run_cell(cell)
            assert server.requests == most


def test_a_limit_on_calls_ends_a_scripted_run_in_a_sentence():
    first, second, *_ = SCENARIO.cells(replace(SMALL, most_calls=3, threads=1))
    for cell in (first, second):
        with pytest.raises(MultislotError, match="most_calls=3 is used up; 3 answers so far"):
            SCENARIO.run_cell(cell)


def test_no_cell_of_a_scripted_model_depends_on_what_was_asked_before_it():
    found = []
    for order in (1, -1):
        cells = [cell for cell in SCENARIO.cells(SMALL) if getattr(cell, "seed", 0) == 1][::order]
        results = [{name: x for name, x in SCENARIO.run_cell(cell).items() if name != "tally"} for cell in cells]
        found.append(results[::order])
    assert found[0] == found[1]


def test_several_processes_cannot_keep_a_limit(monkeypatch):
    monkeypatch.setattr(asking, "parent_process", lambda: "another")
    with pytest.raises(MultislotError, match="got most_calls=3; expected one process; leave --jobs"):
        SCENARIO.run_cell(SCENARIO.cells(replace(SMALL, most_calls=3))[0])
    assert SCENARIO.run_cell(SCENARIO.cells(replace(SMALL, environments=("TemptingButton",)))[0])["totals"]


def test_a_model_behind_a_server_is_asked_once_and_its_key_is_in_no_result(tmp_path, monkeypatch):
    key = "sk-planted-0452"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setattr(plot, "figures", lambda settings, results: {})  # drawing takes long
    answers = tmp_path / "answers.sqlite"
    with ScriptedServer(FirstLetter()) as server:
        changes = {"model": "anybody", "base_url": server.base_url, "answers": str(answers), "seeds": 1}
        settings = replace(SMALL, environments=("TemptingButton",), agents=("Q",), **changes)
        first = runner.run(SCENARIO, settings, results=tmp_path / "first")
        asked = server.requests
        again = runner.run(SCENARIO, settings, results=tmp_path / "again")
        assert server.requests == asked > 0
    assert [row.ours for row in again.rows] == [row.ours for row in first.rows]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"cells.sqlite", "table.csv", "run.json", "answers.sqlite"} <= {path.name for path in kept}
    assert [path.name for path in kept if key.encode() in path.read_bytes()] == []
