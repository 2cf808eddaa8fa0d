"""DQN, A2C and PPO of Stable-Baselines3 as agents that can be copied, simulated and fed with others' actions.

They are semi-deterministic (Alexander et al. 2021, Definition 9): two that learned the same act the same, whatever was
asked of them. `predict` is never called a step: the policy of an observation is computed once an update.

Copies share everything until they learn differently. What an agent has learned is a `Node`; copies at the same node
that learn the same transition come to the same next node, and a model is copied only when two of them still need it as
it was. A model is trained when it is first asked after a full lot, not before.

Two modes:

- ``"faithful"`` (default): trains as Stable-Baselines3's ``learn()`` does. With an agent's own actions the parameters
  of A2C and PPO equal those of ``learn()`` bit for bit. DQN's do, too, if replay draws the same numbers: ``learn()``
  takes exploration and replay by turns from one generator, which an agent that is fed with others' actions cannot do.
  Actions are drawn with the numbers of the stream at the amount learned, as those of all other agents: one that learned
  other rewards, but as many, draws with the same numbers.
- ``"published"``: as the released experiments used Stable-Baselines3 1.1.0. Every lot (A2C 5, PPO 2048, DQN 4) was a
  call of ``learn()`` of its own: the first observation of a lot is replaced by the first of the whole life, the
  advantage never looks over a lot's end, DQN's target network is never updated, and it explores with probability 0
  before its first lot and .05 after it. Every model begins with the run's seed, which decides how long DQN takes to
  begin to learn. PPO's old log-probabilities are those of actions drawn anew. One generator served all agents there,
  and actions were remembered in a table by history and observation. So agents with different histories draw
  independently, here with numbers that follow from seed, history and observation. Those with the same history act alike
  by the table alone: each trains a network of its own, with its own random numbers, and the one asked first answers for
  all, also for those who come to this history later, as long as any agent of the seed is alive in the process. This
  moves results: in Tempting Button a copy then learns from actions that its own network did not choose, and PPO's
  reward a step scatters over seeds by 0.07 (by 0.04 in the paper's Table 1), where one network for both gives all seeds
  −0.20 ± 0.01.

Hyperparameters are Stable-Baselines3's defaults, but for DQN's ``learning_starts=1`` (as in the paper) and its replay
buffer, which holds 100,000 transitions so that a copy stays cheap.
"""

import copy as copying
from bisect import bisect_right
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast
from weakref import WeakSet, WeakValueDictionary

from multislot.agent import Agent
from multislot.checks import whole
from multislot.errors import SettingError
from multislot.stream import PublishedStream, Stream

if TYPE_CHECKING:
    from multislot.agents.deep_models import Model, Transition

Mode = Literal["faithful", "published"]
SEEDS = 2**31
REPLAY_SIZE = 100_000
TOTAL_TIMESTEPS = 100_000
TOGETHER = 0


class Knowledge:
    """A model, or how to get it: another one and the lot of transitions to train it on.

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

    def trained(self) -> "Model":
        """Return the model, after making or training it if it never was."""
        waiting: list[Knowledge] = []
        present = self
        while present.model is None and present.previous is not None:
            waiting.append(present)
            present = present.previous
        if present.model is None and present.make is not None:
            present.model = present.make()
        for following in reversed(waiting):
            model = present.handed_to(following)
            model.train_on(following.lot, following.draws)
            following.model, following.previous, following.lot = model, None, ()
            present = following
        return cast("Model", self.model)

    def handed_to(self, user: "Knowledge") -> "Model":
        """Return the model for `user` to train: this very one if nobody else needs it as it is, else a copy."""
        model = cast("Model", self.model)
        self.users.discard(user)
        if self.users or self.make is not None:
            return model.copy()
        self.model = None
        return model


class Answers(dict[bytes, dict[int, int]]):
    """What was done on each observation after each history, as far as anybody was asked, by digest of the history."""


class Node:
    """What an agent has learned: knowledge and the transitions since; agents that learned the same share one.

    Attributes:
        knowledge: the model after the last full lot, by who trains it: all together, or in published mode each apart.
        pending: transitions learned since.
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
        """Return the node of those who learn one more transition here."""
        node = self.following.get(transition)
        if node is None:
            pending = (*self.pending, transition)
            history = digest(self.history, *transition)
            node = Node(pending if len(pending) < lot_size else (), self.learned + 1, history, self.answers)
            self.following[transition] = node
        return node

    def reach(self, origin: "Node", transition: "Transition", who: int) -> None:
        """Bring what `who` knew at `origin` here, and the lot to train it on if that is full now."""
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


