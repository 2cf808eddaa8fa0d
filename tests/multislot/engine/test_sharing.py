"""Agents that share what they learn are refused before the work, whatever they share; caches are no fault."""

import random
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count
from typing import ClassVar

import numpy as np
import pytest

import extenv
from multislot import Agent, EndlessStream, run
from multislot.agents import A2C, DQN, PPO, ConstantAgent, QLearner
from multislot.bayes import BayesAgent
from multislot.engine.sharing import check_sharing, find_noticing
from multislot.errors import AgentError
from multislot.exact import AIMU, KernelWorld
from multislot.testing import ConformanceError, check_agent
from tests.multislot.bayes.examples import random_class
from tests.multislot.exact.examples import Coin

STREAM = EndlessStream(3, 1)
WORLD = KernelWorld(Coin(Fraction(1, 2)))
SIZES = (3, 2)


class Greedy(Agent):
    """Prefers the action that was paid most; `values` may be shared."""

    def __init__(self, n_observations, n_actions, stream, values=None):
        self.n_actions = n_actions
        self.values = {} if values is None else values

    def table(self):
        return self.values

    def act(self, observation):
        return max(range(self.n_actions), key=lambda action: self.table().get((observation, action), 0.0))

    def learn(self, observation, action, reward, next_observation):
        table = self.table()
        table[observation, action] = table.get((observation, action), 0.0) + reward


class ClassTable(Greedy):
    shared: ClassVar[dict] = {}

    def table(self):
        return self.shared


MODULE_TABLE: dict = {}


class ModuleTable(Greedy):
    def table(self):
        return MODULE_TABLE


class DefaultTable(Greedy):
    def table(self, table={}):  # noqa: B006  # the fault that is to be found
        return table


def closed_over():
    hidden = {}

    class ClosureTable(Greedy):
        def table(self):
            return hidden

    return ClosureTable


class CopiesItself(Greedy):
    def copy(self):
        return self


class Views(Greedy):
    """Its values are a row of one array, which every agent and every copy gets."""

    rows = np.zeros((1, 8, 8))

    def __init__(self, n_observations, n_actions, stream):
        self.n_actions, self.array = n_actions, self.rows[0]

    def __deepcopy__(self, memo):
        copied = Views.__new__(Views)
        copied.n_actions, copied.array = self.n_actions, self.array[:]
        return copied

    def act(self, observation):
        return int(self.array[observation, : self.n_actions].argmax())

    def learn(self, observation, action, reward, next_observation):
        self.array[observation, action] += reward


class SlowBuffer(Greedy):
    """Fills one buffer that a training to come will use; as yet nobody acts by it."""

    def __init__(self, n_observations, n_actions, stream, buffer=[]):  # noqa: B006
        super().__init__(n_observations, n_actions, stream)
        self.buffer = buffer

    def learn(self, observation, action, reward, next_observation):
        self.buffer.append(reward)


class Toggle(Agent):
    """Its lesson undoes itself when it is learned twice."""

    answers: ClassVar[dict] = {}

    def __init__(self, n_observations, n_actions, stream):
        pass

    def act(self, observation):
        return self.answers.get(observation, 0)

    def learn(self, observation, action, reward, next_observation):
        self.answers[observation] = 1 - action


class Draws(Greedy):
    def __init__(self, n_observations, n_actions, stream):
        super().__init__(n_observations, n_actions, stream)
        self.numbers = (number for number in range(9))


class Bound(Greedy):
    """Refers to itself by a method."""

    def __init__(self, n_observations, n_actions, stream):
        super().__init__(n_observations, n_actions, stream)
        self.mode = self.act


