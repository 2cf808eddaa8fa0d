"""SuperSuit's wrappers take the fixed view; what its vectors take is in the contract."""

import warnings

import pytest

from multislot.zoo import FixedView
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
