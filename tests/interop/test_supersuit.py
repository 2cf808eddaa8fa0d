"""SuperSuit's wrappers take the fixed view; its vectors refuse agents that are born and die."""

import warnings

import pytest

from multislot.zoo import DynamicView, FixedView
from tests.multislot.bustle import Bustle

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    supersuit = pytest.importorskip("supersuit")

pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_fixed_view_passes_through_black_death():
    environment = supersuit.black_death_v3(FixedView(Bustle(), 4, max_cycles=10))
    environment.reset(seed=0)
    steps = 0
    while environment.agents:
        environment.step(dict.fromkeys(environment.agents, 1))
        steps += 1
    assert steps == 11


def played(view):
    vector = supersuit.pettingzoo_env_to_vec_env_v1(view)
    vector.reset(seed=0)
    return [vector.step([1] * vector.num_envs)[1] for _ in range(8)]


def test_its_vector_takes_the_fixed_view_and_refuses_the_dynamic_one():
    assert [len(rewards) for rewards in played(FixedView(Bustle(), 4, max_cycles=10))] == [4] * 8
    with pytest.raises((AssertionError, KeyError, ValueError)):
        played(DynamicView(Bustle(), max_cycles=10))
