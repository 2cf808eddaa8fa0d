"""The code in README, CONTRIBUTING and the documentation runs, and the reference lists every public name."""

import dataclasses
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
from typer.testing import CliRunner

from considerate.craftworld.files import TaskForm
from multislot.cells.clusters import read_cluster
from scenarios.lab.cli import app
from tests.build import ROOT, load_script

cells, public_names = load_script("docs/hooks/cells.py"), load_script("docs/hooks/public_names.py")

DOCUMENTS = public_names.pages()
RECIPES = ROOT / "CONTRIBUTING.md"
SLOW_TWICE = os.environ.get("MULTISLOT_INTERPRETED") == "1"
"""Tutorials run on one build only; the documentation runs them as well."""


def blocks(text):
    """The Python blocks of a document, joined: later ones build on earlier ones."""
    return "\n\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


def code_of(path: Path) -> str:
    return blocks(path.read_text(encoding="utf-8"))


def write_files(path: Path, folder: Path) -> None:
    """Write the files that a document shows."""
    for name, content in cells.files_of(path.read_text(encoding="utf-8")).items():
        (folder / name).write_text(content, encoding="utf-8")


def test_the_tables_of_works_with_are_those_that_the_command_makes():
    works_with = load_script("docs/hooks/works_with.py")
    assert works_with.page() == works_with.PAGE.read_text(encoding="utf-8")
    assert works_with.contract() in works_with.page()
    assert works_with.table() in works_with.page()


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if code_of(path) and path != RECIPES],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_the_code_in_a_document_runs(path, tmp_path, monkeypatch):
    if SLOW_TWICE and path.parent != ROOT:
        pytest.skip("the compiled build runs it")
    monkeypatch.setenv("MPLBACKEND", "agg")
    name = f"code_of_{path.stem.lower()}"
    (tmp_path / f"{name}.py").write_text(code_of(path), encoding="utf-8")
    write_files(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, name, None)
    del sys.modules[name]
    assert vars(importlib.import_module(name))["__file__"].startswith(str(tmp_path))


def recipes():
    for part in RECIPES.read_text(encoding="utf-8").split("\n## ")[1:]:
        for block in re.findall(r"^```python\n(.*?)^```", part, re.DOTALL | re.MULTILINE):
            yield pytest.param(block, id=part.split("\n")[0])


