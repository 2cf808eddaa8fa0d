"""The table compares exactly where it can, and says nothing where the paper says nothing."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.statistics import UNDECIDED
from scenarios.lab.table import KINDS, Expected, Measured, beside_papers, not_covered, parse_value, read_expected

SOURCE = "Euclid, Elements"


def row(ours, paper, tolerance=0.0):
    (found,) = beside_papers([Measured("q", "c", ours)], [Expected("q", "c", paper, tolerance, SOURCE)])
    return found


@given(ours=st.fractions(), paper=st.fractions())
def test_rational_numbers_are_compared_exactly(ours, paper):
    found = row(ours, paper)
    assert found.error == abs(ours - paper)
    assert found.agrees is (ours == paper)


def test_a_difference_within_the_tolerance_agrees_and_one_beyond_does_not():
    assert row(0.52, 0.5, 0.02 + 1e-9).agrees is True
    assert row(0.53, 0.5, 0.02).agrees is False
    assert row(0.5, Fraction(1, 2)).error == 0.0


def test_words_agree_when_equal_and_have_no_error():
    assert (row("accepts", "accepts").agrees, row("accepts", "refuses").agrees) == (True, False)
    assert row("accepts", "refuses").error is None
    assert row("accepts", 1).agrees is False


def test_no_word_of_the_paper_no_verdict():
    (found,) = beside_papers([Measured("q", "another condition", 1)], [Expected("q", "c", 1, 0.0, SOURCE)])
    assert (found.paper, found.error, found.agrees) == (None, None, None)


def test_what_is_not_decided_neither_agrees_nor_disagrees():
    assert (row(UNDECIDED, "falls").paper, row(UNDECIDED, "falls").agrees) == ("falls", None)


def test_the_ends_of_an_interval_are_kept():
    (found,) = beside_papers([Measured("share", "c", 0.0, 0.1, interval=(0.0, 0.2))], [])
    assert found.as_json()["interval"] == [0.0, 0.2]
    line = found.as_line()
    assert (line["low"], line["high"], "interval" in line) == (0.0, 0.2, False)
    assert row(1, 1).as_json()["interval"] is row(1, 1).as_line()["low"] is None


def test_a_formula_stands_in_where_the_file_has_no_row_and_the_file_wins_where_it_has():
    measured = Measured("q", "c", 1, paper=2)
    assert beside_papers([measured], [])[0].agrees is False
    assert beside_papers([measured], [Expected("q", "c", 1, 0.0, SOURCE)])[0].agrees is True


def test_json_begins_with_the_six_promised_columns_and_has_only_plain_values():
    third = Fraction(1, 3)
    (found,) = beside_papers([Measured("q", "c", third, uncertainty=0.1, paper=third, source=SOURCE)], [])
    assert list(found.as_json())[:6] == ["quantity", "condition", "paper", "ours", "error", "agrees"]
    again = json.loads(json.dumps(found.as_json()))
    assert (again["ours"], again["ours_exact"], again["paper_exact"]) == (1 / 3, "1/3", "1/3")
    assert (again["kind"], again["uncertainty"], again["source"]) == ("formula", 0.1, SOURCE)
    assert row(0.5, 0.5).as_json()["ours_exact"] is None


def test_the_kind_of_a_row_follows_from_who_says_something_about_it():
    assert row(1, 1).kind == "published"
    found = beside_papers([Measured("q", "c", 1, paper=1), Measured("q", "d", 1)], [])
    assert [one.kind for one in found] == ["formula", "measured"]


def test_a_control_agrees_when_it_fails_as_it_must_and_a_measured_row_never_does():
    claim, mutant, spared = beside_papers(
        [
            Measured("bound", "the agent", "holds", paper="holds", kind="claim"),
            Measured("bound", "a mutant", "broken", paper="broken", kind="control"),
            Measured("bound", "a mutant that is let through", "holds", paper="broken", kind="control"),
        ],
        [],
    )
    assert (claim.agrees, mutant.agrees, spared.agrees) == (True, True, False)
    (aside,) = beside_papers([Measured("q", "c", 2, kind="measured")], [Expected("q", "c", 1, 0.0, SOURCE)])
    assert (aside.paper, aside.agrees) == (1, None)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "measured"])
def test_what_is_compared_must_say_with_what(kind):
    with pytest.raises(SettingError, match=f"a {kind} needs paper="):
        beside_papers([Measured("q", "c", 1, kind=kind)], [])
    assert beside_papers([Measured("q", "c", 1, kind=kind)], [Expected("q", "c", 1, 0.0, SOURCE)])[0].kind == kind


def test_an_unknown_kind_is_refused():
    with pytest.raises(SettingError, match="got kind='guess'; expected one of published, formula, claim"):
        beside_papers([Measured("q", "c", 1, paper=1, kind="guess")], [])


def test_zeros_and_ones_are_known():
    assert [row(1, paper).is_zero_or_one for paper in (0, Fraction(1), 0.0, 2, "1 of 1")] == [True] * 3 + [False] * 2


def test_what_is_no_number_is_none_in_json_and_never_agrees():
    found = row(float("nan"), 1)
    assert (found.as_json()["ours"], found.as_json()["error"], found.agrees) == (None, None, False)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", Fraction(3)), ("3/4", Fraction(3, 4)), ("0.75", 0.75), ("accepts", "accepts"), ("1/0", "1/0")],
)
def test_values_are_read_as_what_they_look_like(text, value):
    read = parse_value(text)
    assert read == value
    assert type(read) is type(value)


def test_a_number_without_a_source_is_refused(tmp_path):
    path = tmp_path / "expected.csv"
    path.write_text("quantity,condition,paper,tolerance,source\nq,c,1,,\n")
    with pytest.raises(SettingError, match="'q', 'c' has no source"):
        read_expected(path)


def test_a_file_with_other_columns_is_refused_and_no_file_is_no_rows(tmp_path):
    path = tmp_path / "expected.csv"
    assert read_expected(path) == []
    path.write_text("quantity,paper\nq,1\n")
    with pytest.raises(SettingError, match="got columns"):
        read_expected(path)


def test_rows_of_the_paper_that_were_not_measured_are_known():
    papers = [Expected("q", "c", 1, 0.0, SOURCE), Expected("q", "d", 1, 0.0, SOURCE)]
    assert [one.condition for one in not_covered([Measured("q", "c", 1)], papers)] == ["d"]
