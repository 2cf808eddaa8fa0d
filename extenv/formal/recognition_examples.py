"""Does that look like me? Self-recognition and the other aspects of oneself (Alexander 2022, Examples 11 and 12).

The agent is shown trials one after another: observation n stands for trial n of an enumeration. A positive action says
"looks like me", 0 says "does not". The paper describes Example 12 informally, "similar to Example 11". It assumes
canonical functions that turn a reinforcement learner into a classifier, a clusterer, a chatbot, a predictor or a
knower; here they are parameters, and so is the enumeration of trials. A right answer pays 1. A wrong answer pays 0 if
the paper only mentions reward (Example 11, the knowing agent), and −1 if it says "rewarded or punished" (the rest).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

from extenv.formal.codings import NATURALS, PLAYS, RATIONALS, Coding, pairs, sequences, strings, unpair
from extenv.formal.plays import FormalAgent, FormalEnvironment, FormalPercept, Play, Rational, split
from multislot.checks import checked_instance

Trial = TypeVar("Trial")
Sentence = TypeVar("Sentence")
Trial_co = TypeVar("Trial_co", covariant=True)


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
    """Return Example 12, the mechanical knowing agent: does ``i(A)`` know the sentence within n steps?

    Every sentence is shown infinitely often: turn k shows sentence ``unpair(k)[0]`` for the
    ``unpair(k)[1] + 1``-st time, as observation k. A positive action says "I know it is true". In the paper's words the
    reward does not depend on the answer; here it is for the right answer.

    Args:
        sentences: an enumeration of the sentences of Epistemic Arithmetic.
        transform: i, from agent to ``knows(sentence, steps)``: is it enumerated within so many steps?
    """

    def looks_like(agent: FormalAgent, turn: int) -> bool:
        sentence, earlier = unpair(turn)
        return transform(agent)(sentences[sentence], earlier + 1)

    return recognition(NATURALS, looks_like, wrong=0)
