"""Checks of agents: acting never changes them, those that learned the same act the same, copies are isolated.

Alexander et al. 2021, section 2 and Def. 9 (semi-determinism).
"""

import copy as copying
import warnings
from collections.abc import Callable
from difflib import get_close_matches
from operator import index, methodcaller

import numpy as np

from multislot.agents.tabular import MOST_VALUES, ConstantAgent
from multislot.checks import checked_seed, checked_steps, whole
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.factories import check_factory
from multislot.engine.sharing import find_learner, find_shared_learning
from multislot.engine.stream import EndlessStream
from multislot.errors import request_action, show_value
from multislot.testing.conformance import ConformanceError, pickle_and_read, write_pickle

FOUNDER = 1
FRESH_AGENTS = 12
"""So many agents of one seed are compared before they learn. Agents that draw an action at random and take it at every
observation agree by chance with probability ``n_actions ** -11``: 1 in 2048 for two actions. Agents are compared again
after they have learned."""
Experience = list[tuple[int, float, int]]
"""Triples of observation, reward and next observation."""


def check_agent(
    factory: AgentFactory, *, n_observations: int = 4, n_actions: int = 3, steps: int = 60, seed: int = 0
) -> None:
    """Run all checks of agents: separate learning, acting, semi-determinism, copies, pickling.

    It makes 29 agents and asks them about 1,300 questions, or 380 with ``steps=10``, for agents that answer slowly.
    An agent that defines `copy` need not support ``copy.deepcopy``: runs copy agents by `copy`.
    Warns if the agent defines neither `learn` nor `learn_last`: its class may mean to learn nothing, or misspell them.

    Args:
        factory: ``factory(n_observations, n_actions, stream)`` makes a fresh agent; the agent's class is one.
        n_observations: number of observations in the made-up experience.
        n_actions: number of actions.
        steps: number of learning steps.
        seed: of the experience and of the agents' stream.
    """
    check_factory(factory)

    def make() -> Agent:
        agent = factory(n_observations, n_actions, EndlessStream(seed, FOUNDER))
        if not isinstance(agent, Agent):
            raise ConformanceError(
                f"the factory made an object of class {type(agent).__name__}; expected a multislot.Agent: subclass it"
            )
        return agent

    warn_of_no_learning(type(find_learner(make())))

    experience = make_up_experience(n_observations, steps, seed)
    if fault := find_shared_learning(lambda: find_learner(make()), n_observations):
        raise ConformanceError(fault)
    check_fresh_agents(make, n_observations, n_actions)
    check_acting(make, experience, n_observations, n_actions)
    check_semi_determinism(make, experience)
    check_agent_copies(make, experience)
    check_agent_pickles(make, experience)


def make_up_experience(n_observations: int, steps: int, seed: int) -> Experience:
    """Return made-up observations and rewards; each step begins with the observation that ended the last one."""
    random = np.random.default_rng(checked_seed(seed))
    n_observations = whole("n_observations", n_observations, most=MOST_VALUES)
    observations = random.integers(n_observations, size=checked_steps("steps", steps) + 1).tolist()
    rewards = random.choice([-1.0, 0.0, 0.5, 1.0], size=steps).tolist()
    return list(zip(observations[:-1], rewards, observations[1:], strict=True))


def warn_of_no_learning(agent: type[Agent]) -> None:
    """Warn if a class of agents inherits both methods that learn from `Agent`, which do nothing."""
    inherits = agent.learn is Agent.learn and agent.learn_last is Agent.learn_last
    if inherits and not issubclass(agent, ConstantAgent):
        own = {name for part in agent.__mro__ if part not in Agent.__mro__ for name in vars(part)}
        near = get_close_matches("learn", own, n=1)
        advice = f"did you misspell it as {near[0]!r}?" if near else "no harm if it is meant to be constant"
        warnings.warn(
            f"{agent.__name__} does not define learn(observation, action, reward, next_observation): it learns "
            f"nothing; {advice}",
            stacklevel=3,
        )


def check_fresh_agents(make: Callable[[], Agent], n_observations: int, n_actions: int) -> None:
    """Check that agents made with the same seed act the same before they learn; the first is asked repeatedly."""
    first, observations = make(), range(n_observations)
    expected = [_ask_repeatedly(first, observation, n_actions, 4) for observation in observations]
    for _ in range(FRESH_AGENTS - 1):
        agent = make()
        if [_ask_action(agent, observation, n_actions) for observation in observations] != expected:
            raise ConformanceError(_MADE_UNLIKE)


def check_acting(make: Callable[[], Agent], experience: Experience, n_observations: int, n_actions: int) -> None:
    """Check that actions are indices, and that acting never changes the agent (Alexander et al. 2021, section 2).

    Each step asks at one observation, two, three or four times, so that an agent that counts modulo 2 is noticed.
    """
    asked, rarely_asked = make(), make()
    for step, moment in enumerate(experience):
        _ask_repeatedly(asked, step % n_observations, n_actions, 2 + step % 3)
        if live(asked, moment) != live(rarely_asked, moment):
            raise ConformanceError(
                f"after {step} learning steps an agent that was asked often acts differently from one that was asked "
                "rarely; acting must not change the agent, not even what it will learn"
            )


