"""Argument checks: what each accepts, what it refuses, and the one form of its message."""

import pickle
import re
from fractions import Fraction
from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot import EndlessStream, checks
from multislot.errors import (
    MissingExtraError,
    SettingError,
    UnknownNameError,
    UnknownParameterError,
    WrongTypeError,
    bad_action,
)

FORM = re.compile(r"got .+=.+; expected .+", re.DOTALL)


def refused(check, *arguments, **settings):
    with pytest.raises(SettingError) as caught:
        check(*arguments, **settings)
    assert FORM.fullmatch(str(caught.value))
    return str(caught.value)


def refused_type(check, *arguments, **settings):
    """The message of a check that refuses a type; it can be caught as a TypeError and as one of our errors."""
    with pytest.raises(WrongTypeError) as caught:
        check(*arguments, **settings)
    assert isinstance(caught.value, TypeError)
    assert FORM.fullmatch(str(caught.value))
    return str(caught.value)


def a_class(value):
    return f"; this is a class: give an instance, {value.__name__}(…)" if isinstance(value, type) else ""


def nested_list(depth):
    outer = []
    for _ in range(depth):
        outer = [outer]
    return outer


class Unshowable:
    """An object whose own text raises."""

    def __repr__(self):
        raise ValueError("no text")


@pytest.mark.parametrize("value", [True, False, np.True_, 1.0, "1", None, nan, 1 + 0j, [1], int])
def test_what_is_no_whole_number_is_refused(value):
    assert refused_type(checks.whole, "n", value) == f"got n={value!r}; expected a whole number, at least 1" + a_class(
        value
    )


@given(st.integers(-(2**62), 2**62), st.integers(-5, 5), st.integers(-5, 5))
def test_a_whole_number_is_accepted_exactly_within_its_limits(value, least, most):
    for given_value in (value, np.int64(value), np.array(value)):
        if least <= value <= most:
            assert checks.whole("n", given_value, least, most) == value
            assert type(checks.whole("n", given_value, least, most)) is int
        else:
            assert f"at least {least} and at most {most}" in refused(checks.whole, "n", given_value, least, most)


@pytest.mark.parametrize("value", [nan, inf, -inf, np.float32("nan")])
def test_a_number_that_is_not_finite_is_a_wrong_value(value):
    assert refused(checks.number, "x", value) == f"got x={value}; expected a finite number"


@pytest.mark.parametrize("value", [True, np.True_, "1", None, 1j, float])
def test_an_object_that_is_not_a_number_is_of_a_wrong_type(value):
    assert refused_type(checks.number, "x", value) == f"got x={value!r}; expected a finite number" + a_class(value)


@pytest.mark.parametrize("value", [0, 0.5, Fraction(1, 3), 10**400])
def test_a_python_number_stays_as_it_is(value):
    assert checks.number("x", value) is value


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint64])
def test_a_numpy_scalar_becomes_a_python_number(kind):
    plain = checks.number("x", kind(1))
    assert plain == 1
    assert type(plain) is (float if issubclass(kind, np.floating) else int)


@pytest.mark.parametrize(
    "value",
    [10**5000, Fraction(1, 10**5000), nested_list(3000), "\udcff", Unshowable()],
    ids=["long", "long fraction", "nested", "surrogate", "unshowable"],
)
def test_a_value_that_cannot_be_shown_is_refused_all_the_same(value):
    message = refused_type(checks.checked_instance, "x", value, bytes)
    assert message.encode()
    assert len(message) < 300
    assert str(UnknownNameError("thing", value, ["thing"])).encode()
    assert str(bad_action(value, 2, 1, 1)).encode()


def test_limits_of_a_number_are_inside_or_outside_as_they_say():
    assert checks.share("p", 0) == 0
    assert checks.share("p", 1) == 1
    assert refused(checks.share, "p", 1.5) == "got p=1.5; expected a finite number, at least 0 and at most 1"
    assert checks.number("x", 0.5, above=0, below=1) == 0.5
    for value in (0, 1):
        assert "above 0 and below 1" in refused(checks.number, "x", value, above=0, below=1)


def test_a_seed_is_a_whole_number_of_64_bits():
    assert checks.checked_seed(2**64 - 1) == 2**64 - 1
    for seed in (-1, 2**64, True, 1.0, None):
        expected = "expected a whole number, at least 0 and at most 2**64 - 1"
        assert refused(checks.checked_seed, seed) == f"got seed={seed!r}; {expected}"
    assert "2**32 - 1" in refused(checks.checked_seed, 2**32, bits=32)


