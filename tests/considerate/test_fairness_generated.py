"""Fairness in random processes: plans, policies without memory and frontiers against their definitions."""

from fractions import Fraction
from itertools import product
from random import Random

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from hypothesis import given
from hypothesis import strategies as st

from considerate import fairness
from considerate.fairness import FairEnv, Process, Worth
from tests.worlds.generator import make_process, processes


def spread(status):
    """A welfare that treats stakeholders differently."""
    return min(status) - max(status) + Fraction(1, 3) * status[0]


SCHEMES = {
    "at the end": (fairness.long_term(spread), lambda time, before, after, ended: ended),
    "always": (fairness.anytime(spread), lambda time, before, after, ended: True),
    "every two steps": (fairness.periodic(spread, 2), lambda time, before, after, ended: time in (2, 4)),
    "every three steps": (fairness.periodic(spread, 3), lambda time, before, after, ended: time == 3),
    "at events": (
        fairness.bounded(spread, lambda before, after: sum(after) > sum(before)),
        lambda time, before, after, ended: sum(after) > sum(before),
    ),
}
PERIODS = {"every two steps": 2, "every three steps": 3}
schemes = st.sampled_from(sorted(SCHEMES))
weights = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(2), Fraction(-1)])


def follow(process, assessed, choose, history=(), state=None):
    """The worth of a way to choose, and the choice, by recursion over whole histories.

    ``choose`` gets (history, state, {action: worth}) and returns an action; a history holds all states and rewards.
    """
    state = process.start if not history else state
    who = range(len(process.stakeholders))
    before = tuple(sum((rewards[k] for rewards in history), 0) for k in who)
    worths = {}
    for action in range(len(process.actions)):
        own, fair = Fraction(), Fraction()
        for chance, following, paid, rewards in process.outcomes(state, action):
            past = (*history, rewards)
            after = tuple(total + reward for total, reward in zip(before, rewards, strict=True))
            ended = following is None or len(past) == process.horizon
            own += chance * paid
            fair += chance * spread(after) if assessed(len(past), before, after, ended) else 0
            if not ended:
                later, _ = follow(process, assessed, choose, past, following)
                own, fair = own + chance * later.own, fair + chance * later.fairness
        worths[action] = Worth(own, fair)
    action = choose(history, state, worths)
    return worths[action], action


def best_by(weight):
    """The most of own + weight · fairness; ties go to more fairness, then to the first action."""

    def choose(history, state, worths):
        ranks = {action: (worth.own + weight * worth.fairness, worth.fairness) for action, worth in worths.items()}
        return next(action for action in worths if ranks[action] == max(ranks.values()))

    return choose


@given(processes((2, 4), (1, 3)), schemes, weights)
def test_a_plan_with_memory_is_the_best_of_all_over_histories(process, name, weight):
    scheme, assessed = SCHEMES[name]
    plan = fairness.solve(process, scheme, weight)
    worth, action = follow(process, assessed, best_by(weight))
    assert plan.worth == worth
    empty = (0,) * len(process.stakeholders)
    assert plan.policy(process.start, empty, 0) == action
    for chance, state, _, rewards in process.outcomes(process.start, action):
        if state is not None and process.horizon > 1 and chance:
            _, later = follow(process, assessed, best_by(weight), (rewards,), state)
            assert plan.policy(state, rewards, 1) == later


def scripted(seed, actions):
    """A policy that depends on all that it may: state, status and time."""
    return lambda state, status, time: Random(f"{seed} {state} {status} {time}").randrange(actions)


@given(processes((2, 4), (1, 3)), schemes, st.integers(0, 2**32))
def test_what_a_policy_is_worth(process, name, seed):
    scheme, assessed = SCHEMES[name]
    policy = scripted(seed, len(process.actions))

    def choose(history, state, worths):
        status = tuple(sum((rewards[k] for rewards in history), 0) for k in range(len(process.stakeholders)))
        return policy(state, status, len(history))

    assert fairness.evaluate(process, scheme, policy) == follow(process, assessed, choose)[0]


