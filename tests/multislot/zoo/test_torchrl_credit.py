"""The value estimator for TorchRL gives the advantages of the trace of the same episode."""

import warnings

import numpy as np
import pytest

from multislot.engine.credit import lineage_advantages
from multislot.exact import KernelWorld
from multislot.zoo import FixedView, make
from tests.multislot.bustle import Bustle, Script, turn
from tests.multislot.zoo.test_bootstrap import Refilled

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("torchrl")
    import torch
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    from multislot.zoo.torchrl import LineageGAE

pytestmark = pytest.mark.filterwarnings("ignore")
WORLDS = {
    "copy": lambda: make("parallel", "multislot/copy-v1", view="fixed", max_cycles=6),
    "universal": lambda: make("parallel", "multislot/universal-v1", view="fixed", max_cycles=4, slots=8),
    "refilled": lambda: FixedView(KernelWorld(Refilled()), 2, max_cycles=4),
    "brief in an empty slot": lambda: FixedView(Script(turn({1: [1, 2]}, ended=[2]), turn({1: [1]})), 2),
    "brief in the slot of another": lambda: FixedView(
        Script(turn({1: [1, 2], 2: []}, ended=[2]), turn({1: [1]}), start=(1, 2)), 2
    ),
    "mover": lambda: FixedView(Script(turn({1: [2]}), turn({2: [2]})), 2, max_cycles=4),
    "bustle": lambda: FixedView(Bustle(spawning=True), 4, max_cycles=8),
}


def rolled_out(world, steps, seed=0, breaks=False):
    environment = PettingZooWrapper(WORLDS[world](), use_mask=False, return_state=True)
    environment.set_seed(seed)
    torch.manual_seed(seed)
    rollout = environment.rollout(steps, break_when_any_done=breaks)
    for place in (rollout, rollout["next"]):  # a critic that is any function of the observation
        place["slot", "state_value"] = torch.sin(
            place["slot", "observation"] @ torch.arange(1.0, place["slot", "observation"].shape[-1] + 1)
        )[..., None]
    return environment, rollout


@pytest.mark.parametrize("future", ["cpy", "sum", "dyn", "sta"])
@pytest.mark.parametrize("world", WORLDS)
def test_advantages_equal_those_of_the_trace(world, future):
    steps, seeds = (8, 20) if world == "bustle" else (3, 1)
    for seed in range(seeds):
        check_against_the_trace(*rolled_out(world, steps, seed, breaks=True), future)


def check_against_the_trace(environment, rollout, future):
    trace, steps = environment._env.unwrapped.trace, len(rollout)
    step_of = np.repeat(np.arange(steps + 1), np.diff(trace.offsets))
    last = rollout["next", "slot", "state_value"][-1, :, 0] * rollout["next", "slot", "observation"][-1, :, 0]
    seen = [*rollout["slot", "state_value"][..., 0].numpy(), last.numpy()]  # who has ended counts with 0
    values = [seen[step][slot - 1] for step, slot in zip(step_of, trace.slot, strict=True)]
    expected = lineage_advantages(trace, values, future=future, discount=0.9, gae_lambda=0.8)
    estimated = LineageGAE(future=future, discount=0.9, gae_lambda=0.8)(rollout)
    for row, (step, slot) in enumerate(zip(step_of, trace.slot, strict=True)):
        if step < steps:
            learns = bool(estimated["slot", "learns"][step, slot - 1])
            assert learns == ~np.isnan(expected[row])
            if learns:
                assert float(estimated["slot", "advantage"][step, slot - 1, 0]) == pytest.approx(
                    expected[row], abs=1e-5
                )
    assert int(estimated["slot", "learns"].sum()) == (~np.isnan(expected)).sum()


@pytest.mark.parametrize("future", ["cpy", "sum", "dyn", "sta"])
def test_a_batch_that_begins_within_an_episode_has_the_same_learners(future):
    _, rollout = rolled_out("mover", 4, breaks=True)
    estimate = LineageGAE(future=future, discount=0.9, gae_lambda=0.8)
    whole, *parts = (estimate(rows.clone())["slot", "learns"] for rows in (rollout, rollout[:2], rollout[2:]))
    assert torch.equal(whole, torch.cat(parts))


def test_episodes_are_told_apart_and_a_network_writes_the_values():
    _, rollout = rolled_out("copy", 20)
    assert int(rollout["next", "done"].sum()) >= 3
    whole = LineageGAE(future="sum", discount=0.9, gae_lambda=0.8)(rollout.clone())
    first = int(rollout["next", "done"].flatten().nonzero()[0]) + 1
    alone = LineageGAE(future="sum", discount=0.9, gae_lambda=0.8)(rollout[:first].clone())
    torch.testing.assert_close(whole["slot", "advantage"][:first], alone["slot", "advantage"])

    def critic(place):
        place["slot", "state_value"] = place["slot", "observation"].sum(-1, keepdim=True)

    estimate = LineageGAE(future="sum", discount=0.9, gae_lambda=0.0, value_network=critic)
    assert not torch.equal(estimate(rollout.clone())["slot", "value_target"], whole["slot", "value_target"])
    assert estimate.value_estimate(rollout).shape == (20, 2, 1)
