"""The reality check of an agent: as it is defined, and as it was published.

Alexander et al. 2021, Definition 10: an agent that finds in its history an action which it would not have taken there
repeats one fixed action from then on. The module is compiled; `extenv.reality_check` makes factories of these agents.
"""

from typing import Any, cast

from mypy_extensions import i64, mypyc_attr

from multislot.engine.agent import Agent


@mypyc_attr(allow_interpreted_subclasses=True)
class RealityCheckedAgent(Agent):
    """The reality check of Definition 10: freezes on its first action.

    The frozen action is fixed at the first learning step, as act(o₁). Acting changes nothing. ``learning_rate`` is that
    of the agent inside.

    Args:
        agent: the agent inside; it learns genuine history only.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.began = False
        self.frozen = False
        self.frozen_action: i64 = 0

    def act(self, observation: i64) -> i64:
        """Act as the agent inside, or repeat the frozen action."""
        if self.frozen:
            return self.frozen_action
        return self.agent.act(observation)

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> Any:
        """Learn genuine history; freeze at the first action that is not the agent's own."""
        if self.accepts(observation, action):
            self.agent.learn(observation, action, reward, next_observation)

    def learn_last(self, observation: i64, action: i64, reward: float) -> Any:
        """Learn as `learn` does, from the last transition of an episode."""
        if self.accepts(observation, action):
            self.agent.learn_last(observation, action, reward)

    def accepts(self, observation: i64, action: i64) -> bool:
        """Check that `action` is the agent's own; if it is not, freeze."""
        if self.frozen:
            return False
        own = self.agent.act(observation)
        if not self.began:
            self.began = True
            self.frozen_action = own
        self.frozen = action != own
        return not self.frozen

    @property
    def asking_changes_it(self) -> bool:
        """Whether asking changes the agent inside."""
        return bool(getattr(self.agent, "asking_changes_it", False))

    @property
    def learning_rate(self) -> float:
        """The learning rate of the agent inside; its other parameters are at ``.agent``."""
        inside: Any = self.agent
        return float(inside.learning_rate)

    def __deepcopy__(self, memo: dict[int, Any]) -> Agent:
        copied = cast("RealityCheckedAgent", super().__deepcopy__(memo))
        copied.agent = self.agent.copy()
        return copied

    def native_state(self) -> dict[str, Any]:
        """Return the attributes by name, the agent inside as it is: a copy's pickle may differ from its own."""
        return {
            "agent": self.agent,
            "began": self.began,
            "frozen": self.frozen,
            "frozen_action": self.frozen_action,
        }

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes."""
        self.agent = state["agent"]
        self.began = state["began"]
        self.frozen = state["frozen"]
        self.frozen_action = state["frozen_action"]


@mypyc_attr(allow_interpreted_subclasses=True)
class PublishedRealityCheckedAgent(RealityCheckedAgent):
    """The reality check of the published experiments: freezes on the first action that is not 0, if there is one.

    While it remembers no action or action 0, it remembers each action that it returns. Frozen, it repeats the
    remembered action. So asking changes it, and it is exempt from the rule that acting changes nothing.
    """

    @property
    def asking_changes_it(self) -> bool:
        """True: this agent is exempt from the purity check."""
        return True

    def act(self, observation: i64) -> i64:
        """Act as the agent inside and remember the action if only 0 is remembered; frozen, repeat that."""
        if self.frozen:
            return self.frozen_action
        action = self.agent.act(observation)
        if self.frozen_action == 0:
            self.frozen_action = action
        return action

    def accepts(self, observation: i64, action: i64) -> bool:
        """Check that `action` is the agent's own; if it is not, freeze."""
        if not self.frozen:
            self.frozen = action != self.act(observation)
        return not self.frozen
