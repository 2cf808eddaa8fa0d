"""A language model behind a server that speaks chat completions: vLLM, llama.cpp, Ollama, and hosted ones.

The `openai` client sends the requests. What comes back is read here, with a limit on its size and on the time it takes,
since a server may answer anything: nothing, half an answer, an endless one. Whatever does not answer is asked again
after a while, which doubles each time; a server that says how long to wait (``Retry-After``) is obeyed, by all threads.

The client reads its key from its own environment variables (``OPENAI_API_KEY``). It is not stored here, is in no file
of answers, and is struck out of what servers say in errors.
"""

import importlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from multislot.agents.language.errors import LanguageError
from multislot.agents.language.reading_answers import CHOICE, choice_schema, likeliest
from multislot.agents.language.situation import Reply, Request
from multislot.cells.threads import end_if_cancelled, pause
from multislot.checks import number, refusal, whole
from multislot.errors import MissingExtraError

KEY_VARIABLE = "OPENAI_API_KEY"
ADDRESS_VARIABLE = "OPENAI_BASE_URL"
NO_KEY = "none"
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
LARGEST_ANSWER = 4 * 2**20
"""Answers of more bytes are given up."""
LONGEST_SHOWN = 200
TOP_TOKENS = 20
RETRIED = {408, 409, 425, 429}
"""Refusals that may pass, besides those of 500 and more."""


@dataclass(frozen=True)
class Clock:
    """What time it is and how to wait, passed in so that tests need not.

    Attributes:
        now: returns seconds.
        sleep: waits so many seconds.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = pause


class _AgainError(Exception):
    """The server did not answer, but may if it is asked again."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.wait = reason, wait


