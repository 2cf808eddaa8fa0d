"""Self-recognition, the other aspects of oneself, and the meta example."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.formal import (
    CONVERSATIONS,
    PLAYS,
    PREDICTION_TRIALS,
    ClusteringTrials,
    Ending,
    GuessingGames,
    SupervisedTrials,
    chatbot_recognition,
    classifier_recognition,
    clustering_recognition,
    guessing_game,
    interact,
    knower_recognition,
    knower_recognition_as_printed,
    meta,
    observations,
    predictor_recognition,
    rewards,
    self_recognition,
    total_reward,
    unpair,
)
from multislot.errors import SettingError
from tests.extenv.formal.agents import agents, arbitrary, environments, nonempty_plays


@given(agents, st.integers(1, 8))
def test_self_recognition_shows_the_plays_in_order_and_pays_for_right_answers(agent, n_turns):
    played = interact(agent, self_recognition, n_turns)
    assert observations(played) == tuple(range(n_turns))
    for turn in range(1, n_turns):
        shown = PLAYS[turn - 1]
        like_me = agent(shown[:-1]) == shown[-1]
        assert rewards(played)[turn] == (1 if (played[3 * turn - 1] > 0) == like_me else 0)


def test_an_agent_that_never_acts_but_0_looks_like_the_plays_that_end_in_0():
    never = interact(lambda prompt: 0, self_recognition, 200)
    ends_in_0 = [PLAYS[turn][-1] == 0 for turn in range(199)]
    assert rewards(never)[1:] == tuple(int(not looks) for looks in ends_in_0)
    assert True in ends_in_0
    assert False in ends_in_0


def classifier(agent):
    """Put all weight on the label that the agent takes as action after the training set."""

    def classify(labels, training, image):
        ordered = sorted(labels)
        prompt = tuple(entry for shown, label in training for entry in (1, shown, label))
        chosen = ordered[agent((*prompt, 0, image)) % len(ordered)]
        return {label: Fraction(label == chosen) for label in ordered}

    return classify


def clusterer(agent):
    def cluster(dimension, points):
        groups = {}
        for point in points:
            groups.setdefault(agent((sum(point), dimension)), set()).add(point)
        return frozenset(frozenset(group) for group in groups.values())

    return cluster


def chatbot(agent):
    return lambda said: CONVERSATIONS[agent((0, CONVERSATIONS.encode(tuple(said))))][0]


def predictor(agent):
    def predict(rounds):
        return agent((*[entry for guess, came in rounds for entry in (0, came, guess)], 0, 0))

    return predict


def classified_so(agent, number):
    trial = SupervisedTrials()[number]
    return classifier(agent)(trial.labels, trial.training, trial.image) == trial.probabilities


def clustered_so(agent, number):
    trial = ClusteringTrials()[number]
    return clusterer(agent)(trial.dimension, trial.points) == trial.clustering


def said_so(agent, number):
    conversation = CONVERSATIONS[number]
    return all(chatbot(agent)(conversation[:turn]) == said for turn, said in enumerate(conversation) if turn % 2)


def predicted_so(agent, number):
    game = PREDICTION_TRIALS[number]
    return all(predictor(agent)(game[:turn]) == guess for turn, (guess, _came) in enumerate(game))


ASPECTS = {
    "classifier": (classifier_recognition(SupervisedTrials(), classifier), classified_so),
    "clusterer": (clustering_recognition(ClusteringTrials(), clusterer), clustered_so),
    "chatbot": (chatbot_recognition(CONVERSATIONS, chatbot), said_so),
    "predictor": (predictor_recognition(PREDICTION_TRIALS, predictor), predicted_so),
}


@pytest.mark.parametrize("aspect", ASPECTS)
@given(seed=st.integers(0, 999))
def test_other_aspects_pay_for_telling_what_the_transformed_agent_would_do(aspect, seed):
    environment, looks_like = ASPECTS[aspect]
    agent = arbitrary(seed)
    played = interact(agent, environment, 12)
    assert observations(played) == tuple(range(12))
    for turn in range(1, 12):
        right = (played[3 * turn - 1] > 0) == looks_like(agent, turn - 1)
        assert rewards(played)[turn] == (1 if right else -1)


@pytest.mark.parametrize("aspect", ASPECTS)
def test_some_trials_look_like_the_agent_and_some_do_not(aspect):
    _environment, looks_like = ASPECTS[aspect]
    assert {looks_like(arbitrary(1), number) for number in range(0, 40_000, 100)} == {True, False}


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
def test_the_knowing_agent_is_shown_every_sentence_again_and_again(agent):
    environment = knower_recognition(range(100), knower)
    played = interact(agent, environment, 40)
    seen = {}
    for turn in range(39):
        sentence = unpair(turn)[0]
        seen[sentence] = seen.get(sentence, 0) + 1
        right = (played[3 * turn + 2] > 0) == knower(agent)(sentence, seen[sentence])
        assert rewards(played)[turn + 1] == (1 if right else 0)
    assert min(seen[sentence] for sentence in range(5)) >= 3


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


@given(agents, environments, st.integers(0, 4))
def test_after_its_end_an_environment_is_silent(agent, environment, n_percepts):
    played = interact(agent, Ending(environment, n_percepts), n_percepts + 3)
    assert rewards(played)[n_percepts:] == observations(played)[n_percepts:] == (0, 0, 0)
    assert played[: 3 * n_percepts] == interact(agent, environment, n_percepts)


@given(agents, st.integers(1, 8))
def test_the_meta_example_pays_the_whole_of_an_environment_at_once(agent, n_turns):
    played = interact(agent, meta(GuessingGames()), n_turns)
    assert observations(played) == tuple(range(n_turns))
    for turn in range(1, n_turns):
        plays_it = played[3 * turn - 1] == 0
        assert rewards(played)[turn] == (total_reward(agent, GuessingGames()[turn - 1]) if plays_it else 0)


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
