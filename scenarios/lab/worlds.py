"""The commands ``multislot worlds`` and ``multislot new``: the worlds that come with the package, and a new one."""

import json
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from multislot.errors import SettingError, UnknownNameError
from multislot.exact.files.forms import NAME
from multislot.exact.files.worlds import FileKernel, find_kernel, world_named, world_names
from multislot.files.writing import open_draft
from scenarios.lab import printing

ABOUT_ANOTHER = re.compile(r'^(?:source|moral) = (?:""".*?"""|[^\n]*)\n', re.DOTALL | re.MULTILINE)
"""What a story that begins as a copy of another one should not keep."""
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
        if Path(f"{world}.toml").is_file():
            raise SettingError(f"unknown world {world!r}; give the file, {world}.toml") from None
        raise


def list_worlds(as_json: AsJson = False) -> None:
    """List the thought experiments that come with the package, for `solve` and `explore`."""
    forms = [world_named(name).form for name in world_names()]
    if as_json:
        print(json.dumps([{key: getattr(form, key) for key in ("name", "title", "question")} for form in forms]))
        return
    table = Table("world", "what happens", "question")
    for form in forms:
        table.add_row(form.name, form.title, form.question)
    printing.show(printing.output(), table)
    printing.say_next("solve branch-line", "new my_world.toml", "new my_world.toml --from branch-line")


def write_new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
    known: Annotated[
        str | None, typer.Option("--from", metavar="WORLD", help="Copy this world; `multislot worlds` lists them.")
    ] = None,
) -> None:
    """Write a commented thought experiment into a new file, or a world that exists, ready to be changed and solved."""
    if known is None:
        text = (files("scenarios.lab") / "new_world.toml").read_text(encoding="utf-8")
    else:
        text = ABOUT_ANOTHER.sub("", find_world(known).document.text)
    if NAME.fullmatch(file.stem):
        text = re.sub(r"""(?m)^name = ("[^"]*"|'[^']*')""", f'name = "{file.stem}"', text, count=1)
    with open_draft(file, is_new=True) as opened:
        opened.write(text.encode())
    print(f"wrote {file}; open it in a text editor, and change its words, its numbers and what comes of each action")
    printing.say_next(f"solve {shlex.quote(str(file))}")
