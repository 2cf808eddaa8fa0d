"""The page on the profile says what the stored tables say, and every kind of subject is in them."""

import csv
from collections import Counter, defaultdict

from multislot.statistics import clopper_pearson
from scenarios.profile.questions import IDENTITIES, INSTRUMENT
from scenarios.profile.subjects import LEARNERS
from tests.build import ROOT
from tests.scenarios.profile.power import KINDS, SUBJECTS, critical_rows

PAGE = (ROOT / "docs" / "profile.md").read_text(encoding="utf-8")
GROUPS = {
    "true": "follow a theory, sharpness 1",
    "20 % careless": "the same, 20 % careless",
    "foreign": "follow no theory of the list",
    "held out": "the same, held out",
    "held out of instrument 3": "the same, held out of instrument 3",
}


def rows_of(table):
    with (ROOT / "scenarios" / "profile" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["instrument"] for row in rows} == {str(INSTRUMENT)}
    return rows


def verdicts():
    """By group and kind, how often each verdict was given."""
    counts = defaultdict(dict)
    for row in rows_of("power"):
        counts[row["group"], row["kind"]][row["verdict"]] = int(row["count"])
    return counts


def named_of(counts, kind):
    """How often a kind was named rightly, and wrongly."""
    return counts.get(kind, 0), sum(counts.get(name, 0) for name in IDENTITIES if name != kind)


def test_tables_hold_every_kind_once():
    assert list(verdicts()) == list(KINDS)
    assert {sum(counts.values()) for counts in verdicts().values()} == {SUBJECTS}
    rows_of("confusion")


def test_the_page_says_how_often_subjects_are_named():
    for group, label in GROUPS.items():
        named = [named_of(counts, kind) for (of_group, kind), counts in verdicts().items() if of_group == group]
        right, wrong = (sum(column) for column in zip(*named, strict=True))
        whole = f"{len(named) * SUBJECTS:,}"
        told = f"{right} of {whole}" if group in ("true", "20 % careless") else "–"
        assert f"| {label} | {len(named)} | {told} | {wrong} of {whole} |\n" in PAGE


def test_the_page_lists_each_foreign_kind_that_is_missed_and_no_other():
    missed = ["| subject | refused | undecided | named |\n", "|---|---|---|---|\n"]
    for (group, kind), counts in verdicts().items():
        refused, named = counts.get("none of these", 0) + counts.get("mixed", 0), named_of(counts, kind)[1]
        if group not in ("true", "20 % careless") and (refused < 0.8 * SUBJECTS or named > 0.1 * SUBJECTS):
            missed.append(f"| {kind} | {refused} | {counts.get('undecided', 0)} | {named} |\n")
    assert "\n" + "".join(missed) + "\n" in PAGE


def test_true_theories_are_not_rejected_significantly_more_often_than_in_5_percent():
    for group in ("true", "20 % careless"):
        missed = [
            SUBJECTS - counts.get(kind, 0) for (of_group, kind), counts in verdicts().items() if of_group == group
        ]
        assert clopper_pearson(sum(missed), SUBJECTS * len(missed))[0] <= 0.05


def test_the_page_says_what_intervals_cover_and_none_covers_significantly_less_than_93_percent():
    cells = defaultdict(Counter)
    for row in rows_of("coverage"):
        for column in ("covered", "unbounded", "of"):
            cells[row["parameter"], row["sharpness"], row["lapse"]][column] += int(row[column])
    assert all(clopper_pearson(cell["covered"], cell["of"])[1] >= 0.93 for cell in cells.values())
    shares = {key: 100 * cell["covered"] / cell["of"] for key, cell in cells.items()}
    spans = [sorted(share for key, share in shares.items() if key[0] == name) for name in ("sharpness", "weight")]
    told = [f"{span[0]:.1f} to {span[-1]:.1f} %" for span in spans]
    page = PAGE.replace("\n", " ")
    assert f"{told[0]} (sharpness) and {told[1]} (weights)" in page
    plain, careless = (cells["sharpness", *setting] for setting in (("1.0", "0.0"), ("2.0", "0.2")))
    assert f"open ends in {plain['unbounded']} of {plain['of']:,} cases" in page
    assert f"with 20 % careless answers in {careless['unbounded']}." in page


def test_the_page_says_what_learners_are_taken_for():
    rows = rows_of("learners")
    assert list(dict.fromkeys(row["learner"] for row in rows)) == list(LEARNERS)
    told = [
        f"| {row['learner']} | {row['verdict']} | {row['best']} | {row['count']} of {row['of']} |\n" for row in rows
    ]
    assert "| learner | verdict | best | profiles |\n|---|---|---|---|\n" + "".join(told) + "\n" in PAGE


def test_the_critical_values_of_play_are_those_that_the_program_finds():
    stored = (ROOT / "scenarios" / "profile" / "critical.csv").read_text(encoding="utf-8").splitlines()
    assert stored[1] == ",".join(map(str, next(critical_rows())))
