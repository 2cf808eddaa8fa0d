"""The chart libraries that ship with the package."""

import hashlib
import json
from importlib.resources import files

import pytest

from scenarios import vega
from tests.scenarios.test_report import Elements


@pytest.mark.parametrize("text", ["a('</script>')", "a('</SCRIPT>')", "'</SCRIPT x'", "'<!-- <script>'"])
def test_no_script_can_end_its_element_early(text):
    page = Elements(vega.inline(text))
    assert len(page.found) == 1
    inside, outside = page.texts
    assert (outside, "<" in inside) == ("", False)
    assert inside.replace("\\x3C", "<") == text


def changed(lines, folder):
    """Files whose contents are not those of their SHA-256."""
    listed = [line.split() for line in lines]
    return [name for digest, name in listed if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest]


def test_files_of_others_are_byte_for_byte_what_was_fetched(tmp_path):
    package = files("scenarios")
    lines = package.joinpath("vega", "vendored.sha256").read_text().splitlines()
    assert {line.split("/")[-1] for line in lines} >= set(vega.SCRIPTS)
    assert changed(lines, package) == []
    (tmp_path / "vega").mkdir()
    (tmp_path / "vega" / "x.js").write_bytes(b"edited")
    assert changed([f"{'0' * 64}  vega/x.js"], tmp_path) == ["vega/x.js"]


def test_the_three_libraries_are_the_versions_that_are_asked_for():
    asked = json.loads(files("scenarios.vega").joinpath("package.json").read_text())["dependencies"]
    for name, version in asked.items():
        assert f"{name} {version} (" in vega.licenses()
        assert f'"{version}"' in vega.script(f"{name}.min.js")
    assert vega.scripts().count("</script>") == len(vega.SCRIPTS) == len(asked)
