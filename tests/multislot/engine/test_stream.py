import copy
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import EndlessStream, PublishedStream, Stream
from multislot.engine.stream import published_streams
from multislot.errors import MultislotError

pytestmark = pytest.mark.compiled


def test_published_streams_are_the_numbers_of_cpython():
    agents, environments = published_streams(7)
    generator = random.Random(7)
    numbers = [generator.random() for _ in range(200_000)]
    assert [agents.at(k) for k in (0, 1, 99_999)] == [numbers[k] for k in (0, 1, 99_999)]
    assert [environments.at(k) for k in (0, 99_999)] == [numbers[100_000], numbers[199_999]]
    assert agents.at(100_003) == numbers[3]


@given(seed=st.integers(0, 2**64 - 1), founder=st.integers(0, 2**20), indices=st.lists(st.integers(0, 50_000)))
def test_an_endless_stream_is_a_function_of_seed_founder_and_index(seed, founder, indices):
    forwards, backwards = EndlessStream(seed, founder), EndlessStream(seed, founder)
    drawn = [forwards.at(index) for index in indices]
    assert drawn == [backwards.at(index) for index in reversed(indices)][::-1]
    assert all(0 <= number < 1 for number in drawn)


def test_endless_streams_of_other_seeds_and_founders_are_other_numbers():
    first = [[EndlessStream(seed, founder).at(k) for k in range(50)] for seed in (0, 1) for founder in (0, 1, 2)]
    assert len({tuple(numbers) for numbers in first}) == 6


def test_the_numbers_are_uniform():
    stream = EndlessStream(1, 1)
    counts = np.histogram([stream.at(k) for k in range(40_000)], bins=20, range=(0, 1))[0]
    assert ((counts - 2000) ** 2 / 2000).sum() < 50


@pytest.mark.parametrize("stream", [EndlessStream(3, 2), PublishedStream([0.25, 0.5])])
def test_copies_are_the_stream_itself_and_pickles_read_the_same(stream):
    assert copy.deepcopy(stream) is stream
    assert copy.copy(stream) is stream
    assert [pickle.loads(pickle.dumps(stream)).at(k) for k in range(9)] == [stream.at(k) for k in range(9)]


@pytest.mark.parametrize(
    "make", [lambda: EndlessStream(-1, 0), lambda: EndlessStream(0, 2**64), lambda: PublishedStream([])]
)
def test_bad_streams_are_refused_at_the_door(make):
    with pytest.raises(MultislotError, match=r"at most 2\*\*64 - 1|at least one number"):
        make()


@pytest.mark.parametrize("make", [lambda: Stream(0), Stream])
def test_a_bare_stream_is_refused_and_a_subclass_is_not(make):
    with pytest.raises(TypeError, match=r"make EndlessStream\(seed, founder\)"):
        make()
    half = type("Half", (Stream,), {"at": lambda self, index: 0.5})()
    assert half.at(0) == 0.5
