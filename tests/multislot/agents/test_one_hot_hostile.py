"""Random calls of the compiled one-hot module itself, hostile values and mangled states among them.

Run alone these tests only show that nothing crashes or hangs; `make sanitize` runs them under the address and
undefined-behavior sanitizers, which see any access outside of what was allocated.
"""

import os
import pickle
import random
import signal
import struct

import numpy as np
import pytest

from multislot.agents.one_hot_models import kernel, seed_twister
from tests.multislot.agents.one_hot_lives import COUNTS, NAMES, NUMBERS, n_parameters, plan, some_turns, taught

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled"),
]

CALLS = int(os.environ.get("ONE_HOT_CALLS", "20000"))
REFUSALS = (ValueError, TypeError, OverflowError)
SIZES = ((1, 1), (3, 2), (9, 5))
WIDTHS = ((8, 8), (16, 8))
NUMBERS_OF_ANY_KIND = (-(2**63), -1, 0, 1, 2, 5, 7, 64, 65536, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**64, 10**30)
ODDITIES = (None, True, 0.5, float("nan"), float("inf"), "1", b"\x00", (), np.int64(1), np.float32(0.5))


def hostile_plan(dice):
    """Return a plan whose counts, sizes or bytes may be wrong; most are small enough to be trained."""
    algorithm = dice.choice(NAMES)
    sizes, widths, counts = dice.choice(SIZES), dice.choice(WIDTHS), list(COUNTS[algorithm])
    for _ in range(dice.randrange(3)):
        counts[dice.randrange(6)] = dice.choice((*range(8), 30, *NUMBERS_OF_ANY_KIND[:7]))
    if algorithm != "DQN" and dice.random() < 0.5:
        counts[3] = counts[0]
    n = n_parameters(algorithm, sizes, widths) + dice.choice((0,) * 8 + (-1, 1))
    parameters = [np.float32(dice.choice((0, 1e-3, 1, 1e30, float("nan"), float("inf"))))] * n
    numbers = tuple(
        value if dice.random() < 0.9 else dice.choice((0.0, -1.0, 1e300, float("nan"), float("inf")))
        for value in NUMBERS[:6]
    )
    words = [mangled(dice, seed_twister(seed)) if dice.random() < 0.1 else seed_twister(seed) for seed in range(3)]
    return kernel().Plan(
        (NAMES.index(algorithm), dice.random() < 0.5), (*sizes, *widths), dice.choice((0, 1, -7)), tuple(counts),
        (*numbers, dice.random() < 0.5), np.array(parameters).tobytes(), *words,
    )  # fmt: skip


def mangled(dice, data):
    """Return bytes of which some are overwritten, cut off or added."""
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 4))):
        if changed:
            at = dice.randrange(len(changed))
            extreme = struct.pack("<q", dice.choice((-1, 0, 1, 2**31, 2**53, 2**62, 2**63 - 1, -(2**63))))
            changed[at : at + 8] = dice.choice((extreme, bytes([dice.randrange(256)])))[: len(changed) - at]
    return bytes(changed[: dice.choice((None,) * 6 + (0, -1, -12))] + dice.choice((b"",) * 8 + (b"\x00" * 12,)))


def mangle(dice, value):
    """Return a part of a pickle with something in it changed."""
    if isinstance(value, bytes):
        return mangled(dice, value)
    if isinstance(value, tuple):
        at = dice.randrange(len(value))
        return (*value[:at], mangle(dice, value[at]), *value[at + 1 :])
    return dice.choice(NUMBERS_OF_ANY_KIND) if isinstance(value, int) else dice.choice((value, None, *ODDITIES))


def any_value(dice, bound):
    if dice.random() < 0.93:
        return dice.randrange(bound)
    return dice.choice(NUMBERS_OF_ANY_KIND + ODDITIES)


def new_learner(dice):
    made = hostile_plan(dice)
    return kernel().Learner(made, dice.choice((None, kernel().Run())), dice.randrange(2**64))


