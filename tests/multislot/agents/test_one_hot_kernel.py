"""The compiled module of the one-hot trainer by itself, without torch: these tests run under the sanitizers, too."""

import copy
import pickle

import pytest

from multislot.agents.one_hot_models import kernel
from tests.multislot.agents.one_hot_lives import NAMES, n_parameters, plan, some_turns, taught

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled"),
]

SIZES = ((1, 1), (3, 2), (40, 7))
WIDTHS = ((8, 8), (64, 64), (16, 40))


def learner(algorithm, sizes=(3, 2), widths=(64, 64), published=False):
    run = kernel().Run() if published else None
    return kernel().Learner(plan(algorithm, sizes, widths, published), run, 0)


def told(one, n_observations):
    """Everything that can be asked of a learner."""
    seen = range(n_observations)
    return [
        one.parameters(),
        one.learned,
        one.updates,
        one.history,
        *([one.policy(o), one.value(o), one.greedy(o), one.sampled(o, 0.6)] for o in seen),
    ]


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("algorithm", NAMES)
def test_copies_and_pickles_go_on_as_the_original_does(algorithm, sizes, widths, published):
    """With nothing learned, in the middle of a lot, and after updates; the original is a control that stays behind."""
    turns = some_turns(200, sizes)
    for first in (0, 67, 130):
        original = taught(learner(algorithm, sizes, widths, published), turns[:first])
        before = told(original, sizes[0])
        for duplicate in (original.copy(), copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
            assert told(duplicate, sizes[0]) == before
        duplicate = taught(pickle.loads(pickle.dumps(original)), turns[first:])
        assert told(original, sizes[0]) == before != told(duplicate, sizes[0])
        assert duplicate.updates > original.updates
        if published:
            assert [duplicate.act(o) for o in range(sizes[0])] == [duplicate.act(o) for o in range(sizes[0])]
        else:
            assert told(taught(original, turns[first:]), sizes[0]) == told(duplicate, sizes[0])


@pytest.mark.parametrize("algorithm", ["A2C", "PPO"])
def test_loaded_parameters_train_on_as_their_origin_does(algorithm):
    """To the last bit, Adam's decays included, which follow from the number of updates; without it they differ."""
    one_a_lot = plan(algorithm, (3, 2), counts=(1, 1, 1, 1, 0, 1))
    origin, loaded, miscounted = (kernel().Learner(one_a_lot, None, 0) for _ in range(3))
    turns = some_turns(60)
    taught(origin, turns)
    loaded.load(*origin.parameters())
    miscounted.load(*origin.parameters()[:4], 3)
    found = [taught(one, turns).parameters()[:3] for one in (origin, loaded, miscounted)]
    assert found[0] == found[1]
    assert (found[1] == found[2]) is (algorithm == "A2C")  # RMSprop counts nothing


@pytest.mark.parametrize(("method", "arguments"), [
    ("learn", (3, 0, 0.0, 0, False)),
    ("learn", (0, 2, 0.0, 0, False)),
    ("learn", (0, -1, 0.0, 0, False)),
    ("learn", (0, 0, 0.0, 3, False)),
    ("learn", (0, 0, float("nan"), 0, False)),
    ("learn", (0, 0, 1e39, 0, False)),
    ("sampled", (3, 0.5)),
    ("policy", (-1,)),
    ("value", (2**40,)),
    ("greedy", (3,)),
    ("load", (b"", b"", b"", b"", 0)),
])  # fmt: skip
def test_it_checks_what_enters(method, arguments):
    with pytest.raises((ValueError, OverflowError)):
        getattr(learner("A2C"), method)(*arguments)


def test_a_plan_of_wrong_sizes_is_refused():
    for sizes, widths, message in (
        ((0, 2), (64, 64), "n_observations=0"),
        ((5000, 2), (64, 64), "n_observations=5000"),
        ((3, 65), (64, 64), "n_actions=65"),
        ((3, 2), (64, 520), "width of the second layer=520"),
        ((3, 2), (12, 64), "expected multiples of 8"),
    ):
        with pytest.raises(ValueError, match=message):
            plan("PPO", sizes, widths)
    short = bytes(4 * n_parameters("PPO", (3, 2), (64, 64)) - 4)
    with pytest.raises(ValueError, match="bytes of parameters"):
        plan("PPO", (3, 2), parameters=short)


def test_a_pickle_that_was_tampered_with_is_refused():
    restored, arguments = taught(learner("DQN"), some_turns(20)).__reduce__()
    assert restored(*arguments).learned == 20
    turns = arguments[5]
    for at, changed in ((2, arguments[2][:-1]), (4, 7), (5, b"\xff" * len(turns)), (5, turns[:-1]), (5, turns[:-12])):
        with pytest.raises(ValueError, match="expected"):
            restored(*arguments[:at], changed, *arguments[at + 1 :])


def test_what_a_run_answered_survives_a_pickle():
    one = taught(learner("A2C", published=True), some_turns(30))
    given = [one.act(observation) for observation in range(3)]
    again = pickle.loads(pickle.dumps(one))
    assert [again.act(observation) for observation in range(3)] == given
    with pytest.raises(ValueError, match="no state of a Run"):
        kernel().Run(b"short")
