"""What learners come to do: a considerate Q-learner in every slot, round after round.

Everyone's reward is its own plus α times the sum of all others' (`considerate.copies`). A round is the steps of a
kernel and a pause. Whose memory goes on to the next round makes the difference between two ways to count:

- ``one survivor``: one of those alive at the end is drawn evenly, the others are deleted. A world with many copies
  counts no more than one with few.
- ``everyone``: all learn into one memory, so a world with many copies counts as often as there are copies in it.

Learners act at random while they learn. Copies share the random numbers of their founder and so act alike: all copies
with one history try the same action. The record says what a learner would do if it took the action it values most.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Annotated, Any, cast

from pydantic import Field

from considerate.copies import considerate_copies
from multislot.engine.stream import EndlessStream, Stream
from multislot.exact import Kernel
from multislot.zoo import FixedView, rollout
from scenarios.lab.rounds import ASKED, LearnerFactory, Rounds


@dataclass(frozen=True)
class AnthropicSettings:
    """How exactly a puzzle is mapped, and how long learners are given."""

    resolution: Annotated[int, Field(ge=2, le=101, description="points along each side of the decision map")] = 9
    seeds: Annotated[int, Field(ge=1, description="independent runs of each kind of learner")] = 6
    rounds: Annotated[int, Field(ge=40, description="how often a learner meets the puzzle")] = 500


FULL_SIZE: dict[str, Any] = {"resolution": 41, "seeds": 20, "rounds": 3000}

ONE_SURVIVOR, EVERYONE = "one survivor", "everyone"
SLOW, FAST = 0.01, 0.1  # learning rates: for worlds with chance, and for those without
FIRST_OF_COPIES = 10**6  # far from the numbers of fresh learners' streams


@dataclass
class DecisionRecord:
    """The greedy actions, round by round.

    Attributes:
        decision: the observation at which a decision is recorded.
        rounds: for each round, the greedy actions of those who made that observation.
    """

    decision: int
    rounds: list[list[int]] = field(default_factory=list)

    def note(self, observation: int, greedy: Callable[[int], int]) -> None:
        """Begin a round at its first observation, and record the decision at the observation where it is made."""
        begins = observation in (0, ASKED)
        if begins:
            self.rounds.append([])
        if observation == self.decision or (begins and self.decision == ASKED):
            self.rounds[-1].append(greedy(observation))

    def shares(self) -> list[float]:
        """The share that takes the second action, by round; where nobody is asked, that of the round before."""
        shares, last = [], 0.0
        for chosen in self.rounds:
            last = sum(chosen) / len(chosen) if chosen else last
            shares.append(last)
        return shares


@dataclass
class SlotLearner:
    """A Q-learner that sees the vectors of a fixed view.

    Attributes:
        learner: a Q-learner, wrapped as `Episodic`.
        shared: whether copies share its memory.
        streams: where copies take random numbers of their own from; None if they share their founder's.
    """

    learner: Any
    record: DecisionRecord
    shared: bool
    streams: Iterator[Stream] | None = None

    def act(self, observation: Any) -> int:
        index = seen(observation)
        self.record.note(index, self.greedy)
        return int(self.learner.act(index))

    def greedy(self, index: int) -> int:
        """The action of the largest value after an observation, the first of several."""
        values, n_actions = self.learner.agent.values, self.learner.agent.n_actions
        return max(range(n_actions), key=lambda action: float(values[index * n_actions + action]))

    def learn(self, observation: Any, action: int, reward: float, next_observation: Any) -> None:
        self.learner.learn(seen(observation), action, reward, seen(next_observation))

    def copy(self) -> "SlotLearner":
        """A copy, with the same memory or with one of its own."""
        copied = self.learner if self.shared else self.learner.copy()
        if self.streams is not None:
            copied.agent.restore(copied.agent.native_state() | {"stream": next(self.streams)})
        return SlotLearner(copied, self.record, self.shared, self.streams)


def seen(observation: Any) -> int:
    """The index that a vector of a fixed view holds as a one-hot after the occupied flag."""
    return int(observation[1:].argmax())


@dataclass(frozen=True)
class Lesson:
    """What is learned, where, and by whom. It is called with a seed, as `LearningCase.learn`.

    Attributes:
        slots: how many slots it needs.
        steps: steps a round, without the pause.
        decision: the decision that is recorded: how many steps of the round are over, and what is then observed;
            (0, None) for the beginning.
        memory: whose memory goes on, `ONE_SURVIVOR` or `EVERYONE`.
        caring: α.
        repeated: makes rounds of the kernel, as `Rounds` does.
        apart: whether copies take random numbers of their own.
    """

    kernel: Kernel
    slots: int
    steps: int
    decision: tuple[int, str | None]
    rounds: int
    memory: str = ONE_SURVIVOR
    caring: Fraction = Fraction(0)
    discount: float = 1.0
    learning_rate: float = SLOW
    repeated: Callable[..., Rounds] = Rounds
    apart: bool = False

    def __call__(self, seed: int) -> list[float]:
        """The share of those asked that would take the second action, round by round; shape [rounds]."""
        world = self.repeated(self.kernel, self.steps, "any survivor", pause=True)
        record = DecisionRecord(world.code(*self.decision) if self.decision[0] else ASKED)
        learner = {"learning_rate": self.learning_rate, "discount": self.discount, "epsilon": 1.0}
        factory = LearnerFactory(seed, learner)
        make_learner = partial(factory, world.n_observations, world.n_actions, EndlessStream(seed, 0))
        common = make_learner()
        streams = (EndlessStream(seed, founder) for founder in count(FIRST_OF_COPIES)) if self.apart else None

        def fresh(name: str) -> SlotLearner:
            shares = self.memory == EVERYONE
            return SlotLearner(common if shares else make_learner(), record, shares, streams)

        total = self.rounds * (self.steps + 1)
        env = considerate_copies(world, self.slots, float(self.caring), max_cycles=total)
        rollout(cast("FixedView", env), fresh, seed=seed, steps=total)
        return record.shares()
