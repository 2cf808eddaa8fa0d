"""Several learners at once, each in its library's own loop: alone, together, shared, born and dying, considerate."""

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from pettingzoo.classic.rps import rps
from pettingzoo.utils.conversions import parallel_to_aec

from considerate.training import learners as learners_module
from considerate.training import seats
from considerate.training.checkpoints import CHECKPOINT, CheckpointError
from considerate.training.evaluation import numbers_of, streams
from considerate.training.learners import Learner, _seat, play_together, train_together
from considerate.training.seats import Padded, Seats
from considerate.training.single import Training, train
from considerate.wrappers import Caring
from multislot.errors import SettingError, UnknownNameError
from tests.considerate.training.test_training import at_each_step, parameters, same
from tests.considerate.training.walks import MOVES, SIGHTS, Crowd, One, Walk
from tests.games import Rounds

stable_baselines3 = pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")
DummyVecEnv, VecNormalize = (
    getattr(stable_baselines3.common.vec_env, name) for name in ("DummyVecEnv", "VecNormalize")
)

NETWORK = {"policy_kwargs": {"net_arch": [16]}}
PPO = Learner("PPO", settings={"n_steps": 64, "batch_size": 32, "n_epochs": 4, "learning_rate": 0.01, **NETWORK})
A2C = Learner("A2C", settings={"n_steps": 16, **NETWORK})
DQN = Learner("DQN", settings={"learning_starts": 50, "buffer_size": 500, "learning_rate": 0.01, **NETWORK})


def rounds():
    return rps.env(max_cycles=8)


class Button(Rounds):
    """Whoever presses gets 1 and takes 3 from the other."""

    seen, moves = Box(0, 1, (1,), np.float32), Discrete(2)

    def __init__(self, steps=10):
        self.possible_agents, self.length = ["one", "two"], steps

    def show(self, actions):
        return {agent: np.array([self.time / 10], np.float32) for agent in self.agents}

    def pay(self, actions):
        one, two = actions["one"], actions["two"]
        return {"one": float(one - 3 * two), "two": float(two - 3 * one)}


def caring_button(alpha, steps=10):
    env = Caring(Button(steps), "one", "sim", {"two": alpha})
    return Caring(env, "two", "sim", {"one": alpha})


@pytest.mark.parametrize(("learner", "alpha", "each"), [(PPO, 0, -20), (PPO, 1, 0), (DQN, 1, 0)])
def test_learners_that_care_for_each_other_leave_the_button_alone(learner, alpha, each):
    learners = {"one": learner, "two": learner}
    found = train_together(lambda: caring_button(alpha), learners, 1500, seed=1)
    played = play_together(lambda: caring_button(alpha), found.policy, episodes=1)
    assert played.everyone == {"one": (each,), "two": (each,)}
    assert played.rows["total"] == (2 * each,)
    assert "augmented" not in played.rows


ALL_MOVES = tuple(MOVES)
ON = {"n_steps": 16, "batch_size": 8, "n_epochs": 2}
OFF = {"learning_starts": 10, "buffer_size": 60, "batch_size": 8}
LSTM = {"policy_kwargs": {"net_arch": [8], "lstm_hidden_size": 8}}
TINY = {
    "PPO": {**ON, "policy_kwargs": {"net_arch": [8]}},
    "A2C": {"n_steps": 8, "policy_kwargs": {"net_arch": [8]}},
    "TRPO": {"n_steps": 8, "batch_size": 8, "policy_kwargs": {"net_arch": [8]}},
    "DQN": {**OFF, "train_freq": 2, "policy_kwargs": {"net_arch": [8]}},
    "QRDQN": {**OFF, "train_freq": 2, "policy_kwargs": {"net_arch": [8]}},
    "SAC": {**OFF, "policy_kwargs": {"net_arch": [8]}},
    "RecurrentPPO": {**ON, **LSTM},
}
SUPPORTED = {
    **dict.fromkeys(("PPO", "A2C", "TRPO"), ALL_MOVES),
    "RecurrentPPO": ("discrete", "multidiscrete", "box"),  # its own training fails with MultiBinary
    **dict.fromkeys(("DQN", "QRDQN"), ("discrete",)),
    "SAC": ("box",),
}
FEW = {("PPO", "box", "vector"), ("A2C", "multibinary", "dict"), ("DQN", "discrete", "image")}
FEW |= {("SAC", "box", "vector"), ("RecurrentPPO", "box", "discrete"), ("QRDQN", "discrete", "discrete")}
GRID = [
    pytest.param(*case, marks=() if case in FEW else pytest.mark.slow)
    for case in ((name, moves, sight) for name in TINY for moves in SUPPORTED[name] for sight in SIGHTS)
]


def kind_of(algorithm):
    return getattr(stable_baselines3, algorithm, None) or getattr(sb3_contrib, algorithm)


def settings_of(algorithm):
    return {**deepcopy(TINY[algorithm]), "learning_rate": lambda progress: 1e-3 * progress}


def policy_of(algorithm, sight):
    kind = {"image": "Cnn", "dict": "MultiInput"}.get(sight, "Mlp")
    return f"{kind}{'Lstm' * (algorithm == 'RecurrentPPO')}Policy"


class SeededOnce(gymnasium.Wrapper):
    """The same episodes as in a training with seed 0."""

    own_seed = numbers_of(streams(0)[1], 1)[0]

    def reset(self, *, seed=None, options=None):
        seed, self.own_seed = self.own_seed, None
        return self.env.reset(seed=seed)


