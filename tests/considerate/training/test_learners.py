"""Several learners at once: independent or shared, born and dying, considerate, resumed."""

from itertools import count

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Box, Discrete
from pettingzoo.classic.rps import rps

from considerate.training.checkpoints import CheckpointError
from considerate.training.learners import Learner, play_together, train_together
from considerate.wrappers import Caring
from multislot.errors import SettingError, UnknownNameError
from multislot.zoo import registration
from tests.considerate.training.test_training import same

pytest.importorskip("stable_baselines3")

NETWORK = {"policy_kwargs": {"net_arch": [16]}}
PPO = Learner("PPO", settings={"n_steps": 64, "batch_size": 32, "n_epochs": 4, "learning_rate": 0.01, **NETWORK})
A2C = Learner("A2C", settings={"n_steps": 16, **NETWORK})
DQN = Learner("DQN", settings={"learning_starts": 50, "buffer_size": 500, "learning_rate": 0.01, **NETWORK})


def rounds():
    return rps.env(max_cycles=8)


class Button(pettingzoo.ParallelEnv):
    """Whoever presses gets 1 and takes 3 from the other; episodes have ten steps."""

    def __init__(self):
        self.metadata, self.render_mode, self.possible_agents = {"name": "button"}, None, ["one", "two"]

    def observation_space(self, agent):
        return Box(0, 1, (1,), np.float32)

    def action_space(self, agent):
        return Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents, self.time = list(self.possible_agents), 0
        return self._seen(), {agent: {} for agent in self.agents}

    def _seen(self):
        return {agent: np.array([self.time / 10], np.float32) for agent in self.agents}

    def step(self, actions):
        self.time += 1
        one, two = actions["one"], actions["two"]
        rewards = {"one": float(one - 3 * two), "two": float(two - 3 * one)}
        ended = dict.fromkeys(self.agents, self.time == 10)
        seen, infos = self._seen(), {agent: {} for agent in self.agents}
        if self.time == 10:
            self.agents = []
        return seen, rewards, ended, dict.fromkeys(ended, False), infos


def caring_button(alpha):
    env = Caring(Button(), "one", "sim", {"two": alpha})
    return Caring(env, "two", "sim", {"one": alpha})


@pytest.mark.parametrize(("learner", "alpha", "each"), [(PPO, 0, -20), (PPO, 1, 0), (DQN, 1, 0)])
def test_learners_that_care_for_each_other_leave_the_button_alone(learner, alpha, each):
    learners = {"one": learner, "two": learner}
    found = train_together(lambda: caring_button(alpha), learners, 1500, seed=1)
    played = play_together(lambda: caring_button(alpha), found.policy)
    assert played.everyone == {"one": (each,), "two": (each,)}
    assert played.rows["total"] == (2 * each,)
    assert "augmented" not in played.rows


