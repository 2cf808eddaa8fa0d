"""DQN, A2C and PPO of Stable-Baselines3 as agents that can be copied, simulated and fed with others' actions.

They are semi-deterministic (Alexander et al. 2021, Definition 9): two that learned the same act the same, whatever was
asked of them. The policy of an observation is computed once an update.

The trainer ``"sb3"`` (`multislot.agents.deep_nodes`) calls Stable-Baselines3's own ``train()``; ``"one_hot"``
(`multislot.agents.one_hot_models`) computes the same updates in C; ``"auto"`` is ``"one_hot"`` if that can train with
the settings, otherwise ``"sb3"``.

Two modes:

- ``"faithful"`` (default): trains as Stable-Baselines3's ``learn()`` does. With an agent's own actions the parameters
  of A2C and PPO trained by ``"sb3"`` equal those of ``learn()`` bit for bit. DQN's do, too, if replay draws the same
  numbers: ``learn()`` draws exploration and replay from one generator, which is impossible for an agent that is fed
  with others' actions. Actions are drawn with the numbers of the stream at the amount learned.
- ``"published"``: as the released experiments used Stable-Baselines3 1.1.0. Every lot (A2C 5, PPO 2048, DQN 4) was a
  call of ``learn()`` of its own: the first observation of a lot is replaced by the first of the whole life, the
  advantage never looks over a lot's end, DQN's target network is never updated, and it explores with probability 0
  before its first lot and .05 after it. Every model begins with the run's seed, which decides how long DQN takes to
  begin to learn. PPO's old log-probabilities are those of actions drawn again. All agents of a run shared a table of
  actions by history and observation, so agents with the same history act alike, though each trains its own network.

In published mode the trainers differ in how agents with different histories draw. ``"one_hot"`` has the released
experiments' two generators. All agents of a run (those with one stream object) share them, and every new model resets
them. ``"sb3"`` draws with numbers that follow from seed, history and observation, so it does not reproduce the effects
of the reset (RC(PPO) on LimitedMemory: .31 as released, .02 without).

The first weights are ``"portable"`` by default: computed with exactly rounded operations in a fixed order, so that with
the trainer ``"one_hot"`` an agent acts the same on every machine. ``"torch"`` takes Stable-Baselines3's own, as the
released experiments did; their last bits depend on the machine (see `multislot.agents.deep_models`), and so do those of
everything that ``"sb3"`` trains.

Hyperparameters are Stable-Baselines3's defaults, except that DQN has ``learning_starts=1`` (as in the paper) and a
replay buffer of 100,000 transitions, so that a copy stays cheap.
"""

import copy as copying
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from multislot.agents.tabular import table_size
from multislot.checks import checked_float, checked_stream, number, whole
from multislot.engine.agent import Agent, rebuilt
from multislot.engine.stream import PublishedStream, Stream
from multislot.errors import SettingError, show_value

if TYPE_CHECKING:
    from multislot.agents.deep_models import Model, Recipe
    from multislot.agents.one_hot_models import Beginning

Mode = Literal["faithful", "published"]
Trainer = Literal["auto", "sb3", "one_hot"]
InitialWeights = Literal["portable", "torch"]
SEEDS = 2**31
REPLAY_SIZE = 100_000
TOTAL_TIMESTEPS = 100_000
LARGEST_RATE = 1e6


