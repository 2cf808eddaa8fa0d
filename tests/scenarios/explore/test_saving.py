"""The explorer as one file with a story inside, without npm and without a network."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from multislot.errors import SettingError
from multislot.exact import action_values, world_named
from multislot.exact.files.answers import Asked
from multislot.exact.files.worlds import world_text
from scenarios.explore import building, saving
from scenarios.explore.questions import reply
from tests.browser import chromium
from tests.build import ROOT
from tests.scenarios.conftest import output_of
from tests.scenarios.explore.test_static import built  # noqa: F401

PAGE = f"<title>explorer</title>{building.SOURCES.format(building.hash_sources())}{saving.OPENED}"
LARGEST = 12_000_000
LINKS = "return ['nav > a', 'nav details a'].map((links) => document.querySelectorAll(links).length)"
"""How many views the page offers at once, and under \"More about this program\"."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where the built page stands."""
    path = tmp_path / "built.html"
    path.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(saving, "BUILT", path)
    return path


def opened(path):
    inside = path.read_text(encoding="utf-8").partition('id="opened">')[2].partition("</script>")[0]
    return json.loads(inside)


def test_a_page_holds_the_story_and_its_settings(place, tmp_path):
    story = tmp_path / "mine.toml"
    story.write_text(world_text("branch-line").replace("Do you step in?", "Do you step in? </script><script>alert(1)"))
    page = tmp_path / "mine.html"
    told = output_of("solve", story, "--set", "left=2", "--discount", "1/2", "--save", page)
    assert f"wrote {page}" in told
    told = opened(page).pop("texts")
    assert told["title"] == world_named("branch-line").form.title
    axes = dict(zip("xy", Asked({"world": "branch-line"}).axes(), strict=True))
    asked = {"view": "identity", "file": story.read_text(), "parameters": {}, "caring": ["1", "0"]}
    asked |= {"lineage": {"value": "cpy", "copying": True}}
    held = {"file": story.read_text(), "texts": told, "settings": axes, "answers": [[asked, reply(asked)]]}
    drawn = Asked({"world": "branch-line"}).map({}).as_json()
    assert opened(page)["map"]["x"] == drawn["x"]
    changed = asked | {"parameters": {"left": "2"}, "discount": "1/2"}
    settings = axes | {"p.left": "2", "discount": "1/2"}
    map_ = opened(page)["map"]
    assert opened(page) == held | {"settings": settings, "answers": [[changed, reply(changed)]], "map": map_}
    assert page.read_text().count("<script>") == 0
    assert "<title>Do you step in? &lt;/script&gt;" in page.read_text()
    output_of("explore", story, "--save", page)
    assert opened(page) == held | {"map": drawn | {"outlines": opened(page)["map"]["outlines"]}}
    story.write_text(world_text("branch-line") + "# mine\n")
    output_of("explore", story, "--save", page)
    assert opened(page)["file"].endswith("# mine\n")
    output_of("solve", "copy", "--map", "r_2", "discount", "--caring", "1/3", "--save", page)
    ((asked, _),) = opened(page).pop("answers")
    assert asked == {"view": "identity", "world": "copy", "parameters": {}, "caring": ["1/3", "1", "0"]} | {
        "lineage": {"value": "cpy", "copying": True}
    }
    assert opened(page)["settings"] == {"x": "r_2", "y": "discount", "alpha": "1/3"}


def test_without_a_page_and_with_one_of_other_sources_the_remedy_is_said(place, tmp_path):
    """The control: the page of these sources is saved."""
    saving.save_page(tmp_path / "saved.html")
    assert "make explorer" not in output_of("solve", "copy")
    place.write_text(PAGE.replace(building.hash_sources(), "0" * 64))
    with pytest.raises(SettingError, match=r"built from other sources.*make explorer"):
        saving.save_page(tmp_path / "saved.html")
    place.unlink()
    with pytest.raises(SettingError, match=r"no built page of the explorer; run  make explorer"):
        saving.save_page(tmp_path / "saved.html")
    assert "--save copy.html   (first, once:  make explorer)" in output_of("solve", "copy")
    with pytest.raises(SettingError, match=r"multislot solve copy --save map\.png"):
        output_of("explore", "copy", "--save", "map.png")


def test_a_story_with_a_mistake_is_not_saved(place, tmp_path):
    story = tmp_path / "mine.toml"
    story.write_text(world_text("copy").replace('state = "away"', 'state = "awry"').replace("r_2", "r_3", 1))
    with pytest.raises(SettingError, match=r"mine\.toml: line"):
        output_of("explore", story, "--save", tmp_path / "mine.html")
    assert not (tmp_path / "mine.html").exists()


def test_a_distribution_contains_the_page_where_it_was_built(tmp_path):
    """The control: another folder inside the package is no part of it."""
    for name in ("built", "burnt"):
        (tmp_path / "scenarios" / "explore" / name).mkdir(parents=True)
        (tmp_path / "scenarios" / "explore" / name / "explorer.html").write_text("page")
    (tmp_path / "MANIFEST.in").write_text((ROOT / "MANIFEST.in").read_text(encoding="utf-8"))
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = page\nversion = 1\n[options]\npackages =\n")
    (tmp_path / "setup.py").write_text("from setuptools import setup\n\nsetup()\n")
    done = subprocess.run([sys.executable, "setup.py", "-q", "egg_info"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    held = (tmp_path / "page.egg-info" / "SOURCES.txt").read_text().split()
    assert [name for name in held if name.endswith(".html")] == ["scenarios/explore/built/explorer.html"]
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert release.count("make explorer") == 1
    assert release.count("path: scenarios/explore/built\n") == 2


@pytest.mark.full
@pytest.mark.parametrize("width", [1200, 400])
def test_a_browser_opens_the_file_from_a_disk_and_saves_it_again(built, tmp_path, monkeypatch, width):  # noqa: F811
    monkeypatch.setattr(saving, "BUILT", built / "explorer.html")
    story, page = tmp_path / "mine.toml", tmp_path / "mine.htm"
    story.write_text(
        world_text("branch-line").replace('"branch-line"', '"mine"').replace("Do you step in?", "Do you dare?")
    )
    output_of("solve", story, "--set", "left=2", "--discount", "1/2", "--save", page)
    assert page.stat().st_size < LARGEST
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with chromium(tmp_path / "profile") as seen:
        seen.size(width)
        seen.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
        )
        seen.open(page.as_uri())
        assert seen.run("return document.querySelector('nav details').open") is False
        check(seen, width)
        assert seen.text("#share") == "Save it as a file"
        assert seen.run(LINKS) == [0, 5]
        assert seen.run("return document.querySelectorAll('.controls .worlds select').length") == 0
        assert seen.text("nav details:has(select) > summary") == "More about this program"
        seen.enter("[data-key='p.left'] input[type=text]", "3")
        seen.enter("[data-key='p.away'] input[type=text]", "7/2")
        changed = world_named("branch-line", left=3, away=Fraction(7, 2))
        worth = action_values(changed, "cpy", discount=Fraction(1, 2), horizon=5)["step in"]
        seen.until(f"return document.querySelector('#answer table').innerText.includes('{worth}')")
        seen.run("document.querySelector('#share').click()")
        seen.until("return document.querySelector('#copied').innerText.startsWith('Saved as')")
        assert seen.complaints() == []
        again = downloads / "mine.html"
        seen.wait_for(again.exists)
    with chromium(tmp_path / "other") as other:  # somebody else's browser
        other.open(again.as_uri())
        assert other.text("h1") == "Do you dare?"
        assert other.run("return document.querySelector(\"[data-key='p.left'] input[type=text]\").value") == "3"
        assert other.complaints() == []
        saving.save_page(page)
        other.open(page.as_uri())
        assert other.run(LINKS) == [5, 0]  # without a story all views are offered
        output_of("solve", story, "--save", page)
        for path in (again, page):
            cut = tmp_path / f"cut{path.suffix}"
            cut.write_text(path.read_text(encoding="utf-8").replace("file:engine.zip", "gone"), encoding="utf-8")
            other.open(cut.as_uri())
            assert "Whoever counts only slot 1" in other.text(".verdicts")  # Python cannot start in this page
            assert len(other.text("#answer table")) > 100
            other.until("return document.querySelectorAll('.maps svg').length === 4")
            other.enter("[data-key='p.left'] input[type=text]", "4")
            other.until("return document.querySelector('.fault').innerText.includes('Python stopped')")


def check(seen, width):
    """The story, its settings, its numbers and its maps are there, and nothing is wider than the window."""
    worth = action_values(world_named("branch-line", left=2), "cpy", discount=Fraction(1, 2), horizon=5)["step in"]
    assert seen.text("h1") == "Do you dare?"
    assert str(worth) in seen.text("#answer table")
    seen.until("return document.querySelectorAll('.maps svg').length === 4")
    assert seen.run("return document.documentElement.scrollWidth") <= width
    seen.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    cells = "[...document.querySelectorAll('#answer td, #answer th[scope=row]')]"
    assert seen.run(f"return {cells}.filter((one) => one.getBoundingClientRect().right > innerWidth).length") == 0
    assert seen.run(f"return {cells}.length") > 20
