"""The server of the explorer: what it hands out, what it answers, and whom it refuses."""

import http.client
import json
import resource
import socket
import threading
from contextlib import closing, contextmanager, nullcontext

import pytest

from multislot.errors import SettingError, UnknownNameError
from multislot.exact.files.reading import LARGEST_FILE
from multislot.exact.files.worlds import world_text
from scenarios.explore import saving, serving
from scenarios.explore.questions import answer_safely, reply
from scenarios.explore.serving import LARGEST_REQUEST, Answering, Server, choose_first
from tests.scenarios.explore.slow import slow_or_broken

JSON = {"Content-Type": "application/json"}


class Direct:
    """Answers in the server's own process."""

    def reply(self, request):
        return reply(request)

    def end(self):
        pass


@contextmanager
def serving_in_a_thread(server):
    """A server that answers until the end of the block."""
    with server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def server():
    with serving_in_a_thread(Server(answering=Direct())) as made:
        yield made


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RecursionError("maximum depth"), "this looks too far ahead: give a smaller horizon"),
        (KeyError("x"), "the engine failed, which is a fault of ours: KeyError: 'x'"),
        (MemoryError(), None),
        (KeyboardInterrupt(), None),
    ],
)
def test_a_failing_engine_replies_and_a_full_memory_is_for_the_caller(error, said):
    def fail(request):
        raise error

    assert answer_safely(lambda request: request, {"x": 1}) == {"x": 1}
    with nullcontext() if said else pytest.raises(type(error)):
        assert answer_safely(fail, {}) == {"error": {"message": said, "line": 0, "entry": ""}}


def asked(server, method, path, body=None, headers=None, host=None):
    own = {"Host": f"127.0.0.1:{server.server_port}" if host is None else host}
    length = {} if body is None else {"Content-Length": str(len(body))}
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=300)) as connection:
        connection.putrequest(method, path, skip_host=True)
        for name, value in {**own, **length, **(headers or {})}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        with connection.getresponse() as found:
            return found.status, found.read().decode(), dict(found.headers)


def question(server, body, **given):
    headers = {**JSON, **given.pop("headers", {})}
    status, text, _ = asked(server, "POST", "/answer", body, headers, **given)
    return status, json.loads(text)


def test_the_page_and_all_that_it_loads_is_there_and_nothing_is_loaded_from_elsewhere(server):
    status, page, headers = asked(server, "GET", "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for part in ("/style.css", "/main.js", "/vega/vega.min.js", "/vega/vega-lite.min.js", "/vega/vega-embed.min.js"):
        assert part.removeprefix("/") in page
        assert asked(server, "GET", part)[0] == 200
    for module in server.files:
        if module.endswith(".js") and "vega" not in module:
            imports = [line.split('"')[1] for line in server.files[module].decode().split("\n") if 'from "./' in line]
            assert all(f"/{name.removeprefix('./')}" in server.files for name in imports), module


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/%2e%2e/serving.py", "//etc/passwd", "/totals.csv", "/x?/"])
def test_no_path_is_opened(server, path):
    assert asked(server, "GET", path)[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "", "127.0.0.1.evil.example"])
def test_another_host_is_refused(server, host):
    assert asked(server, "GET", "/", host=host)[0] == 421
    assert question(server, b'{"view": "start"}', host=host)[0] == 421


def test_both_names_of_this_machine_are_its_own(server):
    assert [asked(server, "GET", "/", host=host)[0] for host in server.hosts] == [200, 200]


def test_a_foreign_page_cannot_ask(server):
    body = b'{"view": "start"}'
    assert question(server, body, headers={"Origin": "http://evil.example"})[0] == 403
    assert question(server, body, headers={"Origin": server.url[:-1]})[0] == 200
    assert asked(server, "POST", "/answer", body, {"Content-Type": "text/plain"})[0] == 415


def test_a_question_is_answered_as_python_answers_it(server):
    request = {"view": "identity", "world": "branch-line", "caring": ["1/2"], "values": ["cpy", "dyn"]}
    assert question(server, json.dumps(request).encode()) == (200, reply(request))


