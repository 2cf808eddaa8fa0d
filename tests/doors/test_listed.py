"""Malformed input that once was answered with a raw exception, a hang or a crash, and valid input that was refused."""

from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

import gymnasium
import numpy as np
import pettingzoo
import pytest

import extenv
from considerate import craftworld
from considerate.futures import Distribution
from considerate.training import TaskEnv, train_together
from considerate.training.learning import Schedule, learn
from extenv.composing.compose import handicap
from extenv.formal import PLAYS, guessing_game
from multislot import Agent, ArrayTurn, EndlessStream, Percept, Turn, VectorHistoryAgent, World, run
from multislot.agents import NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.agents.language import Template
from multislot.bayes import (
    MentorClass,
    ModelClass,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
    compare_lives,
    mentor_value,
    sufficient_horizon,
)
from multislot.cells import CellStore, write_parquet
from multislot.checks import checked_import
from multislot.engine.stream import PublishedStream
from multislot.errors import MultislotError, SettingError
from multislot.exact import (
    AIXI,
    CopyCentered,
    DecisionMap,
    UniversalKernel,
    action_values,
    best_memoryless,
    bracket_for_copies,
    copy,
    frontier_for_copies,
    memoryless_worth,
    ratifiable,
    world_named,
)
from multislot.mdp.solving import TabularMDP
from multislot.zoo import DynamicView, FixedView, SingleView, register
from tests.doors.fitting import LISTED, OBJECTS, mentor, model, started
from tests.doors.harness import HUGE, Unshowable, time_limit


class Still(World):
    """One agent stays where it is."""

    n_observations, n_actions = 2, 2
    reward = 0.0
    first = MappingProxyType({1: Percept(0)})

    def start(self, seed):
        return self.first

    def step(self, actions):
        return Turn({1: (1,)}, {1: Percept(1, self.reward)})


class Rich(Still):
    reward = 10**400


class Unstarted(Still):
    first = None


class Listed(Still):
    def step(self, actions):
        return ArrayTurn([1], [1], [1], [1.0])


class Wide(Still):
    n_actions = 2**63 - 1


class LaterBad(Agent):
    """Answers well twice."""

    answer = None

    def __init__(self, n_observations, n_actions, stream):
        self.learned = 0

    def act(self, observation):
        return 0 if self.learned < 2 else self.answer

    def learn(self, *transition):
        self.learned += 1


class AnswersList(LaterBad):
    answer: ClassVar = []


class AnswersHuge(LaterBad):
    answer = 10**30


class Plain:
    """A kernel whose arrivals are plain tuples."""

    actions, start = ("a", "b"), {1: 0}
    result: ClassVar = [(1, {1: (0, "x", 1)})]

    def outcomes(self, slot, state, action):
        return self.result


class Nothing(Plain):
    result = 0