@given(processes((2, 3), (1, 3)), schemes, weights)
def test_the_best_policy_without_memory(process, name, weight):
    scheme, assessed = SCHEMES[name]
    worths = [
        follow(process, assessed, lambda history, state, _, chosen=chosen: chosen[state])[0]
        for chosen in product(range(len(process.actions)), repeat=3)
    ]
    ranked = [(worth.own + weight * worth.fairness, worth.fairness) for worth in worths]
    ours = fairness.best_memoryless(process, scheme, weight)
    assert (ours.own + weight * ours.fairness, ours.fairness) == max(ranked)
    assert len(list(fairness.memoryless_policies(process))) == len(process.actions) ** len(process.states)


@given(processes((2, 4), (1, 3)), schemes)
def test_a_frontier_is_best_at_every_weight_and_changes_at_its_thresholds(process, name):
    scheme, assessed = SCHEMES[name]
    pieces = fairness.frontier(lambda weight: fairness.solve(process, scheme, weight).worth, 5)
    assert pieces[0][0] == 0
    tried = {Fraction(n, 4) for n in range(20)} | {weight for weight, _ in pieces}
    for weight in tried:
        best, _ = follow(process, assessed, best_by(weight))
        for threshold, worth in pieces:
            here = worth.own + weight * worth.fairness
            assert here <= best.own + weight * best.fairness
            if threshold == max(at for at, _ in pieces if at <= weight):
                assert here == best.own + weight * best.fairness
    slopes = [worth.fairness for _, worth in pieces]
    assert slopes == sorted(set(slopes))


class ProcessEnv(gymnasium.Env):
    """A process as an environment; states are the observations, and ``totals`` returns every stakeholder's status."""

    def __init__(self, process):
        self.process = process
        self.states = {state: index for index, state in enumerate(process.states)}
        self.observation_space, self.action_space = Discrete(len(self.states)), Discrete(len(process.actions))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.time = self.process.start, 0
        self._totals = dict.fromkeys(self.process.stakeholders, 0.0)
        return self.states[self.state], {}

    def step(self, action):
        outcomes = list(self.process.outcomes(self.state, int(action)))
        chances = np.array([float(outcome.probability) for outcome in outcomes])
        outcome = outcomes[int(self.np_random.choice(len(outcomes), p=chances / chances.sum()))]
        for name, reward in zip(self.process.stakeholders, outcome.rewards, strict=True):
            self._totals[name] += float(reward)
        self.time += 1
        self.state = self.state if outcome.state is None else outcome.state
        ended = outcome.state is None or self.time == self.process.horizon
        return self.states[self.state], float(outcome.own), ended, False, {}

    def totals(self):
        return self._totals


@pytest.mark.parametrize("name", sorted(SCHEMES))
def test_an_environment_pays_and_remembers_what_the_scheme_says(name):
    scheme, assessed = SCHEMES[name]
    for seed in range(6):
        process = make_process(Random(seed), 3, 4)
        env = FairEnv(ProcessEnv(process), scheme, process.stakeholders, 2)
        observation, _ = env.reset(seed=seed)
        history, ended = [], False
        assert env.observation_space.contains(observation)
        assert env.memory == ((0,) * len(process.stakeholders), 0)
        while not ended:
            before = env.status
            observation, paid, ended, truncated, _ = env.step(seed % 3)
            history.append(tuple(after - old for after, old in zip(env.status, before, strict=True)))
            time = len(history)
            assert env.observation_space.contains(observation)
            fair = spread(env.status) if assessed(time, before, env.status, ended) else 0
            assert paid == pytest.approx(env.own + 2 * float(fair))
            assert not truncated
            phase = time % PERIODS.get(name, 1)
            assert env.memory == (env.status, phase)
            assert observation[-1] == phase
            assert np.allclose(observation[-1 - len(env.status) : -1], env.status)


def test_a_tie_goes_to_more_fairness_and_then_to_the_first_action():
    def outcomes(state, action):
        return [fairness.Outcome(1, None, 0, ((1, 0), (0, 0), (2, 2))[action])]

    process = Process(("A", "B"), ("unfair", "fair", "fair, too"), 0, outcomes, 1)
    scheme = fairness.long_term(fairness.evenness)
    plan = fairness.solve(process, scheme, 0)
    assert plan.worth == fairness.best_memoryless(process, scheme, 0) == (0, 0)
    assert plan.policy(0, (0, 0), 0) == 1
