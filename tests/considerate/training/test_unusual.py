"""Trainings that few people run: agents that take turns and share a learner, guests, early pay, own schedules."""

from collections import Counter
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.wrappers import Autoreset
from pettingzoo.utils.conversions import parallel_to_aec, parallel_to_aec_wrapper

from considerate.training.checkpoints import CheckpointError
from considerate.training.evaluation import evaluate, greedy
from considerate.training.learners import Learner, play_together, train_together
from considerate.training.single import Training, train
from considerate.training.views import SoloEnv
from considerate.wrappers import Caring
from multislot.errors import SettingError
from tests.considerate.training.test_training import same
from tests.considerate.training.walks import Walk
from tests.games import Rounds

stable_baselines3 = pytest.importorskip("stable_baselines3")
SMALL = {"policy_kwargs": {"net_arch": [8]}}
OVERWRITING = {"optimize_memory_usage": True, "replay_buffer_kwargs": {"handle_timeout_termination": False}}
OFF_POLICY = {"learning_starts": 20, "train_freq": 1, "buffer_size": 500, **SMALL}


class Turns(Rounds):
    """Each agent sees its number and is paid the number of its action; guests come in every fourth episode."""

    moves = Discrete(3)

    def __init__(self, count, length=10, guests=(), last=10**9):
        self.possible_agents, self.length = [f"a{number}" for number in range(count)], length
        self.seen, self.episodes, self.guests, self.last = Box(0, 1, (count,), np.float32), 0, guests, last

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.episodes += 1
        if self.episodes % 4 or self.episodes > self.last:
            self.agents = [agent for agent in self.agents if agent not in self.guests]
        return self.show({}), {agent: {} for agent in self.agents}

    def show(self, actions):
        numbers = np.eye(len(self.possible_agents), dtype=np.float32)
        return {agent: numbers[self.possible_agents.index(agent)] for agent in self.agents}

    def pay(self, actions):
        return {agent: float(action) for agent, action in actions.items()}


def take_turns(*arguments, **settings):
    return parallel_to_aec(Turns(*arguments, **settings))


def shared(make, algorithm, steps=100, directory=None, **settings):
    learners = {"all": Learner(algorithm, settings=settings | SMALL)}
    return train_together(make, learners, steps, learner_of=lambda agent: "all", directory=directory).models["all"]


@pytest.mark.parametrize(("count", "steps"), [(5, 7), (5, 5), (3, 4)])
def test_each_action_of_agents_that_take_turns_is_taught_once_with_its_own_result(count, steps, monkeypatch):
    from considerate.training import seats

    taught, plain = Counter(), seats.Padded.get

    def noting(self, batch_size=None):
        for batch in plain(self, batch_size):
            assert np.allclose(batch.returns, batch.actions.flatten())  # γ is 0
            taught.update(batch.observations.argmax(1).tolist())
            yield batch

    monkeypatch.setattr(seats.Padded, "get", noting)
    shared(partial(take_turns, count), "A2C", 600, n_steps=steps, gamma=0.0)
    assert all(600 / count - 2 <= taught[agent] <= 600 / count + 2 for agent in range(count))


@pytest.mark.parametrize(
    ("make", "algorithm", "settings", "message"),
    [
        (partial(take_turns, 6), "A2C", {"n_steps": 5}, "no action after 5 steps, .*n_steps of more than 6"),
        (
            partial(take_turns, 2),
            "DQN",
            OVERWRITING,
            "its ReplayBuffer with n_steps=1 and without optimize_memory_usage",
        ),
        (partial(take_turns, 2), "DQN", {"n_steps": 3}, "its agents do not act at the same times; .* with n_steps=1"),
    ],
)
def test_settings_that_several_rows_cannot_have_are_refused(make, algorithm, settings, message):
    with pytest.raises(SettingError, match=message):
        shared(make, algorithm, **settings)


def test_a_learner_of_agents_that_take_turns_goes_on_with_an_empty_memory(tmp_path):
    for steps in (60, 120):
        assert shared(partial(take_turns, 3), "DQN", steps, tmp_path, **OFF_POLICY).num_timesteps >= steps
    assert shared(partial(take_turns, 6), "DQN", **OFF_POLICY | {"learning_starts": 0})._n_updates > 0


def test_guests_are_waited_for_and_who_never_comes_again_is_kept_with_a_warning(tmp_path):
    learners = dict.fromkeys(("a0", "a1"), Learner("A2C", settings=SMALL))
    make = partial(Turns, 2, guests=("a1",))
    for length, steps in ((5, 40), (50, 10), (50, 40)):  # in the last, the guest comes 150 steps after the others' end
        assert train_together(partial(make, length=length), learners, steps).steps == {"a0": steps, "a1": steps}
    with pytest.warns(UserWarning, match="'a1' has made 14 of 40 steps: .*it was waited for"):
        train_together(partial(make, length=5, last=12), learners, 40, directory=tmp_path)
    assert (tmp_path / "a1" / "weights.npz").exists()


