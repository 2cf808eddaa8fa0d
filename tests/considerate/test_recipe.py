"""Where futures come from in a game that nobody has solved: learned from the others' play, beside the exact ones."""

import numpy as np
import pytest

from considerate.wrappers import Caring
from multislot.statistics import student
from tests.build import ROOT, load_script


@pytest.fixture(scope="module")
def page():
    """The script that measures what the page says of learned futures."""
    return load_script("docs/hooks/learned_futures.py")


def test_the_page_says_of_the_kitchen_what_its_script_measures(page):
    kept = page.read()
    assert page.learned_threshold(100, seed=3) == pytest.approx(kept["threshold"]["100"][3])
    assert page.exact_threshold() == pytest.approx(kept["exact threshold"])
    for ways in ("threshold", "network threshold"):
        low, high = student(kept[ways]["300"])
        assert low < kept["exact threshold"] < high
        assert not low < kept["flawless threshold"] < high  # the control: a cook without errors would be told apart
    pytest.importorskip("torch")
    assert page.learned_threshold(100, 3, by_networks=True) == pytest.approx(
        kept["network threshold"]["100"][3], abs=0.02
    )


def test_the_page_has_the_table_of_what_was_measured(page):
    assert page.table(page.read()) in (ROOT / "docs" / "considerate.md").read_text(encoding="utf-8")


def test_the_page_says_of_the_particles_what_the_wrapper_pays(page):
    """The first particle's reward is its own, plus the fitted future of the state in which it leaves."""
    pytest.importorskip("mpe2")
    plan, seed, weights = ("first", "stay"), 5, np.linspace(-1, 1, page.FEATURES)
    own, found, _ = page.play(plan, seed)

    def future(state):
        return float(page.features(state) @ weights)

    from mpe2 import simple_spread_v3

    half = simple_spread_v3.parallel_env(N=2, max_cycles=page.HALF)
    env = Caring(half, "agent_0", "value", {"agent_1": page.CARING}, futures={"agent_1": future})
    seen, _ = env.reset(seed=seed)
    paid = 0.0
    for step in range(page.HALF):
        seen, rewards, *_ = env.step({"agent_0": page.first_acts(seen["agent_0"], step, plan), "agent_1": 0})
        paid += rewards["agent_0"]
    assert paid == pytest.approx(own + page.CARING * future(found))
    kept = page.read()
    assert student(kept["lost"]["300"])[1] < 0.1 * kept["lost without caring"] < student(kept["lost"]["30"])[1]
