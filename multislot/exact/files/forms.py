"""The form of a world's file: its tables and entries, and the names that it uses. See docs/files.md.

Nothing is computed here. `check_form` says what must hold before: every name that the file uses exists.
"""

import keyword
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from multislot.errors import SettingError
from multislot.exact.files.arithmetic import Arithmetic, Template, as_arithmetic, as_template
from multislot.exact.files.reading import Document, FileError, number

RESERVED = ("slot", "discount", "horizon", "caring")
"""Names that no parameter of a file may have."""
LONGEST_HORIZON = 1_000
MOST_ACTIONS = 100
DELETED = "deleted"
"""The state of an agent that no longer exists."""
NAME = re.compile(r"[\w.-]+")
IDENTIFIER = re.compile(rf"(?!({'|'.join(keyword.kwlist)})\b)[A-Za-z_][A-Za-z0-9_]*")
SMALL = re.compile(r"(?<![\w.])([\d_.]+)[eE]-\d+")


@dataclass(frozen=True)
class Each:
    """A name that runs over whole numbers: ``each = "k = 1..n"``."""

    name: str
    first: Arithmetic
    last: Arithmetic


def each(value: object) -> Each:
    """Read a name and its range; raises ValueError (see `multislot.exact.files.reading`)."""
    name, _, span = value.partition("=") if isinstance(value, str) else ("", "", "")
    first, _, last = span.partition("..")
    if not (IDENTIFIER.fullmatch(name.strip()) and first and last):
        raise ValueError('a name and a range, such as "k = 1..n"')
    return Each(name.strip(), as_arithmetic(first), as_arithmetic(last))


def target(value: object) -> Arithmetic:
    """Read a slot; "same" is the agent's own slot. Raises ValueError (see `multislot.exact.files.reading`)."""
    return as_arithmetic("slot" if value == "same" else value)


def fixed(value: object) -> int | Fraction:
    """Read a number, or arithmetic without names such as "1/3"; raises ValueError."""
    if not isinstance(value, str):
        return number(value)
    written = as_arithmetic(value)
    if written.names:
        raise ValueError('a number such as 3, or "1/3" in quotes')
    try:
        return number(written.value({}))
    except SettingError as error:
        raise ValueError(f"a number ({error})") from None


OneNumber = Annotated[Any, fixed]
OneArithmetic = Annotated[Any, as_arithmetic]
OneTemplate = Annotated[Any, as_template]
OneEach = Annotated[Any, each]
OneTarget = Annotated[Any, target]


@dataclass(frozen=True)
class Parameter:
    """A number that a user may set.

    Attributes:
        default: its value if the user gives none.
        least: the smallest allowed value; None for any.
        most: the largest allowed value; None for any.
        whole: whether it must be a whole number.
        meaning: what it is, in words.
    """

    default: OneNumber
    least: OneNumber = None
    most: OneNumber = None
    whole: bool = False
    meaning: str = ""


@dataclass(frozen=True)
class Start:
    """An agent at the beginning."""

    state: str
    slot: OneArithmetic = field(default_factory=lambda: as_arithmetic(1))


@dataclass(frozen=True)
class State:
    """A hidden state: its observation and reward at each step, and how long it lasts."""

    sees: OneTemplate = None
    pays: OneArithmetic = field(default_factory=lambda: as_arithmetic(0))
    lasts: OneArithmetic = None
    then: str = ""


@dataclass(frozen=True)
class Becomes:
    """One copy, and what it finds."""

    slot: OneTarget = field(default_factory=lambda: target("same"))
    state: str = ""
    sees: OneTemplate = None
    pays: OneArithmetic = None
    each: OneEach = None


@dataclass(frozen=True)
class Outcome:
    """A possible outcome of an action in a state; of every action if none is named."""

    state: str
    becomes: list[Becomes] = field(metadata={"example": '[{ state = "…" }]'})
    action: str = ""
    probability: OneArithmetic = field(default_factory=lambda: as_arithmetic(1))
    each: OneEach = None


@dataclass(frozen=True)
class WorldForm:
    """A whole file."""

    name: str
    start: list[Start] = field(metadata={"example": '{ state = "…" }'})
    title: str = ""
    story: str = ""
    source: str = ""
    question: str = ""
    moral: str = ""
    actions: list[str] = field(default_factory=list)
    after: list[list[str]] = field(default_factory=list)
    discount: OneNumber = Fraction(9, 10)
    horizon: int = 5
    memory: bool = True
    parameters: dict[str, Parameter] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def probabilities(self) -> frozenset[str]:
        """The parameters p for which an outcome has the probability "p" or "1 - p"."""
        written = {"".join(outcome.probability.text.split()).removeprefix("1-") for outcome in self.outcomes}
        return frozenset(name for name in self.parameters if name in written)


