"""The measure: arithmetic against brute force, weights, errors, resuming, processes, comparisons, and the tables."""

import contextlib
import functools
import math
import sqlite3
import statistics
import threading
import types

import pytest
from scipy import stats

import extenv
from extenv import by_complexity, compare, measure, reality_check, run
from extenv.battery import ENVIRONMENTS
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.composing.compose import fold, handicap
from extenv.measuring.comparison import Comparison, Difference
from extenv.measuring.measurement import Measurement, normalized
from extenv.measuring.plots import columns_of_bars, with_errors
from extenv.measuring.resuming import describe_factory, keys_of
from multislot.agents import A2C, ConstantAgent, QLearner, RandomAgent
from multislot.agents.deep import warn_not_compiled
from multislot.cells import CellStore
from multislot.errors import SettingError
from tests.extenv.games import MatchingBits

HUGE = {"one": 1e308, "other": 1e308}
FEW = ("IgnoreRewards", "CryingBaby", "SelfRecognition")


@pytest.fixture(scope="module")
def small():
    return measure(QLearner, steps=50, seeds=3, environments=FEW)


def test_it_is_the_mean_over_environments_and_opposites_then_seeds(small):
    by_seed = [
        statistics.fmean(
            run(name, QLearner, steps=50, seed=seed, opposite=opposite).mean_reward
            for name in FEW
            for opposite in (False, True)
        )
        for seed in (1, 2, 3)
    ]
    assert small.mean == pytest.approx(statistics.fmean(by_seed), abs=1e-12)
    assert small.standard_error == pytest.approx(statistics.stdev(by_seed) / math.sqrt(3))
    assert small.published_spread == pytest.approx(statistics.stdev(by_seed) / 3)


def test_tables_have_a_row_an_environment_and_a_row_a_run(small):
    table = small.table()
    assert list(table.environment) == [name for name in FEW for _ in range(2)]
    assert small.frame().shape == (3 * 2 * 3, 7)
    row = table[(table.environment == "CryingBaby") & ~table.opposite].iloc[0]
    assert row.mean_reward == pytest.approx(statistics.fmean(small.mean_rewards("CryingBaby", False)))


@pytest.mark.parametrize("agent", [RandomAgent, ConstantAgent])
def test_blind_agents_measure_exactly_0(agent):
    assert measure(agent, steps=40, seeds=2).mean == 0.0


@pytest.mark.parametrize("seeds", [1, 2, 3])
def test_seeds_are_counted_in_the_summary(seeds):
    summary = repr(measure(QLearner, steps=5, seeds=seeds, environments="CryingBaby"))
    assert ("±" in summary, f"(5 steps, {seeds} seed{'s' * (seeds > 1)})" in summary) == (seeds > 1, True)


def test_a_weight_may_be_0_and_weights_are_divided_by_their_sum():
    assert normalized({"one": 3, "other": 0, "third": 1}) == {"one": 0.75, "other": 0, "third": 0.25}
    for wrong in (
        {"one": 1, "other": -0.5},
        {"one": 0, "other": 0},
        {"one": math.inf},
        {"one": "1"},
        HUGE,
        {"one": 10**400},
    ):
        with pytest.raises(SettingError, match="expected numbers, at least 0, that are not all 0"):
            normalized(wrong)


def test_finished_runs_know_agents_and_environments_by_their_names():
    checked = reality_check(functools.partial(QLearner, learning_rate=0.3))
    inside = f"{QLearner.__module__}.QLearner(learning_rate=0.3)"
    assert describe_factory(checked) == f"reality_check({inside}, freeze='first')"
    named = IncentivizeLearningRate("half")
    named.name = "mine"
    keys = keys_of({"CryingBaby": "CryingBaby", "class": IncentivizeLearningRate, "object": named})
    kind = f"{IncentivizeLearningRate.__module__}.IncentivizeLearningRate"
    assert keys["CryingBaby"] == "CryingBaby"
    assert keys["class"].startswith(f"{kind} ")
    assert keys["object"].startswith(f"{kind} 'object' ")


def test_weights_by_complexity_halve_with_each_bit():
    weights = by_complexity({"IgnoreRewards": 2000, "CryingBaby": 2001, "SelfRecognition": 2001})
    assert weights == {"IgnoreRewards": 0.5, "CryingBaby": 0.25, "SelfRecognition": 0.25}
    weighted = measure(QLearner, steps=50, seeds=1, environments=FEW, weights=weights, opposites=False)
    expected = sum(weights[name] * run(name, QLearner, steps=50, seed=1).mean_reward for name in FEW)
    assert weighted.mean == pytest.approx(expected)


