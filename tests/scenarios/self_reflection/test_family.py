"""Scenarios of extended environments: on small settings they say what the library says, and the papers' cells stand."""

from dataclasses import replace
from importlib import import_module
from statistics import pstdev

import pytest

from extenv import make, measure, reality_check, run
from extenv.battery import BATTERY
from extenv.measuring.measurement import Measurement, Score
from multislot.agents import QLearner
from multislot.errors import MultislotError
from multislot.statistics import UNDECIDED
from scenarios.lab.registry import find
from scenarios.lab.table import Row
from scenarios.self_reflection import measuring
from scenarios.self_reflection.formal_battery import POORLY, WELL, word_for
from scenarios.self_reflection.formal_battery.examples import classifier
from scenarios.self_reflection.measuring import agent_factory, trainer_of
from scenarios.self_reflection.newcomb import comes_to_take
from scenarios.self_reflection.self_reflection.table_2 import measure_row
from tests.scenarios.conftest import finished

PAPERS_SPREAD = "the paper's ± (deviation / number of seeds)"
SMALL = {
    "self_reflection": {"agents": ("Constant", "Q"), "steps": 40, "seeds": 2},
    "tempting_button": {"steps": 100, "seeds": 2},
    "newcomb": {"agents": ("Q", "RC(Q)"), "steps": 1000, "seeds": 2},
    "fooled_reality_check": {"agents": ("Q",), "steps": 300, "seeds": 3},
    "formal_battery": {"agents": ("Constant", "Q"), "steps": 12, "seeds": 2},
}


def played(name):
    """Run a scenario on small settings, as the runner does: results are read back from JSON."""
    module = import_module(f"scenarios.self_reflection.{name}")
    settings = module.Settings(**SMALL[name])
    results = finished(module, settings)
    return module, settings, results, {(row.quantity, row.condition): row for row in module.table(settings, results)}


def test_self_reflection_is_the_measure():
    _, _, _, rows = played("self_reflection")
    for label, factory in (("Q", QLearner), ("RC(Q)", reality_check(QLearner, "published"))):
        row = rows["self-reflection measure", f"{label}, 40 steps, 2 seeds"]
        found = measure(factory, steps=40, seeds=2)
        assert (row.ours, row.uncertainty) == (pytest.approx(found.mean), pytest.approx(found.standard_error))


def test_the_tempting_button_is_the_runs():
    _, _, _, rows = played("tempting_button")
    earned = [run("TemptingButton", QLearner, steps=100, seed=seed).mean_reward for seed in (1, 2)]
    assert rows["reward a step", "Q, 100 steps, 2 seeds"].ours == pytest.approx(sum(earned) / 2)
    assert rows[PAPERS_SPREAD, "Q, 100 steps, 2 seeds"].ours == pytest.approx(pstdev(earned) / 2)


def test_newcomb_pays_the_fixed_policies_exactly_and_learners_come_to_one_box():
    _, _, _, rows = played("newcomb")
    assert rows["money a turn", "always one box"].ours == 1_000_000
    assert rows["money a turn", "always both boxes"].ours == 1_000
    assert rows["share of turns with one box", "Q, second half of 1000 turns, 2 seeds"].ours > 0.9


def test_what_learners_come_to_take_is_said_only_where_the_seeds_decide_it():
    assert comes_to_take([0.95, 0.94, 0.96]) == "one box"
    assert comes_to_take([0.5, 0.55, 0.6]) == "both boxes, too often"
    assert comes_to_take([0.99, 0.6, 0.95]) == comes_to_take([0.95]) == UNDECIDED


@pytest.mark.parametrize(
    ("scenario", "changes", "sentence"),
    [
        ("self-reflection", {"agents": "ppo"}, "unknown agent 'ppo'; did you mean 'PPO'"),
        ("tempting-button", {"agents": "Naive,Q,Simple,Q,Simple"}, "got Q more than once; give every name once"),
        ("newcomb", {"agents": "Q,RC(q)"}, "unknown agent 'q'; did you mean 'Q'"),
        ("tempting-button", {"agents": "RC(Q)"}, "unknown agent 'RC\\(Q\\)'"),
    ],
)
def test_agents_are_checked_before_anything_runs(scenario, changes, sentence):
    with pytest.raises(MultislotError, match=sentence):
        find(scenario).settings(changes)


def test_deep_agents_are_the_published_ones():
    trained = trainer_of("DQN")
    assert agent_factory("DQN").keywords == {"mode": "published", "trainer": trained}
    assert agent_factory("DQN", trainer="sb3").keywords == {"mode": "published", "trainer": "sb3"}
    assert trainer_of("RC(PPO)") == trained
    assert trainer_of("Q") == ""


