"""A considerate agent is paid for the others' futures when it is truncated: learners must expect nothing after that."""

import gymnasium
import numpy as np
import pytest

from considerate.training.learners import Learner, train_together
from considerate.training.views import SoloEnv
from considerate.wrappers import AT_LIMIT, Caring
from tests.games import Rounds

pytest.importorskip("stable_baselines3")

FISH = 3
WORTH = 0.1  # of a fish; DQN's loss has the same gradient for all errors above 1
SETTINGS = {"learning_starts": 20, "train_freq": 1, "batch_size": 8, "policy_kwargs": {"net_arch": [4]}}


class Pond(Rounds):
    """Alice takes up to two of three fish in two steps; what is left is for Bob, who never acts."""

    seen, moves = gymnasium.spaces.Box(0, FISH, (2,), np.float32), gymnasium.spaces.Discrete(2)
    length = 2

    def __init__(self, is_truncated):
        self.possible_agents, self.is_truncated = ["alice", "bob"], is_truncated

    def state(self):
        return np.array([self.fish, self.time], np.float32)

    def show(self, actions):
        self.fish = self.fish - int(actions["alice"]) if actions else FISH
        return dict.fromkeys(self.agents, self.state())

    def pay(self, actions):
        return {"alice": WORTH * int(actions["alice"]), "bob": 0.0}


def make_considerate(is_truncated):
    return Caring(Pond(is_truncated), "alice", "value", 1, futures={"bob": lambda state: WORTH * float(state[0])})


def view(env):
    return SoloEnv(env, "alice", {"bob": lambda seen: 0})


def last_step(env):
    env.reset(seed=0)
    env.step(1)
    return env.step(0)


def test_a_truncation_that_pays_for_the_futures_is_an_end():
    _, reward, terminated, truncated, info = last_step(view(make_considerate(is_truncated=True)))
    assert (reward, terminated, truncated, info[AT_LIMIT]) == (WORTH * 2, True, False, True)


@pytest.mark.parametrize(
    "env", [Pond(is_truncated=True), Caring(Pond(is_truncated=True), "alice", "sim", 1)], ids=["bare", "sim"]
)
def test_a_truncation_that_pays_for_nothing_is_not_an_end(env):
    assert not view(env).pays_futures
    _, _, terminated, truncated, _ = last_step(view(env))
    assert (terminated, truncated) == (False, True)


@pytest.mark.parametrize("is_considerate", [True, False])
def test_learners_together_learn_the_same_from_a_truncation_only_if_it_is_paid(is_considerate):
    def parameters(is_truncated):
        env = make_considerate(is_truncated) if is_considerate else Pond(is_truncated)
        together = train_together(
            lambda: env,
            {"alice": Learner("DQN", settings=SETTINGS), "bob": Learner("DQN", settings=SETTINGS)},
            steps=80,
        )
        return [value.numpy() for value in together.models["alice"].policy.state_dict().values()]

    ended, cut = parameters(is_truncated=False), parameters(is_truncated=True)
    assert all(np.array_equal(first, second) for first, second in zip(ended, cut, strict=True)) == is_considerate
