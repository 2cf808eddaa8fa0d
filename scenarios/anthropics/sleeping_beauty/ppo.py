"""One PPO for all copies, through the PettingZoo view: it learns from everyone and draws for each copy apart.

So its credence is built like that of ``everyone``, but no copy ever sees what it brings about by being copied: caring
for the others changes nothing, and it buys below n/(n+1) for every α.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from considerate.copies import considerate_copies
from multislot.errors import MissingExtraError
from multislot.exact import KernelWorld
from multislot.zoo.vectors import vector_env
from scenarios.anthropics.coupons import Coupon

STEPS = 12_000
SETTINGS = {"n_steps": 32, "batch_size": 128, "n_epochs": 4, "gamma": 1.0, "learning_rate": 3e-3, "ent_coef": 0.01}
SIDE_BY_SIDE = 8


def chance_of_buying(coupon: Coupon, caring: Fraction, seed: int, steps: int = STEPS) -> float:
    """Return the probability with which a trained PPO buys on waking.

    Args:
        coupon: what is on offer.
        caring: α.
        seed: of the networks, of exploration and of the worlds.
        steps: of all slots of all worlds together.
    """
    try:
        import torch
        from stable_baselines3 import PPO

        from considerate.training.models import quiet, threads
    except ImportError:
        raise MissingExtraError("a PPO", "deep") from None
    world = KernelWorld(coupon.inside())
    env = considerate_copies(world, coupon.many, float(caring), max_cycles=coupon.length)
    model = PPO("MlpPolicy", vector_env(env, SIDE_BY_SIDE), seed=seed, device="cpu", **SETTINGS)  # type: ignore[arg-type]
    quiet(model)
    with threads(1):
        model.learn(steps)
    awake = np.zeros((1, 1 + world.n_observations), dtype=np.float32)
    awake[0, [0, 2 + world.coding.observations.index("awake")]] = 1
    distribution: Any = model.policy.get_distribution(torch.as_tensor(awake)).distribution
    return float(distribution.probs[0, 1].detach())