class DeepAgent(Agent):
    """An agent whose policy is a network of Stable-Baselines3; use `DQN`, `A2C` or `PPO`.

    Args:
        n_observations: number of observations; the network sees them one-hot.
        n_actions: number of actions.
        stream: what actions and the model's seed are drawn from.
        mode: ``"faithful"`` or ``"published"``, see the module.
        learning_rate: of the optimizer; Stable-Baselines3's default if left out.
        trainer: ``"auto"``, ``"sb3"`` or ``"one_hot"``, see the module.
        initial_weights: ``"portable"`` or ``"torch"``, see the module.
        hyperparameters: further ones of the algorithm's class in Stable-Baselines3.
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
        trainer: Trainer = "auto",
        initial_weights: InitialWeights = "portable",
        **hyperparameters: Any,
    ) -> None:
        if mode not in ("faithful", "published"):
            raise SettingError(f'got mode={show_value(mode)}; expected "faithful" or "published"')
        if initial_weights not in ("portable", "torch"):
            raise SettingError(f'got initial_weights={show_value(initial_weights)}; expected "portable" or "torch"')
        from multislot.agents import deep_models

        n_observations, n_actions = whole("n_observations", n_observations), whole("n_actions", n_actions)
        table_size(n_observations, n_actions)
        self.n_observations, self.n_actions, self.stream, self.mode = n_observations, n_actions, stream, mode
        self.published = mode == "published"
        self.initial_weights = initial_weights
        rate = {} if learning_rate is None else {"learning_rate": learning_rate}
        hyperparameters = {**self.defaults, **rate, **hyperparameters}
        hyperparameters = deep_models.check_hyperparameters(self.algorithm, hyperparameters, self.defaults)
        if learning_rate is not None:
            number("learning_rate", learning_rate, 0, LARGEST_RATE)
        self.hyperparameters = copying.deepcopy(hyperparameters)
        self.lot_size = whole(self.lot_parameter, self.hyperparameters.get(self.lot_parameter, self.lot_default))
        self.trainer = choose_trainer(trainer, self.algorithm, n_observations, n_actions, self.hyperparameters)
        self.learner: Any = self.make_learner()

    @property
    def learning_rate(self) -> float:
        """The optimizer's learning rate now."""
        if self.trainer == "one_hot":
            return float(self.beginning().settings["learning_rate"])
        return float(self.model.model.policy.optimizer.param_groups[0]["lr"])

    @property
    def model(self) -> Any:
        """The model as trained so far, a `Model` or `OneHotModel`; do not train it by hand, copies may share it."""
        if self.trainer == "sb3":
            return self.learner.model
        from multislot.agents.one_hot_models import OneHotModel

        return OneHotModel(self.algorithm, self.learner, self.beginning())

    def act(self, observation: int) -> int:
        """Draw an action from the policy; the same one until something is learned."""
        if not self.published:
            return self._draw(observation, self.stream)
        if self.trainer == "one_hot":
            return self.learner.act(observation)  # type: ignore[no-any-return]
        return self.learner.answer(observation, self._draw)  # type: ignore[no-any-return]

    def _draw(self, observation: int, stream: Stream) -> int:
        """Draw an action with the number that a stream has at the index of transitions learned."""
        learner = self.learner
        return learner.sampled(observation, stream.at(learner.learned))  # type: ignore[no-any-return]

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learn one transition; the model trains on full lots."""
        self.learner.learn(observation, action, checked_float("reward", reward), next_observation, False)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Learn the transition that ends an episode: nothing is expected to follow."""
        self.learner.learn(observation, action, checked_float("reward", reward), observation, True)

    def make_learner(self) -> Any:
        """Return an untrained learner, of the compiled module or in models of Stable-Baselines3."""
        from multislot.agents.deep_nodes import SharedLearner, digest

        rate, stream, recipe = self.hyperparameters.get("learning_rate"), self.stream, self.recipe()
        history = digest(b"", stream.at(0), self.n_observations, self.n_actions, rate)
        if self.trainer == "one_hot":
            from multislot.agents.one_hot_models import find_run, kernel

            run = find_run(stream) if self.published else None
            return kernel().Learner(self.beginning().plan, run, int.from_bytes(history[:8]))
        new_model = self.new_model

        def make() -> "Model":
            assert stream is not None  # models keep their stream alive, whose id is part of the key
            return new_model(recipe)

        return SharedLearner((type(self), id(stream), recipe), history, make, self.lot_size, self.published)

    def recipe(self) -> "Recipe":
        """The recipe of the untrained model."""
        from multislot.agents.deep_models import Recipe

        seed, sizes = choose_seed(self.stream, self.published), (self.n_observations, self.n_actions)
        return Recipe(self.algorithm, *sizes, seed, self.published, self.hyperparameters, self.initial_weights)

    def beginning(self) -> "Beginning":
        """The untrained model where the compiled module trains it."""
        from multislot.agents.one_hot_models import beginning

        return beginning(self.recipe())

    @staticmethod
    def new_model(recipe: "Recipe") -> "Model":
        """An untrained model of Stable-Baselines3."""
        from multislot.agents.deep_models import OnPolicyModel

        return OnPolicyModel(recipe)

    def copy(self) -> "DeepAgent":
        """Return an agent that has learned the same and from now on learns apart."""
        copied: DeepAgent = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.learner = self.learner.copy()
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "DeepAgent":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuilt, (type(self), {}), self.__dict__

    def native_state(self) -> dict[str, Any]:
        """The state that differs between agents that have learned different things."""
        return {**self.__dict__, "learner": (self.learner.history, self.learner.learned)}


