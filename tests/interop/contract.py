"""What each library does with each view, bare and in `Caring`: ``python -m tests.interop.contract LIBRARY``.

Libraries that cannot be installed side by side run in environments of their own. Each run adds its lines to
``contract.json``, of which the page "Works with" is made; a line is "works", or how the library refuses.
"""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import flatdim, flatten

from considerate.wrappers import Caring
from multislot.zoo import make

KEPT = Path(__file__).with_name("contract.json")
VIEWS = {"bare, fixed": ("fixed", False), "Caring, fixed": ("fixed", True), "bare, dynamic": ("dynamic", False)}
VIEWS["Caring, dynamic"] = ("dynamic", True)
STEPS = 8


def button(view: str, caring: bool) -> Any:
    """The world with a button that copies, in a view, bare or in `Caring`."""
    environment = make("parallel", "multislot/copy-v1", view=view, max_cycles=STEPS)
    first = environment.possible_agents[0]
    return Caring(environment, first, "sim", caring=1) if caring else environment


def torchrl(environment: Any) -> None:
    """Check specs and roll out."""
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

    wrapped = PettingZooWrapper(environment, use_mask=False, return_state=environment_has_state(environment))
    check_env_specs(wrapped, seed=0)
    assert len(wrapped.rollout(20, break_when_any_done=False)) == 20


def environment_has_state(environment: Any) -> bool:
    try:
        environment.reset(seed=0)
        environment.state()
    except Exception:
        return False
    return True


def supersuit_sb3(environment: Any) -> None:
    """SuperSuit's vectors, as its documentation has it, and a PPO of Stable-Baselines3."""
    import supersuit
    from stable_baselines3 import PPO

    vector = supersuit.pettingzoo_env_to_vec_env_v1(environment)
    vector = supersuit.concat_vec_envs_v1(vector, 2, base_class="stable_baselines3")
    PPO("MlpPolicy", vector, n_steps=16, batch_size=16, n_epochs=1, device="cpu").learn(128)


def rllib(environment: Any) -> None:
    """An iteration of PPO with one policy for all, observations flattened as its documentation has it."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.connectors.env_to_module import FlattenObservations
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
    from ray.tune.registry import register_env

    environment.action_space(environment.possible_agents[0]).seed(0)  # its check of the environment draws 1: a birth
    register_env("button", lambda config: ParallelPettingZooEnv(environment))
    config = (
        PPOConfig()
        .environment("button")
        .env_runners(
            num_env_runners=0,
            env_to_module_connector=lambda env=None, spaces=None, device=None: FlattenObservations(multi_agent=True),
        )
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **settings: "shared")
        .training(train_batch_size_per_learner=64, minibatch_size=32, num_epochs=1)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        algorithm = config.build_algo()
        assert algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"] >= 64
        algorithm.stop()
    finally:
        ray.shutdown()


def agilerl(environment: Any) -> None:
    """IPPO acts in an episode and learns, as in its tutorial on PettingZoo's parallel environments."""
    from agilerl.algorithms import IPPO

    agents = environment.possible_agents
    learner = IPPO(
        observation_spaces=[environment.observation_space(agent) for agent in agents],
        action_spaces=[environment.action_space(agent) for agent in agents],
        agent_ids=agents,
        batch_size=8,
        learn_step=8,
        update_epochs=1,
    )
    seen, infos = environment.reset(seed=0)
    columns: dict[str, list[Any]] = {name: [] for name in ("states", "actions", "log", "rewards", "dones", "values")}
    done = {agent: np.array([0.0]) for agent in agents}
    for _ in range(STEPS - 1):
        action, log_prob, _, value = learner.get_action(
            obs={agent: np.asarray(seen[agent])[None] for agent in agents}  # it fails on infos with masks of its own
        )
        following, rewards, *_, infos = environment.step({agent: int(action[agent][0]) for agent in agents})
        paid = {agent: np.array([rewards[agent]]) for agent in agents}
        row = ({agent: np.asarray(seen[agent])[None] for agent in agents}, action, log_prob, paid, done, value)
        for column, entry in zip(columns.values(), row, strict=True):
            column.append(entry)
        done = {agent: np.array([float(not infos[agent]["bootstrap"])]) for agent in agents}
        seen = following
    last = {agent: np.asarray(seen[agent])[None] for agent in agents}
    by_agent = [{agent: [row[agent] for row in column] for agent in agents} for column in columns.values()]
    learner.learn((*by_agent, last, done))


def tianshou(environment: Any) -> None:
    """A DQN for each agent, turn by turn, collected through its `PettingZooEnv`."""
    from pettingzoo.utils.conversions import parallel_to_aec
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.env.pettingzoo_env import PettingZooEnv

    wrapped = PettingZooEnv(parallel_to_aec(environment))
    learners = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=wrapped.action_space) for _ in wrapped.agents]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=wrapped)
    collector: Any = Collector(algorithm, DummyVectorEnv([lambda: wrapped]), VectorReplayBuffer(200, 1))
    collector.reset()
    assert collector.collect(n_step=32).n_collected_steps >= 32


def cleanrl(environment: Any) -> None:
    """A loop of one file: batches of the agents that are there, values of what follows masked by `bootstrap`."""
    import torch

    observations, _ = environment.reset(seed=0)
    space = environment.observation_space(environment.agents[0])
    policy = torch.nn.Linear(flatdim(space), environment.action_space(environment.agents[0]).n + 1)
    losses = []
    while agents := list(environment.agents):
        seen = torch.as_tensor(np.array([flatten(space, observations[agent]) for agent in agents], np.float32))
        logits, values = policy(seen).split([policy.out_features - 1, 1], dim=1)
        chances = torch.distributions.Categorical(logits=logits)
        actions = chances.sample()
        observations, rewards, _, _, infos = environment.step(dict(zip(agents, actions.tolist(), strict=True)))
        following = torch.as_tensor(np.array([flatten(space, observations[agent]) for agent in agents], np.float32))
        goes_on = torch.tensor([[float(infos[agent]["bootstrap"])] for agent in agents])
        paid = torch.tensor([[rewards[agent]] for agent in agents])
        targets = paid + 0.9 * goes_on * policy(following)[:, -1:].detach()
        gains = (targets - values).detach()
        losses.append((-(chances.log_prob(actions) * gains[:, 0]).mean()) + ((targets - values) ** 2).mean())
    torch.stack(losses).mean().backward()
    assert all(bool(torch.isfinite(parameter.grad).all()) for parameter in policy.parameters())


LIBRARIES: dict[str, Callable[[Any], Any]] = {
    "torchrl": torchrl,
    "supersuit": supersuit_sb3,
    "ray": rllib,
    "agilerl": agilerl,
    "tianshou": tianshou,
    "cleanrl": cleanrl,
}


def outcome(run: Callable[[Any], Any], view: str, caring: bool) -> str:
    """What a library does: "works", or the first line of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(button(view, caring))
    except Exception as error:
        text = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {text[0]}"[:300].rstrip()
    return "works"


def main(names: list[str]) -> None:
    for name in names:
        found = {title: outcome(LIBRARIES[name], *view) for title, view in VIEWS.items()}
        kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
        KEPT.write_text(json.dumps(kept | {name: found}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(name, json.dumps(found, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:] or list(LIBRARIES))
