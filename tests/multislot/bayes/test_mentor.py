"""Mentors and what is learned of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import HistoryMentor, MentorClass, TabularMentor
from multislot.bayes.posterior import UnexplainedError
from multislot.errors import SettingError
from tests.multislot.bayes.examples import random_mentors


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_the_posterior_is_learned_from_the_mentors_steps_and_only_those(seed, steps):
    rng = np.random.default_rng(seed)
    mentors = random_mentors(rng, 3)
    posterior, expected, state = mentors.posterior(), mentors.prior.copy(), 0
    for _ in range(steps):
        action, arrived, by_mentor = int(rng.integers(2)), int(rng.integers(3)), bool(rng.integers(2))
        if by_mentor:
            expected *= [mentor.policy[state, action] for mentor in mentors.mentors]
        posterior.observe(action, (arrived, 0.5), by_mentor)
        state = arrived
    assert posterior.weights == pytest.approx(expected / expected.sum())


def test_a_copy_of_the_posterior_learns_apart():
    posterior = random_mentors(np.random.default_rng(0), 2).posterior()
    copied = posterior.copy()
    copied.observe(0, (1, 0.5), by_mentor=True)
    assert posterior.weights.tolist() == [0.5, 0.5]
    assert (posterior.summaries, copied.summaries) == ([0, 0], [1, 1])


def test_a_choice_that_no_model_allows_is_an_error():
    posterior = MentorClass([TabularMentor([0], n_actions=2)]).posterior()
    posterior.observe(0, (0, 0.5), by_mentor=True)
    with pytest.raises(UnexplainedError, match=r"step 2, action 1: .* the mentor's choice of it probability 0"):
        posterior.observe(1, (0, 0.5), by_mentor=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
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
    ],
)
def test_what_is_no_mentor_is_refused(make, message):
    with pytest.raises(SettingError, match=message):
        make()
