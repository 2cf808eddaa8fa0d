"""Fairness in random processes: plans, policies without memory, frontiers and learners against their definitions."""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from considerate import fairness
from considerate.fairness import FairEnv, Process, ProcessEnv, Worth
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


def sure(process):
    """The same process with the likeliest outcome of each action alone; its states show the time."""

    def outcomes(state, action):
        place, time = state
        outcome = max(process.outcomes(place, action), key=lambda outcome: outcome.probability)
        after = None if outcome.state is None else (outcome.state, time + 1)
        return [outcome._replace(probability=1, state=after)] if time < process.horizon else []

    return Process(process.stakeholders, process.actions, (process.start, 0), outcomes, process.horizon)


@pytest.mark.parametrize("name", sorted(SCHEMES))
def test_an_environment_pays_and_remembers_what_the_scheme_says(name):
    scheme, assessed = SCHEMES[name]
    for seed in range(6):
        process = make_process(Random(seed), 3, 4)
        env = FairEnv(ProcessEnv(process), scheme, process.stakeholders, 2)
        observation, _ = env.reset(seed=seed)
        history, ended = [], False
        assert env.memory == ((0,) * len(process.stakeholders), 0)
        while not ended:
            before = env.status
            observation, paid, ended, truncated, _ = env.step(seed % 3)
            history.append(tuple(after - old for after, old in zip(env.status, before, strict=True)))
            time = len(history)
            fair = spread(env.status) if assessed(time, before, env.status, ended) else 0
            assert paid == pytest.approx(env.own + 2 * float(fair))
            assert not truncated
            phase = time % PERIODS.get(name, 1)
            assert env.memory == (env.status, phase)
            assert observation[-1] == phase
            assert np.allclose(observation[-1 - len(env.status) : -1], env.status)


@pytest.mark.parametrize("name", sorted(SCHEMES))
@pytest.mark.parametrize("counterfactuals", [0, 4])
def test_a_learner_comes_to_the_best_plan(name, counterfactuals):
    """Without chance and with the rate 1, values are exact once every situation was visited."""
    scheme, _ = SCHEMES[name]
    for seed in range(3):
        process = sure(make_process(Random(seed), 3, 4))
        states = ProcessEnv(process).states
        fair = FairEnv(ProcessEnv(process), scheme, process.stakeholders, 3)
        act = fairness.learn(fair, 1500, seed, counterfactuals, learning_rate=1, exploration=1)

        def policy(state, status, time, act=act, states=states):
            return act(states[state], status, time)

        learned = fairness.evaluate(process, scheme, policy)
        best = fairness.solve(process, scheme, 3).worth
        assert learned.own + 3 * learned.fairness == best.own + 3 * best.fairness


def test_a_tie_goes_to_more_fairness_and_then_to_the_first_action():
    def outcomes(state, action):
        return [fairness.Outcome(1, None, 0, ((1, 0), (0, 0), (2, 2))[action])]

    process = Process(("A", "B"), ("unfair", "fair", "fair, too"), 0, outcomes, 1)
    scheme = fairness.long_term(fairness.evenness)
    plan = fairness.solve(process, scheme, 0)
    assert plan.worth == fairness.best_memoryless(process, scheme, 0) == (0, 0)
    assert plan.policy(0, (0, 0), 0) == 1


class Table:
    """FairQCM as its authors say it, with our order of drawn numbers: each step also teaches other memories.

    A memory is (status, phase). The same step in another memory adds its rewards to that status, and is followed by
    that memory's next phase.
    """

    def __init__(self, env, steps, seed, counterfactuals, period, assessed, weight):
        self.values, random, seen_memories = {}, np.random.default_rng(seed), []
        env.reset(seed=seed)
        time, status = 0, env.status
        for _ in range(steps):
            state, memory = env.seen, (status, time % period)
            if memory not in seen_memories:
                seen_memories.append(memory)
            row = self.row(state, memory)
            greedy = row.index(max(row))
            action = int(random.integers(len(row))) if random.random() < 0.5 else greedy
            others = [seen_memories[k] for k in random.integers(len(seen_memories), size=counterfactuals)]
            *_, ended, _, _ = env.step(action)
            rewards = np.subtract(env.status, status)
            for before, phase in (memory, *others):
                after = tuple((before + rewards).tolist())
                goal = env.own + weight * (float(spread(after)) if assessed((phase + 1) % period) else 0)
                if not ended:
                    goal += max(self.row(env.seen, (after, (phase + 1) % period)))
                choices = self.row(state, (before, phase))
                choices[action] += 0.25 * (goal - choices[action])
            time, status = time + 1, env.status
            if ended:
                env.reset()
                time, status = 0, env.status

    def row(self, state, memory):
        return self.values.setdefault((state, *memory), [0.0, 0.0])


@pytest.mark.parametrize("period", [1, 2, 3])
def test_a_step_teaches_other_memories_in_their_own_phase(period):
    for seed in range(4):
        process = make_process(Random(seed), 2, 5)
        scheme = fairness.periodic(spread, period)
        fair = FairEnv(ProcessEnv(process), scheme, process.stakeholders, 2)
        act = fairness.learn(fair, 150, seed, 3, learning_rate=0.25, exploration=0.5)
        table = Table(
            FairEnv(ProcessEnv(process), scheme, process.stakeholders, 2), 150, seed, 3, period, lambda at: at == 0, 2
        )
        memories = {(state, status, phase) for state, status, phase in table.values}
        assert len({phase for *_, phase in memories}) == min(period, 5)
        for state, status, phase in memories:
            row = table.values[state, status, phase]
            assert act(state, status, phase) == row.index(max(row))
