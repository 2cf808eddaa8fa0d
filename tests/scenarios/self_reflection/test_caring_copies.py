"""Copies and strangers that care for each other: the quick family against the composed one, and the exact threshold."""

import json
import warnings
from fractions import Fraction
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.composing.compose import fold, unfold
from multislot.agents.one_hot_models import kernel
from multislot.statistics import UNDECIDED
from scenarios.self_reflection.caring_copies import (
    COPIES,
    DEAD,
    DIES,
    GREEDY,
    LENGTH,
    LIVES,
    RPS,
    STRANGERS,
    CaringFamily,
    Cell,
    Commons,
    Settings,
    cells,
    considerate,
    figures,
    games_of,
    greed_gains,
    run_cell,
    table,
    threshold,
    word_for,
)
from tests.extenv.composing.composing import LEARNERS, trace

SETTINGS = Settings(caring=(0.0, 1.0), steps=300, seeds=2)
discounts = st.fractions(Fraction(1, 10), Fraction(99, 100))
coefficients = st.fractions(0, 1)


@pytest.mark.parametrize("caring", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("factory", LEARNERS)
def test_the_caring_family_is_the_considerate_game_folded(factory, caring):
    composed = fold(lambda: considerate(unfold("CryingBaby", steps=200), caring), labels="before")
    assert trace(CaringFamily(caring), factory, steps=60) == trace(composed, factory, steps=60)


@given(st.integers(2, 8), st.integers(1, 9), discounts)
def test_at_the_threshold_a_step_of_greed_is_worth_nothing(players, extra, discount):
    assert greed_gains(players, extra, discount, threshold(players, extra, discount)) == 0


@given(st.integers(2, 8), st.integers(1, 9), discounts, coefficients)
def test_above_the_threshold_no_greedy_life_is_better_among_restrained_players(players, extra, discount, caring):
    """Against the value of being greedy always, by its own equation: W = r + γ(1 − 1/n²)W."""
    others = caring * (players - 1)
    restrained = (1 + others) / (1 - discount)
    greedy = (1 + extra + others) / (1 - discount * (1 - Fraction(1, players**2)))
    assert (greedy <= restrained) == (caring >= threshold(players, extra, discount))


def test_the_commons_conforms_to_pettingzoo():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.test import parallel_api_test, parallel_seed_test

        parallel_api_test(Commons(3, 1), num_cycles=30)
        parallel_seed_test(lambda: Commons(3, 1), num_cycles=20)


def test_if_all_are_greedy_the_resource_dies_at_once_and_pays_no_more():
    game = Commons(3, 2)
    game.reset(seed=1)
    greedy = dict.fromkeys(game.agents, GREEDY)
    observations, rewards, *_ = game.step(greedy)
    assert (set(observations.values()), set(rewards.values())) == ({DEAD}, {3.0})
    for _ in range(LENGTH - 1):
        _, rewards, *_ = game.step(greedy)
    assert set(rewards.values()) == {0.0}
    assert game.agents == []


def test_greed_is_learned_by_strangers_who_do_not_care_and_not_by_copies():
    alive = {
        game: fmean(run_cell(Cell(game, "Q", 0.0, 4, 1, 4000, seed))["alive"] for seed in (1, 2, 3))
        for game in (COPIES, STRANGERS)
    }
    assert alive[STRANGERS] < 0.2 < 0.5 < alive[COPIES]


@pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")
def test_ppo_learns_the_same_of_the_commons():
    """The control: strangers who do not care are greedy, with PPO as with Q-learning."""
    pytest.importorskip("stable_baselines3")
    alive = {
        (game, caring): fmean(run_cell(Cell(game, "PPO", caring, 4, 1, 2500, seed))["alive"] for seed in (1, 2))
        for game, caring in ((COPIES, 0.0), (STRANGERS, 0.0), (STRANGERS, 1.0))
    }
    assert alive[STRANGERS, 0.0] < 0.3 < 0.5 < min(alive[COPIES, 0.0], alive[STRANGERS, 1.0])
    assert RPS not in games_of("PPO")


def test_copies_of_equal_lives_tie():
    assert run_cell(Cell(RPS, "Q", 0.5, 4, 1, 300, 1)) == {"own reward": 0.0}


def test_whether_it_lives_is_said_only_where_the_seeds_decide_it():
    assert word_for([0.1, 0.12, 0.11]) == DIES
    assert word_for([0.6, 0.62, 0.61]) == LIVES
    assert word_for([0.1, 0.9]) == word_for([0.6]) == UNDECIDED


def test_the_table_and_the_picture_are_made():
    results = [(cell, json.loads(json.dumps(run_cell(cell)))) for cell in cells(SETTINGS)]
    rows = table(SETTINGS, results)
    assert all(row.ours == row.paper for row in rows if row.kind is None and row.paper is not None)
    assert {row.kind for row in rows} == {None, "claim", "control"}
    assert figures(SETTINGS, results)["caring-copies"].axes
