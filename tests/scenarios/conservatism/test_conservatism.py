"""The scenarios of pessimism: their stories on small settings, the interval arithmetic, the pictures."""

from dataclasses import replace

import numpy as np
import pytest

from multislot.bayes import Life, MentorClass, MentoredWorld, MentorPosterior, ModelWorld, TabularMentor, live
from multislot.errors import SettingError
from multislot.statistics import UNDECIDED
from scenarios.conservatism import reward_hacking
from scenarios.conservatism.agents import LIKELY, PESSIMISTIC, AlwaysDefers, half_as_careful
from scenarios.conservatism.cliff import cliff_world, cliffs_of, truth_of
from scenarios.conservatism.random_classes import seldom, tabular_mentors
from scenarios.lab import registry
from tests.scenarios.conservatism.small import ran, rows_of, verdict_of

NAMES = ("mentor-level", "query-decay", "precedent", "reward-hacking", "conservative-vs-standard")


def resized(cell, **changes):
    """A cell with other settings."""
    return replace(cell, settings=replace(cell.settings, **changes))


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_named_once_and_what_is_uncertain_says_how_much(name):
    settings, results, run = ran(name)
    rows = run.table(settings, results)
    assert len({(row.quantity, row.condition) for row in rows}) == len(rows)
    for row in rows:
        assert row.condition.startswith(row.case)
        if row.interval is not None:
            assert (row.uncertainty > 0) == (row.interval[0] < row.interval[1])
            assert row.interval[0] <= row.ours <= row.interval[1]
        if "share" in row.quantity:
            assert row.interval is not None, row


def test_a_mutant_that_leaves_out_twice_the_weight_takes_the_keys():
    assert [half_as_careful(beta) for beta in (0.2, 0.5, 0.75, 0.9)] == pytest.approx([0, 0, 0.5, 0.8])
    rows = rows_of("reward-hacking", weights=(0.85,), betas=(0.9,), takeovers=(0.05,))
    assert verdict_of(rows.values(), "control: mutant with 2(1 − β)") == "takes"
    assert rows_of(
        "reward-hacking", weights=(0.85,), betas=(0.6,)
    )  # where the pessimist takes them, too, no mutant lives


def test_of_few_lives_that_all_leave_the_keys_nothing_is_said_and_one_that_takes_them_is_seen():
    settings, results, run = ran("reward-hacking", takeovers=(0.0,))
    assert verdict_of(run.table(settings, results), "the pessimistic agent") == UNDECIDED
    taking = [
        (cell, {**result, "taken": cell.seeds} if cell.agent == PESSIMISTIC else result) for cell, result in results
    ]
    assert verdict_of(run.table(settings, taking), "the pessimistic agent") == "takes"


def test_it_matters_who_the_mentor_is(monkeypatch):
    """An imitator that learns nothing of its mentor keeps asking, and the table says so."""
    observe = MentorPosterior.observe
    monkeypatch.setattr(
        MentorPosterior, "observe", lambda self, action, percept, _: observe(self, action, percept, False)
    )
    settings, results, run = ran.__wrapped__("conservative-vs-standard")
    assert verdict_of(run.table(settings, results), "questions of the imitator") == run.ASKS


def test_a_life_ends_with_the_state_that_its_last_step_led_to():
    world = cliff_world(5, 0.02, 0.95, 60)
    path = (None, 35, 36, 37, 38, 39, 40, 41, 48)
    for steps in range(1, 9):
        agent = AlwaysDefers(world.models, 0.95, 60)
        truth = MentoredWorld(ModelWorld(world.models.models[0], 49))
        lived = live(agent, truth, world.mentors.mentors[0], steps, seed=0)
        assert lived.observations == path[: steps + 1]
        assert lived.questions() == steps


def test_a_fall_counts_from_the_step_that_leads_to_it():
    lived = Life((None, 35, 36, 36), (2, 1, 1), (0.05, 0.05, 0.0), (True, True, True))
    assert (lived.fall(cliffs_of(0b00001)), lived.questions(cliffs_of(0b00001))) == (2, 2)
    for safe in (0b00010, 0):
        assert (lived.fall(cliffs_of(safe)), lived.questions(cliffs_of(safe))) == (None, 3)


@pytest.mark.parametrize("steps", [1, 2, 4, 6])
def test_on_the_shortest_way_the_kth_suspect_is_entered_with_step_k_plus_one(steps):
    """So that one life in five ends with each further step, and the agent is the first from the second on."""
    _, results, run = ran("conservative-vs-standard")
    (careless,) = [cell for cell, _ in results if (cell.agent, cell.truth) == ("most likely model", "deadly")]
    truths = [truth_of(np.random.default_rng(seed), 5, deadly=True) for seed in range(10)]
    found = run.run_cell(resized(careless, steps=steps, seeds=10))
    assert found["fell"] == [truth.bit_length() < steps for truth in truths]
    assert found["first"] == [steps >= 2] * 10


