"""One life in which caring, self-knowledge and caution each decide once."""

from dataclasses import replace
from fractions import Fraction
from unittest import mock

import pytest

from multislot import HistoryAgent, run
from multislot.agents import RandomAgent
from multislot.engine.stream import EndlessStream
from scenarios.lab.table import beside_papers
from scenarios.studies import one_life
from scenarios.studies.one_life import ASK, CROSS, ONE, Habits, OneLife, Settings

SHORT = Settings(lives=500, seeds=1)


def rows(settings):
    one_life.outcomes.cache_clear()
    return beside_papers(one_life.exact_table(settings), [])


@pytest.mark.parametrize(
    "settings",
    [
        SHORT,
        Settings(w=Fraction(1, 4), M=8, m=1, short=5, long=2, price=0, r_s=4, r_1=0, r_2=6),
        Settings(w=Fraction(49, 100), short=100, long=1, price=100),  # the worst model decides, and not the mean
    ],
)
def test_what_is_run_is_what_the_formulas_say(settings):
    assert all(row.agrees for row in rows(settings))


@pytest.mark.parametrize("fault", ["a stranger is asked", "the copy is paid less", "nobody falls"])
def test_a_world_with_a_fault_differs_from_the_formulas(fault):
    start, whole = OneLife.start, OneLife.__init__

    def make(world, settings, *arguments, **options):
        whole(world, replace(settings, r_2=1) if fault == "the copy is paid less" else settings, *arguments, **options)

    def begin(world, seed):
        percepts = start(world, seed)
        world.strangers = ONE if fault == "a stranger is asked" else world.strangers
        world.is_rotten = False if fault == "nobody falls" else world.is_rotten
        return percepts

    with mock.patch.object(OneLife, "start", begin), mock.patch.object(OneLife, "__init__", make):
        assert not all(row.agrees for row in rows(SHORT))
    assert all(row.agrees for row in rows(SHORT))


@pytest.mark.parametrize(("mirror", "paid"), [(True, {3, 10}), (False, {0, 3, 10, 13})])
def test_the_mirror_does_what_the_agent_then_does(mirror, paid):
    world, found = OneLife(replace(SHORT, mirror=mirror), is_rotten=False), set()
    agent = RandomAgent(world.n_observations, world.n_actions, EndlessStream(1, 1))
    for seed in range(60):
        found.add(run(world, {1: agent}, 4, seed).rewards[2][1])
    assert found == paid


def test_the_cautious_ask_once():
    habits = one_life.plan(SHORT, one_life.designs(SHORT)[-1])
    assert habits == Habits(ASK, CROSS, 0, ONE, 1)
    trace = run(OneLife(SHORT, is_rotten=False), {1: HistoryAgent(habits.after)}, 4)
    assert [list(trace.actions[step].values()) for step in (0, 1)] == [[ASK], [CROSS]]


@pytest.mark.parametrize("which", one_life.LEARNERS)
def test_learners_come_to_do_what_is_claimed_but_for_exploring(which):
    """They explore 30 % of the time, so of three actions they take the best in 80 % of the cases, others in 10 %."""
    (cell,), does = [cell for cell in one_life.cells(SHORT) if cell.which == which], one_life.LEARNERS[which][2]
    lived = one_life.run_cell(cell)["shares"]
    assert lived == pytest.approx([0.8 if chosen else 0.1 for chosen in does], abs=0.1)
    right, none = one_life.words(does), [0.0] * len(does)
    others = ([1 - share for share in lived], "otherwise"), (none, "otherwise" if any(does) else right)
    for shares, word in ((lived, right), *others):
        (row,) = one_life.table(SHORT, [(cell, {"shares": shares})] * 9)
        assert (row.ours, row.condition) == (word, f"{which}, 500 lives, 1 seeds")