def test_processes_give_the_same_numbers(small):
    assert measure(QLearner, steps=50, seeds=3, environments=FEW, jobs=2) == small


@pytest.fixture
def resuming(tmp_path):
    """Measure briefly with finished runs in a file; return the measurement and what each further run reported."""

    def measured(factory, **changes):
        settings = {"steps": 5, "seeds": 1, "environments": "CryingBaby", "resume": tmp_path / "runs.sqlite"}
        calls = []
        return measure(factory, **settings | changes, progress=lambda *done: calls.append(done)), calls

    return measured


def test_it_resumes_where_it_stopped(small, resuming, tmp_path):
    resuming(QLearner, steps=50, seeds=2, environments=FEW)
    resumed, calls = resuming(QLearner, steps=50, seeds=3, environments=FEW)
    assert resumed == small
    assert calls == [(done, 18) for done in range(13, 19)]
    with CellStore(tmp_path / "runs.sqlite") as store:
        assert len(store.finished) == 18


def test_a_warning_of_damage_names_the_line_that_measures(resuming, tmp_path):
    resuming(QLearner)
    with contextlib.closing(sqlite3.connect(tmp_path / "runs.sqlite")) as connection, connection:
        connection.execute("UPDATE cells SET result = 7")
    with pytest.warns(UserWarning, match="was damaged") as said:
        resuming(QLearner)
    assert {warning.filename for warning in said} == {__file__}


def test_runs_of_another_version_are_run_again(resuming, monkeypatch):
    for version, runs in (("0.2.0", 2), ("0.2.1", 2), ("0.2.0", 0)):
        monkeypatch.setattr("extenv.measuring.measurement.__version__", version)
        assert len(resuming(QLearner)[1]) == runs


def test_agents_with_other_parameters_do_not_share_finished_runs(resuming):
    for epsilon in (0.1, 0.9):
        factory = functools.partial(QLearner, epsilon=epsilon)
        measured, _ = resuming(factory, steps=50, environments=FEW)
        assert measured == measure(factory, steps=50, seeds=1, environments=FEW)
    assert measured.agent == "QLearner(epsilon=0.9)"


@pytest.mark.parametrize("checked", [False, True])
def test_neither_do_deep_agents_of_two_trainers_and_rows_say_which_trained(checked, resuming, monkeypatch):
    """A build that lost its compiled module trains otherwise by default; the control is the same build twice."""
    for module in ("stable_baselines3", "multislot.agents._one_hot"):
        pytest.importorskip(module)
    factory = functools.partial(A2C, mode="published")
    factory = reality_check(factory, "published") if checked else factory
    first, calls = resuming(factory)
    assert calls
    assert resuming(factory) == (first, [])
    monkeypatch.setattr("multislot.agents.one_hot_models.kernel", lambda: None)
    warn_not_compiled.cache_clear()
    with pytest.warns(RuntimeWarning, match="not compiled"):
        second, calls = resuming(factory)
    assert calls
    assert [set(one.frame().trainer) for one in (first, second)] == [{"one_hot"}, {"sb3"}]
    assert "trainer one_hot" in repr(first)
    assert "trainer" not in resuming(QLearner)[0].frame()


class Player(ConstantAgent):
    """Has a namesake in another module."""


def test_neither_do_classes_of_one_name(resuming):
    resuming(Player)
    namesake = type("Player", (ConstantAgent,), {"__module__": "elsewhere"})
    for factory, runs in ((Player, 0), (namesake, 2)):
        assert len(resuming(factory)[1]) == runs


MINE = """
from multislot import Agent
class Mine(Agent):
    def __init__(self, *given): pass
    def act(self, observation): return 0
"""


@pytest.fixture
def theirs():
    """Read the source of a user's module once more."""
    module = types.ModuleType("theirs")

    def edited(source, name):
        exec(source, module.__dict__)
        vars(module)[name].__module__ = "theirs"
        return vars(module)[name]

    return edited


CHANGES = pytest.mark.parametrize(
    ("change", "runs"), [(("return 0", "return 1"), 2), (("class", "# a comment\nclass"), 0)]
)


@CHANGES
def test_an_agent_that_was_edited_is_run_again(resuming, theirs, change, runs):
    for source in (MINE, MINE.replace(*change)):
        _, calls = resuming(theirs(source, "Mine"))
    assert len(calls) == runs


THEIR_WORLD = """
from extenv import ExtendedEnvironment
class World(ExtendedEnvironment):
    def start(self): return int()
    def step(self, action): return 0, 0
"""


