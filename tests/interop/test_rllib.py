"""RLlib's PPO makes a training iteration on the fixed view."""

import warnings

import pytest

from tests.interop import contract

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("ray.rllib")


@pytest.mark.filterwarnings("ignore")
def test_ppo_trains_a_shared_policy_on_the_button():
    assert contract.outcome(contract.rllib, *contract.VIEWS["bare, fixed"]) == "works"
