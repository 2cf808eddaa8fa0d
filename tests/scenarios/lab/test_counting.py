"""The headline counts by kind, and nothing pads it."""

from hypothesis import given
from hypothesis import strategies as st

from multislot.statistics import UNDECIDED
from scenarios.lab.counting import NOTHING_COMPARED, headline
from scenarios.lab.table import KINDS, Measured, beside_papers

VALUES = st.sampled_from([0, 1, 2, 0.5, "holds", "broken"])
ROWS = st.lists(st.tuples(st.sampled_from(KINDS), VALUES, VALUES | st.just(UNDECIDED)), max_size=12)


def counted(rows):
    return headline(beside_papers([Measured("q", "c", ours, paper=paper, kind=kind) for kind, paper, ours in rows], []))


@given(ROWS)
def test_every_compared_row_is_counted_once_and_zeros_and_ones_apart(rows):
    found = counted(rows)
    compared = [(kind, paper) for kind, paper, _ in rows if kind != "measured"]
    apart = [one for one in compared if one[1] in (0, 1) and one[0] != "control"]
    assert found.zero_or_one.total == len(apart)
    for kind in ("published", "formula", "claim", "control"):
        assert getattr(found, kind).total == sum(one[0] == kind and one not in apart for one in compared)
    assert found.all_agree is all(
        paper == ours or ours == UNDECIDED for kind, paper, ours in rows if kind != "measured"
    )


def test_the_sentence_counts_by_kind():
    rows = [
        *(("published", 3, 3), ("published", 3, 4), ("formula", 2, 2), ("formula", 0, 0), ("claim", "holds", "holds")),
        *(("claim", "holds", "broken"), ("claim", "holds", UNDECIDED), ("control", "broken", "broken")),
        *(("control", "broken", "holds"), ("measured", 3, 4)),
    ]
    assert str(counted(rows)) == (
        "1 of 2 published values matched; 1 of 1 formulas matched; 1 claims held, 1 failed, 1 not decided; "
        "1 of 2 controls caught; 1 of 1 zeros and ones agree, counted apart"
    )
    assert counted(rows).as_json()["claim"] == {"agree": 1, "differ": 1, "undecided": 1}
    assert str(counted([("measured", 3, 4)])) == str(counted([])) == NOTHING_COMPARED