def test_rows_that_nobody_takes_do_not_make_the_steps_of_a_kept_learner_negative(tmp_path):
    learners, guests = dict.fromkeys(("a0", "guests"), Learner("A2C", settings=SMALL)), ("a1", "a2")

    class Once(Turns):
        """One guest comes, acts once, and nobody comes again."""

        def reset(self, seed=None, options=None):
            super().reset(seed, options)
            self.agents = self.possible_agents[: 2 if self.episodes == 1 else 1]
            return self.show({}), {agent: {} for agent in self.agents}

    for _ in range(2):  # it is trained, and then read from its directory
        with pytest.warns(UserWarning, match="'guests' has made 0 of 20 steps"):
            train_together(
                partial(Once, 3, 1),
                learners,
                20,
                learner_of=lambda agent: "guests" if agent in guests else agent,
                directory=tmp_path,
            )


def test_lengths_of_episodes_count_own_steps_alone():
    model = shared(partial(take_turns, 3), "A2C")
    assert {info["l"] for info in model.ep_info_buffer} == {10}


@pytest.mark.parametrize("settings", [{}, {"train_freq": (1, "episode")}])
def test_the_same_call_reads_its_finished_training(settings, tmp_path):
    one, again = (
        train(Walk, Training("DQN", 101, settings=SMALL | {"buffer_size": 200} | settings), tmp_path) for _ in "12"
    )
    assert same(one, again)


@pytest.mark.parametrize(
    ("algorithm", "settings", "fewer"),
    [("PPO", {"n_steps": 64}, 64), ("DQN", {"train_freq": (1, "episode"), "buffer_size": 200}, 100)],
)
def test_a_shorter_training_is_refused_where_a_longer_one_is(algorithm, settings, fewer, tmp_path):
    train(Walk, Training(algorithm, 128, settings=SMALL | settings), tmp_path)
    with pytest.raises(CheckpointError, match=f"more than {fewer}; give more steps"):
        train(Walk, Training(algorithm, fewer, settings=SMALL | settings), tmp_path)


def test_an_environment_that_is_made_twice_is_refused(tmp_path):
    walk, turns, learner = Walk(), Turns(1), {"a0": Learner("A2C", settings=SMALL)}
    for train_twice in (
        lambda: train(lambda: gymnasium.Wrapper(walk), Training("A2C", 16, environments=2)),
        lambda: train_together(lambda: turns, learner, 16, worlds=2, directory=tmp_path),
        lambda: train_together(lambda: parallel_to_aec(turns), learner, 16, worlds=2, directory=tmp_path),
    ):
        with pytest.raises(SettingError, match=r"got make=.* a fresh environment each time; two of these are one"):
            train_twice()
    assert not list(tmp_path.iterdir())


def constant(rate):
    return lambda progress: rate


def recursive(rate):
    def at(progress, again=True):
        return at(progress, False) if again else rate

    return at


class Falling:
    """A schedule that is an object."""

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, progress):
        return self.rate * progress


@pytest.mark.parametrize(
    ("setting", "one", "other"),
    [
        ("n_steps", np.int64(8), np.int64(16)),
        ("learning_rate", constant(1e-3), constant(1e-2)),
        ("learning_rate", recursive(1e-3), recursive(1e-2)),
        ("learning_rate", partial(max, 1e-3), partial(max, 1e-2)),
        ("learning_rate", lambda progress: 1e-3, lambda progress: 1e-2),
        ("learning_rate", lambda progress, rate=1e-3: rate, lambda progress, rate=1e-2: rate),
        ("learning_rate", Falling(1e-3), Falling(1e-2)),
        ("learning_rate", Falling(1e-3).__call__, Falling(1e-2).__call__),
    ],
)
def test_settings_that_are_no_plain_data_tell_trainings_apart(setting, one, other, tmp_path):
    for _ in "12":
        train(Walk, Training("A2C", 16, settings=SMALL | {setting: one}), tmp_path)
    with pytest.raises(CheckpointError, match="another training"):
        train(Walk, Training("A2C", 16, settings=SMALL | {setting: other}), tmp_path)


def test_a_model_that_a_function_makes_warms_up_by_the_seed():
    def make_model(env):
        return stable_baselines3.DQN("MlpPolicy", env, learning_starts=20, buffer_size=200, device="cpu", **SMALL)

    one, again, other = (train_together(partial(Turns, 1), {"a0": make_model}, 40, seed=seed) for seed in (3, 3, 4))
    assert same(one.models["a0"], again.models["a0"])
    assert not same(one.models["a0"], other.models["a0"])


@pytest.mark.parametrize("wrap", [lambda env: env, parallel_to_aec])
def test_own_returns_leave_out_caring_under_any_wrapper(wrap):
    def make():
        return wrap(Caring(Turns(2), "a0", "sim", {"a1": -3}))

    found = evaluate(lambda seen: 1, SoloEnv(make(), "a0", {"a1": lambda seen: 2}), 1)
    assert (found.returns, found.own_returns) == ((-50.0,), (10.0,))
    assert found.everyone == {"a0": (10.0,), "a1": (20.0,)}
    assert play_together(make, lambda agent: lambda seen: 1, 1).everyone == {"a0": (10.0,), "a1": (10.0,)}


