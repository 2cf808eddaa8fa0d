"""The examples in ``docs/examples`` learn what the exact engine says."""

import warnings
from fractions import Fraction

import pytest

from multislot.exact import action_values, world_named
from multislot.zoo import FixedView
from scenarios.consideration.known_answers.environment import KnownTask, Problem
from tests.build import load_script
from tests.multislot.bustle import Script, turn

pytest.importorskip("torch")


@pytest.mark.parametrize("future", ["cpy", "dyn"])
def test_the_single_file_ppo_learns_whether_to_be_copied(future, one_thread):
    """The copy in slot 2 earns a lot: an agent presses if its copies are its future, and not if slot 1 is."""
    example = load_script("docs/examples/ppo_copies.py")
    values = action_values(world_named("copy", r_s=1, r_1=0.5, r_2=4), future, discount=0.99, horizon=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {"r_s": 1, "r_1": 0.5, "r_2": 4, "max_cycles": 4}
        arguments = example.Args(env="multislot/copy-v1", future=future, total_steps=3072, num_steps=256)
        chance = example.main(arguments, **settings)[1]
    assert (chance > 0.5) == (values.best == "copy")
    assert (future == "cpy") == (values.best == "copy")


@pytest.mark.parametrize("learned", [0, 1])
def test_the_single_file_learner_of_known_answers_is_exact_if_it_is_paid_for_caring(learned, one_thread):
    """The control is paid for its own task alone: it is not exact where caring changes the optimum."""
    problem = Problem("kitchen-peanut", "value", Fraction(1))
    known = KnownTask(problem, 80_000, Fraction(learned))
    policy = load_script("docs/examples/known_answers_cleanrl.py").train(known, 80_000, seed=0)
    assert (problem.regret(problem.play(policy)) == 0) == bool(learned)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("future", "value"), [("cpy", "cpy"), ("sum", "common-ancestor"), ("dyn", "dyn"), ("sta", "sta")]
)
def test_each_future_takes_another_way(future, value):
    example = load_script("docs/examples/ppo_copies.py")
    exact = action_values(example.Crossroads(), value, discount=1, horizon=2)
    assert sorted(exact.values())[-1] > sorted(exact.values())[-2]
    chances = example.main(example.Args(future=future))
    assert example.Crossroads.actions[max(range(4), key=chances.__getitem__)] == exact.best


def test_whoever_has_moved_is_remembered_in_the_next_rollout():
    """A rollout may end between a copy and the copy's next step."""
    example = load_script("docs/examples/ppo_copies.py")
    env = example.FixedView(example.KernelWorld(example.Crossroads()), 3, max_cycles=2)
    policy = example.Policy(env.observation_space("slot_1").shape[0], 4)
    env.reset(seed=0)
    start, later = None, []
    for _ in range(40):
        rows, start = example.rollout(env, policy, 1, start)
        later += [
            (int(s), bool(stayed))
            for s, stayed, acts in zip(rows["slot"], rows["stayed"], rows["acted"], strict=True)
            if acts
        ]
    assert {stayed for slot, stayed in later if slot > 1} == {False}
    assert {stayed for slot, stayed in later if slot == 1} == {True}


def test_a_copy_that_ends_on_arrival_counts_for_its_parent():
    """It comes into the slot of an agent that is deleted."""
    example = load_script("docs/examples/ppo_copies.py")
    env = FixedView(Script(turn({1: [1, 2], 2: []}, ended=[2]), turn({1: [1]}), start=(1, 2)), 2)
    rows, _ = example.rollout(env, example.Policy(env.observation_space("slot_1").shape[0], 2), 2, None)
    assert rows["parent"].tolist() == [0, 1, 0, 0, 2, 5]