@pytest.mark.parametrize("block", list(recipes()))
def test_every_recipe_runs_alone_as_printed(block, tmp_path):
    """In a process of its own, since recipes register what other tests would then iterate over."""
    (tmp_path / "recipe.py").write_text(block, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "recipe.py"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr


def test_there_is_a_recipe_for_everything_that_users_add():
    added = {parameter.id for parameter in recipes()}
    assert added >= {
        f"Add {what}"
        for what in ("a world", "an agent", "a value", "an extended environment", "an experiment", "a Craft-World task")
    }


def test_the_documents_that_must_have_code_have_it():
    assert code_of(ROOT / "README.md")


def test_broken_code_in_a_document_would_be_found():
    with pytest.raises(ZeroDivisionError):
        exec(blocks("text\n```python\n1 / 0\n```\n"), {})


OUR_IDS = re.compile(r"""make\((?:"(?:parallel|aec)", )?"(multislot|extenv|considerate)/""")


def unregistered(text):
    """The packages of ids that a block makes without importing what registers them."""
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for package in OUR_IDS.findall(block):
            if not re.search(rf"^(?:import|from) {package}\b", block, re.MULTILINE):
                yield package


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_imports_what_registers_its_ids(path):
    assert not list(unregistered(path.read_text(encoding="utf-8")))


def test_an_id_that_nothing_registers_would_be_found():
    makes = '```python\nimport pettingzoo\npettingzoo.make("aec", "multislot/copy-v1")\n```\n'
    assert list(unregistered(makes)) == ["multislot"]
    assert not list(unregistered(makes.replace("import pettingzoo", "import multislot\nimport pettingzoo")))


def console_blocks(text):
    """Each command of a document's console blocks, with the lines that it is said to print."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield command, [line for line in shown if line.strip("… ")]


def not_printed(shown, printed):
    """Lines that a document shows and the command does not print in this order; … stands for anything."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    wanted = [" ".join(line.split()).split("…") for line in shown]
    return [parts for parts in wanted if not any(line.startswith(parts[0]) for line in lines)]


def commands_with_output():
    for path in DOCUMENTS:
        for command, lines in console_blocks(path.read_text(encoding="utf-8")):
            if lines:
                yield pytest.param(path, command, lines, id=f"{path.stem}: {command}")


@pytest.mark.parametrize(("path", "command", "lines"), list(commands_with_output()))
def test_a_document_shows_what_its_commands_print(path, command, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(path, tmp_path)
    answer = CliRunner().invoke(app, shlex.split(command)[1:], env={"COLUMNS": "200"})
    assert answer.exit_code == 0
    assert not not_printed(lines, answer.output)


def test_the_readme_and_the_guide_to_files_show_what_is_printed():
    assert {"README: multislot solve branch-line", "files: multislot solve leaky.toml --value cpy"} <= {
        parameter.id for parameter in commands_with_output()
    }


def test_the_guide_to_files_shows_the_error_for_a_misspelled_state(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    guide = ROOT / "docs" / "files.md"
    write_files(guide, tmp_path)
    path = tmp_path / "leaky.toml"
    path.write_text(
        'state = "lef" }'.join(path.read_text(encoding="utf-8").rsplit('state = "left" }', 1)), encoding="utf-8"
    )
    answer = CliRunner().invoke(app, ["solve", "leaky.toml"], env={"COLUMNS": "200"})
    assert answer.exit_code != 0
    assert f"multislot: {answer.exception}\n" in guide.read_text(encoding="utf-8")


def test_a_line_that_no_command_prints_would_be_found():
    assert not not_printed(["a  b", "c …"], "a b\nx\nc d")
    assert not_printed(["c", "a"], "a\nb\nc")


def test_every_public_name_is_in_the_reference():
    reference = public_names.listed() | public_names.told_by_hand()
    missing = public_names.unlisted([*public_names.exported(), *public_names.imported(DOCUMENTS)], reference)
    assert not missing, "add these names to a page in docs/reference"


MOST_NAMES = 500


def not_marked(reference):
    """Names of a reference that their modules do not have, or do not mark as public by ``__all__``."""
    return [
        f"{module}.{name}"
        for module, names in reference.items()
        for name in names
        for loaded in [importlib.import_module(module)]
        if not hasattr(loaded, name) or name not in getattr(loaded, "__all__", ())
    ]


def test_public_names_are_marked_in_their_modules_and_there_are_not_too_many():
    """What a module marks as public is in the reference, by the test above; here the other way round."""
    assert not not_marked(public_names.listed())
    assert sum(map(len, public_names.listed().values())) <= MOST_NAMES
    wrong = {"multislot.engine.credit": ["lineage_returns", "weigh"], "multislot": ["run", "runs"]}
    assert not_marked(wrong) == ["multislot.engine.credit.weigh", "multislot.runs"]


def test_every_value_in_the_reference_says_what_it_is(monkeypatch):
    assert not public_names.without_text()
    monkeypatch.setattr(public_names, "listed", lambda: {"scenarios.anthropics.coupons": ["HALF", "CLEAR"]})
    assert [text.split()[0] for text in public_names.without_text()] == ["scenarios.anthropics.coupons.HALF"]


def test_a_name_that_the_reference_lacks_would_be_found():
    reference = {"multislot": ["run"]}
    assert public_names.unlisted([("multislot", "Trace"), ("multislot", "run")], reference) == ["multislot.Trace"]


def keys_of(form):
    """The entries of a table of a file."""
    return {field.name for field in dataclasses.fields(form)}


def tables_in(form):
    """The dataclass of a file, and those of the tables in it."""
    if dataclasses.is_dataclass(form):
        parts = get_type_hints(form, include_extras=True).values()
        return {form}.union(*map(tables_in, parts))
    parts = () if get_origin(form) is Annotated else get_args(form)
    return set().union(*map(tables_in, parts))


def keys_that_are_not_told(forms, text):
    return {key for form in forms for key in keys_of(form) if f"`{key}`" not in text}


def test_the_guide_to_task_files_has_every_key():
    guide = (ROOT / "docs" / "how_to_write.md").read_text(encoding="utf-8")
    made = tables_in(TaskForm)
    assert len(made) >= 9
    assert not keys_that_are_not_told(made, guide)
    assert keys_that_are_not_told(made, guide.replace("`closed`", "")) == {"closed"}


@pytest.mark.parametrize("kind", ["slurm", "kubernetes"])
def test_the_files_for_clusters_can_be_read(kind):
    pytest.importorskip("yaml")
    assert read_cluster(ROOT / "docs" / "tutorials" / "cluster" / f"{kind}.yaml").workers
