"""Every coding is a bijection: there and back again, both ways."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extenv.formal import CONVERSATIONS, PERCEPTS, PLAYS, PREDICTION_TRIALS, RATIONALS, pair, strings, unpair
from extenv.formal.codings import INTEGERS, NATURALS, pairs, sequences
from multislot.errors import SettingError
from tests.extenv.formal.agents import nonempty_plays

CODINGS = {
    "integers": (INTEGERS, st.integers()),
    "rationals": (RATIONALS, st.fractions()),
    "percepts": (PERCEPTS, st.tuples(st.fractions(), st.integers(0))),
    "plays": (PLAYS, nonempty_plays),
    "pairs": (pairs(INTEGERS, NATURALS), st.tuples(st.integers(), st.integers(0))),
    "sequences": (sequences(INTEGERS), st.lists(st.integers(), min_size=1).map(tuple)),
    "strings": (strings("abc"), st.text("abc")),
    "conversations": (CONVERSATIONS, st.lists(st.text("aZ ?"), min_size=1, max_size=4).map(tuple)),
    "predictions": (PREDICTION_TRIALS, st.lists(st.tuples(st.integers(0), st.integers(0)), min_size=1).map(tuple)),
}


@pytest.mark.parametrize("name", CODINGS)
@given(number=st.integers(0, 2**80))
def test_a_number_comes_back_from_the_thing_it_codes(name, number):
    coding, _things = CODINGS[name]
    assert coding.encode(coding[number]) == number


@pytest.mark.parametrize("name", CODINGS)
@given(data=st.data())
def test_a_thing_comes_back_from_its_number(name, data):
    coding, things = CODINGS[name]
    thing = data.draw(things)
    assert coding.decode(coding.encode(thing)) == thing


@given(st.integers(0), st.integers(0))
def test_pairs_are_numbered_along_diagonals(left, right):
    assert unpair(pair(left, right)) == (left, right)
    assert pair(left + 1, right) > pair(left, right) < pair(left, right + 1)


def test_the_enumerations_start_as_they_are_documented():
    assert PLAYS[0] == (0, 0, 0)
    assert [RATIONALS[number] for number in range(3)] == [0, -1, 1]
    assert PERCEPTS[0] == (0, 0)
    assert [strings("ab")[number] for number in range(5)] == ["", "a", "b", "aa", "ab"]


@given(st.fractions(max_denominator=10**6))
def test_codes_of_rationals_stay_short(rational):
    size = rational.numerator.bit_length() + rational.denominator.bit_length()
    assert RATIONALS.encode(rational).bit_length() <= 8 * (size + 1)


@pytest.mark.parametrize("number", [-1, 1.0, Fraction(1), True])
def test_only_natural_numbers_are_looked_up(number):
    for look_up in (PLAYS.__getitem__, PLAYS.decode, unpair):
        with pytest.raises(SettingError, match="numbered by ints ≥ 0"):
            look_up(number)


@pytest.mark.parametrize(
    ("coding", "thing", "things"),
    [
        (PLAYS, (), "the non-empty plays"),
        (PLAYS, (0, 0), "the non-empty plays"),
        (PLAYS, (0.5, 0, 0), "the non-empty plays"),
        (PLAYS, (0, -1, 0), "the non-empty plays"),
        (PLAYS, None, "the non-empty plays"),
        (PERCEPTS, (0, -1), "the pairs of the ints and Fractions and the natural numbers"),
        (PERCEPTS, (0, 1, 2), "the pairs"),
        (RATIONALS, 0.5, "the ints and Fractions"),
        (RATIONALS, True, "the ints and Fractions"),
        (INTEGERS, 1.0, "the integers"),
        (NATURALS, -1, "the natural numbers"),
        (sequences(NATURALS), (), "the non-empty tuples of the natural numbers"),
        (strings("ab"), "c", "the strings over 'ab'"),
        (strings("ab"), 7, "the strings over 'ab'"),
    ],
)
def test_only_what_is_coded_has_a_number(coding, thing, things):
    with pytest.raises(SettingError, match=f"got .*; expected one of {things}"):
        coding.encode(thing)


@pytest.mark.parametrize("numbers", [(-3, 1), (1, -3), (0.5, 1), (True, 0)])
def test_only_natural_numbers_are_paired(numbers):
    with pytest.raises(SettingError, match="expected two ints ≥ 0"):
        pair(*numbers)


@pytest.mark.parametrize("alphabet", ["", "aba"])
def test_an_alphabet_without_distinct_characters_is_refused(alphabet):
    with pytest.raises(SettingError, match="at least one character, none twice"):
        strings(alphabet)
