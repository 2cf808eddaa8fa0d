import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.agents import RandomAgent
from multislot.bayes import (
    BayesAgent,
    Life,
    MentorClass,
    MentoredWorld,
    ModelClass,
    ModelWorld,
    MostLikelyAgent,
    PessimisticAgent,
    QLearningAgent,
    TabularMentor,
    TabularModel,
    ThompsonAgent,
    compare_lives,
    live,
    traps,
)
from multislot.bayes.lives import FALLS, QUESTIONS, REWARD
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError, UnknownNameError
from tests.multislot.bayes.examples import random_models

SAFE, BOLD = 0, 1


def arms(paid):
    """Arm 0 pays a half; arm 1 pays what is said, 0 meaning that it leads where nothing is paid from then on."""
    moves = np.array([[[1, 0], [0 if not paid else 1, 1 if not paid else 0]], [[0, 1], [0, 1]]])
    return TabularModel(moves, [[0.5, paid], [0, 0]])


GOOD, BAD = arms(1.0), arms(0.0)
CLASS = ModelClass([GOOD, BAD], [0.3, 0.7])
BOLD_MENTOR = TabularMentor([BOLD, BOLD], n_actions=2)
MENTORS = MentorClass([BOLD_MENTOR])
AGENTS = {
    "pessimist": PessimisticAgent(CLASS, MENTORS, 0.9, 0.7, 3),
    "mixture": BayesAgent(CLASS, 0.7, 3),
    "most likely": MostLikelyAgent(CLASS, 0.7, 3),
    "Thompson": ThompsonAgent(CLASS, 0.7, 3),
    "Q": QLearningAgent(2, 2, EndlessStream(0, 1)),
}


def world(model):
    return ModelWorld(model, model.n_states)


def test_a_comparison_has_a_row_an_agent_with_intervals_and_a_picture_a_panel_a_measure():
    found = compare_lives(AGENTS, MentoredWorld(world(GOOD)), seeds=[3, 5], mentor=BOLD_MENTOR, steps=10)
    table = found.table()
    assert list(table.index) == list(AGENTS)
    for measure in (REWARD, QUESTIONS, FALLS):
        assert (table[f"{measure}, low"] <= table[measure]).all()
        assert (table[measure] <= table[f"{measure}, high"]).all()
    assert (table[f"{FALLS}, high"] > 0.5).all()
    with pytest.raises(UnknownNameError, match="unknown measure 'reward'; did you mean 'reward a step'"):
        found.values("reward")
    assert str(found).startswith("reward a step, 2 lives of each agent: 'pessimist' ")
    assert len(str(found)) < 200
    figure = found.plot()
    figure.canvas.draw()
    assert [panel.get_title() for panel in figure.axes] == [REWARD, QUESTIONS, FALLS]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list(AGENTS)


def test_the_same_seeds_give_the_same_lives_and_an_agent_that_has_lived_begins_again():
    lived = AGENTS["pessimist"].fresh(EndlessStream(9, 1))
    live(lived, MentoredWorld(world(GOOD)), BOLD_MENTOR, 20, 9)
    again = {"pessimist": lived, "Q": QLearningAgent(2, 2, EndlessStream(4, 1))}
    first, second = (
        compare_lives(agents, world(GOOD), seeds=4, mentor=BOLD_MENTOR, steps=15) for agents in (AGENTS, again)
    )
    assert all(first.lives[name] == second.lives[name] for name in again)
    assert lived.done


def test_a_factory_makes_an_agent_for_each_seed():
    found = compare_lives({"random": RandomAgent}, world(GOOD), seeds=6, mentor=BOLD_MENTOR, steps=30)
    lives = found.lives["random"]
    assert len({life.actions for life in lives}) == 6
    assert 0 < np.mean([life.questions() for life in lives]) < 20


def test_an_agent_that_defers_needs_a_mentor():
    with pytest.raises(SettingError, match="the agent deferred: it needs a mentor that acts"):
        compare_lives({"pessimist": AGENTS["pessimist"]}, world(GOOD), seeds=3, steps=40)
    assert compare_lives({"mixture": AGENTS["mixture"]}, world(GOOD), seeds=1, steps=5).lives


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, world(GOOD)), "got agents={}; expected at least one"),
        ((AGENTS, GOOD), "got world=.*; expected an instance of World"),
        ((AGENTS, world(GOOD), 0), "got seeds=0"),
        ((AGENTS, world(GOOD), [-1]), "got seed=-1"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(SettingError, match=message):
        compare_lives(*arguments, mentor=BOLD_MENTOR)


def test_a_world_with_too_few_observations_for_its_model_is_named():
    agent = BayesAgent(ModelClass([GOOD]), discount=0.7, horizon=2)
    with pytest.raises(SettingError, match=r"reads 2 observations.*: give ModelWorld n_inner=2, the number of states"):
        live(agent, MentoredWorld(ModelWorld(GOOD, n_inner=1)), None, 5, 0)


def test_only_what_is_never_left_and_pays_nothing_is_a_trap():
    assert traps(GOOD) == traps(BAD) == {1}
    heaven = TabularModel([[[0, 1]], [[0, 1]]], [[0.0], [0.5]])
    assert traps(heaven) == frozenset()


@given(st.integers(0, 10**6))
def test_in_a_trap_every_policy_is_worth_nothing(seed):
    (model,) = random_models(np.random.default_rng(seed), 1, sparse=0.8)
    values = model.as_mdp().solve(discount=0.9, horizon=30).values
    assert all(values[state] == 0 for state in traps(model))


def test_a_fall_is_the_first_step_that_leads_to_one():
    life = Life((0, 1, 2, 1), (0, 0, 0), (1.0, 0.0, 0.0), (True, False, True))
    assert [life.fall({seen}) for seen in (0, 1, 2, 3)] == [None, 1, 2, None]
    assert [life.questions(falls) for falls in ((), {1}, {2})] == [2, 1, 1]
