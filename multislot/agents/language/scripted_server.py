"""A server on this machine that speaks chat completions and behind which a known policy stands, faults included.

It listens on 127.0.0.1 and a free port, for as long as its context is open::

    with ScriptedServer(AgentSubject(QLearner, template)) as server:
        client = Client(ChatServer("scripted", base_url=server.base_url))
"""

import json
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, TypeAlias, get_args

from multislot.agents.language.reading_answers import CHOICE
from multislot.agents.language.situation import AnswerForm, Request
from multislot.agents.language.subjects import CHARACTERS_A_TOKEN, Subject
from multislot.checks import checked_parts, number
from multislot.errors import SettingError, UnknownNameError

HOST = "127.0.0.1"
Fault: TypeAlias = Literal[
    "",
    "rate limit",
    "broken",
    "hung up",
    "cut",
    "not json",
    "no completion",
    "endless",
    "silent",
    "unauthorised",
    "refused",
]
"""What a server does instead of answering; the empty one answers."""
FAULTS = get_args(Fault)
"""All of them."""
STATUSES = {"rate limit": 429, "broken": 500, "unauthorised": 401, "refused": 400}
RETRY_AFTER = "7"
ENDLESS = b" " * 2**16


class ScriptedServer:
    """A subject behind chat completions; a context in which it listens.

    Args:
        subject: who answers.
        faults: what happens to the first requests, one each; all later ones are answered.
        fault: what happens to all requests after those.
        delay: seconds that every answer takes.

    Attributes:
        base_url: the address to give to `ChatServer`.
        requests: how many were received.
        bodies: what was sent, oldest first.

    Raises:
        UnknownNameError: there is no such fault.
    """

    def __init__(self, subject: Subject, faults: Iterable[Fault] = (), fault: Fault = "", delay: float = 0.0) -> None:
        self.subject: Subject = checked_parts("subject", subject, "answer")
        self.faults, self.fault = list(faults), fault
        self.delay: float = number("delay", delay, 0)
        self.closing = threading.Event()
        for one in (*self.faults, fault):
            if one not in FAULTS:
                raise UnknownNameError("fault", one, FAULTS)
        self.bodies: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> "ScriptedServer":
        """Listen until `close` is called; return the server itself."""
        self.closing.clear()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer((HOST, 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __enter__(self) -> "ScriptedServer":
        return self.start()

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Listen no longer."""
        self.closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def base_url(self) -> str:
        """The server's address; raises SettingError if it does not listen."""
        if self._server is None:
            raise SettingError("the scripted server does not listen; open it with  with ScriptedServer(…) as server")
        return f"http://{HOST}:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> int:
        """How many requests were received."""
        return len(self.bodies)

    def next_fault(self, body: dict[str, Any]) -> Fault:
        """Note a request and return what happens to it."""
        with self._lock:
            self.bodies.append(body)
            place = len(self.bodies) - 1
        return self.faults[place] if place < len(self.faults) else self.fault

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the completion that answers a request."""
        messages = tuple((one["role"], one["content"]) for one in body["messages"])
        letters = _listed(messages[0][1])
        request = Request(messages, letters, _form(body), body.get("seed", 0))
        text = self.subject.answer(request)
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        if request.form == "log-probabilities":
            top = [{"token": letter, "logprob": -0.1 if letter == text else -9.0} for letter in letters]
            choice["logprobs"] = {"content": [{"token": text, "logprob": -0.1, "top_logprobs": top}]}
        said = json.dumps({CHOICE: text}) if request.form == "choice" else text
        length = -(-sum(len(content) for _, content in messages) // CHARACTERS_A_TOKEN)
        return {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice | {"message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": length, "completion_tokens": 1, "total_tokens": length + 1},
        }


def _listed(task: str) -> tuple[str, ...]:
    """Return the letters that a task lists, each at the beginning of a line."""
    lines = (line.partition(":")[0] for line in task.splitlines())
    return tuple(sorted({line for line in lines if len(line) == 1 and line.isupper()}))


def _form(body: dict[str, Any]) -> AnswerForm:
    if "response_format" in body:
        return "choice"
    return "log-probabilities" if body.get("logprobs") else "text"


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection; `owner` is set by the server."""

    protocol_version = "HTTP/1.1"
    owner: ScriptedServer

    def do_POST(self) -> None:
        """Answer a request, or do what its fault says."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = self.owner.next_fault(body)
        self.owner.closing.wait(self.owner.delay)
        actions: dict[str, Callable[[], None]] = {
            "": lambda: self._send(200, json.dumps(self.owner.completion(body)).encode()),
            "hung up": self._hang_up,
            "cut": lambda: self._send(200, b'{"choices": [{"mess', missing=100),
            "not json": lambda: self._send(200, b"<html>Bad gateway</html>"),
            "no completion": lambda: self._send(200, b'{"object": "list", "data": []}'),
            "endless": self._go_on_for_ever,
            "silent": self._say_nothing,
        }
        with suppress(OSError):  # the client has hung up
            actions.get(fault, lambda: self._refuse(fault))()

    def _send(self, status: int, data: bytes, missing: int = 0, headers: str = "") -> None:
        """Send an answer in one piece, its last `missing` bytes not at all."""
        length = f"Content-Type: application/json\r\nContent-Length: {len(data) + missing}\r\n"
        self.wfile.write(f"HTTP/1.1 {status} \r\n{length}{headers}\r\n".encode() + data)
        if missing:
            self._hang_up()

    def _refuse(self, fault: str) -> None:
        """Refuse with a status, repeating the key as some servers do."""
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        error = {"error": {"message": f"{fault}, with the key {key}", "type": fault}}
        headers = f"Retry-After: {RETRY_AFTER}\r\n" if fault == "rate limit" else ""
        self._send(STATUSES[fault], json.dumps(error).encode(), headers=headers)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _go_on_for_ever(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 \r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            self.wfile.write(f"{len(ENDLESS):x}\r\n".encode() + ENDLESS + b"\r\n")

    def _say_nothing(self) -> None:
        self.owner.closing.wait()
        self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # the base class's name
        """Say nothing on standard error."""
