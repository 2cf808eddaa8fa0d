"""The tutorial's example trains several caring learners in environments of others; here at a small size."""

import pytest

from tests.build import load_script

pytest.importorskip("stable_baselines3")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "library"), [("tag", "mpe2"), ("zombies", "pettingzoo.butterfly.knights_archers_zombies_v11")]
)
def test_the_example_of_the_tutorial_runs(name, library, tmp_path):
    pytest.importorskip(library)
    crowds = load_script("docs/examples/caring_crowds.py")
    own, others, deaths = crowds.train_game(name, steps=64, seeds=2, episodes=1, directory=tmp_path)
    assert list(own) == list(others) == list(crowds.ALPHAS)
    assert all(len(values) == 2 for values in own.values())
    assert {len(values) for values in deaths.values()} == ({2} if name == "zombies" else set())
    assert len(list((tmp_path / name / "cells").iterdir())) == 2 * len(crowds.ALPHAS)
    assert len(crowds.plot_games({name: (own, others, deaths)}).axes) == 1
