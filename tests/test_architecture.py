"""The floors of the house: who may import whom, how many rooms there are, and how documented code is."""

import ast
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import networkx
import pytest

from scenarios.lab import registry
from tests.build import (
    ROOT,
    compiled_hashes,
    compiled_sources,
    digest,
    one_hot_sources,
    stale_modules,
)
from tests.conftest import SLOW

PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
FLOORS = {
    "multislot": {"multislot"},
    "extenv": {"multislot", "extenv"},
    "considerate": {"multislot", "considerate"},
    "scenarios": set(PACKAGES),
}
LONGEST_FUNCTION = 60
MOST_ROOMS = 15
"""The exact core has at most so many files and folders, `names` not counted, which is a former name of `futures`."""


parse = cache(ast.parse)
"""Every module is parsed once, for all tests here."""


def modules(package):
    return sorted((ROOT / package).rglob("*.py"))


def with_names(path, text):
    """The text of a module, followed by the imports of a package whose names are imported when they are used."""
    stub = path.with_suffix(".pyi")
    if path.name != "__init__.py" or not stub.exists():
        return text
    package = ".".join(path.parent.relative_to(ROOT).parts)
    return text + stub.read_text(encoding="utf-8").replace("from .", f"from {package}.")


def imported(path):
    """Names of the modules that a file imports, wherever in it."""
    for node in ast.walk(parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            yield node.module


def trespasses(path, package):
    return {name for name in imported(path) if name.split(".")[0] in set(PACKAGES) - FLOORS[package]}


@pytest.mark.parametrize("package", PACKAGES)
def test_nobody_imports_from_a_floor_above(package):
    found = {str(path): names for path in modules(package) if (names := trespasses(path, package))}
    assert not found


def test_an_import_from_above_would_be_found(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    import scenarios.lab.cli\n    from considerate import solve\n")
    assert trespasses(bad, "extenv") == {"scenarios.lab.cli", "considerate"}


def edges(sources):
    """Yield who imports whom, type-only imports and those inside functions included; `sources` is {module: text}."""
    for name, text in sources.items():
        for node in ast.walk(parse(text)):
            if isinstance(node, ast.Import):
                found = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inside = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                found = {module if module in sources else node.module for module in inside.values()}
            else:
                continue
            yield from ((name, other) for other in found & sources.keys() if other != name)


def circles(sources):
    components = networkx.strongly_connected_components(networkx.DiGraph(edges(sources)))
    return sorted(sorted(component) for component in components if len(component) > 1)


def product():
    """Return the text of every module of the product, by name."""
    paths = [path for package in PACKAGES for path in modules(package)]
    names = (".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths)
    texts = (with_names(path, path.read_text(encoding="utf-8")) for path in paths)
    return dict(zip(names, texts, strict=True))


def test_no_module_imports_itself_through_others():
    assert circles(product()) == []


def scenarios_that_import_another(sources):
    """Return the pairs (module, imported module) that belong to two scenarios."""
    owners = {
        name: scenario.module
        for scenario in registry.discover().values()
        for name in sources
        if name == scenario.module or name.startswith(f"{scenario.module}.")
    }
    pairs = ((name, other) for name, other in edges(sources) if {name, other} <= owners.keys())
    return [(name, other) for name, other in pairs if owners[name] != owners[other]]


def test_no_scenario_imports_another():
    sources = product()
    assert scenarios_that_import_another(sources) == []
    teleport, copy = "scenarios.identity.teleport", "scenarios.identity.copy"
    planted = {**sources, teleport: "from scenarios.identity import copy"}
    assert scenarios_that_import_another(planted) == [(teleport, copy)]


@pytest.mark.parametrize(
    "back",
    ["from p.a import A", "def f():\n    import p.a", "if TYPE_CHECKING:\n    from p import a", "import p.c\n"],
)
def test_a_circle_of_imports_would_be_found(back):
    sources = {"p": "from p import a", "p.a": "from p.b import B\nimport json", "p.b": back, "p.c": "import p.a"}
    assert [component for component in circles(sources) if {"p.a", "p.b"} <= set(component)]
    assert circles({**sources, "p.b": ""}) == []


def ambiguous(sources):
    """Yield modules that share their name with a public function of their package or of a module next to them."""
    for name, text in sources.items():
        package = name if any(other.startswith(f"{name}.") for other in sources) else name.rpartition(".")[0]
        body = parse(text).body
        functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        if package == name:
            imports = [node for node in body if isinstance(node, ast.ImportFrom) and node.module != package]
            functions |= {alias.asname or alias.name for node in imports for alias in node.names}
        yield from (f"{package}.{function}" for function in functions if f"{package}.{function}" in sources)


def test_no_module_shares_its_name_with_a_public_function():
    assert sorted(ambiguous(product())) == []


def test_an_ambiguous_name_would_be_found():
    sources = {"p": "from q.solving import solve", "p.solving": "def find(): ..."}
    assert list(ambiguous(sources)) == []
    assert list(ambiguous({**sources, "p.solve": "", "p.find": ""})) == ["p.solve", "p.find"]
    assert list(ambiguous({"p": "", "p.q": "def f(): ...", "p.f.g": ""})) == []


def too_long(sources):
    """Yield functions of more than `LONGEST_FUNCTION` lines."""
    for name, text in sources.items():
        for node in ast.walk(parse(text)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= LONGEST_FUNCTION:
                yield f"{name}.{node.name}"


def test_functions_are_short():
    assert sorted(too_long(product())) == ["considerate.craftworld.qlearning.q_learning"]  # one compiled loop


def test_a_function_that_is_too_long_would_be_found():
    lines = "    pass\n" * LONGEST_FUNCTION
    assert list(too_long({"p": f"class A:\n  def f(self):\n{lines}", "q": f"def g():\n{lines[9:]}"})) == ["p.f"]


def test_the_exact_core_has_few_rooms():
    exact = ROOT / "multislot" / "exact"
    rooms = [path for path in exact.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    assert 1 < len([path for path in rooms if path.name not in ("__init__.py", "names.py")]) <= MOST_ROOMS


def test_test_modules_say_what_they_are():
    helpers = [path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")]
    assert [path for path in helpers if not ast.get_docstring(parse(path.read_text()))] == []


@pytest.fixture
def small_build(tmp_path):
    """A project with a compiled module and the hash of its source, as the build writes it."""
    (tmp_path / "multislot").mkdir()
    (tmp_path / "setup.py").write_text('COMPILED = [\n    "multislot/fast.py",\n    "multislot/never_built.py",\n]\n')
    source = tmp_path / "multislot" / "fast.py"
    source.write_text("FAST = True\n")
    (tmp_path / "multislot" / "never_built.py").write_text("")
    (tmp_path / "multislot" / "fast.cpython-311-x86_64-linux-gnu.so").write_bytes(b"")
    (tmp_path / "multislot" / "_compiled.hashes").write_text(f"{digest(source)}  multislot/fast.py\n")
    return tmp_path


def test_a_module_compiled_from_another_source_is_caught(small_build):
    source = small_build / "multislot" / "fast.py"
    assert stale_modules(small_build) == []
    source.write_text("FAST = False\n")
    assert stale_modules(small_build) == [source]
    source.write_text("FAST = True\n")
    assert stale_modules(small_build) == []
    (small_build / "setup.py").write_text('COMPILED = [\n    "multislot/never_built.py",\n]\n')
    assert stale_modules(small_build) == [source]


def test_times_of_files_do_not_make_a_module_stale(small_build):
    for path, time in zip(sorted((small_build / "multislot").iterdir()), (100, 300, 200, 0), strict=True):
        os.utime(path, (time, time))
    assert stale_modules(small_build) == []
    shutil.copytree(small_build, small_build / "copy", copy_function=shutil.copyfile)
    assert stale_modules(small_build / "copy") == []


def test_a_compiled_module_without_a_hash_is_stale(small_build):
    (small_build / "multislot" / "_compiled.hashes").unlink()
    assert stale_modules(small_build) == [small_build / "multislot" / "fast.py"]


def test_the_build_wrote_hashes_of_all_it_compiled():
    hashed = set(compiled_hashes(ROOT))
    sources = [*compiled_sources(), *one_hot_sources(ROOT / "multislot" / "agents")]
    assert not hashed or hashed == set(sources)


def missing_tests(ids):
    """Ids of tests whose file has no such function."""
    for name in ids:
        path, _, function = name.partition("[")[0].partition("::")
        source = ROOT / path
        if not source.exists() or f"def {function.rpartition('::')[2]}(" not in source.read_text(encoding="utf-8"):
            yield name


def test_the_slow_tests_that_are_listed_exist():
    assert list(missing_tests(SLOW)) == []
    assert list(missing_tests(["tests/test_nothing.py::test_it", "tests/test_examples.py::test_it[1]"])) != []


@pytest.mark.parametrize(("body", "status"), [("pytest.skip('not today')", 5), ("assert True", 0)])
def test_a_run_that_executes_no_test_fails(tmp_path, body, status):
    test = tmp_path / "test_one.py"
    test.write_text(f"import pytest\n\n\ndef test_one():\n    {body}\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.conftest",
        "-c",
        str(ROOT / "pyproject.toml"),
        str(test),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == status, done.stdout


def test_the_project_speaks_of_itself_alone():
    """No absolute path of somebody's machine stands in the project."""
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT).stdout.split()
    prefixes = tuple(f"/{name}/" for name in ("home", "root", "Users", "work"))
    texts = [
        ROOT / name for name in tracked if Path(name).suffix in (".py", ".md", ".toml", ".csv", ".txt", ".cff", "")
    ]
    found = [
        str(path)
        for path in texts
        if path.is_file()
        and any(f"{mark}{prefix}" in path.read_text(encoding="utf-8") for prefix in prefixes for mark in ' "')
    ]
    assert found == []
