"""Mentors and what is learned of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
