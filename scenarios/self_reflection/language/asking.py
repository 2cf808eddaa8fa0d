"""Who is asked in ``language``: the model, or a scripted one behind a server on this machine."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from extenv.measuring.factories import signature
from multislot.agents.language import (
    AgentSubject,
    ChatServer,
    Client,
    Fickle,
    FirstLetter,
    LocalModel,
    Nonsense,
    ScriptedServer,
    Template,
)
from multislot.agents.language.client import Source
from multislot.agents.language.memory import Memory
from multislot.agents.language.situation import AnswerForm
from multislot.agents.language.subjects import Subject
from multislot.checks import refusal
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.stream import Stream
from scenarios.self_reflection.language.settings import FICKLE, FIRST_LETTER, LOCAL, NONSENSE, SCRIPTED, Settings
from scenarios.self_reflection.measuring import TABULAR

FIRST_DRAW = 2**20
"""Made-up rewards are drawn from here on in the agents' stream, where no agent of this scenario reads."""
REWARDS = (-1.0, 0.0, 1.0)
CLIENTS: "dict[Asked, Client]" = {}
"""The clients of this run, by what they ask."""
MEMORIES: "dict[tuple[Asked, str, str], Memory]" = {}
"""The answers of scripted models in this run, by template."""


@dataclass(frozen=True)
class Asked:
    """A model and how it is asked; the fields are those of `Settings`."""

    model: str
    base_url: str
    shown: int
    form: AnswerForm
    temperature: float
    max_tokens: int
    threads: int
    most_calls: int
    answers: str
    dry: bool

    @property
    def is_scripted(self) -> bool:
        """Whether a known policy answers."""
        return self.model.startswith(SCRIPTED)


def asked_by(settings: Settings, model: str = "") -> Asked:
    """Return the model of some settings, or another one asked in the same way."""
    values = {name: getattr(settings, name) for name in Asked.__dataclass_fields__}
    return Asked(**(values | {"model": model or settings.model}))


def template_of(asked: Asked, name: str = "plain", **changes: Any) -> Template:
    """Return a template by name, as the settings have it."""
    return Template.load(name, shown=asked.shown, form=asked.form, **changes)


def subject_of(name: str, template: Template) -> Subject:
    """Return a scripted model by its name."""
    others: dict[str, Subject] = {FIRST_LETTER: FirstLetter(), NONSENSE: Nonsense(), FICKLE: Fickle()}
    return others[name] if name in others else AgentSubject(TABULAR[name], template)


@contextmanager
def client_of(asked: Asked, template: Template) -> Iterator[Client]:
    """Open a client with a tally of its own; those of one model share the answers and the largest number of calls.

    A scripted model reads a prompt as its template tells it to; with another it may answer the same prompt otherwise.
    """
    if not asked.is_scripted:
        client = shared_client(asked).counted_apart()
        yield client.dry() if asked.dry else client
        return
    with ScriptedServer(subject_of(asked.model.removeprefix(SCRIPTED), template)) as server:
        source = ChatServer(asked.model, server.base_url, asked.temperature, asked.max_tokens)
        memory = MEMORIES.setdefault((asked, template.name, template.letters), Memory())
        client = shared_client(asked).counted_apart(source, memory)
        yield client.dry() if asked.dry else client
        source.close()


def shared_client(asked: Asked) -> Client:
    """Return the one client of a model in this run; raise SettingError if several processes cannot keep a limit."""
    if asked.most_calls and parent_process() is not None:
        raise refusal(
            "most_calls",
            asked.most_calls,
            "one process",
            "leave --jobs and --cluster out; threads ask at the same time",
        )
    if asked not in CLIENTS:
        CLIENTS[asked] = Client(source_of(asked), answers=answers_of(asked), most_calls=asked.most_calls or None)
    return CLIENTS[asked]


def source_of(asked: Asked) -> Source:
    """Return the model; a scripted one has another server for each cell."""
    if asked.model.startswith(LOCAL):
        return LocalModel(asked.model.removeprefix(LOCAL), asked.temperature, asked.max_tokens)
    return ChatServer(asked.model, asked.base_url or None, asked.temperature, asked.max_tokens)


def answers_of(asked: Asked) -> Path | None:
    """Return the file of answers, with its folder made; None if they are not kept, as those of a known policy."""
    if asked.is_scripted or not asked.answers:
        return None
    Path(asked.answers).parent.mkdir(parents=True, exist_ok=True)
    return Path(asked.answers)


def forget_clients() -> None:
    """Close the clients of an earlier run: a new one has all its calls before it."""
    MEMORIES.clear()
    while CLIENTS:
        CLIENTS.popitem()[1].close()


class Unpaid(Agent):
    """An agent that is told rewards drawn at random instead of its own.

    Rewards as they were, only in another order, would not do: that all of them are good or bad remains visible, and an
    agent may act on it. What is drawn follows from the number of turns lived alone, so that nothing that the agent does
    depends on a reward: it earns in an environment just what it loses in the opposite, and its measure is exactly 0.

    Args:
        agent: the agent inside.
        stream: what rewards are drawn from.
    """

    def __init__(self, agent: Agent, stream: Stream) -> None:
        self.agent, self.stream, self.lived = agent, stream, 0

    def act(self, observation: int) -> int:
        """Return the action of the agent inside."""
        return self.agent.act(observation)

    def drawn(self) -> float:
        """Return the reward that is told next."""
        self.lived += 1
        return REWARDS[int(self.stream.at(FIRST_DRAW + self.lived) * len(REWARDS))]

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Let the agent inside learn with a drawn reward."""
        self.agent.learn(observation, action, self.drawn(), next_observation)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Likewise, for a turn after which something ended."""
        self.agent.learn_last(observation, action, self.drawn())


@dataclass(frozen=True)
class UnpaidFactory:
    """Makes `Unpaid` agents around those of another factory, with the same parameters."""

    factory: AgentFactory

    def __call__(self, n_observations: int, n_actions: int, stream: Stream, **overrides: Any) -> Unpaid:
        """Return a fresh agent."""
        return Unpaid(self.factory(n_observations, n_actions, stream, **overrides), stream)

    @property
    def __signature__(self) -> inspect.Signature:
        return signature(self.factory) or inspect.signature(self.__call__)