@CHANGES
@pytest.mark.parametrize("given", ["by name", "inside"])
def test_so_is_an_environment_that_goes_by_its_name_or_is_inside_another(
    resuming, theirs, monkeypatch, given, change, runs
):
    for source in (THEIR_WORLD, THEIR_WORLD.replace(*change)):
        world = theirs(source, "World")
        monkeypatch.setitem(ENVIRONMENTS, "World", world)
        inside = handicap("FrozenLake-v1", world)
        inside.name = "handicapped"
        _, calls = resuming(ConstantAgent, environments="World" if given == "by name" else inside)
    assert len(calls) == runs


class Callable:
    """Makes agents, and two of them look alike."""

    def __call__(self, n_observations, n_actions, stream):
        return ConstantAgent(n_observations, n_actions, stream)


NAMELESS = [
    lambda n_observations, n_actions, stream: ConstantAgent(n_observations, n_actions, stream),
    reality_check(lambda n_observations, n_actions, stream: ConstantAgent(n_observations, n_actions, stream)),
    Callable(),
    (lambda: type("Inner", (ConstantAgent,), {"__qualname__": "made.<locals>.Inner"}))(),
]


@pytest.mark.parametrize("factory", NAMELESS)
def test_what_has_no_name_of_its_own_is_not_resumed(factory, resuming):
    with pytest.raises(SettingError, match="has none of its own; define a class or function at the top of a module"):
        resuming(factory)
    assert resuming(factory, resume=None)[0].mean == 0


class FirstActionRemembered(extenv.SimulatingEnvironment):
    """Pays for what the copy would do, which learns nothing."""

    def step(self, action):
        return (1.0 if action == self.simulated.act(0) else -1.0), 0


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("own", [FirstActionRemembered, "FirstActionRemembered"])
def test_an_environment_of_ones_own_is_measured_beside_the_others(jobs, own, monkeypatch):
    monkeypatch.setitem(ENVIRONMENTS, "FirstActionRemembered", FirstActionRemembered)
    both = measure(QLearner, steps=30, seeds=2, environments=["CryingBaby", own], jobs=jobs)
    assert both.mean_rewards("FirstActionRemembered", False) == [
        run(FirstActionRemembered, QLearner, steps=30, seed=seed).mean_reward for seed in (1, 2)
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_object_is_measured_beside_the_others_and_left_alone(jobs):
    folded, rate = fold(MatchingBits), IncentivizeLearningRate(0.5)
    rate.name = "half a rate"
    measured = measure(QLearner, steps=30, seeds=2, environments=[folded, rate, "CryingBaby"], jobs=jobs)
    assert list(measured.weights) == ["Folded", "half a rate", "CryingBaby"]
    for name, environment in (("Folded", fold(MatchingBits)), ("half a rate", IncentivizeLearningRate(0.5))):
        alone = [run(environment, QLearner, steps=30, seed=seed).mean_reward for seed in (1, 2)]
        assert measured.mean_rewards(name, False) == alone
    assert not hasattr(folded, "roles")


def test_an_object_is_resumed_under_a_name_of_its_own(resuming):
    environment = fold(MatchingBits)
    with pytest.raises(SettingError, match="give it a name that tells it apart"):
        resuming(QLearner, environments=environment)
    environment.name = "bits"
    (once, first), (again, calls) = (resuming(QLearner, environments=environment) for _ in range(2))
    assert (once, len(first)) == (again, 2)
    assert calls == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_environment_that_cannot_be_copied_is_refused(jobs):
    environment = FirstActionRemembered()
    environment.lock = threading.Lock()
    with pytest.raises(SettingError, match=r"FirstActionRemembered cannot be copied for each run .*lock"):
        measure(QLearner, steps=5, seeds=1, environments=environment, jobs=jobs)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": [1, 2, 1]}, "give each once"),
        ({"seeds": []}, "expected 1 to 1000000 seeds"),
        ({"steps": 0}, "got steps=0"),
        ({"jobs": 0}, "got jobs=0; expected a whole number, at least 1"),
        ({"resume": "/"}, "got resume='/'; expected a file for finished runs"),
        (
            {"environments": (FirstActionRemembered(), FirstActionRemembered())},
            "objects of one class an attribute `name`",
        ),
        ({"environments": None}, "got None; expected an ExtendedEnvironment or the name of one"),
        ({"seeds": None}, "got seeds=None; expected a whole number, at least 1"),
        ({"steps": 2**70}, r"and at most 2\*\*63 - 1"),
        ({"weights": [1, 2, 3]}, r"got weights \[1, 2, 3\]; expected a number for every environment by name"),
        ({"resume": "/no/such/folder/runs.sqlite"}, "its folder does not exist; make it"),
        ({"environments": ()}, "got environments none"),
        ({"environments": ("CryingBaby", "CryingBaby")}, "each once"),
        ({"weights": {"CryingBaby": 1.0}}, "got no weight for IgnoreRewards, SelfRecognition"),
    ],
)
def test_bad_settings_are_refused_before_the_first_run(settings, message):
    with pytest.raises(SettingError, match=message):
        measure(QLearner, **{"steps": 5, "environments": FEW, **settings})


