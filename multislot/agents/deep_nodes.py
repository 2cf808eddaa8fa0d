"""Deep agents that share Stable-Baselines3's models: agents that learned the same lots have the same model.

Copies share everything until they learn differently. Agents that come to the same history share its model, and a model
is copied only when two of them still need it as it was. A model is trained when it is first asked after a full lot, not
before: an update costs a millisecond.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, cast
from weakref import WeakSet, WeakValueDictionary

from multislot.agents.deep_models import Model, Transition
from multislot.engine.stream import Stream


@dataclass(eq=False)
class Knowledge:
    """A model, or how to make it: another model and the lot of transitions to train it on.

    Attributes:
        draws: a digest of everything learned when the lot was full, and of who learned it.
        users: learners and further knowledge that build on this one.
    """

    make: Callable[[], Model] | None = None
    previous: "Knowledge | None" = None
    lot: tuple[Transition, ...] = ()
    draws: bytes = b""
    model: Model | None = None
    users: WeakSet[Any] = field(default_factory=WeakSet)

    def __post_init__(self) -> None:
        if self.previous is not None:
            self.previous.users.add(self)

    def train(self) -> Model:
        """Return the model; make or train it first if necessary."""
        waiting: list[Knowledge] = []
        present = self
        while present.model is None and present.previous is not None:
            waiting.append(present)
            present = present.previous
        if present.model is None and present.make is not None:
            present.model = present.make()
        for following in reversed(waiting):
            model = present.hand_to(following)
            model.train_on(following.lot, following.draws)
            following.model, following.previous, following.lot = model, None, ()
            present = following
        return cast("Model", self.model)

    def hand_to(self, user: "Knowledge") -> Model:
        """Return the model for `user` to train: this model if nobody else needs it as it is, otherwise a copy."""
        model = cast("Model", self.model)
        self.users.discard(user)
        if self.users or self.make is not None:
            return model.copy()
        self.model = None
        return model


class Table(dict[Any, Any]):
    """A dictionary that lives as long as one of the agents that share it."""


_knowledge: WeakValueDictionary[object, Knowledge] = WeakValueDictionary()
_tables: WeakValueDictionary[object, Table] = WeakValueDictionary()


def digest(history: bytes, *entries: object) -> bytes:
    """Return 16 bytes that stand for a history and further entries; they are the same in every process."""
    return blake2b(history + repr(entries).encode(), digest_size=16).digest()


class HistoryStream(Stream):
    """Numbers that follow from a history and an observation."""

    def __init__(self, history: bytes, observation: int) -> None:
        self.history, self.observation = history, observation

    def at(self, index: int) -> float:
        """Return the number at `index`."""
        return int.from_bytes(digest(self.history, self.observation, index)[:6]) / 2**48


class SharedLearner:
    """What one agent has learned, in models that it shares with agents that have learned the same.

    Args:
        key: equal for agents that begin alike.
        history: a digest of what the agent begins as.
        make: makes the untrained model.
        lot_size: the number of transitions that a model trains on at a time.
        published: the agent trains a model of its own, and acts as the first agent with its history did.

    Attributes:
        learned: number of transitions learned.
        history: a digest of all of them, and of what the agent began as.
        pending: transitions since the last full lot.
        who: in published mode, the place of this agent among those with the same first transition.
        beginners: in published mode, the agents that have learned this first transition and nothing else so far.
        answers: in published mode, by history and observation what agents of the run answered.
    """

    def __init__(self, key: object, history: bytes, make: Callable[[], Model], lot_size: int, published: bool) -> None:
        self.key, self.history, self.lot_size = key, history, lot_size
        self.learned, self.who, self.pending = 0, 0, list[Transition]()
        self.answers = _tables.setdefault(key, Table()) if published else None
        self.beginners: Table | None = None
        self._build_on(_knowledge.get(key) or Knowledge(make), key)

    @property
    def model(self) -> Model:
        """The model as trained so far."""
        return self.knowledge.train()

    def sampled(self, observation: int, number: float) -> int:
        """Return the action that the policy draws with a number in [0, 1)."""
        probabilities = self.model.probabilities(observation)
        chance = number * float(probabilities.sum())
        return min(bisect_right(probabilities.cumsum().tolist(), chance), len(probabilities) - 1)

    def greedy(self, observation: int) -> int:
        """Return the first action of highest probability."""
        return int(self.model.probabilities(observation).argmax())

    def answer(self, observation: int, draw: Callable[[int, Stream], int]) -> int:
        """Return what agents with this history answer in published mode; the agent that is asked first draws it."""
        actions = cast("Table", self.answers).setdefault(self.history, {})
        if observation not in actions:
            actions[observation] = draw(observation, HistoryStream(self.history, observation))
        return int(actions[observation])

    def learn(self, observation: int, action: int, reward: float, next_observation: int, ended: bool) -> None:
        """Learn one transition; the model trains when a lot is full and it is asked."""
        transition = Transition(int(observation), int(action), float(reward), int(next_observation), ended)
        self.history = digest(self.history, *transition)
        self.learned += 1
        self.pending.append(transition)
        self.beginners = None
        if self.answers is not None and self.learned == 1:
            self.beginners = _tables.setdefault((self.key, self.history), Table())
            self.who = len(self.beginners)
            self.beginners[self.who] = True
        if len(self.pending) == self.lot_size:
            key, lot, before = (self.key, self.history, self.who), tuple(self.pending), self.knowledge
            before.users.discard(self)
            self.pending = []
            following = _knowledge.get(key) or Knowledge(None, before, lot, digest(self.history, self.who))
            self._build_on(following, key)

    def _build_on(self, knowledge: Knowledge, key: object) -> None:
        self.knowledge = _knowledge[key] = knowledge
        knowledge.users.add(self)

    def copy(self) -> "SharedLearner":
        """Return a learner that has learned the same; no model is copied until one of them learns differently."""
        copied = SharedLearner.__new__(SharedLearner)
        copied.__dict__.update(self.__dict__)
        copied.pending = list(self.pending)
        copied.knowledge.users.add(copied)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        answers = None if self.answers is None else {self.history: self.answers.get(self.history, {})}
        own = {"key": None, "knowledge": None, "beginners": None, "answers": answers}
        return _unpickle, (cloudpickle.dumps((self.model, {**self.__dict__, **own})),)


def _unpickle(learned: bytes) -> SharedLearner:
    import cloudpickle

    learner = SharedLearner.__new__(SharedLearner)
    model, attributes = cloudpickle.loads(learned)
    learner.__dict__.update(attributes)
    learner.key = object()  # shares with its own copies only
    learner.answers = None if learner.answers is None else Table(learner.answers)
    learner._build_on(Knowledge(model=model), learner.key)
    return learner
