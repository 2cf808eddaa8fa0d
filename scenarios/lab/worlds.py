"""The commands ``multislot worlds`` and ``multislot new``: the worlds that come with the package, and a new one."""

import json
import shlex
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from multislot.errors import SettingError, UnknownNameError
from multislot.exact.files.worlds import FileKernel, find_kernel
from multislot.files.writing import open_draft
from scenarios.lab import printing

AsJson = Annotated[bool, typer.Option("--json", help="Print only the list, as JSON.")]


def find_world(world: str) -> FileKernel:
    """The kernel of a world or a file. For an experiment that is not a world, the error says what to run instead."""
    try:
        return find_kernel(world)
    except UnknownNameError:
        from scenarios.lab import registry

        if world in registry.discover():
            problem = f"{world!r} is an experiment and not a world; run it with  multislot run {world}"
            raise SettingError(problem) from None
        raise


def list_worlds(as_json: AsJson = False) -> None:
    """List the thought experiments that come with the package, for `solve` and `explore`."""
    worlds = sorted((files("multislot.exact") / "worlds").iterdir(), key=lambda file: file.name)
    forms = {file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8")) for file in worlds}
    if as_json:
        rows = [
            {"name": name, "title": form["title"], "question": form.get("question", "")} for name, form in forms.items()
        ]
        print(json.dumps(rows))
        return
    table = Table("world", "what happens", "question")
    for name, form in forms.items():
        table.add_row(name, form["title"], form.get("question", ""))
    printing.show(printing.output(), table)
    printing.say_next("solve branch-line", "new my_world.toml")


def write_new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
) -> None:
    """Write a commented thought experiment into a new file, ready to be changed and solved."""
    text = (files("scenarios.lab") / "new_world.toml").read_text(encoding="utf-8")
    with open_draft(file, is_new=True) as opened:
        opened.write(text.encode())
    print(f"wrote {file}; change its numbers and its story")
    printing.say_next(f"solve {shlex.quote(str(file))}", f"explore {shlex.quote(str(file))}")
