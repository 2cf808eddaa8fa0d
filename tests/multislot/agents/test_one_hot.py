"""The one-hot trainer against Stable-Baselines3's own updates: parameters, drift, copies, refusals, conversion."""

import numpy as np
import pytest
from gymnasium.spaces import MultiBinary
from hypothesis import given
from hypothesis import strategies as st

from multislot.agents import A2C, DQN, PPO
from multislot.agents.conversion import from_stable_baselines3, to_stable_baselines3
from multislot.agents.deep import warn_not_compiled
from multislot.agents.one_hot_models import kernel
from multislot.engine.sharing import pickle_state
from multislot.errors import SettingError
from tests.multislot.agents.one_hot_lives import KINDS, SHORT, STREAM, answers, distance, fresh, some_turns, trained

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytestmark = pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")

SIZES = ((1, 2), (6, 2), (10, 10), (40, 4))
ONE_LOT = {A2C: 1e-6, DQN: 1e-6, PPO: 1e-4}


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


@given(st.data())
def test_any_sizes_and_lots_agree_with_stable_baselines3(data):
    kind = data.draw(st.sampled_from(KINDS))
    sizes = data.draw(st.integers(1, 70)), data.draw(st.integers(1, 12))
    lot = {"n_steps": 16 * data.draw(st.integers(1, 5)), **({"batch_size": 16, "n_epochs": 2} if kind is PPO else {})}
    turns = some_turns(90, sizes, seed=data.draw(st.integers(0, 99)))
    ours, theirs = both(kind, turns, sizes, **({} if kind is DQN else lot))
    assert distance(ours, theirs) < 1e-4
    for observation in range(sizes[0]):
        expected = theirs.model.probabilities(observation)
        assert ours.model.probabilities(observation) == pytest.approx(expected, abs=1e-4) or kind is DQN


@pytest.mark.parametrize("kind", KINDS)
def test_asking_changes_nothing_that_was_learned(kind):
    for mode in ("faithful", "published"):
        agent = trained(fresh(kind, mode=mode), some_turns(30))
        before = pickle_state(agent)
        assert answers(agent) == answers(agent)
        assert before == pickle_state(agent) != pickle_state(trained(agent, some_turns(1)))


REFUSED = [
    (A2C, {"ent_coef": 0.1}, r"ent_coef=0.1, which it does not serve; give trainer=\"sb3\""),
    (PPO, {"clip_range": lambda progress: 0.1}, "clip_range="),
    (PPO, {"policy_kwargs": {"net_arch": [60, 64]}}, "widths 60 and 64, not multiples of 8"),
    (PPO, {"policy_kwargs": {"net_arch": {"pi": [8, 8], "vf": [16, 8]}}}, "the same for policy and values"),
    (PPO, {"policy_kwargs": {"net_arch": {"pi": [8, 8]}}}, "the same for policy and values"),
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


def test_without_the_compiled_module_stable_baselines3_trains_and_it_is_said_once(monkeypatch):
    """Even where Python's filters say everything always, as they are here."""
    monkeypatch.setattr("multislot.agents.one_hot_models.kernel", lambda: None)
    warn_not_compiled.cache_clear()
    with pytest.warns(RuntimeWarning, match="not compiled; Stable-Baselines3 trains") as said:
        chosen = [fresh(A2C, trainer="auto").trainer for _ in range(3)]
    assert chosen == ["sb3"] * 3
    assert len(said) == 1
    with pytest.raises(SettingError, match="without its compiled module"):
        fresh(A2C)


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
    model.action_space = MultiBinary(2)
    with pytest.raises(SettingError, match="with discrete spaces"):
        from_stable_baselines3(model, STREAM, **SHORT[kind])
