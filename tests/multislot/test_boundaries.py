"""Both ends of what is accepted: the least and the largest value pass, and the next one beyond each end is refused."""

from fractions import Fraction

import numpy as np
import pytest

import extenv
from considerate.fairness import evenness, periodic
from extenv.battery import make
from extenv.environment import play
from extenv.measuring.running import stored_streams
from extenv.measuring.validation import play_validated
from multislot import run
from multislot.agents import RandomAgent
from multislot.bayes import ImitatorAgent, MentorClass, TabularMentor, TabularModel, policy_values
from multislot.errors import MultislotError
from multislot.exact import KernelWorld, action_values, copy, plan_for_copies, stay
from multislot.exact.files.answers import MOST_STEPS, Asked
from multislot.statistics import clopper_pearson
from multislot.zoo import SingleView
from tests.multislot.engine.test_protocol_faults import Answering

SMALL = Fraction(1, 10**6)
MENTORS = MentorClass([TabularMentor(np.full((2, 2), 0.5))])
EVEN = np.full((2, 2, 2), 0.5)


def started(view):
    view.reset(seed=1)
    return view


def playing(how):
    """How an action ends in an extended environment with two actions."""

    def act(action):
        environment = make("IgnoreRewards")
        observation = environment.begin(RandomAgent, *stored_streams(1))
        return how(environment, Answering(action), observation, 2, 3, False)

    return act


BOUNDED = {
    "play": (playing(play), 0, 1, 1),
    "play validated": (playing(play_validated), 0, 1, 1),
    "run": (lambda action: run(KernelWorld(copy()), {1: lambda *given: Answering(action)}, 2), 0, 1, 1),
    "SingleView": (lambda action: started(SingleView(KernelWorld(stay()))).step(action), 0, 0, 1),
    "steps of extenv.run": (lambda steps: extenv.run("IgnoreRewards", RandomAgent, steps=steps), 1, None, 1),
    "seed of extenv.run": (lambda seed: extenv.run("IgnoreRewards", RandomAgent, steps=1, seed=seed), 0, None, 1),
    "discount": (lambda discount: action_values(copy(), "cpy", discount=discount, horizon=2), 0, 1, SMALL),
    "horizon": (lambda steps: action_values(copy(), "cpy", discount=1, horizon=steps), 0, None, 1),
    "slot": (lambda slot: action_values(copy(), "sta", discount=1, horizon=1, slot=slot), 1, None, 1),
    "horizon for copies": (lambda steps: plan_for_copies(copy(), discount=1, horizon=steps), 1, None, 1),
    "horizon of a request": (lambda n: Asked({"world": "walk", "horizon": n}), 1, MOST_STEPS, 1),
    "start of a model": (lambda start: TabularModel(EVEN, EVEN[0], start), 0, 1, 1),
    "discount of a model": (
        lambda discount: policy_values(TabularModel(EVEN, EVEN[0]), [0, 0], discount, 2),
        0,
        1 - 1e-9,
        1e-9,
    ),
    "alpha of an imitator": (lambda alpha: ImitatorAgent(MENTORS, alpha), 1e-9, 1, 1e-9),
    "successes": (lambda count: clopper_pearson(count, 5), 0, 5, 1),
    "period": (lambda period: periodic(evenness, period), 1, None, 1),
}
"""What takes a number, its least and largest value, and how far the next one is."""


@pytest.mark.parametrize("name", BOUNDED)
def test_the_ends_are_accepted_and_what_lies_beyond_is_refused(name):
    call, least, most, step = BOUNDED[name]
    call(least)
    with pytest.raises((MultislotError, ValueError)):
        call(least - step)
    if most is not None:
        call(most)
        for beyond in (most + step, most + 2 * step):
            with pytest.raises((MultislotError, ValueError)):
                call(beyond)
