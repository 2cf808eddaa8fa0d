"""What is checked before an agent is run in an extended environment, each fault with its remedy in one sentence."""

import inspect
from collections.abc import Callable
from functools import partial
from operator import index
from typing import Any

from multislot.agent import Agent, AgentFactory
from multislot.errors import ActionError, AgentError, SettingError, UnknownNameError
from multislot.sharing import state_of

FACTORY_NAMES = ("n_observations", "n_actions", "stream")
MOST_ASKED = 64
REHEARSED = 10
_ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def takes(factory: AgentFactory, parameter: str) -> bool:
    """Return whether `factory` names a parameter `parameter`; ``**overrides`` does not count."""
    found = signature(factory)
    return found is not None and parameter in found.parameters


def signature(factory: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of `factory`, of what a partial is of, or None if it has none that can be read.

    A compiled class calls its parameters positional-only though keywords work, which partials of it cannot say.
    """
    while isinstance(factory, partial):
        factory = factory.func
    try:
        return inspect.signature(factory)
    except ValueError:
        return None


def name_of(factory: Callable[..., Any]) -> str:
    """Return what a factory is called: a name, with the parameters that a partial sets, ``PPO(mode='published')``."""
    if isinstance(factory, partial):
        given = [*map(repr, factory.args), *(f"{name}={value!r}" for name, value in sorted(factory.keywords.items()))]
        return f"{name_of(factory.func)}({', '.join(given)})"
    return str(getattr(factory, "__name__", type(factory).__name__))


def check_factory(factory: AgentFactory) -> None:
    """Check that `factory` can be called as ``factory(n_observations, n_actions, stream)``.

    Raises:
        SettingError: it cannot.
        UnknownNameError: it is a partial that sets a parameter which there is not.
    """
    wanted = f"expected factory({', '.join(FACTORY_NAMES)}, **overrides)"
    if isinstance(factory, Agent):
        raise SettingError(f"got an agent, {type(factory).__name__}; {wanted}: give its class")
    if not callable(factory):
        raise SettingError(f"got {factory!r} as factory; {wanted}, such as an agent class")
    found = signature(factory)
    if found is None:
        return
    check_keywords(factory, found)
    names = [name for name, parameter in found.parameters.items() if parameter.kind not in _ANY]
    takes_any = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in found.parameters.values())
    misplaced = any(name in names for name in FACTORY_NAMES) and tuple(names[:3]) != FACTORY_NAMES
    try:
        found.bind(1, 1, None)
    except TypeError:
        misplaced = True
    if misplaced and not takes_any:
        missing = [name for name in FACTORY_NAMES if name not in names]
        fault = f"does not take {' and '.join(missing)}" if missing else "takes them in another order"
        raise SettingError(f"the factory {name_of(factory)}{found} {fault}; {wanted}")


def check_keywords(factory: AgentFactory, found: inspect.Signature) -> None:
    """Raise UnknownNameError if a partial sets a parameter that its factory, of signature `found`, does not take."""
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in found.parameters.values()):
        return
    while isinstance(factory, partial):
        for name in factory.keywords:
            if name not in found.parameters:
                raise UnknownNameError(f"parameter of {name_of(factory.func)}", name, found.parameters)
        factory = factory.func


def check_agent(agent: Agent, n_observations: int, n_actions: int) -> None:
    """Ask an agent what it would do, fresh and after a rehearsal; check its answers, and that asking changes nothing.

    What an agent does only after more than `REHEARSED` turns is not found here.

    Args:
        agent: a fresh one that is not used any more; it learns turns that no world has given.
        n_observations: it is asked at the first `MOST_ASKED` of them.
        n_actions: its answers must lie below it.

    Raises:
        SettingError: it is no `Agent`.
        ActionError: it answers with something that is no action.
        AgentError: asking changes it, or the agent inside a published reality check, which itself may change.
    """
    if not isinstance(agent, Agent):
        raise SettingError(f"the factory made a {type(agent).__name__}; it must return a multislot.Agent: subclass it")
    check_acting(agent, n_observations, n_actions)
    rehearse(agent, n_observations, n_actions)
    check_acting(agent, n_observations, n_actions)


def rehearse(agent: Agent, n_observations: int, n_actions: int) -> None:
    """Let an agent live some made-up turns with rewards of both signs; an answer that is no action counts as 0."""
    for turn in range(REHEARSED):
        observation, following = turn % n_observations, (turn + 1) % n_observations
        action = agent.act(observation)
        agent.learn(observation, action if is_index(action, n_actions) else 0, float(turn % 3 - 1), following)


def check_acting(agent: Agent, n_observations: int, n_actions: int) -> None:
    """Ask an agent what it would do as it is now; raise ActionError or AgentError as `check_agent` does."""
    exempt = getattr(agent, "asking_changes_it", False)
    inside = getattr(agent, "agent", None)
    if exempt and isinstance(inside, Agent):
        check_acting(inside, n_observations, n_actions)
    before = None if exempt else state_of(agent)
    for observation in range(min(n_observations, MOST_ASKED)):
        first, again = agent.act(observation), agent.act(observation)
        check_action(first, n_actions, observation)
        if first != again and not exempt:
            raise changed(agent, observation)
    if before is not None and before != state_of(agent):
        raise changed(agent, 0)


def check_action(action: object, n_actions: int, observation: int) -> None:
    """Raise ActionError if `action` is none of ``range(n_actions)``."""
    if not is_index(action, n_actions):
        raise ActionError(f"act({observation}) returned {action!r}", f"return one of range({n_actions})", 1, 0)


def is_index(value: object, n: int) -> bool:
    """Return whether `value` is a whole number in ``range(n)``."""
    try:
        return 0 <= index(value) < n  # type: ignore[arg-type]  # any object may be asked
    except TypeError:
        return False


def changed(agent: Agent, observation: int) -> AgentError:
    """Return the error of an agent that acting changes."""
    inside = getattr(agent, "agent", agent)
    return AgentError(
        f"{type(inside).__name__}.act({observation}) changes the agent, so a copy that is asked would not act as the "
        "original; let act() only read, and move what it changes into learn()"
    )
