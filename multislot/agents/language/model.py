"""A language model that agents ask: answers are remembered, so that agents with the same history act alike.

Alexander et al. 2021, Definition 9, asks for that; most models do not answer alike when asked again.
"""

import json
import re
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from multislot.agents.language.situation import Reply, Request
from multislot.checks import checked_callable, checked_instance, refusal, whole

FEWEST_ANSWERS = 10
"""From this many answers on, the share of unreadable ones is checked."""
MOST_UNREADABLE = 0.5
THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A(?:(?!<think).)*</think(?:ing)?>", re.DOTALL)
CHOICE = "action"
"""The key of the answer in structured output."""


class UnreadableAnswersWarning(UserWarning):
    """Most answers of a language model name no action, so its agents act at random."""


class LanguageModel:
    """A language model and the answers that it has given.

    Args:
        answer: returns the model's reply to a request; see `inspect_model` for one that asks Inspect's models.
        name: of the model.
    """

    def __init__(self, answer: Callable[[Request], Reply], name: str) -> None:
        self.answer, self.name = answer, name
        self.replies: dict[Request, Future[Reply]] = {}
        self.unreadable: set[Request] = set()
        self._lock, self._has_warned = threading.Lock(), False

    def __repr__(self) -> str:
        return f"LanguageModel({self.name!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "LanguageModel":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return LanguageModel, (self.answer, self.name)

    def ask(self, request: Request) -> Reply:
        """Return the reply to a request; the remembered one if it was asked before.

        Threads with the same request wait for one reply. An error reaches all that wait, and is not remembered.
        """
        checked_instance("request", request, Request)
        own = Future[Reply]()
        with self._lock:
            asked = self.replies.setdefault(request, own)
        if asked is own:
            try:
                own.set_result(checked_reply(self.answer(request), request.letters))
            except BaseException as error:
                with self._lock:
                    del self.replies[request]
                own.set_exception(error)
        return asked.result()

    def choose(self, request: Request, second_try: Callable[[Request, str], Request], tries: int) -> str | None:
        """Return the letter that the model answers; None if none of the answers to at most `tries` questions names one.

        ``second_try`` makes the next question from the last one and the answer to it.
        """
        checked_callable("second_try", second_try)
        for _ in range(whole("tries", tries)):
            text = self.ask(request).text
            letter = read_letter(text, request.letters)
            if letter is not None:
                return letter
            self._note_unreadable(request)
            request = second_try(request, text)
        return None

    def _note_unreadable(self, request: Request) -> None:
        with self._lock:
            self.unreadable.add(request)
            asked, unreadable = len(self.replies), len(self.unreadable)
            if self._has_warned or asked < FEWEST_ANSWERS or unreadable <= MOST_UNREADABLE * asked:
                return
            self._has_warned = True
        warnings.warn(
            f"{unreadable} of the first {asked} answers of {self.name} name no action; its agents act at random "
            "where an answer cannot be read, and a measure of them says little",
            UnreadableAnswersWarning,
            stacklevel=2,
        )


def checked_reply(reply: Reply, letters: Sequence[str]) -> Reply:
    """Return what an answer function has returned, a reply with a text and a chance for each letter, or none."""
    checked_instance("answer(request)", reply, Reply, "return Reply(text)")
    checked_instance("answer(request).text", reply.text, str, "return Reply(text)")
    if reply.chances is not None and len(reply.chances) != len(letters):
        remedy = "give each of request.letters one, or return Reply(text)"
        raise refusal("answer(request).chances", reply.chances, f"{len(letters)} chances", remedy)
    return reply


def read_letter(text: str, letters: Sequence[str]) -> str | None:
    """Return the letter that an answer names; None if it names none, or more than one.

    Accepted are the letter alone, in any case and with punctuation around it, structured output
    (``{"action": "K"}``), and a sentence in which exactly one of the letters stands by itself. Text between
    ``<think>`` and ``</think>``, in which reasoning models think aloud, is ignored (``<thinking>``, too).
    """
    answer = THOUGHTS.sub("", text).strip()
    try:
        structured = json.loads(answer)
    except (ValueError, RecursionError):
        structured = None
    if isinstance(structured, dict):
        answer = str(structured.get(CHOICE))
    bare = re.sub(r"[\W_]", "", answer).upper()
    if bare in letters:
        return bare
    if isinstance(structured, dict):
        return None
    named = {letter for letter in letters if re.search(rf"(?<![^\W\d_])(?<!['’]){letter}(?![^\W\d_]|['’])", answer)}
    return named.pop() if len(named) == 1 else None
