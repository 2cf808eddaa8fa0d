"""Deep agents that share Stable-Baselines3's models: what an agent has learned is a node in a tree of histories.

Copies share everything until they learn differently. Copies at the same node that learn the same transition come to the
same next node, and a model is copied only when two of them still need it as it was. A model is trained when it is first
asked after a full lot, not before: an update costs a millisecond.
"""

from bisect import bisect_right
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet, WeakValueDictionary

from multislot.engine.stream import Stream

if TYPE_CHECKING:
    from multislot.agents.deep_models import Model, Transition

TOGETHER = 0


class Knowledge:
    """A model, or how to make it: another model and the lot of transitions to train it on.

    Attributes:
        draws: a digest of everything learned when the lot was full, and of who learned it.
        users: nodes and further knowledge that build on this one.
    """

    __slots__ = ("__weakref__", "draws", "lot", "make", "model", "previous", "users")

    def __init__(
        self,
        make: "Callable[[], Model] | None" = None,
        previous: "Knowledge | None" = None,
        lot: "tuple[Transition, ...]" = (),
        draws: bytes = b"",
    ) -> None:
        self.make = make
        self.previous = previous
        self.lot = lot
        self.draws = draws
        self.model: Model | None = None
        self.users: WeakSet[Any] = WeakSet()
        if previous is not None:
            previous.users.add(self)

    def train(self) -> "Model":
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

    def hand_to(self, user: "Knowledge") -> "Model":
        """Return the model for `user` to train: this model if nobody else needs it as it is, otherwise a copy."""
        model = cast("Model", self.model)
        self.users.discard(user)
        if self.users or self.make is not None:
            return model.copy()
        self.model = None
        return model


class Answers(dict[bytes, dict[int, int]]):
    """The action on each observation after each history, by digest of the history, as far as an agent was asked."""


class Node:
    """What an agent has learned: knowledge and the transitions since; agents that learned the same share one.

    Attributes:
        knowledge: the model after the last full lot, by who trains it: all together, or in published mode each apart.
        pending: transitions learned since then.
        learned: how many transitions were learned in all.
        history: a digest of all of them, and of what the agent began as.
        answers: in published mode the table of all agents of a run; it lives as long as one of them.
        actions: what is done on each observation, as far as it was asked.
        following: the nodes that one more transition leads to, held weakly.
    """

    __slots__ = ("__weakref__", "actions", "answers", "following", "history", "knowledge", "learned", "pending")

    def __init__(
        self, pending: "tuple[Transition, ...]", learned: int, history: bytes, answers: Answers | None
    ) -> None:
        self.knowledge: dict[int, Knowledge] = {}
        self.pending = pending
        self.learned = learned
        self.history = history
        self.answers = answers
        self.actions: dict[int, int] = {} if answers is None else answers.setdefault(history, {})
        self.following: WeakValueDictionary[Transition, Node] = WeakValueDictionary()

    def after(self, transition: "Transition", lot_size: int) -> "Node":
        """Return the node of agents that learn one more transition here."""
        node = self.following.get(transition)
        if node is None:
            pending = (*self.pending, transition)
            history = digest(self.history, *transition)
            node = Node(pending if len(pending) < lot_size else (), self.learned + 1, history, self.answers)
            self.following[transition] = node
        return node

    def reach(self, origin: "Node", transition: "Transition", who: int) -> None:
        """Bring what `who` knew at `origin` to this node, with the lot to train it on if that is full now."""
        if who in self.knowledge:
            return
        knowledge = origin.knowledge[who if origin.learned else TOGETHER]
        if not self.pending:
            knowledge = Knowledge(
                previous=knowledge, lot=(*origin.pending, transition), draws=digest(self.history, who)
            )
        self.keep(knowledge, who)

    def keep(self, knowledge: Knowledge, who: int = TOGETHER) -> None:
        """Hold what `who` knows here."""
        self.knowledge[who] = knowledge
        knowledge.users.add(self)


def digest(history: bytes, *entries: object) -> bytes:
    """Return 16 bytes that stand for a history and further entries; they are the same in every process."""
    return blake2b(history + repr(entries).encode(), digest_size=16).digest()


