"""Total rewards against a second, plain writing of the rules, for any seed and any number of steps."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extenv import reality_check, run
from extenv.measuring.running import stored_streams
from multislot.agents import QLearner, RandomAgent, SimpleLearner
from tests.extenv import naive

FACTORIES = {"random": RandomAgent, "simple": SimpleLearner, "q": QLearner}


@pytest.mark.parametrize("checked", [False, True], ids=["plain", "reality check"])
@pytest.mark.parametrize("policy", FACTORIES)
@pytest.mark.parametrize("name", naive.ENVIRONMENTS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(1, 101), opposite=st.booleans())
def test_totals_are_those_of_a_plain_writing_of_the_rules(name, policy, checked, seed, steps, opposite):
    factory = reality_check(FACTORIES[policy], "published") if checked else FACTORIES[policy]
    agent_stream, stream = stored_streams(seed)
    plain = naive.total(name, policy, checked, steps, opposite, agent_stream.at, stream.at)
    assert run(name, factory, steps=steps, seed=seed, opposite=opposite).total_reward == plain
