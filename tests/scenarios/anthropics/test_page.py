"""The page "Caring for your copies": one picture a section, each drawn by code, and no picture for nothing."""

import importlib.util
import re

import pytest

from tests.build import ROOT

PAGE = (ROOT / "docs" / "caring_for_copies.md").read_text(encoding="utf-8")
QUICKLY = ("lineage", "weights", "planned", "fault", "junctions")


@pytest.fixture(scope="module")
def pictures():
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("caring_pictures", ROOT / "docs" / "hooks" / "caring_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_section_has_its_picture(pictures):
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    shown = [re.findall(r"_pictures/(\w+)\.svg", section) for section in sections]
    assert [len(one) for one in shown] == [1] * len(sections)
    assert [name for one in shown for name in one] == list(pictures.PICTURES)


def test_pictures_are_drawn(pictures, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "PICTURES", {name: pictures.PICTURES[name] for name in QUICKLY})
    assert pictures.draw(tmp_path) == list(QUICKLY)
    assert all("<svg" in (tmp_path / f"{name}.svg").read_text() for name in QUICKLY)
