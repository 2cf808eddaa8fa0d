"""The examples of Alexander 2022 with simple parameters, and learners as functions of prompts that live in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from extenv import formal
from extenv.formal.codings import NATURALS
from extenv.formal.examples import ENGLISH, Point
from extenv.formal.plays import imagine
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream
from scenarios.self_reflection.measuring import TABULAR, own_factory, strip_check

N_OBSERVATIONS, N_ACTIONS = 64, 2
HASHING = "Hashing"
"""The agent that acts differently after any other past: the control where a learner does well."""
TOLD = "Told"
"""The agent that knows by heart what pays: the control where a learner must recognize itself, and does poorly."""


@dataclass(frozen=True)
class Example:
    """One example.

    Attributes:
        environment: the example.
        guessing: the mean reward of guessing, if both answers are equally likely to be right.
        right: the reward of a right answer; None if rewards are unbounded, or if the question is what a handicap costs.
    """

    environment: formal.FormalEnvironment
    guessing: float = 0.0
    right: float | None = 1.0

    @property
    def halfway(self) -> float:
        return (self.guessing + (self.right or 0.0)) / 2.0


def lever(_agent: formal.FormalAgent, play: formal.Play) -> formal.FormalPercept:
    """Pay 1 for action 1, and show how many turns have passed, modulo 2: the games of Examples 6 and 7."""
    return (int(bool(play) and play[-1] == 1)), len(play) // 3 % 2


def room(_agent: formal.FormalAgent, play: formal.Play) -> formal.FormalPercept:
    """Show a clock of three hours and, in the mirror, one of two things: the room of Example 8."""
    hour, shape = len(play) // 3 % 3, len(play) // 6 % 2
    return 0, 2 * hour + shape


def game(keys: tuple[int, ...]) -> tuple[int, int]:
    """Two eyes' snapshots of an object that the keys move, seen from three places in turn (Example 9)."""
    place, viewpoint = sum(keys) % 2, len(keys) % 3
    return viewpoint, viewpoint + place


def scene(left: int, right: int) -> int:
    """The depth of what two eyes see; it does not depend on where the eyes are."""
    return right - left


def show(observations: Iterable[int]) -> list[formal.FormalPercept]:
    """Show these observations one after another, and pay 1 for every action."""
    return [(int(turn > 0), observation) for turn, observation in enumerate(observations)]


def ask(agent: formal.FormalAgent, *observations: int) -> int:
    """The agent's action after observations to each of which it did what was rewarded with 1."""
    return agent(imagine(agent, show(observations)))