@lru_cache
def networks():
    """Return a class of agents with a network of their own, and one whose agents share one network."""
    torch = pytest.importorskip("torch")

    class OwnNetwork(Agent):
        def __init__(self, n_observations, n_actions, stream):
            torch.manual_seed(1)
            self.n_observations, self.network = n_observations, torch.nn.Linear(n_observations, n_actions)

        def values(self, observation):
            return self.network(torch.eye(self.n_observations)[observation])

        def act(self, observation):
            return int(self.values(observation).argmax())

        def learn(self, observation, action, reward, next_observation):
            loss = (self.values(observation)[action] - reward) ** 2
            self.network.zero_grad()
            loss.backward()
            with torch.no_grad():
                for parameter in self.network.parameters():
                    parameter -= 1e-4 * parameter.grad

    shared = torch.nn.Linear(SIZES[0], SIZES[1])

    class SharedNetwork(OwnNetwork):
        def __init__(self, n_observations, n_actions, stream):
            super().__init__(n_observations, n_actions, stream)
            self.network = shared

    return OwnNetwork, SharedNetwork


def fault(factory, sizes=SIZES):
    try:
        check_sharing(factory, lambda: factory(*sizes, STREAM), sizes[0])
    except AgentError as error:
        return str(error)
    return None


ANOTHER, ITS_COPY = "another agent of its factory learns too", "its copy learns too"
SHARED_VALUES: dict = {}
ONLY_ONE, ONLY_LEARNER = Greedy(*SIZES, STREAM), QLearner(*SIZES, STREAM)


@pytest.mark.parametrize(
    ("factory", "who"),
    [
        (ClassTable, ITS_COPY),
        (Toggle, ITS_COPY),
        (ModuleTable, ITS_COPY),
        (DefaultTable, ITS_COPY),
        (closed_over(), ITS_COPY),
        (partial(Greedy, values=SHARED_VALUES), ANOTHER),
        (CopiesItself, ITS_COPY),
        (Views, ITS_COPY),
        (SlowBuffer, ANOTHER),
        (lambda *_: ONLY_ONE, ANOTHER),
        (lambda *_: ONLY_LEARNER, ANOTHER),
    ],
)
def test_agents_that_share_what_they_learn_are_refused(factory, who):
    assert who in fault(factory)
    with pytest.raises(AgentError, match=rf"{who}; keep all that learning changes in attributes .*check_sharing=False"):
        extenv.run("IgnoreRewards", factory, steps=10)
    with pytest.raises(AgentError, match=who):
        extenv.measure(factory, steps=10, seeds=1, environments=["IgnoreRewards"])
    with pytest.raises(AgentError, match=who):
        run(WORLD, {1: factory}, 3)
    with pytest.raises(ConformanceError, match=who):
        check_agent(factory, n_observations=3, n_actions=2)


@pytest.mark.parametrize(
    "factory", [Greedy, partial(Greedy, values=None), Bound, ConstantAgent, QLearner, CopiesItself]
)
def test_agents_that_learn_apart_are_not(factory):
    if factory is CopiesItself:
        factory = type("NeverLearns", (CopiesItself,), {"learn": Agent.learn})
    assert fault(factory) is None
    assert extenv.run("IgnoreRewards", factory, steps=10).steps == 10
    run(WORLD, {1: factory}, 3)


def test_a_shared_network_is_found_though_nobody_acts_otherwise_yet():
    own, shared = networks()
    assert fault(own) is None
    assert ANOTHER in fault(shared)


def test_an_agent_that_cannot_be_copied_is_refused_in_a_sentence():
    message = r"Draws.copy\(\) failed \(cannot pickle 'generator' object\); keep generators, files and locks out of"
    with pytest.raises(AgentError, match=message):
        extenv.run("IgnoreRewards", Draws, steps=10)


class Lambda(Greedy):
    """Learns by a function of its own table. Its copy would fill the same table, and act by another one."""

    def __init__(self, n_observations, n_actions, stream):
        super().__init__(n_observations, n_actions, stream)
        self.keep = lambda place, reward: self.values.__setitem__(place, self.values.get(place, 0.0) + reward)

    def learn(self, observation, action, reward, next_observation):
        self.keep((observation, action), reward)


class MadeAnew(Lambda):
    def copy(self):
        copied = MadeAnew(3, self.n_actions, None)
        copied.values |= self.values
        return copied


