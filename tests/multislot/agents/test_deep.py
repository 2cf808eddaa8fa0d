"""Deep agents of Stable-Baselines3: bit for bit its own learning, semi-determinism, sharing, copies, both modes."""

import copy
import pickle
import random
from functools import partial
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete

import extenv
from extenv.measuring.running import stored_streams
from multislot.agents import A2C, DQN, PPO
from multislot.agents.deep_nodes import HistoryStream, SharedLearner
from multislot.engine.stream import PublishedStream
from multislot.errors import SettingError, UnknownNameError
from tests.multislot.agents import one_hot_lives
from tests.multislot.agents.one_hot_lives import KINDS, SHORT, STREAM, answers, some_turns
from tests.multislot.agents.test_deep_settings import needs_kernel
from tests.multislot.agents.test_tabular import trained

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")

SEED = int(STREAM.at(0) * 2**31)
N_OBSERVATIONS, N_ACTIONS = 3, 2


class Recorder(gymnasium.Env):
    """A plain world that keeps what happened, to be learned again by others."""

    observation_space, action_space = Discrete(N_OBSERVATIONS), Discrete(N_ACTIONS)

    def __init__(self):
        self.turn, self.last, self.turns = 0, 0, []

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        self.turn += 1
        reward, following = float((self.turn + action) % 3 - 1), (self.turn * 5 + int(action)) % N_OBSERVATIONS
        self.turns.append((self.last, int(action), reward, following))
        self.last = following
        return following, reward, False, False, {}


fresh = partial(one_hot_lives.fresh, trainer="sb3")


def test_every_number_below_1_draws_an_action():
    """Ten tenths are 1 together, and a little less when they are added one by one."""
    learner = SimpleNamespace(model=SimpleNamespace(probabilities=lambda observation: np.full(10, 0.1)))
    assert [SharedLearner.sampled(learner, 0, number) for number in (0, 0.55, np.nextafter(1, 0))] == [0, 5, 9]


def same_parameters(ours, theirs):
    return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def parameters(model):
    return [parameter.detach().numpy() for parameter in model.policy.parameters()]


@pytest.mark.parametrize(("kind", "steps"), [(A2C, 60), (PPO, 192)])
def test_with_its_own_actions_it_learns_what_learn_does_bit_for_bit(kind, steps, one_thread):
    world = Recorder()
    theirs = getattr(sb3, kind.algorithm)("MlpPolicy", world, seed=SEED, device="cpu", **SHORT[kind]).learn(steps)
    agent = trained(fresh(kind, initial_weights="torch"), world.turns)
    assert same_parameters(agent.model.parameters, parameters(theirs))
    assert not same_parameters(fresh(kind).model.parameters, parameters(theirs))


def test_dqn_learns_what_learn_does_if_replay_draws_the_same(monkeypatch, one_thread):
    """`learn` takes exploration and replay from one generator by turns; given its states, all else is the same.

    Not to the last bit: on processors without AVX2 torch adds up batches in another order.
    """
    world, states = Recorder(), []
    settings = {"learning_starts": 1, "buffer_size": 1000, "target_update_interval": 20}
    theirs = sb3.DQN("MlpPolicy", world, seed=SEED, device="cpu", **settings)
    train = theirs.train

    def recording(**keywords):
        states.append((np.random.get_state(), torch.get_rng_state()))  # noqa: NPY002
        train(**keywords)

    theirs.train = recording
    theirs.learn(80)
    from multislot.agents import deep_models

    update, replayed = deep_models.ReplayModel.update, iter(states)

    def with_their_states(self):
        numbers, torch_state = next(replayed)
        np.random.set_state(numbers)  # noqa: NPY002
        torch.set_rng_state(torch_state)
        update(self)

    monkeypatch.setattr(deep_models.ReplayModel, "update", with_their_states)
    agent = trained(fresh(DQN, total_timesteps=80, **settings), world.turns)
    for mine, others in zip(agent.model.parameters, parameters(theirs), strict=True):
        np.testing.assert_allclose(mine, others, rtol=1e-5, atol=1e-6)
    assert agent.model.model.exploration_rate == theirs.exploration_rate


