"""The tutorial's example trains several caring learners in environments of others; here at a small size."""

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "caring_crowds.py"


@pytest.fixture
def crowds():
    specification = importlib.util.spec_from_file_location("caring_crowds", EXAMPLE)
    module = importlib.util.module_from_spec(specification)
    sys.modules["caring_crowds"] = module
    specification.loader.exec_module(module)
    yield module
    del sys.modules["caring_crowds"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("name", "library"), [("tag", "mpe2"), ("zombies", "pygame")])
def test_the_example_of_the_tutorial_runs(crowds, name, library, tmp_path):
    pytest.importorskip(library)
    own, others = crowds.train_game(name, steps=64, seeds=2, episodes=1, directory=tmp_path)
    assert list(own) == list(others) == list(crowds.ALPHAS)
    assert all(len(values) == 2 for values in own.values())
    assert len(list((tmp_path / name / "cells").iterdir())) == 2 * len(crowds.ALPHAS)
    assert len(crowds.plot_games({name: (own, others)}).axes) == 1
