"""Learners of the practical kind as functions of prompts, with tables of a stated size."""

from hashlib import sha256

from extenv.formal import FormalAgent, FormalEnvironment, Prompt, interact, lifted, reality_check_by_agent
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream
from scenarios.self_reflection.measuring import TABULAR, own_factory, strip_check

N_OBSERVATIONS, N_ACTIONS = 64, 2
HASHING = "Hashing"
"""The agent that no other past would make act the same: the control where a learner does well."""
TOLD = "Told"
"""The agent that knows by heart what pays: the control where a learner must recognize itself, and does poorly."""


class Modulo(Agent):
    """A learner that sees observations and past actions modulo the size of its table.

    Args:
        agent: the learner inside.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def act(self, observation: int) -> int:
        return self.agent.act(observation % N_OBSERVATIONS)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        seen, following = observation % N_OBSERVATIONS, next_observation % N_OBSERVATIONS
        self.agent.learn(seen, action % N_ACTIONS, reward, following)


class Hashing(Agent):
    """An agent that acts by a hash of all its past, so that after another past it acts the same by chance alone."""

    def __init__(self, n_observations: int, n_actions: int, stream: Stream) -> None:
        self.n_actions, self.past = n_actions, repr(stream.at(0))

    def act(self, observation: int) -> int:
        return int(sha256(f"{self.past} {observation}".encode()).hexdigest(), 16) % self.n_actions

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        turn = f"{self.past} {observation} {action} {float(reward)!r} {next_observation}"
        self.past = sha256(turn.encode()).hexdigest()


def formal_agent(name: str, stream: Stream) -> FormalAgent:
    """A learner by its name in the paper, or its reality check, as a function of prompts."""
    plain = strip_check(name)
    factory = Hashing if plain == HASHING else TABULAR.get(plain) or own_factory(plain)
    agent = lifted(lambda: Modulo(factory(N_OBSERVATIONS, N_ACTIONS, stream)))
    return agent if plain == name else reality_check_by_agent(agent)


def tell_answers(environment: FormalEnvironment, steps: int) -> FormalAgent:
    """An agent that knows by heart what pays more in an environment, turn by turn, and else takes action 0.

    What pays may depend on what the agent is. So the answers are found by playing: each is asked of the environment
    with the agent as it is so far.
    """
    answers: dict[Prompt, int] = {}

    def agent(prompt: Prompt) -> int:
        return answers.get(prompt, 0)

    def decide(prompt: Prompt) -> int:
        answers[prompt] = max(range(N_ACTIONS), key=lambda action: environment(agent, (*prompt, action))[0])
        return answers[prompt]

    interact(decide, lambda _, play: environment(agent, play), steps)
    return agent