@pytest.mark.parametrize("duplicate", [lambda a: a.copy(), copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
@pytest.mark.parametrize(
    ("trainer", "mode"),
    [
        ("sb3", "faithful"),
        pytest.param("one_hot", "faithful", marks=needs_kernel),
        pytest.param("one_hot", "published", marks=needs_kernel),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_never_moves_its_original(kind, trainer, mode, duplicate):
    """Published ones share the table of answers and both generators, as released, and no parameter."""
    agent = trained(fresh(kind, trainer=trainer, mode=mode), some_turns(66))
    before = [array.copy() for array in agent.model.parameters]
    copied = duplicate(agent)
    assert answers(copied) == answers(agent)
    trained(copied, some_turns(70, seed=2)).act(0)
    assert same_parameters(agent.model.parameters, before)
    assert not same_parameters(copied.model.parameters, before)
    if mode == "faithful":
        trained(agent, some_turns(70, seed=2))
        assert same_parameters(agent.model.parameters, copied.model.parameters)


def test_draws_of_training_follow_from_the_first_number_of_the_stream():
    def history(*numbers):
        return A2C(3, 2, PublishedStream([*numbers]), trainer="sb3").learner.history

    assert history(0.1, 0.2) == history(0.1, 0.3) != history(0.4, 0.2)


def test_numbers_that_follow_from_a_history_lie_between_0_and_1():
    numbers = [HistoryStream(b"", 0).at(index) for index in range(100)]
    assert 0 <= min(numbers) < 0.1 < 0.9 < max(numbers) < 1


@pytest.mark.parametrize("kind", KINDS)
def test_global_generators_and_threads_are_left_alone(kind):
    """What is drawn after is what would have been drawn; a normal number comes with a second one, held ready."""

    def drawn(between):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        torch.manual_seed(1)
        np.random.normal()  # noqa: NPY002
        between()
        return random.random(), np.random.normal(), np.random.random(), torch.rand(1).item(), torch.get_num_threads()  # noqa: NPY002

    assert drawn(lambda: trained(fresh(kind, gamma=0.5), some_turns(70)).act(0)) == drawn(lambda: None)


def test_the_end_of_an_episode_is_learned():
    turns = some_turns(20)
    going_on, ending = fresh(A2C), fresh(A2C)
    trained(going_on, turns)
    for observation, action, reward, following in turns:
        ending.learn_last(observation, action, reward)
        assert following in range(N_OBSERVATIONS)
    assert not same_parameters(going_on.model.parameters, ending.model.parameters)


def test_dqn_explores_as_its_schedule_says():
    agent = fresh(DQN, total_timesteps=100)
    assert [agent.exploration(learned) for learned in (0, 10, 100)] == [1.0, pytest.approx(0.05), pytest.approx(0.05)]
    model = agent.model.model
    for learned in range(0, 100, 3):
        assert agent.exploration(learned) == pytest.approx(model.exploration_schedule(1.0 - learned / 100))
    published = fresh(DQN, mode="published")
    assert [published.exploration(learned) for learned in (0, 3, 4)] == [0.0, 0.0, 0.05]


def test_the_published_dqn_never_moves_its_target_and_starts_every_lot_at_the_first_observation():
    agent = trained(fresh(DQN, mode="published", target_update_interval=5), [(2, 0, 1.0, 1)] + [(1, 0, 1.0, 1)] * 19)
    model = agent.model.model
    target = [parameter.detach().numpy() for parameter in model.q_net_target.parameters()]
    start = [
        parameter.detach().numpy() for parameter in fresh(DQN, mode="published").model.model.q_net_target.parameters()
    ]
    assert same_parameters(target, start)
    assert model.replay_buffer.observations[:20, 0, 0].tolist() == [2, 1, 1, 1] * 5


@pytest.mark.parametrize("kind", KINDS)
def test_published_agents_of_one_history_act_by_the_answers_of_the_one_asked_first(kind):
    """Their networks differ, each trained with random numbers of its own, and still no answer does."""
    runs = []
    for _ in range(2):
        agent, copied = fresh(kind, mode="published"), fresh(kind, mode="published")
        asked = []
        for index, turn in enumerate(some_turns(300)):
            first, second = (agent, copied) if index % 2 else (copied, agent)
            asked.append(first.act(turn[0]))
            assert second.act(turn[0]) == asked[-1]
            copied.learn(*turn)
            agent.learn(*turn)
        assert not same_parameters(agent.model.parameters, copied.model.parameters)
        runs.append((asked, agent.model.parameters, copied.model.parameters))
    (asked, *networks), (again, *same) = runs
    assert asked == again
    assert all(same_parameters(*pair) for pair in zip(networks, same, strict=True))


@pytest.mark.parametrize("mode", ["faithful", "published"])
@pytest.mark.parametrize("kind", KINDS)
def test_who_comes_to_a_history_later_acts_as_those_did_who_have_left_it(kind, mode):
    settings = {"learning_rate": 0.01, "mode": mode, **({"n_steps": 16, "batch_size": 8} if kind is PPO else {})}
    first, turns = fresh(kind, **settings), some_turns(200)
    stayed, asked = [first.copy()], []
    for turn in turns:
        asked.append(answers(first))
        first.learn(*turn)
        if len(stayed) < 2:
            stayed.append(first.copy())
    for twin in (stayed[0].copy(), fresh(kind, **settings)):
        again = []
        for turn in turns:
            again.append(answers(twin))
            twin.learn(*turn)
        assert again == asked


def test_hyperparameters_are_visible_and_checked():
    assert fresh(A2C, learning_rate=0.01).learning_rate == 0.01
    assert fresh(PPO).learning_rate == pytest.approx(3e-4)
    with pytest.raises(SettingError, match="got mode='exact'"):
        fresh(A2C, mode="exact")
    with pytest.raises(UnknownNameError, match="unknown hyperparameter of PPO 'gama'; did you mean 'gamma'"):
        fresh(PPO, gama=0.9)
    with pytest.raises(SettingError, match="got n_steps=0; expected a whole number, at least 1"):
        fresh(A2C, n_steps=0)
    with pytest.raises(SettingError, match="got learning_rate=-1; expected a finite number, at least 0"):
        fresh(DQN, learning_rate=-1)


@pytest.mark.parametrize("mode", ["faithful", "published"])
@pytest.mark.parametrize("kind", [A2C, DQN])
def test_a_run_is_the_same_again_and_as_a_world_whatever_is_still_alive(kind, mode):
    factory = partial(kind, mode=mode, trainer="sb3")
    environment = extenv.make("TemptingButton")
    once = extenv.run(environment, factory, steps=60, seed=1).total_reward
    untrained = factory(environment.n_observations, environment.n_actions, stored_streams(1)[0])
    again = extenv.run("TemptingButton", factory, steps=60, seed=1).total_reward
    lived = extenv.AsWorld("TemptingButton", factory).run(60, seed=1)
    assert once == again == sum(lived.reward_history(1))
    assert untrained.learner.learned == 0