def alone(algorithm, moves, sight, steps, worlds=1):
    def make(own_seed):
        env = SeededOnce(Walk(sight, moves))
        env.own_seed = own_seed
        return stable_baselines3.common.monitor.Monitor(env)

    (seed,), settings = numbers_of(streams(0)[0], 1), settings_of(algorithm)
    env = DummyVecEnv([partial(make, own_seed) for own_seed in numbers_of(streams(0)[1], worlds)])
    return kind_of(algorithm)(policy_of(algorithm, sight), env, seed=seed, device="cpu", **settings).learn(steps)


@pytest.mark.parametrize(("algorithm", "moves", "sight"), GRID)
def test_one_learner_has_bit_for_bit_the_weights_of_its_algorithm_alone(algorithm, moves, sight, one_thread):
    expected = alone(algorithm, moves, sight, 48)
    learner = Learner(algorithm, policy_of(algorithm, sight), settings_of(algorithm))
    together = train_together(lambda: One(Walk(sight, moves)), {"a": learner}, 48)
    assert same(expected, together.models["a"])
    assert together.steps == {"a": expected.num_timesteps}
    shorter = train_together(lambda: One(Walk(sight, moves)), {"a": learner}, 16)
    assert not same(expected, shorter.models["a"])  # control: weights do change
    several = train_together(lambda: One(Walk(sight, moves)), {"a": learner}, 48, worlds=2)
    assert same(alone(algorithm, moves, sight, 48, 2), several.models["a"])


def first_ratios(algorithm, plants_fault, shared):
    """|ratio − 1| of all actions of some rollouts with continuous actions, under the policy that chose them."""
    ratios = []

    class Noted(kind_of(algorithm)):
        def train(self):
            self.policy.set_training_mode(False)
            for batch in self.rollout_buffer.get(None):
                actions = batch.actions.clamp(-1, 1) if plants_fault else batch.actions
                if algorithm == "PPO":
                    new = self.policy.evaluate_actions(batch.observations, actions)[1]
                    ratios.append((new - batch.old_log_prob).exp().detach() - 1)
                else:
                    states, starts = batch.lstm_states, batch.episode_starts
                    new = self.policy.evaluate_actions(batch.observations, actions, states, starts)[1]
                    real = batch.mask > 1e-8
                    ratios.append(((new - batch.old_log_prob).exp().detach() - 1)[real])

    def make(env):
        return Noted(policy_of(algorithm, "vector"), env, seed=1, device="cpu", **deepcopy(TINY[algorithm]))

    agents, worlds = (BORN, 2) if shared else ({"a": (0, 9), "b": (0, 5)}, 1)
    learners, wrap = (
        {learner_of(agent): make for agent in agents} if shared else dict.fromkeys(agents, make),
        shared or (lambda env: env),
    )

    def world():
        return wrap(Crowd(agents, 12, moves="box"))

    train_together(world, learners, 96, learner_of=learner_of if shared else str, worlds=worlds)
    return max(float(ratio.abs().max()) for ratio in ratios)


@pytest.mark.parametrize("shared", [None, lambda env: env, parallel_to_aec])
@pytest.mark.parametrize("algorithm", ["PPO", "RecurrentPPO"])
def test_the_first_ratio_is_1_with_continuous_actions(algorithm, shared, monkeypatch):
    """Also where rows wait for each other, while a recurrent policy must not remember what they show."""
    assert first_ratios(algorithm, False, shared) < 1e-5
    assert first_ratios(algorithm, True, shared) > 0.01  # control: clipped actions are stored
    if algorithm == "RecurrentPPO" and shared is not None:
        monkeypatch.setattr(Seats, "hold", lambda *_: None)
        assert first_ratios(algorithm, False, shared) > 1e-4  # control: rows that wait remember what they show


TWO = {"a": (0, 99), "b": (0, 99)}
PAIR = dict.fromkeys(TWO, Learner("A2C", settings=TINY["A2C"]))


def global_states():
    numpy = np.random.get_state()  # noqa: NPY002
    return random.getstate(), numpy[1].tolist(), numpy[2:], torch.get_rng_state().tolist()


def test_the_same_seed_gives_the_same_weights_whatever_was_drawn_before():
    learners = {"a": Learner("PPO", settings=TINY["PPO"]), "b": Learner("DQN", settings=TINY["DQN"])}

    def weights(seed):
        together = train_together(lambda: Crowd(TWO, 9), learners, 40, seed=seed)
        return [parameters(together.models[name]) for name in learners]

    first = weights(1)
    torch.rand(random.randint(1, 9) + np.random.randint(9))  # noqa: NPY002
    np.random.normal()  # noqa: NPY002  # of which NumPy draws two, and keeps one
    before = global_states()
    for one, other in zip(first, weights(1), strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one)
    assert before == global_states()
    assert not any(
        np.array_equal(one, other) for one, other in zip(first[0].values(), weights(2)[0].values(), strict=True)
    )