BAD = {
    "no JSON": (b"{", 400, "expected a request in JSON"),
    "deep JSON": (b"[" * 100_000, 400, "expected a request in JSON"),
    "no request": (b"[1]", 200, "expected a table of names and values"),
    "no view": (b'{"view": "idenity"}', 200, "unknown view 'idenity'; did you mean 'identity'?"),
    "an unknown task": (b'{"view": "caring", "task": "bx", "criterion": "value"}', 200, "did you mean 'box'?"),
    "half a question": (
        b'{"view": "caring", "task": "box"}',
        200,
        "expected all of 'task', 'criterion', or none of them",
    ),
    "no beta": (b'{"view": "caution", "beta": {}, "truth": "safe", "seed": 1}', 200, "unknown beta '{}'"),
    "too much": (b'{"view": "reflection", "agent": "Q"}', 200, "unknown key of request 'agent'"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_question_is_answered_in_one_sentence_and_the_next_one_is_answered(server, kind):
    body, status, words = BAD[kind]
    found, answer = question(server, body)
    part = answer.get("map", answer)
    message = part["error"] if isinstance(part["error"], str) else part["error"]["message"]
    assert (found, words in message, "\n" in message) == (status, True, False), message
    assert len(message) < 400
    assert "error" not in question(server, b'{"view": "start"}')[1]


def test_a_request_that_is_too_long_is_refused_before_it_is_read(server):
    headers = {"Content-Length": str(LARGEST_REQUEST + 1), **JSON}
    assert asked(server, "POST", "/answer", None, headers)[0] == 413
    assert asked(server, "POST", "/answer", None, {**JSON, "Content-Length": "-1"})[0] == 413


def test_the_page_as_one_file_is_there_or_the_reader_is_told_why_not(server, monkeypatch, tmp_path):
    monkeypatch.setattr(saving, "BUILT", tmp_path / "explorer.html")
    with Server(answering=Direct()) as unbuilt:
        assert "run  make explorer" in unbuilt.opened["unbuilt"]
        assert "/explorer.html" not in unbuilt.files
    monkeypatch.setattr(serving, "read_page", lambda: "<p>the page</p>")
    with Server(answering=Direct()) as built:
        assert built.files["/explorer.html"] == b"<p>the page</p>"
        assert "unbuilt" not in built.opened
    assert json.loads(asked(server, "GET", "/opened.json")[1]) == server.opened
    assert asked(server, "POST", "/other", b"{}", JSON)[0] == 404


def test_what_takes_too_long_or_fails_is_said_and_the_next_question_is_answered():
    answering = Answering(slow_or_broken, longest=300)
    try:
        assert answering.reply("first") == {"request": "first"}
        assert "ZeroDivisionError: planted" in answering.reply("broken")["error"]["message"]
        assert "needs more than" in answering.reply("dead")["error"]["message"]
        assert answering.reply("next") == {"request": "next"}
        assert f"needs more than {answering.gigabytes:g} GB" in answering.reply("greedy")["error"]["message"]
        answering.longest = 0.01
        assert "no answer within 0.01 seconds" in answering.reply("slow")["error"]["message"]
        answering.longest = 300
        assert answering.reply("last") == {"request": "last"}
    finally:
        answering.end()


def test_the_command_opens_a_world_a_file_and_a_faulty_file(tmp_path):
    assert choose_first(None) == {}
    assert choose_first("copy") == {"world": "copy"}
    path = tmp_path / "own.toml"
    for text in (world_text("copy"), "name = 3\n"):
        path.write_text(text)
        assert choose_first(str(path)) == {"file": text}
    path.write_text("#" * (LARGEST_FILE + 1))
    with pytest.raises(SettingError, match="at most"):
        choose_first(str(path))
    with pytest.raises(UnknownNameError, match="did you mean 'copy'"):
        choose_first("cpy")


def test_a_port_in_use_is_refused_in_words(server):
    with pytest.raises(SettingError, match="cannot listen there"):
        Server(server.server_port, answering=Direct())


def test_a_text_with_half_a_surrogate_is_answered(server):
    """The page escapes what it sends, and so does the answer: such a text has no form in UTF-8."""
    status, answer = question(server, b'{"view": "identity", "file": "title = \\"\\ud800\\""}')
    assert status == 200
    assert "\\ud800" in answer["error"]["message"]
    status, answer = question(server, b'{"view": "\\ud800"}')
    assert (status, "error" in answer) == (200, True)


MANY = 1000


@pytest.mark.parametrize(
    ("error", "is_printed"), [(ConnectionResetError, False), (TimeoutError, False), (ValueError, True)]
)
def test_an_error_is_printed_unless_the_browser_left(server, capsys, error, is_printed):
    try:
        raise error
    except error:
        server.handle_error(None, ("127.0.0.1", 1))
    assert (error.__name__ in capsys.readouterr().err) is is_printed


@pytest.fixture
def many_descriptors():
    """Both ends of `MANY` connections may be open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(before[1], 4 * MANY)), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("many_descriptors")
def test_many_connections_may_wait():
    """They connect before the server accepts any; by default only five may wait, and others are reset or time out."""
    waiting = Server(answering=Direct())
    connections = [socket.create_connection(("127.0.0.1", waiting.server_port), timeout=10) for _ in range(MANY)]
    with serving_in_a_thread(waiting):
        for connection in connections:
            connection.settimeout(60)
            host = f"127.0.0.1:{waiting.server_port}"
            connection.sendall(f"GET /opened.json HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        for connection in connections:
            with connection:
                assert connection.recv(12) == b"HTTP/1.1 200"