def test_a_discount_of_1_needs_a_horizon():
    assert checks.checked_discount(Fraction(1)) == 1
    assert checks.checked_discount(0.9, endless=True) == 0.9
    assert "γ = 1 needs a horizon" in refused(checks.checked_discount, 1, endless=True)
    for discount in (-0.1, 1.1, nan, "1", True):
        refused(checks.checked_discount, discount)
        refused(checks.checked_discount, discount, endless=True)


def test_a_horizon_is_a_number_of_steps_or_none():
    assert checks.checked_horizon(None) is None
    assert checks.checked_horizon(np.int64(3)) == 3
    assert checks.checked_horizon(0, least=0) == 0
    for horizon in (0, -1, True, 2.0, inf):
        assert "None means endlessly many steps" in refused(checks.checked_horizon, horizon)


class Bell:
    """Something with a method."""

    def ring(self):
        """Ring."""


def test_a_class_given_for_an_instance_is_refused_in_a_sentence():
    bell = Bell()
    assert checks.checked_instance("bell", bell, Bell) is bell
    assert checks.checked_parts("bell", bell, "ring") is bell
    for check in (checks.checked_instance, checks.checked_parts):
        kind = Bell if check is checks.checked_instance else "ring"
        assert refused(check, "bell", Bell, kind).endswith("this is a class: give an instance, Bell(…)")


def test_what_is_of_another_kind_is_refused():
    assert refused(checks.checked_instance, "bell", 3, Bell) == "got bell=3; expected an instance of Bell"
    message = refused(checks.checked_parts, "bell", 3, "ring", "real", remedy="buy one")
    assert message == "got bell=3; expected an object with ring, real; it has no ring; buy one"


def test_callables_streams_and_hashables():
    assert checks.checked_callable("rule", len) is len
    assert refused(checks.checked_callable, "rule", 3) == "got rule=3; expected a function"
    stream = EndlessStream(0, 1)
    assert checks.checked_stream(stream) is stream
    for value in (None, 3, EndlessStream, SimpleNamespace(at=None)):
        message = refused(checks.checked_stream, value)
        assert "expected a stream of random numbers; " in message
        assert "give multislot.EndlessStream(seed, 1)" in message
    assert checks.checked_hashable("state", (1, 2)) == (1, 2)
    assert "use numbers, strings or tuples" in refused(checks.checked_hashable, "state", [1])


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("kye", ["key", "box"], "did you mean 'key'?; known: box, key"),
        ("IgnoreReward", ["IgnoreRewards", *map(str, range(20))], "did you mean 'IgnoreRewards'?"),
        ("MyAgent", ["Constant", "Random"], "known: Constant, Random"),
        ("ppo", ["PPO"], "did you mean 'PPO'?; known: PPO"),
        (3, [], "known: none"),
    ],
)
def test_a_name_is_suggested_only_if_it_is_near(name, known, hint):
    assert str(UnknownNameError("thing", name, known)) == f"unknown thing {name!r}; {hint}"


def test_what_cannot_be_printed_is_escaped_in_an_error_and_nothing_else():
    assert str(SettingError("a\x1b[1m\ud800\u202eü…\nb")) == "a\\x1b[1m\\ud800\\u202eü…\nb"


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("environment", "sty", ["stay"]),
        UnknownParameterError("stay()", "rewrd", ["reward"]),
        MissingExtraError("a picture", "plot"),
        bad_action(7, 2, slot=1, step=3),
    ],
)
def test_an_error_can_be_made_of_its_text_alone(error):
    again = type(error)(str(error))
    assert (str(again), repr(type(pickle.loads(pickle.dumps(again))))) == (str(error), repr(type(error)))


def test_a_missing_extra_has_its_message_where_import_errors_have_theirs():
    error = MissingExtraError("a picture", "plot")
    assert error.msg == str(error) == pickle.loads(pickle.dumps(error)).msg


@pytest.mark.parametrize(("value", "is_kind"), [(3, False), (-1, False), ("1", True), (1.5, True)])
def test_an_index_of_another_kind_is_told_from_one_that_is_too_large(value, is_kind):
    assert checks.checked_index("place", 2, 3) == 2
    with pytest.raises(SettingError, match=r"got place=.*; expected one of 0\.\.2") as caught:
        checks.checked_index("place", value, 3)
    assert isinstance(caught.value, WrongTypeError) == is_kind
