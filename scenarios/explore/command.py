"""The command ``multislot explore``: opens the explorer in the browser."""

import sys
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from multislot.errors import SettingError
from multislot.exact.files.reading import FileError
from multislot.exact.files.worlds import find_kernel, world_names
from scenarios.explore.serving import LONGEST, Answering, Server
from scenarios.lab.limits import GIGABYTES

USUAL_PORT = 8765

World = Annotated[
    str | None,
    typer.Argument(metavar="[FILE|NAME]", help="A world's TOML file, or the name of a world of the package."),
]
Port = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=65535, help="The port; 8765 by default, or a free one.")
]
Seconds = Annotated[float, typer.Option(metavar="S", min=0.1, max=1e6, help="How long a question may take.")]
Gigabytes = Annotated[float, typer.Option(metavar="GB", min=0.1, max=1e6, help="The memory that answers may need.")]
Browser = Annotated[bool, typer.Option(help="Open the page in the browser.")]


def explore(
    world: World = None,
    port: Port = None,
    browser: Browser = True,
    seconds: Seconds = LONGEST,
    gigabytes: Gigabytes = GIGABYTES,
) -> None:
    """Explore thought experiments in the browser: change the numbers, and see who accepts.

    The page comes from this machine, and nothing leaves it. Press Ctrl+C to end.
    """
    first = choose_first(world)
    answering = Answering(longest=seconds, gigabytes=gigabytes)
    try:  # the same port every time, so that links go on working
        server = Server(USUAL_PORT if port is None else port, first, answering)
    except SettingError:
        if port is not None:
            raise
        server = Server(0, first, answering)
    print(f"the explorer is at {server.url} (Ctrl+C ends it)", file=sys.stderr, flush=True)
    if browser:
        webbrowser.open(server.url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        server.server_close()


def choose_first(world: str | None) -> dict[str, Any]:
    """Choose the world that the page shows first; a faulty file is shown with its faults marked."""
    if world is None:
        return {}
    if world in world_names():
        return {"world": world}
    try:
        return {"file": find_kernel(world).document.text}
    except FileError:
        return {"file": Path(world).read_text(encoding="utf-8")}
