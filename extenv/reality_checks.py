"""Makes the reality check of any factory of agents (Alexander et al. 2021, Definition 10).

The agents are in `extenv.checked_agent`.
"""

from dataclasses import dataclass
from typing import Any, Literal

from extenv.checked_agent import PublishedRealityCheckedAgent, RealityCheckedAgent
from multislot.checks import checked_instance
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.factories import OuterFactory, check_factory, name_factory
from multislot.engine.stream import Stream
from multislot.errors import SettingError, show_value

Freeze = Literal["first", "published"]


@dataclass(frozen=True)
class RealityCheck(OuterFactory):
    """A factory whose agents are the reality checks of another factory's."""

    freeze: Freeze

    def __call__(self, n_observations: int, n_actions: int, stream: Stream, **overrides: Any) -> Agent:
        """Make the reality check of a fresh agent."""
        made = self.factory(n_observations, n_actions, stream, **overrides)
        agent = checked_instance("what the factory made", made, Agent, "subclass it")
        return RealityCheckedAgent(agent) if self.freeze == "first" else PublishedRealityCheckedAgent(agent)

    @property
    def __name__(self) -> str:
        freeze = "" if self.freeze == "first" else f", freeze={self.freeze!r}"
        return f"reality_check({name_factory(self.factory)}{freeze})"


def reality_check(factory: AgentFactory, freeze: Freeze = "first") -> RealityCheck:
    """Make the factory of the reality checks of `factory`'s agents.

    Args:
        factory: makes the agents inside.
        freeze: the action on which an agent freezes when it notices that its history is not its own. ``"first"`` is
            Definition 10; ``"published"`` is the first action that is not 0, as in the experiments of Table 2.
    """
    if freeze not in ("first", "published"):
        raise SettingError(
            f'got freeze={show_value(freeze)}; expected "first" (Definition 10) or "published" (Table 2)'
        )
    check_factory(factory)
    return RealityCheck(factory, freeze)
