"""Confidence intervals cover what they should, and verdicts heed them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from multislot.errors import SettingError
from multislot.statistics import (
    UNDECIDED,
    bootstrap,
    bounded_student,
    class_bootstrap,
    clopper_pearson,
    mean_and_error,
    standard_error,
    student,
    together,
    verdict,
)
from scenarios.lab.table import share_row


def test_intervals_are_clopper_and_pearsons():
    assert clopper_pearson(0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == (pytest.approx(0.025**0.1), 1.0)
    low, high = clopper_pearson(5, 10)
    assert (low, high) == (pytest.approx(0.1871, abs=1e-4), pytest.approx(0.8129, abs=1e-4))
    for successes, trials, confidence in ((0, 1, 0.95), (1, 1, 0.9), (3, 7, 0.999999), (260, 70_000, 0.95)):
        expected = binomtest(successes, trials).proportion_ci(confidence, "exact")
        assert clopper_pearson(successes, trials, confidence) == pytest.approx((expected.low, expected.high), abs=1e-10)
    with pytest.raises(SettingError, match="got successes=3; expected a whole number, at least 0 and at most 2"):
        clopper_pearson(3, 2)


def test_means_and_errors():
    assert mean_and_error([1.0]) == (1.0, 0.0)
    for small in (1.0, 2.0**-50):
        assert mean_and_error([0.0, 2 * small]) == (small, pytest.approx(small, abs=0))
    assert mean_and_error([1e12, 1e12 + 1e-3])[1] == 0
    assert student([1.0, 1.0]) == (1.0, 1.0)
    assert all(map(math.isnan, (*student([3.0]), standard_error([3.0]))))
    assert bounded_student([0.5], 0, 1) == pytest.approx((0.0125, 0.9875))
    assert student([1.0, 2.0, 3.0]) == (pytest.approx(2 - 4.302653 / 3**0.5), pytest.approx(2 + 4.302653 / 3**0.5))


@given(st.integers(1, 30), st.data())
def test_a_share_is_never_shown_as_certain(trials, data):
    successes = data.draw(st.integers(0, trials))
    row = share_row("share", "β=0", "many lives", successes, trials)
    assert row.interval[0] <= row.ours <= row.interval[1]
    assert row.uncertainty > 0


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_a_mean_s_interval_allows_for_values_that_were_not_seen(values):
    low, high = bounded_student(values, -1, 1)
    unseen = clopper_pearson(0, len(values))[1]
    assert low <= (1 - unseen) * np.mean(values) - unseen + 1e-9
    assert high >= (1 - unseen) * np.mean(values) + unseen - 1e-9


def test_a_bootstrap_is_as_wide_as_its_standard_error_says_and_of_one_value_of_no_width():
    values = np.random.default_rng(1).random((400, 1))
    low, high = bootstrap(values, np.random.default_rng(0))
    assert (high - low)[0] == pytest.approx(2 * 1.96 * standard_error(values[:, 0]), rel=0.1)
    assert [end.tolist() for end in bootstrap(values[:1], np.random.default_rng(0))] == [values[0].tolist()] * 2


def test_classes_that_differ_make_an_interval_wider_than_their_lives_alone():
    """Fifty lives in each of four classes, two of which always and two never do it, are no two hundred lives."""
    shares = np.repeat([[0.0], [0.0], [1.0], [1.0]], 50, axis=1)
    low, high = class_bootstrap(shares)
    assert high - low > 0.7 > 4 * (clopper_pearson(100, 200)[1] - clopper_pearson(100, 200)[0])
    assert class_bootstrap(shares) == (low, high)


def test_an_interval_over_classes_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        shares = rng.binomial(5, rng.beta(1, 3, size=(40, 1)), size=(40, 4)) / 5
        low, high = class_bootstrap(shares)
        covered += low <= 0.25 <= high
    assert clopper_pearson(covered, 200, 0.999)[1] >= 0.95


def test_an_interval_decides_only_if_it_lies_on_one_side():
    words = [verdict(ends, 0.5, "below", "above") for ends in ((0.1, 0.4), (0.1, 0.6), (0.6, 0.7))]
    assert words == ["below", UNDECIDED, "above"]


def test_one_against_is_enough_and_one_undecided_leaves_all_undecided():
    assert together(["yes", "yes"], "yes", "no") == "yes"
    assert together(["yes", UNDECIDED], "yes", "no") == UNDECIDED
    assert together(["yes", UNDECIDED, "no"], "yes", "no") == "no"
