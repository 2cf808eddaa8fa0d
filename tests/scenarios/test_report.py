"""The report says what the records hold, worst first, in one file that needs nothing else."""

import base64
import dataclasses
import hashlib
import json
import random
import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from multislot.statistics import UNDECIDED
from scenarios import report
from scenarios.lab import records, runner
from scenarios.lab.records import Record
from scenarios.lab.table import Row
from scenarios.report.page import LARGEST, PAGE, paragraphs, render
from scenarios.report.shelf import KeptRun, read_shelf


def row(kind="published", ours=Fraction(1, 2), paper=Fraction(1, 2), **more):
    values = {"quantity": "q", "condition": "c", "source": "Euclid, Book II"}
    return Row(**(values | {"kind": kind, "ours": ours, "paper": paper} | more))


def record(*rows, name="squares", **more):
    """A record of these rows, as a run would keep it."""
    content = {
        "settings": {"seeds": 3},
        "seeds": 3,
        "versions": {"multislot": "1", "python": "3"},
        "code": "c",
        "hash": "h",
    }
    values = {
        **{
            "scenario": name,
            "family": "toys",
            "paper": "Euclid 300",
            "description": "What is a square?\n\nSlow `work`.",
        },
        **{"label": "default", "command": f"multislot run {name}", "made_from": "", "content": content, "rows": rows},
        **{"story": "At length.\n\nSquares are square.", "figures": (), "cells": 3, "uncovered": 0},
        **{"computing_seconds": 1.5, "finished": 0.0, "notes": (), "files": {}},
    }
    return Record(**(values | more))


def keep(results, *kept):
    """Put records into a folder of results."""
    for one in kept:
        folder = results / one.scenario / one.label
        folder.mkdir(parents=True)
        (folder / "run.json").write_text("{}")
        (folder / records.RECORD).write_bytes(one.encode())
    return results