@pytest.mark.parametrize("learner", [PPO, A2C, DQN])
def test_resumed_training_gives_the_same_numbers(tmp_path, learner):
    learners = {"player_0": learner, "player_1": A2C}

    def together(steps, place):
        return train_together(rounds, learners, steps, seed=3, directory=place, checkpoint_every=50)

    whole = together(400, tmp_path / "whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rps.raw_env, "reset", interrupted(after=12))
        with pytest.raises(KeyboardInterrupt):
            together(400, tmp_path / "parts")
    resumed = together(400, tmp_path / "parts")
    assert resumed.steps == whole.steps >= 400
    assert resumed.episodes == whole.episodes
    assert all(same(whole.models[name], resumed.models[name]) for name in learners)
    other = train_together(rounds, learners, 400, seed=4)
    assert not same(whole.models["player_0"], other.models["player_0"])


def interrupted(after):
    original, episodes = rps.raw_env.reset, count()

    def reset(game, *arguments, **options):
        if next(episodes) == after:
            raise KeyboardInterrupt
        original(game, *arguments, **options)

    return reset


def test_another_training_in_the_same_place_is_refused(tmp_path):
    learners = {"player_0": A2C, "player_1": A2C}
    train_together(rounds, learners, 20, directory=tmp_path)
    with pytest.raises(CheckpointError, match="holds another training"):
        train_together(rounds, learners, 30, directory=tmp_path)


@pytest.mark.parametrize("shared", [False, True])
def test_particles_of_mpe2(shared):
    """Three agents that spread over three landmarks; one model each, or one for all."""
    simple_spread = pytest.importorskip("mpe2.simple_spread_v3")

    def make():
        return simple_spread.parallel_env(N=3, max_cycles=10)

    names = ["all"] if shared else [f"agent_{number}" for number in range(3)]
    found = train_together(
        make, dict.fromkeys(names, PPO), 600, learner_of=(lambda agent: "all") if shared else str, seed=1
    )
    assert found.steps >= 600
    assert sum(model.num_timesteps for model in found.models.values()) == found.steps
    played = play_together(make, found.policy, episodes=2)
    assert set(played.everyone) == {"agent_0", "agent_1", "agent_2"}
    assert all(np.isfinite(values).all() for values in played.everyone.values())


def test_hunters_share_a_model_and_the_hunted_has_its_own():
    simple_tag = pytest.importorskip("mpe2.simple_tag_v3")

    def make():
        return simple_tag.parallel_env(max_cycles=10)

    def learner_of(agent):
        return agent.split("_")[0]

    found = train_together(make, {"adversary": PPO, "agent": DQN}, 400, learner_of=learner_of)
    assert found.models["adversary"].num_timesteps == 3 * found.models["agent"].num_timesteps


def test_agents_that_are_born_and_die_share_a_learner():
    """In the doll's task five agents enter when the first has left, which dies."""

    def make():
        return registration.make("aec", "considerate/doll-v2", max_cycles=60)

    found = train_together(
        make, {"first": PPO, "later": PPO}, 800, learner_of=lambda agent: "first" if agent == "agent_1" else "later"
    )
    first, later = (found.models[name].num_timesteps for name in ("first", "later"))
    assert first + later == found.steps
    assert later > 0
    played = play_together(make, found.policy, steps=400)
    assert "agent_1" in played.everyone


def test_what_an_update_is_made_of():
    """Parts of agents stand one after another; what has not ended is bootstrapped with the next value."""
    from considerate.training.experience import OnPolicy, Transition

    settings = {"n_steps": 9, "gamma": 0.5, **NETWORK}
    learner = OnPolicy("A2C", "MlpPolicy", settings, (Box(0, 1, (1,)), Discrete(2)), 0)
    seen = [np.array([k / 10], np.float32) for k in range(6)]

    def step(agent, place, terminated=False, truncated=False):
        end = {"reward": 1.0, "following": seen[place + 1], "terminated": terminated, "truncated": truncated}
        return Transition(agent, seen[place], 1, **end)

    learner.transitions = [
        step("a", 0),
        step("b", 3),
        step("a", 1, terminated=True),
        step("b", 4),
        step("a", 2, False, True),
    ]
    buffer = learner.rollout()
    assert buffer.observations[:, 0, 0] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert buffer.episode_starts[:, 0].tolist() == [1, 0, 1, 1, 0]

    def value(place):
        return learner.model.policy.predict_values(learner.model.policy.obs_to_tensor(seen[place])[0]).item()

    expected = [1 + 0.5, 1, 1 + 0.5 * value(3), 1 + 0.5 * (1 + 0.5 * value(5)), 1 + 0.5 * value(5)]
    assert buffer.returns[:, 0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"learners": {}}, SettingError, "at least one Learner"),
        ({"learners": {"player_0": A2C}}, UnknownNameError, "unknown learner 'player_1'"),
        (
            {"learners": {"player_0": A2C, "player_1": A2C, "x": A2C}},
            UnknownNameError,
            "unknown learner of some agent 'x'",
        ),
        ({"steps": 0}, SettingError, "got steps=0; expected a whole number"),
        ({"make": lambda: gymnasium.make("CartPole-v1")}, SettingError, "expected a PettingZoo AECEnv or ParallelEnv"),
        ({"make": 3}, SettingError, "got make=3"),
    ],
)
def test_errors(arguments, error, message):
    given = {"make": rounds, "learners": {"player_0": A2C, "player_1": A2C}, "steps": 20} | arguments
    with pytest.raises(error, match=message):
        train_together(**given)
    with pytest.raises(UnknownNameError, match="unknown algorithm for several learners 'SAC'"):
        Learner("SAC")
