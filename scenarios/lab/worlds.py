"""The commands ``multislot worlds`` and ``multislot new``: the worlds that come with the package, and a new one."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from multislot.errors import SettingError
from multislot.exact.files.worlds import world_named, world_names
from scenarios.lab import printing

AsJson = Annotated[bool, typer.Option("--json", help="Print only the list, as JSON.")]


def list_worlds(as_json: AsJson = False) -> None:
    """List the thought experiments that come with the package, for `solve` and `explore`."""
    worlds = [world_named(name) for name in world_names()]
    if as_json:
        rows = [{"name": world.name, "title": world.title, "question": world.question} for world in worlds]
        print(json.dumps(rows))
        return
    table = Table("world", "what happens", "question")
    for world in worlds:
        table.add_row(world.name, world.title, world.question)
    printing.show(printing.output(), table)
    printing.say_next("solve branch-line", "new my_world.toml")


def write_new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
) -> None:
    """Write a commented thought experiment into a new file, ready to be changed and solved."""
    text = (files("scenarios.lab") / "new_world.toml").read_text(encoding="utf-8")
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise SettingError(f"{file} exists already; give another name, or remove it first") from None
    except (OSError, ValueError) as error:
        raise SettingError(f"{file} cannot be written: {error}") from None
    print(f"wrote {file}; change its numbers and its story")
    printing.say_next(f"solve {file}", f"explore {file}")
