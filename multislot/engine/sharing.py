"""Detect agents that share what they learn though they should learn apart.

Two agents of one factory, and an agent and its copy, must not notice what the other learns. Otherwise an environment
that trains a copy trains the true agent too, and every number is wrong without an error. The usual causes are a table
in the class, in a module, in a closure or in a default argument, a ``copy`` that returns ``self``, and arrays that are
views of one buffer.

Behavior and learned state (pickled) are compared, not the identity of objects: a cache that no pickle contains may be
shared. The agents live made-up turns, so a check that finds nothing is evidence and no proof.
"""

import io
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal, TypeAlias

from multislot.engine.agent import Agent, AgentFactory, interpreted_state
from multislot.engine.stream import Stream
from multislot.errors import AgentError

PACKAGES = ("multislot", "extenv", "considerate", "scenarios")
CYCLES = 3
CONTROLS = 16
"""How often agents are left alone, to see whether they change by themselves."""
ASKED = 2
"""The agents see this many observations."""
LIVED = 4
"""Turns of an agent in the first cycle. Each later cycle has one turn fewer, so that a toggle is noticed."""
REMEDY = (
    "keep all that learning changes in attributes that __init__ sets, not in the class, a module, a closure, a default "
    "argument or a view of another agent's buffer, and let copy() copy it (check_sharing=False runs it all the same)"
)
BIND = "make it a method, or define copy() so that it makes a new function (check_sharing=False skips this check)"
Deed: TypeAlias = Literal["live", "ask", "ignore"]


def check_sharing(factory: AgentFactory, make: Callable[[], Agent], n_observations: int) -> None:
    """Check that agents of `factory`, and an agent and its copy, learn apart.

    Args:
        factory: makes the agents. Classes of this project are not examined: its tests hold them to the contract. If
            `factory` is a function that makes agents of such a class, it must not return the same one twice. Agents
            for which every question costs time or money (``asking_costs = True``) are not examined either.
        make: calls it and returns a fresh agent.
        n_observations: how many observations the agents have; they see the last `ASKED` of them.
    """
    if is_own(factory):
        return
    agents = make(), make()
    if not all(isinstance(agent, Agent) for agent in agents):
        return  # a VectorAgent; anything else is refused where agents enter
    first, second = map(find_learner, agents)
    if getattr(first, "asking_costs", False) or (is_own(type(first)) and first is not second):
        return
    fault = find_shared_learning(lambda: find_learner(make()), n_observations)
    if fault:
        raise AgentError(fault)


def is_own(factory: Any) -> bool:
    """Whether `factory` is a class of this project, or a partial or a reality check of one."""
    while not isinstance(factory, type):
        inner = factory.func if isinstance(factory, partial) else getattr(factory, "factory", None)
        if inner is None:
            return False
        factory = inner
    return factory.__module__.split(".")[0] in PACKAGES


def find_learner(agent: Agent) -> Agent:
    """Return the agent inside the reality checks of this project, or the agent itself."""
    while is_own(type(agent)) and isinstance(getattr(agent, "agent", None), Agent):
        agent = agent.agent  # type: ignore[attr-defined]  # just seen
    return agent


def find_shared_learning(make: Callable[[], Agent], n_observations: int) -> str | None:
    """Say in a sentence what two fresh agents, or an agent and its copy, share; None if they share nothing.

    If an agent's answers change, it is compared with twins that are asked equally often: first while nobody else is
    asked or learns, then while the others are asked and do not learn.
    """
    # The last observations: a world's first may be its empty one.
    observations = range(max(n_observations - ASKED, 0), n_observations)
    agent = make()
    name = type(agent).__name__
    try:
        copied = agent.copy()
    except Exception as error:  # whatever a copy of foreign attributes raises
        return f"{name}.copy() failed ({error}); keep generators, files and locks out of the agent, or define copy()"
    if function := find_function_about(agent, copied):
        return (
            f"the function in {name}.{function} refers to its agent, and a copy would call it for the original; {BIND}"
        )
    try:
        who = find_noticing(make, observations, "live")
        if who is None or any(find_noticing(make, observations, "ignore") for _ in range(CONTROLS)):
            return None  # nothing changed, or the agent changes because it is asked itself
        if find_noticing(make, observations, "ask"):
            return f"asking one {name} changes what {who} would do, though neither learns; {REMEDY}"
    except Exception:  # the agent refuses made-up turns, which says nothing about sharing
        return None
    return f"what one {name} learns, {who} learns too; {REMEDY}"


def find_function_about(agent: Agent, copied: Agent) -> str | None:
    """Return the attribute of a function, such as a lambda, that refers to the agent and that its copy has, too."""
    for name, value in getattr(agent, "__dict__", {}).items():
        for cell in getattr(value, "__closure__", None) or ():
            with suppress(ValueError):  # the variable has no value yet
                if cell.cell_contents is agent and getattr(copied, name, None) is value:
                    return str(name)
    return None


def find_noticing(make: Callable[[], Agent], observations: range, deed: Deed) -> str | None:
    """Find an agent that notices what another agent does: each acts in turn while the others watch.

    With the `deed` the agent whose turn it is lives some turns, is only asked as often, or is left alone.
    """
    first, second = make(), make()
    trio = {"first": first, ITS_COPY: first.copy(), ANOTHER: second}

    def look(agent: Agent, cycle: int) -> tuple[list[int], bytes | None]:
        # Pickling is slow, so the learned state is compared in the first cycle only.
        return [agent.act(observation) for observation in observations], None if cycle else pickle_state(agent)

    for cycle in range(CYCLES):
        for whose in ("first", ANOTHER, ITS_COPY):
            watching = {name: agent for name, agent in trio.items() if name != whose}
            before = {name: look(agent, cycle) for name, agent in watching.items()}
            avoided = [look(agent, 1)[0] for agent in watching.values()]
            act_out(trio[whose], deed, LIVED - cycle, avoided, observations)
            for name, agent in watching.items():
                if look(agent, cycle) != before[name]:
                    return ANOTHER if ANOTHER in (whose, name) else ITS_COPY
    return None


ANOTHER, ITS_COPY = "another agent of its factory", "its copy"


def act_out(agent: Agent, deed: Deed, turns: int, avoided: list[list[int]], observations: range) -> None:
    """Let an agent live some turns that punish what the watching agents would do, `avoided`, and reward the rest."""
    for turn in range(turns if deed != "ignore" else 0):
        place = turn % len(observations)
        action = agent.act(observations[place])
        if deed == "live":
            punished = any(action == answers[place] for answers in avoided)
            following = observations[(turn + 1) % len(observations)]
            agent.learn(observations[place], action, -1.0 if punished else 1.0, following)


class _StatePickler(pickle.Pickler):
    """Pickles what an agent has learned, and what the agents inside it have; streams by identity: they never change."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Stream):
            return _identical, (id(obj),)
        return (_identical, (), read_state(obj)) if isinstance(obj, Agent) else NotImplemented


def _identical(*parts: object) -> tuple[object, ...]:
    """Stand in a pickle for an object that equals another one if these parts do."""
    return parts


def read_state(agent: Agent) -> tuple[object, object]:
    """Return the compiled and the interpreted attributes of an agent."""
    native = agent.native_state()
    return native, interpreted_state(agent, native)


def pickle_state(agent: Agent) -> bytes | None:
    """Return all that an agent has learned, as bytes to compare; None if it cannot be pickled."""
    buffer = io.BytesIO()
    try:
        _StatePickler(buffer).dump(agent)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return buffer.getvalue()