def call_something(dice, learner):
    """Call one method with random arguments; return the learner to go on with."""
    observations, actions = len(SIZES) * 3, len(SIZES) * 2  # at times more than the learner has
    name = dice.choice(
        ("learn",) * 12 + ("act", "sampled", "greedy", "policy", "value", "copy", "load", "pickle", "mangle")
    )
    observation = any_value(dice, observations)
    if name == "learn":
        reward = dice.choice((0.0, -1.0, 1e38, 1e39, float("nan"), 10**400, any_value(dice, 3)))
        following = any_value(dice, observations)
        learner.learn(observation, any_value(dice, actions), reward, following, any_value(dice, 2))
    elif name == "sampled":
        learner.sampled(observation, dice.choice((0.5, -1.0, 2.0, float("nan"), any_value(dice, 2))))
    elif name == "copy":
        return learner.copy()
    elif name == "load":
        parameters = learner.parameters()
        learner.load(*(mangle(dice, parameters) if dice.random() < 0.7 else parameters))
    elif name == "pickle":
        return pickle.loads(pickle.dumps(learner))
    elif name == "mangle":
        restored, arguments = learner.__reduce__()
        return restored(*mangle(dice, arguments))
    else:
        getattr(learner, name)(observation)
    return learner


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_end_in_an_answer_or_a_refusal(seed):
    dice = random.Random(seed)
    outcomes = {"answered": 0, "refused": 0}
    learner = None
    for _ in range(CALLS // 4):
        try:
            learner = new_learner(dice) if learner is None or dice.random() < 0.01 else call_something(dice, learner)
            outcomes["answered"] += 1
        except REFUSALS:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > CALLS // 40  # both are exercised


def test_mangled_runs_give_no_action_that_their_agents_do_not_have():
    """The control: an undamaged run gives the actions that it kept."""
    dice = random.Random(0)
    learner = taught(kernel().Learner(plan("A2C", (3, 2), published=True), kernel().Run(), 0), some_turns(30))
    kept = [learner.act(observation) for observation in range(3)]
    restored, arguments = learner.__reduce__()
    refused = 0
    run_type, (state,) = arguments[1].__reduce__()
    for _ in range(200):
        try:
            again = restored(arguments[0], run_type(mangled(dice, state)), *arguments[2:])
            assert {again.act(observation) for observation in range(3)} <= {0, 1}
            pickle.loads(pickle.dumps(again))
        except ValueError:
            refused += 1
    assert refused > 0
    assert [restored(*arguments).act(observation) for observation in range(3)] == kept


def test_a_lot_of_a2c_is_one_batch():
    with pytest.raises(ValueError, match="got batch=2; expected a whole number from 5 to 5"):
        plan("A2C", (9, 5), counts=(5, 2, 1, 5, 0, 1))
    assert plan("PPO", (9, 5), counts=(5, 2, 1, 5, 0, 1))


def test_a_count_of_updates_is_bounded_and_loads_at_once():
    """Adam's decays stop moving long before the largest count."""
    learner = kernel().Learner(plan("PPO", (3, 2)), None, 0)
    parts = learner.parameters()[:4]
    for updates in (2**63 - 1, 2**53 + 1, -1):
        with pytest.raises(ValueError, match="got updates="):
            learner.load(*parts, updates)
    learner.load(*parts, 2**53)
    assert learner.updates == 2**53


def test_a_state_that_contradicts_its_parameters_is_refused():
    restored, arguments = taught(kernel().Learner(plan("PPO", (3, 2)), None, 0), some_turns(200)).__reduce__()
    state = arguments[2]
    assert restored(*arguments).updates > 0  # the control
    for at, value in ((16, struct.pack("<q", -1)), (24, struct.pack("<d", float("nan"))), (32, struct.pack("<d", 2.0))):
        with pytest.raises(ValueError, match="expected"):
            restored(*arguments[:2], state[:at] + value + state[at + 8 :], *arguments[3:])


def endless_learner():
    """A learner whose first lot takes minutes: 65,536 epochs of 512 updates."""
    return kernel().Learner(plan("PPO", (3, 2), (8, 8), counts=(512, 1, 65536, 512, 0, 1)), None, 0)


class TrainingStoppedError(Exception):
    """What the test's signal handler raises."""


@pytest.fixture
def after_a_signal():
    """A function that has a handler called by SIGALRM after 0.2 seconds."""
    before = signal.getsignal(signal.SIGALRM)

    def start(handler):
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_long_training_answers_signals_and_cannot_be_changed_meanwhile(after_a_signal):
    learner, refused = endless_learner(), []
    turns = some_turns(512)
    taught(learner, turns[:-1])

    def handle(*signalled):
        with pytest.raises(RuntimeError, match="is training") as raised:
            learner.learn(0, 0, 0.0, 0, False)
        with pytest.raises(RuntimeError, match="is training"):
            learner.load(*learner.parameters())
        refused.append(raised)
        learner.copy()
        raise TrainingStoppedError

    after_a_signal(handle)
    with pytest.raises(TrainingStoppedError):
        learner.learn(*turns[-1], False)
    assert refused
    assert 0 < learner.updates < 65536 * 512
    learner.learn(0, 0, 0.0, 0, False)  # it goes on with the next lot
    assert learner.learned == 513
    assert pickle.loads(pickle.dumps(learner)).parameters() == learner.parameters()
