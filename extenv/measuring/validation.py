"""Validates what passes between an agent and an environment if a user wrote one of them.

The compiled loop trusts both. Tests hold this project's own agents and environments to the contract, so they are not
validated and the measure costs nothing extra.
"""

from math import isfinite
from operator import index
from typing import Any

from extenv.environment import ExtendedEnvironment
from extenv.measuring.rehearsal import is_index
from multislot.engine.agent import Agent
from multislot.errors import TurnError, bad_action, bad_observation, bad_reward, show_value

AGENT_SLOT = 1
TRUSTED = ("extenv.catalogue.", "extenv.checked_agent", "multislot.agents.tabular", "multislot.agents.deep")


class ValidatedAgent(Agent):
    """An agent whose answers are validated: each must be an action."""

    def __init__(self, agent: Agent, n_actions: int) -> None:
        self.agent, self.n_actions, self.steps = agent, n_actions, 0

    def act(self, observation: int) -> int:
        """Return the agent's action."""
        action = self.agent.act(observation)
        if not is_index(action, self.n_actions):
            raise bad_action(action, self.n_actions, AGENT_SLOT, self.steps + 1)
        return index(action)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Let the agent learn."""
        self.steps += 1
        self.agent.learn(observation, action, reward, next_observation)


class ValidatedEnvironment(ExtendedEnvironment):
    """An environment that has begun, whose rewards and observations are validated."""

    def __init__(self, environment: ExtendedEnvironment) -> None:
        self.environment, self.steps = environment, 0
        self.n_seen = int(environment.n_observations)

    def step(self, action: int) -> tuple[float, int]:
        """Return reward and observation.

        Raises:
            TurnError: the environment does not return a pair.
            RewardError: the reward is not a finite number.
        """
        self.steps += 1
        turn: Any = self.environment.step(action)
        if not isinstance(turn, tuple) or len(turn) != 2:
            raise TurnError(
                f"step(action) returned {show_value(turn)}", "return (reward, observation)", AGENT_SLOT, self.steps
            )
        reward, observation = turn
        return self.reward(reward), self.observation(observation)

    def reward(self, reward: Any) -> float:
        """Return `reward`, or raise RewardError if it is not a finite number."""
        try:
            paid = float(reward)
        except (TypeError, ValueError):
            raise bad_reward(reward, AGENT_SLOT, self.steps) from None
        if not isfinite(paid):
            raise bad_reward(reward, AGENT_SLOT, self.steps)
        return paid

    def observation(self, observation: Any) -> int:
        """Return `observation`, or raise ObservationError if it is out of range."""
        if not is_index(observation, self.n_seen):
            raise bad_observation(observation, self.n_seen, AGENT_SLOT, self.steps)
        return index(observation)


def validated_agent(agent: Agent, n_actions: int) -> Agent:
    """Return an agent with validation, unless it and the agent inside are compiled ones of this project."""
    return agent if trusted(agent) and trusted(getattr(agent, "agent", agent)) else ValidatedAgent(agent, n_actions)


def validated_environment(environment: ExtendedEnvironment) -> ExtendedEnvironment:
    """Return an environment with validation, unless it is one of the catalogue."""
    return environment if trusted(environment) else ValidatedEnvironment(environment)


def trusted(value: object) -> bool:
    """Return whether the class of `value` is one of this project's compiled ones."""
    return type(value).__module__.startswith(TRUSTED)
