"""Copies that care for each other: everyone is paid its own reward and, times α, those of all others."""

import pytest

from considerate.copies import considerate_copies
from considerate.wrappers import ORIGINAL, CaringParallel
from multislot.errors import SettingError
from multislot.exact import KernelWorld
from multislot.exact.files import worlds

WORLD = KernelWorld(worlds.copy(1, 2, 5))


def played(caring, steps=2):
    """Rewards, own rewards and observations of each step in which everyone presses."""
    env = considerate_copies(WORLD, 3, caring, max_cycles=steps)
    env.reset(seed=1)
    for _ in range(steps):
        observations, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, 1))
        yield rewards, {name: info.get(ORIGINAL, rewards[name]) for name, info in infos.items()}, observations


@pytest.mark.parametrize("caring", [0, 0.5, 1])
def test_everyone_is_paid_for_everyone(caring):
    for rewards, own, observations in played(caring):
        assert own == {"slot_1": 2, "slot_2": 5, "slot_3": 0}
        for name in ("slot_1", "slot_2"):
            assert rewards[name] == pytest.approx(own[name] + caring * (7 - own[name]))
        assert [observations[name][0] for name in sorted(observations)] == [1, 1, 0]


@pytest.mark.parametrize(("slots", "caring", "wrapped"), [(3, 0, 0), (1, 2, 0), (3, 2, 3)])
def test_only_who_cares_for_others_is_wrapped(slots, caring, wrapped):
    env, wrappers = considerate_copies(WORLD, slots, caring, max_cycles=1), 0
    while isinstance(env, CaringParallel):
        env, wrappers = env.env, wrappers + 1
    assert wrappers == wrapped


def test_caring_less_than_nothing_is_refused():
    with pytest.raises(SettingError, match="got caring=-1"):
        considerate_copies(WORLD, 2, -1, max_cycles=3)
