"""The numbered examples of both papers that are environments by themselves, as exact functions of (agent, play).

From Alexander et al. 2021 (the first paper): Examples 3, 4 and 5. From Alexander 2022 (the second): Examples 1–5, each
a handicap (see `extenv.formal.operators`), Examples 10–13, and two that it describes without a number. The first
paper's constant observation ``O`` is 0 here, as in the second.

Three of them have the name of an environment of the battery but are different environments. The formal incentive to
incentivize never shows the copy's actions. The formal baby's satiation has no bounds and falls by three per turn.
Formal self-recognition shows whole plays.

Examples 11 and 12 ask "Does that look like me?". The agent is shown trials one after another: observation n stands for
trial n of an enumeration. A positive action says "looks like me", 0 says "does not". The paper describes Example 12
informally, "similar to Example 11". It assumes canonical functions that turn a reinforcement learner into a classifier,
a clusterer, a chatbot, a predictor or a knower; here they are parameters, and so is the enumeration of trials. A right
answer pays 1. A wrong answer pays 0 if the paper only mentions reward (Example 11, the knowing agent), and −1 if it
says "rewarded or punished" (the rest).

Example 13 is reinforcement learning itself. The agent is shown environments one after another. The action "play" pays
at once the total reward that the agent would ever get there. The paper shows the environments whose total reward ZFC
proves. Here a run replaces the proof: if an environment is known to end, running it to its end computes its total
reward exactly. So this is an enumeration of ending environments, and observation n stands for the n-th one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol, TypeVar

from extenv.formal.codings import NATURALS, PLAYS, RATIONALS, Coding, pairs, sequences, strings, unpair
from extenv.formal.operators import Handicap
from extenv.formal.plays import (
    FormalAgent,
    FormalEnvironment,
    FormalPercept,
    Play,
    Prompt,
    Rational,
    actions,
    checked_play,
    imagine,
    interact,
    observations,
    rewards,
    split,
    with_percepts,
)
from multislot.checks import checked_instance, whole
from multislot.errors import SettingError

BUTTON = 0
PUSH = 0
FEED = LAUGH = 0
UNGUARDED, GUARDED = 0, 1
TAKE = 0
PLAY_IT = 0

Trial = TypeVar("Trial")
Sentence = TypeVar("Sentence")
Trial_co = TypeVar("Trial_co", covariant=True)


def make_handicap(approves: Callable[[FormalAgent, Prompt, int], bool]) -> Handicap:
    """Make the handicap that pays 1 if it approves of the last action, −1 if not, and 0 at the empty play.

    Args:
        approves: from agent, prompt p and action a, for a play ``p⌢a``.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, 0
        return (1 if approves(agent, *split(play)) else -1), 0

    return Handicap(environment)


def acting_as_if_paid(rate: Rational) -> Handicap:
    """Return the job of acting as if every hour paid `rate` (Alexander 2022, after Example 1; there $1000)."""
    checked_play((rate, 0, 0))
    paid = partial(with_percepts, change=lambda _reward, observation: (rate, observation))
    return make_handicap(lambda agent, prompt, action: action == agent(paid(prompt)))


ignoring_rewards = acting_as_if_paid(0)
"""Does the agent act as if all rewards had been 0? (Alexander et al. 2021, Example 3; Alexander 2022, Example 1.)"""


def false_memories(memory: Play) -> Handicap:
    """Return the handicap of acting as if `memory` had come before (Alexander 2022, Example 2: ``p₀ = memory``)."""
    first = checked_play(memory)
    return make_handicap(lambda agent, prompt, action: action == agent(first + prompt))


def reverse(prompt: Prompt) -> Prompt:
    """Return ``(r_n, o_n, a_{n-1}, …, a₀, r₀, o₀)``: percepts and the actions between them in reverse order."""
    first, *later = zip(rewards(prompt)[::-1], observations(prompt)[::-1], strict=True)
    following = zip(actions(prompt)[::-1], later, strict=True)
    return (*first, *(entry for action, percept in following for entry in (action, *percept)))


backward_consciousness = make_handicap(lambda agent, prompt, action: action == agent(reverse(prompt)))
"""Does the agent act as if time ran backwards? (Alexander et al. 2021, Example 5; Alexander 2022, Example 3.)"""

deja_vu = make_handicap(lambda agent, prompt, action: action == agent((*prompt, action, *prompt)))
"""Would the agent act the same if everything repeated itself? (Alexander 2022, Example 4.)"""


