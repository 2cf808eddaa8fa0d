"""What the command's process is told by: how Python was called, and what it does before anything is imported."""

import atexit
import gc
import io
import os
import runpy
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import multislot
from multislot import __main__, starting
from tests.build import ROOT


@pytest.mark.parametrize(
    ("seen", "typed", "expected"),
    [
        ("-m", ["python", "-m", "multislot"], True),
        ("-m", ["python", "-Im", "multislot", "run"], True),
        ("-m", ["python", "-m", "pytest", "multislot"], False),
        ("-m", ["python", "m", "multislot"], False),
        ("-m", ["python", "-mx", "multislot"], False),
        ("/bin/multislot", ["python", "/bin/multislot"], True),
        ("/bin/multislot.exe", ["/bin/multislot.exe"], True),
        ("/bin/multislot", ["python"], False),
        ("/bin/other", ["python", "/bin/other"], False),
        ("-m", ["python", "-m"], False),
        (None, ["multislot"], False),
        ("-c", ["python", "-m", "multislot"], False),
        ("-m", ["python", "-a", "multislot"], False),
        ("-m", ["python", "!m", "multislot"], False),
        ("-m", ["python", "-m", "about"], False),
        ("/bin/about", ["python", "/bin/about"], False),
    ],
)
def test_the_command_is_told_by_how_python_was_called(monkeypatch, seen, typed, expected):
    monkeypatch.setattr(sys, "argv", [seen, "list"] if seen else [])
    monkeypatch.setattr(sys, "orig_argv", " ".join(typed).split())  # other objects than the constants
    assert starting.is_command() is expected


@pytest.mark.parametrize(
    ("first", "safe", "folder", "left"),
    [
        ("-m", False, "elsewhere", ["b", "c"]),
        ("-m", True, "elsewhere", ["elsewhere", "b", "c"]),
        ("-m", False, "/", ["b", "c"]),
        ("-m", False, str(ROOT), [str(ROOT), "b", "c"]),
        ("/bin/multislot", False, "elsewhere", ["elsewhere", "b", "c"]),
    ],
)
def test_only_a_folder_that_may_hide_modules_is_left(monkeypatch, first, safe, folder, left):
    monkeypatch.setattr(sys, "argv", [first, "list"])
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "multislot"] if first == "-m" else [first])
    monkeypatch.setattr(sys, "flags", SimpleNamespace(safe_path=safe))
    monkeypatch.setattr(sys, "path", [folder, "b", "c"])
    starting._leave_folder()
    assert sys.path == left


@pytest.mark.parametrize("ours", [True, False], ids=["Python's handler", "a handler of others"])
def test_the_command_can_be_interrupted_and_prints_whatever_the_encoding(monkeypatch, ours):
    done = []
    handler = signal.default_int_handler if ours else signal.SIG_IGN
    monkeypatch.setattr(gc, "disable", lambda: done.append("no garbage"))
    monkeypatch.setattr(signal, "getsignal", {signal.SIGINT: handler}.get)
    monkeypatch.setattr(signal, "signal", lambda *arguments: done.append(arguments))
    monkeypatch.setattr(atexit, "register", lambda *arguments: done.append(arguments))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    monkeypatch.setattr(sys, "stderr", None)
    starting.start()
    begun, ended = (signal.SIGINT, starting.end_at_once), (signal.signal, signal.SIGINT, signal.SIG_IGN)
    assert done == ["no garbage", *([begun, ended] if ours else [])]
    assert (sys.stdout.errors, sys.stderr.name, sys.stderr.errors) == ("replace", os.devnull, "replace")
    sys.stderr.close()
    monkeypatch.setattr(os, "_exit", done.append)
    starting.end_at_once(signal.SIGINT, None)
    assert done[-1] == 130


@pytest.mark.parametrize("is_command", [True, False])
def test_the_command_imports_a_name_when_it_is_used_first(monkeypatch, is_command):
    started = []
    monkeypatch.setattr(starting, "is_command", lambda: is_command)
    monkeypatch.setattr(starting, "start", lambda: started.append("before imports"))
    names = runpy.run_path(str(Path(multislot.__file__)))
    assert (started, "run" in names) == (["before imports"] * is_command, not is_command)
    assert names["__getattr__"]("run") is multislot.run
    assert names["__getattr__"]("exact") is multislot.exact
    with pytest.raises(AttributeError, match=r"has no attribute 'runs'$"):
        names["__getattr__"]("runs")


def test_the_command_runs_only_where_python_is_told_to_run_it(monkeypatch, capsys):
    ran = []
    scenarios = SimpleNamespace(BELONGS_TO_MULTISLOT=True, run_command=lambda: ran.append("command"))
    monkeypatch.setitem(sys.modules, "scenarios", scenarios)
    monkeypatch.setitem(sys.modules, "scenarios.lab.cli", scenarios)
    for name, runs in (("__main__", 1), ("multislot.__main__", 1), ("Main", 1)):
        runpy.run_path(__main__.__file__, run_name=name)
        assert len(ran) == runs
    for place, said in (({"__path__": ["/a", "/b"]}, "/a, /b"), ({"__file__": "c.py"}, "c.py"), ({}, "unknown")):
        monkeypatch.setitem(sys.modules, "scenarios", SimpleNamespace(**place))
        with pytest.raises(SystemExit) as ended:
            __main__.main()
        assert (ended.value.code, len(ran)) == (2, 1)
        assert capsys.readouterr().err.startswith(f"multislot: {said} hides multislot's own package 'scenarios'; ")
