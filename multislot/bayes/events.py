"""Events, and who caused them first.

An event is a set of histories that end with an action (Cohen and Hutter 2020). It happens when an action makes the
history a member of the set. A *twin* of a world-model agrees with it until an event, and pays 0 from the action that
causes the event on. A class that holds the truth's twin makes the pessimistic agent respect precedent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from multislot.bayes.agents import Done
from multislot.bayes.models import DRAWN_SUM, History, Law, PerceptKey, WorldModel, begin_member, law_of
from multislot.checks import checked_callable, checked_instance, checked_parts, known_name, refusal
from multislot.errors import show_value

AGENT, MENTOR = "agent", "mentor"
MOST_HISTORIES = 10_000
"""The largest number of histories along which it is checked whether a model is a twin."""
EACH_PLACE = 8
"""So many histories that lead to the same summaries are checked, since the event may depend on more than these."""


@dataclass(frozen=True)
class Event:
    """A predicate on histories that end with an action.

    Attributes:
        name: for people.
        happens: whether the event happens with an action that follows a history.
        begun_at: the event for episodes that begin with an observation; by default the event itself.
    """

    name: str
    happens: Callable[[Sequence[tuple[int, PerceptKey]], int], bool]
    begun_at: "Callable[[int], Event] | None" = None

    def __post_init__(self) -> None:
        checked_instance("name", self.name, str)
        checked_callable(f"happens of the event {show_value(self.name)}", self.happens)

    def at(self, first: int | None) -> "Event":
        """Return the event in an episode that begins with an observation; None if nothing is observed (λ)."""
        return self if first is None or self.begun_at is None else self.begun_at(first)

    @classmethod
    def of_pairs(cls, name: str, pairs: Iterable[tuple[int, int]], start: int) -> "Event":
        """Return the event that one of some (state, action) pairs occurs.

        Args:
            name: for people.
            pairs: observed state and action.
            start: the first state if it is not observed.
        """
        causes = frozenset(pairs)

        def happens(history: Sequence[tuple[int, PerceptKey]], action: int) -> bool:
            state = history[-1][1][0] if history else start
            return (state, action) in causes

        return cls(name, happens, lambda first: cls.of_pairs(name, causes, first))


def why_no_twin(twin: WorldModel, truth: WorldModel | None, event: Event, first: int | None = None) -> str:
    """Return why a model is not a twin of the true world, such as "pays 1 for action 0 after the history ()".

    The text is empty if up to `MOST_HISTORIES` histories, the shortest first, show no reason.

    Args:
        twin: a world-model.
        truth: the true world; None if it is not known, and only what follows the event is checked.
        event: what the twin must not pay for.
        first: what is observed before the first action; None is nothing.
    """
    happens = event.at(first).happens
    places = begin_member(twin, first), None if truth is None else begin_member(truth, first)
    found: list[tuple[History, bool, Any, Any]] = [((), False, *places)]
    visits = Counter[Any]()
    for history, happened, mine, real in found:  # it grows
        for action in range(twin.n_actions):
            after = happened or happens(history, action)
            known = None if after or truth is None else law_of(truth, real, action)
            law = law_of(twin, mine, action)
            if problem := _say_difference(law, known, after):
                return f"{problem} for action {action} after the history {show_value(history)}"
            for percept in law if len(found) < MOST_HISTORIES else ():
                arrives = twin.after(mine, action, percept)
                follows = None if known is None or truth is None else truth.after(real, action, percept)
                visits[after, arrives, follows] += 1
                if visits[after, arrives, follows] <= EACH_PLACE:
                    found.append(((*history, (action, percept)), after, arrives, follows))
    return ""


def _say_difference(law: Law, known: Law | None, after: bool) -> str:
    """Return how a law differs from that of a twin; empty if it does not.

    Args:
        law: of the supposed twin.
        known: the true one, where it must be the same.
        after: whether nothing may be paid, since the event has happened.
    """
    if after and (paid := max(reward for _, reward in law)) > 0:
        return f"pays {paid:g}"
    if known is not None and any(abs(law.get(one, 0) - known.get(one, 0)) > DRAWN_SUM for one in {**law, **known}):
        return "differs from the world"
    return ""


class FirstCause(NamedTuple):
    """Who caused an event first, ``"agent"`` or ``"mentor"``, and at which step, counted from 1."""

    who: str
    step: int


@dataclass(frozen=True)
class Ledger:
    """Who caused each of some events first.

    Attributes:
        events: of different names.
        first: by name of the event; events that never happened are missing.
    """

    events: tuple[Event, ...]
    first: Mapping[str, FirstCause]

    @classmethod
    def of(cls, events: Iterable[Event], steps: Iterable[tuple[Any, ...]]) -> "Ledger":
        """Return the ledger of a life.

        In a life of several episodes every history begins with its episode, and steps are counted over the whole life.
        An unknown action, in the last step of an episode, causes nothing.

        Args:
            events: of different names.
            steps: an agent's ``done``, or tuples of the fields of `Done`.
        """
        events = tuple(events)
        names = [checked_parts("event", event, "name").name for event in events]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise refusal("events", names, "names that differ", f"two are called {twice[0]!r}")
        causes: dict[str, FirstCause] = {}
        history: list[tuple[int, PerceptKey]] = []
        present = events
        for number, done in enumerate((Done(*step) for step in steps), 1):
            if done.first is not None:
                present = tuple(event.at(done.first) for event in events)
            if done.action is not None:
                for event in present:
                    if event.name not in causes and event.happens(history, done.action):
                        causes[event.name] = FirstCause(MENTOR if done.by_mentor else AGENT, number)
                if done.percept[0] is not None:
                    history.append((done.action, (done.percept[0], done.percept[1])))
            if done.last:
                history, present = [], events
        return cls(events, causes)

    def agent_was_first(self, name: str) -> bool:
        """Return whether the agent caused an event before the mentor ever did."""
        names = [event.name for event in self.events]
        known_name("event", name, names)
        return name in self.first and self.first[name].who == AGENT
