"""PPO in one file, in CleanRL's style, for agents that are born and die; no trainer, no framework.

    python docs/examples/ppo_copies.py --future cpy --env multislot/copy-v1

An ordinary multi-agent PPO runs along each slot, and credits what a newborn copy earns to nobody. Here every row of a
rollout has a parent row, and `multislot.credit.lineage_advantages` follows the copy tree. What else differs from
CleanRL's ``ppo.py``: only rows of living agents are learned from, and an agent that was deleted has no future.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import pettingzoo
import torch
from torch import nn

import multislot  # noqa: F401 - registers the environments
from multislot.credit import CopyTree, lineage_advantages


@dataclass
class Args:
    env: str = "multislot/copy-v1"
    future: str = "cpy"
    """whose rewards are an agent's own: "cpy", "sum", "dyn" or "sta" """
    total_steps: int = 6000
    num_steps: int = 256
    learning_rate: float = 1e-2
    discount: float = 0.99
    gae_lambda: float = 0.95
    update_epochs: int = 4
    clip: float = 0.2
    entropy: float = 0.01
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
    rows = {name: [] for name in ("seen", "parent", "reward", "slot", "acted", "action", "log_prob", "ended")}

    def add(seen, parent, reward, slot):
        index = len(rows["parent"])
        blank = {"acted": False, "action": 0, "log_prob": 0.0, "ended": False}
        values = {"seen": seen, "parent": index if parent is None else parent, "reward": reward, "slot": slot, **blank}
        for name, value in values.items():
            rows[name].append(value)
        return index

    seen, infos = start or env.reset()
    row_of = {agent: add(seen[agent], None, 0.0, infos[agent]["slot"]) for agent in env.agents}
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
            born = info["occupied"] and (
                not before[agent]["occupied"] or info["birth_step"] != before[agent]["birth_step"]
            )
            if born:
                parent = parents[f"slot_{info['parent']}"] if info["has_parent"] else None
            else:  # who was deleted has no next row; an empty slot begins a row of its own
                parent = parents[agent] if before[agent]["occupied"] and info["bootstrap"] | info["ended"] else None
            row_of[agent] = add(seen[agent], parent, rewards[agent], info["slot"])
            rows["ended"][row_of[agent]] = bool(terminated[agent] or info["ended"] or not info["occupied"])
        if not env.agents:
            seen, infos = env.reset()
            row_of = {agent: add(seen[agent], None, 0.0, infos[agent]["slot"]) for agent in env.agents}
    return {name: np.array(column) for name, column in rows.items()}, (seen, infos)


def main(args, **world):
    torch.manual_seed(args.seed)
    env = pettingzoo.make("parallel", args.env, view="fixed", **{"max_cycles": 8, **world})
    env.reset(seed=args.seed)
    agent = env.possible_agents[0]
    policy = Policy(env.observation_space(agent).shape[0], env.action_space(agent).n)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    start = None
    for _ in range(args.total_steps // args.num_steps):
        rows, start = rollout(env, policy, args.num_steps, start)
        seen = torch.as_tensor(rows["seen"])
        with torch.no_grad():
            values = np.where(rows["ended"], 0.0, policy(seen)[1].numpy())
        tree = CopyTree(rows["parent"], rows["reward"], rows["slot"], rows["acted"])
        advantages = lineage_advantages(
            tree, values, future=args.future, discount=args.discount, gae_lambda=args.gae_lambda
        )
        learns = np.flatnonzero(~np.isnan(advantages))
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
        chance = policy(torch.as_tensor(first[agent]))[0].probs[1]
    return float(chance)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in vars(Args()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    args = Args(**vars(parser.parse_args()))
    print(f"{args.env}, {args.future}: the first agent takes action 1 with probability {main(args):.3f}")
