"""Runs one agent in one extended environment, after checking both (Alexander et al. 2021, section 4)."""

from dataclasses import dataclass
from functools import lru_cache, partial
from operator import index

from extenv.battery import EnvironmentLike, resolve_environment
from extenv.catalogue.other_selves import PunishNondeterministicAgent, PunishSlowAgent
from extenv.environment import AGENT_SLOT, ExtendedEnvironment, play
from extenv.measuring.validation import are_trusted, check_agent, is_index, play_validated
from multislot.agents.interpreted import InterpretedQLearner
from multislot.agents.tabular import QLearner
from multislot.checks import whole
from multislot.engine import sharing
from multislot.engine.agent import AgentFactory
from multislot.engine.factories import check_factory
from multislot.engine.stream import PublishedStream, Stream, published_streams
from multislot.errors import SettingError, bad_observation

MOST_STEPS = 2**63 - 1
STEPS_AT_ONCE = 10**6
"""The compiled loop does not look for Ctrl-C, which Python does between its calls."""


@dataclass(frozen=True)
class Run:
    """What one agent earned in one environment.

    Attributes:
        total_reward: the sum of its rewards.
        steps: over how many steps.
    """

    total_reward: float
    steps: int

    @property
    def mean_reward(self) -> float:
        """Reward per step, the score."""
        return self.total_reward / self.steps


@lru_cache(maxsize=16)
def stored_streams(seed: int) -> tuple[PublishedStream, PublishedStream]:
    """Return `published_streams` of a seed, made once."""
    return published_streams(seed)


def run(
    environment: EnvironmentLike,
    factory: AgentFactory | None = None,
    *,
    steps: int = 100_000,
    seed: int = 0,
    opposite: bool = False,
    check_sharing: bool = True,
) -> Run:
    """Run an agent in an extended environment and return what it earned.

    What is required of agents: ``factory(n_observations, n_actions, stream, **overrides)`` returns a fresh one each
    time. Two of one factory, and an agent and its copy, share nothing that learning changes. ``act(observation)``
    returns an index below `n_actions`, and the same one until something is learned (semi-determinism, Definition 9):
    draw from ``stream.at(n)``, with n the number of turns learned, and not from a generator that moves when asked. An
    agent that is meant to draw again whenever it is asked says so with ``asking_changes_it = True``: it runs, and its
    copies may act otherwise than it does. PunishNondeterministicAgent accepts agents that do not say so, too.
    ``learn(observation, action, reward, next_observation)`` takes turns of others. All but Definition 9 over a whole
    life is checked before the run; `multislot.testing.check_agent` checks that, too.

    Args:
        environment: its name (`extenv.BATTERY`), class or object.
        factory: makes the agent and its copies; by default a Q-learner (an interpreted one where that is needed).
        steps: how many, at least 1. After 100,000 the published random numbers begin again, so give more seeds instead.
        seed: of the two stores of random numbers, at least 0.
        opposite: negate what the true agent receives (section 6); its copies learn from un-negated rewards.
        check_sharing: refuse a factory whose agents share what they learn; False for agents that are meant to.

    Raises:
        AgentError: acting changes the agent, or agents share what they learn.
        RewardError: it pays something that is not a finite number.
        TurnError: it does not return a reward and an observation.
    """
    steps, seed = whole("steps", steps, 1, MOST_STEPS), whole("seed", seed, 0)
    world = resolve_environment(environment)
    factory = checked_factory(world, factory)
    agent_stream, stream = stored_streams(seed)
    agent_stream = agent_stream.again()  # of this run alone: published deep agents with one stream share a model
    n_observations, n_actions = world.n_observations, world.n_actions
    may_change = isinstance(world, PunishNondeterministicAgent)
    check_agent(factory(n_observations, n_actions, agent_stream), n_observations, n_actions, may_change)
    if check_sharing:
        check_learning_apart(world, factory, agent_stream)
    observation = world.begin(factory, agent_stream, stream)
    if not is_index(observation, n_observations):
        raise bad_observation(observation, n_observations, AGENT_SLOT, 0)
    agent, total = factory(n_observations, n_actions, agent_stream), 0.0
    if not are_trusted(world, agent):
        return Run(play_validated(world, agent, index(observation), n_actions, steps, bool(opposite)), steps)
    for done in range(0, steps, STEPS_AT_ONCE):
        part = min(steps - done, STEPS_AT_ONCE)
        total, observation = play(world, agent, observation, n_actions, part, bool(opposite), done, total)
    return Run(total, steps)


def check_learning_apart(environment: ExtendedEnvironment, factory: AgentFactory, stream: Stream) -> None:
    """Raise AgentError if agents of `factory` share what they learn (`multislot.engine.sharing`)."""
    n_observations = environment.n_observations
    sharing.check_sharing(factory, partial(factory, n_observations, environment.n_actions, stream), n_observations)


def checked_factory(environment: ExtendedEnvironment, factory: AgentFactory | None) -> AgentFactory:
    """Return `factory`, by default Q-learners, after checking that it can be run in `environment`."""
    counts_steps = isinstance(environment, PunishSlowAgent)
    if factory is None:
        return InterpretedQLearner if counts_steps else QLearner
    check_factory(factory)
    if not counts_steps:
        return factory
    agent = factory(environment.n_observations, environment.n_actions, stored_streams(0)[0])
    inside = getattr(agent, "agent", agent)
    if not hasattr(type(inside).act, "__code__"):
        raise SettingError(
            f"{type(inside).__name__}.act is compiled and a debugger sees no steps in it, so PunishSlowAgent cannot "
            "count them; give an agent whose act() is written in Python, such as multislot.agents.InterpretedQLearner"
        )
    return factory
