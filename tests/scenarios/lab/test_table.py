"""The table compares exactly where it can, and says nothing where the paper says nothing."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError
from multislot.statistics import UNDECIDED
from scenarios.lab.table import (
    KINDS,
    NOTHING_COMPARED,
    Row,
    beside_papers,
    headline,
    parse_value,
    read_expected,
    word_row,
)

SOURCE = "Euclid, Elements"


def printed(paper, tolerance=0.0, condition="c", kind="published"):
    return Row("q", condition, paper=paper, tolerance=tolerance, source=SOURCE, kind=kind)


def row(ours, paper, tolerance=0.0):
    (found,) = beside_papers([Row("q", "c", ours)], [printed(paper, tolerance)])
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


def test_a_list_of_one_number_is_compared_as_text():
    assert (row("1/4", Fraction(1, 4)).agrees, row("1/4", Fraction(1, 5)).agrees) == (True, False)


def test_no_word_of_the_paper_no_verdict():
    (found,) = beside_papers([Row("q", "another condition", 1)], [printed(1)])
    assert (found.paper, found.error, found.agrees) == (None, None, None)


def test_a_formula_stands_in_where_the_file_has_no_row_and_the_file_wins_where_it_has():
    measured = Row("q", "c", 1, paper=2)
    assert beside_papers([measured], [])[0].agrees is False
    assert beside_papers([measured], [printed(1)])[0].agrees is True


def test_json_begins_with_the_six_promised_columns_and_has_only_plain_values():
    third = Fraction(1, 3)
    (found,) = beside_papers([Row("q", "c", third, uncertainty=0.1, paper=third, source=SOURCE)], [])
    assert list(found.as_json())[:6] == ["quantity", "condition", "paper", "ours", "error", "agrees"]
    again = json.loads(json.dumps(found.as_json()))
    assert (again["ours"], again["ours_exact"], again["paper_exact"]) == (1 / 3, "1/3", "1/3")
    assert (again["kind"], again["uncertainty"], again["source"]) == ("formula", 0.1, SOURCE)
    assert row(0.5, 0.5).as_json()["ours_exact"] is None


def test_the_kind_of_a_row_follows_from_who_says_something_about_it():
    assert row(1, 1).kind == "published"
    found = beside_papers([Row("q", "c", 1, paper=1), Row("q", "d", 1)], [])
    assert [one.kind for one in found] == ["formula", "measured"]


def test_a_control_agrees_when_it_fails_as_it_must_and_a_measured_row_never_does():
    claim, mutant, spared = beside_papers(
        [
            Row("bound", "the agent", "holds", paper="holds", kind="claim"),
            Row("bound", "a mutant", "broken", paper="broken", kind="control"),
            Row("bound", "a mutant that is let through", "holds", paper="broken", kind="control"),
        ],
        [],
    )
    assert (claim.agrees, mutant.agrees, spared.agrees) == (True, True, False)
    (aside,) = beside_papers([Row("q", "c", 2, kind="measured")], [printed(1)])
    assert (aside.paper, aside.agrees) == (1, None)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "measured"])
def test_what_is_compared_must_say_with_what(kind):
    with pytest.raises(SettingError, match=f"a {kind} needs paper="):
        beside_papers([Row("q", "c", 1, kind=kind)], [])
    assert beside_papers([Row("q", "c", 1, kind=kind)], [printed(1)])[0].kind == kind
    with pytest.raises(SettingError, match="got kind='guess'; expected one of published, fitted, derived, formula"):
        beside_papers([Row("q", "c", 1, paper=1, kind="guess")], [])


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quantity,condition,paper,tolerance,source\nq,c,1,,\n", "'q', 'c' has no source"),
        ("quantity,paper\nq,1\n", "got columns"),
        ("quantity,condition,paper,tolerance,source,kind\nq,c,3,,Euclid,guessed\n", "got kind='guessed'"),
    ],
)
def test_a_file_with_a_mistake_is_refused_and_no_file_is_no_rows(tmp_path, text, message):
    path = tmp_path / "expected.csv"
    assert read_expected(path) == []
    path.write_text(text)
    with pytest.raises(SettingError, match=message):
        read_expected(path)


def test_the_file_says_which_rows_are_derived(tmp_path):
    path = tmp_path / "expected.csv"
    path.write_text("quantity,condition,paper,tolerance,source,kind\nq,c,3,,Euclid,\nq,d,3,,Euclid,derived\n")
    rows = beside_papers([Row("q", "c", 3), Row("q", "d", 4)], read_expected(path))
    assert [(one.kind, one.agrees) for one in rows] == [("published", True), ("derived", False)]
    counts = headline(rows).counts
    assert (counts["published"].agree, counts["derived"].differ) == (1, 1)


def test_a_conjecture_that_fails_as_expected_is_refuted_and_counted_apart():
    """`agrees` is about what is expected, `outcome` about the conjecture; a control is never a refutation."""
    claims = [
        word_row("performs", "c", ours, "well", SOURCE, conjecture=conjecture)
        for ours, conjecture in (("well", "poorly"), ("well", None), ("poorly", "poorly"), (UNDECIDED, "poorly"))
    ]
    assert [row.outcome for row in claims] == ["refuted", "confirmed", "differs", "not decided"]
    assert [row.agrees for row in claims] == [True, True, False, None]
    assert Row("q", "c", 1, kind="measured").outcome is None
    assert headline(claims).as_json()["claim"] == {"agree": 2, "differ": 1, "undecided": 1, "refuted": 1}
    assert str(headline(claims)) == "1 claims held, 1 refuted, 1 failed, 1 not decided"
    assert headline(claims).everything.refuted == 1
    assert claims[0].as_json()["outcome"] == "refuted"


def test_every_compared_number_says_how_far_it_may_be_off():
    rows = (row(0.5, 0.5, 0.02), row(1, 1), row("a", "a"), Row("q", "c", 1, kind="measured"))
    assert [one.allowed for one in rows] == ["± 0.02", "exact", "", ""]


VALUES = st.none() | st.fractions() | st.floats(allow_nan=False) | st.text()


@given(ours=VALUES, paper=VALUES, kind=st.sampled_from(KINDS))
def test_a_row_comes_back_from_json_as_it_was(ours, paper, kind):
    one = Row("q", "c", ours, 0.1, paper, 0.5, (0.0, 1.0), "case", kind, SOURCE, paper)
    assert Row.from_json(json.loads(json.dumps(one.as_json()))) == one


COUNTED_VALUES = st.sampled_from([0, 1, 2, 0.5, "holds", "broken"])
ROWS = st.lists(st.tuples(st.sampled_from(KINDS), COUNTED_VALUES, COUNTED_VALUES | st.just(UNDECIDED)), max_size=12)


def counted(rows):
    return headline(beside_papers([Row("q", "c", ours, paper=paper, kind=kind) for kind, paper, ours in rows], []))


@given(ROWS)
def test_every_compared_row_is_counted_once_and_zeros_and_ones_apart(rows):
    found = counted(rows)
    compared = [(kind, paper) for kind, paper, _ in rows if kind != "measured"]
    apart = [one for one in compared if one[1] in (0, 1) and one[0] != "control"]
    assert found.counts["zero_or_one"].total == len(apart)
    for kind in KINDS[:-1]:
        assert found.counts[kind].total == sum(one[0] == kind and one not in apart for one in compared)
    assert (not found.everything.differ) is all(
        paper == ours or ours == UNDECIDED for kind, paper, ours in rows if kind != "measured"
    )


def test_the_sentence_counts_by_kind():
    rows = [
        *(
            ("published", 3, 3),
            ("published", 3, 4),
            ("fitted", 3, 3),
            ("derived", 3, 3),
            ("formula", 2, 2),
            ("formula", 0, 0),
            ("claim", "holds", "holds"),
        ),
        *(("claim", "holds", "broken"), ("claim", "holds", UNDECIDED), ("control", "broken", "broken")),
        *(("control", "broken", "holds"), ("measured", 3, 4)),
    ]
    assert str(counted(rows)) == (
        "1 of 2 published values matched; 1 of 1 fitted values matched; 1 of 1 derived values matched; "
        "1 of 1 formulas matched; "
        "1 claims held, 1 failed, 1 not decided; "
        "1 of 2 controls caught; 1 of 1 zeros and ones agree (listed separately: they are easy to match)"
    )
    assert counted(rows).as_json()["claim"] == {"agree": 1, "differ": 1, "undecided": 1, "refuted": 0}
    assert str(counted([("measured", 3, 4)])) == str(counted([])) == NOTHING_COMPARED
