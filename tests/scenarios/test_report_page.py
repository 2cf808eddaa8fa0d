"""The report in a real browser: nothing hangs over the edge, and no script that gets into the page runs."""

import pytest

from scenarios.report.page import render
from tests.scenarios.test_report import ROWS, hostile_report, keep, record, row

LONG = row("formula", 9.0, 0.5, tolerance=0.1, quantity="a" * 90, condition="word " * 60, source="s" * 80)
ASKED = """return {
  overhang: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  width: innerWidth,
  color: getComputedStyle(document.body).backgroundColor,
}"""


def show(page, folder, report):
    """Load a report, HTML as text."""
    path = folder / "looked-at.html"
    path.write_text(report, encoding="utf-8")
    page.driver.get(path.as_uri())


@pytest.fixture
def report(tmp_path):
    return render(keep(tmp_path, record(*ROWS, LONG, story="x" * 400 + "\n\nThe end.")))


@pytest.mark.parametrize(
    ("width", "dark", "color"), [(1200, False, "rgb(255, 255, 255)"), (500, True, "rgb(20, 23, 26)")]
)
def test_nothing_hangs_over_the_edge(page, report, tmp_path, width, dark, color):
    page.size(width, dark=dark)
    show(page, tmp_path, report)
    assert page.run(ASKED) == {"overhang": 0, "width": width, "color": color}
    assert page.complaints() == []


ATTACKED = "return document.documentElement.dataset.attacked"
SCRIPT = "<script>document.documentElement.dataset.attacked = 1</script>"


def test_a_script_that_gets_into_the_page_does_not_run(page, report, tmp_path):
    """Neither that of a hostile store nor one that is not escaped; the control is a page without a policy."""
    store = tmp_path / "store"
    store.mkdir()
    planted = report.replace("<main>", f"<main>{SCRIPT}")
    open_page = planted.replace("Content-Security-Policy", "X-Nothing")
    for shown, attacked in ((hostile_report(store), None), (planted, None), (open_page, "1")):
        show(page, tmp_path, shown)
        assert page.run(ATTACKED) == attacked
