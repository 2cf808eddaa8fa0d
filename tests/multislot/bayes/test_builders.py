"""Classes ready made: gridworlds and twins; events and who caused them."""

import numpy as np
import pytest

from multislot.bayes import (
    Event,
    FirstCause,
    Grid,
    Ledger,
    gridworld_variations,
    twins,
)
from multislot.errors import SettingError, UnknownNameError
from tests.multislot.bayes.examples import random_class

LEFT, RIGHT, UP, DOWN = range(4)


def test_a_grid_moves_and_bumps():
    model = Grid((".#", ".."), {".": 0.5}).model(start=0)
    assert model.law(0, RIGHT) == {(0, 0.5): 1.0}
    assert model.law(2, RIGHT) == {(3, 0.5): 1.0}
    assert model.law(2, UP) == {(0, 0.5): 1.0}
    assert Grid((".",) * 300, {}).model(start=0).law(299, DOWN) == {(299, 0.0): 1.0}


def test_kinds_of_cells_pay_hold_and_lead_back():
    model = Grid(("S.Gx",), {"G": 1.0, ".": 0.25}, absorbing="x", back="G").model(start=0)
    assert model.law(1, RIGHT) == {(2, 0.25): 1.0}
    assert model.law(2, RIGHT) == {(0, 1.0): 1.0}
    assert model.law(3, LEFT) == {(3, 0.0): 1.0}


def test_variations_are_named_and_weighed():
    grids = {"floor": Grid(("..",), {".": 1.0}), "pit": Grid((".x",), {".": 1.0}, absorbing="x")}
    models = gridworld_variations(grids, start=0, prior=[0.9, 0.1])
    assert models.names == ("floor", "pit")
    assert models.posterior(((RIGHT, (1, 1.0)), (LEFT, (1, 0.0)))).weights.tolist() == [0.0, 1.0]


def test_twins_are_named_and_share_the_prior():
    models = twins(random_class(np.random.default_rng(0), 2), [(1, 0)], share=0.25)
    assert models.prior.tolist() == [0.375, 0.375, 0.125, 0.125]
    assert models.names == ("model 0", "model 1", "twin of model 0", "twin of model 1")


def test_a_ledger_says_who_caused_what_first():
    events = [Event.of_pairs("door", [(2, 1)], start=0), Event("twice", lambda history, action: len(history) == 3)]
    steps = [(1, 2, False), (0, 2, True), (1, 0, True), (1, 2, False), (1, 2, False)]
    ledger = Ledger.of(events, [(action, (arrived, 0.5), by_mentor) for action, arrived, by_mentor in steps])
    assert ledger.first == {"door": FirstCause("mentor", 3), "twice": FirstCause("agent", 4)}
    assert not ledger.agent_was_first("door")
    assert ledger.agent_was_first("twice")
    with pytest.raises(UnknownNameError, match="unknown event 'twise'; did you mean 'twice'"):
        ledger.agent_was_first("twise")
    with pytest.raises(SettingError, match=r"got events=\['door', 'twice', 'door'\]; expected names that differ"):
        Ledger.of([*events, Event.of_pairs("door", [(0, 0)], start=0)], [])
    assert not Ledger.of(events, []).agent_was_first("twice")
