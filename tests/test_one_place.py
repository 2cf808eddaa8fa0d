"""One change, one place: what is registered from outside the packages works wherever registered objects are listed."""

import importlib
import json
import subprocess
import sys
from fractions import Fraction

import gymnasium
import pettingzoo
import pytest

import extenv
from extenv.environment import ExtendedEnvironment
from extenv.zoo import REGISTERED
from multislot.agents import QLearner, SimpleLearner
from multislot.errors import SettingError, WrongTypeError
from multislot.exact import Branch, WeightedFuture, action_values, copy, decision_map, register_value
from multislot.exact.files.answers import answer
from multislot.exact.futures import VALUES, named, shown_values
from multislot.testing import check_agent, check_environment
from multislot.zoo.registration import ENTRIES
from scenarios.anthropics import branch_line
from scenarios.explore.questions import reply
from scenarios.lab import registry
from scenarios.lab.printing import settings_of
from tests.build import ROOT
from tests.scenarios.conftest import output_of
from tests.scenarios.lab.test_installed import SCENARIO


class LastCopy(WeightedFuture):
    """Only what the copy in the highest slot observes counts."""

    name = "last-copy"
    plain_name = "last copy"
    meaning = "only the copy in the highest slot counts"

    def future(self, belief, action, step):
        for place, (chance, _) in belief.places.items():
            for probability, arrivals in belief.outcomes(place, action):
                if arrivals:
                    last = arrivals[max(arrivals)]
                    yield Branch(chance * probability, last.reward, last.observation)


class Shy(ExtendedEnvironment):
    """Would you have done otherwise, had nothing happened yet?"""

    def start(self):
        return 0

    def step(self, action):
        return (-1.0 if action == self.fresh().act(0) else 1.0), 0


@pytest.fixture
def last_copy():
    register_value(LastCopy)
    yield LastCopy.name
    del VALUES[LastCopy.name]


@pytest.fixture
def shy():
    extenv.register_environment(Shy)
    yield "Shy"
    del extenv.ENVIRONMENTS["Shy"], REGISTERED["Shy"]
    for entries in ENTRIES.values():
        del entries["extenv/Shy-v1"]
    del gymnasium.registry["extenv/Shy-v1"]


def test_a_value_is_taken_by_its_name(last_copy):
    values = action_values(copy(r_1=1, r_2=5), last_copy, discount=Fraction(1, 2), horizon=3)
    assert values == action_values(copy(r_1=1, r_2=5), LastCopy(), discount=Fraction(1, 2), horizon=3)
    assert values["copy"] == 5 * (1 + Fraction(1, 2) + Fraction(1, 4))
    assert isinstance(named(last_copy), LastCopy)
    assert last_copy not in shown_values()


def test_a_value_is_in_answers_maps_and_the_explorer(last_copy):
    assert last_copy in {row["name"] for row in reply({"view": "start"})["values"]}
    answered = answer({"world": "copy", "horizon": 3})
    assert last_copy in json.dumps(answered["values"])
    drawn = decision_map("copy", x=("r_2", [1, 5]), y=("discount", [0.5, 0.9]), values=[last_copy], horizon=3)
    assert len(drawn.best[last_copy]) == 2


def test_a_value_is_printed_by_solve(last_copy):
    assert "last copy (last-copy)" in output_of("solve", "copy", "--all")


def test_a_value_is_a_row_of_the_survival_scenarios_without_a_closed_form(last_copy):
    settings = branch_line.Settings()
    rows = branch_line.table(settings, [(cell, branch_line.run_cell(cell)) for cell in branch_line.cells(settings)])
    own = [row for row in rows if row.condition.startswith(last_copy)]
    assert own
    assert all(row.paper is None for row in own)


def test_an_environment_is_run_measured_and_made_by_its_name(shy):
    assert extenv.run(shy, QLearner, steps=50, seed=1).total_reward != 50
    assert extenv.measure(SimpleLearner, steps=10, seeds=2, environments=[shy]).mean == pytest.approx(
        extenv.measure(SimpleLearner, steps=10, seeds=2, environments=[Shy]).mean
    )
    check_environment(lambda: pettingzoo.make("parallel", "extenv/Shy-v1"))
    assert gymnasium.make("extenv/Shy-v1").reset(seed=1)[0] == 0


