"""No code of the packages reads a file that a user names, but through the door, `multislot.foreign`."""

import ast

import pytest

from tests.build import ROOT

PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
DOOR = "multislot/foreign.py"
METHODS = {"read_text", "read_bytes", "open", "fromfile", "loadtxt", "genfromtxt", "memmap", "open_memmap", "fdopen"}
"""Methods that read a file, whatever they belong to; `open` not with a mode that only writes."""
FUNCTIONS = {
    *("open", "ZipFile", "TarFile", "GzipFile", "memmap", "fromfile", "loadtxt", "read_csv", "read_parquet"),
    *("zipfile.ZipFile", "sqlite3.connect", "tarfile.open", "gzip.open", "shelve.open", "h5py.File", "mmap.mmap"),
}
LOADERS = {"json", "tomllib", "pickle", "cloudpickle", "marshal", "np", "numpy", "torch", "yaml", "joblib", "pd", "pq"}
LOADING = ("load", "read_", "safe_load", "full_load", "unsafe_load", "scan")
WRITING = {"w", "wb", "x", "xb", "a", "ab"}
DATA = {
    "considerate/craftworld/files.py": {""},
    "multislot/agents/language/template.py": {"Template.load"},
    "multislot/exact/__init__.py": {""},
    "multislot/exact/files/worlds.py": {"world_text"},
    "scenarios/consideration/known_answers/__init__.py": {"stored_run"},
    "scenarios/explore/building.py": {"*"},
    "scenarios/explore/play.py": {"*"},
    "scenarios/explore/saving.py": {"read_page"},
    "scenarios/explore/serving.py": {"page_files"},
    "scenarios/lab/worlds.py": {"list_worlds", "write_new"},
    "scenarios/profile/card.py": {"*"},
    "scenarios/profile/questions.py": {""},
    "scenarios/report/page.py": {"_text"},
    "scenarios/self_reflection/released.py": {"*"},
    "scenarios/self_reflection/stored_totals.py": {"*"},
    "scenarios/vega/__init__.py": {"*"},
    "scenarios/vega/vendor.py": {"*"},
}
"""Readers of files that are part of the packages, by the function; an empty name is the module itself."""
OTHERS = {
    "multislot/cells/store.py": {"CellStore._connect": "SQLite opens the file, which `check_kind` has looked at"},
    "multislot/cells/files.py": {"sync_folder": "a folder"},
    "multislot/starting.py": {"ending_with_status": "the place where all output is lost"},
    "multislot/cells/clusters.py": {"read_cluster": "a text that the door has read"},
    "scenarios/lab/commands.py": {"report_": "a browser"},
    "scenarios/explore/serving.py": {"explore": "a browser"},
}


def readers(text):
    """Yield (line, enclosing function, call) of everything in a module that reads a file."""
    pending = [(ast.parse(text), "")]
    while pending:
        node, place = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            place = f"{place}.{node.name}".strip(".")
        pending += [(child, place) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Call) and reads(node):
            yield node.lineno, place, ast.unparse(node.func)


def reads(call):
    """Whether a call reads a file."""
    called = call.func
    name = ast.unparse(called)
    modes = [value.value for value in (*call.args, *(word.value for word in call.keywords)) if is_text(value)]
    if set(modes) & WRITING:
        return False
    if isinstance(called, ast.Attribute):
        owner = ast.unparse(called.value)
        loads = owner in LOADERS and called.attr.startswith(LOADING) and not called.attr.endswith("loads")
        return called.attr in METHODS or name in FUNCTIONS or loads
    return name in FUNCTIONS


def is_text(value):
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_allowed(module, place):
    allowed = DATA.get(module, set()) | OTHERS.get(module, {}).keys()
    return module == DOOR or place in allowed or "*" in allowed


def test_only_the_door_reads_files_of_others():
    found = [
        f"{module}:{line} {place}: {call}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for module in [path.relative_to(ROOT).as_posix()]
        for line, place, call in readers(path.read_text(encoding="utf-8"))
        if not is_allowed(module, place)
    ]
    assert found == []


def test_every_exception_is_needed():
    for module, places in (DATA | {name: set(places) for name, places in OTHERS.items()}).items():
        present = {place for _, place, _ in readers((ROOT / module).read_text(encoding="utf-8"))}
        assert present if "*" in places else places <= present, module


@pytest.mark.parametrize(
    "planted",
    [
        "open(path).read()",
        "open(path, 'rb')",
        "Path(path).read_text(encoding='utf-8')",
        "path.read_bytes()",
        "path.open('r')",
        "os.open(path, os.O_RDONLY)",
        "np.load(path, allow_pickle=False)",
        "torch.load(path)",
        "json.load(file)",
        "tomllib.load(file)",
        "yaml.safe_load(path.open())",
        "ZipFile(path)",
        "zipfile.ZipFile(path)",
        "sqlite3.connect(path)",
        "pd.read_csv(path)",
        "Image.open(path)",
        "np.fromfile(path)",
    ],
)
def test_a_planted_reader_is_caught(planted):
    text = f"class Loader:\n    def load(self, path):\n        return {planted}\n"
    assert [(line, place) for line, place, _ in readers(text)][:1] == [(3, "Loader.load")]


@pytest.mark.parametrize(
    "harmless", ["path.open('xb')", "open(path, mode='w')", "json.loads(text)", "tomllib.loads(text)"]
)
def test_writing_is_no_reading(harmless):
    assert list(readers(harmless)) == []
