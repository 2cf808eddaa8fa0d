"""Whether agents that should learn apart share what they learn.

Two agents of one factory, and an agent and its copy, must not notice what the other learns. Otherwise an environment
that trains a copy trains the true agent too, and every number is wrong without an error. The usual causes are a table
in the class, in a module, in a closure or in a default argument, a ``copy`` that returns ``self``, and arrays that are
views of one buffer.

What is compared is behaviour and what was learned (the pickled state), not the identity of objects: a cache that no
pickle contains may be shared. The agents live made-up turns, so a check that finds nothing is evidence and no proof.
"""

import io
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from multislot.engine.agent import Agent, AgentFactory, interpreted_state
from multislot.engine.stream import Stream
from multislot.errors import AgentError

PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
CYCLES = 3
ASKED = 2
LIVED = 4
LOOKS = 16
REMEDY = (
    "keep all that learning changes in attributes that __init__ sets, not in the class, a module, a closure, a default "
    "argument or a view of another agent's buffer, and let copy() copy it (check_sharing=False runs it all the same)"
)

Snapshot = tuple[list[int], bytes | None]


def check_sharing(factory: AgentFactory, make: Callable[[], Agent], n_observations: int) -> None:
    """Check that agents of `factory`, and an agent and its copy, learn apart.

    Args:
        factory: what makes the agents. Classes of this project are not examined: its tests hold them to the contract.
        make: calls it and returns a fresh agent.
        n_observations: how many observations the agents have; they see the last `ASKED` of them.

    Raises:
        AgentError: they do not.
    """
    fault = None if made_here(factory) else sharing_fault(make, n_observations)
    if fault:
        raise AgentError(fault)


def sharing_fault(make: Callable[[], Agent], n_observations: int) -> str | None:
    """Return a sentence on what the agents share that `make` makes, or None if nothing was found.

    Of agents of this project it is only asked that `make` does not return one of them twice.
    """
    made = make(), make()
    if not all(isinstance(agent, Agent) for agent in made):
        return None  # a VectorAgent; anything else is refused where agents enter
    first, second = map(learner, made)
    if made_here(type(first)) and first is not second:
        return None
    return shared_learning(lambda: learner(make()), n_observations)


def made_here(factory: Any) -> bool:
    """Return whether `factory` is a class of this project, or a partial or a reality check of one."""
    while not isinstance(factory, type):
        inner = factory.func if isinstance(factory, partial) else getattr(factory, "factory", None)
        if inner is None:
            return False
        factory = inner
    return factory.__module__.split(".")[0] in PACKAGES


def learner(agent: Agent) -> Agent:
    """Return the agent inside the reality checks of this project, or the agent itself."""
    while made_here(type(agent)) and isinstance(getattr(agent, "agent", None), Agent):
        agent = agent.agent  # type: ignore[attr-defined]  # just found
    return agent


def shared_learning(make: Callable[[], Agent], n_observations: int) -> str | None:
    """Say what two fresh agents, or one and its copy, share; None if nothing was found.

    An agent whose answers change is compared with a twin that is asked equally often: first while nobody else is
    asked or learns, then while the others are asked and do not learn.

    Args:
        make: gives a fresh agent.
        n_observations: they see the last `ASKED` of them: a world's first may be its empty one.
    """
    name = ""

    def find_change(others: Others) -> Change | None:
        nonlocal name
        first, second = make(), make()
        name = type(first).__name__
        return noticed(first, first.copy(), second, range(max(n_observations - ASKED, 0), n_observations), others)

    try:
        make().copy()
    except Exception as error:  # whatever a copy of foreign attributes raises
        name = type(make()).__name__
        return f"{name}.copy() failed ({error}); keep generators, files and locks out of the agent, or define copy()"
    try:
        found = find_change(live)
        if found is None or find_change(ignore) is not None:
            return None  # nothing changed, or what changes an agent is being asked itself
        cause = "is asked changes what" if find_change(ask) is not None else "learns,"
    except Exception:  # the agent refuses made-up turns, which says nothing about sharing
        return None
    who = "another agent of its factory" if SECOND in found else "its copy"
    if cause == "learns,":
        return f"what one {name} learns, {who} learns too; {REMEDY}"
    return f"asking one {name} changes what {who} would do, though neither learns; {REMEDY}"


FIRST, COPIED, SECOND = range(3)
Change = tuple[int, int]
"""Who lived or was asked, and whose answers changed."""


def noticed(first: Agent, copied: Agent, second: Agent, observations: range, others: "Others") -> Change | None:
    """Find an agent that notices what another one does: everyone does something in turn while the others watch.

    What was learned is compared in the first cycle only, for the sake of speed.

    Args:
        first: a fresh agent.
        copied: its copy.
        second: another agent of its factory.
        observations: what they see.
        others: what the agent in turn does: `live`, `ask` or `ignore`.
    """
    trio = (first, copied, second)
    for look in (snapshot, *[answers] * (CYCLES - 1)):
        for turn in (FIRST, SECOND, COPIED):
            watching = [place for place in (FIRST, COPIED, SECOND) if place != turn]
            before = [look(trio[place], observations) for place in watching]
            others(trio[turn], [answers(trio[place], observations) for place in watching], observations)
            for place, then in zip(watching, before, strict=True):
                if look(trio[place], observations) != then and is_steady(trio[place], observations):
                    return turn, place
    return None


def answers(agent: Agent, observations: range) -> list[int]:
    """Return what an agent would do."""
    return [agent.act(observation) for observation in observations]


def snapshot(agent: Agent, observations: range) -> Snapshot:
    """Return what an agent would do and what it has learned."""
    return answers(agent, observations), state_of(agent)


def is_steady(agent: Agent, observations: range) -> bool:
    """Return whether asking alone leaves an agent as it is; otherwise a change does not say that it has learned."""
    now = snapshot(agent, observations)
    return all(snapshot(agent, observations) == now for _ in range(LOOKS))


def live(agent: Agent, avoided: list[list[int]], observations: range) -> None:
    """Let an agent live some turns that punish what the watching agents would do, `avoided`, and reward the rest."""
    n_seen = len(observations)
    for turn in range(LIVED):
        observation = observations[turn % n_seen]
        action = agent.act(observation)
        punished = any(action == known[turn % n_seen] for known in avoided)
        agent.learn(observation, action, -1.0 if punished else 1.0, observations[(turn + 1) % n_seen])


def ask(agent: Agent, avoided: list[list[int]], observations: range) -> None:
    """Ask an agent as often as `live` does; it learns nothing."""
    for turn in range(LIVED):
        agent.act(observations[turn % len(observations)])


def ignore(agent: Agent, avoided: list[list[int]], observations: range) -> None:
    """Leave an agent alone."""


Others: TypeAlias = Callable[[Agent, list[list[int]], range], None]


class _StatePickler(pickle.Pickler):
    """Pickles what an agent has learned: agents inside it by theirs, streams, which nothing can change, by identity."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Stream):
            return _identical, (id(obj),)
        return (_identical, learned(obj)) if isinstance(obj, Agent) else NotImplemented


def _identical(*parts: object) -> tuple[object, ...]:
    """Stand in a pickle for an object that equals another one if these parts do."""
    return parts


def learned(agent: Agent) -> tuple[object, object]:
    """Return all that an agent keeps, compiled and interpreted."""
    native = agent.native_state()
    return native, interpreted_state(agent, native)


def state_of(agent: Agent) -> bytes | None:
    """Return all that an agent has learned, as bytes to compare; None if it cannot be written."""
    buffer = io.BytesIO()
    try:
        _StatePickler(buffer).dump(learned(agent))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return buffer.getvalue()