def test_bad_complexities_are_refused():
    for bits, expected in ((math.inf, "a finite number"), (10**400, "a number that a float can hold")):
        with pytest.raises(SettingError, match=f"expected {expected}"):
            by_complexity({"CryingBaby": bits})


def test_comparisons_are_paired(small):
    checked = measure(reality_check(QLearner), steps=50, seeds=3, environments=FEW)
    comparison = compare(small, checked)
    assert comparison.overall.difference == pytest.approx(checked.mean - small.mean)
    assert [d.environment for d in comparison.by_environment] == list(FEW)
    assert all(d.t_low <= d.difference <= d.t_high for d in comparison.by_environment)
    assert compare(small, small).overall == Difference("measure", 0.0, 0.0, 0.0)
    assert len(comparison.table()) == 4
    assert comparison.table().columns[1] == f"{comparison.second} - {comparison.first}"


def test_the_interval_is_students(small):
    checked = measure(reality_check(QLearner), steps=50, seeds=3, environments=FEW)
    gains = [checked.by_seed[seed] - small.by_seed[seed] for seed in (1, 2, 3)]
    low, high = stats.ttest_1samp(gains, 0).confidence_interval(0.95)
    overall = compare(small, checked).overall
    assert (overall.t_low, overall.t_high) == pytest.approx((low, high))
    one = measure(QLearner, steps=5, seeds=1, environments=FEW)
    assert math.isnan(compare(one, one).overall.t_low)
    assert str(compare(one, one)).endswith(": +0.0000, 1 seed: no interval; see .table()")


def test_an_interval_that_contains_0_is_called_undecided():
    for (low, high), undecided in (((-0.1, 0.2), True), ((0.1, 0.2), False), ((-0.2, -0.1), False)):
        overall = Difference("measure", 0.05, low, high)
        assert ("contains 0: undecided" in str(Comparison("one", "other", overall, ()))) == undecided


@pytest.fixture(scope="module")
def turned():
    """An agent as `small` measures it, and the same measured with all lists turned round."""
    rate = functools.partial(QLearner, learning_rate=0.5)
    return [measure(rate, steps=50, seeds=s, environments=e) for s, e in (((1, 2, 3), FEW), ((3, 2, 1), FEW[::-1]))]


def test_runs_in_another_order_are_paired_all_the_same(small, turned):
    straight, backwards = turned
    assert any(d.difference for d in compare(small, straight).by_environment)
    assert compare(small, backwards) == compare(small, straight)


def test_a_plot_draws_everybody_in_the_rows_of_the_first(small, turned):
    straight, backwards = ([x.get_xydata().tolist() for a in small.plot(m).axes for x in a.lines] for m in turned)
    assert straight == backwards


@pytest.mark.parametrize("together", [compare, Measurement.plot])
@pytest.mark.parametrize(
    "other",
    [
        {"steps": 51},
        {"seeds": 2},
        {"environments": ("CryingBaby2", *FEW[1:])},
        {"opposites": False},
        {"weights": {name: place for place, name in enumerate(FEW)}},
    ],
)
def test_only_what_was_measured_alike_is_compared_or_plotted_together(small, together, other):
    measured = measure(ConstantAgent, **{"steps": 50, "seeds": 3, "environments": FEW} | other)
    with pytest.raises(SettingError, match="QLearner, ConstantAgent were not measured over the same runs"):
        together(small, measured)


def test_one_seed_has_no_error_and_the_axis_says_so():
    assert with_errors("reward", 1) == "reward\n(1 seed: no error is known)"
    alone = measure(QLearner, steps=5, seeds=[4], environments=FEW)
    assert math.isnan(alone.standard_error)
    assert "1 seed" in alone.plot().axes[0].get_xlabel()


def test_a_bar_of_length_zero_shows_its_number():
    """It would look like missing data."""
    (axes,) = columns_of_bars(["Random", "Q"], [("agent", [[0.0], [0.4, 0.6]])], "measure").axes
    assert {text.get_text() for text in axes.texts} == {"0.000", "0.500"}
