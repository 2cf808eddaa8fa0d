"""What cannot be meant is refused where it is given, in one sentence: what was got, and what was expected."""

from fractions import Fraction

import gymnasium
import numpy as np
import pytest
from scipy.sparse import csr_array

from multislot.bayes import (
    BayesAgent,
    Event,
    Grid,
    HistoryMentor,
    HistoryModel,
    KeyboardMentor,
    MentorAgent,
    MentorClass,
    ModelClass,
    ModelWorld,
    MostLikelyAgent,
    PartiallyObservableModel,
    PessimisticAgent,
    QLearningAgent,
    ScriptedMentor,
    TabularMentor,
    TabularModel,
    ThompsonAgent,
    TurnCode,
    best_mixture_plan,
    by_description_length,
    mentor_value,
    pessimistic_value,
    twins,
)
from multislot.errors import SettingError
from multislot.stream import EndlessStream

COIN = TabularModel(np.ones((1, 2, 1)), [[0.25, 0.75]])
CLASS = ModelClass([COIN])
MENTORS = MentorClass([ScriptedMentor([0], 2)])


class Listing:
    """A model, or a mentor, of somebody's own, whose summary is a list from some step on."""

    n_actions = 2

    def __init__(self, steps):
        self.steps = steps

    def begin(self):
        return [] if self.steps == 0 else 0

    def law(self, summary, action):
        return {(0, 0.5): 1.0}

    def probabilities(self, summary):
        return [0.5, 0.5]

    def choose(self, summary, chance):
        return 0

    def after(self, summary, action, percept):
        return [summary]


def pessimist(**changes):
    settings = {"beta": 0.5, "discount": 0.8, "horizon": 2, **changes}
    return PessimisticAgent(CLASS, MENTORS, **settings)


MODELS = [
    (lambda: TabularModel(np.ones((1, 1, 1)), [[[1.0]]], reward_values="x"), "reward_values is no dense array"),
    (lambda: TabularModel(np.ones((1, 1, 1), complex), [[0.5]]), "transition holds complex numbers"),
    (lambda: TabularModel([[[1j]]], [[0.5]]), "transition is no dense array"),
    (lambda: TabularModel(csr_array([[1 + 0j]]), [[0.5]]), "transition holds complex numbers, expected probabilities"),
    (lambda: PartiallyObservableModel(3, [[1.0]]), "got the hidden process 3, expected .* TabularModel"),
    (lambda: PartiallyObservableModel(COIN, "x"), "emission is no dense array"),
    (lambda: PartiallyObservableModel(COIN, [[1.0]], "x"), "start is no dense array"),
    (lambda: HistoryModel(3, 2), "probabilities is 3, expected a function"),
    (lambda: HistoryModel(lambda history, action: {}, 0), "got n_actions=0; expected a whole number, at least 1"),
    (lambda: HistoryModel(lambda h, a: {(0, 0.5): "x"}, 1).law((), 0), r"the probability of \(0, 0.5\) is 'x'"),
    (lambda: ModelClass([COIN], "ab"), "prior is no dense array"),
    (lambda: ModelClass([COIN, COIN], [[0.5], [0.25, 0.25]]), "prior is no dense array"),
    (lambda: ModelWorld(3, 2), "the model is 3, which has no n_actions, begin, law, after"),
    (lambda: ModelWorld(COIN, -1), "got n_inner=-1; expected a whole number, at least 1"),
    (lambda: Grid(("#.",), {}).model(0), r"start is 0, the cell \(0, 0\) '#', expected one that can be entered"),
    (lambda: Grid(("#.",), {}).model(2), r"start is 2, expected one of 0\.\.1"),
    (lambda: twins([COIN], [(0, 0)]), "got the base .*, expected an object of class ModelClass"),
    (lambda: twins(CLASS, [0]), r"got the pairs \[0\], expected a list of pairs \(state, action\)"),
    (lambda: twins(CLASS, 3), "got the pairs 3, expected a list of pairs"),
    (lambda: twins(CLASS, [(0, 0.5)]), "expected a list of pairs"),
    (lambda: by_description_length([COIN], ["x"]), "lengths is no dense array"),
    (lambda: Event("door", 3), "the event 'door' is 3, expected a function"),
]
MENTOR_KINDS = [
    (lambda: TabularMentor([[1.0], [0.5, 0.5]]), "policy is no dense array"),
    (lambda: TabularMentor("x"), "policy is no dense array"),
    (lambda: HistoryMentor(3, 2), "policy is 3, expected a function"),
    (lambda: HistoryMentor(lambda history: "x", 2).probabilities(()), r"policy\(history\) is no dense array"),
    (lambda: HistoryMentor(lambda history: 0.5, 2).probabilities(()), r"a policy has shape \(1,\)"),
    (lambda: ScriptedMentor([0.5], 2), r"got the script \[0.5\], expected at least one action, all in 0\.\.1"),
    (lambda: ScriptedMentor(["x"], 2), r"got the script \['x'\]"),
    (lambda: ScriptedMentor(3, 2), "got the script 3"),
    (lambda: ScriptedMentor([0], "x"), "got n_actions='x'; expected a whole number"),
    (lambda: KeyboardMentor([]), r"got the actions \[\], expected at least one name"),
    (lambda: KeyboardMentor(["a", "a"]), r"got the actions \['a', 'a'\], expected names that differ"),
    (lambda: KeyboardMentor(["a "]), "without blanks at its ends"),
    (lambda: KeyboardMentor(["a"], ask=3), "ask is 3, expected a function"),
    (lambda: MentorAgent(3, TurnCode(1, 2)), "the mentor is 3, which has no n_actions, begin, choose, after"),
    (lambda: MentorAgent(MENTORS.mentors[0], TurnCode(1, 2), 3), "stream is 3, expected one to draw from"),
    (lambda: TurnCode(0, 2), "got n_inner=0; expected a whole number, at least 1"),
]
AGENTS = [
    (lambda: pessimist(noise=float("inf")), "noise is inf, expected a finite number of more than 0"),
    (lambda: pessimist(stream=3), "stream is 3, expected one to draw from, such as multislot.EndlessStream"),
    (lambda: pessimist(n_inner=-1), "got n_inner=-1; expected a whole number, at least 1"),
    (lambda: pessimist(beta=lambda step: "x").decide(), r"beta is x, expected a number in \[0, 1\)"),
    (lambda: BayesAgent(CLASS, 0.8, 2, depth=0), "got depth=0; expected a whole number, at least 1"),
    (lambda: best_mixture_plan(CLASS, [1.0], 0.8, 2, depth="x"), "got depth='x'; expected a whole number"),
    (lambda: best_mixture_plan([COIN], [1.0], 0.8, 2), "got the models .*, expected an object of class ModelClass"),
    (lambda: QLearningAgent(3, 2, EndlessStream(0, 1), start=9), r"start is 9, expected one of 0\.\.2"),
    (lambda: QLearningAgent(0, 2, EndlessStream(0, 1)), "got n_states=0; expected a whole number, at least 1"),
    (lambda: QLearningAgent(3, 2, None), "stream is None, expected one to draw from"),
    (lambda: pessimist().save("/nowhere/at/all/life.json"), "there is no folder /nowhere/at/all; make it"),
]
SUMMARIES = [
    lambda: ModelClass([Listing(0)]).posterior(),
    lambda: ModelClass([Listing(1)]).posterior().observe(0, (0, 0.5)),
    lambda: best_mixture_plan(ModelClass([Listing(1)]), [1.0], 0.8, 3),
    lambda: pessimistic_value([Listing(0)], discount=0.8, horizon=3),
    lambda: pessimistic_value([Listing(1)], discount=0.8, horizon=3),
    lambda: MentorClass([Listing(0)]).posterior(),
    lambda: MentorClass([Listing(1)]).posterior().observe(0, (0, 0.5), by_mentor=True),
    lambda: mentor_value(COIN, 0, Listing(1), 0, 0.8, 3),
    lambda: mentor_value(Listing(1), 0, MENTORS.mentors[0], 0, 0.8, 3),
]


