"""Every extended environment in PettingZoo's registries and Gymnasium's, as ``extenv/IgnoreRewards-v1`` and so on.

``import extenv`` registers them. The learner is outside the environment, so ``agent_factory=`` says how to make the
simulated copies; by default they are Q-learners. It may be text, ``"module:attribute"``, so that ``env.spec.to_json()``
works.

    env = gymnasium.make("extenv/IgnoreRewards-v1", agent_factory=PPO, max_cycles=1000)

A model of Stable-Baselines3 can ``learn()`` there; its copies are then the agents of `multislot.agents` made by the
same factory. For copies that act exactly as the learner does, run an agent in `extenv.run`.
"""

import sys
from functools import partial

from extenv.battery import ENVIRONMENTS
from extenv.environment import ExtendedEnvironment
from extenv.world import AsWorld
from multislot.checks import checked_import, refusal, wrong_type
from multislot.engine.agent import AgentFactory
from multislot.zoo import Registered, register

VERSIONS = {"PunishSlowAgent": 2}
"""Versions above 1. A version rises when rewards or observations of an environment change."""
NAMESPACE = "extenv"


def make_world(name: str, agent_factory: AgentFactory | str | None = None, opposite: bool = False) -> AsWorld:
    """Make an extended environment as a World.

    Args:
        name: of the environment.
        agent_factory: makes the simulated copies, or its place, "module:attribute"; by default a Q-learner.
        opposite: negate the true agent's rewards.
    """
    factory = checked_import("agent_factory", agent_factory) if isinstance(agent_factory, str) else agent_factory
    return AsWorld(name, factory, opposite=opposite)


REGISTERED: dict[str, Registered] = {}
"""Every environment's registration, by name."""


def register_environment(environment: type[ExtendedEnvironment]) -> type[ExtendedEnvironment]:
    """Register a class of extended environments under the name of the class; usable as a decorator.

    `extenv.run`, `extenv.measure` and `extenv.make` then take the name, and PettingZoo and Gymnasium have it as
    ``extenv/<name>-v1``. The first line of the class's docstring is the question that the environment asks.
    """
    if not (isinstance(environment, type) and issubclass(environment, ExtendedEnvironment)):
        raise wrong_type("environment", environment, "a subclass of ExtendedEnvironment")
    name = environment.__name__
    if not environment.__doc__ and sys.flags.optimize < 2:  # python -OO leaves docstrings out
        raise refusal(f"{name}.__doc__", "", "a docstring whose first line is the question that the environment asks")
    if ENVIRONMENTS.get(name, environment) is not environment:
        raise refusal("environment", name, "a name that no other environment has")
    _enter(name)
    ENVIRONMENTS[name] = environment
    return environment


def _enter(name: str) -> None:
    identifier = f"{NAMESPACE}/{name}-v{VERSIONS.get(name, 1)}"
    REGISTERED[name] = register(identifier, partial(make_world, name), max_agents=1, single_agent=True)


for packaged in ENVIRONMENTS:
    _enter(packaged)
