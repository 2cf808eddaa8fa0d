"""Time of several learners together, beside the same trainings of Stable-Baselines3 one after another.

    python benchmarks/train_together.py

Each pair is measured side by side and repeated. A ratio of at most 1.1 is promised. The ratio of processor time is
shown, too: on a busy machine a thread that takes its turn waits behind other processes, which one that never sleeps
does not. Learners that have made their steps act on until all have. So several poles need actions that no training
alone takes. For them it prints how many actions there are for each step, and the ratio of processor time for each
action. It shows what checkpoints of images of 84×84 add to a training of 20,000 steps (at most 20 %). At last two
players hand a baton over, as greenlets and as threads. They must draw the same numbers in the same order.
"""

import threading
import time
from statistics import median
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np
import torch
from greenlet import greenlet
from mpe2 import simple_spread_v3
from pettingzoo import ParallelEnv
from stable_baselines3 import PPO

from considerate.training import Training, train
from considerate.training.learners import Learner, train_together
from considerate.training.views import SoloEnv

STEPS, REPEATS, SWITCHES = 1024, 5, 20_000
SETTINGS = {"n_steps": 256, "batch_size": 64, "n_epochs": 4}


def world(count):
    """Particles that spread over landmarks, with continuous actions."""
    return simple_spread_v3.parallel_env(N=count, max_cycles=25, continuous_actions=True)


class Pole(ParallelEnv):
    """CartPole, once for each agent; an agent leaves when its pole has fallen."""

    metadata = {"name": "pole"}  # noqa: RUF012
    acted = 0

    def __init__(self, count):
        self.envs = {f"agent_{number}": gymnasium.make("CartPole-v1") for number in range(count)}
        self.possible_agents, self.render_mode = list(self.envs), None

    def observation_space(self, agent):
        return self.envs[agent].observation_space

    def action_space(self, agent):
        return self.envs[agent].action_space

    def reset(self, seed=None, options=None):
        self.agents = list(self.envs)
        seen = {agent: env.reset(seed=seed)[0] for agent, env in self.envs.items()}
        return seen, {agent: {} for agent in seen}

    def step(self, actions):
        Pole.acted += len(actions)
        seen, rewards, ended, cut, infos = {}, {}, {}, {}, {}
        for agent, action in actions.items():
            seen[agent], rewards[agent], ended[agent], cut[agent], infos[agent] = self.envs[agent].step(action)
        self.agents = [agent for agent in actions if not (ended[agent] or cut[agent])]
        return seen, rewards, ended, cut, infos


class Pictures(gymnasium.Env):
    """Images of 84×84 for a training whose time is that of a usual one."""

    observation_space = gymnasium.spaces.Box(0, 255, (84, 84, 1), np.uint8)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.time += 1
        return self.observation_space.sample(), 0.0, False, self.time == 200, {}


def pictures(checkpoints):
    """Train DQN on images for 20,000 steps, with a checkpoint every 2,000 or none."""
    settings = {"buffer_size": 20_000, "learning_starts": 1000, "train_freq": 16, "batch_size": 32}
    training = Training("DQN", 20_000, policy="CnnPolicy", settings=settings, checkpoint_every=2000)
    with TemporaryDirectory() as directory:
        train(Pictures, training, directory if checkpoints else None)


def poles_alone(count):
    """Train in CartPole, one after another."""
    for number in range(count):
        env = gymnasium.make("CartPole-v1")
        PPO("MlpPolicy", env, seed=number, device="cpu", **SETTINGS).learn(STEPS)


def poles_together(count):
    """Train in one world of poles."""
    learner = Learner("PPO", settings=SETTINGS)
    train_together(lambda: Pole(count), {f"agent_{number}": learner for number in range(count)}, STEPS)


def alone(count):
    """Train each agent by itself: the others do nothing."""
    for number in range(count):
        env = world(count)
        lowest = env.action_space(f"agent_{number}").low
        idle = {name: (lambda seen, low=lowest: low) for name in env.possible_agents if name != f"agent_{number}"}
        PPO("MlpPolicy", SoloEnv(env, f"agent_{number}", idle), seed=number, device="cpu", **SETTINGS).learn(STEPS)


def together(count):
    """Train all agents in one world."""
    learner = Learner("PPO", settings=SETTINGS)
    train_together(lambda: world(count), {f"agent_{number}": learner for number in range(count)}, STEPS)


def no_baton(draw):
    """Two players take turns in one loop; each draws a number in its turn."""
    for turn in range(SWITCHES):
        draw(turn % 2)


def greenlet_baton(draw):
    """The same of two greenlets: whoever has drawn switches to the other."""

    def play(own):
        for _ in range(SWITCHES // 2):
            draw(own)
            players[1 - own].switch(1 - own)

    players = greenlet(play), greenlet(play)
    players[0].switch(0)


def thread_baton(draw):
    """The same of two threads: each waits for a lock that the other one releases."""
    batons = threading.Lock(), threading.Lock()

    def play(own):
        for _ in range(SWITCHES // 2):
            batons[own].acquire()
            draw(own)
            batons[1 - own].release()

    batons[1].acquire()
    players = [threading.Thread(target=play, args=(own,)) for own in (0, 1)]
    for player in players:
        player.start()
    for player in players:
        player.join()


def hand_over():
    """Microseconds of a switch of threads and of greenlets, without the draws; they must draw the same."""
    taken, drawn = [], []
    for baton in (no_baton, greenlet_baton, thread_baton):
        generator, order = np.random.default_rng(1), []
        taken.append(seconds(baton, lambda own, g=generator, o=order: o.append((own, g.random())))[0])
        drawn.append(order)
    if not drawn[0] == drawn[1] == drawn[2]:
        raise SystemExit("threads and greenlets drew other numbers, or in another order")
    return [(one - taken[0]) / SWITCHES * 1e6 for one in taken[1:]]


def seconds(function, argument):
    """Wall and processor time of one call."""
    start = time.perf_counter(), time.process_time()
    function(argument)
    return time.perf_counter() - start[0], time.process_time() - start[1]


def compare(ours, theirs, repeats=REPEATS):
    """Median ratios of wall and processor time; each call of one is beside a call of the other."""
    pairs = [(seconds(*ours), seconds(*theirs)) for _ in range(repeats)]
    return [median(one[kind] / other[kind] for one, other in pairs) for kind in (0, 1)]


def main():
    torch.set_num_threads(1)
    for name, many, single in (("MPE2", together, alone), ("CartPole", poles_together, poles_alone)):
        for count in (1, 2, 4):
            Pole.acted = 0
            wall, processor = compare((many, count), (single, count))
            print(f"{name}, {count} learners: ratio of wall time {wall:.2f}, of processor time {processor:.2f}")
            acted = Pole.acted / STEPS / count / REPEATS
            if acted:
                print(
                    f"    {acted:.2f} actions for each step; of processor time for each action {processor / acted:.2f}"
                )
    wall, processor = compare((pictures, True), (pictures, False), repeats=1)
    print(f"checkpoints of 84×84: ratio of wall time {wall:.2f}, of processor time {processor:.2f}")
    pairs = [hand_over() for _ in range(REPEATS)]
    switch, thread = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(thread / switch for switch, thread in pairs)
    print(f"a switch: greenlets {switch:.2f} µs, threads {thread:.1f} µs, ratio {ratio:.0f}; the same numbers in order")


if __name__ == "__main__":
    main()