@pytest.mark.parametrize(
    ("earned", "word"),
    [([0.5] * 2, WELL), ([0.2] * 2, POORLY), ([0.9, 0.8, 0.85], WELL), ([1], UNDECIDED), ([0.2, 0.3, 0.9], UNDECIDED)],
)
def test_how_an_agent_does_is_said_where_the_seeds_decide_it(earned, word):
    assert word_for(earned, 0.5) == word


@pytest.mark.parametrize(("gain", "loss", "environments"), [(2, 4, 13), (0, 4, None), (2, 0, None), (-2, 4, None)])
def test_how_many_punishing_environments_turn_the_sign(monkeypatch, gain, loss, environments):
    module = import_module("scenarios.self_reflection.fooled_reality_check")
    changes = {module.BATTERY_RUN: gain, module.PUNISHED: -loss}
    monkeypatch.setattr(
        module,
        "numbers",
        lambda results, part, agent, key: [changes[part] * agent.startswith("RC(") + one for one in (1, 2)],
    )
    rows = module.battery_rows(module.Settings(**SMALL["fooled_reality_check"]), [])
    assert [row.ours for row in rows[1:]] == [environments][: environments is not None]


@pytest.mark.parametrize("name", ["self_reflection", "tempting_button"])
def test_the_papers_spread_is_told_from_two_seeds_on(name):
    module, settings, results, rows = played(name)
    first = [(cell, result) for cell, result in results if cell.seed == 1]
    alone = module.table(replace(settings, seeds=1), first)
    assert PAPERS_SPREAD in {quantity for quantity, _ in rows}
    assert PAPERS_SPREAD not in {row.quantity for row in alone}
    assert {row.condition for row in alone} == {row.condition.replace("2 seeds", "1 seeds") for row in rows.values()}


def test_wins_and_losses_are_told_from_two_seeds_on():
    module, settings, results, _ = played("self_reflection")
    assert "RC(Q) against Q, with opposites: " in module.story(settings, results)
    first = [(cell, result) for cell, result in results if cell.seed == 1]
    assert "against" not in module.story(replace(settings, seeds=1), first)


@pytest.mark.parametrize("opposite", [False, True])
def test_lives_and_totals_are_those_of_runs(opposite):
    """After 7 and after 30 steps, step by step, and in parts of a run."""
    whole, short = (run("FlipEveryOther", QLearner, steps=steps, seed=3, opposite=opposite) for steps in (30, 7))
    totals = measuring.totals_after([7, 30], make("FlipEveryOther"), QLearner, 3, opposite)
    assert totals == [short.total_reward, whole.total_reward]
    if not opposite:
        steps = list(measuring.live(make("FlipEveryOther"), QLearner, 3, 30))
        assert sum(step.reward for step in steps) == whole.total_reward
        assert {step.seen for step in steps} == {0}
    assert measuring.parts_of([1, 2, 3, 4, 5, 6, 7], 3) == [1.5, 3.5, 6]


def test_a_classifier_is_paid_for_the_label_of_each_training_image():
    def recall(prompt):
        return prompt[2 + 3 * prompt[1::3].index(prompt[-1])] if len(prompt) == 11 else 0

    for image, label in (training := ((1, 7), (2, 3), (4, 5))):
        assert classifier(recall)(frozenset({3, 5, 7}), training, image)[label] == 1


@pytest.mark.parametrize(("seeds", "tolerance"), [(1, 0.2), (4, 0.1), (5, 0.2 / 5**0.5), (6, None)])
def test_with_fewer_seeds_a_measure_may_be_off_by_more(seeds, tolerance):
    printed = [Row("measure", "others", paper=1.0), Row("measure", "here", paper=0.5, tolerance=0.2 / 5**0.5)]
    row = measuring.with_fewer_seeds(Row("measure", "with seeds", 0.4), printed, "here", seeds)
    assert (row.paper, row.tolerance) == ((0.5, pytest.approx(tolerance)) if tolerance else (None, 0))
    assert measuring.with_fewer_seeds(Row("other", "with seeds", 0.4), printed, "here", 1).paper is None


def test_measures_of_some_environments_are_not_beside_those_of_all():
    agent, trainer = "A2C", "one_hot"
    for environments, part in ((BATTERY, ""), (BATTERY[:2], ", 2 environments"), (BATTERY[1:], ", 24 environments")):
        settings = measuring.BatterySettings(agents=(agent,), environments=environments, trainer=trainer)
        scores = (Score(BATTERY[0], False, 1, 0.0, 0.0),)
        row = measure_row(settings, Measurement(agent, settings.steps, scores, {BATTERY[0]: 1.0}, trainer))
        assert (row.condition, row.paper is None) == (f"A2C, 100000 steps, 1 seeds{part}, trainer one_hot", bool(part))
