"""The examples in ``docs/examples`` learn what the exact engine says."""

import importlib.util
import warnings

import pytest

from multislot.exact import action_values, world_named
from tests.build import ROOT

pytest.importorskip("torch")


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("future", ["cpy", "dyn"])
def test_the_single_file_ppo_learns_whether_to_be_copied(future):
    """The copy in slot 2 earns a lot: an agent presses if its copies are its future, and not if slot 1 is."""
    example = load("ppo_copies")
    values = action_values(world_named("copy", r_s=1, r_1=0.5, r_2=4), future, discount=0.99, horizon=4)
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settings = {"r_s": 1, "r_1": 0.5, "r_2": 4, "max_cycles": 4}
            chance = example.main(example.Args(future=future, total_steps=3072, num_steps=256), **settings)
    finally:
        torch.set_num_threads(threads)
    assert (chance > 0.5) == (values.best == "copy")
    assert (future == "cpy") == (values.best == "copy")