class Gifts(parallel_to_aec_wrapper):
    """Who acts pays the other 5 at once, also one who has had no turn yet."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.rewards, self._cumulative_rewards = (dict.fromkeys(self.agents, 1.0) for _ in "12")  # to begin with

    def step(self, action):
        agent, ended = self.agent_selection, any(self.terminations.values())
        super().step(action)
        if not ended:
            other = {"a0": "a1", "a1": "a0"}[agent]
            self.rewards[other] += 5.0
            self._cumulative_rewards[other] += 5.0


@pytest.mark.parametrize("caring", [0, 10])
def test_what_is_paid_before_the_first_turn_counts(caring, tmp_path):
    def make():
        return Caring(Gifts(Turns(2, 3)), "a1", "sim", {"a0": caring})

    for world in (lambda: Gifts(Turns(2, 3)), make):
        found = evaluate(lambda seen: 0, SoloEnv(world(), "a1", {"a0": lambda seen: 0}), 1)
        assert found.everyone["a1"] == found.own_returns == (16.0,)
        assert play_together(world, lambda agent: lambda seen: 0, 1).everyone == found.everyone
    assert found.returns == (16.0 + caring * (found.everyone["a0"][0] - 1),)
    learners = dict.fromkeys(("a0", "a1"), Learner("A2C", settings=SMALL | {"n_steps": 3}))
    train_together(lambda: Gifts(Turns(2, 3)), learners, 3, directory=tmp_path, seed=1)
    first = [float((tmp_path / agent / "curve.csv").read_text().split()[-1].split(",")[1]) for agent in learners]
    assert min(first) >= 16


def test_agents_that_share_a_recurrent_policy_do_not_share_its_memory():
    """The model remembers how often it was asked, and acts by that."""

    class Counting:
        def predict(self, observation, state=None, deterministic=False):
            return np.array(state or 0), (state or 0) + 1

    env = SoloEnv(Turns(3, 3), "a0", dict.fromkeys(("a1", "a2"), greedy(Counting())))
    assert evaluate(lambda seen: 0, env, 2).everyone == {"a0": (0, 0), "a1": (3, 3), "a2": (3, 3)}


def test_the_world_of_a_training_is_over_after_it():
    model = train_together(partial(Turns, 2), dict.fromkeys(("a0", "a1"), Learner("A2C", settings=SMALL)), 20).models[
        "a0"
    ]
    for go_on in (lambda: model.learn(20, reset_num_timesteps=False), lambda: model.get_env().reset()):
        with pytest.raises(SettingError, match=r"world of train_together is over; .* play_together; .* a directory"):
            go_on()


def test_nothing_is_padded_where_a_model_goes_on_without_the_others():
    model = shared(partial(take_turns, 2), "A2C", n_steps=5)
    alone = [lambda: SoloEnv(Turns(2), "a0", {"a1": lambda seen: 0})] * 2
    model.set_env(stable_baselines3.common.vec_env.DummyVecEnv(alone))
    model.learn(10)
    (batch,) = model.rollout_buffer.get()
    assert len(batch.actions) == 10


class Goal(gymnasium.Env):
    """Shows where it is and where it should be."""

    observation_space = Dict({name: Box(-9, 9, (1,)) for name in ("observation", "achieved_goal", "desired_goal")})
    action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return self.see(), {}

    def see(self):
        here = np.full(1, self.place, np.float32)
        return {"observation": here, "achieved_goal": here, "desired_goal": here + 1}

    def step(self, action):
        self.place += int(action)
        return self.see(), 0.0, self.place > 2, False, {}

    def compute_reward(self, achieved, desired, info):
        return np.zeros(len(achieved))


def test_goals_that_are_set_afterwards_are_refused_where_they_would_be_wrong(tmp_path):
    her = {"replay_buffer_class": stable_baselines3.HerReplayBuffer, "learning_starts": 30, "buffer_size": 200, **SMALL}
    training = Training("DQN", 60, policy="MultiInputPolicy", settings=her)
    assert train(Goal, training).num_timesteps >= 60  # control
    with pytest.raises(SettingError, match="got exact=True; expected False with a HerReplayBuffer"):
        train(Goal, training, tmp_path, exact=True)
    with pytest.raises(SettingError, match="a HerReplayBuffer would leave out what Caring pays"):
        train(lambda: Caring(Goal(), criterion="value", futures={"others": lambda seen: 1.0}), training)


def test_goals_that_are_set_afterwards_are_resumed_with_an_empty_memory(tmp_path):
    her = {"replay_buffer_class": stable_baselines3.HerReplayBuffer, "learning_starts": 30, "buffer_size": 200, **SMALL}
    for steps in (60, 120):
        training = Training("DQN", steps, policy="MultiInputPolicy", settings=her, evaluation_episodes=0)
        model = train(Goal, training, tmp_path)
    assert (model.num_timesteps, model.learning_starts) == (120, 90)


def test_an_autoreset_inside_is_refused():
    with pytest.raises(SettingError, match="no Autoreset inside"):
        Caring(Autoreset(Walk()), criterion="neg", futures={"others": lambda seen: 1.0})