def text_of(page):
    """The words of a page, without its elements, its style and its scripts."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).split())


ROWS = (
    *(row(), row("formula", 0.51, 0.5, tolerance=0.02, interval=(0.48, 0.54), uncertainty=0.01)),
    *(row("claim", "holds", "holds"), row("control", "fails", "fails"), row("measured", 3, None)),
)


def test_a_record_comes_back_as_it_was(tmp_path):
    strange = row("measured", float("inf"), None, uncertainty=0.1, case="β=0.5")
    one = record(*ROWS, strange, row("claim", "1/2", "1/2"), figures=("a",), notes=("b",))
    keep(tmp_path, one)
    assert records.read_record(tmp_path / "squares" / "default") == one


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: data.replace(b"Euclid", b"Euklid"), lambda _: b"[]"]
)
def test_a_damaged_record_is_no_record(tmp_path, damage):
    path = keep(tmp_path, record(*ROWS)) / "squares" / "default" / records.RECORD
    path.write_bytes(damage(path.read_bytes()))
    assert records.read_record(path.parent) is None
    assert read_shelf(tmp_path).unfinished == ("squares/default",)
    assert "squares/default is not finished" in text_of(render(tmp_path))


def test_a_run_that_agrees_is_said_to_agree_and_counted_by_kind(tmp_path):
    words = text_of(render(keep(tmp_path, record(*ROWS))))
    for said in (
        "All 4 compared rows agree.",
        *("1 of 1 published values matched", "1 of 1 formulas matched", "1 of 1 claims held", "1 of 1 controls caught"),
        *("0 not decided", "1 measured, not compared", "What is a square?", "Squares are square.", "Euclid, Book II"),
        *("multislot run squares", "seeds = 3", "3 cells in 1.5 s", "0.510 [0.480, 0.540]"),
    ):
        assert said in words
    assert "Look at these first" not in words


PLANTED = {
    "a published number": (row(ours=Fraction(1)), "1 of 5 compared rows differ."),
    "a formula": (row("formula", ours=2.0, tolerance=0.1), "1 of 5 compared rows differ."),
    "a claim": (row("claim", "fails", "holds"), "1 of 5 compared rows differ."),
    "a control that passes": (row("control", "holds", "fails"), "1 of 5 compared rows differ."),
    "a zero": (row(ours=Fraction(1), paper=0), "1 of 5 compared rows differ."),
    "a claim not decided": (row("claim", UNDECIDED, "holds"), "4 of 5 compared rows agree; 1 is not decided"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_failure_is_in_the_headline_and_comes_first(tmp_path, name):
    planted, said = PLANTED[name]
    planted = dataclasses.replace(planted, quantity="the planted one")
    page = render(keep(tmp_path, record(*ROWS, name="fine"), record(planted, name="planted")))
    words = text_of(page)
    assert said in words
    assert "All " not in words
    first = words.partition("Look at these first")[2].partition("multislot run")[0]
    assert "the planted one" in first
    assert page.index('<article id="planted"') < page.index('<article id="fine"')


def test_what_failed_was_left_out_or_never_ran_is_said(tmp_path):
    keep(tmp_path, record(*ROWS), record(*ROWS, name="broken"))
    report.note(tmp_path, "broken", "failed", "1 of 2 cells failed")
    report.note(tmp_path, "deep", "left_out", 'a deep agent needs the extra "deep"')
    report.note(tmp_path, "squares", "left_out", "an older run is there")
    page = render(tmp_path)
    words = text_of(page)
    assert "1 experiment failed." in words
    assert "broken failed: 1 of 2 cells failed" in words
    assert "deep : a deep agent needs the extra" in words
    assert '<article id="broken"' not in page
    assert "older run" not in words
    assert "sleeping-beauty" in words.partition("Not run here")[2]


def test_nothing_compared_is_not_called_agreement(tmp_path):
    assert "Nothing was compared." in text_of(render(keep(tmp_path, record(row("measured", 3, None)))))
    assert "Nothing was compared." in text_of(render(tmp_path / "empty"))


def test_the_run_that_was_asked_for_last_is_shown_and_the_others_are_listed(tmp_path):
    older, newer = record(*ROWS, label="default"), record(*ROWS, label="quick", finished=1.0)
    keep(tmp_path, older, newer)
    assert read_shelf(tmp_path).shown["squares"].record == newer
    report.note(tmp_path, "squares", "shown", "default")
    shelf = read_shelf(tmp_path)
    assert shelf.shown["squares"].record == older
    assert shelf.others["squares"] == (KeptRun("squares/quick", newer),)
    assert "other runs quick" in text_of(render(tmp_path))
    (tmp_path / "squares" / "last.json").write_text("[1")
    assert read_shelf(tmp_path).shown["squares"].record == newer


def test_pictures_that_do_not_fit_are_links(squares, results, monkeypatch):
    runner.run(squares, results=results)
    page = render(results)
    assert len(page.encode()) < LARGEST
    assert page.count("data:image/webp") == 1
    monkeypatch.setattr("scenarios.report.page.LARGEST", 0)
    page = render(results)
    assert "data:image" not in page
    assert "There is no room for squares on this page" in text_of(page)
    assert "squares.png" in page


def test_every_file_it_links_is_there(squares, results):
    runner.run(squares, results=results)
    report.write_report(results)
    links = re.findall(r'href="([^"#]+)"', (results / PAGE).read_text())
    assert len(links) > 5
    assert [link for link in links if not (results / link).exists()] == []


def test_prose_keeps_its_code_and_emphasis():
    assert paragraphs("A *tight* ``a * b`` of 2*3*4\nwords.\n\n`x`") == [
        [("", "A "), ("em", "tight"), ("", " "), ("code", "a * b"), ("", " of 2*3*4 words.")],
        [("code", "x")],
    ]


ATTACK = (
    """"'><script>document.documentElement.dataset.attacked = 1</script><img src=x onerror=attacked()>{{ 7 * 191 }}"""
)
HOSTILE = {
    **dict.fromkeys(("family", "paper", "command", "story", "made_from"), ATTACK),
    "description": f"{ATTACK}\n\n``{ATTACK}`` *{ATTACK}* `{ATTACK}`",
    "figures": ("</script>" + ATTACK, "javascript:attacked()"),
    "notes": (ATTACK,),
    "files": {ATTACK: "h"},
    "rows": tuple(
        row(kind, ours, paper, quantity=ATTACK, condition=ATTACK, source=ATTACK, **more)
        for kind, ours, paper, more in (
            ("published", 0.7, 0.5, {"tolerance": 0.1}),
            ("formula", ATTACK, ATTACK, {}),
            ("measured", ATTACK, None, {}),
        )
    ),
    "content": {
        "settings": {ATTACK: [ATTACK]},
        "seeds": ATTACK,
        **{"versions": {"multislot": ATTACK, "python": ATTACK}, "code": ATTACK, "hash": ATTACK},
    },
}


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts that follow the beginnings and ends of elements."""

    def __init__(self, page):
        super().__init__()
        self.found, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.texts.append("")

    def handle_endtag(self, tag):
        self.texts.append("")

    def handle_data(self, data):
        self.texts = [*self.texts[:-1], "".join(self.texts[-1:]) + data]


def hostile_report(results):
    """The report on a store of somebody who would like to run a script on the page."""
    values = {key: value for key, value in HOSTILE.items() if key != "rows"}
    return render(keep(results, record(*HOSTILE["rows"], **values)))


def test_texts_of_a_hostile_store_stay_texts(tmp_path):
    """The control: the same attack, not escaped, adds a script and a picture."""
    (tmp_path / "own").mkdir()
    (tmp_path / "strangers").mkdir()
    own = Elements(render(keep(tmp_path / "own", record(*ROWS)))).found
    page = hostile_report(tmp_path / "strangers")
    found = Elements(page).found
    assert page.count("dataset.attacked") > 20
    for tag in ("script", "style", "meta"):
        assert [more for name, more in found if name == tag] == [more for name, more in own if name == tag]
    assert not any(name.startswith("on") for _, more in found for name in more)
    assert not any((more.get("href") or "").startswith("javascript") for _, more in found)
    assert ("script", {}) in Elements(ATTACK).found
    assert "1337" not in text_of(page)


def test_the_report_has_a_policy_that_lets_only_its_own_scripts_run(tmp_path):
    metas = [more for tag, more in Elements(render(keep(tmp_path, record(*ROWS)))).found if "http-equiv" in more]
    (policy,) = [more["content"] for more in metas if more["http-equiv"] == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())
    assert rules["default-src"] == "'none'"
    assert "unsafe-" not in rules["script-src"]
    assert rules["script-src"].count("sha256-") == 1


DEEP = "[" * 10**5
FORGED = {
    "digest of nothing": {"digest": None, "record": ""},
    "deep": {"record": DEEP},
    "no object": {"record": "7"},
    "a huge integer": {"cells": 10**4000},
    "not a number": {"finished": float("nan")},
    "a time beyond all calendars": {"finished": 1e300},
    "a word as seconds": {"computing_seconds": "long"},
    "a number as a name": {"scenario": 7},
    "a list as a story": {"story": ["a"]},
    "files that are no mapping": {"files": 7},
    "a NUL": {"files": {"a\0b": "c"}, "label": "\0"},
    "half a surrogate": {"scenario": "\ud800", "story": "\ud800"},
    "no versions": {"content": {}},
    "versions that are a number": {"content": {"versions": 7}},
    "a row that is a number": {"rows": [7]},
    "a row divided by zero": {"rows": [ROWS[0].as_json() | {"ours_exact": "1/0"}]},
    "a row of an unknown kind": {"rows": [ROWS[0].as_json() | {"kind": "guess"}]},
    "a row whose tolerance is a word": {"rows": [ROWS[0].as_json() | {"tolerance": "small"}]},
}


def forged(changes):
    """The bytes of a record with a right digest, in which something is changed."""
    if "record" not in changes:
        values = json.loads(json.loads(record(*ROWS).encode())["record"]) | changes
        changes = {"record": json.dumps(values)}
    return json.dumps({"digest": hashlib.sha256(changes["record"].encode()).hexdigest()} | changes).encode()


@pytest.mark.parametrize("data", [*map(forged, FORGED.values()), DEEP.encode(), b"\0", b"\xff"], ids=[*FORGED, *"abc"])
def test_a_record_that_no_run_wrote_is_none_or_can_be_shown(tmp_path, data):
    results = keep(tmp_path, record(*ROWS))
    folder = results / "squares" / "default"
    (folder / records.RECORD).write_bytes(data)
    (folder.parent / "last.json").write_text(DEEP)
    assert isinstance(render(results), str)
    read = records.read_record(folder)
    assert read is None or records.are_as_written(folder, read.files) in (True, False)


def test_a_forged_record_in_which_nothing_is_changed_is_read(tmp_path):
    """The control: what is forged above is otherwise in order."""
    folder = keep(tmp_path, record(*ROWS)) / "squares" / "default"
    (folder / records.RECORD).write_bytes(forged({}))
    assert records.read_record(folder) == record(*ROWS)


SECRET = b"a secret outside the results"
PATHS = (
    "../../../secret",
    "../../../../secret",
    "{}/secret",
    "link",
    "linked/secret",
    "../../link",
    "./x/../link",
    "a",
)


def place_secrets(tmp_path):
    """Results in which pictures are links to secrets outside, in files and folders; the run's folder."""
    results = keep(tmp_path / "results", record(*ROWS))
    folder = results / "squares" / "default"
    (tmp_path / "outside").mkdir()
    for ending in ("webp", "png", "svg"):
        for place in (tmp_path, tmp_path / "outside"):
            (place / f"secret.{ending}").write_bytes(SECRET)
        (folder / f"a.{ending}").write_bytes(b"a picture")
        try:
            (folder / f"link.{ending}").symlink_to(tmp_path / f"secret.{ending}")
        except OSError:
            pytest.skip("no links here")
    (folder / "linked").symlink_to(tmp_path / "outside")
    (results / "elsewhere").symlink_to(tmp_path / "elsewhere")
    keep(tmp_path / "elsewhere", record(*ROWS, description=SECRET.decode()))
    return results, folder


