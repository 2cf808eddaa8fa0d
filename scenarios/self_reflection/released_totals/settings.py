"""Settings of ``released-totals``."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.self_reflection.measuring import DEEP, AgentNames, EnvironmentNames

STEADY = ("FalseMemories", "PunishNondeterministicAgent", "ThirdActionForbidden", "DelayedRewards")
"""Environments in which rounding decides nothing for A2C and DQN."""


@dataclass(frozen=True)
class Settings:
    """Which agents, in which environments, how often."""

    agents: AgentNames = DEEP
    environments: EnvironmentNames = STEADY
    seeds: Annotated[int, Field(ge=1, le=5, description="runs that were released, seeds 1 … n")] = 1


QUICK = Settings(environments=STEADY[:3:2])
FULL = Settings(seeds=5)