REFUSED = {
    "an action that is a list": lambda: run(Still(), {1: AnswersList}, 5),
    "a huge action": lambda: run(Still(), {1: AnswersHuge}, 5),
    "a reward beyond floats": lambda: run(Rich(), {1: RandomAgent}, 5),
    "a start of nothing": lambda: run(Unstarted(), {1: RandomAgent}, 5),
    "a turn of lists": lambda: run(Listed(), {1: RandomAgent}, 5),
    "a table for endless actions": lambda: run(Wide(), {1: QLearner}, 2),
    "an agent of a task named by a duration": lambda: craftworld.task("garden").other(np.timedelta64(3, "D")),
    "a request that is a view of memory": lambda: LISTED["multislot.agents.language.LanguageModel"]().ask(
        memoryview(bytearray(2))
    ),
    "a module of 3,000 parts": lambda: checked_import("subject", "a." * 3000 + "b:c"),
    "a module of the folder above": lambda: checked_import("subject", "..a:b"),
    "a million items": lambda: Distribution.uniform(HUGE),
    "endless actions of histories": lambda: VectorHistoryAgent(len).learn_many(0, range(2**62), 0, 0, 0),
    "an empty table as text": lambda: craftworld.parse_task("key = {}"),
    "a map that is a number": lambda: craftworld.parse_map(7),
    "a class of kernels that is a number": lambda: AIXI(0, "cpy", discount=0.5),
    "one reward for two observations": lambda: UniversalKernel(rewards=1),
    "outcomes that are a number": lambda: action_values(Nothing(), "cpy", discount=0.5, horizon=2),
    "a process of text": lambda: TabularMDP("abc", "d", 0),
    "a negative founder": lambda: EndlessStream(1, -1),
    "no actions, dynamic view": lambda: started(DynamicView(Still())).step(None),
    "no actions, fixed view": lambda: started(FixedView(Still(), 1)).step(None),
    "no action, single view": lambda: started(SingleView(Still())).step(None),
    "negative shares": lambda: action_values(copy(), CopyCentered(lambda *slots: -1), discount=0.5, horizon=2),
    "exploring too much": lambda: NaiveLearner(2, 2, EndlessStream(1, 1), exploring=7.0),
    "a play numbered -1": lambda: PLAYS.decode(-1),
    "a play numbered infinity": lambda: PLAYS.decode(float("inf")),
    "a policy that lacks a history": lambda: ratifiable(copy(), {}),
    "a policy of actions that the world lacks": lambda: ratifiable(copy(), lambda history: None, horizon=2),
    "a policy of chances that are no numbers": lambda: ratifiable(copy(), {(): {"stay": np.nan}}),
    "fixed actions that are a number": lambda: best_memoryless(copy(), horizon=2, fixed=np.void(b"ab")),
    "fixed actions that the world lacks": lambda: best_memoryless(copy(), horizon=2, fixed={None: 7}),
    "a map of nothing": lambda: DecisionMap.from_json({}),
    "axes that are a number": lambda: LISTED["multislot.exact.DecisionMap"]().draw_areas(7, {}),
    "a task by its name": lambda: TaskEnv("box"),
    "a number of learners": lambda: train_together(object, 3, 9, directory="kept"),
    "a caring term beyond floats": lambda: TaskEnv(craftworld.task("garden"), caring=10**400),
    "models in a table": lambda: ModelClass({"a": model()}, [1.0]),
    "an array as a policy": lambda: memoryless_worth(copy(), np.array([None]), horizon=2),
    "an array as a chance": lambda: memoryless_worth(copy(), {None: {"stay": np.array([1.0, 2.0])}}, horizon=1),
    "a number as a world-model": lambda: mentor_value(np.int64(1), 0, mentor(), 0, 0.5, 2),
    "a number as a mentor-model": lambda: mentor_value(model(), 0, 7, 0, 0.5, 2),
    "noise beyond floats": lambda: PessimisticAgent(
        ModelClass([model()]), MentorClass([mentor()]), 0.5, 0.5, 2, noise=10**400
    ),
    "a prior of two axes": lambda: ModelClass([model(), model()], np.array([[1.0, 2.0]])),
    "an error beyond floats": lambda: sufficient_horizon(ModelClass([model()]), 0.5, Fraction(10**5000, 3)),
    "a coefficient beyond floats": lambda: frontier_for_copies(copy(), discount=0.5, horizon=2, most=10**400),
    "more actions than a float": lambda: TabularMentor([0, 1], n_actions=10**400),
    "no number of actions": lambda: TabularMentor([0], n_actions=Decimal("NaN")),
    "no error to explain": lambda: world_named("copy").explain(0),
    "a limit without a text": lambda: action_values(copy(), "cpy", discount=0.5, horizon=9, most=-(10**5000)),
    "an id of no environment": lambda: register("a b", Still),
    "an observation without a text": lambda: memoryless_worth(copy(), {}, horizon=2, first=Unshowable()),
    "a coefficient below floats": lambda: learn(
        craftworld.task("box"), caring=-Fraction(10**5000, 3), seed=1, schedule=Schedule(10, 0.1)
    ),
    "a path without a name": lambda: write_parquet([], ""),
    "a process of letters": lambda: TabularMDP(np.array([["a"]]), np.array([["b"]]), 0),
}


