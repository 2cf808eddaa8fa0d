"""The one-hot trainer: Stable-Baselines3's updates without torch, the released experiments' draws, copies, refusals."""

import copy
import os
import pickle
import platform
import random
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from hashlib import sha512
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from hypothesis import given, settings
from hypothesis import strategies as st

import extenv
from extenv.running import own_stream, stored_streams
from multislot.agent import Agent
from multislot.agents import A2C, DQN, PPO
from multislot.agents.conversion import from_stable_baselines3, to_stable_baselines3
from multislot.agents.one_hot_models import kernel
from multislot.errors import SettingError
from multislot.sharing import state_of
from multislot.stream import published_streams
from tests.build import ROOT

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
Logger = pytest.importorskip("stable_baselines3.common.logger").Logger
pytestmark = pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")

STREAM = published_streams(5)[0]
KINDS = (A2C, PPO, DQN)
SHORT = {A2C: {}, PPO: {"n_steps": 64, "batch_size": 16, "n_epochs": 3}, DQN: {}}
SIZES = ((1, 2), (6, 2), (10, 10), (40, 4))
ONE_LOT = {A2C: 1e-6, DQN: 1e-6, PPO: 1e-5}


def fresh(kind, sizes=(3, 2), **overrides):
    return kind(*sizes, STREAM, **{"trainer": "one_hot", **SHORT[kind], **overrides})


def some_turns(n, sizes=(3, 2), seed=0):
    dice = random.Random(seed)
    turns, observation = [], 0
    for _ in range(n):
        turn = (observation, dice.randrange(sizes[1]), float(dice.randrange(3) - 1), dice.randrange(sizes[0]))
        turns.append(turn)
        observation = turn[3]
    return turns


def trained(agent, turns):
    for index, turn in enumerate(turns):
        if index % 7 == 6:
            agent.learn_last(*turn[:3])
        else:
            agent.learn(*turn)
    return agent


def answers(agent):
    return [agent.act(observation) for observation in range(agent.n_observations)]


