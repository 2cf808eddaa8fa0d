"""PPO in one file, in CleanRL's style, for agents that are born and die; no trainer, no framework.

    python docs/examples/ppo_copies.py --future cpy
    python docs/examples/ppo_copies.py --future dyn --env multislot/copy-v1

An ordinary multi-agent PPO runs along each slot, and credits what a newborn copy earns to nobody. Here every row of a
rollout has a parent row, and `multislot.engine.credit.lineage_advantages` follows the copy tree. What else differs from
CleanRL's ``ppo.py``: only rows of living agents are learned from, and an agent that was deleted has no future. For
``sta`` only agents learn that have never left their slot, so a rollout hands on who has stayed.

The default world is `Crossroads`, in which each of the four futures takes another way. Its payoffs were chosen with
seed 0, and the weight of the entropy with the seeds 0 to 4. With the seeds 5 to 9, which were not used for that, each
future found its way every time.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import pettingzoo
import torch
from torch import nn

import multislot  # noqa: F401 - registers the environments
from multislot.engine.credit import CopyTree, lineage_advantages
from multislot.exact import Arrival, KernelWorld
from multislot.zoo import FixedView

LAMBDAS = {"cpy": 0.0, "sum": 0.95, "dyn": 1.0, "sta": 0.95}
"""λ by future, right where copies see the same, too (`multislot.engine.credit`)."""


class Crossroads:
    """Four ways at the first step; all pay at the second.

    Alone, slot 1 is paid 3.2. Two copies are paid 1 and 7.4. Three copies are paid 2.95 each. With "again" two copies
    that see the same choose once more: "alone" pays 5 in slot 2, any other action 4 in slot 1.
    """

    actions = ("alone", "two", "three", "again")
    start = {1: "crossroads"}  # noqa: RUF012
    PAYS = {"alone": {1: 3.2}, "two": {1: 1, 2: 7.4}, "three": {1: 2.95, 2: 2.95, 3: 2.95}}  # noqa: RUF012

    def outcomes(self, slot, state, action):
        if state == "crossroads":
            yield 1, {target: Arrival(action, action, 0) for target in self.PAYS.get(action, (1, 2))}
        elif state == "again":
            pay = {(1, False): 4, (2, True): 5}.get((slot, action == "alone"), 0)
            yield 1, {slot: Arrival("end", "end", pay)}
        else:
            yield 1, {slot: Arrival("end", "end", self.PAYS.get(state, {}).get(slot, 0))}


@dataclass
class Args:
    env: str = "crossroads"
    future: str = "cpy"
    """whose rewards are an agent's own: "cpy", "sum", "dyn" or "sta" """
    total_steps: int = 10000
    num_steps: int = 256
    learning_rate: float = 1e-2
    discount: float = 0.99
    gae_lambda: float = -1.0
    """negative: the one of the future in `LAMBDAS`"""
    update_epochs: int = 4
    clip: float = 0.2
    entropy: float = 0.2
    value_coefficient: float = 0.5
    seed: int = 0