TOO_LONG = {
    "bounds": lambda: bracket_for_copies(copy(), caring=1, discount=0.5, horizon=10**6),
    "without memory": lambda: best_memoryless(copy(), discount=0.5, horizon=10**6),
    "fixed actions without memory": lambda: best_memoryless(copy(), horizon=2, fixed=range(2**62)),
    "a worth without memory": lambda: memoryless_worth(copy(), {}, horizon=2**62),
    "a script": lambda: guessing_game(range(2**62)),
    "a frontier": lambda: frontier_for_copies(copy(), discount=0.5, horizon=10**6),
    "lives": lambda: compare_lives({"random": RandomAgent}, Still(), range(2**62)),
    "a measurement": lambda: extenv.measure(RandomAgent, seeds=range(2**62)),
    "a process": lambda: TabularModel(range(2**62), [[0.5]]),
}


@pytest.mark.parametrize("call", TOO_LONG.values(), ids=TOO_LONG)
def test_what_would_take_hours_is_refused_at_once(call):
    with pytest.raises((MultislotError, TypeError)), time_limit(1):
        call()


def test_a_module_that_raises_is_refused_with_its_own_error(tmp_path, monkeypatch):
    (tmp_path / "broken_agent.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingError, match=r"can be imported \(ZeroDivisionError: division by zero\)") as refused:
        checked_import("agents", "broken_agent:Mine")
    assert isinstance(refused.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_was_answered_with_a_raw_exception_is_refused(call):
    with pytest.raises((MultislotError, TypeError)):
        call()


def test_an_error_of_another_library_can_be_printed():
    """Gymnasium repeats the name, which has no form in UTF-8 and would steer a terminal."""
    with pytest.raises(SettingError, match="Malformed environment ID") as refused:
        handicap("\x1b[31m\ud800", by="IgnoreRewards")
    assert str(refused.value).isprintable()


def test_what_is_valid_is_taken(tmp_path):
    assert best_memoryless(copy(), horizon=2, first=Fraction(10**5000, 3)).value is not None
    assert Template.load("plain").observation_name(10**5000) == "<int>"
    assert not world_named("copy").decides(10**5000)
    assert OBJECTS["DQN"]().exploration(10**400) == 0.05
    with CellStore(tmp_path / "cells.sqlite") as store:
        assert store.find(["\ud800"]) == {}
    assert run(Still(), {1: RandomAgent}, np.int64(2), seed=np.int64(1)).steps == 2
    assert PublishedStream([0.5], seed=np.int8(3)).seed == 3
    assert action_values(Plain(), "sta", discount=0.5, horizon=2)["a"] == 1.5
    assert pettingzoo.make("parallel", "multislot/copy-v1") is not None
    assert gymnasium.make("multislot/stay-v1") is not None


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64])
@pytest.mark.parametrize("agent_class", [RandomAgent, QLearner, SimpleLearner, NaiveLearner])
def test_compiled_agents_and_environments_take_numbers_of_numpy(agent_class, kind):
    by_python, by_numpy = (agent_class(n(2), n(2), EndlessStream(n(1), n(1))) for n in (int, kind))
    for _ in range(3):
        by_python.learn(1, 0, 0.5, 1)
        by_numpy.learn(kind(1), kind(0), np.float32(0.5), kind(1))
    assert by_numpy.act(kind(1)) == by_python.act(1)
    environment = extenv.make("IgnoreRewards")
    environment.begin(agent_class, EndlessStream(1, 1), EndlessStream(2, 1))
    assert environment.copy().step(kind(1)) == environment.step(1)


def test_a_number_that_is_none_is_refused_by_a_compiled_agent():
    """The control: not everything is taken."""
    with pytest.raises(TypeError):
        QLearner(2, 2, EndlessStream(1, 1)).act(np.float64(1.5))
