"""No code of the packages reads a file that a user names, or writes one, but through one door for each.

They are `multislot.files.foreign` and `multislot.files.writing`.
"""

import ast

import pytest

from tests.build import ROOT

PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
DOOR = "multislot/files/foreign.py"
METHODS = {"read_text", "read_bytes", "open", "fromfile", "loadtxt", "genfromtxt", "memmap", "open_memmap", "fdopen"}
"""Methods that read a file, whatever they belong to; `open` not with a mode that only writes."""
FUNCTIONS = {
    *("open", "ZipFile", "TarFile", "GzipFile", "memmap", "fromfile", "loadtxt", "read_csv", "read_parquet"),
    *("zipfile.ZipFile", "sqlite3.connect", "tarfile.open", "gzip.open", "shelve.open", "h5py.File", "mmap.mmap"),
}
LOADERS = {"json", "tomllib", "pickle", "cloudpickle", "marshal", "np", "numpy", "torch", "yaml", "joblib", "pd", "pq"}
LOADING = ("load", "read_", "safe_load", "full_load", "unsafe_load", "scan")
WRITING = {"w", "wb", "x", "xb", "a", "ab"}
WRITER = "multislot/files/writing.py"
WRITERS = {"write_text", "write_bytes", "savefig", "to_csv", "savez", "savez_compressed", "copyfile"}
"""Methods and functions that write a file; `open` with a mode of `WRITING` does, too."""
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
    "scenarios/lab/worlds.py": {"write_new"},
    "scenarios/profile/card.py": {"*"},
    "scenarios/profile/questions.py": {""},
    "scenarios/report/page.py": {"_text"},
    "scenarios/self_reflection/released.py": {"*"},
    "scenarios/self_reflection/stored_totals.py": {"*"},
    "scenarios/vega/__init__.py": {"*"},
}
"""Readers of files that are part of the packages, by the function; an empty name is the module itself."""
OTHERS = {
    "multislot/cells/store.py": {"CellStore._connect": "SQLite opens the file, which `check_kind` has looked at"},
    "multislot/files/writing.py": {"sync_folder": "a folder"},
    "scenarios/lab/cli.py": {"_lose_output": "the place where all output is lost"},
    "multislot/cells/clusters.py": {"read_cluster": "a text that the door has read"},
    "scenarios/lab/commands.py": {"report_": "a browser"},
    "scenarios/explore/serving.py": {"explore": "a browser"},
}


WRITTEN = {
    "considerate/training/checkpoints.py": {"write_arrays": "into an open draft"},
    "considerate/training/models.py": {"append_episodes": "appends, and names the file in its error"},
    "multislot/bayes/maxmin.py": {"standard_output_closed": "the place where all output is lost"},
    "multislot/cells/files.py": {"_link": "a copy of a file that is set aside"},
    "multislot/drawing/figures.py": {"StyledFigure.savefig": "Matplotlib's own", "StyledFigure._repr_png_": "memory"},
    "multislot/engine/trace.py": {"Trace.save": "into an open draft"},
    "multislot/starting.py": {"start": "the place where all output is lost"},
    "scenarios/lab/exports.py": {"files_of_run": "memory"},
    "scenarios/lab/runner.py": {"_draw_picture": "memory"},
    "scenarios/lab/solving.py": {"_save_picture": "into an open draft"},
}
"""Writers that lose no older file, by the function."""
BUILDERS = {"scenarios/explore/building.py", "scenarios/explore/reflection.py"}
"""They make files of the packages, in a clone."""


def calls(text, chosen):
    """Yield (line, enclosing function, call) of every call in a module that is chosen."""
    pending = [(ast.parse(text), "")]
    while pending:
        node, place = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            place = f"{place}.{node.name}".strip(".")
        pending += [(child, place) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Call) and chosen(node):
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


def writes(call):
    """Whether a call writes a file."""
    name = ast.unparse(call.func).rpartition(".")[2]
    modes = {value.value for value in (*call.args, *(word.value for word in call.keywords)) if is_text(value)}
    return name in WRITERS or (name in {"open", "fdopen"} and bool(modes & WRITING))


def is_text(value):
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


READING = (
    reads,
    {DOOR: {"*"}} | {module: DATA.get(module, set()) | OTHERS.get(module, {}).keys() for module in DATA | OTHERS},
)
WRITTEN_ELSEWHERE = (
    writes,
    {module: {"*"} for module in {WRITER, *BUILDERS}} | {module: set(places) for module, places in WRITTEN.items()},
)


@pytest.mark.parametrize(("chosen", "allowed"), [READING, WRITTEN_ELSEWHERE], ids=["reading", "writing"])
def test_only_one_module_reads_files_of_others_and_only_one_writes(chosen, allowed):
    found = [
        f"{module}:{line} {place}: {call}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for module in [path.relative_to(ROOT).as_posix()]
        for line, place, call in calls(path.read_text(encoding="utf-8"), chosen)
        if not {place, "*"} & allowed.get(module, set())
    ]
    assert found == []
    for module, places in allowed.items():  # every exception is needed
        present = {place for _, place, _ in calls((ROOT / module).read_text(encoding="utf-8"), chosen)}
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
    assert [(line, place) for line, place, _ in calls(text, reads)][:1] == [(3, "Loader.load")]


@pytest.mark.parametrize(
    "harmless", ["path.open('xb')", "open(path, mode='w')", "json.loads(text)", "tomllib.loads(text)"]
)
def test_writing_is_no_reading(harmless):
    assert list(calls(harmless, reads)) == []


@pytest.mark.parametrize(
    "planted", ["path.write_text(page)", "open(path, 'w')", "path.open(mode='ab')", "plot.figure.savefig(path)"]
)
def test_a_planted_writer_is_caught(planted):
    assert [line for line, _, _ in calls(planted, writes)] == [1]