AGENT = '''"""An agent of one's own."""

from multislot import Agent


class WinStay(Agent):
    """Repeats its last action while it is paid, and otherwise takes the next one."""

    def __init__(self, n_observations, n_actions, stream):
        self.n_actions, self.action = n_actions, 0

    def act(self, observation):
        return self.action

    def learn(self, observation, action, reward, next_observation):
        self.action = action if reward > 0 else (action + 1) % self.n_actions
'''
SMALL = {"steps": "1000", "seeds": "2", "environments": "IgnoreRewards"}
"""Settings of the scenarios that take agents, as far as a scenario has them."""
OF_DEEP_AGENTS = ("released-totals",)


@pytest.fixture
def win_stay(tmp_path, monkeypatch):
    (tmp_path / "win_stay.py").write_text(AGENT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield "win_stay:WinStay"
    sys.modules.pop("win_stay", None)


def agent_scenarios():
    """Scenarios with a setting that names agents."""
    for scenario in registry.discover().values():
        settings = {setting["name"]: setting["description"] for setting in settings_of(scenario)}
        named = [name for name, description in settings.items() if "module:MyAgent" in description]
        if named and scenario.name not in OF_DEEP_AGENTS:
            small = {name: value for name, value in SMALL.items() if name in settings}
            yield pytest.param(scenario, named[0], small, id=scenario.name)


@pytest.mark.parametrize(("scenario", "setting", "small"), list(agent_scenarios()))
def test_an_agent_of_ones_own_is_in_every_scenario_that_takes_agents(win_stay, scenario, setting, small):
    settings = scenario.settings({setting: win_stay, **small}, "QUICK")
    rows = scenario.table(settings, [(cell, scenario.run_cell(cell)) for cell in scenario.cells(settings)])
    assert any("WinStay" in row.quantity + row.condition for row in rows)


def test_an_agent_of_ones_own_is_checked_run_measured_and_given_to_environments(win_stay):
    kind = importlib.import_module("win_stay").WinStay
    check_agent(kind)
    assert extenv.run("IgnoreActions", kind, steps=50, seed=1).total_reward == 50
    assert extenv.measure(kind, steps=10, seeds=1, environments=["CryingBaby"]).agent == "WinStay"
    assert extenv.reality_check(kind).__name__ == "reality_check(WinStay)"
    env = gymnasium.make("extenv/IgnoreRewards-v1", agent_factory=win_stay)
    env.reset(seed=1)
    assert env.step(0)[1] == 1


def test_what_says_nothing_about_itself_is_refused():
    with pytest.raises(SettingError, match="whose first line is the question"):
        extenv.register_environment(type("Silent", (ExtendedEnvironment,), {}))
    with pytest.raises(SettingError, match="expected an id"):
        extenv.register_environment(type("No Identifier", (ExtendedEnvironment,), {"__doc__": "Why?"}))
    assert "No Identifier" not in extenv.ENVIRONMENTS
    for register in (register_value, extenv.register_environment):
        with pytest.raises(WrongTypeError):
            register(3)


def test_a_registered_task_passes_all_tests_that_go_through_the_tasks():
    """In a process of its own, since tests are collected for the tasks that are registered by then."""
    plugins = ("-p", "tests.considerate.bottles", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-n", "0", "-k", "bottles", "tests/considerate"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert "failed" not in done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 9


@pytest.fixture
def own_scenario(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "count_coins.py").write_text(SCENARIO + '\nMORAL = "Coins are many."\n')
    return registry.register(tmp_path / "count_coins.py")


def test_a_scenario_is_its_own_file(own_scenario):
    assert "count-coins" in output_of("list")
    (listed,) = [one for one in json.loads(output_of("list", "--json")) if one["name"] == "count-coins"]
    assert (listed["family"], listed["summary"]) == ("own", "Squares of seeds, slowly.")
    assert "Coins are many." in output_of("show", "count-coins")
    found = json.loads(output_of("run", "count-coins", "--json"))
    assert [row["agrees"] for row in found["rows"] if row["quantity"] == "sum"] == [True]
    page = own_scenario.path.parent / output_of("report").split()[0]
    assert '<article id="count-coins"' in page.read_text()
    assert "Made by another version" not in page.read_text()


def test_without_docstrings_an_environment_is_registered_too():
    code = (
        "import multislot.bayes; from extenv import ExtendedEnvironment, register_environment; "
        "print(register_environment(type('Plain', (ExtendedEnvironment,), {})).__name__)"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert done.stdout == "Plain\n", done.stderr
    assert "docstring" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
