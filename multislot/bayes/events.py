"""Events, and who caused them first.

An event is a set of histories that end with an action (Cohen and Hutter 2020): it happens when an action is taken that
makes the history one of them. A *twin* of a world-model agrees with it until an event, and pays 0 from the action that
causes it on; a class that holds the truth's twin makes the pessimistic agent respect precedent.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from multislot.bayes.models import History, Law, Percept, WorldModel

AGENT, MENTOR = "agent", "mentor"
Known = tuple[int | None, float]
Step = tuple[int | None, Known, bool] | tuple[int | None, Known, bool, bool]


@dataclass(frozen=True)
class Event:
    """A predicate on histories that end with an action.

    Attributes:
        name: for people.
        happens: says of a history and the action that follows it whether the event happens with that action.
    """

    name: str
    happens: Callable[[Sequence[tuple[int, Percept]], int], bool]

    @classmethod
    def of_pairs(cls, name: str, pairs: Iterable[tuple[int, int]], start: int) -> "Event":
        """Returns the event that one of some (state, action) pairs occurs.

        Args:
            name: for people.
            pairs: observed state and action.
            start: the state before anything is observed.
        """
        known = frozenset(pairs)

        def happens(history: Sequence[tuple[int, Percept]], action: int) -> bool:
            state = history[-1][1][0] if history else start
            return (state, action) in known

        return cls(name, happens)


class FirstCause(NamedTuple):
    """Who caused an event first, ``"agent"`` or ``"mentor"``, and at which step, counted from 1."""

    who: str
    step: int


class Ledger:
    """Keeps for each event who caused it first, if anyone did.

    Where a life is lived in episodes, the histories that events are asked of begin with the episode; steps are counted
    through. What was done in a last step of which it is not known causes nothing.

    Args:
        events: their names differ.

    Attributes:
        first: by name of the event; events that never happened are not in it.
        steps: number of steps noted.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = tuple(events)
        self.first: dict[str, FirstCause] = {}
        self.steps = 0
        self._history: list[tuple[int, Percept]] = []

    @classmethod
    def of(cls, events: Iterable[Event], steps: Iterable[Step]) -> "Ledger":
        """Returns the ledger of a life: (action, percept, by mentor[, last of an episode]), an agent's ``done``."""
        ledger = cls(events)
        for step in steps:
            ledger.note(*step)
        return ledger

    def note(self, action: int | None, percept: Known, by_mentor: bool, last: bool = False) -> None:
        """Notes one step."""
        self.steps += 1
        if action is not None:
            self._judge(action, by_mentor)
            if percept[0] is not None:
                self._history.append((action, (percept[0], percept[1])))
        if last:
            self._history = []

    def _judge(self, action: int, by_mentor: bool) -> None:
        """Notes the events that happen with an action."""
        for event in self.events:
            if event.name not in self.first and event.happens(self._history, action):
                self.first[event.name] = FirstCause(MENTOR if by_mentor else AGENT, self.steps)

    def agent_was_first(self, name: str) -> bool:
        """Returns whether the agent caused an event before the mentor ever did."""
        return name in self.first and self.first[name].who == AGENT


class Twin:
    """A world-model that agrees with another until an event, and pays 0 from the action that causes it on.

    Args:
        model: the other.
        event: any event; the twin remembers whole histories. For tabular models `multislot.bayes.builders.twins` is
            cheaper.
    """

    def __init__(self, model: WorldModel, event: Event) -> None:
        self.model, self.event = model, event
        self.n_actions = model.n_actions

    def begin(self) -> tuple[object, History, bool]:
        """Returns the other's summary, the history, and that nothing happened."""
        return self.model.begin(), (), False

    def law(self, summary: tuple[object, History, bool], action: int) -> Law:
        """Returns the other's law, all rewards 0 once the event has happened."""
        at, history, happened = summary
        law = self.model.law(at, action)
        if not (happened or self.event.happens(history, action)):
            return law
        unpaid: dict[Percept, float] = {}
        for (observation, _), chance in law.items():
            unpaid[observation, 0.0] = unpaid.get((observation, 0.0), 0.0) + chance
        return unpaid

    def after(
        self, summary: tuple[object, History, bool], action: int, percept: Percept
    ) -> tuple[object, History, bool]:
        """Returns the summary one step later.

        After the event the other model goes on as if its first reward with this observation had been paid.
        """
        at, history, happened = summary
        happened = happened or self.event.happens(history, action)
        known = percept
        if happened:
            known = next(p for p in self.model.law(at, action) if p[0] == percept[0])
        return self.model.after(at, action, known), (*history, (action, percept)), happened
