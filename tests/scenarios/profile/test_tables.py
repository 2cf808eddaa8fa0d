"""The page on the profile says what the stored tables say, and every kind of subject is in them."""

import csv
from collections import Counter, defaultdict

import pytest

from multislot.statistics import clopper_pearson
from scenarios.profile.alternatives import LEVEL
from scenarios.profile.profiling import FITS
from scenarios.profile.questions import IDENTITIES, INSTRUMENT
from scenarios.profile.subjects import LEARNERS
from tests.build import ROOT
from tests.scenarios.profile.kinds import KINDS
from tests.scenarios.profile.power import FEWER, SUBJECTS, critical_rows

PAGE = (ROOT / "docs" / "profile.md").read_text(encoding="utf-8")
GROUPS = {
    "true": "follow a theory, sharpness 1",
    "20 % careless": "the same, 20% careless",
    "foreign": "follow no theory of the list",
    "held out": "held out of older instruments",
    "held out of instrument 3": "held out of older instruments",
    "held out of instrument 4": "held out of older instruments",
    "held out of instrument 5": "held out of older instruments",
    "held out of instrument 7": "held out of instrument 7",
    "held out of instrument 8": "held out of instrument 8",
}
RIGHT = ("true", "20 % careless")
SIZES = {"power": SUBJECTS, "shared": FEWER, "adaptive": FEWER, "few": FEWER, "twice": FEWER}
SHOWN = ("power", "shared", "adaptive")


def rows_of(table):
    with (ROOT / "scenarios" / "profile" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {int(row["instrument"]) for row in rows} == {INSTRUMENT}
    return rows


def verdicts(table="power"):
    """By group and kind, how often each verdict was given."""
    counts = defaultdict(dict)
    for row in rows_of(table):
        counts[row["group"], row["kind"]][row["verdict"]] = int(row["count"])
    return counts


def named_of(counts, kind):
    """How often a kind was named rightly, and wrongly."""
    return counts.get(kind, 0), sum(counts.get(name, 0) for name in IDENTITIES if name != kind)


def named_in(table):
    """How many agents that follow a theory are named rightly, and how many others wrongly."""
    right = [counts.get(kind, 0) for (group, kind), counts in verdicts(table).items() if group in RIGHT]
    wrong = [named_of(counts, kind)[1] for (group, kind), counts in verdicts(table).items() if group not in RIGHT]
    return [f"{sum(named):,} of {FEWER * len(named):,}" for named in (right, wrong)]


def test_the_page_says_how_much_more_likely_a_theory_must_be():
    level = (1 - LEVEL) / len(FITS)
    for sentence in (f"in a whole profile {4 / level:.0f} times", f"caution needs {3 / level:.0f} times"):
        assert sentence in PAGE


def named_table():
    """How often subjects of each group are named, by the list and adaptively."""
    for label in dict.fromkeys(GROUPS.values()):
        groups, cells = [group for group, name in GROUPS.items() if name == label], []
        for table in SHOWN:
            counts, subjects = verdicts(table), SIZES[table]
            named = [named_of(counts[key], key[1]) for key in KINDS if key[0] in groups]
            right, wrong = (sum(column) for column in zip(*named, strict=True))
            whole = f"{len(named) * subjects:,}"
            cells += [f"{right} of {whole}" if groups[0] in RIGHT else "–", f"{wrong} of {whole}"]
        yield f"| {label} | {len(named)} | {' | '.join(cells)} |"


def tallies(table):
    """By foreign kind, how often it was refused, undecided and named."""
    for (group, kind), counts in verdicts(table).items():
        if group not in RIGHT:
            refused = counts.get("none of these", 0) + counts.get("mixed", 0)
            yield kind, (refused, counts.get("undecided", 0), named_of(counts, kind)[1])


def missed_of(table):
    """The foreign kinds that are refused too rarely or named too often."""
    size = SIZES[table]
    return [kind for kind, (refused, _, named) in tallies(table) if refused < 0.8 * size or named > 0.1 * size]


def missed_table():
    tables = [dict(tallies(table)) for table in ("power", "shared")]
    for kind in missed_of("shared"):
        yield f"| {kind} | {' | '.join(', '.join(map(str, table[kind])) for table in tables)} |"


def learners_table():
    found = defaultdict(list)
    for row in rows_of("learners"):
        best = f" ({row['best']})" if row["best"] not in ("", row["verdict"]) else ""
        found[row["learner"]].append(f"{row['verdict']}{best} {row['count']}")
    assert list(found) == list(LEARNERS)
    return [f"| {learner} | {', '.join(verdicts)} |" for learner, verdicts in found.items()]


def test_tables_hold_every_kind_once():
    for table, subjects in SIZES.items():
        assert list(verdicts(table)) == list(KINDS)
        assert {sum(counts.values()) for counts in verdicts(table).values()} == {subjects}
    rows_of("confusion")


@pytest.mark.parametrize("table", [named_table, missed_table, learners_table])
def test_the_page_has_the_rows_of_the_stored_tables_and_no_other(table):
    assert "|---|\n" + "\n".join(table()) + "\n\n" in PAGE


def test_the_page_says_how_many_kinds_are_missed_in_adaptive_questions():
    assert f"With `--half --adaptive`, {len(missed_of('adaptive'))} kinds of agents are judged" in PAGE.replace(
        "\n", " "
    )


def test_the_page_says_what_missed_kinds_are_named_and_how_often_others_are_by_few_or_repeated_answers():
    right, wrong = named_in("few")
    told = f"the right theory for {right} agents that follow one, and wrongly names a theory for {wrong} others"
    assert told in PAGE.replace("\n", " ")
    right, wrong = named_in("twice")
    assert f"(`twice.csv`), {right} are named rightly and {wrong} others wrongly" in PAGE.replace("\n", " ")
    names = {
        kind: Counter({name: counts.get(name, 0) for name in IDENTITIES}) for (_, kind), counts in verdicts().items()
    }
    most = [names[kind].most_common(1)[0][0] for kind in missed_of("shared") if names[kind].total()]
    assert most == ["cpy", "biggest-number", *["cpy"] * 4, "sum", *["cpy"] * 3]


def test_true_theories_are_not_rejected_significantly_more_often_than_in_5_percent():
    for group in ("true", "20 % careless"):
        missed = [
            SUBJECTS - counts.get(kind, 0) for (of_group, kind), counts in verdicts().items() if of_group == group
        ]
        assert clopper_pearson(sum(missed), SUBJECTS * len(missed))[0] <= 0.05


def test_the_page_says_what_intervals_cover_and_none_covers_significantly_less_than_93_percent():
    cells = defaultdict(Counter)
    for row in rows_of("coverage"):
        for column in ("covered", "of"):
            cells[row["parameter"], row["sharpness"], row["lapse"], row["answers"]][column] += int(row[column])
    assert all(clopper_pearson(cell["covered"], cell["of"])[1] >= 0.93 for cell in cells.values())
    shares = {key: 100 * cell["covered"] / cell["of"] for key, cell in cells.items()}
    spans = [sorted(share for key, share in shares.items() if key[0] == name) for name in ("sharpness", "weight")]
    told = [f"{span[0]:.1f} to {span[-1]:.1f}%" for span in spans]
    assert f"{told[0]} (sharpness) and {told[1]} (weights)" in PAGE


def test_the_critical_values_of_play_are_those_that_the_program_finds():
    stored = (ROOT / "scenarios" / "profile" / "critical.csv").read_text(encoding="utf-8").splitlines()
    assert stored[1] == ",".join(map(str, next(critical_rows())))
