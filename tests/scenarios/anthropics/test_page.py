"""The page "Caring for your copies": one picture a section, each drawn by code, and no picture for nothing."""

import re

import pytest

from tests.build import ROOT, load_script

PAGE = (ROOT / "docs" / "caring_for_copies.md").read_text(encoding="utf-8")
QUICKLY = ("lineage", "weights", "planned", "fault", "junctions")


@pytest.fixture(scope="module")
def pictures():
    pytest.importorskip("matplotlib")
    return load_script("docs/hooks/caring_pictures.py")


def test_every_section_has_its_picture_in_the_repository(pictures):
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    shown = [re.findall(r"\]\((static/pictures/\w+\.png)\)", section) for section in sections]
    assert [len(one) for one in shown] == [1] * len(sections)
    files = [ROOT / "docs" / name for one in shown for name in one]
    assert [file.stem for file in files] == list(pictures.PICTURES)
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)


def test_pictures_are_drawn(pictures):
    for name in QUICKLY:
        figure = pictures.PICTURES[name]()
        figure.draw_without_rendering()
        assert all(axes.has_data() for axes in figure.axes)
