"""Prompts from situations: the task, counts of earlier turns, the latest turns one by one, and a question.

As long as all turns are shown, the prompt holds everything that the agent has lived; tests read it back.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from string import Formatter
from typing import Any, Literal, TypeAlias

from multislot.agents.language.situation import Count, Request, Situation, Transition
from multislot.checks import checked_instance, checked_parts, checked_seed, known_name, whole, wrong_type
from multislot.errors import SettingError, show_value
from multislot.exact.files.reading import Document

FOLDER = Path(__file__).parent / "texts"
TEMPLATES = ("plain", "told", "newcomb", "crying-baby")
"""The templates that can be loaded by name."""
TOLD = "told"
Letters: TypeAlias = Literal["drawn", "exchanged"]
ALPHABET = "BCDEFGHJKLMNPQRSTUVWXYZ"
"""The letters of actions; A, I and O are also words, or look like numbers."""
MOST_LISTED = 40
"""The task lists the observations if there are at most this many."""
AGAIN = "That was not one of the letters {letters}. Answer with one of them and nothing else."
RATE = (
    "Your learning rate is {learning_rate}: 0 means that experience changes nothing in what you do, 1 that the latest "
    "experience decides."
)
TURN_PLACES = ("observation", "action", "reward")


@dataclass(frozen=True)
class Texts:
    """The sentences of a template; a file holds one entry for each.

    Attributes:
        task: what the agent is told once: ``{actions}``, and if wanted ``{n_observations}`` and ``{observations}``.
        turn: a turn: ``{observation}``, ``{action}`` (its letter), ``{reward}``, ``{following}``; also ``{turn}`` (its
            number) and ``{deed}`` (the action's name).
        last_turn: a turn after which something ended; as `turn`, without ``{following}``.
        count: earlier turns with one observation and action: ``{observation}``, ``{action}``, ``{times}``,
            ``{reward}`` (their sum); also ``{deed}``.
        now: the question: ``{observation}``.
        again: what follows an answer that cannot be read: ``{letters}``.
        rate: what an agent with a learning rate is told: ``{learning_rate}``.
        observations: names of the first observations; those without are numbers.
        actions: names of the first actions.
    """

    task: str
    turn: str
    last_turn: str
    count: str
    now: str
    again: str = AGAIN
    rate: str = RATE
    observations: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        _check_sentence("task", self.task, ("actions",), ("n_observations", "observations"))
        _check_sentence("turn", self.turn, (*TURN_PLACES, "following"), ("turn", "deed"))
        _check_sentence("last_turn", self.last_turn, TURN_PLACES, ("turn", "deed"))
        _check_sentence("count", self.count, (*TURN_PLACES, "times"), ("deed",))
        _check_sentence("now", self.now, ("observation",), ())
        _check_sentence("again", self.again, (), ("letters",))
        _check_sentence("rate", self.rate, ("learning_rate",), ())
        for kind, names in (("observations", self.observations), ("actions", self.actions)):
            if not all(isinstance(name, str) for name in names):
                raise wrong_type(kind, names, "a list of texts")
            if len(set(names)) < len(names) or any("\n" in name or not name.strip() for name in names):
                raise SettingError(f"got {kind}={names}; expected names that differ, each one line")


@dataclass(frozen=True)
class Template:
    """How an agent's situation is told, and how the answer is read.

    Attributes:
        name: the template's name.
        texts: its sentences.
        shown: number of latest turns that are told one by one; earlier ones are counted by observation and action.
        letters: ``"drawn"``: the run's seed draws a letter for every action, and actions are listed in the order of
            their letters, so a preference for a letter or a place is not a preference for an action;
            ``"exchanged"``, the control: the first two actions swap their letters, so do the next two, and so on.
        tries: how often a model may answer before the agent acts at random instead.
        note: sentences that are added to the task.
    """

    name: str
    texts: Texts
    shown: int = 50
    letters: Letters = "drawn"
    tries: int = 2
    note: str = ""

    def __post_init__(self) -> None:
        checked_instance("texts", self.texts, Texts)
        whole("shown", self.shown, 0)
        whole("tries", self.tries, 1)
        known_name("letters", self.letters, ("drawn", "exchanged"))

    @classmethod
    def load(cls, name: str | Path = "plain", **changes: Any) -> "Template":
        """Return a template by name (`TEMPLATES`), or from a TOML file of your own.

        Args:
            name: ``"plain"``; ``"told"``, which adds that the environment may ask what the agent would do elsewhere;
                the stories ``"newcomb"`` and ``"crying-baby"``; or the path of a file that ends in ``.toml``.
            changes: other values of the template's other attributes.

        Raises:
            FileError, UnknownNameError: If a sentence of a file is wrong.
        """
        if not isinstance(name, str | Path):
            raise wrong_type("name", name, "the name of a template, or the path of a file")
        attributes = [attribute.name for attribute in fields(cls)]
        for change in changes:
            known_name("attribute of Template", change, attributes)
        path = Path(name)
        if not str(name).endswith(".toml"):
            known_name("template", name, TEMPLATES)
            path = FOLDER / f"{'plain' if name == TOLD else name}.toml"
        note = (FOLDER / "told.txt").read_text(encoding="utf-8").strip() if name == TOLD else ""
        return cls(**{"name": Path(name).stem, "texts": Document.load(path).read(Texts), "note": note, **changes})

    def of_world(self, world: Any) -> "Template":
        """Return the template with the names that a `multislot.World` gives its observations and actions."""
        checked_parts("world", world, "n_observations", "n_actions", "describe", "describe_action")
        seen = [world.describe(observation) for observation in range(world.n_observations)]
        deeds = [world.describe_action(action) for action in range(world.n_actions)]
        return replace(self, texts=replace(self.texts, observations=seen, actions=deeds))

    def letters_of(self, n_actions: int, seed: int) -> tuple[str, ...]:
        """Return the letter of every action; an action has the same one however many actions follow it."""
        n_actions = whole("n_actions", n_actions, 1, len(ALPHABET), f"a template has {len(ALPHABET)} letters")
        drawn = tuple(random.Random(checked_seed(seed)).sample(ALPHABET, len(ALPHABET))[:n_actions])
        if self.letters == "drawn":
            return drawn
        return tuple(drawn[action ^ 1 if action ^ 1 < n_actions else action] for action in range(n_actions))

    def request(self, situation: Situation, seed: int) -> Request:
        """Return the question that a model is asked in a situation."""
        letters = self.letters_of(checked_instance("situation", situation, Situation).n_actions, seed)
        lines = [self._line(self.texts.count, count, letters, times=count.times) for count in situation.earlier]
        for place, turn in enumerate(situation.latest, 1 + sum(count.times for count in situation.earlier)):
            if turn.following is None:
                lines.append(self._line(self.texts.last_turn, turn, letters, turn=place))
            else:
                following = self.observation_name(turn.following)
                lines.append(self._line(self.texts.turn, turn, letters, turn=place, following=following))
        lines.append(self.texts.now.format(observation=self.observation_name(situation.observation)))
        messages = ("system", self._task(situation, letters)), ("user", "\n".join(lines))
        return Request(messages, tuple(sorted(letters)), seed)

    def second_try(self, request: Request, answer: str) -> Request:
        """Return the question after an answer that could not be read."""
        again = self.texts.again.format(letters=", ".join(checked_instance("request", request, Request).letters))
        return replace(request, messages=(*request.messages, ("assistant", answer), ("user", again)))

    def observation_name(self, observation: int) -> str:
        """The name of an observation."""
        names, observation = self.texts.observations, whole("observation", observation, 0)
        return names[observation] if observation < len(names) else show_value(observation)

    def action_name(self, action: int) -> str:
        """The name of an action; empty if it has none."""
        action = whole("action", action, 0)
        return self.texts.actions[action] if action < len(self.texts.actions) else ""

    def _task(self, situation: Situation, letters: Sequence[str]) -> str:
        n_seen = situation.n_observations
        listed = [self.observation_name(observation) for observation in range(n_seen if n_seen <= MOST_LISTED else 0)]
        actions = sorted((letter, self.action_name(action)) for action, letter in enumerate(letters))
        sentences = self.texts.task.format(
            n_observations=n_seen,
            observations=", ".join(listed) or "too many to list here",
            actions="\n".join(f"{letter}: {name}" if name else letter for letter, name in actions),
        )
        rate = situation.learning_rate
        further = [self.texts.rate.format(learning_rate=_number_words(rate))] if rate is not None else []
        return "\n".join([sentences, *([self.note] if self.note else []), *further])

    def _line(self, sentence: str, lived: Transition | Count, letters: Sequence[str], **further: object) -> str:
        return sentence.format(
            observation=self.observation_name(lived.observation),
            action=letters[lived.action],
            deed=self.action_name(lived.action),
            reward=_number_words(lived.reward),
            **further,
        )


def _check_sentence(name: str, sentence: str, needed: Iterable[str], known: Iterable[str]) -> None:
    """Check that a sentence has the `needed` places, such as ``{action}``, and no others than the `known` ones."""
    needed = tuple(needed)
    try:
        parts = [part for part in Formatter().parse(sentence) if part[1] is not None]
    except ValueError as error:  # a brace is unbalanced
        raise SettingError(f"got the sentence {sentence!r}; {error}; write {{{{ and }}}} for braces") from None
    present = [str(place) for _, place, _, _ in parts]
    if any(form or conversion for _, _, form, conversion in parts):  # {action:999999999} would fill the memory
        raise SettingError(f"got {name}={sentence!r}; expected places without formats, such as {{action}}")
    for place in present:
        known_name(f"place in the sentence {name!r}", place, (*needed, *known))
    for place in needed:
        if place not in present:
            raise SettingError(f"got {name}={sentence!r}; expected a sentence with the place {{{place}}}")


def _number_words(value: float) -> str:
    """Return a number as a person writes it, exactly: whole ones without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))
