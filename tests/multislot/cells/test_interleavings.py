"""Two or more processes at one damaged store: nothing that was acknowledged is lost, in whatever order they run."""

import os

import pytest

from tests.multislot.cells.schedules import (
    DAMAGES,
    ESSENTIAL,
    LIVES,
    CarelessStore,
    DoublingStore,
    Switches,
    Trial,
    all_switches,
    at_random,
    live_by_finish,
    live_by_stream,
    pauses,
)

SOME, MANY = 25, 1000
QUICK = ("header", "row")
ALL = [damage if damage in QUICK else pytest.param(damage, marks=pytest.mark.slow) for damage in DAMAGES]
TWO, FOUR = ("x", "y"), ("x", "y", "z", "w")


@pytest.fixture
def paused():
    with pauses():
        yield


def faults_of(tmp_path, damage, choose, names, **options):
    return Trial(tmp_path, damage).run(choose, names, **options)


@pytest.mark.parametrize("damage", ALL)
def test_two_processes_lose_nothing_with_one_switch(tmp_path, paused, damage):
    def attempt(schedule):
        assert faults_of(tmp_path, damage, schedule, TWO) == []

    assert all_switches(1, attempt) > 20


@pytest.mark.parametrize(
    "number", [pytest.param(SOME, id="some"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
)
def test_four_processes_lose_nothing_in_random_orders(tmp_path, paused, number):
    for seed in range(number):
        damage = list(DAMAGES)[seed % len(DAMAGES)]
        assert (seed, faults_of(tmp_path, damage, at_random(seed), FOUR, lives=LIVES)) == (seed, [])


@pytest.mark.parametrize("lives", [live_by_finish, live_by_stream])
def test_finish_and_stream_lose_nothing_with_one_switch(tmp_path, paused, lives):
    def attempt(schedule):
        assert faults_of(tmp_path, "header", schedule, TWO, lives=(lives,)) == []

    assert all_switches(1, attempt) > 20


@pytest.mark.full
@pytest.mark.parametrize("damage", DAMAGES)
def test_two_processes_lose_nothing_in_any_order_with_three_switches(tmp_path, damage):
    def attempt(schedule):
        assert faults_of(tmp_path, damage, schedule, TWO) == []

    with pauses(ESSENTIAL):
        print(damage, all_switches(3, attempt), "schedules")


@pytest.mark.parametrize("damage", ["header", "page"])
def test_a_store_that_recovers_without_a_lock_loses_cells(tmp_path, paused, damage):
    """The control: version 0.3.0 renamed the new store of another process."""
    faults = [
        faults_of(tmp_path, damage, Switches(0, [length]), TWO, store_class=CarelessStore) for length in range(1, 30)
    ]
    assert [found for found in faults if any("missing" in fault for fault in found)]


def test_a_store_that_writes_cells_twice_is_noticed(tmp_path, paused):
    """The control of the other half."""
    orders = [Switches(0, [length]) for length in range(1, 30)]
    twice = [faults_of(tmp_path, "none", order, TWO, store_class=DoublingStore) for order in orders]
    assert any("twice: ['shared']" in faults for faults in twice)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("damage", ALL)
def test_a_process_that_is_killed_at_any_step_loses_nothing(tmp_path, paused, damage):
    """Each step of a recovery can be its last; the next process finishes it."""
    at = 1
    while (trial := Trial(tmp_path, damage)).kill(at):
        assert (at, trial.run(Switches(0, []), TWO)) == (at, [])
        at += 1
    assert at > 10