def test_every_learner_draws_from_a_python_generator_of_its_own():
    """Whether it draws nothing, many numbers, or one of two normal numbers."""
    amounts = {"a": [0, 1, 0, 0, 622, 1, "normal", 0, "normal", 623, 0], "b": ["normal", 2, "normal", 0, 5000]}

    def draw(source, step, own):
        amount = own[step % len(own)]
        return [source.gauss()] if amount == "normal" else [source.random() for _ in range(amount)]

    drawn = {name: [] for name in amounts}

    def drawing(name, own):
        return at_each_step(lambda model: drawn[name].extend(draw(random, model.num_timesteps, own)))

    callbacks = {name: [drawing(name, own)] for name, own in amounts.items()}
    train_together(lambda: Crowd(TWO, 9), PAIR, 64, callbacks=callbacks)
    for (name, own), seed in zip(amounts.items(), numbers_of(streams(0)[0], 2), strict=True):
        alone = random.Random(seed)
        assert drawn[name] == [number for step in range(1, 65) for number in draw(alone, step, own)]


def test_every_learner_follows_its_schedule_and_makes_its_steps():
    progress = {"a": [], "b": []}

    def make(name, n_steps):
        def schedule(remaining):
            progress[name].append(remaining)
            return 1e-3

        return Learner("PPO", settings={**TINY["PPO"], "n_steps": n_steps, "learning_rate": schedule})

    together = train_together(lambda: Crowd(TWO, 9), {"a": make("a", 16), "b": make("b", 24)}, 50)
    assert together.steps == {"a": 64, "b": 72}
    assert sorted(set(progress["a"])) == pytest.approx([1 - made / 50 for made in (64, 48, 32, 16, 0)])


@pytest.mark.parametrize("is_aec", [False, True])
def test_lives_are_episodes(is_aec, tmp_path, monkeypatch):
    """One agent is born late, one dies early, one never enters; the world never ends."""
    seen = {"early": [], "late": []}

    def noting(name):
        def note(found, _):
            seen[name].append((float(found["rewards"][0]), bool(found["dones"][0])))
            return True

        return stable_baselines3.common.callbacks.ConvertCallback(note)

    monkeypatch.setattr(seats, "LONELY_EPISODES", 5)
    lives = {"early": (0, 3), "late": (2, 6), "always": (0, 10**9), "never": (-2, -1)}
    learners = dict.fromkeys(lives, Learner("A2C", settings=TINY["A2C"]))
    env = Crowd(lives, 8)
    made = parallel_to_aec(env) if is_aec else env
    callbacks = {name: [noting(name)] for name in seen}
    with pytest.warns(UserWarning, match="'never' has made 0 of 12 steps"):
        together = train_together(lambda: made, learners, 12, callbacks=callbacks, directory=tmp_path)
    assert (tmp_path / "never" / CHECKPOINT).is_file()
    assert together.steps["always"] >= together.steps["early"] >= 12
    early = [(1.0, False), (2.0, False), (3.0, True)]
    late = [(3.0, False), (4.0, False), (5.0, False), (6.0, True)]
    assert seen["early"][:12] == early * 4
    assert seen["late"][:12] == late * 3


def test_a_world_that_never_ends_does_not_train_for_ever(monkeypatch):
    monkeypatch.setattr(learners_module, "EPISODE_STEPS", 50)
    lives = {"brief": (0, 3), "always": (0, 10**9)}
    learners = dict.fromkeys(lives, Learner("A2C", settings=TINY["A2C"]))
    with pytest.warns(UserWarning, match="'brief' has made 2 of 16 steps"):
        together = train_together(lambda: Crowd(lives), learners, 16)
    assert together.steps == {"brief": 2, "always": 16}  # its third step waits for its next life, and is released


def test_a_world_in_which_nobody_ever_acts_is_an_error():
    with pytest.raises(SettingError, match="no agent acted in 1000 episodes"):
        train_together(lambda: Crowd({"a": (5, 6)}, 1), {"a": Learner("A2C", settings=TINY["A2C"])}, 8)


class OwnError(Exception):
    """An error of a learner's own."""


def failing(error, at=5):
    def fail(model):
        if model.num_timesteps == at:
            raise error

    return at_each_step(fail)


@pytest.mark.parametrize("error", [OwnError("mine"), KeyboardInterrupt(), SystemExit(3)])
@pytest.mark.parametrize("name", ["a", "b"])
def test_an_error_in_any_learner_ends_all_with_its_own_traceback(error, name):
    state = global_states()
    with pytest.raises(type(error)) as caught:
        train_together(lambda: Crowd(TWO, 9), PAIR, 40, callbacks={name: [failing(error)]})
    assert any(entry.name == "fail" for entry in caught.traceback)
    assert global_states() == state


