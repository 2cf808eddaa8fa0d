"""Alexander et al. 2021, Proposition 13: all four parts, over arbitrary agents, prompts and environments."""

from hypothesis import given
from hypothesis import strategies as st

from extenv.formal import classic, interact, reality_check, reality_check_by_agent
from tests.extenv.formal.agents import agents, arbitrary, environments, plays, prompts


def genuine_prompt(agent, environment, n_turns):
    return interact(agent, environment, n_turns)[:-1]


@st.composite
def mixed_prompts(draw):
    """Draw an agent and a prompt that it produced, in part or not at all: the last turns may be another agent's."""
    agent, other, environment = draw(agents), draw(agents), draw(environments)
    own, n_turns = draw(st.integers(0, 5)), draw(st.integers(1, 6))

    def changeling(prompt):
        return (agent if len(prompt) < 3 * own else other)(prompt)

    return agent, genuine_prompt(changeling, environment, n_turns)


@given(mixed_prompts() | st.tuples(agents, prompts))
def test_part_1_both_definitions_agree(case):
    agent, prompt = case
    assert reality_check(agent)(prompt) == reality_check_by_agent(agent)(prompt)


@given(mixed_prompts())
def test_part_2_the_reality_check_is_idempotent(case):
    agent, prompt = case
    once = reality_check(agent)
    assert reality_check(once)(prompt) == once(prompt)


@given(agents, environments, st.integers(1, 6))
def test_part_3_on_genuine_histories_it_acts_as_the_agent(agent, environment, n_turns):
    checked = reality_check(agent)
    prompt = genuine_prompt(checked, environment, n_turns)
    assert checked(prompt) == agent(prompt)


@given(agents, st.integers(0, 999), st.integers(0, 6))
def test_part_4_no_environment_that_cannot_look_tells_them_apart(agent, seed, n_turns):
    percepts = arbitrary(seed)
    blind = classic(lambda play: (percepts((*play, 0, 0)) - 1, percepts((*play, 0, 1))))
    assert interact(reality_check(agent), blind, n_turns) == interact(agent, blind, n_turns)


@given(agents, plays, st.integers(0, 2))
def test_it_freezes_on_its_first_action_when_the_past_is_not_its_own(agent, play, reward):
    first = (reward, 0)
    wrong = (agent(first) + 1) % 3
    assert reality_check(agent)((*first, wrong, *play, 0, 1)) == agent(first)


def test_an_extended_environment_can_tell_them_apart():
    def agent(prompt):
        return 0 if len(prompt) == 2 else 1

    def environment(simulated, play):
        return simulated((0, 0, 1, 0, 0)), 0

    assert interact(agent, environment, 1) != interact(reality_check(agent), environment, 1)
