"""Several caring learners in environments that others wrote: MPE2's tag, and PettingZoo's knights, archers and zombies.

    python docs/examples/caring_crowds.py tag zombies --steps 4096 --seeds 3 --directory crowds

Each training has two learners, and three agents or more. Those who care are paid α times what the others are paid, at
every step (equation 6 of Alizadeh Alamdari et al. 2021). It prints own and others' returns at each α, with 95%
intervals over seeds, and with a directory draws them and counts who has died in the evaluations.
"""

import argparse
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from pettingzoo.utils import BaseParallelWrapper

from considerate.sweeps import SweepCell, draw_learned, sweep
from considerate.training.learners import Group, Learner, play_together
from considerate.wrappers import Caring
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLORS
from multislot.statistics import student

ALPHAS = (0, 0.5, 2)
PPO = {"n_steps": 256, "batch_size": 64, "n_epochs": 4, "learning_rate": 1e-3}


def tag(alpha):
    """The hunted agent cares for its three hunters, which share a learner and care for nobody."""
    from mpe2 import simple_tag_v3

    env = simple_tag_v3.parallel_env(max_cycles=25)
    hunters = [agent for agent in env.possible_agents if agent != "agent_0"]
    return Caring(env, "agent_0", "sim", dict.fromkeys(hunters, alpha))


class Mourned(BaseParallelWrapper):
    """Knights, archers and zombies, with the number of agents that have died in finished episodes."""

    deaths = 0

    def step(self, actions):
        result = super().step(actions)
        if not self.agents:
            self.deaths += len(self.unwrapped.dead_agents)
        return result


def zombies(alpha):
    """Two archers, who share a learner, care for two knights, who share another one; all of them may die."""
    from pettingzoo.butterfly import knights_archers_zombies_v11

    env = Mourned(knights_archers_zombies_v11.parallel_env(max_cycles=200, spawn_delay=2, max_zombies=40))
    knights = {agent: alpha for agent in env.possible_agents if agent.startswith("knight")}
    for agent in env.possible_agents:
        if agent.startswith("archer"):
            env = Caring(env, agent, "sim", knights)
    return env


GAMES = {
    "tag": (tag, ("agent_0",), {f"adversary_{number}": "hunters" for number in range(3)}, ("agent_0", "hunters")),
    "zombies": (
        zombies,
        ("archer_0", "archer_1"),
        {f"{kind}_{number}": f"{kind}s" for kind in ("archer", "knight") for number in range(2)},
        ("archers", "knights"),
    ),
}
"""By name: how the environment is made, who cares, from agents to shared learners, and the learners."""


def train_game(name, steps, seeds, episodes=20, directory=None, jobs=1):
    """Train at each α with each seed; return own and others' returns and deaths by α, each for every seed."""
    make, carers, learner_of, learners = GAMES[name]
    learner = Learner("PPO", settings={**PPO, "n_steps": min(PPO["n_steps"], steps)})
    group = Group(dict.fromkeys(learners, learner), steps, learner_of=learner_of)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # of the games' own libraries
        place = directory and Path(directory) / name
        swept = sweep(make, ALPHAS, group, seeds, episodes=episodes, directory=place, jobs=jobs)
    own, others, deaths = {}, {}, {}
    for alpha in ALPHAS:
        returns = swept.returns(alpha)
        agents = [agent for agent in returns if agent != "total"]
        own[alpha] = [sum(values) for values in zip(*(returns[a] for a in agents if a in carers), strict=True)]
        others[alpha] = [sum(values) for values in zip(*(returns[a] for a in agents if a not in carers), strict=True)]
        if place and name == "zombies":
            groups = [replace(group, seed=seed) for seed in range(1, seeds + 1)]
            deaths[alpha] = [count_deaths(alpha, one, episodes, place) for one in groups]
    return own, others, deaths


def count_deaths(alpha, group, episodes, place):
    """Deaths per episode of trained agents, which the sweep has kept, in the episodes of their evaluation."""
    env, folder = zombies(alpha), SweepCell(alpha, group).folder
    together = replace(group, evaluation_episodes=0).train(partial(zombies, alpha), place / "cells" / folder)
    play_together(lambda: env, together.policy, episodes, group.seed)
    return env.deaths / episodes


def plot_games(games):
    """Plot own and others' returns against α, a panel for each game, one below the other for narrow screens."""
    figure = new_figure(4.6, 0.6 + 2.4 * len(games))
    panels = figure.subplots(len(games), squeeze=False)[:, 0]
    for axes, (name, results) in zip(panels, games.items(), strict=True):
        for label, returns, color in zip(("those who care", "the others"), results, COLORS, strict=False):
            draw_learned(axes, ALPHAS, list(returns.values()), label, color)
        axes.set_title(f"{name}: mean return, 95% interval")
        axes.set_xticks(ALPHAS, ALPHAS)
    panels[-1].set_xlabel("caring coefficient α")
    panels[-1].legend(ncols=2, **BELOW)
    return figure


def main(names, steps, seeds, episodes, directory, jobs):
    games = {name: train_game(name, steps, seeds, episodes, directory, jobs) for name in names}
    for name, results in games.items():
        for label, returns in zip(("own", "others", "deaths"), results, strict=True):
            for alpha, values in returns.items():
                low, high = student(values)
                print(f"{name}: {label} at α = {alpha}: {fmean(values):.2f} [{low:.2f}, {high:.2f}]")
    if directory:
        plot_games(games).savefig(Path(directory) / "crowds.png", dpi=110)
    return games


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(GAMES), help="tag, zombies; by default both")
    parser.add_argument("--steps", type=int, default=4096, help="of each learner")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=20, help="of each evaluation")
    parser.add_argument("--directory", help="where trainings, table and picture are kept")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    main(**vars(parser.parse_args()))
