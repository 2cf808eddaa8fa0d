"""Stable-Baselines3: its PPO trains on a vector of fixed views, whose rows are slots."""

import sys
import warnings

import numpy as np
import pytest

from multislot.errors import MissingExtraError
from multislot.zoo import FixedView, make
from multislot.zoo.vectors import vector_env
from tests.multislot.bustle import Bustle

stable_baselines3 = pytest.importorskip("stable_baselines3")


@pytest.fixture(autouse=True)
def their_own_warnings():
    """Ignore the warnings of these libraries about each other's versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_every_slot_is_a_row_of_the_vector_and_episodes_begin_anew():
    vector = vector_env(FixedView(Bustle(), 4, max_cycles=7), copies=2)
    observations = vector.reset()
    assert observations.shape == (8, 5)
    assert observations[:, 0].tolist() == [1, 1, 0, 0, 1, 1, 0, 0]
    over = 0
    for _ in range(30):
        observations, rewards, dones, infos = vector.step(np.ones(8, dtype=np.int64))
        assert rewards.shape == (8,)
        ends = ["terminal_observation" in info for info in infos[:4]]
        over += all(ends)
        assert all(ends) == any(ends)
        assert [all(ends) or not info["bootstrap"] for info in infos[:4]] == dones[:4].tolist()
    assert over >= 4


def test_a_seeded_vector_repeats_itself_and_its_copies_differ():
    def played(seed=None):
        environment = FixedView(Bustle(), 4)
        environment.reset(seed=1)
        vector = vector_env(environment, copies=2)
        if seed is not None:
            vector.seed(seed)
        vector.reset()
        return np.stack([vector.step(np.ones(8, dtype=np.int64))[1] for _ in range(20)])

    first = played(3)
    assert np.array_equal(first, played(3))
    assert not np.array_equal(first, played(4))
    for rewards in (first, played()):
        assert not np.array_equal(rewards[:, :4], rewards[:, 4:])


@pytest.mark.parametrize(("staying_pays", "best"), [(0, 1), (2, 0)])
def test_ppo_learns_whether_to_press_the_button(one_thread, staying_pays, best):
    environment = make("parallel", "multislot/copy-v1", view="fixed", r_s=staying_pays, r_1=1, r_2=1, max_cycles=4)
    vector = vector_env(environment, copies=2)
    model = stable_baselines3.PPO(
        "MlpPolicy",
        vector,
        n_steps=64,
        batch_size=256,
        n_epochs=5,
        learning_rate=1e-2,
        policy_kwargs={"net_arch": [16]},
        seed=0,
        device="cpu",
    )
    model.learn(1500)
    first, _ = environment.reset(seed=0)
    assert model.predict(first["slot_1"], deterministic=True)[0] == best


def test_a_missing_library_is_named_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "multislot.zoo.sb3_vector", None)
    with pytest.raises(MissingExtraError, match='needs the extra "deep"'):
        vector_env(FixedView(Bustle(), 4))
