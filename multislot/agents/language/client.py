"""Who asks a language model: remembers answers, counts what was asked, and keeps to a largest number of calls.

An agent's prompt is asked once, whoever asks first: the agent itself, a copy of it that an environment made, or an
agent of another run with the same history and seed. So agents with the same history act alike (Alexander et al. 2021,
Definition 9), although most servers do not answer alike when they are asked again. How often they would not is measured
on a sample, see `Client.ask_again`.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from hashlib import sha256
from heapq import heappush, heapreplace
from pathlib import Path
from typing import Any, Protocol

from multislot.agents.language.errors import CallLimitError, LanguageError
from multislot.agents.language.memory import Memory, explained, request_key
from multislot.agents.language.reading_answers import letter_in
from multislot.agents.language.situation import Reply, Request
from multislot.cells.threads import end_if_cancelled
from multislot.checks import checked_parts, whole
from multislot.statistics import Interval, clopper_pearson

SAMPLE = 20
CHARACTERS_A_TOKEN = 4
"""A rule of thumb for English; used where no tokeniser is at hand."""
OUTPUT_TOKENS = 1
MILLION = 1_000_000


class Source(Protocol):
    """A language model: `ChatServer`, `LocalModel`, or a class of your own."""

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that its answers depend on, as JSON values."""

    def ask(self, request: Request, /) -> Reply:
        """Return the answer to a request, or raise LanguageError."""


@dataclass(frozen=True)
class Tally:
    """What was asked so far, or would be asked.

    Attributes:
        prompts: different prompts that agents had to have answered.
        calls: how many of them were not remembered, so that the model was asked.
        input_tokens: of all prompts.
        output_tokens: of all answers.
        invalid: answers that could not be read.
        fallbacks: prompts after which the agent acted at random, since no answer could be read.
        retries: how often the server had to be asked again because it did not answer.
        seconds: the model's own time for these answers, whenever they were given.
    """

    prompts: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    invalid: int = 0
    fallbacks: int = 0
    retries: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        asked = f"{self.prompts:,} prompts, {self.calls:,} calls"
        length = f"{self.input_tokens:,} tokens in, {self.output_tokens:,} out"
        lost = f"{self.invalid:,} answers not read, {self.fallbacks:,} actions at random"
        return f"{asked}; {length}; {lost}; {self.seconds:.1f} s"

    def cost(self, input_price: float, output_price: float) -> float:
        """Return what the tokens cost at these prices for a million."""
        return (self.input_tokens * input_price + self.output_tokens * output_price) / MILLION


@dataclass(frozen=True)
class Steadiness:
    """How often a model answers otherwise when it is asked again.

    Attributes:
        asked: how many prompts were asked again.
        differed: how often another letter was the answer.
    """

    asked: int
    differed: int

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.differed} of {self.asked} answers differed when asked again [{low:.3f}, {high:.3f}]"

    @property
    def share(self) -> float:
        """The share of answers that differed; NaN if nothing was asked."""
        return self.differed / self.asked if self.asked else float("nan")

    @property
    def interval(self) -> Interval:
        """Its exact 95% interval (Clopper and Pearson 1934), as if prompts were independent."""
        return clopper_pearson(self.differed, self.asked) if self.asked else (0.0, 1.0)


