import copy
import pickle
from dataclasses import dataclass, field
from threading import Lock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import Agent, EndlessStream, HistoryAgent, VectorAgent
from multislot.agents import ConstantAgent, InterpretedQLearner, NaiveLearner, QLearner, RandomAgent, SimpleLearner

pytestmark = pytest.mark.compiled

TABULAR = [RandomAgent, ConstantAgent, SimpleLearner, NaiveLearner, QLearner, InterpretedQLearner]
transitions = st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from([-1.0, 0.0, 1.0]), st.integers(0, 2))


class Logging(QLearner):
    """A user's subclass of a compiled agent, with attributes of its own."""

    def __init__(self, *args, note="none", **settings):
        super().__init__(*args, **settings)
        self.log = [[note]]


class Plain(Agent):
    """A user's agent that never calls the base class."""

    def __init__(self, n_observations, n_actions, stream):
        self.stream, self.seen = stream, []

    def act(self, observation):
        return int(self.stream.at(len(self.seen)) * 2)

    def learn(self, observation, action, reward, next_observation):
        self.seen.append((observation, action, reward, next_observation))


class Slotted(Agent):
    """A user's agent that keeps state in __slots__."""

    __slots__ = ("count",)

    def __init__(self, n_observations, n_actions, stream):
        self.count = [0]

    def act(self, observation):
        return self.count[0] % 2

    def learn(self, observation, action, reward, next_observation):
        self.count[0] += 1


class Knotted(Plain):
    """A user's agent that refers to itself, by a bound method and in a part, and whose lock stays where it is."""

    def __init__(self, *args):
        super().__init__(*args)
        self.mode, self.part, self.lock = self.choose, {"owner": self}, Lock()

    def __getstate__(self):
        return {**vars(self), "lock": None}

    def __setstate__(self, state):
        vars(self).update(state, lock=Lock())

    def choose(self, observation):
        return super().act(observation)

    def act(self, observation):
        with self.lock:
            return self.part["owner"].mode(observation)


class Chaining(QLearner):
    """A user's agent whose methods return what nobody reads."""

    def restore(self, state):
        super().restore(state)
        return self

    def move(self, *target):
        super().move(*target)
        return self


@dataclass(frozen=True, eq=False)
class Frozen(Plain):
    """A user's agent whose attributes cannot be set."""

    n_observations: int
    n_actions: int
    stream: EndlessStream
    seen: list = field(default_factory=list)


class Tally(HistoryAgent):
    """A user's agent with a history and state of its own."""

    def __init__(self, n_observations, n_actions, stream):
        super().__init__(len)
        self.rewards = []

    def act(self, observation):
        return len(self.rewards) + super().act(observation)

    def learn(self, observation, action, reward, next_observation):
        super().learn(observation, action, reward, next_observation)
        self.rewards.append(reward)


FACTORIES = [*TABULAR, Logging, Chaining, Plain, Slotted, Knotted, Frozen, Tally]


def policy(agent):
    return [agent.act(observation) for observation in range(3)]


@pytest.mark.parametrize("factory", FACTORIES, ids=lambda factory: factory.__name__)
@pytest.mark.parametrize(
    "duplicate",
    [Agent.copy, copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))],
    ids=["copy", "deepcopy", "pickle"],
)
@given(before=st.lists(transitions, max_size=12), after=st.lists(transitions, min_size=1, max_size=12))
def test_a_copy_has_learned_the_same_and_learns_apart(factory, duplicate, before, after):
    original = factory(3, 2, EndlessStream(5, 1))
    for transition in before:
        original.learn(*transition)
    twin, idle, learned = duplicate(original), duplicate(original), policy(original)
    assert type(twin) is factory
    for transition in after:
        twin.learn(*transition)
    assert policy(original) == policy(idle) == learned
    for transition in after:
        idle.learn(*transition)
        original.learn(*transition)
    assert policy(twin) == policy(idle) == policy(original)


def test_a_copy_keeps_and_separates_what_a_subclass_added():
    original = Logging(2, 2, EndlessStream(0, 1), note="mine", learning_rate=0.5)
    twin = original.copy()
    twin.log[0].append("twin")
    assert (original.log, twin.log, twin.learning_rate) == ([["mine"]], [["mine", "twin"]], 0.5)


class Paged(VectorAgent):
    def __init__(self):
        self.pages = [1]


class PagedAndSlotted(Paged):
    __slots__ = ("rows",)

    def __init__(self):
        super().__init__()
        self.rows, self.owner = [2], self


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_a_copy_of_an_agent_of_many_rows_has_all_that_it_has(duplicate):
    agent = PagedAndSlotted()
    copied = duplicate(agent)
    agent.pages.append(3)
    assert (copied.pages, copied.rows, copied.owner) == ([1], [2], copied)


def test_copies_share_their_streams():
    original = QLearner(2, 2, EndlessStream(0, 1))
    assert original.copy().stream is original.stream


def test_learn_last_is_a_transition_to_the_same_observation_unless_redefined():
    agent = Plain(2, 2, EndlessStream(0, 1))
    agent.learn_last(1, 0, 2.0)
    assert agent.seen == [(1, 0, 2.0, 1)]


def test_an_agent_without_act_says_what_is_missing():
    with pytest.raises(NotImplementedError, match=r"Agent does not define act\(observation\) -> action"):
        Agent().act(0)