@pytest.mark.parametrize(("make", "message"), [*MODELS, *MENTOR_KINDS, *AGENTS], ids=lambda given: "")
def test_what_cannot_be_meant_is_named(make, message):
    with pytest.raises(SettingError, match=message):
        make()


@pytest.mark.parametrize("ask", SUMMARIES, ids=range(len(SUMMARIES)))
def test_a_summary_by_which_no_plan_can_be_kept_is_named(ask):
    with pytest.raises(SettingError, match=r"Listing gives the summary \[.*\], which cannot be hashed; give a tuple"):
        ask()


def test_a_trained_model_with_continuous_actions_is_no_tabular_mentor():
    baselines = pytest.importorskip("stable_baselines3")
    model = baselines.PPO("MlpPolicy", gymnasium.make("Pendulum-v1"), device="cpu", n_steps=8, batch_size=8)
    with pytest.raises(SettingError, match=r"the algorithm's action space is Box.*, expected Discrete actions"):
        TabularMentor.from_stable_baselines(model, [np.zeros(3)])


@pytest.mark.parametrize(
    "make",
    [
        lambda: pessimist(beta=np.float32(0.5)),
        lambda: pessimist(beta=Fraction(1, 2), noise=Fraction(1, 100), discount=Fraction(4, 5)),
        lambda: pessimist(beta=lambda step: np.float32(0.5), noise=np.float32(0.01), discount=np.float32(0.5)),
        lambda: pessimist(beta=lambda step: Fraction(1, 2 + step), horizon=np.int64(2), guard=np.bool_(True)),
        lambda: BayesAgent(CLASS, 0.8, np.int64(2), depth=np.int64(2)),
        lambda: MostLikelyAgent(CLASS, 0.8, np.int64(2)),
        lambda: ThompsonAgent(CLASS, Fraction(4, 5), 2, period=np.int64(2)),
        lambda: QLearningAgent(np.int64(1), np.int64(2), EndlessStream(0, 1), start=np.int64(0), epsilon=np.float32(0)),
    ],
    ids=range(8),
)
def test_whatever_numbers_its_settings_are_a_life_is_saved_and_resumed(make, tmp_path):
    agent, again = make(), make()
    for reward in (0.25, 0.75):
        agent.observe(np.int64(reward > 0.5), (np.int64(0), np.float32(reward)), np.bool_(False))
    agent.save(tmp_path / "life.json")
    again.resume(tmp_path / "life.json")
    assert (again.record, again.done) == (agent.record, agent.done)
    assert again.decide() == agent.decide()
