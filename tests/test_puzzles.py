"""The pages of the five puzzles have no code, and their tables are computed."""

import re

import pytest

from multislot.exact import world_names
from tests.build import ROOT, load_script

puzzles = load_script("docs/hooks/puzzles.py")
PAGES = sorted(puzzles.PAGES.glob("*.md"))
LONGEST = 600
"""Words of a page."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_tables_of_a_puzzle_are_those_that_the_engine_computes(page):
    assert puzzles.computed(page) == page.read_text(encoding="utf-8")


def test_a_number_that_was_typed_into_a_page_would_be_found(tmp_path):
    page = tmp_path / "driver.md"
    text = (puzzles.PAGES / "driver.md").read_text(encoding="utf-8")
    assert "probability 2/3 | 4/3" in text
    page.write_text(text.replace("probability 2/3 | 4/3", "probability 2/3 | 7/5"))
    assert puzzles.computed(page) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_puzzle_has_a_story_sliders_a_picture_sources_and_no_code(page):
    text = page.read_text(encoding="utf-8")
    assert "```" not in text
    assert {"## Who says what", "## What each theory answers", "## Try this"} <= set(text.split("\n"))
    (world,) = re.findall(r"<!-- explorer: world=([\w-]+)", text)
    assert world in world_names()
    (picture,) = re.findall(r"\]\((\S+\.png)\)", text)
    assert (page.parent / picture).is_file()
    assert "from memory" in text or "We read" in text
    assert len(text.split()) < LONGEST


def test_every_puzzle_is_in_the_sidebar_and_in_the_readme():
    index, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("docs/index.md", "README.md"))
    assert len(PAGES) == 5
    for page in PAGES:
        assert f"puzzles/{page.stem}\n" in index
        assert f"(docs/puzzles/{page.name})" in readme
    # Readers who do not program come first.
    assert index.index("puzzles/driver\n") < index.index("tutorials/teleporter\n")
    assert index.index("tutorials/story\n") < index.index("tutorials/teleporter\n")