def test_a_function_that_refers_to_its_agent_is_refused_unless_its_copy_has_another_one():
    with pytest.raises(AgentError, match=r"function in Lambda\.keep refers to its agent, .*; make it a method"):
        run(WORLD, {1: Lambda}, 3)
    run(WORLD, {1: Lambda}, 3, check_sharing=False)
    assert fault(MadeAnew) is None


def test_an_agent_whose_answers_cost_is_not_asked_only_to_be_checked():
    asked = []

    class Paid(Greedy):
        asking_costs = True

        def act(self, observation):
            asked.append(observation)
            return super().act(observation)

    extenv.run("IgnoreRewards", Paid, steps=3)
    assert len(asked) == 6  # the agent and its copy in every step


def test_agents_that_are_meant_to_share_run_if_that_is_said():
    factory = closed_over()
    assert extenv.run("IgnoreRewards", factory, steps=10, check_sharing=False).steps == 10
    assert extenv.measure(factory, steps=10, seeds=1, check_sharing=False).steps == 10
    assert run(WORLD, {1: factory}, 3, check_sharing=False).steps == 3


def test_a_cache_that_no_pickle_contains_is_no_fault():
    answered = {}

    class Remembering(Greedy):
        def act(self, observation):
            known = (observation, tuple(sorted(self.values.items())))
            return answered.setdefault(known, super().act(observation))

    assert fault(Remembering) is None
    assert answered


def test_plans_answers_and_nodes_that_agents_share_on_purpose_are_no_fault():
    planner = AIMU(Coin(Fraction(1, 2)), "cpy", discount=1, last_step=30)
    for make in (
        planner.copy,
        *(partial(kind, *SIZES, STREAM, mode=mode) for kind in (A2C, DQN) for mode in ("faithful", "published")),
        partial(PPO, *SIZES, STREAM, n_steps=4, batch_size=4),
    ):
        assert find_noticing(make, range(1, 3), "live") is None
    models = random_class(np.random.default_rng(1), 3, rewards=(0.25, 0.75), sparse=0.0)
    for factory in (A2C, lambda *_: BayesAgent(models, discount=0.5, horizon=2)):
        check_sharing(factory, factory, 3)


class SecondThoughts(Agent):
    """Answers 0, 1 when first asked at both observations, and then always 1: nobody learns anything."""

    def __init__(self, n_observations, n_actions, stream):
        self.asked = 0

    def act(self, observation):
        self.asked += 1
        return 0 if self.asked == 1 else 1


def test_an_agent_that_changes_when_it_is_asked_shares_nothing():
    assert fault(SecondThoughts) is None
    with pytest.raises(AgentError, match="set asking_changes_it = True"):
        extenv.run("IgnoreRewards", SecondThoughts, steps=10)


SEEDS = count()


class Moody(Agent):
    """Draws anew whenever it is asked."""

    asking_changes_it = True

    def __init__(self, n_observations, n_actions, stream, **overrides):
        self.n_actions, self.dice = n_actions, random.Random(next(SEEDS))

    def act(self, observation):
        return self.dice.randrange(self.n_actions)


class SilentlyMoody(Moody):
    asking_changes_it = False


def test_agents_with_random_choices_of_their_own_run_where_they_say_so():
    assert extenv.run("IgnoreRewards", Moody, steps=50).steps == 50
    for freeze in ("first", "published"):
        assert extenv.run("IgnoreRewards", extenv.reality_check(Moody, freeze), steps=50).steps == 50
    with pytest.raises(AgentError, match="asking_changes_it"):
        extenv.run("IgnoreRewards", SilentlyMoody, steps=50)


@pytest.mark.parametrize("factory", [Moody, SilentlyMoody])
def test_the_environment_that_punishes_nondeterminism_takes_nondeterministic_agents(factory):
    """Two independent fair coins agree half of the time."""
    assert abs(extenv.run("PunishNondeterministicAgent", factory, steps=1000).mean_reward) < 0.2
