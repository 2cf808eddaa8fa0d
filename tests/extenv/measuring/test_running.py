"""One run: what is refused before it, in one sentence with the remedy, and what is found in it."""

from functools import partial
from itertools import pairwise

import pytest

from extenv import make, run
from extenv.composing.compose import Handicapped
from extenv.environment import play
from extenv.measuring.running import stored_streams
from extenv.measuring.validation import check_agent
from extenv.reality_checks import reality_check
from multislot.agents import ConstantAgent, QLearner, RandomAgent
from multislot.engine.agent import Agent
from multislot.engine.factories import check_factory
from multislot.errors import ActionError, AgentError, SettingError, UnknownNameError

STREAM = stored_streams(1)[0]
COMPILED = not hasattr(QLearner.act, "__code__")


class Quiet(Agent):
    """An agent of the tests: any parameters, action 0."""

    def __init__(self, n_observations, n_actions, stream):
        self.n_actions, self.asked, self.learned = n_actions, 0, 0

    def act(self, observation):
        return 0

    def learn(self, observation, action, reward, next_observation):
        self.learned += 1


class Fickle(Quiet):
    def act(self, observation):
        self.asked += 1
        return self.asked % 2


class Counting(Quiet):
    def act(self, observation):
        self.asked += 1
        return 0


class Tiring(Quiet):
    """Counts what it is asked, but only once it has learned something that was paid."""

    def learn(self, observation, action, reward, next_observation):
        self.learned += reward > 0

    def act(self, observation):
        self.asked += self.learned > 0
        return 0


class Bold(Quiet):
    def act(self, observation):
        return self.n_actions


@pytest.mark.parametrize(
    "check", [lambda agent: agent, reality_check, partial(reality_check, freeze="published")], ids=range(3)
)
@pytest.mark.parametrize("impure", [Fickle, Counting, Tiring])
def test_an_agent_that_acting_changes_is_refused_also_inside_a_reality_check(impure, check):
    """The published check itself is changed by asking and exempt; the agent inside it is not."""
    message = rf"{impure.__name__}.act\(0\) changes the agent.*move what it changes into learn"
    with pytest.raises(AgentError, match=message):
        run("IgnoreRewards", check(impure), steps=10)


def test_an_agent_that_draws_from_elsewhere_is_refused_when_its_answers_differ():
    class Alternating(Quiet):
        coin = iter([0, 1] * 50)

        def act(self, observation):
            return next(self.coin)

    with pytest.raises(AgentError, match="changes the agent"):
        run("IgnoreRewards", Alternating, steps=10)


def test_an_action_out_of_range_is_found_before_the_run():
    with pytest.raises(ActionError, match=r"step 0, slot 1: the agent's action is 2; return an int from 0 to 1"):
        run("IgnoreRewards", Bold, steps=10)


@pytest.mark.parametrize("action", [-1, 2, 3])
@pytest.mark.parametrize("earlier", [0, 5])
def test_steps_before_are_counted_where_an_action_leaves_the_range(action, earlier):
    class Late(Quiet):
        def act(self, observation):
            return action if self.learned == 3 else 0

    environment = make("IgnoreRewards3")
    environment.begin(Quiet, *stored_streams(1))
    with pytest.raises(ActionError, match=rf"step {earlier + 4}, slot 1: the agent's action is {action};"):
        play(environment, Late(1, 2, None), 0, 2, 9, False, earlier)


def test_an_agent_is_rehearsed_with_turns_that_follow_each_other():
    class Listening(Quiet):
        lessons = ()

        def learn(self, observation, action, reward, next_observation):
            self.lessons += ((observation, next_observation),)

    agent = Listening(3, 2, None)
    check_agent(agent, 3, 2, False)
    assert all(before[1] == after[0] for before, after in pairwise(agent.lessons))
    assert {observation for observation, _ in agent.lessons} == {0, 1, 2}


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (lambda n_observations, stream: None, "does not take n_actions; expected factory"),
        (lambda n_observations, stream, learning_rate=0.1: None, "does not take n_actions"),
        (lambda n_actions, n_observations, stream: None, "takes them in another order"),
        (lambda a: None, "does not take n_observations and n_actions and stream"),
        (3, "got 3 as factory"),
        (ConstantAgent(1, 2, STREAM), "got an agent, ConstantAgent; .*give its class"),
        (lambda n_observations, n_actions, stream: "agent", "made an object of class str; expected a multislot.Agent"),
    ],
)
def test_what_is_no_factory_is_refused(factory, message):
    with pytest.raises(SettingError, match=message):
        run("IgnoreRewards", factory, steps=10)


@pytest.mark.parametrize(
    "factory", [QLearner, partial(QLearner, epsilon=0.2), lambda o, a, s: None, lambda *a, **k: None]
)
def test_factories_may_be_classes_partials_and_functions(factory):
    check_factory(factory)


@pytest.mark.parametrize(
    ("settings", "message"), [({"steps": 0}, "steps=0"), ({"steps": 1.5}, "steps=1.5"), ({"seed": -1}, "seed=-1")]
)
def test_steps_and_seeds_are_checked(settings, message):
    with pytest.raises(SettingError, match=f"got {message}; expected a whole number, at least"):
        run("IgnoreRewards", QLearner, **{"steps": 10, **settings})


def test_what_is_no_environment_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'CryingBaby'"):
        run("CryingBabby", QLearner, steps=10)
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'environment' and 'by'"):
        run(Handicapped, QLearner, steps=10)
    with pytest.raises(SettingError, match="expected an ExtendedEnvironment or the name of one"):
        run(QLearner(1, 2, STREAM), QLearner, steps=10)


@pytest.mark.skipif(not COMPILED, reason="in this build the agents are interpreted")
def test_a_compiled_agent_is_refused_where_steps_are_counted():
    with pytest.raises(SettingError, match=r"QLearner.act is compiled and a debugger sees no steps in it.*Interpreted"):
        run("PunishSlowAgent", QLearner, steps=10)


def test_a_seed_is_a_seed():
    totals = [run("IgnoreRewards", RandomAgent, steps=64, seed=seed).total_reward for seed in (1, 1, 2)]
    assert totals[0] == totals[1]
    assert run("SelfRecognition", QLearner, steps=64, seed=1) != run("SelfRecognition", QLearner, steps=64, seed=2)
