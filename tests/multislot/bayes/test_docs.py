"""The examples in the package's docstring give what they say."""

import doctest

import multislot.bayes


def test_the_examples_run():
    found = doctest.testmod(multislot.bayes)
    assert found.attempted > 5
    assert found.failed == 0
