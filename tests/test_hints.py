"""What a first-time user is told when a call is nearly right."""

import pytest
from rich.console import Console

import extenv
from multislot import EndlessStream, run
from multislot.agents import PPO, QLearner
from multislot.engine.credit import lineage_returns
from multislot.exact import KernelWorld, copy, decision_map, plan_for_copies, ratifiable

HALF = {"discount": 0.5, "horizon": 2}


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
        (
            lambda: decision_map("branch-line", x="discoun", y="horizon"),
            "unknown setting 'discoun'; did you mean 'discount'",
        ),
        (lambda: decision_map("branch-line", x=("left", (0, 1)), y="awy"), "did you mean 'away'.*away, caring, "),
        (lambda: decision_map(copy, x="r1", y="discount"), "did you mean 'r_1'.*caring, discount, horizon"),
        (lambda: copy(r1=3), r"copy\(\) got an unexpected keyword argument 'r1'; did you mean 'r_1'"),
        (lambda: lineage_returns({}, future="cpy", discount=1), "expected a Trace or CopyTree"),
        (lambda: ratifiable(copy(), lambda history: "jump", horizon=2), "unknown action 'jump'; known: copy, stay"),
        (
            lambda: extenv.run("IgnoreRewards", trained_for_two, steps=3),
            r"for 2 observations and 2 actions, the environment has .* pass environments=\[…\]; for the whole battery",
        ),
    ],
)
def test_a_call_that_is_nearly_right_is_told_how_to_mend_it(call, told):
    with pytest.raises((ValueError, TypeError, KeyError), match=told):
        call()


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
