"""The command ``multislot explore``: a server on 127.0.0.1 that hands out the page and answers its questions.

It serves a fixed list of files, so that no path in an address is ever opened. It refuses requests whose ``Host`` is not
its own, so that a foreign page cannot reach it under another name (DNS rebinding), and questions that are not sent as
JSON from its own page. Answers come from a process of its own, which is ended if a question takes too long.
"""

import json
import sys
import threading
import webbrowser
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any

import typer

from multislot.cells.executors import without_interrupts
from multislot.errors import SettingError
from multislot.exact.files.reading import LARGEST_FILE, FileError
from multislot.exact.files.worlds import world_names
from multislot.files.foreign import read_text
from scenarios import vega
from scenarios.explore.questions import answer_safely, fault, reply
from scenarios.explore.saving import read_page, save_page
from scenarios.lab.limits import GIGABYTES, limit_memory, out_of_memory, out_of_time
from scenarios.lab.worlds import find_world

ADDRESS, USUAL_PORT = "127.0.0.1", 8765
LARGEST_REQUEST = 2_000_000
LONGEST = 30.0
"""Seconds that a question may take."""
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".txt": "text/plain"}
JSON = "application/json"
PAGE = ("index.html", "style.css")
POLICY = vega.rules("'self'", "connect-src 'self'; frame-ancestors 'none'")

World = Annotated[
    str | None,
    typer.Argument(metavar="[FILE|NAME]", help="A world's TOML file, or the name of a world of the package."),
]
Port = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=65535, help="The port; 8765 by default, or a free one.")
]
Seconds = Annotated[float, typer.Option(metavar="S", min=0.1, max=1e6, help="How long a question may take.")]
Gigabytes = Annotated[float, typer.Option(metavar="GB", min=0.1, max=1e6, help="The memory that answers may need.")]
Save = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="Save the page as one file that any browser opens, and start nothing."),
]
Browser = Annotated[bool, typer.Option(help="Open the page in the browser.")]


def page_files() -> dict[str, bytes]:
    """The files of the page by their path in an address."""
    page = files("scenarios.explore") / "page"
    contents = {f"/{name}": (page / name).read_bytes() for name in PAGE}
    contents |= {f"/{file.name}": file.read_bytes() for file in page.iterdir() if file.name.endswith(".js")}
    contents |= {f"/vega/{name}": vega.script(name).encode() for name in vega.SCRIPTS}
    contents["/licenses.txt"] = vega.licenses().encode()
    return {"/": contents["/index.html"], **contents}


class Answering:
    """Answers questions, one after another, in a process of its own.

    Args:
        answer: from a request to a reply, both JSON values.
        longest: limit of seconds for one answer.
        gigabytes: the memory that the process may have.
    """

    def __init__(
        self, answer: Callable[[Any], Any] = reply, longest: float = LONGEST, gigabytes: float = GIGABYTES
    ) -> None:
        self.answer, self.longest, self.gigabytes = answer, longest, gigabytes
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        context = get_context("spawn")
        self._mine, theirs = context.Pipe()
        self._process = context.Process(target=_answer_all, args=(theirs, self.answer, self.gigabytes), daemon=True)
        with without_interrupts():
            self._process.start()
        theirs.close()

    def reply(self, request: Any) -> Any:
        """The reply to a request. If it takes too long or the process dies, the reply says so."""
        with self._lock:
            try:
                self._mine.send(request)
                if self._mine.poll(self.longest):
                    return self._mine.recv()
                problem = out_of_time(self.longest)
            except (EOFError, OSError):
                problem = out_of_memory(self.gigabytes)
            self.end()
            self._begin()
        return fault(problem)

    def end(self) -> None:
        """End the process."""
        self._mine.close()
        self._process.kill()
        self._process.join()


def _answer_all(theirs: Connection, answer: Callable[[Any], Any], gigabytes: float) -> None:
    """Answer questions until the connection is closed."""
    limit_memory(gigabytes)
    while True:
        try:
            request = theirs.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answered = answer_safely(answer, request)
        except MemoryError:
            answered = fault(out_of_memory(gigabytes))
        theirs.send(answered)