def read_form(document: Document) -> WorldForm:
    """Return the form of a document."""
    for match in SMALL.finditer(document.text):
        if not float(match[0]) and re.search("[1-9]", match[1]):
            line = document.text.count("\n", 0, match.start()) + 1
            raise FileError(line, "", f"got {match[0]}; expected 0, or a number that is not so close to 0")
    try:
        return Document(document.text, _spell_out(document.content)).read(WorldForm)
    except FileError as error:
        table, _, key = error.entry.removesuffix(".default").rpartition(".")
        if not table or key not in TOP:
            raise
        problem = f"this stands in the table {table.partition('.')[0]!r}; move {key!r} above the first [table]"
        raise FileError(error.line, error.entry, problem) from None


def start_entry(document: Document, index: int) -> str:
    """Return the entry of an agent at the start; ``start`` itself if there is only one agent."""
    return f"start.{index}" if isinstance(document.content["start"], list) else "start"


def _spell_out(content: dict[str, Any]) -> dict[str, Any]:
    """The content with its short forms written out: a parameter that is only a number, one start, its state."""
    content = dict(content)
    parameters, start, after = content.get("parameters"), content.get("start"), content.get("after")
    if isinstance(after, list):  # what was seen, without an action
        content["after"] = [["", item] if isinstance(item, str) else item for item in after]
    if isinstance(parameters, dict):
        content["parameters"] = {
            name: value if isinstance(value, dict) else {"default": value} for name, value in parameters.items()
        }
    if isinstance(start, dict | str):
        content["start"] = [start if isinstance(start, dict) else {"state": start}]
    return content


TOP = WorldForm.__dataclass_fields__.keys() - {"parameters", "states", "outcomes"}
"""Keys that stand above the tables of a file."""
Written: TypeAlias = tuple[str, set[str], Arithmetic | Template]
"""An entry, the names that it may use, and what is written there."""


def check_form(document: Document, form: WorldForm) -> tuple[str, ...]:
    """Check the names in a file; return its actions in order."""
    if not NAME.fullmatch(form.name):
        example = re.sub(r"[^\w.-]+", "-", form.name).strip("-") or "my-world"
        raise document.error("name", f'got {form.name!r}; expected letters, digits and hyphens, such as "{example}"')
    for name in form.parameters:
        if name in RESERVED or not IDENTIFIER.fullmatch(name):
            words = ", ".join(RESERVED)
            expected = f"a word of ASCII letters and digits other than {words} and Python's keywords"
            raise document.error(f"parameters.{name}", f"got the parameter {name!r}; expected {expected}")
    for name in sorted(form.probabilities):
        for end, expected in (("least", "at least 0"), ("most", "at most 1")):
            limit = getattr(form.parameters[name], end)
            if limit is not None and not 0 <= limit <= 1:
                problem = f"got {float(limit):g}; {name!r} is a probability, so expected {expected}"
                raise document.error(f"parameters.{name}.{end}", problem)
    _check_states(document, form)
    _check_cases(document, form)
    if not 0 <= form.discount <= 1:
        raise document.error("discount", f"got {float(form.discount)}; expected a number from 0 to 1")
    if not 1 <= form.horizon <= LONGEST_HORIZON:
        raise document.error("horizon", f"got {form.horizon}; expected 1 to {LONGEST_HORIZON} steps")
    for entry, known, written in _list_arithmetic(document, form):
        for name in sorted(written.names - known):
            raise document.unknown(entry, "parameter", name, known)
    actions = _checked_actions(document, form)
    for index, pair in enumerate(form.after):
        if len(pair) != 2:
            expected = "an action and what was seen, or, where all actions do the same, only what was seen in quotes"
            raise document.error(f"after.{index}", f"got {pair}; expected {expected}")
        if pair[0] and pair[0] not in actions:
            raise document.unknown(f"after.{index}", "action", pair[0], actions)
    return actions


def _check_states(document: Document, form: WorldForm) -> None:
    known = {**form.states, **{outcome.state: None for outcome in form.outcomes}}
    if DELETED in known:
        raise document.error(
            "states.deleted",
            "nobody is in the state 'deleted', which means gone; expected another name",
        )
    for entry, name in _list_named_states(document, form):
        if name not in known and (name != DELETED or entry.startswith("start")):
            raise document.unknown(entry, "state", name, known)
    for name, state in form.states.items():
        if (state.lasts is None) != (not state.then):
            raise document.error(f"states.{name}", "expected both 'lasts' and 'then', or neither")
    if not form.start:
        raise document.error("start", "expected an agent at the start")
    # A misspelled state would otherwise leave the correct one without its outcomes, and the answer would be wrong.
    entered = {name for _, name in _list_named_states(document, form)}
    for index, outcome in enumerate(form.outcomes):
        if outcome.state not in entered | form.states.keys():
            raise document.unknown(f"outcomes.{index}.state", "state", outcome.state, entered - {DELETED})
    for name in form.states:
        if name not in entered:
            raise document.error(
                f"states.{name}", "no agent ever enters this state; expected it in start, becomes or then"
            )