class Client:
    """Asks a language model for agents.

    Args:
        source: the model.
        answers: a file in which answers are remembered; without one they are remembered as long as the client lives.
        most_calls: the largest number of calls of this client and of those `counted_apart` from it; None for no limit.
            A request that is sent again because a server did not answer is one call, see `Tally.retries`.
        sample: how many prompts `ask_again` asks again at most.
        timer: returns seconds; what the model's time is measured with.

    Raises:
        SettingError: a number is out of its domain, or the file cannot be one of answers.
        StoreError: the file cannot be opened.
    """

    def __init__(
        self,
        source: Source,
        *,
        answers: Path | str | None = None,
        most_calls: int | None = None,
        sample: int = SAMPLE,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.source: Source = checked_parts("source", source, "name", "settings", "ask", remedy="give ChatServer(…)")
        self.most_calls = None if most_calls is None else whole("most_calls", most_calls, 0)
        self.sample, self.timer = whole("sample", sample, 0), timer
        self.memory = Memory(answers)
        self._lock = threading.Lock()
        self._asking: dict[str, Future[Reply]] = {}
        self._calls = [0]
        self._begin_counting()

    def _begin_counting(self) -> None:
        self._tally = Tally()
        self._met: dict[str, bool] = {}
        self._sampled: list[tuple[str, Request]] = []

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in sorted(self.source.settings.items()))
        return f"Client({self.source.name!r}{settings})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.source, self.memory.path, self.most_calls, self.sample, self.timer)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Client":
        return self

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file of answers, and the source if it can be closed."""
        self.memory.close()
        getattr(self.source, "close", lambda: None)()

    @property
    def tally(self) -> Tally:
        """What was asked so far."""
        with self._lock:
            return self._tally

    def counted_apart(self, source: Source | None = None, memory: Memory | None = None) -> "Client":
        """Return a client with a tally and a sample of its own, which shares answers and the number of calls left.

        Args:
            source: the same model at another place; by default it is where it was.
            memory: where its answers are remembered instead, if the model might answer otherwise there.
        """
        client = Client.__new__(type(self))
        client.__dict__.update(self.__dict__)  # copy.copy would make a new client, as pickling does
        client.source = source or self.source
        if memory is not None:
            client.memory, client._asking = memory, {}
        client._begin_counting()
        return client

    def dry(self) -> "Client":
        """Return a client that asks nobody: agents that use it show what a run would ask, in its `tally`.

        Where an answer is remembered it is used; elsewhere one of the letters is made up, so that the true run asks
        about as much, not exactly. Tokens are estimated as a quarter of the characters.
        """
        client = Client(_MadeUp(self.source), sample=0)
        client.memory = _ReadOnly(self.memory)
        return client

    def ask(self, request: Request) -> Reply:
        """Return the answer to a request: the remembered one if there is one.

        Raises:
            LanguageError: the model did not answer.
            CallLimitError: the largest number of calls is used up.
            StoreError: the answer cannot be kept.
        """
        key = request_key(self.source.name, self.source.settings, request)
        with self._lock:
            known = self.memory.get(key)
            if known is not None:
                self._note(key, request, *known)
                return known[0]
            running = self._asking.get(key)
            if running is None:
                self._reserve()
                mine = self._asking[key] = Future()
        if running is not None:
            return running.result()
        try:
            reply = self._call(key, request)
            mine.set_result(reply)
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._asking[key]
        return reply

    def choose(self, request: Request, second_try: Callable[[Request, str], Request], tries: int) -> str | None:
        """Return the letter that the model answers, asking again where it cannot be read; None if it never can.

        Args:
            request: the question.
            second_try: makes the next question from the last one and what was answered to it.
            tries: how many questions at most.
        """
        first = request
        for _ in range(tries):
            reply = self.ask(request)
            letter = letter_in(reply.text, request.letters)
            if letter is not None:
                return letter
            self._note_once(request, "invalid")
            request = second_try(request, reply.text)
        self._note_once(first, "fallbacks")
        return None

    def ask_again(self) -> Steadiness:
        """Ask a sample of the prompts once more; return how often the letter differs.

        The sample are the prompts of the smallest hashes, which does not depend on the order of asking. The second
        answers are remembered, too, but no agent acts on them.
        """
        differed = 0
        sampled = sorted(self._sampled, key=lambda one: one[0])
        for _, request in sampled:
            key = request_key(self.source.name, self.source.settings, request, repeat=1)
            known = self.memory.get(key)
            if known is None:
                with self._lock:
                    self._reserve()
                reply = self._answered(key, request)
            else:
                reply = known[0]
            differed += letter_in(reply.text, request.letters) != letter_in(self.ask(request).text, request.letters)
        return Steadiness(len(sampled), differed)

    def _reserve(self) -> None:
        """Count a call before it is made."""
        end_if_cancelled()
        if self.most_calls is not None and self._calls[0] >= self.most_calls:
            used = f"most_calls={self.most_calls} is used up"
            raise explained(
                CallLimitError(f"the model {self.source.name!r} would be asked once more, but {used}"), self.memory
            )
        self._calls[0] += 1
        self._tally = replace(self._tally, calls=self._tally.calls + 1)

    def _call(self, key: str, request: Request) -> Reply:
        reply = self._answered(key, request)
        with self._lock:
            known = self.memory.get(key)
            self._note(key, request, *(known or (reply, 0.0)))
            self._tally = replace(self._tally, retries=self._tally.retries + reply.retries)
        return reply

    def _answered(self, key: str, request: Request) -> Reply:
        began = self.timer()
        try:
            reply = self.source.ask(request)
        except LanguageError as error:
            raise explained(error, self.memory) from None
        self.memory.add(key, reply, self.timer() - began)
        return reply

    def _note(self, key: str, request: Request, reply: Reply, seconds: float) -> None:
        """Count a prompt that agents met for the first time, and keep it if it is of the sample."""
        if key in self._met:
            return
        self._met[key] = True
        now = self._tally
        self._tally = replace(
            now,
            prompts=now.prompts + 1,
            input_tokens=now.input_tokens + reply.input_tokens,
            output_tokens=now.output_tokens + reply.output_tokens,
            seconds=now.seconds + seconds,
        )
        if self.sample:
            self._consider(sha256(key.encode()).hexdigest(), request)

    def _consider(self, digest: str, request: Request) -> None:
        """Keep the prompts of the smallest hashes."""
        entry = (_inverted(digest), request)
        if len(self._sampled) < self.sample:
            heappush(self._sampled, entry)
        elif entry[0] > self._sampled[0][0]:
            heapreplace(self._sampled, entry)

    def _note_once(self, request: Request, what: str) -> None:
        """Count something once for every prompt."""
        key = f"{what} {request_key(self.source.name, self.source.settings, request)}"
        with self._lock:
            if key not in self._met:
                self._met[key] = True
                self._tally = replace(self._tally, **{what: getattr(self._tally, what) + 1})


def _inverted(digest: str) -> str:
    """Return a hash that is the larger the smaller it was: the smallest entry of a heap is the one to go."""
    return f"{2**256 - int(digest, 16):064x}"


def _again(
    source: Source, path: Path | None, most_calls: int | None, sample: int, timer: Callable[[], float]
) -> Client:
    return Client(source, answers=path, most_calls=most_calls, sample=sample, timer=timer)


@dataclass(frozen=True)
class _MadeUp:
    """Answers in the place of a model, which is not asked."""

    source: Source

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.source.settings

    def ask(self, request: Request) -> Reply:
        said = "".join(text for _, text in request.messages)
        drawn = int(sha256(said.encode()).hexdigest(), 16) % len(request.letters)
        return Reply(request.letters[drawn], -(-len(said) // CHARACTERS_A_TOKEN), OUTPUT_TOKENS)


class _ReadOnly(Memory):
    """The answers of another memory, and made-up ones that it never learns of."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._remembered = memory

    def get(self, key: str) -> tuple[Reply, float] | None:
        return self._remembered.get(key) or super().get(key)
