"""AgileRL's DQN acts, masked, on a vector of fixed views, stores what follows, and learns."""

import math
import warnings

import numpy as np
import pytest

from multislot.zoo import make
from multislot.zoo.vectors import SlotVector

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("agilerl")
    from agilerl.algorithms import DQN
    from agilerl.components.data import Transition
    from agilerl.components.replay_buffer import ReplayBuffer

pytestmark = pytest.mark.filterwarnings("ignore")


def test_dqn_learns_from_rows_of_slots():
    vector = SlotVector(lambda: make("parallel", "multislot/copy-v1", view="fixed", max_cycles=8), copies=2)
    agent = DQN(vector.single_observation_space, vector.single_action_space, batch_size=16)
    memory = ReplayBuffer(max_size=200)
    seen, infos = vector.reset(seed=0)
    for _ in range(10):
        masks = infos["action_mask"]
        actions = np.asarray(agent.get_action(seen, epsilon=0.5, action_mask=masks))
        assert masks[np.arange(len(actions)), actions].all()
        following, rewards, terminated, _, infos = vector.step(actions)
        stored = Transition(
            obs=seen, action=actions, reward=rewards, next_obs=following, done=terminated, batch_size=[len(actions)]
        ).to_tensordict()
        stored.batch_size = [len(actions)]
        memory.add(stored)
        seen = following
    assert math.isfinite(agent.learn(memory.sample(16)))