INTERRUPTED = """
import signal
import sys
from considerate.training.learners import train_together
from tests.considerate.training.test_learners import PAIR, TWO
from tests.considerate.training.walks import Crowd

class Telling(Crowd):
    def step(self, actions):
        if len(self.log) == 100:
            print("playing", flush=True)
        return super().step(actions)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have switched it off
try:
    train_together(lambda: Telling(TWO, 9), PAIR, int(sys.argv[2]), directory=sys.argv[1], checkpoint_every=16)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_all_learners_and_keeps_what_was_finished(tmp_path):
    """A real signal, to a real process, which would otherwise play for hours."""
    script, place = tmp_path / "endless.py", tmp_path / "kept"
    script.write_text(INTERRUPTED)
    command = [sys.executable, str(script), str(place), str(10**8)]
    settings = {"env": {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}, "text": True}
    with subprocess.Popen(command, stdout=subprocess.PIPE, **settings) as process:
        assert process.stdout.readline() == "playing\n"
        process.send_signal(signal.SIGINT)
    assert process.returncode == 130
    for name in TWO:
        with np.load(place / name / CHECKPOINT) as kept:
            assert kept["counter num_timesteps"] >= 64
    with pytest.raises(CheckpointError, match="more than 1; give more steps"):
        train_together(lambda: Crowd(TWO, 9), PAIR, 1, directory=place)


def test_an_error_in_the_environment_ends_all():
    class Broken(Crowd):
        def step(self, actions):
            if self.time == 4:
                raise OwnError
            return super().step(actions)

    with pytest.raises(OwnError):
        train_together(lambda: Broken(TWO, 9), PAIR, 40)


@pytest.mark.filterwarnings("ignore:Training and eval env are not of the same type")
def test_trainings_may_be_nested_and_evaluations_play_in_between():
    from stable_baselines3.common.callbacks import EvalCallback

    inner = []

    def nest(model):
        if model.num_timesteps == 4:
            inner.append(train_together(lambda: Crowd(TWO, 9), PAIR, 8, seed=5).steps)

    evaluation = EvalCallback(stable_baselines3.common.monitor.Monitor(Walk()), eval_freq=8, verbose=0)
    callbacks = {"a": [at_each_step(nest), evaluation], "b": [at_each_step(nest)]}
    plain = train_together(lambda: Crowd(TWO, 9), PAIR, 16, seed=1)
    nested = train_together(lambda: Crowd(TWO, 9), PAIR, 16, seed=1, callbacks={"b": callbacks["b"]})
    assert inner == [{"a": 8, "b": 8}]
    assert all(same(plain.models[name], nested.models[name]) for name in PAIR)
    train_together(lambda: Crowd(TWO, 9), PAIR, 16, seed=1, callbacks=callbacks)
    assert evaluation.last_mean_reward > -np.inf


def test_a_learner_may_be_any_function_of_its_environment():
    def make(env):
        return stable_baselines3.A2C("MlpPolicy", VecNormalize(env), **deepcopy(TINY["A2C"]))

    first, second = (train_together(lambda: Crowd(TWO, 9), dict.fromkeys(TWO, make), 24) for _ in range(2))
    assert all(same(first.models[name], second.models[name]) for name in TWO)  # unseeded models, too
    assert not same(first.models["a"], first.models["b"])
    with pytest.raises(SettingError, match="expected a model in the environment that the function got"):
        train_together(
            lambda: Crowd(TWO, 9), dict.fromkeys(TWO, lambda env: stable_baselines3.A2C("MlpPolicy", Walk())), 24
        )


def test_running_means_of_observations_are_kept_and_used_in_evaluations(tmp_path):
    def make(env):
        return stable_baselines3.A2C("MlpPolicy", VecNormalize(env), seed=1, **deepcopy(TINY["A2C"]))

    def train_up_to(steps):
        together = train_together(lambda: Crowd(TWO, 9), {"a": make, "b": PPO}, steps, directory=tmp_path)
        return together.policy("a"), together.models["a"]

    policy, model = train_up_to(24)
    normal = model.get_vec_normalize_env()
    assert normal.obs_rms.count == pytest.approx(25, abs=0.01)  # acting on, while the other learns, adds nothing
    seen = np.random.default_rng(1).normal(size=(50, *model.observation_space.shape)).astype(np.float32)
    model.predict = lambda one, *_, **__: (one.sum(), None)  # shows what it is given, which weights may hide
    expected = [float(normal.normalize_obs(one).sum()) for one in seen]
    assert [policy(one) for one in seen] == expected != [float(one.sum()) for one in seen]
    again = train_up_to(24)[1].get_vec_normalize_env()
    for kept, means in ((normal.obs_rms, again.obs_rms), (normal.ret_rms, again.ret_rms)):
        assert all(np.array_equal(vars(kept)[part], vars(means)[part]) for part in ("mean", "var", "count"))


def make_ars(env):
    return sb3_contrib.ARS("LinearPolicy", env, n_delta=2, seed=numbers_of(streams(0)[0], 1)[0], device="cpu")


def test_ars_has_the_weights_of_ars_alone_but_for_episodes_that_it_would_begin_twice(tmp_path):
    """Alone it resets its environment after an episode, although the next one has begun; here that one is played.

    A `Monitor` would round its returns.
    """

    class BegunOnce(SeededOnce):
        begun = None

        def reset(self, *, seed=None, options=None):
            self.begun = self.begun or super().reset()
            return self.begun

        def step(self, action):
            self.begun = None
            return super().step(action)

    expected = make_ars(DummyVecEnv([lambda: BegunOnce(Walk())])).learn(200)
    for _ in range(2):  # it is trained, and then read from its directory
        model = train_together(lambda: One(Walk()), {"a": make_ars}, 200, directory=tmp_path).models["a"]
        assert same(expected, model)
        assert torch.equal(expected.weights, model.weights)
    curve = (tmp_path / "a" / "curve.csv").read_text().splitlines()
    assert int(curve[-1].split(",")[0]) == model.num_timesteps
    with pytest.raises(SettingError, match="'a' resets its environment within an episode"):
        train_together(lambda: One(Walk()), {"a": make_ars}, 200, worlds=2)


def test_a_learner_that_has_ended_acts_on_through_its_wrappers_and_is_kept_though_they_hide_it(tmp_path):
    from stable_baselines3.common.vec_env import VecFrameStack

    def make(env):
        return stable_baselines3.A2C("MlpPolicy", VecFrameStack(env, 3), **deepcopy(TINY["A2C"]))

    with pytest.warns(UserWarning, match="is kept, but not evaluated: SettingError: .* VecFrameStack"):
        together = train_together(lambda: Crowd(TWO, 9), {"a": make, "b": PPO}, 24, directory=tmp_path)
    assert together.steps == {"a": 24, "b": 64}
    assert (tmp_path / "a" / "weights.npz").exists()


def test_records_for_tensorboard_are_a_setting(tmp_path):
    settings = {**deepcopy(TINY["A2C"]), "tensorboard_log": str(tmp_path / "log")}
    train_together(lambda: Crowd(TWO, 9), {"a": Learner("A2C", settings=settings), "b": PPO}, 8)
    assert [run.name for run in (tmp_path / "log").iterdir()] == ["A2C_1"]


@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "RecurrentPPO"])
def test_each_world_is_a_row(algorithm):
    learners = dict.fromkeys(TWO, Learner(algorithm, policy_of(algorithm, "vector"), TINY[algorithm]))
    envs = [Crowd(TWO, 9) for _ in range(3)]
    made = iter(envs)
    together = train_together(lambda: next(made), learners, 96, worlds=3)
    assert together.models["a"].n_envs == 3
    assert len({env.seeds[0] for env in envs}) == 3
    assert all(seed is None for env in envs for seed in env.seeds[1:])
    assert all(len(env.log) == len(envs[0].log) for env in envs)


BORN = {f"a{number}": (2 * number, 2 * number + 3) for number in range(4)} | {"b0": (0, 12)}


def learner_of(agent):
    return "all" if agent[0] == "a" else agent


class Entered(stable_baselines3.common.callbacks.BaseCallback):
    """Notes what enters the updates: the rows of each rollout, or of the replay buffer in the end."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        if hasattr(self.model, "rollout_buffer"):
            (batch,) = self.model.rollout_buffer.get(None)
            self.note(batch)

    def note(self, batch):
        rows = list(zip(batch.observations.tolist(), batch.actions.flatten().tolist(), strict=True))
        real = (getattr(batch, "mask", torch.ones(len(rows))) > 0).tolist()  # sequences of one length are filled up
        self.rows += [row for row, is_real in zip(rows, real, strict=True) if is_real]


