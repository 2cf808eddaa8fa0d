"""Where futures come from in a game that nobody has solved: learned from the others' play, beside the exact ones."""

import importlib.util
from fractions import Fraction

import gymnasium
import numpy as np
import pytest

import considerate
from considerate.craftworld import task
from considerate.futures import fitted_values
from considerate.training.evaluation import watch
from considerate.wrappers import Caring
from multislot.statistics import student
from tests.build import ROOT


class NextCook(gymnasium.Env):
    """The second cook in the kitchen as the first may leave it; a part of its steps is random."""

    def __init__(self, visits, found, errors):
        self.graph, self.start, self.errors = visits.graph, visits.starts[found], errors
        self.action_space = gymnasium.spaces.Discrete(len(self.graph.actions))
        self.observation_space = gymnasium.spaces.Discrete(self.graph.n_states)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.start
        return self.state, {}

    def step(self, action):
        if self.np_random.random() < self.errors:
            action = self.np_random.integers(self.action_space.n)
        reward = -float(self.graph.costs[self.state, action])
        self.state = int(self.graph.targets[self.state, action])
        return self.state, reward, bool(self.graph.terminal[self.state]), False, {}


def threshold_from_play(name, episodes, errors):
    kitchen = task(name)
    visits = kitchen.visits(kitchen.other("agent_2"))
    observed = [
        episode
        for found in visits.starts
        if visits.can_end(found)
        for episode in watch(
            lambda state: int(np.argmax(visits.paths.steps[state])), NextCook(visits, found, errors), episodes, seed=1
        )
    ]
    fitted = fitted_values(observed, 5, np.random.default_rng(0))
    believed = [
        (probability, lambda state, value=value: value(visits.starts[kitchen.left(state)]))
        for probability, value in fitted.support()
    ]
    return [float(found) for found in considerate.frontier(kitchen, futures={"agent_2": believed}).thresholds]


def test_in_craft_world_the_learned_thresholds_approach_the_exact_one():
    assert considerate.frontier(task("kitchen-cookie")).thresholds == (Fraction(1, 2),)
    assert threshold_from_play("kitchen-cookie", episodes=1, errors=0) == pytest.approx([0.5])
    (few,), (many,) = (threshold_from_play("kitchen-cookie", episodes, errors=0.1) for episodes in (3, 200))
    assert abs(many - 0.5) < 0.06
    assert few != many


@pytest.fixture(scope="module")
def page():
    """The script that measures what the page says of learned futures."""
    spec = importlib.util.spec_from_file_location("learned_futures", ROOT / "docs" / "hooks" / "learned_futures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_says_of_the_kitchen_what_its_script_measures(page):
    kept = page.read()
    assert page.learned_threshold(100, seed=3) == pytest.approx(kept["threshold"]["100"][3])
    assert page.exact_threshold() == pytest.approx(kept["exact threshold"])
    low, high = student(kept["threshold"]["300"])
    assert low < kept["exact threshold"] < high
    assert not low < kept["flawless threshold"] < high  # the control: a cook without errors would be told apart


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