_roots: WeakValueDictionary[tuple[object, ...], Node] = WeakValueDictionary()
_answers: WeakValueDictionary[tuple[object, ...], Answers] = WeakValueDictionary()


def root(key: tuple[object, ...], history: bytes, make: "Callable[[], Model]", published: bool) -> Node:
    """Return the node of untrained agents that agree in `key`."""
    node = _roots.get(key)
    if node is None:
        node = Node((), 0, history, _answers.setdefault(key, Answers()) if published else None)
        node.keep(Knowledge(make=make))
        _roots[key] = node
    return node


class SharedMind:
    """The mind of one agent among those that share models; what it has learned is its node.

    If ``published``, it draws with numbers that follow from seed, history and observation, and trains its own model. If
    it ``explores``, it acts as DQN does; otherwise it draws from the policy.
    """

    def __init__(
        self, node: Node, stream: Stream, published: bool, lot_size: int, n_actions: int, explores: bool
    ) -> None:
        from multislot.agents import deep_models

        self.make_transition = deep_models.Transition
        self.node, self.stream, self.published = node, stream, published
        self.lot_size, self.n_actions, self.explores = lot_size, n_actions, explores
        self.who = TOGETHER

    @property
    def model(self) -> "Model":
        """The model as trained so far."""
        return self.node.knowledge[self.who].train()

    def act(self, observation: int) -> int:
        """Draw an action from the policy; the same one until something is learned."""
        action = self.node.actions.get(observation)
        if action is None:
            action = self.node.actions[observation] = self.draw(observation)
        return action

    def draw(self, observation: int) -> int:
        """Draw the action that is then remembered for the observation."""
        learned = self.node.learned
        if self.explores:
            model: Any = self.model
            if self.number(observation, 2 * learned) < model.exploration(learned):
                return int(self.number(observation, 2 * learned + 1) * self.n_actions)
            return int(model.evaluated(observation).probabilities.argmax())
        probabilities = self.model.evaluated(observation).probabilities
        chance = self.number(observation, learned) * float(probabilities.sum())
        return min(bisect_right(probabilities.cumsum().tolist(), chance), self.n_actions - 1)

    def number(self, observation: int, index: int) -> float:
        """Return the number in [0, 1) to draw with: the stream's, or in published mode the history's own."""
        if self.published:
            return int.from_bytes(digest(self.node.history, observation, index)[:6]) / 2**48
        return self.stream.at(index)

    def learn(self, observation: int, action: int, reward: float, next_observation: int, ended: bool) -> None:
        """Learn one transition; the model trains when a lot is full and it is asked."""
        transition = self.make_transition(int(observation), int(action), float(reward), int(next_observation), ended)
        origin, self.node = self.node, self.node.after(transition, self.lot_size)
        if self.published and not origin.learned:
            self.who = len(self.node.knowledge)
        self.node.reach(origin, transition, self.who)

    def copy(self) -> "SharedMind":
        """Return a mind that has learned the same; nothing is copied until one of them learns differently."""
        copied = SharedMind.__new__(SharedMind)
        copied.__dict__.update(self.__dict__)
        return copied

    @property
    def state(self) -> object:
        """A value that differs between minds that have learned different things."""
        return id(self.node)

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        attributes = {name: value for name, value in self.__dict__.items() if name != "node"}
        node = self.node
        learned = cloudpickle.dumps((self.model, node.pending, node.learned, node.history, node.actions))
        return _unpickle, (attributes, learned)


def _unpickle(attributes: dict[str, Any], learned: bytes) -> SharedMind:
    import cloudpickle

    mind = SharedMind.__new__(SharedMind)
    mind.__dict__.update(attributes)
    knowledge = Knowledge()
    knowledge.model, pending, count, history, actions = cloudpickle.loads(learned)
    mind.node = Node(pending, count, history, Answers() if mind.published else None)
    mind.node.keep(knowledge, mind.who)
    mind.node.actions.update(actions)
    return mind
