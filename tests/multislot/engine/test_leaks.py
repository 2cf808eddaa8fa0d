"""Episodes leave neither memory nor descriptors behind; two that do are noticed."""

import os
import sys
from functools import partial

import pytest

from tests.multislot.engine.leaks import EPISODES, left_behind

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are listed in /proc")
SOME = 100
LITTLE = 40
"""Bytes an episode: less than the smallest object that it could leave behind."""


@pytest.mark.parametrize("name", EPISODES)
def test_episodes_leave_nothing_behind(name):
    left = left_behind(EPISODES[name], SOME)
    assert left.memory < LITTLE * SOME
    assert left.descriptors == 0


def keep_a_little(kept, number):
    EPISODES["kernel"](number)
    kept.append(bytes(64))


def open_a_file(opened, number):
    opened.append(os.open(os.devnull, os.O_RDONLY))


def test_memory_that_is_kept_and_files_that_stay_open_are_noticed():
    assert left_behind(partial(keep_a_little, []), SOME).memory > LITTLE * SOME
    opened = []
    assert left_behind(partial(open_a_file, opened), SOME).descriptors == SOME
    for descriptor in opened:
        os.close(descriptor)