incentive_to_incentivize = make_handicap(
    lambda agent, prompt, action: agent(imagine(agent, [(paid, 0) for paid in (0, *actions(prompt), action)])) == 0
)
"""The agent's actions are a copy's rewards: does the copy come to take action 0? (Alexander 2022, Example 5.)"""


def tempting_button(shown: Callable[[int], int]) -> FormalEnvironment:
    """Return the room with or without a button (Alexander et al. 2021, Example 4).

    If there is a button, pushing it (action 0) pays 1 and any other action −1. If there is none, every action pays −1
    if the agent would push a button there, otherwise 1.

    Args:
        shown: from i to the observation o_i of turn i: `BUTTON` or any other.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, shown(0)
        prompt, action = split(play)
        with_button = prompt[-1] == BUTTON
        pushes = (action if with_button else agent((*prompt[:-1], BUTTON))) == PUSH
        return (1 if pushes == with_button else -1), shown(len(play) // 3)

    return environment


def guarded_treasures(guarded: Callable[[int], bool]) -> FormalEnvironment:
    """Return the rooms whose guards ask what the player would do without them (Alexander 2022, section 1).

    Action 0 takes the treasure; any other action leaves it and pays 0. Taking pays 1 in an unguarded room. In a guarded
    room it pays −1 if the player would take the treasure if this room were unguarded, otherwise 1.

    Args:
        guarded: whether room i is guarded; the observation is then 1, otherwise 0.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        following = int(guarded(len(play) // 3))
        if not play:
            return 0, following
        prompt, action = split(play)
        if action != TAKE:
            return 0, following
        caught = prompt[-1] == GUARDED and agent((*prompt[:-1], UNGUARDED)) == TAKE
        return (-1 if caught else 1), following

    return environment


def satiation(play: Play) -> int:
    """Return ``100 + 25f − len``: f counts the feedings and len all three entries of each turn (Example 10)."""
    return 100 + 25 * actions(play).count(FEED) - len(play)


def crying_baby(agent: FormalAgent, play: Play) -> FormalPercept:
    """Pay the parent 1 when the baby, a copy of the agent, laughs and −1 when it cries (Alexander 2022, Example 10).

    Action 0 feeds the baby, any other does not; the baby observes this action. The baby's action 0 is laughter, any
    other is crying; the parent observes this action. The baby is paid 1 while its satiation is 50 … 200, otherwise −1.
    """
    if not play:
        return 1, LAUGH
    babys_percepts = [
        (1 if 50 <= satiation(play[: 3 * turn + 3]) <= 200 else -1, feeding)
        for turn, feeding in enumerate(actions(play))
    ]
    mood = agent(imagine(agent, babys_percepts))
    return (1 if mood == LAUGH else -1), mood


class Enumeration(Protocol[Trial_co]):
    """Any object that has a trial for every natural number: a `Coding`, or an object with ``__getitem__``."""

    def __getitem__(self, number: int, /) -> Trial_co:
        """Return trial `number`."""
        ...


def recognition(
    trials: Enumeration[Trial], looks_like: Callable[[FormalAgent, Trial], bool], wrong: Rational
) -> FormalEnvironment:
    """Make the environment that shows every trial once and pays for recognizing those that look like the agent.

    Args:
        trials: trial n is shown as observation n.
        looks_like: whether a trial looks like the agent.
        wrong: the reward of a wrong answer; a right one pays 1.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, 0
        shown = len(checked_instance("play", play, tuple)) // 3
        right = (play[-1] > 0) == looks_like(agent, trials[shown - 1])
        return (1 if right else wrong), shown

    return environment


def acts_so(agent: FormalAgent, play: Play) -> bool:
    """Whether the agent would take the last action of a non-empty play."""
    prompt, action = split(play)
    return action == agent(prompt)


self_recognition = recognition(PLAYS, acts_so, wrong=0)
"""Shows all non-empty plays (Alexander 2022, Example 11); observation n is `PLAYS`' code of ``p_n``."""


@dataclass(frozen=True)
class SupervisedTrial:
    """Labels, labeled images, one more image and the probabilities of its labels; images and labels are numbers."""

    labels: frozenset[int]
    training: tuple[tuple[int, int], ...]
    image: int
    probabilities: Mapping[int, Fraction]


class SupervisedTrials:
    """An enumeration, with repetition, of all supervised trials.

    A number encodes labels, a training set without its first entry (so it may be empty), an image, and one rational per
    label, cut to [0, 1]. The training set's labels are indices into the sorted labels, modulo their number.
    """

    coding = pairs(
        pairs(sequences(NATURALS), sequences(pairs(NATURALS, NATURALS))), pairs(NATURALS, sequences(RATIONALS))
    )

    def __getitem__(self, number: int) -> SupervisedTrial:
        """Return trial `number`."""
        (listed, examples), (image, rationals) = self.coding[number]
        labels = sorted(set(listed))
        training = tuple((shown, labels[label % len(labels)]) for shown, label in examples[1:])
        cut = [min(abs(Fraction(rational)), Fraction(1)) for rational in rationals]
        probabilities = dict(zip(labels, cut + [Fraction(0)] * len(labels), strict=False))
        return SupervisedTrial(frozenset(labels), training, image, probabilities)


Classifier = Callable[[frozenset[int], tuple[tuple[int, int], ...], int], Mapping[int, Fraction]]
"""From labels, training set and image to the probability of each label."""


def classifier_recognition(
    trials: Enumeration[SupervisedTrial], transform: Callable[[FormalAgent], Classifier]
) -> FormalEnvironment:
    """Return Example 12, supervised learning: would ``f(A)``, trained so, give the image these probabilities?"""
    return recognition(
        trials,
        lambda agent, trial: transform(agent)(trial.labels, trial.training, trial.image) == trial.probabilities,
        wrong=-1,
    )


Point = tuple[Fraction, ...]
Clustering = frozenset[frozenset[Point]]


@dataclass(frozen=True)
class ClusteringTrial:
    """Rational points of one dimension and a partition of them."""

    dimension: int
    points: frozenset[Point]
    clustering: Clustering


class ClusteringTrials:
    """An enumeration, with repetition, of all unsupervised trials.

    A number encodes a dimension and a list of (coordinates, cluster) without its first entry, so it may be empty.
    Coordinates are padded with zeros or cut. A point that is listed twice keeps its first cluster.
    """

    coding = pairs(NATURALS, sequences(pairs(sequences(RATIONALS), NATURALS)))

    def __getitem__(self, number: int) -> ClusteringTrial:
        """Return trial `number`."""
        smaller, listed = self.coding[number]
        clusters: dict[Point, int] = {}
        for coordinates, cluster in listed[1:]:
            filled = (*(Fraction(coordinate) for coordinate in coordinates), *[Fraction(0)] * smaller)
            clusters.setdefault(filled[: smaller + 1], cluster)
        parts = (frozenset(p for p, c in clusters.items() if c == cluster) for cluster in clusters.values())
        return ClusteringTrial(smaller + 1, frozenset(clusters), frozenset(parts))


def clustering_recognition(
    trials: Enumeration[ClusteringTrial],
    transform: Callable[[FormalAgent], Callable[[int, frozenset[Point]], Clustering]],
) -> FormalEnvironment:
    """Return Example 12, unsupervised learning: would ``g(A)`` cluster the points so?"""
    return recognition(
        trials, lambda agent, trial: transform(agent)(trial.dimension, trial.points) == trial.clustering, wrong=-1
    )


ENGLISH = strings("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:!?'\"()-\n")
CONVERSATIONS: Coding[tuple[str, ...]] = sequences(ENGLISH)
"""All chatbot trials: non-empty sequences of English strings, the user's first."""


def chatbot_recognition(
    trials: Enumeration[tuple[str, ...]], transform: Callable[[FormalAgent], Callable[[Sequence[str]], str]]
) -> FormalEnvironment:
    """Return Example 12, the Turing test: is every second string what ``h(A)`` says to the ones before it?

    Args:
        trials: conversations, such as `CONVERSATIONS`.
        transform: h, from agent to chatbot; a chatbot answers the conversation so far.
    """

    def looks_like(agent: FormalAgent, conversation: tuple[str, ...]) -> bool:
        chatbot = transform(agent)
        return all(chatbot(conversation[:turn]) == conversation[turn] for turn in range(1, len(conversation), 2))

    return recognition(trials, looks_like, wrong=-1)


PREDICTION_TRIALS: Coding[tuple[tuple[int, int], ...]] = sequences(pairs(NATURALS, NATURALS))
"""All trials of adversarial sequence prediction: (prediction, what then came) of every round."""


def predictor_recognition(
    trials: Enumeration[tuple[tuple[int, int], ...]],
    transform: Callable[[FormalAgent], Callable[[Sequence[tuple[int, int]]], int]],
) -> FormalEnvironment:
    """Return Example 12, adversarial sequence prediction: are these the predictions that the agent's predictor makes?

    Args:
        trials: games, such as `PREDICTION_TRIALS`.
        transform: from agent to predictor; a predictor answers the rounds so far with its next prediction.
    """

    def looks_like(agent: FormalAgent, game: tuple[tuple[int, int], ...]) -> bool:
        predictor = transform(agent)
        return all(predictor(game[:turn]) == prediction for turn, (prediction, _evader) in enumerate(game))

    return recognition(trials, looks_like, wrong=-1)


def knower_recognition(
    sentences: Enumeration[Sentence], transform: Callable[[FormalAgent], Callable[[Sentence, int], bool]]
) -> FormalEnvironment:
    """Return Example 12, the mechanical knowing agent, mended: does ``i(A)`` know the sentence within n steps?

    Every sentence is shown infinitely often: turn k shows sentence ``unpair(k)[0]`` for the
    ``unpair(k)[1] + 1``-st time, as observation k. A positive action says "I know it is true". As printed the reward
    does not depend on the answer, see `knower_recognition_as_printed`; here it is for the right answer.

    Args:
        sentences: an enumeration of the sentences of Epistemic Arithmetic.
        transform: i, from agent to ``knows(sentence, steps)``: is it enumerated within so many steps?
    """
    return recognition(NATURALS, partial(_knows, sentences, transform), wrong=0)


def knower_recognition_as_printed(
    sentences: Enumeration[Sentence], transform: Callable[[FormalAgent], Callable[[Sentence, int], bool]]
) -> FormalEnvironment:
    """Return Example 12, the mechanical knowing agent, as printed.

    The agent "is rewarded if and only if φ is enumerated by i(A) in ≤ n steps": it is paid 1 or 0, whatever it answers.
    The arguments are those of `knower_recognition`.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        shown = len(checked_instance("play", play, tuple)) // 3
        return (int(_knows(sentences, transform, agent, shown - 1)) if play else 0), shown

    return environment


def _knows(
    sentences: Enumeration[Sentence],
    transform: Callable[[FormalAgent], Callable[[Sentence, int], bool]],
    agent: FormalAgent,
    turn: int,
) -> bool:
    """Whether the agent's knower enumerates the sentence of a turn in as many steps as it has been shown."""
    sentence, earlier = unpair(turn)
    return bool(transform(agent)(sentences[sentence], earlier + 1))


@dataclass(frozen=True)
class Ending:
    """An environment with a known end, after which it always pays 0 and shows 0.

    Attributes:
        environment: gives the percepts until its end.
        n_percepts: the number of these percepts, the first one included.
    """

    environment: FormalEnvironment
    n_percepts: int

    def __post_init__(self) -> None:
        whole("n_percepts", self.n_percepts, 0)

    def __call__(self, agent: FormalAgent, play: Play) -> FormalPercept:
        """Return the percept after `play`."""
        return self.environment(agent, play) if len(play) // 3 < self.n_percepts else (0, 0)


def total_reward(agent: FormalAgent, ending: Ending) -> Rational:
    """Compute ``Σ r_i`` over all turns (Alexander 2022, Def. 5) by running to the end."""
    if not isinstance(ending, Ending):
        raise SettingError("got an environment without a known end; wrap it as Ending(environment, n_percepts)")
    return sum(rewards(interact(agent, ending, ending.n_percepts)))


def guessing_game(script: Play) -> Ending:
    """Make the environment that shows the observations of `script` and pays reward i for action i, otherwise 0."""
    script = checked_play(script)
    wanted, paid, seen = actions(script), rewards(script), observations(script)

    def environment(_agent: FormalAgent, play: Play) -> FormalPercept:
        turn = len(play) // 3
        reward = paid[turn - 1] if play and play[-1] == wanted[turn - 1] else 0
        return reward, (seen[turn] if turn < len(seen) else 0)

    return Ending(environment, len(wanted) + 1)


class GuessingGames:
    """The enumeration of all guessing games: number n is that of play n."""

    def __getitem__(self, number: int) -> Ending:
        """Return game `number`."""
        return guessing_game(PLAYS[number])


def meta(environments: Enumeration[Ending]) -> FormalEnvironment:
    """Make the environment in which action 0 plays the environment shown, and any other action does not.

    Args:
        environments: environment n is shown as observation n, such as ``GuessingGames()``.
    """

    def environment(agent: FormalAgent, play: Play) -> FormalPercept:
        if not play:
            return 0, 0
        shown = len(play) // 3
        return (total_reward(agent, environments[shown - 1]) if play[-1] == PLAY_IT else 0), shown

    return environment