def classifier(agent: formal.FormalAgent) -> Callable[..., Mapping[int, Fraction]]:
    """F(A): it is rewarded for each training label and then gives the image the label of its action."""

    def classify(labels: frozenset[int], training: tuple[tuple[int, int], ...], image: int) -> Mapping[int, Fraction]:
        ordered, shown = sorted(labels), show([*(trained for trained, _ in training), image])
        prompt = imagine(lambda seen: ordered.index(training[len(seen) // 3][1]), shown)
        chosen = ordered[agent(prompt) % len(ordered)]
        return {label: Fraction(label == chosen) for label in ordered}

    return classify


def clusterer(agent: formal.FormalAgent) -> Callable[[int, frozenset[Point]], frozenset[frozenset[Point]]]:
    """G(A): points belong together if the agent acts alike on their numbers in ascending order."""

    def cluster(_dimension: int, points: frozenset[Point]) -> frozenset[frozenset[Point]]:
        parts: dict[int, set[Point]] = {}
        for number, point in enumerate(sorted(points)):
            parts.setdefault(ask(agent, number), set()).add(point)
        return frozenset(map(frozenset, parts.values()))

    return cluster


def chatbot(agent: formal.FormalAgent) -> Callable[[Sequence[str]], str]:
    """H(A): it sees the number of each string and says the string whose number is its action."""
    return lambda said: str(ENGLISH[ask(agent, *(ENGLISH.encode(text) for text in said))])


def predictor(agent: formal.FormalAgent) -> Callable[[Sequence[tuple[int, int]]], int]:
    """The predictor: it sees what came, and its action is what it predicts next."""
    return lambda rounds: ask(agent, 0, *(came for _, came in rounds))


def knower(agent: formal.FormalAgent) -> Callable[[int, int], bool]:
    """I(A): a sentence is known after so many steps as its number has, if the agent says yes to it."""
    return lambda sentence, steps: steps > sentence and ask(agent, sentence) > 0


UNHINDERED = "6 no handicap"
FIRST_EXAMPLES: dict[str, formal.Handicap] = {
    "ignoring rewards": formal.ignoring_rewards,
    "false memories": formal.false_memories((0, 0, 0) * 2),
    "backward consciousness": formal.backward_consciousness,
    "deja vu": formal.deja_vu,
    "incentive to incentivize": formal.incentive_to_incentivize,
}
"""Examples 1 to 5, in order."""
HANDICAPS = {UNHINDERED: formal.no_handicap} | {f"6 {name}": handicap for name, handicap in FIRST_EXAMPLES.items()}
"""Examples 1 to 5 as handicaps of one merciful game (Example 6), and the handicap that approves of everything."""


EXAMPLES: dict[str, Example] = {
    **{f"{number} {name}": Example(handicap) for number, (name, handicap) in enumerate(FIRST_EXAMPLES.items(), 1)},
    **{name: Example(formal.Merciful(lever) * handicap, right=None) for name, handicap in HANDICAPS.items()},
    "7 self-insertion": Example(formal.self_inserted(lever)),
    "8 mirror": Example(formal.mirrored(room, lambda seen: seen % 2)),
    "9 binocular vision": Example(formal.binocular(game, scene)),
    "10 crying baby": Example(formal.crying_baby),
    "11 self-recognition": Example(formal.self_recognition, guessing=0.5),
    "12 supervised learning": Example(formal.classifier_recognition(formal.SupervisedTrials(), classifier)),
    "12 clustering": Example(formal.clustering_recognition(formal.ClusteringTrials(), clusterer)),
    "12 Turing test": Example(formal.chatbot_recognition(formal.CONVERSATIONS, chatbot)),
    "12 sequence prediction": Example(formal.predictor_recognition(formal.PREDICTION_TRIALS, predictor)),
    "12 knowing agent": Example(formal.knower_recognition(NATURALS, knower), guessing=0.5),
    "13 meta example": Example(formal.meta(formal.GuessingGames()), right=None),
}
"""Every example by its number and name; of Examples 6 and 12 one entry for each handicap and aspect."""


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
    """An agent that acts by a hash of all its past: after another past it acts the same only by chance."""

    def __init__(self, n_observations: int, n_actions: int, stream: Stream) -> None:
        self.n_actions, self.past = n_actions, repr(stream.at(0))

    def act(self, observation: int) -> int:
        return int(sha256(f"{self.past} {observation}".encode()).hexdigest(), 16) % self.n_actions

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        turn = f"{self.past} {observation} {action} {float(reward)!r} {next_observation}"
        self.past = sha256(turn.encode()).hexdigest()


def formal_agent(name: str, stream: Stream) -> formal.FormalAgent:
    """A learner by its name in the paper, or its reality check, as a function of prompts."""
    plain = strip_check(name)
    factory = Hashing if plain == HASHING else TABULAR.get(plain) or own_factory(plain)
    agent = formal.lifted(lambda: Modulo(factory(N_OBSERVATIONS, N_ACTIONS, stream)))
    return agent if plain == name else formal.reality_check_by_agent(agent)


def tell_answers(environment: formal.FormalEnvironment, steps: int) -> formal.FormalAgent:
    """An agent that knows which action pays more at each turn of a game, and otherwise takes action 0.

    What pays may depend on what the agent is. So the answers are found by playing: each is asked of the environment
    with the agent as it is so far.
    """
    answers: dict[formal.Prompt, int] = {}

    def agent(prompt: formal.Prompt) -> int:
        return answers.get(prompt, 0)

    def decide(prompt: formal.Prompt) -> int:
        answers[prompt] = max(range(N_ACTIONS), key=lambda action: environment(agent, (*prompt, action))[0])
        return answers[prompt]

    formal.interact(decide, lambda _, play: environment(agent, play), steps)
    return agent


def percepts_of_hash_agents(environment: formal.FormalEnvironment) -> str:
    """What three agents that act by a hash of their prompt are paid and shown after nine plays, also by hashes.

    No agent could have made most of the plays. So the formula of an example is asked about everything that it reads.
    """
    percepts = []
    for turns in (0, 1, 2, 3, 5, 8, 13, 21, 34):
        drawn = [sha256(f"turn {turn} of {turns}".encode()).digest() for turn in range(turns)]
        play = tuple(entry for first, second, third, *_ in drawn for entry in (first % 3 - 1, second % 4, third % 2))
        percepts += [environment(_hash_agent(number), play) for number in (1, 2, 3)]
    return " ".join(f"{paid}/{seen}" for paid, seen in percepts)


def _hash_agent(number: int) -> formal.FormalAgent:
    return lambda prompt: sha256(f"{number}: {' '.join(map(str, prompt))}".encode()).digest()[0] % N_ACTIONS