def digest(history: bytes, *entries: float | None) -> bytes:
    """Return 16 bytes that stand for a history and further entries; they are the same in every process."""
    return blake2b(history + repr(entries).encode(), digest_size=16).digest()


def seed_of(stream: Stream, published: bool) -> int:
    """Return the seed of a model: from the stream's first number, or in published mode the store's."""
    if published and isinstance(stream, PublishedStream) and stream.seed is not None:
        return stream.seed % SEEDS
    return int(stream.at(0) * SEEDS)


_roots: WeakValueDictionary[tuple[object, ...], Node] = WeakValueDictionary()
_answers: WeakValueDictionary[tuple[object, ...], Answers] = WeakValueDictionary()


class DeepAgent(Agent):
    """An agent whose policy is a network of Stable-Baselines3; use `DQN`, `A2C` or `PPO`.

    Args:
        n_observations: how many observations there are; the network sees them one-hot.
        n_actions: how many actions.
        stream: what actions and the model's seed are drawn from.
        mode: ``"faithful"`` or ``"published"``, see the module.
        learning_rate: of the optimiser; Stable-Baselines3's default if left out.
        hyperparameters: further ones of the algorithm's class in Stable-Baselines3.

    Raises:
        MissingExtraError: Stable-Baselines3 is not installed.
        SettingError: an unknown mode, or a learning rate or size of lots out of its domain.
        UnknownNameError: the algorithm has no such hyperparameter.
    """

    algorithm: ClassVar[str] = ""
    defaults: ClassVar[dict[str, Any]] = {}
    lot_parameter: ClassVar[str] = "n_steps"
    lot_default: ClassVar[int] = 1

    def __init__(
        self,
        n_observations: int,
        n_actions: int,
        stream: Stream,
        mode: Mode = "faithful",
        learning_rate: float | None = None,
        **hyperparameters: Any,
    ) -> None:
        if mode not in ("faithful", "published"):
            raise SettingError(f'got mode={mode!r}; expected "faithful" or "published"')
        from multislot.agents import deep_models

        self.make_transition = deep_models.Transition
        self.n_actions, self.stream, self.mode = n_actions, stream, mode
        given = {} if learning_rate is None else {"learning_rate": learning_rate}
        deep_models.check_hyperparameters(self.algorithm, set(hyperparameters) - set(self.defaults))
        self.hyperparameters = copying.deepcopy({**self.defaults, **given, **hyperparameters})
        self.lot_size = whole(self.lot_parameter, self.hyperparameters.get(self.lot_parameter, self.lot_default))
        if learning_rate is not None and not learning_rate >= 0:
            raise SettingError(f"got learning_rate={learning_rate!r}; expected a number, at least 0")
        key = (type(self), n_observations, n_actions, mode, id(stream), repr(sorted(self.hyperparameters.items())))
        root = _roots.get(key)
        if root is None:
            answers = _answers.setdefault(key, Answers()) if mode == "published" else None
            root = Node((), 0, digest(b"", stream.at(0), n_observations, n_actions, learning_rate), answers)
            root.keep(Knowledge(make=self._maker(n_observations)))
            _roots[key] = root
        self.node, self.who = root, TOGETHER

    @property
    def learning_rate(self) -> float:
        """The optimiser's learning rate now."""
        rate = self.model.model.policy.optimizer.param_groups[0]["lr"]
        return float(rate)

    @property
    def model(self) -> "Model":
        """The model as trained so far; do not train it by hand, copies may share it."""
        return self.node.knowledge[self.who].trained()

    def act(self, observation: int) -> int:
        """Draw an action from the policy; the same one until something is learned."""
        action = self.node.actions.get(observation)
        if action is None:
            action = self.node.actions[observation] = self.drawn(observation)
        return action

    def drawn(self, observation: int) -> int:
        """Draw the action that is then remembered for the observation."""
        probabilities = self.model.evaluated(observation).probabilities
        chance = self.number(observation, self.node.learned) * float(probabilities.sum())
        return min(bisect_right(probabilities.cumsum().tolist(), chance), self.n_actions - 1)

    def number(self, observation: int, index: int) -> float:
        """Return the number in [0, 1) to draw with: the stream's, or in published mode the history's own."""
        if self.mode == "published":
            return int.from_bytes(digest(self.node.history, observation, index)[:6]) / 2**48
        return self.stream.at(index)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learn one transition; the model trains when a lot is full and it is asked."""
        self._learn(observation, action, reward, next_observation, False)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Learn the transition that ends an episode: nothing is expected to follow."""
        self._learn(observation, action, reward, observation, True)

    def _learn(self, observation: int, action: int, reward: float, next_observation: int, ended: bool) -> None:
        transition = self.make_transition(int(observation), int(action), float(reward), int(next_observation), ended)
        origin, self.node = self.node, self.node.after(transition, self.lot_size)
        if self.mode == "published" and not origin.learned:
            self.who = len(self.node.knowledge)
        self.node.reach(origin, transition, self.who)

    def _maker(self, n_observations: int) -> "Callable[[], Model]":
        stream, n_actions, published = self.stream, self.n_actions, self.mode == "published"
        hyperparameters, new_model = self.hyperparameters, self.new_model

        def make() -> "Model":
            return new_model(n_observations, n_actions, seed_of(stream, published), published, hyperparameters)

        return make

    @classmethod
    def new_model(
        cls, n_observations: int, n_actions: int, seed: int, published: bool, hyperparameters: dict[str, Any]
    ) -> "Model":
        """Return an untrained model."""
        from multislot.agents.deep_models import OnPolicyModel

        return OnPolicyModel(cls.algorithm, n_observations, n_actions, seed, published, hyperparameters)

    def copy(self) -> "DeepAgent":
        """Return an agent that has learned the same; nothing is copied until one of them learns differently."""
        copied: DeepAgent = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "DeepAgent":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        attributes = {name: value for name, value in self.__dict__.items() if name != "node"}
        node = self.node
        learned = cloudpickle.dumps((self.model, node.pending, node.learned, node.history, node.actions))
        return _unpickled, (type(self), attributes, learned)

    def native_state(self) -> dict[str, Any]:
        """Return what tells apart agents that have learned different things; models are shared and not part of it."""
        return {**self.__dict__, "node": id(self.node), "make_transition": None}


