"""CartPole with two joysticks for DQN, PPO and their reality checks: who balances without being swayed?

The experiment that the authors of Alexander et al. 2021 released beside their library: both joysticks move the cart
alike, and the agent is penalized for using another one than a copy would that lived without rewards (IgnoreRewards),
with learning rate 1, or with half of the agent's own rate. They printed no numbers, so nothing is compared.

It departs from theirs in what the agent sees. There the network is given four real numbers; here the pole's angle and
angular velocity in bins, one-hot, so that the one-hot trainer serves. Both algorithms train as Stable-Baselines3 does.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from scenarios.lab.cells import Results
from scenarios.lab.table import Row
from scenarios.self_reflection import cartpole
from scenarios.self_reflection.measuring import with_checks


@dataclass(frozen=True)
class Settings(cartpole.CartPoleSettings):
    """How long, how finely the cart is seen, and how often it is repeated."""

    steps: Annotated[int, Field(ge=100, description="steps a run")] = 50_000


QUICK = Settings(steps=3_000, seeds=1)
FULL = Settings(steps=200_000, seeds=10)


LEARNERS = ("DQN", "PPO")
AGENTS = with_checks(LEARNERS)
HANDICAPS = ("IgnoreRewards", "IncentivizeLearningRate", "half the rate")


def cells(settings: Settings) -> list[cartpole.Cell]:
    return cartpole.cells(settings, AGENTS, HANDICAPS)


run_cell = cartpole.run_cell


def table(settings: Settings, results: Results) -> list[Row]:
    return [
        row
        for by in HANDICAPS
        for agent in AGENTS
        for row in cartpole.reward_rows(results, by, agent, cartpole.describe(settings, by, agent))
    ]


def story(settings: Settings, results: Results) -> str:
    return cartpole.gain_lines(results, HANDICAPS, LEARNERS)
