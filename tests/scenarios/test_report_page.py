"""The report in a real browser: nothing hangs over the edge, and no script that gets into the page runs."""

import json

import pytest

from scenarios.report.page import render
from tests.browser import look_at, needs_chromium
from tests.scenarios.test_report import ROWS, hostile_report, keep, record, row

pytestmark = needs_chromium
LONG = row("formula", 9.0, 0.5, tolerance=0.1, quantity="a" * 90, condition="word " * 60, source="s" * 80)
ASKED = """{
  overhang: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  width: innerWidth,
  color: getComputedStyle(document.body).backgroundColor,
}"""


@pytest.fixture
def page(tmp_path):
    return render(keep(tmp_path, record(*ROWS, LONG, story="x" * 400 + "\n\nThe end.")))


@pytest.mark.parametrize(
    ("width", "dark", "color"), [(1200, False, "rgb(255, 255, 255)"), (500, True, "rgb(20, 23, 26)")]
)
def test_nothing_hangs_over_the_edge(page, tmp_path, width, dark, color):
    seen = look_at(page, tmp_path, width=width, dark=dark, expression=ASKED)
    assert json.loads(seen.answer) == {"overhang": 0, "width": width, "color": color}
    assert seen.errors == []


ATTACKED = "document.documentElement.dataset.attacked || null"
SCRIPT = "<script>document.documentElement.dataset.attacked = 1</script>"


def test_a_script_that_gets_into_the_page_does_not_run(page, tmp_path):
    """Neither that of a hostile store nor one that is not escaped; the control is a page without a policy."""
    store = tmp_path / "store"
    store.mkdir()
    assert look_at(hostile_report(store), tmp_path, expression=ATTACKED).answer == "null"
    planted = page.replace("<main>", f"<main>{SCRIPT}")
    assert look_at(planted, tmp_path, expression=ATTACKED).answer == "null"
    open_page = planted.replace("Content-Security-Policy", "X-Nothing")
    assert look_at(open_page, tmp_path, expression=ATTACKED).answer == '"1"'
