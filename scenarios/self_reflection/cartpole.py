"""CartPole with two joysticks and a handicap, and what is measured of an agent that balances."""

from statistics import mean

from extenv.composing.compose import Bins, Handicapped, handicap
from extenv.environment import ExtendedEnvironment
from multislot.engine.agent import AgentFactory
from multislot.statistics import mean_and_error
from scenarios.lab.cells import Result, Results
from scenarios.self_reflection.measuring import begun

BLOCKS = 20


def make_cartpole(by: ExtendedEnvironment, bins: int) -> Handicapped:
    """The handicapped CartPole, of which the agent sees the pole's angle and angular velocity in bins."""
    seen = Bins(low=(-2.4, -3.0, -0.21, -3.0), high=(2.4, 3.0, 0.21, 3.0), counts=(1, 1, bins, bins))
    return handicap("CartPole-v1", by, encoder=seen)


def balanced(environment: Handicapped, factory: AgentFactory, steps: int, seed: int) -> Result:
    """Let an agent balance, and measure each of 20 parts of the run: reward a step, share of steps penalized, falls."""
    agent, observation = begun(environment, factory, seed)
    rewards, falls = [], []
    for _ in range(steps):
        action, episode = agent.act(observation), environment.episode
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        rewards.append(reward)
        falls.append(environment.episode > episode)
        observation = following
    parts = [slice(steps * part // BLOCKS, steps * (part + 1) // BLOCKS) for part in range(BLOCKS)]
    return {
        "reward": [mean(rewards[part]) for part in parts],
        "penalized": [mean(reward < 0 for reward in rewards[part]) for part in parts],
        "falls": [sum(falls[part]) for part in parts],
    }


def by_agent(results: Results, by: str, agent: str, key: str) -> list[list[float]]:
    """One series of 20 numbers a seed."""
    return [
        [float(number) for number in result[key]]
        for cell, result in results
        if (cell.handicap, cell.agent) == (by, agent)
    ]


def summary(series: list[list[float]]) -> tuple[float, float]:
    """Mean and standard error over seeds of the mean of a series."""
    return mean_and_error([mean(numbers) for numbers in series])
