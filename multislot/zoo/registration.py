"""Registration of worlds in PettingZoo's and Gymnasium's registries.

Entry points there are text, so that a specification can be written as JSON and read in another process. PettingZoo has
registries from version 1.27 on; `make` works with every version.
"""

import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from pkgutil import resolve_name
from typing import Any, Literal

import gymnasium
import pettingzoo
from gymnasium.envs.registration import parse_env_id
from pettingzoo import AECEnv
from pettingzoo.utils.conversions import parallel_to_aec

from multislot.checks import checked_callable, checked_instance, known_name, refusal
from multislot.engine.world import World
from multislot.errors import UnknownNameError, UnknownParameterError
from multislot.zoo.episode import LONGEST, MOST_AGENTS
from multislot.zoo.fixed import FixedView
from multislot.zoo.single import SingleView
from multislot.zoo.views import DynamicView

WorldFactory = Callable[..., Any]
VIEWS = ("dynamic", "fixed")
KINDS = ("parallel", "aec", "single")

REGISTERED: "dict[str, Registered]" = {}
"""Every registered world, by its id."""
ENTRIES: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {kind: {} for kind in KINDS}
"""By kind of environment and id: the entry point and its arguments."""


@dataclass(frozen=True)
class Registered:
    """The arguments of `register`; the methods are the entry points of the registries.

    Attributes:
        name: the id in the registries.
        world: makes the world, or names what makes it, ``"module:attribute"``.
        slots: the slots of the fixed view; None means the world's ``max_agents``, or 1 if it has none.
        max_agents: the occupants of the dynamic view; None means the world's ``max_agents``, or `MOST_AGENTS`.
        max_cycles: the largest number of steps in an episode.
    """

    name: str
    world: str | WorldFactory
    slots: int | None
    max_agents: int | None
    max_cycles: int

    def parallel(
        self,
        *,
        view: Literal["dynamic", "fixed"] = "dynamic",
        max_cycles: int | None = None,
        max_agents: int | None = None,
        slots: int | None = None,
        render_mode: str | None = None,
        **parameters: Any,
    ) -> DynamicView | FixedView:
        """Return the environment as a ParallelEnv.

        Args:
            view: "dynamic" or "fixed"; see `DynamicView` and `FixedView`.
            max_cycles: the largest number of steps in an episode.
            max_agents: of the dynamic view.
            slots: of the fixed view.
            render_mode: None, "human", "ansi", "rgb_array" or "rgb_array_list".
            parameters: of the world.
        """
        world = self.make_world(parameters, Registered.parallel)
        cycles = self.max_cycles if max_cycles is None else max_cycles
        known_name("view", view, VIEWS)
        made: DynamicView | FixedView
        if view == "fixed":
            self._refuse("max_agents", max_agents, "dynamic")
            size = next(size for size in (slots, self.slots, getattr(world, "max_agents", 1)) if size is not None)
            made = FixedView(world, size, max_cycles=cycles, render_mode=render_mode)
        else:
            self._refuse("slots", slots, "fixed")
            most = getattr(world, "max_agents", MOST_AGENTS)
            most = next(most for most in (max_agents, self.max_agents, most) if most is not None)
            made = DynamicView(world, max_agents=most, max_cycles=cycles, render_mode=render_mode)
        made.metadata["name"] = self.name
        return made

    def aec(self, **settings: Any) -> AECEnv[str, Any, Any]:
        """Return the environment as an AECEnv, by PettingZoo's conversion; settings as in `parallel`."""
        return parallel_to_aec(self.parallel(**settings))

    def single(self, *, max_cycles: int | None = None, render_mode: str | None = None, **parameters: Any) -> SingleView:
        """Return the environment as a Gymnasium environment; settings as in `parallel`."""
        cycles = self.max_cycles if max_cycles is None else max_cycles
        return SingleView(self.make_world(parameters, Registered.single), max_cycles=cycles, render_mode=render_mode)

    def make_world(self, parameters: Mapping[str, Any], maker: Callable[..., Any] | None = None) -> World:
        """Make a new world; an error about unknown parameters also names the keywords of `maker`."""
        factory = resolve_name(self.world) if isinstance(self.world, str) else self.world
        known = signature(factory).parameters
        if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known.values()):
            for parameter in parameters.keys() - known.keys():
                of_view = signature(maker).parameters.values() if maker else ()
                keywords = [other.name for other in of_view if other.kind is Parameter.KEYWORD_ONLY]
                raise UnknownParameterError(self.name, parameter, {*known, *keywords})
        made = factory(**parameters)
        if isinstance(made, World):
            return made
        from multislot.exact.world import KernelWorld  # for kernels alone: the exact theory is large

        if not hasattr(made, "outcomes"):
            raise refusal(f"{self.name}'s world(…)", made, "a World or a kernel")
        return KernelWorld(made)

    def _refuse(self, name: str, value: object, view: str) -> None:
        if value is not None:
            raise refusal(name, value, f"no {name}, which is a setting of the {view} view", f"give view={view!r}")


