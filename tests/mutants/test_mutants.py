"""The draw is fixed by its seed, and the page on evidence says what the table says."""

import pytest

pytest.importorskip("cosmic_ray", reason="mutations are drawn by cosmic-ray, which make mutants installs")
from tests.mutants.__main__ import ROOT, count_experiments, count_rows
from tests.mutants.drawing import all_mutants, draw_sample, kind_of
from tests.mutants.trying import KEPT, body_lines, declared_names, restore_sources, try_twice

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


def test_the_page_on_evidence_says_what_the_table_says():
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    counted = [*count_rows(), *count_experiments()]
    assert [row for row in counted if row not in page] == []
