"""The code in README, CONTRIBUTING and the documentation runs."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from scenarios import registry, runner
from tests.build import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text):
    """The Python blocks of a document, joined: later ones build on earlier ones."""
    return "\n\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


def code_of(path: Path) -> str:
    return blocks(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if code_of(path)], ids=lambda path: path.name)
def test_the_code_in_a_document_runs(path, tmp_path, monkeypatch):
    name = f"code_of_{path.stem.lower()}"
    (tmp_path / f"{name}.py").write_text(code_of(path), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, name, None)
    del sys.modules[name]
    assert vars(importlib.import_module(name))["__file__"].startswith(str(tmp_path))


def test_the_documents_that_must_have_code_have_it():
    assert code_of(ROOT / "README.md")
    assert code_of(ROOT / "CONTRIBUTING.md").count("import") >= 4


def test_broken_code_in_a_document_would_be_found():
    with pytest.raises(ZeroDivisionError):
        exec(blocks("text\n```python\n1 / 0\n```\n"), {})


def test_the_readme_shows_what_the_demo_prints(tmp_path):
    shown = re.search(
        r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    lines = [" ".join(line.split()) for line in shown.group(1).splitlines()]
    copy = registry.find("copy")
    outcome = runner.run(copy, settings=copy.settings(preset="QUICK"), jobs=1, results=str(tmp_path))
    printed = [f"{row.quantity} {row.condition} {row.kind} {row.paper} {row.ours} yes" for row in outcome.rows]
    rows = [line.removeprefix("copy ") for line in lines if line.endswith(" yes")]
    assert len(rows) == 4
    assert set(rows) <= set(printed)
    lineage = [" ".join(line.split()) for line in outcome.story.splitlines()]
    assert lines[2:7] == lineage[:5]
