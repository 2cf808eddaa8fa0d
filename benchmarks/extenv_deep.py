"""Deep agents of the trainer "sb3": what of a run its own updates take, and the ratio to the straightforward way.

Targets: at least 80% for DQN and PPO, 60% for A2C. The straightforward way asks ``predict`` for every action and calls
``learn`` on an environment that replays each lot; it is run side by side on the same transitions.

    python benchmarks/extenv_deep.py [--steps N]
"""

import argparse
from functools import partial
from time import perf_counter

import gymnasium
import numpy as np
import stable_baselines3
import torch
from gymnasium.spaces import Discrete

import extenv
from extenv.measuring.running import stored_streams
from multislot.agents import A2C, DQN, PPO, deep_models

TARGETS = {A2C: 0.6, DQN: 0.8, PPO: 0.8}
SETTINGS = {"DQN": {"learning_starts": 1, "buffer_size": 100_000}}


class Replay(gymnasium.Env):
    """Hands out the transitions of a lot, whatever is done."""

    def __init__(self, n_observations, n_actions):
        self.observation_space, self.action_space = Discrete(n_observations), Discrete(n_actions)
        self.lot = []

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        _, _, reward, following = self.lot.pop(0)
        return following, reward, False, False, {}


class Straightforward(extenv.environment.Agent):
    """``predict`` for every question, ``learn`` for every lot."""

    def __init__(self, n_observations, n_actions, stream, algorithm="A2C", lot_size=5):
        self.world, self.lot_size, self.lot = Replay(n_observations, n_actions), lot_size, []
        make = getattr(stable_baselines3, algorithm)
        self.model = make("MlpPolicy", self.world, seed=1, device="cpu", **SETTINGS.get(algorithm, {}))

    def act(self, observation):
        return int(self.model.predict(np.int64(observation))[0])

    def learn(self, *transition):
        self.lot.append(transition)
        if len(self.lot) == self.lot_size:
            self.world.lot, self.lot = self.lot, []
            self.model.learn(self.lot_size)


def timed(factory, environment, steps):
    """Return seconds of a bare run: no checks, which would cost the straightforward way a model."""
    world, (agents, own) = extenv.make(environment), stored_streams(1)
    observation = world.begin(factory, agents, own)
    agent = factory(world.n_observations, world.n_actions, agents)
    begun = perf_counter()
    extenv.environment.play(world, agent, observation, world.n_actions, steps, False)
    return perf_counter() - begun


def share_of_updates(kind, environment, steps):
    """Return the share of a run's seconds spent in Stable-Baselines3's ``train()``, and the run's seconds."""
    spent, update = [0.0], {}
    for model in (deep_models.OnPolicyModel, deep_models.ReplayModel):
        update[model] = model.update

        def counting(self, own=update[model]):
            begun = perf_counter()
            own(self)
            spent[0] += perf_counter() - begun

        model.update = counting
    seconds = timed(kind, environment, steps)
    for model, own in update.items():
        model.update = own
    return spent[0] / seconds, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4_100)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    for kind, target in TARGETS.items():
        for environment in ("IgnoreRewards", "PunishNondeterministicAgent"):
            factory = partial(kind, trainer="sb3")
            timed(factory, environment, 20)
            share, ours = share_of_updates(factory, environment, steps)

            def straightforward(*arguments, kind=kind):
                return Straightforward(*arguments, algorithm=kind.algorithm, lot_size=kind.lot_default)

            theirs = timed(straightforward, environment, steps)
            print(
                f"{kind.__name__} in {environment}: {share:.0%} in updates (target at least {target:.0%}), "
                f"{theirs / ours:.1f} times as fast as the straightforward way"
            )


if __name__ == "__main__":
    main()
