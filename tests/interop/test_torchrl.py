"""TorchRL takes every fixed view and every Gymnasium id; what it refuses is said."""

import importlib
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

import extenv  # noqa: F401 - likewise
from considerate.craftworld import task
from considerate.zoo.vectors import TaskVector
from multislot.zoo import make, registration
from scenarios.consideration.known_answers.environment import KnownTask, Problem

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torchrl = pytest.importorskip("torchrl")
    from torchrl.envs import GymEnv, GymWrapper
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

pytestmark = pytest.mark.filterwarnings("ignore")
LONG = {"multislot/universal-v1": {"slots": 4}, "multislot/file-v1": {"path": "copy"}}


def wrapped(name, kind="parallel", **settings):
    environment = make(kind, name, max_cycles=6, **{"view": "fixed", **LONG.get(name, {}), **settings})
    return PettingZooWrapper(environment, use_mask=kind == "aec", return_state=kind == "parallel")


@pytest.mark.parametrize("kind", ["parallel", "aec"])
@pytest.mark.parametrize("name", sorted(registration.REGISTERED))
def test_every_fixed_view_passes_its_check_and_rolls_out(name, kind):
    environment = wrapped(name, kind)
    check_env_specs(environment, seed=0)
    assert environment.rollout(8, break_when_any_done=False).batch_size[0] == 8


@pytest.mark.parametrize("name", sorted(registration.ENTRIES["single"]))
def test_every_gymnasium_id_is_made_by_name(name):
    environment = GymEnv(name, **{"steps" if name.startswith("considerate") else "max_cycles": 6})
    check_env_specs(environment, seed=0)
    assert len(environment.rollout(4)) == 4


def test_the_learner_of_the_documentation_learns(monkeypatch):
    monkeypatch.syspath_prepend(Path("docs/examples").resolve())
    problem = Problem("kitchen-salad", "value", Fraction(1))
    known = KnownTask(problem, 1280)
    policy = importlib.import_module("known_answers_torchrl").train(known, 1280, seed=0)
    assert known.taken == 1280
    assert problem.regret(problem.play(policy)) >= 0


def test_masks_keep_random_actions_from_pressing_twice():
    environment = wrapped("multislot/copy-v1")
    environment.reset()
    seen = environment.rollout(6)
    masks = seen["slot", "action_mask"]
    chosen = masks.gather(-1, seen["slot", "action"].unsqueeze(-1))
    assert bool(chosen.all())
    assert not bool(masks.all())


@pytest.mark.parametrize("settings", [{"view": "dynamic"}, {"infos": "words"}])
def test_what_it_refuses(settings):
    with pytest.raises((KeyError, TypeError, ValueError, RuntimeError)):
        wrapped("multislot/copy-v1", **settings)


def test_many_copies_of_a_task_roll_out():
    vector = TaskVector(task("kitchen-cookie"), 4, "Disabled", steps=6, observations="one-hot")
    rollout = GymWrapper(vector).rollout(20, break_when_any_done=False)
    assert rollout.batch_size == (4, 20)
    assert rollout["next", "done"].sum() >= 3 * 4
    assert (rollout["observation"].sum(-1) == 2).all()