def _check_cases(document: Document, form: WorldForm) -> None:
    """Refuse two cases that both have the probability "p": they would add up to 1 for p = 1/2 only."""
    cases: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for index, outcome in enumerate(form.outcomes):
        if outcome.each is None:
            cases.setdefault((outcome.state, outcome.action), []).append((index, outcome.probability.text.strip()))
    for listed in cases.values():
        last, chance = listed[-1]
        if len(listed) == 2 and listed[0][1] == chance and chance in form.parameters:
            problem = f'got "{chance}" in both outcomes; expected "1 - {chance}" in one of them'
            raise document.error(f"outcomes.{last}.probability", problem)


def _list_named_states(document: Document, form: WorldForm) -> Iterator[tuple[str, str]]:
    for index, start in enumerate(form.start):
        yield f"{start_entry(document, index)}.state", start.state
    for name, state in form.states.items():
        if state.then:
            yield f"states.{name}.then", state.then
    for index, outcome in enumerate(form.outcomes):
        for place, becomes in enumerate(outcome.becomes):
            if becomes.state:
                yield f"outcomes.{index}.becomes.{place}.state", becomes.state


def _checked_actions(document: Document, form: WorldForm) -> tuple[str, ...]:
    named = list(dict.fromkeys(outcome.action for outcome in form.outcomes if outcome.action))
    actions = form.actions or named
    known = set(actions)
    if len(actions) > MOST_ACTIONS:
        raise document.error("actions", f"got {len(actions)} actions; expected at most {MOST_ACTIONS}")
    if not actions:
        raise document.error("actions", "got no action; expected at least one")
    twice = next((action for action in actions if actions.count(action) > 1), None)
    if twice is not None:
        raise document.error("actions", f"the action {twice!r} is listed twice; expected each once")
    for index, outcome in enumerate(form.outcomes):
        if outcome.action and outcome.action not in known:
            raise document.unknown(f"outcomes.{index}.action", "action", outcome.action, actions)
    idle = [action for action in actions if action not in named]
    if len(idle) > 1 and all(outcome.action for outcome in form.outcomes):
        listed = " and ".join(map(repr, idle))
        raise document.error("actions", f"no outcome names {listed}, so they do the same; expected one such action")
    return tuple(actions)


def _list_arithmetic(document: Document, form: WorldForm) -> Iterator[Written]:
    """Yield all arithmetic of a file, each with its entry and the names that it may use."""
    known = set(form.parameters)
    for index, start in enumerate(form.start):
        yield f"{start_entry(document, index)}.slot", known, start.slot
    for name, state in form.states.items():
        entry = f"states.{name}"
        if state.lasts is not None:
            yield f"{entry}.lasts", known, state.lasts
        yield from _list_sees_and_pays(entry, {*known, "slot"}, state)
    for index, outcome in enumerate(form.outcomes):
        entry = f"outcomes.{index}"
        inside = yield from _walk_range(document, f"{entry}.each", outcome.each, known)
        yield f"{entry}.probability", inside, outcome.probability
        for place, becomes in enumerate(outcome.becomes):
            copy = f"{entry}.becomes.{place}"
            within = yield from _walk_range(document, f"{copy}.each", becomes.each, {*inside, "slot"})
            yield f"{copy}.slot", within, becomes.slot
            yield from _list_sees_and_pays(copy, within, becomes)


def _list_sees_and_pays(entry: str, known: set[str], part: State | Becomes) -> Iterator[Written]:
    if part.sees is not None:
        yield f"{entry}.sees", known, part.sees
    if part.pays is not None:
        yield f"{entry}.pays", known, part.pays


def _walk_range(
    document: Document, entry: str, each: Each | None, known: set[str]
) -> Generator[Written, None, set[str]]:
    """Yield the ends of a range, and return the names that are known within it."""
    if each is None:
        return known
    if each.name in known or each.name in RESERVED:
        raise document.error(entry, f"got the name {each.name!r}, which means something else; expected a new one")
    yield entry, known, each.first
    yield entry, known, each.last
    return {*known, each.name}