@pytest.mark.parametrize("is_aec", [False, True])
@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "TRPO", "DQN", "RecurrentPPO"])
@pytest.mark.parametrize(("worlds", "is_function"), [(1, False), (2, False), (2, True)])
def test_one_policy_for_agents_that_are_born_and_die(algorithm, is_aec, worlds, is_function):
    """Padded rows never enter an update: every row that does is a step that an agent took, and each enters once."""
    made, entered = [], Entered()

    class Noted(Crowd):
        def step(self, actions):
            own = [agent for agent in actions if agent[0] == "a"]
            taken.extend((self.shown[agent].tolist(), float(actions[agent])) for agent in own)
            return super().step(actions)

        def see(self, agents):
            self.shown = super().see(agents)
            return self.shown

    taken = []

    def make():
        made.append(Noted(BORN, 11, moves="discrete"))
        return parallel_to_aec(made[-1]) if is_aec else made[-1]

    settings = TINY[algorithm] | ({"buffer_size": 1000} if algorithm == "DQN" else {"n_steps": 8})
    policy, rows = policy_of(algorithm, "vector"), 4 if is_function else 3
    learners = {"all": Learner(algorithm, policy, settings, rows), "b0": Learner("A2C", settings=TINY["A2C"])}
    if is_function:
        learners["all"] = lambda env: kind_of(algorithm)(policy, env, **deepcopy(settings))
    callbacks = {"all": [entered]}
    together = train_together(make, learners, 64, learner_of=learner_of, callbacks=callbacks, worlds=worlds)
    own = together.steps["all"]
    assert len(taken) >= own >= 64  # it acts on after its end
    learned = entered.rows
    if algorithm == "DQN":
        buffer = together.models["all"].replay_buffer
        count = buffer.size()
        learned = list(zip(buffer.observations[:count, 0].tolist(), buffer.actions[:count].flatten(), strict=True))
        ended = buffer.dones[:count].astype(bool).flatten()
        deaths = {float(birth + 3) for agent, (birth, _) in BORN.items() if agent[0] == "a"} | {11.0}
        assert ended.any()
        assert {float(reward) for reward in buffer.rewards[:count].flatten()[ended]} <= deaths
    found, expected = Counter((tuple(seen), move) for seen, move in learned), Counter((tuple(o), a) for o, a in taken)
    assert not found - expected
    open_rows = (
        rows * worlds * (own // 8) if is_aec else 0
    )  # a rollout may end before the result of a row's last action
    assert own - open_rows <= len(learned) <= own


class Stub:
    """Stands for the rows of a learner."""

    def __init__(self, count):
        self.rows = [SimpleNamespace(open=False) for _ in range(count)]


SPACES = Walk().observation_space, Walk().action_space, "cpu", 0.9, 0.8
"""What a rollout buffer needs to know, with γ and λ."""


def model_that_learned(algorithm, buffer=None):
    """A small model after an update from a buffer, or before any."""
    settings = {"policy_kwargs": {"net_arch": [8]}, "seed": 1, "device": "cpu", "n_steps": 10}
    settings |= {"batch_size": 5, "n_epochs": 2} if algorithm == "PPO" else {}
    model = kind_of(algorithm)("MlpPolicy", Walk(), **settings)
    model.set_logger(stable_baselines3.common.logger.Logger(None, []))
    if buffer is not None:
        model.rollout_buffer = buffer
        np.random.seed(5)  # noqa: NPY002
        model.train()
    return model


def fill_with_gaps(padded, gap, is_open, chance):
    """Fill two rows with steps and padding; return the steps of each row, and the value of what follows each."""
    lives, last = [[], []], torch.as_tensor(chance.normal(size=(2, 1)).astype(np.float32))
    last_action, starts = np.flatnonzero(~gap[0])[-1], np.ones(2, np.float32)
    for step, acted in enumerate(~gap.T):
        padded.seats.acted = acted
        seen = chance.normal(size=(2, 3)).astype(np.float32)
        actions, rewards = chance.integers(3, size=(2, 1)), chance.integers(5, size=2).astype(np.float32)
        values, log_probs = (torch.as_tensor(chance.normal(size=shape).astype(np.float32)) for shape in ((2, 1), (2,)))
        dones = (chance.random(2) < 0.3).astype(np.float32)
        if is_open and step >= last_action:
            rewards[0] = dones[0] = 0
        padded.add(seen, actions, rewards, starts, values, log_probs)
        for row, life in enumerate(lives):
            if acted[row]:
                life.append([seen[row], actions[row], rewards[row], dones[row], values[row], log_probs[row]])
            else:  # what comes later belongs to the last action
                life[-1][2] += rewards[row]
                life[-1][3] = max(life[-1][3], dones[row])
        starts = dones
    padded.compute_returns_and_advantage(last, dones)
    return lives, [lives[0].pop()[4] if is_open else last[0], last[1]]


def buffer_without_gaps(lives, following):
    """The library's own buffer with the same steps, one row after the other."""
    from stable_baselines3.common.buffers import RolloutBuffer

    parts = []
    for life, expected in zip(lives, following, strict=True):
        part, start = RolloutBuffer(len(life), *SPACES), np.ones(1)
        for observation, action, reward, done, value, log_prob in life:
            part.add(observation[None], action[None], np.array([reward]), start, value[None], log_prob[None])
            start = np.array([done])
        part.compute_returns_and_advantage(expected, start)
        parts.append(part)
    whole = RolloutBuffer(sum(map(len, lives)), *SPACES)
    for name in ("observations", "actions", "values", "log_probs", "advantages", "returns"):
        setattr(whole, name, np.concatenate([getattr(part, name) for part in parts]))
    whole.full = True
    return whole


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("algorithm", ["PPO", "A2C"])
def test_weights_are_those_of_a_training_without_padding(algorithm, seed, is_open):
    """The same steps, in a buffer with padding between them and in the library's own buffer: bit for bit.

    Where the first row's last action has no result yet, its value stands for what follows, and it teaches nothing.
    """
    chance, steps = np.random.default_rng(seed), 24
    gap = chance.random((2, steps)) < 0.4
    gap[:, 0] = False
    padded = Padded(stable_baselines3.common.buffers.RolloutBuffer(steps, *SPACES, n_envs=2), Stub(2))
    padded.seats.rows[0].open = is_open
    whole = buffer_without_gaps(*fill_with_gaps(padded, gap, is_open, chance))
    assert whole.buffer_size < 2 * steps
    model = model_that_learned(algorithm, padded)
    assert same(model, model_that_learned(algorithm, whole))
    assert not same(model, model_that_learned(algorithm))  # control: weights do change
    padded.real[:] = True
    assert not same(model, model_that_learned(algorithm, padded))  # control: padded rows that enter


@pytest.mark.parametrize("algorithm", ["PPO", "DQN"])
def test_a_shared_learner_is_kept_and_goes_on(tmp_path, algorithm):
    """Without a number of rows it has one for every agent that there may be; actions of any kind may be shared."""
    learners = {"all": Learner(algorithm, settings=TINY[algorithm]), "b0": Learner("A2C", settings=TINY["A2C"])}
    moves = "discrete" if algorithm == "DQN" else "box"

    def together(steps):
        made = train_together(
            lambda: Crowd(BORN, 11, moves=moves), learners, steps, learner_of=learner_of, directory=tmp_path
        )
        assert made.models["all"].n_envs == 4
        return made

    first, again, longer = together(32), together(32), together(64)
    assert same(first.models["all"], again.models["all"])
    assert not same(first.models["all"], longer.models["all"])
    assert longer.steps["all"] >= 64


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            Learner("PPO", settings=TINY["PPO"], rows=1),
            "more agents of learner 'all' live at once than it has rows",
        ),
        (
            lambda env: stable_baselines3.A2C("MlpPolicy", VecNormalize(env), **TINY["A2C"]),
            "'all' has 4 rows, and its agents do not act at the same times; .* no wrappers around the environment",
        ),
    ],
)
def test_a_learner_that_cannot_be_shared_is_refused(learner, message):
    learners = {"all": learner, "b0": Learner("A2C", settings=TINY["A2C"])}
    with pytest.raises(SettingError, match=message):
        train_together(lambda: Crowd(BORN, 11), learners, 64, learner_of=learner_of)


