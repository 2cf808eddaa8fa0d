"""Arithmetic of files: exact, and nothing but arithmetic."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.exact.files.arithmetic import as_arithmetic, as_template

VALUES = {"r": Fraction(2, 3), "n": Fraction(4)}
leaves = st.sampled_from(["r", "n", "1", "0.25", "3/7", "2"])
expressions = st.recursive(
    leaves, lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner), max_leaves=8
)


@given(expressions)
def test_it_is_worked_out_as_fractions_would_be(text):
    exact = text.replace("0.25", "Fraction(1, 4)").replace("3/7", "Fraction(3, 7)")
    if len(text) <= 200:
        assert as_arithmetic(text).value(VALUES) == eval(exact, {"Fraction": Fraction, **VALUES})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1/3", Fraction(1, 3)), ("0.1", Fraction(1, 10)), ("2 ** n", 16), ("-r", Fraction(-2, 3))),
        *(("(1 + n) / 2 ", 2.5), ("(n - 6) ** (0 - 3)", Fraction(-1, 8)), ("(n - 4) ** 0", 1), ("2 ** 2048", 2**2048)),
    ],
)
def test_numbers_are_exact(text, value):
    assert as_arithmetic(text).value(VALUES) == value
    assert pickle.loads(pickle.dumps(as_arithmetic(text))).value(VALUES) == value


NESTED = "(" * 150 + "1" + ")" * 150
TEXTS = ["", "r r", "r.real", "f(1)", "[1]", "'a'", "r if n else 1", "1e400", "1j", "r == n", "~n", "+" * 300, NESTED]
CODE = ["lambda: 1", "r := 2", "__import__('os')"]


@pytest.mark.parametrize("text", [*TEXTS, *CODE, True, None, [1]])
def test_anything_else_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match='a number, or arithmetic on parameters in quotes, such as "r_1 / 2"'):
        as_arithmetic(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / (n - 4)", "this divides by 0"),
        ("n ** r", "not a power with a whole exponent"),
        ("n ** (0 - r)", "not a power with a whole exponent"),
        ("(n - 4) ** (0 - 1)", "not a power with a whole exponent"),
        ("9 ** 9 ** 9", "more than 4096 binary digits"),
        ("2 ** 4000 * 2 ** 4000", "more than 4096 binary digits"),
    ],
)
def test_what_cannot_be_worked_out_says_why(text, reason):
    known = ", ".join(f"{name}={VALUES[name]}" for name in sorted(VALUES) if name in text) or "no parameters"
    with pytest.raises(SettingError, match=f" with {known}; .*{reason}"):
        as_arithmetic(text).value(VALUES)


def test_numbers_and_texts_are_as_long_as_they_may_be():
    largest, half = 2**4096 - 1, "2 ** 2048 * 2 ** 2047"
    assert as_arithmetic(largest).value({}) == as_arithmetic(f"{half} - 1 + {half}").value({})
    assert as_arithmetic(Fraction(1, largest)).value({}) == Fraction(1, largest)
    for number in (largest + 1, Fraction(1, largest + 1)):
        with pytest.raises(ValueError, match="a number of at most 4096 binary digits"):
            as_arithmetic(number)
    for text in ("2 ** 2049", "2 ** 2048 * 2 ** 2048"):
        with pytest.raises(SettingError, match=r"^got .* with no parameters; this number has more than 4096 binary"):
            as_arithmetic(text).value({})
    assert as_template("x" * 1000).text({}) == "x" * 1000
    with pytest.raises(ValueError, match="at most 1000 characters"):
        as_template("x" * 1001)
    assert len(as_template("x" * 987 + "{n ** 20}").text(VALUES)) == 1000
    with pytest.raises(SettingError, match="got an observation of more than 1000 characters, 'xxxxxxxxxxxxxxxxxxxx'…"):
        as_template("x" * 988 + "{n ** 20}").text(VALUES)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [("25%", "write 25% as 0.25"), ("0,9", "a point and no comma"), ("–1", "dash or a printed minus")],
)
def test_a_number_as_people_write_it_elsewhere_is_told_how_to_write_it_here(text, remedy):
    with pytest.raises(ValueError, match=remedy):
        as_arithmetic(text)


def test_texts_hold_arithmetic_in_braces():
    assert as_template("room {n + 1} of {r}").text(VALUES) == "room 5 of 2/3"
    assert as_template("room").names == set()
    assert as_template("{n}{r}").names == {"n", "r"}
