"""Reality checks of practical agents: what freezes them, what is visible, how they copy."""

import pickle
from functools import partial
from itertools import count

import pytest

from extenv import reality_check, run
from extenv.measuring.running import stored_streams
from multislot.agents import ConstantAgent, QLearner, RandomAgent
from multislot.engine.factories import takes
from multislot.errors import AgentError, SettingError
from multislot.testing import check_agent

pytestmark = pytest.mark.compiled

STREAM = stored_streams(3)[0]


def fresh(factory, n_observations=2, n_actions=2):
    return factory(n_observations, n_actions, STREAM)


def test_it_freezes_on_the_action_it_would_have_taken_first():
    agent = fresh(reality_check(partial(ConstantAgent, action=1)))
    agent.learn(0, 0, 1.0, 0)
    assert [agent.frozen, agent.act(0), agent.act(1)] == [True, 1, 1]


def test_the_published_variant_freezes_on_the_first_action_that_is_not_0():
    class Second(ConstantAgent):
        def act(self, observation):
            return observation

    definition, published = (fresh(reality_check(Second, freeze=freeze)) for freeze in ("first", "published"))
    for agent in (definition, published):
        agent.learn(0, 0, 0.0, 1)
        agent.act(1)
        agent.learn(0, 1, 0.0, 0)
    assert [agent.frozen for agent in (definition, published)] == [True, True]
    assert [agent.act(0) for agent in (definition, published)] == [0, 1]


def test_a_frozen_agent_learns_nothing_more():
    agent = fresh(reality_check(QLearner))
    agent.learn(0, 1 - agent.act(0), 1.0, 0)
    before = agent.agent.native_state()
    agent.learn(0, 0, 1.0, 1)
    agent.learn_last(0, 0, 1.0)
    assert agent.agent.native_state() == before


def test_only_definition_10_keeps_act_pure_and_the_other_is_exempt_by_name():
    assert not getattr(fresh(reality_check(QLearner)), "asking_changes_it", False)
    assert fresh(reality_check(QLearner, freeze="published")).asking_changes_it
    assert run("IgnoreRewards", reality_check(RandomAgent, freeze="published"), steps=20).steps == 20


class Numbered:
    """No two have equal pickles, copies neither: so it is with PyTorch's tensors, whose pickles contain addresses."""

    made = count()

    def __init__(self):
        self.number = next(self.made)

    def __deepcopy__(self, memo):
        return Numbered()


class Kept(QLearner):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.kept = Numbered()


class Replaced(Kept):
    def act(self, observation):
        self.kept = Numbered()
        return super().act(observation)


@pytest.mark.parametrize("check", [reality_check, lambda factory: reality_check(reality_check(factory))])
def test_an_agent_whose_pickle_differs_from_its_copys_is_not_accused_of_changing(check):
    assert run("IgnoreRewards", check(Kept), steps=5).steps == 5
    check_agent(check(Kept))
    with pytest.raises(AgentError, match=r"act\(0\) changes the agent"):
        run("IgnoreRewards", check(Replaced), steps=5)


@pytest.mark.parametrize("freeze", ["first", "published"])
def test_hyperparameters_stay_visible(freeze):
    factory = reality_check(partial(QLearner, learning_rate=0.3), freeze=freeze)
    assert takes(factory, "learning_rate")
    assert fresh(factory).learning_rate == 0.3
    assert factory(1, 2, STREAM, learning_rate=0.7).learning_rate == 0.7
    with pytest.raises(AttributeError):
        _ = fresh(reality_check(RandomAgent, freeze=freeze)).learning_rate


def test_its_name_is_the_papers():
    assert reality_check(reality_check(QLearner)).__name__ == "reality_check(reality_check(QLearner))"
    assert reality_check(QLearner, "published").__name__ == "reality_check(QLearner, freeze='published')"


def test_factories_pickle():
    factory = pickle.loads(pickle.dumps(reality_check(QLearner)))
    assert run("CryingBaby", factory, steps=50) == run("CryingBaby", reality_check(QLearner), steps=50)


def test_bad_arguments_are_refused():
    with pytest.raises(SettingError, match="got freeze='last'; expected \"first\""):
        reality_check(QLearner, freeze="last")
    with pytest.raises(SettingError, match="got 'QLearner' as factory; expected factory"):
        reality_check("QLearner")