@pytest.mark.parametrize(("algorithm", "last"), [("PPO", 32), ("DQN", 32), ("A2C", 20)])
def test_a_learner_that_has_ended_acts_on_without_learning(algorithm, last):
    """One learner lives three times as long as the other in each episode, so it ends first, or a callback ends it."""

    class Ending(Entered):
        def _on_step(self):
            return last == 32 or self.num_timesteps < last

        def _on_training_end(self):
            self.ended, self.acted = deepcopy(parameters(self.model)), len(crowd.log)

    ending, crowd = Ending(), Crowd({"a": (0, 9), "b": (0, 3)}, 9)
    learners = dict.fromkeys("ab", Learner(algorithm, settings=TINY[algorithm]))
    found = train_together(lambda: crowd, learners, 32, callbacks={"a": [ending]})
    assert 2 * ending.acted < len(crowd.log)
    assert (found.steps["a"], found.steps["b"] >= 32) == (last, True)
    kept = parameters(found.models["a"])
    assert all(np.array_equal(weight, kept[name]) for name, weight in ending.ended.items())
    assert len({actions["a"] for _, actions in crowd.log[ending.acted :] if "a" in actions}) > 1


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("sight", ["vector", "dict"])
def test_masks_are_kept(is_shared, sight):
    """MaskablePPO, or a class made of it, takes only actions that the mask allows, in every row, also after its end.

    A learner plays all seats of a game of turns, too: each action is learned with the mask of its own turn.
    """

    class Masked(Crowd):
        def masks(self, agents):
            return {agent: {"action_mask": np.array([0, 1, int(agent == "a")], np.int8)} for agent in agents}

        def reset(self, seed=None, options=None):
            observations, infos = super().reset(seed, options)
            return observations, self.masks(infos)

        def step(self, actions):
            *rest, infos = super().step(actions)
            return (*rest, self.masks(infos))

    made = []

    def make():
        made.append(Masked(TWO, 9, sight))
        return parallel_to_aec(made[-1]) if is_shared else made[-1]

    policy, entered, masks = policy_of("MaskablePPO", sight), Entered(), set()
    settings = TINY["PPO"] | {"batch_size": 31}  # a single one of 32 rows would be left over
    learners = {name: Learner("MaskablePPO", policy, settings) for name in (["all"] if is_shared else TWO)}
    if not is_shared:
        own = type("Own", (sb3_contrib.MaskablePPO,), {})
        learners["a"] = lambda seats: own(policy, seats, **TINY["PPO"] | {"n_steps": 4})
    entered.note = lambda batch: masks.update(
        (*mask, mask[int(action)]) for mask, action in zip(batch.action_masks.tolist(), batch.actions, strict=True)
    )
    name_of = (lambda agent: "all") if is_shared else str
    told = {next(iter(learners)): [entered]}
    found = train_together(make, learners, 34, worlds=2, learner_of=name_of, callbacks=told)
    play_together(make, found.policy, episodes=2)
    taken = {name: {actions[name] for env in made for _, actions in env.log if name in actions} for name in TWO}
    assert taken == {"a": {1, 2}, "b": {1}}
    assert masks == {(0, 1, 1, 1), (0, 1, 0, 1)} if is_shared else {(0, 1, 1, 1)}


