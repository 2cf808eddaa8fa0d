"""Table 2 from stored totals: every stored run is of the table, and what is drawn and counted follows from them."""

from dataclasses import replace
from itertools import product
from statistics import fmean, stdev

import pytest

from extenv import BATTERY
from extenv.measuring.comparison import Comparison, Difference
from extenv.measuring.measurement import PUBLISHED_SEEDS, Measurement, Score
from scenarios.explore import reflection
from scenarios.self_reflection import stored_totals
from scenarios.self_reflection.released import count_equal, released_pairs, totals_as_released
from scenarios.self_reflection.released_totals import STEADY


@pytest.fixture(scope="module")
def stored():
    return stored_totals.stored_measurements()


def test_every_deep_agent_and_check_is_stored_once_a_run_with_the_papers_seeds_whole(stored):
    assert set(stored) == {"DQN", "A2C", "PPO", "RC(DQN)", "RC(A2C)", "RC(PPO)"}
    for found in stored.values():
        runs = [(score.environment, score.opposite, score.seed) for score in found.scores]
        assert len(runs) == len(set(runs))
        assert stored_totals.whole_seeds(found) >= set(range(1, 18)) > set(PUBLISHED_SEEDS)
        assert {environment for environment, *_ in runs} == set(BATTERY)


def test_with_torchs_weights_the_totals_of_a2c_are_the_released_ones_where_rounding_decides_nothing():
    """The control is PPO, whose 320 updates a lot let rounding grow: of its totals some differ there."""
    runs = stored_totals.stored_measurements(stored_totals.MEASURED.with_name("torch_totals.csv"))
    pairs = {}
    for agent in ("A2C", "RC(A2C)", "PPO"):
        steady = tuple(score for score in runs[agent].scores if score.environment in STEADY)
        assert {(score.environment, score.opposite) for score in steady} == set(product(STEADY, (False, True)))
        pairs[agent] = released_pairs(replace(runs[agent], scores=steady))
    assert all(count_equal(pairs[agent]) == len(pairs[agent]) > 0 for agent in ("A2C", "RC(A2C)"))
    assert count_equal(pairs["PPO"]) < len(pairs["PPO"])


def test_the_reality_check_raises_the_whole_measure_of_every_deep_agent_and_not_every_environment(stored):
    for effect in stored_totals.reality_check_effects(stored).values():
        assert effect.overall.t_low > 0
        assert min(one.t_high for one in effect.by_environment) < 0


def test_wins_and_pictures_follow_from_the_runs(stored):
    effects = stored_totals.reality_check_effects(stored)
    assert "TemptingButton" in stored_totals.wins_and_losses(effects["PPO"])["loses"]
    assert len(stored_totals.draw_effects(effects).axes) == 3


def test_a_row_of_the_table_has_the_released_seeds_apart_and_only_whole_seeds():
    """Seeds 1 to 5 as released, but for one total; seed 6 earns 3 more a step, and seed 7 lacks most environments."""
    released = totals_as_released()
    totals = {
        (name, opposite, seed): released["A2C", name, opposite][min(seed, 5)] + 300_000 * (seed == 6)
        for name, opposite, seed in product(BATTERY, (False, True), range(1, 7))
    }
    totals[BATTERY[0], True, 2] += 500_000
    totals[BATTERY[3], False, 7] = 10**9
    scores = tuple(Score(*run, total, total / 100_000) for run, total in reversed(totals.items()))
    table = stored_totals.measures({"A2C": Measurement("A2C", 100_000, scores, stored_totals.WEIGHTS)})
    by_seed = [fmean(total for (_, _, of), total in totals.items() if of == seed) / 100_000 for seed in range(1, 7)]
    mean, error = fmean(by_seed), 2.5706 * stdev(by_seed) / 6**0.5  # Student's t with 5 degrees of freedom
    assert table.to_dict("records") == [
        {
            "agent": "A2C",
            "released": round(fmean(by_seed[:5]) - 500_000 / 250 / 100_000, 4),
            "ours, the same seeds": round(fmean(by_seed[:5]), 4),
            "ours, all seeds": round(mean, 4),
            "95% interval": f"{mean - error:.4f} to {mean + error:.4f}",
            "seeds": 6,
            "totals equal to the last digit": 249,
            "of": 250,
        }
    ]


def test_only_an_interval_on_one_side_of_0_wins_or_loses():
    ends = {"wins": (0.1, 0.2), "loses": (-0.2, -0.1), "open": (-0.1, 0.1)}
    changes = tuple(Difference(name, 0.0, low, high) for name, (low, high) in ends.items())
    found = stored_totals.wins_and_losses(Comparison("one", "other", changes[0], changes))
    assert found == {"wins": ["wins"], "loses": ["loses"]}


def test_totals_of_tabular_agents_are_written_as_they_are_read(tmp_path, monkeypatch):
    """Each run earns its seed and the place of its agent in thousands; the opposite of an environment earns as much."""
    names = ["Random", "RC(Random)", "Constant", "RC(Constant)", "Simple", "RC(Simple)", "Q", "RC(Q)"]

    def play(factory, environments, steps, seed, agent):
        assert (environments, steps) == (BATTERY, 100_000)
        return {name: [1000.0 * names.index(agent) + seed] * 2 for name in environments}

    monkeypatch.setattr(reflection, "totals", play)
    monkeypatch.setattr(reflection, "TABULAR", tmp_path / "totals.csv")
    reflection.write()
    written = stored_totals.stored_measurements(tmp_path / "totals.csv")
    assert list(written) == names
    for place, runs in enumerate(written.values()):
        assert stored_totals.whole_seeds(runs) == {1, 2, 3, 4, 5}
        mean = round((1000 * place + 3) / 100_000, 5)
        expected = {"name": names[place], "seeds": 5, "measure": mean, "means": [mean] * len(BATTERY)}
        assert reflection._agent(runs) == expected