def distance(one, other):
    pairs = zip(one.model.parameters, other.model.parameters, strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def both(kind, turns, sizes, **overrides):
    return (trained(fresh(kind, sizes, trainer=trainer, **overrides), turns) for trainer in ("one_hot", "sb3"))


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_one_lot_leaves_the_parameters_that_stable_baselines3_does(kind, sizes):
    """With its defaults, a lot of PPO being 320 updates; the untrained parameters are a control that differs."""
    overrides = {"n_steps": 2048, "batch_size": 64, "n_epochs": 10} if kind is PPO else {}
    turns = some_turns(fresh(kind, sizes, **overrides).lot_size, sizes)
    ours, theirs = both(kind, turns, sizes, **overrides)
    assert distance(ours, theirs) < ONE_LOT[kind] < distance(ours, fresh(kind, sizes, **overrides))


WIDER = {"net_arch": [16, 40]}
FURTHER = [
    (A2C, {"learning_rate": 0.01, "gamma": 0.5, "gae_lambda": 0.7, "vf_coef": 0.1, "max_grad_norm": 0.01}),
    (A2C, {"n_steps": 8, "normalize_advantage": True, "policy_kwargs": WIDER}),
    (PPO, {"clip_range": 0.01, "normalize_advantage": False, "learning_rate": 0.003, "n_steps": 48}),
    (PPO, {"policy_kwargs": {"activation_fn": torch.nn.ReLU, **WIDER}}),
    (DQN, {"buffer_size": 30, "target_update_interval": 20, "learning_starts": 9, "train_freq": 3, "batch_size": 7}),
    (DQN, {"gradient_steps": -1, "gamma": 0.3, "policy_kwargs": {"activation_fn": torch.nn.Tanh, **WIDER}}),
]


@pytest.mark.parametrize(("kind", "hyperparameters"), FURTHER)
def test_served_hyperparameters_mean_what_they_mean_there(kind, hyperparameters):
    turns = some_turns(70)
    ours, theirs = both(kind, turns, (3, 2), **hyperparameters)
    assert distance(ours, theirs) < 1e-5
    if "policy_kwargs" not in hyperparameters:
        assert distance(ours, trained(fresh(kind), turns)) > 1e-4
    assert answers(ours) == answers(theirs)
    assert ours.learning_rate == pytest.approx(theirs.learning_rate)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_sizes_and_lots_agree_with_stable_baselines3(data):
    kind = data.draw(st.sampled_from(KINDS))
    sizes = data.draw(st.integers(1, 70)), data.draw(st.integers(1, 12))
    lot = {"n_steps": 16 * data.draw(st.integers(1, 5)), **({"batch_size": 16, "n_epochs": 2} if kind is PPO else {})}
    turns = some_turns(90, sizes, seed=data.draw(st.integers(0, 99)))
    ours, theirs = both(kind, turns, sizes, **({} if kind is DQN else lot))
    assert distance(ours, theirs) < 1e-4
    for observation in range(sizes[0]):
        found, expected = ours.model.evaluated(observation), theirs.model.evaluated(observation)
        assert found.probabilities == pytest.approx(expected.probabilities, abs=1e-4) or kind is DQN


def test_it_drifts_from_stable_baselines3_as_that_drifts_from_itself_perturbed():
    """Rounding grows over updates; a twin of Stable-Baselines3 whose parameters are 1e-7 off goes as far away."""
    drifts = []
    for seed in range(4):
        turns = some_turns(500, seed=seed)
        ours, theirs = both(A2C, turns, (3, 2))
        twin = fresh(A2C, trainer="sb3")
        with torch.no_grad():
            for parameter in twin.model.model.policy.parameters():
                parameter += 1e-7 * torch.sign(torch.arange(parameter.numel()).reshape(parameter.shape) % 2 - 0.5)
        drifts.append((distance(ours, theirs), distance(trained(twin, turns), theirs)))
    ours, perturbed = np.array(drifts).T
    assert ours.max() < 10 * perturbed.max()


@pytest.mark.parametrize("kind", KINDS)
def test_alike_trained_they_act_alike_whatever_was_asked_between(kind):
    turns = some_turns(150)
    silent, questioned = fresh(kind), fresh(kind)
    for index, turn in enumerate(turns):
        questioned.act(index % 3)
        questioned.learn(*turn)
        fresh(kind).act(0)
    for turn in turns:
        silent.learn(*turn)
    assert answers(silent) == answers(questioned)
    assert distance(silent, questioned) == 0


@pytest.mark.parametrize("duplicate", [lambda a: a.copy(), copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
@pytest.mark.parametrize("mode", ["faithful", "published"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_never_moves_its_original(kind, mode, duplicate):
    """Published ones share the table of answers and both generators, as released, and no parameter."""
    agent = trained(fresh(kind, mode=mode), some_turns(66))
    before = [array.copy() for array in agent.model.parameters]
    copied = duplicate(agent)
    assert answers(copied) == answers(agent)
    trained(copied, some_turns(70, seed=2)).act(0)
    assert all(np.array_equal(a, b) for a, b in zip(agent.model.parameters, before, strict=True))
    assert distance(agent, copied) > 0
    if mode == "faithful":
        assert distance(trained(agent, some_turns(70, seed=2)), copied) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_asking_changes_nothing_that_was_learned(kind):
    for mode in ("faithful", "published"):
        agent = trained(fresh(kind, mode=mode), some_turns(30))
        before = state_of(agent)
        assert answers(agent) == answers(agent)
        assert before == state_of(agent) != state_of(trained(agent, some_turns(1)))


class Replay(gymnasium.Env):
    """Hands out a lot of historic turns, whatever is done."""

    def __init__(self, n_observations, n_actions):
        self.observation_space, self.action_space = Discrete(n_observations), Discrete(n_actions)
        self.first, self.lot = 0, []

    def reset(self, *, seed=None, options=None):
        return self.first, {}

    def step(self, action):
        historic, reward, following = self.lot.pop(0)
        assert action == historic
        return following, reward, False, False, {}


class Released(Agent):
    """One agent as the released experiments have it, on the present library: an oracle that shares no code with ours.

    Its model is made when it is first asked. Actions are drawn with torch's generator as torch 1.9 did, which the paper
    used: one double, searched in the cumulated probabilities. Lots go to `learn` of an environment that replays them.
    """

    def __init__(self, n_observations, n_actions, stream, kind, table, seed):
        self.sizes, self.kind, self.table, self.seed = (n_observations, n_actions), kind, table, seed
        self.model, self.history, self.lot, self.first, self.rate = None, (), [], None, 0.0
        self.size = {A2C: 5, PPO: 64, DQN: 4}[kind]

    def made(self):
        further = {A2C: {}, PPO: SHORT[PPO], DQN: {"learning_starts": 1, "buffer_size": 5000}}[self.kind]
        self.world = Replay(*self.sizes)
        self.model = getattr(sb3, self.kind.algorithm)("MlpPolicy", self.world, seed=self.seed, device="cpu", **further)
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        key = np.frombuffer(sha512(str(self.seed).encode()).digest()[:8], np.uint32)
        self.sampler = np.random.RandomState(key)  # Gym 0.18's
        if self.kind is DQN:
            self.model._sample_action = lambda *_: (np.array([self.world.lot[0][0]]),) * 2
        else:
            self.model.policy.forward = self.forced
            self.values, self.model.policy.predict_values = self.model.policy.predict_values, self.last_value

    def act(self, observation):
        if self.model is None:
            self.made()
        key = self.history, observation, self.sizes
        if key not in self.table:
            self.table[key] = self.predicted(torch.tensor([observation]))
        return self.table[key]

    def predicted(self, observation):
        if self.kind is not DQN:
            return drawn(self.model.policy.get_distribution(observation).distribution.probs)
        if np.random.rand() < self.rate:  # noqa: NPY002
            return int(self.sampler.randint(self.sizes[1]))
        return int(self.model.q_net(observation).argmax())

    def forced(self, observation):
        """Pass on the historic action, and the log-probability of one drawn again."""
        distribution = self.model.policy.get_distribution(observation).distribution
        again = torch.tensor([drawn(distribution.probs)])
        return torch.tensor([self.world.lot[0][0]]), self.values(observation), distribution.log_prob(again)

    def last_value(self, observation):
        """Version 1.1.0 asked for an action, too, and forgot it."""
        torch.rand(1, dtype=torch.float64)
        return self.values(observation)

    def learn(self, observation, action, reward, following):
        self.first = observation if self.first is None else self.first
        self.history = hash((self.history, observation, action, reward, following))
        self.lot.append((action, reward, following))
        if len(self.lot) == self.size:
            self.world.lot, self.world.first, self.lot = self.lot, self.first, []
            self.model._n_calls, self.rate = 0, 0.05  # 1.1.0 counts anew in every learn(): the target never moves
            self.model.learn(self.size)


def drawn(probabilities):
    """One draw as torch 1.9's multinomial makes it with replacement."""
    cumulated = probabilities[0].detach().numpy().cumsum(dtype=np.float32)
    return int(np.searchsorted(cumulated / cumulated[-1], float(torch.rand(1, dtype=torch.float64))))


def lived(environment, factory, steps, seed=3):
    """Run as the experiments did; return every action of the true agent."""
    world, (agents, own) = extenv.make(environment), stored_streams(seed)
    agents, actions = own_stream(agents), []
    observation = world.begin(factory, agents, own)
    agent = factory(world.n_observations, world.n_actions, agents)
    for _ in range(steps):
        action = agent.act(observation)
        reward, following = world.step(action)
        agent.learn(observation, action, reward, following)
        actions.append(action)
        observation = following
    return actions


@pytest.fixture
def generators_kept():
    threads, numbers, state = torch.get_num_threads(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    np.random.set_state(numbers)  # noqa: NPY002
    torch.set_rng_state(state)


@pytest.mark.parametrize("environment", ["LimitedMemory", "SelfRecognition", "ThirdActionForbidden"])
@pytest.mark.parametrize(("kind", "steps"), [(A2C, 150), (PPO, 260), (DQN, 600)])
def test_published_agents_draw_what_the_released_ones_did(kind, steps, environment, generators_kept):
    """Copies made in mid-run set everybody back, lots and tables take their numbers: every action is the oracle's.

    With another seed the actions differ; so do those of the trainer that does not know what is set back.
    """
    expected = lived(environment, partial(Released, kind=kind, table={}, seed=3), steps)
    ours = partial(kind, mode="published", trainer="one_hot", **SHORT[kind])
    assert lived(environment, ours, steps) == expected
    assert lived(environment, ours, steps, seed=4) != expected
    if kind is not DQN:
        assert lived(environment, partial(ours, trainer="sb3"), steps) != expected


RELEASED = {
    (A2C, "TemptingButton", False): -49640,
    (A2C, "LimitedMemory", False): 99912,
    (A2C, "FalseMemories", True): 99712,
    (DQN, "LimitedMemory", False): 95012,
    (DQN, "ThirdActionForbidden", False): 88698,
    (DQN, "PunishNondeterministicAgent", True): 90106,
}


@pytest.mark.parametrize(("kind", "environment", "opposite"), RELEASED)
def test_released_totals_of_deep_agents_come_out_to_the_last_digit(kind, environment, opposite):
    """Seed 1, 100,000 steps, from the authors' released table, where rounding decides nothing."""
    factory = partial(kind, mode="published", trainer="one_hot")
    total = extenv.run(environment, factory, seed=1, opposite=opposite).total_reward
    assert total == RELEASED[kind, environment, opposite]


@pytest.mark.parametrize(("seed", "released"), [(1, 7660), (4, 5278)])
def test_ppo_comes_close_to_the_released_totals_where_generators_set_back_decide(seed, released):
    """320 updates a lot make rounding grow, so not to the last digit; else it is 0.02 or 0.5."""
    factory = partial(PPO, mode="published", trainer="one_hot")
    assert extenv.run("LimitedMemory", factory, seed=seed).total_reward == pytest.approx(released, rel=0.05)


def test_what_is_alive_of_another_run_changes_nothing():
    factory = partial(A2C, mode="published")
    environment = extenv.make("TemptingButton")
    once = extenv.run("IgnoreRewards", factory, steps=600, seed=1).total_reward
    alive = [extenv.run(environment, factory, steps=300, seed=1), environment]
    assert extenv.run("IgnoreRewards", factory, steps=600, seed=1).total_reward == once
    assert alive


@pytest.mark.parametrize(("trainer", "hyperparameters", "chosen"), [
    ("auto", {}, "one_hot"),
    ("auto", {"ent_coef": 0.1}, "sb3"),
    ("auto", {"policy_kwargs": {"net_arch": [64]}}, "sb3"),
    ("auto", {"learning_rate": 0.5}, "one_hot"),
    ("sb3", {}, "sb3"),
])  # fmt: skip
def test_the_trainer_is_the_kernel_where_that_serves(trainer, hyperparameters, chosen):
    assert fresh(A2C, trainer=trainer, **hyperparameters).trainer == chosen


REFUSED = [
    (A2C, {"ent_coef": 0.1}, r"ent_coef=0.1, which it does not serve; give trainer=\"sb3\""),
    (PPO, {"clip_range": lambda progress: 0.1}, "clip_range="),
    (PPO, {"policy_kwargs": {"net_arch": [60, 64]}}, "widths 60 and 64, not multiples of 8"),
    (PPO, {"policy_kwargs": {"net_arch": {"pi": [8, 8], "vf": [16, 8]}}}, "the same for policy and values"),
    (DQN, {"policy_kwargs": {"activation_fn": torch.nn.SiLU}}, "the activation SiLU"),
    (DQN, {"tau": 0.5}, "tau=0.5"),
]


@pytest.mark.parametrize(("kind", "hyperparameters", "message"), REFUSED)
def test_what_is_not_served_is_refused_by_name(kind, hyperparameters, message):
    with pytest.raises(SettingError, match=message):
        fresh(kind, **hyperparameters)
    assert fresh(kind, trainer="auto", **hyperparameters).trainer == "sb3"


def test_an_unknown_trainer_and_too_many_observations_are_refused():
    with pytest.raises(SettingError, match='got trainer=\'gpu\'; expected "auto", "sb3" or "one_hot"'):
        fresh(A2C, trainer="gpu")
    with pytest.raises(SettingError, match="more than 4096 observations"):
        fresh(A2C, (5000, 2))


def test_without_the_compiled_module_stable_baselines3_trains_and_it_is_said(monkeypatch):
    monkeypatch.setattr("multislot.agents.one_hot_models.kernel", lambda: None)
    with pytest.warns(RuntimeWarning, match="not compiled; Stable-Baselines3 trains"):
        assert fresh(A2C, trainer="auto").trainer == "sb3"
    with pytest.raises(SettingError, match="without its compiled module"):
        fresh(A2C)


@pytest.mark.parametrize(("method", "arguments"), [
    ("learn", (3, 0, 0.0, 0, False)),
    ("learn", (0, 2, 0.0, 0, False)),
    ("learn", (0, -1, 0.0, 0, False)),
    ("learn", (0, 0, 0.0, 3, False)),
    ("learn", (0, 0, float("nan"), 0, False)),
    ("learn", (0, 0, 1e39, 0, False)),
    ("sampled", (3, 0.5)),
    ("policy", (-1,)),
    ("value", (2**40,)),
    ("greedy", (3,)),
    ("load", (b"", b"", b"", b"", 0)),
])  # fmt: skip
def test_the_kernel_checks_what_enters(method, arguments):
    learner = fresh(A2C).learner
    with pytest.raises((ValueError, OverflowError)):
        getattr(learner, method)(*arguments)


def test_a_pickle_that_was_tampered_with_is_refused():
    restored, arguments = trained(fresh(DQN), some_turns(20)).learner.__reduce__()
    assert restored(*arguments).learned == 20
    for at, changed in ((2, arguments[2][:-1]), (4, 7), (5, b"\xff" * len(arguments[5])), (9, b"")):
        with pytest.raises(ValueError, match="expected"):
            restored(*arguments[:at], changed, *arguments[at + 1 :])


@pytest.mark.parametrize("kind", KINDS)
def test_agents_become_stable_baselines3_models_and_come_back(kind, tmp_path):
    """Saved, loaded and trained further on both sides they stay together."""
    agent = trained(fresh(kind), some_turns(64))
    model = to_stable_baselines3(agent)
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    back = from_stable_baselines3(loaded, STREAM, **SHORT[kind])
    assert distance(agent, back) == 0
    theirs = to_stable_baselines3(trained(fresh(kind, trainer="sb3"), some_turns(64)))
    for ours, other in zip(model.policy.parameters(), theirs.policy.parameters(), strict=True):
        assert np.allclose(ours.detach().numpy(), other.detach().numpy(), atol=1e-5)
    if kind is not DQN:  # replay stays behind
        turns = some_turns(128, seed=1)
        again = from_stable_baselines3(theirs, STREAM, **SHORT[kind])
        assert distance(trained(back, turns), trained(again, turns)) < 1e-3
    with pytest.raises(SettingError, match="give its policy_kwargs"):
        from_stable_baselines3(model, STREAM, **SHORT[kind], policy_kwargs={"net_arch": [8, 8]})


LEVELS = {"plain": ["-march=x86-64"], "avx2": ["-march=x86-64-v3"], "fastest": ["-march=native"]}
PROGRAM = """
import importlib.util, random, sys
spec = importlib.util.spec_from_file_location("multislot.agents._one_hot", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
from hashlib import sha256
import tests.multislot.agents.test_one_hot as tests
digest = sha256()
for kind in tests.KINDS:
    agent = tests.trained(tests.fresh(kind, (10, 4)), tests.some_turns(700, (10, 4)))
    digest.update(agent.learner.parameters()[0] + agent.learner.parameters()[2])
print(digest.hexdigest())
"""


def compiled(target, flags):
    compiler = sysconfig.get_config_var("CC").split()[0]
    sources = [str(ROOT / "multislot/agents/one_hot" / f"{name}.c") for name in ("network", "learner", "module")]
    include = "-I" + sysconfig.get_paths()["include"]
    fixed = ["-shared", "-fPIC", "-O3", "-ffp-contract=off", "-fno-math-errno", "-DMULTISLOT_PLAIN", include]
    subprocess.run([compiler, *fixed, *flags, *sources, "-o", str(target), "-lm"], check=True, capture_output=True)


def bits_of(path):
    command = [sys.executable, "-c", PROGRAM, str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("cc"), reason="needs a compiler for x86-64")
def test_every_level_of_instructions_gives_the_same_bits(tmp_path):
    """The control: where the compiler may fuse multiplications with additions, the bits are others."""
    cpu = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    levels = {name: flags for name, flags in LEVELS.items() if name != "avx2" or "avx2" in cpu}
    found = {}
    for name, flags in levels.items():
        compiled(tmp_path / f"{name}.so", flags)
        found[name] = bits_of(tmp_path / f"{name}.so")
    found["as built"] = bits_of(kernel().__file__)
    assert len(set(found.values())) == 1, found
    if " fma " in cpu:
        compiled(tmp_path / "fused.so", ["-march=native", "-ffp-contract=fast"])
        assert bits_of(tmp_path / "fused.so") not in found.values()
