"""Registration of worlds in PettingZoo's and Gymnasium's registries, without importing either.

Worlds that are registered before PettingZoo or Gymnasium is imported enter its registries when it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

from multislot.arguments import explains_arguments
from multislot.checks import checked_callable, refusal
from multislot.errors import UnknownNameError
from multislot.late import when_imported
from multislot.world import World
from multislot.zoo.limits import LONGEST, MOST_AGENTS

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from multislot.zoo.single import SingleView
    from multislot.zoo.views import DynamicView, FixedView

WorldFactory = Callable[..., Any]
VIEWS = ("dynamic", "fixed")


@dataclass(frozen=True)
class Registered:
    """The arguments of `register`; the methods are the entry points of the registries.

    Attributes:
        name: in the registries.
        world: makes the world, or names what makes it, ``"module:attribute"``.
        slots: the slots of the fixed view.
        max_agents: the occupants of the dynamic view.
        max_cycles: the largest number of steps in an episode.
    """

    name: str
    world: str | WorldFactory
    slots: int
    max_agents: int
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
    ) -> "DynamicView | FixedView":
        """Return the environment as a ParallelEnv.

        Args:
            view: "dynamic" or "fixed"; see `DynamicView` and `FixedView`.
            max_cycles: the largest number of steps in an episode.
            max_agents: of the dynamic view.
            slots: of the fixed view.
            render_mode: None, "human", "ansi" or "rgb_array".
            parameters: of the world.

        Raises:
            UnknownNameError: there is no such view or parameter.
            SettingError: a setting belongs to the other view.
        """
        from multislot.zoo.views import DynamicView, FixedView

        world = self.make_world(parameters)
        cycles = self.max_cycles if max_cycles is None else max_cycles
        if view not in VIEWS:
            raise UnknownNameError("view", view, VIEWS)
        made: DynamicView | FixedView
        if view == "fixed":
            self._refuse("max_agents", max_agents, "dynamic")
            size = self.slots if slots is None else slots
            made = FixedView(world, size, max_cycles=cycles, render_mode=render_mode)
        else:
            self._refuse("slots", slots, "fixed")
            most = self.max_agents if max_agents is None else max_agents
            made = DynamicView(world, max_agents=most, max_cycles=cycles, render_mode=render_mode)
        made.metadata["name"] = self.name
        return made

    def aec(self, **settings: Any) -> "AECEnv[str, Any, Any]":
        """Return the environment as an AECEnv, by PettingZoo's conversion; settings as in `parallel`."""
        from pettingzoo.utils.conversions import parallel_to_aec

        return parallel_to_aec(self.parallel(**settings))

    def single(
        self, *, max_cycles: int | None = None, render_mode: str | None = None, **parameters: Any
    ) -> "SingleView":
        """Return the environment as a Gymnasium environment; settings as in `parallel`."""
        from multislot.zoo.single import SingleView

        cycles = self.max_cycles if max_cycles is None else max_cycles
        return SingleView(self.make_world(parameters), max_cycles=cycles, render_mode=render_mode)

    def make_world(self, parameters: Mapping[str, Any]) -> World:
        """Return a new world.

        Raises:
            UnknownNameError: its factory has no such parameter.
            SettingError: the factory made neither a World nor a kernel.
        """
        factory = resolve_name(self.world) if isinstance(self.world, str) else self.world
        known = signature(factory).parameters
        if not any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known.values()):
            for parameter in parameters.keys() - known.keys():
                raise UnknownNameError(f"parameter of {self.name}", parameter, known)
        made = factory(**parameters)
        if isinstance(made, World):
            return made
        if not hasattr(made, "outcomes"):
            raise refusal(f"{self.name}'s world(…)", made, "a World or a kernel")
        from multislot.exact import KernelWorld

        return KernelWorld(made)

    def _refuse(self, name: str, value: object, view: str) -> None:
        if value is not None:
            raise refusal(name, value, f"no {name}, which is a setting of the {view} view", f"give view={view!r}")


@explains_arguments
def register(
    name: str,
    world: str | WorldFactory,
    *,
    slots: int = 1,
    max_agents: int = MOST_AGENTS,
    max_cycles: int = LONGEST,
    single_agent: bool = False,
    parameters: Mapping[str, Any] | None = None,
) -> Registered:
    """Register a world in PettingZoo's parallel and AEC registries, and in Gymnasium's if it has a single agent.

    Args:
        name: ``"namespace/name-v0"``, the id in the registries.
        world: ``world(**parameters)`` returns a World, or a kernel for a `KernelWorld`; or its place as
            ``"module:attribute"``, imported when the first environment is made.
        slots: default number of slots of the fixed view.
        max_agents: default number of occupants of the dynamic view.
        max_cycles: default number of steps in an episode.
        single_agent: one agent stays in one slot.
        parameters: defaults that replace the factory's own.
    """
    if not isinstance(world, str):
        checked_callable("world", world, "a factory of worlds, or where one is as 'module:attribute'")
    registered = Registered(name, world, slots, max_agents, max_cycles)
    defaults = dict(parameters or {})
    when_imported("pettingzoo", lambda: _in_pettingzoo(registered, defaults))
    if single_agent:
        when_imported("gymnasium", lambda: _in_gymnasium(registered, defaults))
    return registered


def _in_pettingzoo(registered: Registered, defaults: dict[str, Any]) -> None:
    import pettingzoo

    pettingzoo.register("parallel", registered.name, registered.parallel, kwargs=defaults)
    pettingzoo.register("aec", registered.name, registered.aec, kwargs=defaults)


def _in_gymnasium(registered: Registered, defaults: dict[str, Any]) -> None:
    import gymnasium

    gymnasium.register(registered.name, registered.single, kwargs=defaults)