class Policy(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(n_observations, 32), nn.Tanh(), nn.Linear(32, n_actions))
        self.critic = nn.Sequential(nn.Linear(n_observations, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, seen):
        return torch.distributions.Categorical(logits=self.actor(seen)), self.critic(seen)[..., 0]


def rollout(env, policy, steps, start):
    """Play some steps; every entry of a list is a row: an agent after a step.

    Returns the rows, and the observations and infos with which the next rollout goes on.
    """
    names = ("seen", "parent", "reward", "slot", "acted", "action", "log_prob", "ended", "stayed")
    rows = {name: [] for name in names}

    def add(seen, parent, reward, slot, stayed=True):
        index = len(rows["parent"])
        if parent is not None:
            stayed = rows["stayed"][parent] and rows["slot"][parent] == slot
        blank = {"acted": False, "action": 0, "log_prob": 0.0, "ended": False, "stayed": stayed}
        values = {"seen": seen, "parent": index if parent is None else parent, "reward": reward, "slot": slot, **blank}
        for name, value in values.items():
            rows[name].append(value)
        return index

    seen, infos, stayed = start or (*env.reset(), {})
    row_of = {a: add(seen[a], None, 0.0, infos[a]["slot"], stayed.get(a, True)) for a in env.agents}
    for _ in range(steps):
        agents = list(env.agents)
        with torch.no_grad():
            chances, _ = policy(torch.as_tensor(np.array([seen[agent] for agent in agents])))
            actions = chances.sample()
            log_probs = chances.log_prob(actions)
        for agent, action, log_prob in zip(agents, actions.tolist(), log_probs.tolist(), strict=True):
            if infos[agent]["occupied"]:  # nobody acts in an empty slot
                row = row_of[agent]
                rows["acted"][row], rows["action"][row], rows["log_prob"][row] = True, action, log_prob
        before, parents = infos, row_of
        seen, rewards, terminated, _, infos = env.step(dict(zip(agents, actions.tolist(), strict=True)))
        row_of = {}
        for agent, info in infos.items():
            if before[agent]["occupied"] and not info["deleted"]:
                parent = parents[agent]
            else:  # who was deleted has no next row; an empty slot begins a row of its own
                parent = parents[f"slot_{info['parent']}"] if info["has_parent"] else None
            row_of[agent] = add(seen[agent], parent, rewards[agent], info["slot"])
            rows["ended"][row_of[agent]] = bool(terminated[agent] or info["ended"] or not info["occupied"])
        if not env.agents:
            seen, infos = env.reset()
            row_of = {agent: add(seen[agent], None, 0.0, infos[agent]["slot"]) for agent in env.agents}
    stayed = {agent: rows["stayed"][row] for agent, row in row_of.items()}
    return {name: np.array(column) for name, column in rows.items()}, (seen, infos, stayed)


def main(args, **world):
    torch.manual_seed(args.seed)
    if args.env == "crossroads":
        env = FixedView(KernelWorld(Crossroads()), 3, max_cycles=2)
    else:
        env = pettingzoo.make("parallel", args.env, view="fixed", **{"max_cycles": 8, **world})
    env.reset(seed=args.seed)
    agent = env.possible_agents[0]
    policy = Policy(env.observation_space(agent).shape[0], env.action_space(agent).n)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    start, gae_lambda = None, LAMBDAS[args.future] if args.gae_lambda < 0 else args.gae_lambda
    for _ in range(args.total_steps // args.num_steps):
        rows, start = rollout(env, policy, args.num_steps, start)
        seen = torch.as_tensor(rows["seen"])
        with torch.no_grad():
            values = np.where(rows["ended"], 0.0, policy(seen)[1].numpy())
        tree = CopyTree(rows["parent"], rows["reward"], rows["slot"], rows["acted"])
        advantages = lineage_advantages(tree, values, future=args.future, discount=args.discount, gae_lambda=gae_lambda)
        # A rollout may begin in the middle of an episode, where the tree does not show who has stayed.
        learns = np.flatnonzero(~np.isnan(advantages) & (rows["stayed"] | (args.future != "sta")))
        b_seen, b_actions = seen[learns], torch.as_tensor(rows["action"][learns])
        b_log_probs = torch.as_tensor(rows["log_prob"][learns], dtype=torch.float32)
        b_returns = torch.as_tensor((advantages + values)[learns], dtype=torch.float32)
        b_advantages = torch.as_tensor(advantages[learns], dtype=torch.float32)
        b_advantages = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
        for _ in range(args.update_epochs):
            chances, value = policy(b_seen)
            ratio = (chances.log_prob(b_actions) - b_log_probs).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(b_advantages * ratio, b_advantages * clipped).mean()
            value_loss = ((value - b_returns) ** 2).mean()
            loss = policy_loss + args.value_coefficient * value_loss - args.entropy * chances.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
    first, _ = env.reset(seed=args.seed)
    with torch.no_grad():
        return policy(torch.as_tensor(first[agent]))[0].probs.tolist()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in vars(Args()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    args = Args(**vars(parser.parse_args()))
    chances = ", ".join(f"{chance:.3f}" for chance in main(args))
    print(f"{args.env}, {args.future}: the first agent takes its actions with probabilities {chances}")