class Server(ThreadingHTTPServer):
    """The explorer's server.

    Args:
        port: where it listens; 0 for a free one.
        opened: what the page shows first: ``{"file": text}``, ``{"world": name}``, or nothing for its own choice.
        answering: answers the questions.
    """

    daemon_threads = True
    request_queue_size = 1024
    """Connections that may wait to be accepted; by default five, and the system resets the others."""

    def __init__(self, port: int = 0, opened: dict[str, Any] | None = None, answering: Answering | None = None) -> None:
        self.files, self.opened = page_files(), dict(opened or {})
        try:
            self.files["/explorer.html"] = read_page().encode()  # the page as one file, which a reader may send
        except SettingError as error:
            self.opened["unbuilt"] = str(error)
        try:
            super().__init__((ADDRESS, port), Handler)
        except (OSError, OverflowError) as error:
            raise SettingError(f"--port {port}: cannot listen there ({error}); leave it out for a free port") from None
        self.answering = answering or Answering()

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that it answers to."""
        return tuple(f"{name}:{self.server_port}" for name in (ADDRESS, "localhost"))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print an error, unless the browser closed the connection before it was answered."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """Close the port and end the process that answers."""
        super().server_close()
        if hasattr(self, "answering"):  # missing if the port could not be opened
            self.answering.end()


class Handler(BaseHTTPRequestHandler):
    """One connection of a browser."""

    protocol_version = "HTTP/1.1"
    server: Server
    timeout = 60
    server_version = "multislot"
    sys_version = ""

    def do_GET(self) -> None:
        """Hand out a file of the page."""
        path = self.path.partition("?")[0]
        if not self._is_for_us():
            return
        if path == "/opened.json":
            self._send(200, json.dumps(self.server.opened).encode(), JSON)
        elif path in self.server.files:
            kind = KINDS[Path(path).suffix or ".html"]
            self._send(200, self.server.files[path], f"{kind}; charset=utf-8")
        else:
            self._send(404, b"there is no such page\n", "text/plain")

    def do_POST(self) -> None:
        """Answer a question."""
        length = self.headers.get("Content-Length", "")
        if not self._is_for_us():
            return
        if self.path != "/answer":
            self._refuse(404, "questions go to /answer")
        elif self.headers.get("Origin", self.server.url[:-1]) not in [f"http://{host}" for host in self.server.hosts]:
            self._refuse(403, "questions come from the explorer's own page only")
        elif self.headers.get_content_type() != JSON:
            self._refuse(415, "expected a request in JSON")
        elif not length.isdecimal() or len(length) > 12 or int(length) > LARGEST_REQUEST:
            self._refuse(413, f"expected a request of at most {LARGEST_REQUEST} bytes")
        else:
            try:
                request = json.loads(self.rfile.read(int(length)))
            except (ValueError, RecursionError):
                self._refuse(400, "expected a request in JSON")
                return
            # In ASCII: a text may hold half a surrogate.
            self._send(200, json.dumps(self.server.answering.reply(request)).encode(), JSON)

    def _is_for_us(self) -> bool:
        if self.headers.get("Host") in self.server.hosts:
            return True
        self._refuse(421, f"this server answers to {' and '.join(self.server.hosts)} only")
        return False

    def _refuse(self, status: int, message: str) -> None:
        self.close_connection = True  # the rest of the request may not have been read
        self._send(status, json.dumps(fault(message)).encode(), JSON)

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store"}
        headers |= {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        headers |= {"Referrer-Policy": "no-referrer"} | ({"Connection": "close"} if self.close_connection else {})
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server calls
        """Print nothing: the page shows what matters."""


def explore(
    world: World = None,
    port: Port = None,
    browser: Browser = True,
    save: Save = None,
    seconds: Seconds = LONGEST,
    gigabytes: Gigabytes = GIGABYTES,
) -> None:
    """Explore thought experiments in the browser: change the numbers, and see who accepts.

    The page comes from this machine, and nothing leaves it. Press Ctrl+C to end. With --save the page becomes a file
    for somebody who has nothing installed.
    """
    if save is not None:
        save_story(world, save)
        return
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
    finally:
        server.server_close()


def save_story(world: str | None, path: Path) -> None:
    """Save the page with a world or a file inside; a file with faults is refused."""
    if path.suffix not in (".html", ".htm"):
        picture = f"multislot solve {world or 'branch-line'} --save {path.with_suffix('.png')}"
        raise SettingError(f"--save {path}: give a file that ends in .html; for a picture, run  {picture}")
    try:
        save_page(path, None if world is None else find_world(world))
    except FileError as error:
        raise SettingError(f"{world}: {error}") from None
    print(f"wrote {path}; any browser opens it, without a network")


def choose_first(world: str | None) -> dict[str, Any]:
    """Choose what the page shows first; a file with faults is shown with its faults marked."""
    if world is None:
        return {}
    if world in world_names():
        return {"world": world}
    try:
        return {"file": find_world(world).document.text}
    except FileError:
        return {"file": read_text(world, LARGEST_FILE)}
