"""Invalid arguments are refused in one sentence: what was got, and what was expected."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from multislot.bayes import (
    BayesAgent,
    Grid,
    HistoryMentor,
    HistoryModel,
    MentorClass,
    ModelClass,
    ModelWorld,
    MostLikelyAgent,
    PartiallyObservableModel,
    PessimisticAgent,
    QLearningAgent,
    TabularMentor,
    TabularModel,
    ThompsonAgent,
    TurnCode,
    gridworld_variations,
    pessimistic_value,
    twins,
)
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError
from tests.multislot.bayes.examples import first_decides

COIN = TabularModel(np.ones((1, 2, 1)), [[0.25, 0.75]])
CLASS = ModelClass([COIN])
MENTORS = MentorClass([TabularMentor([0], n_actions=2)])


def pessimist(**changes):
    settings = {"beta": 0.5, "discount": 0.8, "horizon": 2, **changes}
    return PessimisticAgent(CLASS, MENTORS, **settings)


MODELS = [
    (
        lambda: TabularModel(np.ones((1, 1, 1), complex), [[0.5]]),
        r"got transition\.dtype='complex'; expected real numbers",
    ),
    (lambda: TabularModel([[[1j]]], [[0.5]]), "got transition=.*; expected a dense array of numbers"),
    (lambda: TabularModel(csr_array([[1 + 0j]]), [[0.5]]), r"got transition\.dtype='complex'; expected real numbers"),
    (lambda: HistoryModel(lambda history, action: {}, 0), "got n_actions=0; expected a whole number, at least 1"),
    (
        lambda: HistoryModel(lambda history, action: {(0, 0.5): 0.5}, 2).law((), 1),
        r"got sum of the probabilities after \(\), action 1=0\.5; expected 1",
    ),
    (lambda: ModelClass([COIN, COIN], [[0.5], [0.25, 0.25]]), "got prior=.*; expected a dense array of numbers"),
    (lambda: ModelWorld(COIN, -1), "got n_inner=-1; expected a whole number, at least 1"),
    (lambda: Grid(("#.",), {}).model(0), r"got start=0; expected a cell that can be entered, not \(0, 0\) '#'"),
    (lambda: Grid(("#.",), {}).model(2), r"got start=2; expected one of 0\.\.1"),
    (lambda: MENTORS.mentors[0].probabilities(1), r"got state=1; expected one of 0\.\.0, which the mentor knows"),
    (lambda: COIN.law(0.0, 0), r"got state=0\.0; expected one of 0\.\.0"),
    (lambda: twins(CLASS, [(0, 0, 0)]), r"got pair=\(0, 0, 0\); expected a state and an action"),
    (
        lambda: pessimistic_value([COIN], 0.5, 2, exact=False).policy(((0, (9, 1.0)),)),
        r"the plan of 2 steps has no action after \(\(0, \(9, 1\.0\)\),\): too long or impossible",
    ),
    (lambda: twins(CLASS, [(0, 0.5)]), r"got action of a pair=0\.5; expected one of 0\.\.1"),
]
BUILT = [
    (lambda: Grid(("..", "."), {}), r"got lengths of the rows=\[1, 2\]; expected one length"),
    (
        lambda: gridworld_variations({"wide": Grid(("..",), {}), "high": Grid((".", "."), {})}, 0),
        r"got sizes of the grids=\[\(1, 2\), \(2, 1\)\]; expected one size",
    ),
    (
        lambda: twins(ModelClass([PartiallyObservableModel(COIN, np.eye(1))]), []),
        r"got base=\('model 0',\); expected tabular models of one size",
    ),
    (
        lambda: twins(ModelClass(first_decides((1, 0))), [], share=1.0),
        r"got share=1\.0; expected a finite number, above 0 and below 1",
    ),
    (lambda: twins(ModelClass(first_decides((1, 0))), [(3, 0)]), r"got state of a pair=3; expected one of 0\.\.2"),
]
MENTOR_KINDS = [
    (lambda: TabularMentor([[0.5, 0.4]]), r"got policy\[0\]=\[0\.5, 0\.4\]; expected probabilities that sum to 1"),
    (lambda: TabularMentor([[1.0], [-1.0]]), r"got policy\[1\]=\[-1\.0\]; expected probabilities that sum to 1"),
    (lambda: TabularMentor([0, 1]), "got n_actions=None; expected a number above every action of the policy"),
    (lambda: TabularMentor([0, 2], n_actions=2), "got n_actions=2"),
    (
        lambda: TabularMentor([0.5, 0.5]),
        r"got policy\.shape=\(2,\); expected \[S, A\] probabilities or \[S\] actions",
    ),
    (lambda: TabularMentor([[1.0]], start=1), r"got start=1; expected one of 0\.\.0"),
    (lambda: MentorClass([]), r"got mentors=\(\); expected at least one"),
    (
        lambda: MentorClass([TabularMentor([0], n_actions=n) for n in (1, 2)]),
        r"got mentors with n_actions=\[1, 2\]; expected the same number of actions in each",
    ),
    (lambda: HistoryMentor(lambda history: [0.5], 1).probabilities(()), "expected probabilities that sum to 1"),
    (
        lambda: HistoryMentor(lambda history: [1.0], 2).probabilities(()),
        r"got policy\.shape=\(1, 1\); expected \[S, A\] probabilities or \[S\] actions",
    ),
    (lambda: TabularMentor([[1.0], [0.5, 0.5]]), "got policy=.*; expected a dense array of numbers"),
    (
        lambda: HistoryMentor(lambda history: 0.5, 2).probabilities(()),
        r"got policy\.shape=\(1,\); expected \[S, A\] probabilities or \[S\] actions",
    ),
    (lambda: TurnCode(-1, 2), "got n_inner=-1; expected a whole number, at least 0"),
]
AGENTS = [
    (lambda: pessimist(noise=float("inf")), "got noise=inf; expected a finite number, above 0"),
    (lambda: pessimist(discount=1), "values are multiplied by 1 − γ, so with γ = 1 all would be 0"),
    (lambda: pessimist(n_inner=-1), "got n_inner=-1; expected a whole number, at least 1"),
    (
        lambda: pessimist(beta=lambda step: "x").decide(),
        "got beta='x'; expected a finite number, at least 0 and below 1",
    ),
    (lambda: BayesAgent(CLASS, 0.8, 2, depth=0), "got depth=0; expected a whole number, at least 1"),
    (lambda: QLearningAgent(3, 2, EndlessStream(0, 1), start=9), r"got start=9; expected one of 0\.\.2"),
    (lambda: QLearningAgent(0, 2, EndlessStream(0, 1)), "got n_states=0; expected a whole number, at least 1"),
    (
        lambda: pessimist().save("/nowhere/at/all/life.json"),
        r"/nowhere/at/all/life\.json cannot be written: No such file",
    ),
]


@pytest.mark.parametrize(("make", "message"), [*MODELS, *BUILT, *MENTOR_KINDS, *AGENTS], ids=lambda given: "")
def test_what_cannot_be_meant_is_named(make, message):
    with pytest.raises(SettingError, match=message):
        make()


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
