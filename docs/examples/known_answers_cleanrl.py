"""A learner for ``multislot run known-answers`` in CleanRL's style: PPO in one file, in plain PyTorch.

Run ``multislot run known-answers --set learner=known_answers_cleanrl:train`` in the folder of this file.
"""

import torch
from gymnasium.wrappers.vector import NormalizeReward
from torch import nn
from torch.distributions import Categorical

ROWS, LENGTH, EPOCHS, BATCHES = 128, 32, 4, 4
CLIP, ENTROPY, DECAY, LEARNING_RATE = 0.2, 0.05, 0.95, 0.003


def make_network(inputs, outputs):
    """A network with two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))


def train(environment, steps, seed):
    """Learn in a task for a number of steps and return the policy, from an observation to an action."""
    torch.manual_seed(seed)
    envs = NormalizeReward(environment.vector(ROWS), gamma=1.0)  # it resets a row in the step that ends its episode
    size = environment.observation_space.shape[0]
    actor, critic = make_network(size, int(environment.action_space.n)), make_network(size, 1)
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], LEARNING_RATE, eps=1e-5)
    seen = torch.as_tensor(envs.reset(seed=seed)[0], dtype=torch.float32)
    rollouts = steps // (ROWS * LENGTH)
    for rollout in range(rollouts):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - rollout / rollouts)
        states, actions = torch.zeros(LENGTH, ROWS, size), torch.zeros(LENGTH, ROWS, dtype=torch.long)
        logged, rewards, ended, values = (torch.zeros(LENGTH, ROWS) for _ in range(4))
        with torch.no_grad():
            for step in range(LENGTH):
                chances = Categorical(logits=actor(seen))
                states[step], actions[step] = seen, chances.sample()
                logged[step], values[step] = chances.log_prob(actions[step]), critic(seen).squeeze(1)
                observed, paid, terminated, truncated, _ = envs.step(actions[step].numpy())
                rewards[step], ended[step] = torch.as_tensor(paid), torch.as_tensor(terminated | truncated).float()
                seen = torch.as_tensor(observed, dtype=torch.float32)
            advantages, later, following = torch.zeros_like(rewards), 0.0, critic(seen).squeeze(1)
            for step in reversed(range(LENGTH)):  # generalized advantage estimation; γ = 1
                surprise = rewards[step] + (1 - ended[step]) * following - values[step]
                advantages[step] = later = surprise + DECAY * (1 - ended[step]) * later
                following = values[step]
        flat = [part.flatten(0, 1) for part in (states, actions, logged, advantages, advantages + values)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(ROWS * LENGTH).chunk(BATCHES):
                state, action, before, advantage, target = (part[rows] for part in flat)
                chances = Categorical(logits=actor(state))
                ratio = (chances.log_prob(action) - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
                misses = (critic(state).squeeze(1) - target).square() / 2
                loss = (misses / 2 - gain - ENTROPY * chances.entropy()).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
                optimizer.step()
    return lambda observation: actor(torch.as_tensor(observation, dtype=torch.float32)).argmax().item()
