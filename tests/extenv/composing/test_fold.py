"""Folding PettingZoo games: copies of the agent play everybody else."""

import pytest

import extenv.battery
from extenv.composing.compose import Bins, fold
from extenv.measuring.running import run, stored_streams
from multislot.agents.tabular import QLearner
from multislot.errors import SettingError, UnknownNameError
from tests.extenv.composing.composing import LEARNERS, Diary, Restless, trace
from tests.extenv.games import Crowd, MatchingBits, ParentAndBaby

SAME = [
    ("CryingBaby", lambda: fold(ParentAndBaby, "parent", labels="before")),
    ("CryingBaby2", lambda: fold(lambda: ParentAndBaby("baby"), "baby", labels="before")),
    ("AdversarialSequencePredictor", lambda: fold(MatchingBits)),
    ("AdversarialSequenceEvader", lambda: fold(MatchingBits, "evader")),
]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("factory", LEARNERS)
@pytest.mark.parametrize(("name", "folded"), SAME)
def test_a_game_of_two_folds_into_the_published_environment(name, folded, factory, seed):
    assert trace(folded(), factory, seed, 300) == trace(extenv.battery.make(name), factory, seed, 300)


@pytest.fixture
def lessons():
    Diary.lessons.clear()
    return Diary.lessons


def played(environment, actions):
    """Return rewards and observations of a true agent that takes these actions."""
    first = environment.begin(Diary, *stored_streams(1))
    return first, [environment.step(action) for action in actions]


def test_a_copy_learns_under_the_observation_that_it_answered(lessons):
    played(fold(ParentAndBaby, "parent"), [1, 0, 1, 0])
    assert lessons == [(1, 0, 1, 0), (0, 1, 1, 1), (1, 0, 1, 0)]


def test_or_under_the_one_before_as_the_published_baby_does(lessons):
    played(fold(ParentAndBaby, "parent", labels="before"), [1, 0, 1, 0])
    assert lessons == [(0, 0, 1, 1), (1, 1, 1, 0), (0, 0, 1, 1), (1, 1, 1, 0)]


def test_the_others_learn_that_a_game_is_over_and_the_next_one_begins(lessons):
    first, turns = played(fold(lambda: MatchingBits(length=2)), [0, 1, 0])
    assert first == 0
    assert turns == [(1, 0), (1, 0), (1, 0)]
    assert lessons == [(0, 0, -1, 0), (0, 1, -1, "end")]


def test_copies_play_everybody_else(lessons):
    first, turns = played(fold(Crowd), [0, 0, 1])
    assert first == 0
    assert turns == [(2, 15), (0, 17), (0, 16)]
    assert lessons[:2] == [(0, 0, 2, 15), (0, 0, 2, 15)]
    assert lessons[2:] == [(15, 1, 1, 17), (15, 1, 1, 17)]


class Latecomer(Crowd):
    """The last player enters after the first round."""

    def reset(self, seed=None, options=None):
        super().reset()
        self.agents.pop()
        return self.show({}), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.agents = self.possible_agents
        return super().step(actions)


def test_a_copy_plays_who_enters_later(lessons):
    assert played(fold(Latecomer), [0, 0, 1]) == (0, [(1, 10), (1, 16), (1, 17)])
    assert lessons == [(0, 0, 1, 10), (10, 1, 0, 16), (10, 0, 1, 16)]


def test_a_folded_game_with_pictures_needs_encoders():
    with pytest.raises(SettingError, match=r"got the observation of 'player_0' space Box.*give an encoder"):
        fold(lambda: Crowd(pictures=True))
    bins = Bins((0.0,), (100.0,), (10,))
    folded = fold(lambda: Crowd(pictures=True), encoders={f"player_{number}": bins for number in range(3)})
    assert run(folded, QLearner, steps=20).steps == 20


def test_a_registered_game_folds_by_its_name():
    """Against oneself rock, paper, scissors is always a tie: equal lives, equal moves."""
    game = fold("classic/rps-v2")
    assert (game.n_observations, game.n_actions) == (4, 3)
    for factory in LEARNERS:
        assert {reward for *_, reward, _ in trace(game, factory, steps=100)} == {0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fold(MatchingBits()), "that makes a new AECEnv or ParallelEnv"),
        (lambda: fold(Restless), "that makes a new AECEnv or ParallelEnv"),
        (
            lambda: fold(lambda: Crowd(continuous=True)),
            r"got the action of 'player_0' space Box.*expected a finite one",
        ),
        (lambda: fold(lambda: Crowd(n=1)), "nobody for a copy to play"),
        (lambda: fold(Crowd, "player2"), "did you mean 'player_2'"),
        (lambda: fold(Crowd, labels="after"), "labels='after'"),
        (lambda: fold(Crowd, ["player_2"]), r"unknown player \['player_2'\]"),
        (lambda: fold(Crowd, encoders=Bins((0,), (1,), (2,))), "got encoders=Bins.*expected a mapping"),
        (lambda: fold(Crowd, encoders={"player_1": 3}), "got encoder of 'player_1'=3; expected an object with n_obs"),
    ],
)
def test_what_cannot_be_folded_is_refused(make, message):
    with pytest.raises((SettingError, UnknownNameError), match=message):
        make()