def register(
    name: str,
    world: str | WorldFactory,
    *,
    slots: int | None = None,
    max_agents: int | None = None,
    max_cycles: int = LONGEST,
    single_agent: bool = False,
    parameters: Mapping[str, Any] | None = None,
) -> Registered:
    """Register a world in PettingZoo's parallel and AEC registries, and in Gymnasium's if it has a single agent.

    Args:
        name: ``"namespace/name-v0"``, the id in the registries.
        world: ``world(**parameters)`` returns a World, or a kernel for a `KernelWorld`; or its place as
            ``"module:attribute"``, imported when the first environment is made.
        slots: default number of slots of the fixed view; None means the world's ``max_agents``, or 1 if it has none.
        max_agents: default number of occupants of the dynamic view; None means the world's ``max_agents``, or
            `MOST_AGENTS`.
        max_cycles: default number of steps in an episode.
        single_agent: one agent stays in one slot.
        parameters: defaults that replace the factory's own.
    """
    _check_id(name)
    if not isinstance(world, str):
        checked_callable("world", world, "a factory of worlds, or where one is as 'module:attribute'")
    REGISTERED[name] = Registered(name, world, slots, max_agents, max_cycles)
    settings = {"environment": name, **(parameters or {})}
    for kind in KINDS if single_agent else KINDS[:2]:
        enter(kind, name, f"{__name__}:{kind}_env", settings)
    return REGISTERED[name]


def enter(
    kind: str, name: str, entry_point: str, settings: Mapping[str, Any] | None = None, vector: str | None = None
) -> None:
    """Enter any environment in the registry of its kind, and in the one that `make` reads.

    Args:
        kind: "parallel", "aec" or "single".
        name: the id.
        entry_point: what makes the environment, ``"module:attribute"``.
        settings: its arguments.
        vector: what makes many copies of a single one for ``gymnasium.make_vec``, from ``num_envs`` and the settings.
    """
    if not isinstance(kind, str) or kind not in ENTRIES:
        raise UnknownNameError("kind of environment", kind, ENTRIES)
    _check_id(name)
    checked_instance("entry_point", entry_point, str)
    ENTRIES[kind][name] = entry_point, dict(settings or {})
    if kind == "single":
        gymnasium.register(name, entry_point, vector_entry_point=vector, kwargs=dict(settings or {}))
    elif hasattr(pettingzoo, "register"):  # from version 1.27 on
        pettingzoo.register(kind, name, entry_point, kwargs=dict(settings or {}))


def make(kind: Literal["parallel", "aec", "single"], name: str, **settings: Any) -> Any:
    """Return a registered environment, as ``pettingzoo.make`` does, with every version of PettingZoo."""
    own: Any = kind
    if type(own) is not str or own not in KINDS:  # a subclass of str may lie
        raise UnknownNameError("kind of environment", kind, KINDS)
    known_name("environment", name, ENTRIES[kind])
    entry_point, defaults = ENTRIES[kind][name]
    return resolve_name(entry_point)(**{**defaults, **settings})


def _check_id(name: str) -> None:
    try:
        parse_env_id(checked_instance("name", name, str))
    except gymnasium.error.Error:
        raise refusal("name", name, 'an id such as "namespace/name-v0"') from None


def registered(name: str) -> Registered:
    """Return a registered world."""
    if isinstance(name, str) and name not in REGISTERED:
        with suppress(ImportError, ValueError):  # a specification that is read in another process
            importlib.import_module(name.partition("/")[0])
    if not isinstance(name, str) or name not in REGISTERED:
        raise UnknownNameError("environment", name, REGISTERED)
    return REGISTERED[name]


def _open(kind: str, /, environment: str, **settings: Any) -> Any:  # a factory may have a parameter named `kind`
    return getattr(registered(environment), kind)(**settings)


parallel_env, aec_env, single_env = (partial(_open, kind) for kind in KINDS)
"""The entry points: each makes the environment of an id; settings as in the method of `Registered`."""
