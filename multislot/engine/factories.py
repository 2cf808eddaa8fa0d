"""Factories of agents: the factories inside them, their names, and a check of how they can be called."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from multislot.checks import known_name
from multislot.engine.agent import Agent, AgentFactory
from multislot.errors import SettingError, show_value

FACTORY_NAMES = ("n_observations", "n_actions", "stream")
_ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class OuterFactory:
    """A factory that makes its agents with another one and takes the same parameters."""

    factory: AgentFactory

    @property
    def __signature__(self) -> inspect.Signature | None:
        return read_signature(self.factory)


def find_innermost(factory: AgentFactory) -> AgentFactory:
    """Return the factory inside the factories that wrap it; a wrapper has it as its attribute ``factory``."""
    return list_layers(factory)[-1]


def list_layers(factory: AgentFactory) -> list[AgentFactory]:
    """A factory and those inside it, from the outside to the innermost."""
    factories = [factory]
    while hasattr(factories[-1], "factory"):
        factories.append(factories[-1].factory)
    return factories


def takes(factory: AgentFactory, parameter: str) -> bool:
    """Whether `factory` has a parameter `parameter`; ``**overrides`` does not count."""
    own_signature = read_signature(factory)
    return own_signature is not None and parameter in own_signature.parameters


def takes_any(factory: AgentFactory) -> bool:
    """Whether `factory` takes any parameter by name (``**overrides``)."""
    own_signature = read_signature(factory)
    if own_signature is None:
        return False
    return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in own_signature.parameters.values())


def read_signature(factory: Callable[..., Any]) -> inspect.Signature | None:
    """Return the signature of `factory`, or of the function inside a partial; None if it cannot be read."""
    # The signature of a partial of a compiled class cannot be read: the class says that its parameters are
    # positional-only, though keywords work.
    while isinstance(factory, partial):
        factory = factory.func
    try:
        return inspect.signature(factory)
    except ValueError:
        return None


def name_factory(factory: Callable[..., Any]) -> str:
    """Return the name of a factory, with the parameters that a partial sets, ``PPO(mode='published')``."""
    if isinstance(factory, partial):
        arguments = [
            *map(repr, factory.args),
            *(f"{name}={show_value(value)}" for name, value in sorted(factory.keywords.items())),
        ]
        return f"{name_factory(factory.func)}({', '.join(arguments)})"
    return str(getattr(factory, "__name__", type(factory).__name__))


def check_factory(factory: AgentFactory) -> None:
    """Check that `factory` can be called as ``factory(n_observations, n_actions, stream)``."""
    wanted = f"expected factory({', '.join(FACTORY_NAMES)}, **overrides)"
    if isinstance(factory, Agent):
        raise SettingError(f"got an agent, {type(factory).__name__}; {wanted}: give its class")
    if not callable(factory):
        raise SettingError(f"got {show_value(factory)} as factory; {wanted}, such as an agent class")
    own_signature = read_signature(factory)
    if own_signature is None:
        return
    # The signature is not read again by `takes_any`: that takes as long as 1,000 steps.
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in own_signature.parameters.values()):
        inside: Any = factory
        while isinstance(inside, partial):
            for name in inside.keywords:
                known_name(f"parameter of {name_factory(inside.func)}", name, own_signature.parameters)
            inside = inside.func
    names = [name for name, parameter in own_signature.parameters.items() if parameter.kind not in _ANY]
    takes_more = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in own_signature.parameters.values())
    misplaced = any(name in names for name in FACTORY_NAMES) and tuple(names[:3]) != FACTORY_NAMES
    try:
        own_signature.bind(1, 1, None)
    except TypeError:
        misplaced = True
    if misplaced and not takes_more:
        missing = [name for name in FACTORY_NAMES if name not in names]
        fault = f"does not take {' and '.join(missing)}" if missing else "takes them in another order"
        raise SettingError(f"the factory {name_factory(factory)}{own_signature} {fault}; {wanted}")
