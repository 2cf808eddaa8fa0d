"""What a first-time user is told when a call is nearly right."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import extenv
from considerate import fairness
from considerate.craftworld import task
from considerate.distributions import value_at
from considerate.training import Learner, train_together
from considerate.training.learners import Group
from multislot import EndlessStream, HistoryAgent, MultislotError, run
from multislot.agents import PPO, QLearner
from multislot.bayes import Event, ModelClass, TabularModel, twins
from multislot.engine.credit import lineage_returns
from multislot.errors import UnknownNameError
from multislot.exact import (
    AIXI,
    Branch,
    KernelWorld,
    Mixture,
    WeightedFuture,
    action_values,
    copy,
    decision_map,
    plan_for_copies,
    ratifiable,
    register_value,
    worth_for_copies,
)

HALF = {"discount": 0.5, "horizon": 2}


def worth(answer):
    return action_values(copy(), SimpleNamespace(action_values=lambda belief, planner: answer), **HALF)


def weighed(branches):
    return action_values(copy(), type("Mine", (WeightedFuture,), {"future": lambda *asked: branches})(), **HALF)


def kernel_with(**parts):
    return SimpleNamespace(**{"actions": ("go",), "start": {1: "here"}, "outcomes": lambda *asked: [(1, {})]} | parts)


def answers_with_a_float(n_observations, n_actions, stream):
    return HistoryAgent(lambda history: 0.0)


def trained_for_two(n_observations, n_actions, stream):
    return PPO(2, 2, stream)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: run(KernelWorld(copy()), QLearner, steps=3), r"write \{1: QLearner\}"),
        (lambda: run(copy(), {1: QLearner}, steps=3), r"write multislot\.exact\.KernelWorld\(kernel\)"),
        (
            lambda: run(KernelWorld(copy()), {1: QLearner(2, 2, EndlessStream(0, 1))}, steps=3),
            "made for 2 observations and the world has more: give its class",
        ),
        (lambda: extenv.compare(QLearner, QLearner), r"give what extenv\.measure\(QLearner\) returns"),
        (lambda: decision_map("branch-line", x=("left", (0, 1)), y="awy"), "did you mean 'away'.*away, caring, "),
        (lambda: decision_map(copy, x="r1", y="discount"), "did you mean 'r_1'.*caring, discount, horizon"),
        (lambda: lineage_returns({}, future="cpy", discount=1), "expected a Trace or CopyTree"),
        (lambda: ratifiable(copy(), lambda history: "jump", horizon=2), "unknown action 'jump'; known: copy, stay"),
        (
            lambda: extenv.run("IgnoreRewards", trained_for_two, steps=3),
            r"for 2 observations and 2 actions, the environment has .* pass environments=\[…\]; for the whole battery",
        ),
        (lambda: run(KernelWorld, {1: QLearner}, steps=3), r"this is a class: give an instance, KernelWorld\(…\)"),
        (lambda: HistoryAgent(3), "got policy=3; expected a function"),
        (lambda: extenv.reality_check(lambda *given: None)(1, 2, None), "expected an instance of Agent; subclass it"),
        (
            lambda: extenv.run("IgnoreRewards", extenv.reality_check(answers_with_a_float), steps=3),
            "the agent's action is 0.0; return an int from 0 to 1",
        ),
        (lambda: worth(None), "expected a mapping"),
        (lambda: worth({"stay": 1}), r"expected a number for each of \('stay', 'copy'\)"),
        (lambda: worth({"stay": 1, "copy": 0, "jump": 2}), r"expected a number for each of \('stay', 'copy'\)"),
        (lambda: weighed(None), "got future.*=None; expected a list of instances of Branch"),
        (lambda: weighed([(1, 1, "home")]), r"got future.*\[0\]=\(1, 1, 'home'\); expected an instance of Branch"),
        (lambda: weighed([Branch(1, 1, "hom")]), "unknown observation 'hom'; did you mean 'home'"),
        (
            lambda: register_value(
                type("Mine", (WeightedFuture,), {"name": "caring", "plain_name": "mine", "meaning": "mine"})
            ),
            "expected a name that is free, .*caring",
        ),
        (lambda: action_values(kernel_with(actions=3), "cpy", **HALF), "got kernel.actions=3; expected a list"),
        (lambda: action_values(kernel_with(start=["here"]), "cpy", **HALF), "got kernel.start=.*expected a mapping"),
        (lambda: Mixture([copy(), copy()], [1e308, 1e308]), "with a finite sum"),
        (lambda: AIXI(copy(), "cpy", discount=0.5), "expected a list of kernels"),
        (lambda: plan_for_copies(copy(), **HALF | {"discount": Decimal("0.5")}), r"got discount=Decimal\('0.5'\)"),
        (
            lambda: worth_for_copies(copy(), plan_for_copies(copy(), **HALF), **HALF),
            "the policy of a plan is plan.policy",
        ),
        (
            lambda: decision_map(lambda pay: None, x=("pay", (0, 1)), y="discount"),
            "got kernel=None; expected an object with actions, start, outcomes",
        ),
        (
            lambda: twins(ModelClass([TabularModel([[[1]]], [[1]])]), Event.of_pairs("falls", [(0, 0)], start=0)),
            "got pairs=.*expected a list",
        ),
        (lambda: fairness.process_of("box", horizon=3), r"got task='box'; .*craftworld\.task\(name\) reads one"),
        (lambda: fairness.solve(fairness.process_of(task("box"), 3), min), "got fairness=.*an instance of Fairness"),
        (lambda: fairness.solve("box", fairness.long_term(min)), "got process='box'; expected an instance of Process"),
        (lambda: train_together(dict, {"a": "PPO"}, 9), r"got learners\['a'\]='PPO'; expected an instance of Learner"),
        (
            lambda: train_together(dict, {"a": Learner()}, 9, learner_of={"a": "a"}),
            "got learner_of=.*expected a function from an agent's name",
        ),
        (lambda: Group([Learner()]), r"got learners=\[.*expected a mapping"),
        (lambda: Group({"a": Learner()}, learner_of=str), "got learner_of=.*expected a mapping"),
        (lambda: Group({"a": Learner()}, steps=0), "got steps=0; expected a whole number, at least 1"),
        (lambda: value_at(np.atleast_1d, 2.0), r"expected a finite number; \.item\(\) makes a number of an array"),
        (lambda: fairness.frontier(0, 1), "got best=0; expected a function from a weight to the best worth"),
    ],
)
def test_a_call_that_is_nearly_right_is_told_how_to_mend_it(call, told):
    with pytest.raises((MultislotError, TypeError), match=told):
        call()


def test_the_worths_of_a_users_value_are_in_the_order_of_the_kernel():
    assert worth({"copy": 1, "stay": 1}).best == "stay"


def test_a_policy_may_answer_with_a_tuple_where_actions_are_numbers_of_numpy():
    kernel = kernel_with(actions=tuple(np.arange(2)))
    with pytest.raises(UnknownNameError, match="unknown action"):
        worth_for_copies(kernel, lambda history: (0, 1), **HALF)


def test_a_folder_does_not_hide_the_world_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tree").mkdir()
    assert decision_map("tree", x="told", y="horizon", values="cpy").values == ("cpy",)


def test_one_value_of_a_map_needs_no_list():
    assert decision_map("branch-line", x="discount", y="horizon", values="cpy").values == ("cpy",)


def test_a_plan_can_be_ratified_and_the_answer_is_a_condition():
    plan = plan_for_copies(copy(), **HALF)
    kept, left = ratifiable(copy(), plan, **HALF), ratifiable(copy(), lambda history: "stay", **HALF)
    assert kept
    assert kept.is_ratifiable
    assert not left
    assert not left.is_ratifiable
    assert left.regret > 0


@pytest.mark.parametrize(("terminal", "shown"), [(True, True), (False, False)])
def test_a_measure_shows_a_bar_on_a_terminal_only(terminal, shown, monkeypatch, capsys):
    monkeypatch.setattr("multislot.cells.progress.Console.is_terminal", terminal)
    extenv.measure(QLearner, environments=["IgnoreRewards"], steps=5, seeds=1)
    assert ("measuring" in capsys.readouterr().err) == shown


def test_a_notebook_without_widgets_shows_no_bar_and_no_warning(monkeypatch, capsys):
    monkeypatch.setattr("multislot.cells.progress.Console", lambda stderr: Console(stderr=stderr, force_jupyter=True))
    monkeypatch.setattr("multislot.cells.progress.find_spec", lambda name: None)
    extenv.measure(QLearner, environments=["IgnoreRewards"], steps=5, seeds=1)
    assert capsys.readouterr() == ("", "")
