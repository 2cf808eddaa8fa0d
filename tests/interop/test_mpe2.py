"""A hunter of MPE2 that cares for its prey."""

import warnings

import pytest

from considerate.training.views import SoloEnv
from considerate.wrappers import ORIGINAL, Caring

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("mpe2")
    from mpe2 import simple_tag_v3

CARING = 0.5


def test_a_hunter_is_paid_its_own_reward_and_its_share_of_the_preys():
    game = simple_tag_v3.parallel_env(num_good=1, num_adversaries=1, num_obstacles=0, max_cycles=25)
    env = SoloEnv(Caring(game, "adversary_0", "sim", CARING), "adversary_0", {"agent_0": lambda seen: 0})
    env.reset(seed=0)
    augmented, own, over = 0.0, 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        augmented, own, over = augmented + reward, own + info[ORIGINAL], terminated or truncated
    returns = env.finish(100)
    assert own == pytest.approx(returns["adversary_0"])
    assert augmented == pytest.approx(own + CARING * returns["agent_0"])
