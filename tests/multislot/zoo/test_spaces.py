import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.zoo.spaces import Bins, FiniteSpace, encoder_of, index_of


@pytest.mark.parametrize(
    "space",
    [
        spaces.Discrete(3, start=1),
        spaces.MultiDiscrete([2, 3]),
        spaces.MultiDiscrete(np.array([[2], [3]]), start=np.array([[1], [-1]])),
        spaces.MultiBinary([2, 2]),
        spaces.Tuple((spaces.Discrete(2), spaces.MultiBinary(2), spaces.Tuple((spaces.Discrete(3, start=-1),)))),
        spaces.Dict({"a": spaces.Discrete(2), "b": spaces.MultiDiscrete([3, 2])}),
    ],
    ids=str,
)
def test_the_values_of_a_finite_space_are_counted_each_once(space):
    known = FiniteSpace("observation", space)
    values = [known.value(index) for index in range(known.count)]
    assert all(space.contains(value) for value in values)
    assert [known(value) for value in values] == list(range(known.count))
    assert len({known.describe(index) for index in range(known.count)}) == known.count
    for index in (-1, known.count):
        with pytest.raises(SettingError, match=f"got index={index}; expected one of 0..{known.count - 1}"):
            known.describe(index)
    space.seed(0)
    assert {known(space.sample()) for _ in range(40 * known.count)} == set(range(known.count))


@pytest.mark.parametrize(
    ("space", "value"),
    [
        (spaces.Discrete(3, start=1), 0),
        (spaces.Discrete(3), 1.5),
        (spaces.Discrete(3), None),
        (spaces.MultiBinary(2), [0, 2]),
        (spaces.MultiDiscrete([2, 3]), [1]),
        (spaces.MultiDiscrete([2, 3]), [np.inf, 0]),
        (spaces.Tuple((spaces.Discrete(2), spaces.Discrete(2))), (1,)),
        (spaces.Dict({"a": spaces.Discrete(2)}), {"b": 0}),
    ],
)
def test_a_value_outside_its_space_is_named(space, value):
    with pytest.raises(SettingError, match=r"got the observation .*; expected one in"):
        FiniteSpace("observation", space)(value)


def test_a_space_that_is_too_large_to_count_is_refused():
    with pytest.raises(SettingError, match=r"of 1267650600228229401496703205376 values; expected at most"):
        FiniteSpace("observation", spaces.MultiBinary(100))


def test_an_endless_space_needs_an_encoder():
    box = gymnasium.make("CartPole-v1").observation_space
    with pytest.raises(SettingError, match=r"the observation of the pole space Box.*or give an encoder"):
        encoder_of(box, "the pole")
    bins = Bins((-1.0,) * 4, (1.0,) * 4, (1, 2, 2, 3))
    assert encoder_of(box, "the pole", bins) is bins
    assert encoder_of(spaces.MultiBinary(3), "the pole").n_observations == 8


@given(st.lists(st.tuples(st.integers(1, 5), st.floats(-3, 3)), min_size=1, max_size=3))
def test_bins_are_numbered_like_the_digits_of_a_multidiscrete_space(axes):
    counts, point = zip(*axes, strict=True)
    bins = Bins((-1.0,) * len(counts), (1.0,) * len(counts), counts)
    digits = [min(max(int((x + 1) / 2 * n), 0), n - 1) for n, x in axes]
    assert bins(point) == FiniteSpace("bin", spaces.MultiDiscrete(counts))(digits)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((), (), ()), r"of 0, 0 and 0 entries"),
        ((0, 1, 2), "got low=0; expected a list"),
        (((0,) * 3, (1,) * 3, (10_000,) * 3), r"got counts=\(10000, 10000, 10000\); expected at most 2147483648 bins"),
        (((0,), (1,), (2, 2)), r"of 1, 1 and 2 entries"),
        (((0,), (1,), (2.5,)), "got counts=2.5; expected a whole number"),
        (((0, 1), (1, 1), (2, 2)), r"got high\[1\] - low\[1\]=0.0; expected a finite number, above 0; give limits"),
        (((0,), (np.float32(np.inf),), (3,)), r"got high\[0\]=inf; expected a finite number; give limits of your own"),
        (((0, -np.inf), (1, 1), (3, 3)), r"got low\[1\]=-inf; expected a finite number"),
        (((np.float64(-1e308),), (np.float64(1e308),), (3,)), r"got high\[0\] - low\[0\]=inf; expected a finite"),
    ],
)
def test_bins_that_cut_nothing_are_refused(arguments, message):
    with pytest.raises(SettingError, match=message):
        Bins(*arguments)


def test_the_limits_of_single_precision_are_cut_in_two():
    largest = np.finfo(np.float32).max
    bins = Bins((-largest,), (largest,), (2,))
    assert [bins(point) for point in (-largest, -largest / 2, largest / 2, largest)] == [0, 0, 1, 1]


def test_bins_may_be_given_as_arrays():
    bins = Bins(np.zeros(3), np.ones(3), np.array([100] * 3, np.int8))
    assert bins == Bins((0,) * 3, (1,) * 3, (100,) * 3)
    assert type(bins.n_observations) is int


@pytest.mark.parametrize("seen", [[0.1, 0.2], [float("nan")], {"position": 0.1}, [[0.1], [0.2, 0.3]]])
def test_bins_refuse_what_is_no_point(seen):
    with pytest.raises(SettingError, match="expected 1 numbers, none of them NaN"):
        Bins((0,), (1,), (2,))(seen)


def test_an_encoder_that_leaves_its_range_is_named():
    class Wrong:
        n_observations = 2

        def __call__(self, seen):
            return seen

    assert index_of(Wrong(), np.int64(1), "the pole") == 1
    with pytest.raises(SettingError, match=r"the encoder of the pole makes 2 of 2; expected one of range\(2\)"):
        index_of(Wrong(), 2, "the pole")