@pytest.mark.parametrize("count", [pytest.param(8, id="some"), pytest.param(200, id="many", marks=pytest.mark.full)])
def test_a_report_shows_nothing_from_outside_its_folder(tmp_path, count):
    """The control: a picture inside is shown, and the same paths, read without the door, lead to the secret."""
    results, folder = place_secrets(tmp_path)
    chance = random.Random(1)
    for number in range(count):
        drawn = [PATHS[number % len(PATHS)], *chance.sample(PATHS, 3)]
        figures = [path.format(tmp_path) for path in drawn]
        files = {f"{figure}.png": hashlib.sha256(SECRET).hexdigest() for figure in figures}
        (folder / records.RECORD).write_bytes(forged({"figures": figures, "files": files}))
        page = render(results)
        assert base64.b64encode(SECRET).decode() not in page
        assert SECRET.decode() not in page
        assert not re.findall(r'(?:href|src)="[^"]*(?:secret|link)[^"]*"', page)
        assert (base64.b64encode(b"a picture").decode() in page) == ("a" in drawn)
    outside = [path for path in PATHS if _read_without_the_door(folder / f"{path.format(tmp_path)}.png") == SECRET]
    assert outside == ["../../../secret", "{}/secret", "link", "linked/secret", "./x/../link"][: len(outside)]
    assert len(outside) >= 3


def _read_without_the_door(path):
    try:
        return path.read_bytes()
    except OSError:
        return None