@pytest.mark.parametrize(
    ("sight", "move", "expected"),
    [
        (Box(0, 1), Discrete(3, start=-1), "numbers begin at 0"),
        (gymnasium.spaces.Dict(a=gymnasium.spaces.MultiDiscrete([2, 2], start=[0, 1])), Discrete(3), "begin at 0"),
        (gymnasium.spaces.Text(5), Discrete(3), "a Box, Discrete, MultiBinary or MultiDiscrete"),
    ],
)
def test_spaces_that_the_library_would_misread_are_refused(sight, move, expected):
    """Stable-Baselines3 gives an environment with actions -1, 0, 1 the actions 0, 1, 2, without a word."""

    class Strange(Walk):
        observation_space, action_space = sight, move

        def __init__(self):
            pass

    with pytest.raises(SettingError, match=expected):
        train(Strange, Training(steps=8))
    with pytest.raises(SettingError, match=expected):
        train_together(lambda: One(Strange()), {"a": Learner("PPO", settings=TINY["PPO"])}, 8)


def test_agents_may_have_any_names_and_folders_stay_in_the_directory(tmp_path):
    learner = Learner("A2C", settings=TINY["A2C"])
    for names in ((0, 1), (("t", 0), ("t", 1))) * 2:  # each is trained, and then read from its directory
        lives, place = dict.fromkeys(names, (0, 9)), tmp_path / str(names)
        found = train_together(partial(Crowd, lives, 9), dict.fromkeys(names, learner), 8, directory=place)
        assert found.steps == dict.fromkeys(names, 8)
        assert (place / str(names[1]) / CHECKPOINT).is_file()
        assert json.loads((place / "evaluation.json").read_text())["steps"] == {str(name): 8 for name in names}
    for name in ("../c", "..", "a/b", "", ".", "x" * 300, "ä" * 128, "a\0b"):
        with pytest.raises(SettingError, match="a name that a folder can have"):
            train_together(lambda name=name: Crowd({name: (0, 9)}), {name: learner}, 8, directory=tmp_path / "d")


def test_first_seeds_and_first_weights_never_coincide():
    learners, environments, evaluations = [], [], []
    for seed in range(100):
        own, worlds, evaluation = streams(seed)
        learners += numbers_of(own, 8)
        environments += numbers_of(worlds, 8)
        evaluations += numbers_of(evaluation, 20)
    for numbers in (learners, environments, evaluations):
        assert len(set(numbers)) == len(numbers)
    assert not set(environments) & set(evaluations)
    old = [seed + number for seed in range(100) for number in range(8)]
    assert len(set(old)) == 107 < len(old)  # control: seeds as they were


