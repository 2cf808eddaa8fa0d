"""The draw is fixed by its seed, and the page on evidence says what the table says."""

import sys

import pytest

pytest.importorskip("cosmic_ray", reason="mutations are drawn by cosmic-ray, which make mutants installs")
from tests.mutants.__main__ import ROOT, count_experiments, count_rows
from tests.mutants.drawing import all_mutants, draw_sample, kind_of
from tests.mutants.experiments import (
    draw_rows,
    find_statements,
    insert_probes,
    replace_source,
    run_experiment,
    try_mutation,
)
from tests.mutants.trying import KEPT, body_lines, declared_names, mentioned_names, restore_sources, try_twice

SOURCE = """def add(first: int | str, second: int = 1) -> int | None:
    return (
        first
        + second
    )
"""


@pytest.fixture
def root(tmp_path):
    for name in ("one", "two"):
        (tmp_path / "multislot").mkdir(exist_ok=True)
        (tmp_path / "multislot" / f"{name}.py").write_text(SOURCE)
    return tmp_path


def test_a_seed_draws_one_of_each_module_and_the_same_again(root):
    sample = draw_sample(root, 6, seed=1)
    assert {mutant.module for mutant in sample[:2]} == {"multislot/one.py", "multislot/two.py"}
    assert sample == draw_sample(root, 6, seed=1) != draw_sample(root, 6, seed=2)


def test_annotations_are_left_out_and_every_other_operator_is_replaced(root):
    assert {mutant.line for mutant in all_mutants(root, "multislot/one.py")} == {1, 4}
    changed = {mutant.mutate(SOURCE) for mutant in all_mutants(root, "multislot/one.py")}
    assert SOURCE.replace("first\n        + ", "first\n        - ") in changed
    assert all("int | str" in text and "int | None" in text for text in changed if text)


def test_lines_are_told_apart():
    assert body_lines(SOURCE) == dict.fromkeys(range(2, 6), 2)
    assert declared_names(SOURCE, 1) == {"add"}
    assert kind_of("multislot/one.py", 2, SOURCE) == "code"
    assert kind_of("multislot/one.py", 2, SOURCE.replace("first", "axes")) == "drawing"
    assert kind_of("multislot/one.py", 2, SOURCE.replace("int | str", "Axes")) == "drawing"


@pytest.mark.parametrize(
    ("failing", "noticed"),
    [({"new": "b"}, "b"), ({}, ""), ({"new": "import"}, "import"), ({"new": "import", "old": "import"}, "")],
)
def test_what_fails_without_the_mutation_too_is_no_notice(failing, noticed):
    """The control: a start that is broken for every mutation must not count."""
    assert try_twice(lambda source, tests: failing.get(source, ""), "old", "new", ["a", "b"]) == noticed


def test_a_test_that_fails_anyway_is_left_out():
    def run(source, tests):
        return next((test for test in tests if test == "flaky" or (test, source) == ("c", "new")), "")

    assert try_twice(run, "old", "new", ["a", "flaky", "c"]) == "c"


def test_the_source_of_a_trial_that_was_killed_is_put_back(root):
    path = root / "multislot" / "one.py"
    path.with_suffix(KEPT).write_text(SOURCE)
    path.write_text("mutated")
    restore_sources(root)
    assert path.read_text() == SOURCE
    assert not path.with_suffix(KEPT).exists()


EXPERIMENT = """import json
import sys
def main():
    told, ours, paper = "a", 1 + 1, 2
    rows = [{"agrees": ours == paper}, {"agrees": None}]
    print(json.dumps({"rows": rows, "headline": {}, "story": told, "uncovered": 0}))
    sys.exit(ours > paper)
"""


@pytest.mark.parametrize(
    ("old", "new", "noticed"),
    [
        ('"a"', '"a" * 1', "1 of 2"),
        ('"a"', '"a" * 2', "changed in first; 1 of 2"),
        ("1 + 1", "1 + 2", "first: a row"),
        ("1 + 1", "1 - 1", "first: a row"),
        ("1 + 1", "1 / 0", "first: error"),
        ("json.dumps", "str", "first: error"),
        ("told, ours", "while True: pass; told, ours", "first: time-out"),
    ],
)
def test_experiments_notice_what_a_user_sees_and_nothing_else(tmp_path, monkeypatch, old, new, noticed):
    """The control: the step can notice a mutation, and can fail to."""
    module = tmp_path / "sources" / "multislot" / "__main__.py"
    module.parent.mkdir(parents=True)
    module.write_text(EXPERIMENT)
    module.with_name("__init__.py").touch()
    monkeypatch.chdir(tmp_path / "sources")
    monkeypatch.syspath_prepend(tmp_path / "sources")
    for name in [name for name in sys.modules if name.split(".")[0] == "multislot"]:
        monkeypatch.delitem(sys.modules, name)
    ending = run_experiment("first", tmp_path, 5)
    recorded = {name: {"ending": ending, "seconds": seconds} for name, seconds in (("first", -0.7), ("second", 99))}
    replace_source("multislot/__main__.py", EXPERIMENT.replace(old, new))
    assert try_mutation(["second", "first"], recorded) == noticed
    assert try_mutation([], recorded) == "not executed"
    restore_sources(tmp_path)
    assert module.read_text() == EXPERIMENT


def test_a_probe_says_which_mutations_are_executed():
    source = "LEAST = 1\n\ndef f(x):\n    if x > LEAST:\n        return (\n            x + 1)\n    return x\n"
    mentions = [(name, ("m", line)) for name, line in mentioned_names(source)]
    places = {line: find_statements(source, "m", line, mentions) for line in (1, 6, 7)}
    assert places == {1: {("m", 4)}, 6: {("m", 5)}, 7: {("m", 7)}}
    met = list[str]()
    names = {"PROBE": met.append}
    exec(insert_probes(source, {4: ["least"], 5: ["sum"], 7: ["x", "y"]}), names)
    assert (names["f"](2), met) == (3, ["least", "sum"])
    assert (names["f"](1), met[2:]) == (1, ["least", "x", "y"])


def test_experiments_are_tried_on_code_with_an_effect():
    rows = [
        {"seed": seed, "kind": kind, "why": why}
        for seed in "12"
        for kind in ("code", "page")
        for why in ("", "equivalent: x", "y")
    ]
    assert sorted(row["why"] for row in draw_rows(rows, 1, 9)) == ["", "y"]
    assert {(row["seed"], row["kind"]) for row in draw_rows(rows, 1, 9)} == {("1", "code")}


def test_the_page_on_evidence_says_what_the_table_says():
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    counted = [*count_rows(), *count_experiments()]
    assert [row for row in counted if row not in page] == []
