"""Known policies in the place of a language model, to test what asks one.

They are given what a server is sent, and nothing else. An agent reads its history out of the prompt, so that it must
come to exactly the rewards of the same agent in the process.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from multislot.agents.language.situation import Reply, Request, Situation
from multislot.agents.language.template import Template
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.stream import Stream, published_streams

WORDS = "I would rather not say which one, but it was a pleasure to think about it."
CHARACTERS_A_TOKEN = 4


class Subject(Protocol):
    """Answers requests as a language model would."""

    def answer(self, request: Request, /) -> str:
        """Return the text of the answer."""


@lru_cache(maxsize=64)
def published_stream(seed: int) -> Stream:
    """Return the agents' stream of a seed, as `multislot.engine.stream.published_streams` has it."""
    return published_streams(seed)[0]


@dataclass(frozen=True)
class AgentSubject:
    """An agent that reads its history out of the prompt.

    Attributes:
        factory: makes the agent.
        template: the one that the prompts are written by.
        stream: gives the agent's stream for the seed of a request.
    """

    factory: AgentFactory
    template: Template
    stream: Callable[[int], Stream] = published_stream

    def answer(self, request: Request) -> str:
        """Return the letter of what the agent does after the history in the prompt."""
        situation = self.template.read(request.messages, request.seed)
        action = self.agent(situation, request.seed).act(situation.observation)
        return self.template.letters_of(situation.n_actions, request.seed)[action]

    def agent(self, situation: Situation, seed: int) -> Agent:
        """Return an agent that has learned what a situation shows one by one."""
        rate = situation.learning_rate
        overrides = {} if rate is None else {"learning_rate": rate}
        agent = self.factory(situation.n_observations, situation.n_actions, self.stream(seed), **overrides)
        for turn in situation.latest:
            if turn.following is None:
                agent.learn_last(turn.observation, turn.action, turn.reward)
            else:
                agent.learn(turn.observation, turn.action, turn.reward, turn.following)
        return agent


@dataclass(frozen=True)
class FirstLetter:
    """Always answers the first letter in the alphabet: a liking for a letter, which exchanging letters must show."""

    def answer(self, request: Request) -> str:
        """Return the letter."""
        return min(request.letters)


@dataclass(frozen=True)
class Nonsense:
    """Never answers a letter, so that the agent acts at random, exactly as `multislot.agents.RandomAgent`."""

    words: str = WORDS

    def answer(self, request: Request) -> str:
        """Return words that name no letter."""
        return self.words


@dataclass(frozen=True)
class Fickle:
    """Changes its mind each time it is asked the same: the control for how often answers differ.

    Attributes:
        asked: how often each prompt was asked.
    """

    asked: "Counter[tuple[Any, ...]]" = field(default_factory=Counter)
    lock: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    def answer(self, request: Request) -> str:
        """Return the letters in turn."""
        key = (request.messages, request.seed)
        with self.lock:
            self.asked[key] += 1
            return request.letters[self.asked[key] % len(request.letters)]


@dataclass(frozen=True)
class SubjectSource:
    """A subject without a server between it and the client.

    Attributes:
        subject: who answers.
        name: the model's name.
    """

    subject: Subject
    name: str = "subject"

    @property
    def settings(self) -> Mapping[str, Any]:
        """No settings."""
        return {}

    def ask(self, request: Request) -> Reply:
        """Return the subject's answer."""
        said = "".join(text for _, text in request.messages)
        return Reply(self.subject.answer(request), -(-len(said) // CHARACTERS_A_TOKEN), 1)
