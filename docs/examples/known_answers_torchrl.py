"""A learner for ``multislot run known-answers``, with TorchRL: DQN with a linear network.

Run ``multislot run known-answers --set learner=known_answers_torchrl:train`` in the folder of this file.
"""

import torch
from tensordict.nn import TensorDictSequential
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Categorical
from torchrl.envs import GymWrapper
from torchrl.modules import EGreedyModule, QValueActor
from torchrl.objectives import DQNLoss

ROWS = 64


def train(environment, steps, seed):
    """Learn in a task for a number of steps and return the policy, from an observation to an action."""
    torch.manual_seed(seed)
    env = GymWrapper(environment.vector(ROWS, "Disabled"), categorical_action_encoding=True)
    actions = Categorical(int(environment.action_space.n))
    network = nn.Linear(environment.observation_space.shape[0], actions.n)
    actor = QValueActor(network, spec=actions)
    explore = TensorDictSequential(actor, EGreedyModule(actions, eps_init=0.2, eps_end=0.2))
    loss = DQNLoss(actor, action_space="categorical", delay_value=False)
    loss.make_value_estimator(gamma=1.0)
    optimizer = torch.optim.Adam(loss.parameters(), 0.05)
    for rollout in Collector(env, explore, frames_per_batch=ROWS, total_frames=steps):
        optimizer.zero_grad()
        loss(rollout.reshape(-1))["loss"].backward()
        optimizer.step()
    return lambda observation: network(torch.as_tensor(observation)).argmax().item()
