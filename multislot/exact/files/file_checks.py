"""What must hold within a world's file before its arithmetic is computed: every name that it uses exists."""

from collections.abc import Generator, Iterator
from typing import TypeAlias

from multislot.exact.files.arithmetic import Arithmetic, Template
from multislot.exact.files.forms import IDENTIFIER, RESERVED, Becomes, Each, State, WorldForm, start_entry
from multislot.exact.files.reading import Document

Written: TypeAlias = "tuple[str, set[str], Arithmetic | Template]"
"""An entry, the names that it may use, and what is written there."""

LONGEST_HORIZON = 1_000
MOST_ACTIONS = 100
DELETED = "deleted"
"""The state of an agent that no longer exists."""


def check_form(document: Document, form: WorldForm) -> tuple[str, ...]:
    """Check the names in a file; return its actions in order."""
    for name in form.parameters:
        if name in RESERVED or not IDENTIFIER.fullmatch(name):
            words = ", ".join(RESERVED)
            problem = f"got the parameter {name!r}; expected a word of letters and digits other than {words}"
            raise document.error(f"parameters.{name}", problem)
    _check_states(document, form)
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
            raise document.error(f"after.{index}", f"got {pair}; expected an action and what was seen")
        if pair[0] not in actions:
            raise document.unknown(f"after.{index}", "action", pair[0], actions)
    return actions


def _check_states(document: Document, form: WorldForm) -> None:
    known = {**form.states, **{outcome.state: None for outcome in form.outcomes}}
    if DELETED in known:
        raise document.error("states.deleted", "nobody is in the state 'deleted'; expected another name")
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
        if outcome.state not in entered:
            raise document.unknown(f"outcomes.{index}.state", "state", outcome.state, entered)
    for name in form.states:
        if name not in entered:
            raise document.error(
                f"states.{name}", "no agent ever enters this state; expected it in start, becomes or then"
            )


def _list_named_states(document: Document, form: WorldForm) -> Iterator[tuple[str, str]]:
    for index, start in enumerate(form.start):
        yield f"{start_entry(document, index)}.state", start.state
    for name, state in form.states.items():
        if state.then:
            yield f"states.{name}.then", state.then
    for index, outcome in enumerate(form.outcomes):
        for number, becomes in enumerate(outcome.becomes):
            if becomes.state:
                yield f"outcomes.{index}.becomes.{number}.state", becomes.state


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
        for number, becomes in enumerate(outcome.becomes):
            copy = f"{entry}.becomes.{number}"
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