def first_weights(seeds, count):
    """Bytes of the first policies of some learners, which train for no step."""
    weights = []
    for seed in seeds:
        agents = {f"a{number}": (0, 9) for number in range(count)}
        learners = dict.fromkeys(agents, Learner("A2C", settings={"policy_kwargs": {"net_arch": [2]}}))
        hall = _seat([Crowd(agents, 9)], learners, str, seed, 1)
        weights += [parameters(seats.model)["action_net.weight"].tobytes() for seats in hall.seats.values()]
    return weights


@pytest.mark.parametrize("last", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_first_weights_of_policies_never_coincide(last):
    weights = first_weights(range(last), 8)
    assert len(set(weights)) == len(weights) == 8 * last
    assert first_weights([3], 8) == weights[24:32]  # control: the same seed has the same weights


def test_a_directory_keeps_all_and_a_longer_training_goes_on(tmp_path):
    learners = {"a": Learner("PPO", settings=TINY["PPO"]), "b": Learner("DQN", settings=TINY["DQN"])}

    def together(steps, **changes):
        return train_together(lambda: Crowd(TWO, 9), learners, steps, **{"directory": tmp_path, **changes})

    first = together(32)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    kept = ("checkpoint.npz", "curve.csv", "weights.npz")
    of_all = ["evaluation.json", "training.json"]
    assert files == sorted([f"{name}/{file}" for name in learners for file in kept] + of_all)
    evaluation = tmp_path / "evaluation.json"
    played = json.loads(evaluation.read_text())
    assert played["everyone"] == {"a": [45.0] * 20, "b": [45.0] * 20}
    evaluation.write_text(json.dumps({**played, "everyone": {}}))
    again = together(32, checkpoint_every=7)  # it is read, not repeated
    assert not json.loads(evaluation.read_text())["everyone"]
    assert all(same(first.models[name], again.models[name]) for name in learners)
    longer = together(64)
    assert json.loads(evaluation.read_text())["steps"] == longer.steps
    assert longer.steps == {"a": 64, "b": 64}
    assert not same(first.models["a"], longer.models["a"])
    curve = (tmp_path / "a" / "curve.csv").read_text().splitlines()
    assert curve[0] == "steps,return,own return"
    assert curve[1].split(",")[1] == "45.0"
    assert max(int(line.split(",")[0]) for line in curve[1:]) == 32 + 27
    with pytest.raises(CheckpointError, match="holds another training"):
        together(64, seed=1)
    (tmp_path / "b" / "checkpoint.npz").write_bytes(b"damaged")
    before = (tmp_path / "a" / "checkpoint.npz").read_bytes()
    with pytest.raises(CheckpointError, match="is damaged"):
        together(96, checkpoint_every=1)
    assert (tmp_path / "a" / "checkpoint.npz").read_bytes() == before  # nobody has learned


def test_who_learns_for_whom_tells_trainings_apart_and_the_order_of_learners_does_not(tmp_path):
    learners = {"a": Learner("PPO", settings=TINY["PPO"]), "b": Learner("DQN", settings=TINY["DQN"])}

    def together(learners, learner_of=str, directory=None):
        return train_together(lambda: Crowd(TWO, 9), learners, 32, learner_of=learner_of, directory=directory).models

    first, again = together(learners, directory=tmp_path), together(dict(reversed(learners.items())))
    assert all(same(first[name], again[name]) for name in TWO)
    with pytest.raises(CheckpointError, match="holds another training"):
        together(learners, {"a": "b", "b": "a"}.get, tmp_path)
    with pytest.raises(SettingError, match=r"got learners=\[1, '1'\]; expected names that differ as texts"):
        together({1: learners["a"], "1": learners["b"]}, {"a": 1, "b": "1"}.get)


def test_an_interrupted_training_goes_on(tmp_path):

    def together(**changes):
        arguments = {"directory": tmp_path, "checkpoint_every": 8, **changes}
        return train_together(lambda: Crowd(TWO, 9), PAIR, 80, **arguments)

    with pytest.raises(OwnError):
        together(callbacks={"a": [failing(OwnError(), at=45)]})
    steps = []
    counting = at_each_step(lambda model: steps.append(model.num_timesteps))
    assert together(callbacks={"a": [counting]}).steps == {"a": 80, "b": 80}
    assert steps[0] == 41


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"learners": {"player_0": A2C}}, UnknownNameError, "unknown learner 'player_1'"),
        (
            {"learners": {"player_0": A2C, "player_1": A2C, "x": A2C}},
            UnknownNameError,
            "unknown learner of some agent 'x'",
        ),
        ({"steps": 0}, SettingError, "got steps=0; expected a whole number"),
        ({"make": lambda: gymnasium.make("CartPole-v1")}, SettingError, "expected a PettingZoo AECEnv or ParallelEnv"),
        ({"make": 3}, SettingError, "got make=3"),
        ({"callbacks": {"x": []}}, UnknownNameError, "unknown learner with callbacks 'x'"),
        ({"worlds": 0}, SettingError, "got worlds=0"),
    ],
)
def test_errors(arguments, error, message):
    given = {"make": rounds, "learners": {"player_0": A2C, "player_1": A2C}, "steps": 20} | arguments
    with pytest.raises(error, match=message):
        train_together(**given)
    with pytest.raises(UnknownNameError, match="unknown algorithm 'SAK'"):
        Learner("SAK")