def choose_trainer(
    trainer: str, algorithm: str, n_observations: int, n_actions: int, hyperparameters: dict[str, Any]
) -> Trainer:
    """Return the trainer, or raise SettingError if it is unknown or cannot train with these settings."""
    if trainer not in ("auto", "sb3", "one_hot"):
        raise SettingError(f'got trainer={show_value(trainer)}; expected "auto", "sb3" or "one_hot"')
    if trainer == "sb3":
        return "sb3"
    from multislot.agents.one_hot_models import kernel, obstacle

    fault = obstacle(algorithm, n_observations, n_actions, hyperparameters)
    if fault and trainer == "one_hot":
        raise SettingError(f'got trainer="one_hot" with {fault}, which it does not serve; give trainer="sb3"')
    if fault and kernel() is None:
        warn_not_compiled()
    return "sb3" if fault else "one_hot"


NOT_COMPILED = "the one-hot trainer was not compiled; Stable-Baselines3 trains deep agents, about 100 times slower"


@cache
def warn_not_compiled() -> None:
    """Warn once in a process; Python itself warns again whenever a library has changed its filters."""
    warnings.warn(NOT_COMPILED, RuntimeWarning, stacklevel=5)


def choose_seed(stream: Stream, published: bool) -> int:
    """Return the seed of a model: from the stream's first number, or in published mode the store's."""
    if published and isinstance(stream, PublishedStream) and stream.seed is not None:
        return stream.seed % SEEDS
    return int(checked_stream(stream).at(0) * SEEDS)


class A2C(DeepAgent):
    """Advantage actor-critic; trains on lots of 5."""

    algorithm = "A2C"
    lot_default = 5


class PPO(DeepAgent):
    """Proximal policy optimization; trains on lots of 2048."""

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
        "exploration_initial_eps": 1.0,
        "exploration_final_eps": 0.05,
        "exploration_fraction": 0.1,
    }
    lot_parameter = "train_freq"
    lot_default = 4

    def _draw(self, observation: int, stream: Stream) -> int:
        """Explore or take the action of highest value; two numbers belong to each transition learned."""
        learner = self.learner
        learned = learner.learned
        if stream.at(2 * learned) < self.exploration(learned):
            return int(stream.at(2 * learned + 1) * self.n_actions)
        return learner.greedy(observation)  # type: ignore[no-any-return]

    def exploration(self, learned: int) -> float:
        """Return the chance of exploring after `learned` transitions; it falls in a line over the first of them.

        In the published experiments it was 0 before the first lot and the final rate from then on.
        """
        learned, settings = whole("learned", learned, 0), self.hyperparameters
        first, last = float(settings["exploration_initial_eps"]), float(settings["exploration_final_eps"])
        if self.published:
            return last if learned >= self.lot_size else 0.0
        total, fraction = settings["total_timesteps"], float(settings["exploration_fraction"])
        gone = min(learned, total) / total
        return last if gone > fraction else first + gone * (last - first) / fraction

    @staticmethod
    def new_model(recipe: "Recipe") -> "Model":
        """An untrained model of Stable-Baselines3."""
        from multislot.agents.deep_models import ReplayModel

        return ReplayModel(recipe)
