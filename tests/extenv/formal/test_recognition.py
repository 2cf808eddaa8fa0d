"""Self-recognition, the other aspects of oneself, and the meta example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.formal import (
    ClusteringTrials,
    Ending,
    SupervisedTrials,
    actions,
    guessing_game,
    interact,
    knower_recognition_as_printed,
    meta,
    observations,
    rewards,
    self_recognition,
    total_reward,
    unpair,
)
from multislot.errors import SettingError
from tests.extenv.formal.agents import agents, environments, nonempty_plays


@given(st.integers(0, 10**6))
def test_supervised_trials_are_of_the_form_asked_for(number):
    trial = SupervisedTrials()[number]
    assert trial.labels
    assert trial.probabilities.keys() == trial.labels
    assert all(0 <= chance <= 1 for chance in trial.probabilities.values())
    assert {label for _image, label in trial.training} <= trial.labels


@given(st.integers(0, 10**6))
def test_clustering_trials_partition_their_points(number):
    trial = ClusteringTrials()[number]
    assert all(len(point) == trial.dimension for point in trial.points)
    assert sorted(point for part in trial.clustering for point in part) == sorted(trial.points)
    assert frozenset() not in trial.clustering


def knower(agent):
    """Enumerate sentence s at step s + agent's action on it."""
    return lambda sentence, steps: sentence + agent((0, sentence)) <= steps


@given(agents)
def test_as_printed_the_knowing_agent_is_paid_for_what_is_known_whatever_it_answers(agent):
    environment = knower_recognition_as_printed(range(100), knower)
    played = interact(agent, environment, 40)
    shown = [unpair(turn) for turn in range(39)]
    assert rewards(played)[1:] == tuple(int(knower(agent)(sentence, earlier + 1)) for sentence, earlier in shown)
    assert rewards(played)[0] == environment(agent, ())[0] == 0
    before, answer = played[:29], played[29]
    assert environment(agent, (*before, answer)) == environment(agent, (*before, 1 - min(answer, 1)))


@given(agents, nonempty_plays)
def test_the_total_reward_of_an_ending_environment_is_what_any_longer_run_pays(agent, script):
    game = guessing_game(script)
    assert total_reward(agent, game) == sum(rewards(interact(agent, game, len(script) + 5)))
    wanted = (*actions(script), 0)
    assert total_reward(lambda prompt: wanted[len(prompt) // 3], game) == sum(rewards(script))


@given(agents, environments, st.integers(0, 4))
def test_after_its_end_an_environment_is_silent(agent, environment, n_percepts):
    played = interact(agent, Ending(environment, n_percepts), n_percepts + 3)
    assert rewards(played)[n_percepts:] == observations(played)[n_percepts:] == (0, 0, 0)
    assert played[: 3 * n_percepts] == interact(agent, environment, n_percepts)


class Promises:
    """Game n pays n for action 1 at observation 1000 if n is even, −n if it is odd."""

    def __getitem__(self, number):
        return guessing_game((number * (-1) ** number, 1000, 1))


def test_who_knows_what_it_would_get_plays_only_what_pays():
    def reflective(prompt):
        return 1 if prompt[-1] == 1000 or prompt[-1] % 2 else 0

    def eager(prompt):
        return 1 if prompt[-1] == 1000 else 0

    assert rewards(interact(reflective, meta(Promises()), 7)) == (0, 0, 0, 2, 0, 4, 0)
    assert rewards(interact(eager, meta(Promises()), 7)) == (0, 0, -1, 2, -3, 4, -5)


def test_an_environment_without_a_known_end_has_no_total():
    with pytest.raises(SettingError, match=r"Ending\(environment, n_percepts\)"):
        total_reward(lambda prompt: 0, self_recognition)


def test_an_end_before_the_beginning_is_refused():
    with pytest.raises(SettingError, match="n_percepts=-1"):
        Ending(self_recognition, -1)
