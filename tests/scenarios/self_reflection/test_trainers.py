"""Both trainers next to each other: what is stored is of the stated runs, and drift is measured from both sides."""

import csv
import math
from functools import partial

import pytest

from extenv.measuring.running import run
from multislot.agents.one_hot_models import kernel
from scenarios.self_reflection import trainers


@pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")
def test_drift_begins_within_rounding_and_the_nudged_twin_begins_where_it_was_nudged(monkeypatch):
    pytest.importorskip("stable_baselines3")
    monkeypatch.setattr(trainers, "AFTER", (1, 3))
    found = {(updates, what): far for updates, what, far in trainers.drifts("A2C", (3, 2), 1)}
    assert set(found) == {(n, what) for n in (1, 3) for what in (trainers.ONE_HOT, trainers.PERTURBED)}
    assert max(far for (_, what), far in found.items() if what == trainers.ONE_HOT) < 1e-5
    assert found[1, trainers.PERTURBED] >= 0.5 * trainers.NUDGE
    monkeypatch.setattr(trainers, "NUDGE", 1e-2)  # the control: a twin that is off by more ends further away
    (*_, (_, _, far)) = trainers.drifts("A2C", (3, 2), 1)
    assert far > 100 * found[3, trainers.PERTURBED]


def test_the_stored_drift_covers_every_algorithm_and_both_lines_stay_together():
    """Over 1,000 updates the trainer ends no more than ten times as far away as the nudged twin."""
    last: dict[str, dict[str, float]] = {}
    for row in trainers.read(trainers.DRIFT).to_dict("records"):
        if int(row["updates"]) >= trainers.AFTER[-1]:
            cell = last.setdefault(row["algorithm"], {})
            cell[row["what"]] = max(cell.get(row["what"], 0.0), float(row["distance"]))
    assert set(last) == {"A2C", "PPO", "DQN"}
    for cell in last.values():
        assert cell[trainers.ONE_HOT] < 10 * cell[trainers.PERTURBED]
    assert len(trainers.draw_drift().axes) == 3
    assert set(trainers.drift_table().algorithm) == set(last)


def test_stored_totals_are_all_runs_of_the_plan_each_once():
    rows = trainers.read(trainers.TOTALS).to_dict("records")
    runs = [(row["environment"], int(row["steps"]), row["mode"], row["trainer"], int(row["seed"])) for row in rows]
    assert len(set(runs)) == len(runs)
    assert set(runs) == {(*plan[:4], seed) for plan in trainers.RUNS for seed in range(1, plan[4] + 1)}
    equal, compared = trainers.equal_totals("IgnoreActions")
    assert 3 * equal > compared >= 20
    assert trainers.equal_totals("IgnoreActions", "one_hot") == (0, compared)  # the control: other draws, other totals
    assert trainers.describe_locked([0.0, 0.05, 0.9]) == "2 of 3 runs near 0"
    assert len(trainers.draw_totals().axes) == len({plan[:2] for plan in trainers.RUNS})


def test_every_stored_run_of_the_evader_is_the_predictors_negated_where_agents_draw_apart():
    """They are one game with the roles exchanged; the control is agents that share a generator."""
    for trainer in ("sb3", trainers.DRAWN_APART):
        equal, compared = trainers.mirrored_totals(trainer)
        assert equal == compared > 0
    equal, compared = trainers.mirrored_totals("one_hot")
    assert equal < compared == 20


@pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")
def test_the_evader_is_the_predictor_with_the_roles_exchanged():
    """The rewards of any agents that draw apart add up to 0; the control shares a generator."""
    sums = {
        trainer: sum(run(name, partial(trainers.FACTORIES[trainer], mode="published"), steps=300, seed=1).total_reward
                     for name in trainers.ADVERSARIES)
        for trainer in (trainers.DRAWN_APART, "one_hot")
    }  # fmt: skip
    assert sums[trainers.DRAWN_APART] == 0 != sums["one_hot"]


def test_runs_with_the_same_draws_are_distributed_as_stable_baselines3s_and_others_are_not():
    found = trainers.compare_with_sb3("IgnoreActions").set_index("compared with Stable-Baselines3")
    same, control = found.loc[trainers.APART], found.loc[trainers.FAITHFUL]
    assert min(same["Fisher p"], same["KS p"]) > trainers.LEVEL > max(control["Fisher p"], control["KS p"])
    for environment in trainers.ADVERSARIES:
        late = trainers.compare_with_sb3(environment).set_index("compared with Stable-Baselines3").loc[trainers.APART]
        assert min(late["Fisher p"], late["KS p"]) > trainers.LEVEL


def test_more_runs_tell_nearer_shares_apart_on_both_sides():
    few, many = trainers.shares_seen(10, 20, 10), trainers.shares_seen(10, 20, 100)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    below, above = trainers.shares_seen(20, 20, 20)
    assert 0 < below < 1 < above == math.inf
    assert trainers.in_words(below, above) == f"up to {below:.2f}"
    assert trainers.in_words(*trainers.shares_seen(1, 1, 1)) == "none"


def test_runs_that_a_file_has_are_not_run_again(tmp_path, monkeypatch):
    plan = ("IgnoreActions", 40, "faithful")
    monkeypatch.setattr(trainers, "RUNS", ((*plan, "one_hot", 2), (*plan, "sb3", 1)))
    path, ran = tmp_path / "totals.csv", []

    class Ran:
        total_reward = 7

    def noted(environment, factory, steps, seed):
        ran.append((environment, steps, factory.keywords, seed))
        return Ran

    monkeypatch.setattr(trainers, "run", noted)
    trainers.write_totals(path)
    trainers.write_totals(path)
    one_hot, sb3 = ({"trainer": name, "mode": "faithful"} for name in ("one_hot", "sb3"))
    assert ran == [(*plan[:2], one_hot, 1), (*plan[:2], one_hot, 2), (*plan[:2], sb3, 1)]
    with path.open() as file:
        assert [row["total"] for row in csv.DictReader(file)] == ["7"] * 3


@pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")
def test_with_the_same_draws_both_trainers_earn_the_same():
    """Over 400 steps, reward by reward; drawing otherwise, as the released experiments did, is the control."""
    pytest.importorskip("stable_baselines3")
    found = {
        name: run("IgnoreActions", partial(factory, mode="published"), steps=400, seed=1).total_reward
        for name, factory in trainers.FACTORIES.items()
    }
    assert found["sb3"] == found[trainers.DRAWN_APART] != found["one_hot"]
