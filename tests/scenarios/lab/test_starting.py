"""The command at any terminal and in any folder: Ctrl-C, closed pipes, encodings, files that hide modules."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
# Presses Ctrl-C, for a whole group of processes, when a process of one kind imports a module.
HOOK = """
import os, signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["PRESS_AT"] and os.environ["PRESS_IN"] in " ".join(sys.orig_argv):
            sys.meta_path.remove(self)
            print("pressed", file=sys.stderr, flush=True)
            os.killpg(os.getpgrp(), signal.SIGINT)

if "PRESS_AT" in os.environ:
    sys.meta_path.insert(0, Press())
"""
COMMAND = "multislot"
SPAWNED = "multiprocessing"
LOKY = "loky"


def press_when_imported(tmp_path, module, *arguments, where):
    """Run the command in a group of processes of its own and press Ctrl-C when a module is imported."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    return call(*arguments, cwd=tmp_path, PYTHONPATH=f"{tmp_path / 'hook'}:{ROOT}", PRESS_AT=module, PRESS_IN=where)


def call(*arguments, cwd, program=("-m", "multislot"), stdout=subprocess.PIPE, **environment):
    return subprocess.run(
        [sys.executable, *program, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        timeout=300,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "BROWSER": "true", **environment},
    )


@ON_POSIX
@pytest.mark.parametrize(
    ("module", "where", "arguments"),
    [
        ("multislot.zoo", COMMAND, ["list"]),
        pytest.param("numpy", COMMAND, ["list"], marks=pytest.mark.slow),
        pytest.param("scenarios", COMMAND, ["worlds"], marks=pytest.mark.slow),
        ("scenarios.lab.cli", COMMAND, ["worlds"]),
        pytest.param("scenarios.lab.solving", COMMAND, ["solve", "copy"], marks=pytest.mark.slow),
        pytest.param("scenarios.identity.copy", COMMAND, ["run", "copy"], marks=pytest.mark.slow),
        pytest.param("joblib.externals.loky", COMMAND, ["run", "copy", "--jobs", "2"], marks=pytest.mark.slow),
        pytest.param(
            "distributed.core", COMMAND, ["run", "copy", "--cluster", "tcp://127.0.0.1:9"], marks=pytest.mark.slow
        ),
        pytest.param("scenarios.explore.serving", COMMAND, ["explore", "--no-browser"], marks=pytest.mark.slow),
        pytest.param("multislot", SPAWNED, ["explore", "--no-browser"], marks=pytest.mark.slow),
        pytest.param("numpy", LOKY, ["run", "copy", "--jobs", "2"], marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_while_modules_are_imported_leaves_no_traceback(tmp_path, module, where, arguments):
    """In the command itself, and in workers that start."""
    done = press_when_imported(tmp_path, module, *arguments, where=where)
    assert done.returncode == 130
    assert done.stderr.startswith(b"pressed\n") if where == COMMAND else b"pressed" in done.stderr
    assert b"Traceback" not in done.stderr


# Presses Ctrl-C when Python has called everything that was to be called at the end.
LAST_HOOK = """
import os, signal

class Last:
    def __del__(self, press=os.kill, process=os.getpid(), key=signal.SIGINT):
        press(process, key)

last = Last()
"""


@ON_POSIX
@pytest.mark.parametrize(("program", "status"), [(("-m", "multislot"), 0), (("-c", "pass"), -signal.SIGINT)])
def test_an_interrupt_while_python_ends_does_not_change_the_status(tmp_path, program, status):
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(LAST_HOOK)
    hook = f"{tmp_path / 'hook'}:{ROOT}"
    assert call("--version", cwd=tmp_path, program=program, PYTHONPATH=hook).returncode == status


@ON_POSIX
def test_a_folder_that_was_removed_is_said_in_a_sentence(tmp_path):
    code = (
        "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.executable, [sys.executable, '-m', 'multislot', 'list'])"
    )
    (tmp_path / "gone").mkdir()
    done = call(cwd=tmp_path / "gone", program=("-c", code))
    assert done.returncode == 2
    assert done.stderr == b"multislot: the present folder no longer exists; change to another one\n"


def test_what_to_try_next_can_be_copied_where_names_have_spaces(tmp_path):
    done = call("new", "my world.toml", cwd=tmp_path)
    assert b"multislot solve 'my world.toml'\n" in done.stderr
    assert b"multislot explore 'my world.toml'\n" in call("solve", "my world.toml", cwd=tmp_path).stderr


@ON_POSIX
def test_python_alone_prints_a_traceback_there(tmp_path):
    """The control: the same key, pressed in the same way."""
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    code = ("-c", "import json.tool  # multislot")
    environment = {"PYTHONPATH": str(tmp_path), "PRESS_AT": "json.tool", "PRESS_IN": "multislot"}
    done = call(cwd=tmp_path, program=code, **environment)
    assert done.stderr.startswith(b"pressed\nTraceback")


@ON_POSIX
def test_the_library_leaves_interrupts_to_its_user(tmp_path):
    code = "import multislot, signal; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    assert call(cwd=tmp_path, program=("-c", code)).returncode == 0


@ON_POSIX
@pytest.mark.slow
def test_ctrl_c_ends_the_explorer(tmp_path):
    arguments = [sys.executable, "-m", "multislot", "explore", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        arguments, stderr=subprocess.PIPE, cwd=tmp_path, start_new_session=True, env={**os.environ, "PYTHONPATH": ROOT}
    ) as server:
        assert b"Ctrl+C ends it" in server.stderr.readline()
        os.killpg(server.pid, signal.SIGINT)
        assert server.wait(60) == 130
        assert server.stderr.read() == b""


@ON_POSIX
@pytest.mark.parametrize("arguments", [["worlds"], pytest.param(["solve", "copy", "--json"], marks=pytest.mark.slow)])
def test_nobody_reads_the_output(tmp_path, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = call(*arguments, cwd=tmp_path, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, b"Traceback" in done.stderr, b"BrokenPipe" in done.stderr) == (141, False, False)


LOST = {
    "full": ("> /dev/full", 4, b"multislot: nothing more can be written: No space left on device\n"),
    "full errors": ("2> /dev/full", 4, b""),
    "closed": (">&-", 0, b"\nTry next:"),
    "closed errors": ("2>&-", 0, b""),
}


@ON_POSIX
@pytest.mark.parametrize("name", ["full", "full errors", *(pytest.param(n, marks=pytest.mark.slow) for n in LOST)])
def test_an_output_that_is_full_or_closed_is_no_mistake_of_multislot(tmp_path, name):
    where, status, said = LOST[name]
    code = f"import os; os.execl('/bin/sh', 'sh', '-c', '{sys.executable} -m multislot list {where}')"
    done = call(cwd=tmp_path, program=("-c", code))
    assert (done.returncode, done.stderr[: len(said)]) == (status, said)
    assert b"Traceback" not in done.stderr


@ON_POSIX
def test_python_alone_ends_with_the_status_for_a_difference_there(tmp_path):
    """The control."""
    with Path("/dev/full").open("wb") as full:
        done = call(cwd=tmp_path, program=("-c", "print(1, flush=True)"), stdout=full)
    assert (done.returncode, b"Traceback" in done.stderr) == (1, True)


COMMANDS = [["solve", "branch-line"], ["solve", "branch-line", "--json"], ["show", "copy", "--json"]]


@pytest.mark.parametrize(
    "arguments",
    [
        COMMANDS[0],
        *(
            pytest.param(arguments, marks=pytest.mark.slow)
            for arguments in (
                *COMMANDS[1:],
                ["list", "--json"],
                ["worlds", "--json"],
                ["profile", "scripted:cpy", "--json"],
                ["run", "branch-line", "--quick", "--json"],
                ["show", "branch-line"],
                ["solve", "no such “world”"],
                ["run", "--help"],
            )
        ),
    ],
    ids=" ".join,
)
def test_any_encoding_of_the_output_will_do(tmp_path, arguments):
    encoding = "cp1252" if "branch-line" in arguments else "ascii"
    environment = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = call(*arguments, cwd=tmp_path, **environment)
    assert done.returncode == (2 if arguments[1].startswith("no such") else 0), done.stderr
    assert b"Traceback" not in done.stderr
    assert "�" not in done.stdout.decode(encoding)
    if "--json" in arguments:
        json.loads(done.stdout.decode("ascii"))


@pytest.mark.parametrize(
    "hidden",
    [
        ["scenarios/__init__.py", "considerate/__init__.py", "extenv/__init__.py", "numpy.py", "typing_extensions.py"],
        ["typing.py", "signal.py", "pathlib.py", "contextlib.py", "errno.py", "gc.py", "enum.py"],
        pytest.param(["typer.py", "json.py", "random.py", "tests/__init__.py"], marks=pytest.mark.slow),
    ],
)
def test_modules_in_the_present_folder_hide_nothing(tmp_path, hidden):
    for name in hidden:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise ValueError(__name__)")
    done = call("worlds", cwd=tmp_path)
    assert (done.returncode, b"branch-line" in done.stdout) == (0, True), done.stderr


def test_an_unexpected_error_does_not_end_with_the_status_for_a_difference(tmp_path):
    code = "import sys; sys.argv = ['multislot', 'worlds']; import scenarios.lab.cli as cli; cli.main = lambda: 1 / 0; "
    done = call(cwd=tmp_path, program=("-c", code + "from multislot.__main__ import main; main()"))
    assert done.returncode == 70
    assert done.stderr.decode().splitlines()[-2:] == [
        "ZeroDivisionError: division by zero",
        "multislot: unless the lines above name a file of yours, this is a mistake in multislot; please report it",
    ]