def _ask_repeatedly(agent: Agent, observation: int, n_actions: int, times: int) -> int:
    """The answer of an agent, which must be the same each time."""
    answers = [_ask_action(agent, observation, n_actions) for _ in range(times)]
    if len(set(answers)) > 1:
        raise ConformanceError(
            f"act({observation}) answered {answers} with nothing learned in between; acting must not change "
            "the agent: read random numbers from its stream, at an index that only learning advances"
        )
    return answers[0]


def _ask_action(agent: Agent, observation: int, n_actions: int) -> int:
    answer: object = agent.act(observation)
    try:
        action = index(answer)  # type: ignore[arg-type]
    except TypeError:
        action = -1
    if not 0 <= action < n_actions:
        raise ConformanceError(f"act({observation}) returned {show_value(answer)}; {request_action(n_actions)}")
    return action


def check_semi_determinism(make: Callable[[], Agent], experience: Experience) -> None:
    """Check that two instances with the same training act the same (Alexander et al. 2021, Def. 9)."""
    first, second = make(), make()
    first_acts = [live(first, moment) for moment in experience]
    compare(first_acts, [live(second, moment) for moment in experience], _UNLIKE)


def check_agent_copies(make: Callable[[], Agent], experience: Experience) -> None:
    """Check that a copy continues as its original would, and that neither notices what the other learns."""
    half = len(experience) // 2
    past, future = experience[:half], experience[half:]
    control = train(make, past)
    expected = [live(control, moment) for moment in future]
    for copied in ways_to_copy(control):
        duplicate = copied(train(make, past))
        compare(expected, [live(duplicate, moment) for moment in future], _COPY_DIFFERS)
        original = train(make, past)
        other = copied(original)
        compare(expected, _act_beside(other, original, future), _ORIGINAL_NOTICES)
        original = train(make, past)
        other = copied(original)
        compare(expected, _act_beside(original, other, future), _COPY_NOTICES)


def ways_to_copy(agent: Agent) -> list[Callable[[Agent], Agent]]:
    """`Agent.copy`, and `copy.deepcopy` if it works: it does not see that a class defines `copy`."""
    try:
        copying.deepcopy(agent)
    except Exception:  # whatever a copy of foreign attributes raises; a `copy` that is inherited raises it again
        return [methodcaller("copy")]
    return [methodcaller("copy"), copying.deepcopy]


def train(make: Callable[[], Agent], past: Experience) -> Agent:
    """Return an agent that has learned `past`."""
    agent = make()
    for moment in past:
        live(agent, moment)
    return agent


def _act_beside(disturbing: Agent, watched: Agent, future: Experience) -> list[int]:
    """The actions of `watched` while `disturbing` learns something else, step by step."""
    actions = []
    for observation, reward, following in future:
        live(disturbing, (following, -1.0 - reward, observation))
        actions.append(live(watched, (observation, reward, following)))
    return actions


def check_agent_pickles(make: Callable[[], Agent], experience: Experience) -> None:
    """Check that an agent read back from a pickle continues as before; agents reach other processes that way.

    Acting must not change the pickle: a change may show later.
    """
    half = len(experience) // 2
    agent = train(make, experience[:half])
    read = pickle_and_read(agent)
    before = write_pickle(agent)
    for observation, _, _ in experience:
        agent.act(observation)
    if write_pickle(agent) != before:
        raise ConformanceError(
            "an agent's pickle differs after acting; acting must not change the agent: keep intermediate results of "
            "act() out of self, or at least out of the pickle"
        )
    expected = [live(agent, moment) for moment in experience[half:]]
    compare(expected, [live(read, moment) for moment in experience[half:]], _PICKLE_DIFFERS)


def live(agent: Agent, moment: tuple[int, float, int]) -> int:
    """Let an agent act and learn once, and return the action; if the observation stays, it uses ``learn_last``."""
    observation, reward, following = moment
    action = agent.act(observation)
    if observation == following:
        agent.learn_last(observation, action, reward)
    else:
        agent.learn(observation, action, reward, following)
    return action


_MADE_UNLIKE = (
    "two agents that were made with the same seed already act differently before anything is learned; take initial "
    "weights from the stream that the factory receives, or from a generator with a fixed seed"
)
_UNLIKE = (
    "two agents made and trained in the same way act differently; read every random number from the stream that the "
    "factory receives, at an index that only learning advances"
)
_COPY_DIFFERS = "a copy acts differently from what its original would have done; copy everything that learning changes"
_ORIGINAL_NOTICES = "the original acts differently after a copy has learned; they share something that learning changes"
_COPY_NOTICES = "a copy acts differently after its original has learned; they share something that learning changes"
_PICKLE_DIFFERS = "an agent read back from a pickle acts differently; keep all its state in the pickle"


def compare(expected: list[int], got: list[int], message: str) -> None:
    """Compare actions step by step."""
    for step, (before, after) in enumerate(zip(expected, got, strict=True)):
        if before != after:
            raise ConformanceError(f"{message} (step {step + 1}: action {after}, not {before})")