def _unpickled(cls: type[DeepAgent], attributes: dict[str, Any], learned: bytes) -> DeepAgent:
    import cloudpickle

    agent: DeepAgent = cls.__new__(cls)
    agent.__dict__.update(attributes)
    knowledge = Knowledge()
    knowledge.model, pending, count, history, actions = cloudpickle.loads(learned)
    agent.node = Node(pending, count, history, Answers() if agent.mode == "published" else None)
    agent.node.keep(knowledge, agent.who)
    agent.node.actions.update(actions)
    return agent


class A2C(DeepAgent):
    """Advantage actor-critic; trains on lots of 5."""

    algorithm = "A2C"
    lot_default = 5


class PPO(DeepAgent):
    """Proximal policy optimisation; trains on lots of 2048."""

    algorithm = "PPO"
    lot_default = 2048


class DQN(DeepAgent):
    """Deep Q-learning; trains on a batch from its replay buffer after every 4 transitions.

    Exploration falls over the first tenth of ``total_timesteps`` transitions learned, here 100,000.
    """

    algorithm = "DQN"
    defaults: ClassVar[dict[str, Any]] = {
        "learning_starts": 1,
        "buffer_size": REPLAY_SIZE,
        "total_timesteps": TOTAL_TIMESTEPS,
    }
    lot_parameter = "train_freq"
    lot_default = 4

    def drawn(self, observation: int) -> int:
        """Explore as the schedule says, or take the action of highest value."""
        model: Any = self.model
        learned = self.node.learned
        if self.number(observation, 2 * learned) < model.exploration(learned):
            return int(self.number(observation, 2 * learned + 1) * self.n_actions)
        return int(model.evaluated(observation).probabilities.argmax())

    @classmethod
    def new_model(
        cls, n_observations: int, n_actions: int, seed: int, published: bool, hyperparameters: dict[str, Any]
    ) -> "Model":
        """Return an untrained model."""
        from multislot.agents.deep_models import ReplayModel

        further = dict(hyperparameters)
        total = int(further.pop("total_timesteps"))
        return ReplayModel(cls.algorithm, n_observations, n_actions, seed, published, further, total_timesteps=total)
