"""The parts of ``copy-aware``: worlds as arrays, episodes as a copy tree, and PPO with a control that fails."""

import numpy as np
import pytest

from multislot import EndlessStream, run
from multislot.agents import ConstantAgent
from multislot.credit import lineage_returns
from multislot.exact import KernelWorld, world_named
from scenarios.studies import copy_aware
from scenarios.studies.copy_aware import PER_SLOT, PPO, Cell, Settings, agreement, run_cell

SMALL = Settings(resolution=4, episodes=8, updates=40)


@pytest.mark.parametrize("name", copy_aware.WORLDS)
@pytest.mark.parametrize("action", [0, 1])
def test_an_episode_pays_what_the_engine_pays(name, action):
    kernel = world_named(name)
    ppo = PPO([kernel], horizon=4, discount=0.9, seed=0)
    ppo.logits[..., action] = 40.0
    batch = ppo.play(1)
    world = KernelWorld(kernel)
    agent = ConstantAgent(world.n_observations, world.n_actions, EndlessStream(0, 1), action=action)
    trace = run(world, {1: agent}, steps=4)
    for step in range(5):
        occupied = {
            slot + 1: float(batch.rewards[step, 0, slot]) for slot in np.flatnonzero(batch.sources[step, 0] >= 0)
        }
        rows = trace.rows(step)
        assert occupied == dict(zip(trace.slot[rows].tolist(), trace.reward[rows].tolist(), strict=True))
    for future in copy_aware.FUTURES:
        credit = lineage_returns(trace, future=future, discount=0.9)[0]
        assert ppo.advantages(batch, future, 1.0)[0, 0, 0] == pytest.approx(credit)


def test_credit_along_the_copy_tree_agrees_with_the_exact_agent_and_credit_by_slot_does_not():
    cells = [Cell(SMALL, "copy", learner, 1.0, seed) for learner in ("cpy", PER_SLOT) for seed in range(2)]
    results = [(cell, run_cell(cell)) for cell in cells]
    assert agreement(SMALL, results, "copy", "cpy", "cpy") >= copy_aware.ENOUGH
    assert agreement(SMALL, results, "copy", PER_SLOT, "cpy") < copy_aware.ENOUGH


def test_points_next_to_the_border_do_not_count():
    accepts = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    away = copy_aware.away_from_border(accepts)
    assert away.tolist() == [[True, True, False], [True, False, False], [True, False, False]]


def test_the_same_seed_gives_the_same_numbers():
    cell = Cell(SMALL, "teleport", "cpy", 1.0, seed=1)
    assert run_cell(cell) == run_cell(cell)
    assert run_cell(cell) != run_cell(Cell(SMALL, "teleport", "cpy", 1.0, seed=2))