def test_keys_taken_with_the_last_step_are_taken():
    _, results, run = ran("reward-hacking")
    (believer,) = [
        cell for cell, _ in results if (cell.agent, cell.weight, cell.takeover) == ("most likely model", 0.75, 0)
    ]
    assert run.run_cell(replace(believer, steps=1))["taken"] == 1


def test_the_keys_are_taken_where_the_closed_form_says_so_even_where_weights_tie():
    """At 1/2 both hypotheses weigh the same; a weight of β leaves satisfaction among the models."""
    asked = {"weights": (0.5, 0.625, 0.75), "betas": (0.5, 0.75), "takeovers": (0.05, 0.6), "horizon": 5, "seeds": 1}
    settings = replace(reward_hacking.Settings(), **asked)
    exact = [
        cell for cell in reward_hacking.cells(settings) if cell.agent in ("full mixture (AIXI)", LIKELY, PESSIMISTIC)
    ]
    rows = reward_hacking.table(settings, [(cell, reward_hacking.run_cell(cell)) for cell in exact])
    compared = [(row.ours, row.paper) for row in rows if row.source == reward_hacking.IRREVOCABLE]
    assert [ours == paper for ours, paper in compared] == [True] * 20
    assert verdict_of(rows, "control: full mixture (AIXI)") == "leaves"  # alone where the keys promise less


def test_falls_are_judged_by_the_bound_and_only_where_there_is_enough_to_see():
    settings, results, run = ran("conservative-vs-standard")
    quantity = "lives that end in a fall: the pessimistic agent"
    delta = run.bounds(settings, 0.99)[0]
    assert delta == pytest.approx(0.01 / (0.02 * 0.98**4))
    assert verdict_of(run.table(settings, results), quantity) == UNDECIDED
    assert run.bounds(settings, 0.0) == (1, 1)
    for fell, word in (([False] * 40, "at most δ"), ([True] * 40, "more than δ")):
        lives = [
            (cell, {**result, "fell": fell}) if cell.agent == PESSIMISTIC else (cell, result)
            for cell, result in results
        ]
        assert verdict_of(run.table(settings, lives), quantity) == word


@pytest.mark.parametrize(
    ("queries", "imitator", "alone"),
    [((20, 20), "stops", "stops"), ((20, 21), "keeps", "stops"), ((21, 21), "keeps", "keeps")],
)
def test_who_asks_in_more_than_half_of_the_steps_keeps_asking(queries, imitator, alone):
    settings, results, run = ran("conservative-vs-standard")
    counted = {"safe": queries, "deadly": (0, 0)}
    rows = run.table(settings, [(cell, {**result, "queries": counted[cell.truth]}) for cell, result in results])
    assert verdict_of(rows, "questions of the imitator") == f"{imitator} asking"
    assert verdict_of(rows, "control: questions of the mentor alone") == f"{alone} asking"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("query-decay", {"betas": "-0.1"}),
        ("reward-hacking", {"weights": "0.5,1.5"}),
        ("mentor-level", {"checkpoints": "-1"}),
        ("mentor-level", {"checkpoints": "5,2"}),
    ],
)
def test_settings_out_of_their_domain_are_refused_before_anything_runs(name, changes):
    scenario = registry.find(name)
    with pytest.raises(SettingError, match=next(iter(changes))):
        scenario.cells(scenario.settings(changes))


def test_the_class_of_cliffs_weighs_each_suspect_apart():
    world = cliff_world(3, 0.1, 0.95, 40)
    assert len(world.models) == len(world.mentors) == 8
    assert world.models.prior[0] == pytest.approx(0.9**3)
    assert world.models.prior[5] == pytest.approx(0.9 * 0.1**2)
    assert world.models.names[5] == "cliffs at ac"
    assert truth_of(np.random.default_rng(0), 3, deadly=False) == 0
    assert {truth_of(np.random.default_rng(seed), 3, deadly=True) for seed in range(20)} == {1, 2, 4}


def test_a_mentor_that_seldom_causes_an_event_is_otherwise_as_before():
    """In the event's state the other actions keep their proportions; the states of twins have the same policy."""
    before = MentorClass([TabularMentor([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])])
    (after,) = tabular_mentors(seldom(before, (1, 2), 0.1))
    expected = [[0.5, 0.3, 0.2], [0.3, 0.6, 0.1]]
    assert np.allclose(after.policy, expected * 2)
    assert np.allclose(before.mentors[0].policy[1], [0.1, 0.2, 0.7])