@dataclass(frozen=True)
class ChatServer:
    """A model behind a server.

    Attributes:
        model: the model's name there.
        base_url: the server's address, such as ``http://127.0.0.1:8000/v1``; by default that of the `openai` client,
            which reads the environment variable ``OPENAI_BASE_URL``.
        temperature: of the model; None leaves it to the server.
        max_tokens: the longest answer; None leaves it to the server. Reasoning models need more than the default.
        extra: further entries of the request's body, such as ``{"max_completion_tokens": 2000}``.
        tries: how often a server that does not answer is asked.
        timeout: seconds after which an answer is given up.
        clock: the time.

    Raises:
        SettingError: a number is out of its domain.
    """

    model: str
    base_url: str | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = 16
    extra: Mapping[str, Any] = field(default_factory=dict)
    tries: int = 6
    timeout: float = 120.0
    clock: Clock = field(default_factory=Clock, repr=False, compare=False)
    _state: "_Connection" = field(default_factory=lambda: _Connection(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model:
            raise refusal("model", self.model, "the name of a model")
        if self.temperature is not None:
            number("temperature", self.temperature, 0)
        if self.max_tokens is not None:
            whole("max_tokens", self.max_tokens)
        whole("tries", self.tries)
        number("timeout", self.timeout, above=0)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that answers depend on; neither address nor key are among them."""
        return {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.extra}

    def ask(self, request: Request) -> Reply:
        """Return the model's answer.

        A server that was given up is asked without waiting, once for each request, until it answers.

        Raises:
            LanguageError: the server refused, or did not answer however often it was asked.
            MissingExtraError: the client is not installed.
        """
        reason = ""
        tries = 1 if self._state.given_up else self.tries
        for attempt in range(tries):
            end_if_cancelled()
            self._wait_for_turn()
            try:
                reply = self._reply(self._sent(request), request, attempt)
                self._state.given_up = False
                return reply
            except _AgainError as error:
                reason = error.reason
                if attempt + 1 < tries:
                    wait = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT) if error.wait is None else error.wait
                    self._state.not_before = max(self._state.not_before, self.clock.now() + wait)
        tried = f"after {tries} tries" if tries > 1 else "again" if self._state.given_up else "at the only try"
        self._state.given_up = True
        raise LanguageError(f"{self._described} did not answer {tried}: {reason}")

    def close(self) -> None:
        """Close the connections; another request opens new ones."""
        with self._state.lock:
            client, self._state.client = self._state.client, None
        if client is not None:
            client.close()

    @property
    def _described(self) -> str:
        return f"the model {self.model!r} at {self._address}"

    @property
    def _address(self) -> str:
        return self.base_url or os.environ.get(ADDRESS_VARIABLE) or "the default address of the openai client"

    def _wait_for_turn(self) -> None:
        wait = self._state.not_before - self.clock.now()
        if wait > 0:
            self.clock.sleep(wait)
            end_if_cancelled()

    def _sent(self, request: Request) -> bytes:
        """Send a request and return the body of the answer, or raise _AgainError or LanguageError."""
        openai, client = self._connected()
        create = client.chat.completions.with_streaming_response.create
        began = self.clock.now()
        try:
            with create(**self.body(request)) as response:
                return self._received(response, began)
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APITimeoutError:
            raise _AgainError(f"no answer within {self.timeout:g} seconds") from None
        except openai.OpenAIError as error:
            raise _AgainError(_reason(error)) from None
        except (_AgainError, LanguageError):
            raise
        except Exception as error:  # the transport's own errors while the body is read
            if isinstance(error, OSError) or type(error).__module__.startswith("httpx"):
                raise _AgainError(f"the answer was cut off ({_reason(error)})") from None
            raise

    def _received(self, response: Any, began: float) -> bytes:
        """Return the body of an answer, as far as it has an end."""
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > LARGEST_ANSWER:
                raise _AgainError(f"the answer has no end: it was given up after {len(body):,} bytes")
            if self.clock.now() - began > self.timeout:
                raise _AgainError(f"the answer had no end within {self.timeout:g} seconds")
        return bytes(body)

    def _refused(self, error: Any) -> Exception:
        """Return what a refusal of the server comes to."""
        status, said = error.status_code, _said(error)
        if status in RETRIED or status >= 500:
            return _AgainError(f"status {status}{said}", _seconds(error.response.headers.get("retry-after")))
        remedy = f"; set {KEY_VARIABLE}" if status in (401, 403) else ""
        return LanguageError(f"{self._described} refused with status {status}{said}{remedy}")

    def body(self, request: Request) -> dict[str, Any]:
        """Return what is sent: the entries of a chat completion."""
        sent: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": content} for role, content in request.messages],
            "seed": request.seed,
        }
        if self.temperature is not None:
            sent["temperature"] = self.temperature
        if self.max_tokens is not None:
            sent["max_tokens"] = self.max_tokens
        if request.form == "choice":
            schema = {"name": CHOICE, "strict": True, "schema": choice_schema(request.letters)}
            sent["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.form == "log-probabilities":
            sent |= {"logprobs": True, "top_logprobs": TOP_TOKENS}
        return sent | ({"extra_body": dict(self.extra)} if self.extra else {})

    def _reply(self, body: bytes, request: Request, retries: int) -> Reply:
        """Return the answer in a body, or raise _AgainError if there is none in it."""
        try:
            choice = json.loads(body)["choices"][0]
            text = choice["message"].get("content") or ""
            usage = json.loads(body).get("usage") or {}
            lengths = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
            if request.form == "log-probabilities":
                text = likeliest(_chances(choice), request.letters) or text
        except (ValueError, RecursionError):
            raise _AgainError(f"the answer is not JSON: {_shown(body)}") from None
        except (LookupError, TypeError, AttributeError):
            raise _AgainError(f"the answer is not a chat completion: {_shown(body)}") from None
        return Reply(str(text), *lengths, retries)

    def _connected(self) -> tuple[Any, Any]:
        """Return the openai module and its client; the key stays with the client."""
        try:
            openai: Any = importlib.import_module("openai")
        except ImportError:
            raise MissingExtraError("a language model behind a server", "language") from None
        with self._state.lock:
            if self._state.client is None:
                local = {} if os.environ.get(KEY_VARIABLE) or not self.base_url else {"api_key": NO_KEY}
                try:
                    client = openai.OpenAI(base_url=self.base_url, max_retries=0, timeout=self.timeout, **local)
                except openai.OpenAIError:
                    raise LanguageError(
                        f"{self._described} needs a key: set {KEY_VARIABLE}, or give base_url= of a server without keys"
                    ) from None
                self._state.client = client
            return openai, self._state.client


@dataclass
class _Connection:
    """What a server's requests share: the client, and when the next one may be sent; neither copied nor pickled."""

    client: Any = None
    not_before: float = 0.0
    given_up: bool = False
    lock: Any = field(default_factory=threading.Lock)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Connection, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Connection":
        return self


def _chances(choice: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the likeliest first tokens with their log-probabilities; nothing if the server does not tell them."""
    content = (choice.get("logprobs") or {}).get("content") or [{}]
    return [(str(one["token"]), float(one["logprob"])) for one in content[0].get("top_logprobs") or []]


def _seconds(header: str | None) -> float | None:
    """Return how long a server wants to be left alone, at most `LONGEST_WAIT`; None if it gives no seconds."""
    try:
        return min(max(float(header or ""), 0.0), LONGEST_WAIT)
    except ValueError:
        return None


def _said(error: Any) -> str:
    """Return what a server said about a refusal, as the end of a sentence."""
    body = error.body if isinstance(error.body, dict) else {}
    said = body.get("message") or (error.body if isinstance(error.body, str) else "")
    return f" ({_one_line(str(said))})" if said else ""


def _reason(error: BaseException) -> str:
    cause = error.__cause__ or error
    return _one_line(str(cause) or type(cause).__name__)


def _shown(body: bytes) -> str:
    return repr(_one_line(body.decode(errors="replace"))) if body else "it is empty"


def _one_line(text: str) -> str:
    """Return what a server said in one line, not too long, without the key should it have repeated it."""
    key = os.environ.get(KEY_VARIABLE)
    line = " ".join((text.replace(key, "[the key]") if key else text).split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[:LONGEST_SHOWN]} …"
