"""One Stable-Baselines3 model, fed by hand with lots of transitions that others have chosen.

Its buffers are filled and its ``train()`` is called, with the values that ``learn()`` would have computed. Each
distinct observation is evaluated as a batch of one, once an update, which gives the same bits as ``learn()`` does.

Training draws from the global generators of NumPy and torch; every model has generators of its own, which are put there
around each training, so that models do not disturb each other (in published mode they are seeded by what was learned).

The last bits of torch's first weights depend on the machine, and training makes such differences grow. A2C and PPO
begin with orthogonal matrices, which torch finds by a QR decomposition of its linear-algebra library; DQN begins with
uniform numbers, which some processors (with AVX2) scale with a fused product and sum. By default both are replaced
here, by exactly rounded operations of IEEE 754 in a fixed order.

The module imports torch: import it only when a model is needed.
"""

import copy as copying
import inspect
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete
from numpy.random.mtrand import get_bit_generator, set_bit_generator

from multislot.checks import whole
from multislot.engine.agent import FloatArray
from multislot.errors import MissingExtraError, SettingError, UnknownNameError

try:
    import torch
    from stable_baselines3 import A2C, DQN, PPO
    from stable_baselines3.common.logger import Logger
except ImportError:
    raise MissingExtraError("a deep agent (DQN, A2C, PPO)", "deep") from None

ALGORITHMS: dict[str, Any] = {"A2C": A2C, "PPO": PPO, "DQN": DQN}
OURS = frozenset({"self", "policy", "env", "seed", "device", "_init_setup_model"})


def default_hyperparameters(algorithm: str) -> dict[str, Any]:
    """Return the hyperparameters of the algorithm's class that a user may set, with their defaults."""
    parameters = inspect.signature(ALGORITHMS[algorithm].__init__).parameters
    return {name: parameter.default for name, parameter in sorted(parameters.items()) if name not in OURS}


LEAST_COUNTS = {
    **dict.fromkeys(("n_steps", "train_freq", "batch_size", "n_epochs", "buffer_size", "target_update_interval"), 1),
    **{"learning_starts": 0, "gradient_steps": -1, "total_timesteps": 1},
}
MOST_COUNTED = 2**63 - 1
MOST_KEPT = 10**8
"""The largest number of transitions in memory; they take gigabytes."""


def check_hyperparameters(algorithm: str, hyperparameters: dict[str, Any], own: Iterable[str]) -> dict[str, Any]:
    """Return the hyperparameters with counts as ints; each must be one of the algorithm's class, or in `own`."""
    known = default_hyperparameters(algorithm)
    for name in hyperparameters:
        if name not in known and name not in own:
            raise UnknownNameError(f"hyperparameter of {algorithm}", name, known)
    counts = {
        name: whole(name, value, LEAST_COUNTS[name], MOST_KEPT if name in ("n_steps", "buffer_size") else MOST_COUNTED)
        for name, value in hyperparameters.items()
        if name in LEAST_COUNTS
    }
    return {**hyperparameters, **counts}


@dataclass(frozen=True)
class Recipe:
    """All settings of an untrained model; `multislot.agents.deep` explains ``published`` and ``initial_weights``.

    Attributes:
        algorithm: ``"A2C"``, ``"PPO"`` or ``"DQN"``.
        seed: of its initial parameters and its training.
        hyperparameters: of the algorithm's class in Stable-Baselines3, and DQN's ``total_timesteps``.
    """

    algorithm: str
    n_observations: int
    n_actions: int
    seed: int
    published: bool
    hyperparameters: Mapping[str, Any] = field(compare=False)
    initial_weights: str = "portable"
    _compared: str = field(init=False, repr=False)  # hyperparameters as text: they may hold arrays

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compared", repr(sorted(self.hyperparameters.items())))


class Transition(NamedTuple):
    """One turn to learn from; `ended` if nothing followed."""

    observation: int
    action: int
    reward: float
    next_observation: int
    ended: bool


class Evaluation(NamedTuple):
    """A model's answer to one observation: action probabilities, shape [n_actions], and tensors for its buffer."""

    probabilities: FloatArray
    value: Any
    log_probabilities: Any


GAINS = {"mlp_extractor": 2**0.5, "action_net": 0.01, "value_net": 1.0}
"""Factors of the first weights in the parts of an actor-critic policy, as in Stable-Baselines3."""
UNIFORMS = 12
"""Uniform numbers in a nearly normal one: their sum has variance 1."""


def portable_orthogonal(shape: tuple[int, int], stream: np.random.RandomState) -> FloatArray:
    """Random matrix with orthonormal rows (columns, if it has more rows than columns), in float64.

    Modified Gram-Schmidt on rows of nearly normal numbers. Sums are running sums (``cumsum``), whose order is fixed,
    unlike that of ``sum`` and ``@``; every operation is exactly rounded by IEEE 754. `RandomState` has a frozen stream.
    """
    uniforms = stream.random_sample((UNIFORMS, min(shape), max(shape)))
    rows = np.cumsum(uniforms, axis=0)[-1] - UNIFORMS / 2
    for i, row in enumerate(rows):
        row /= np.sqrt(np.cumsum(row * row)[-1])
        below = rows[i + 1 :]
        below -= np.cumsum(below * row, axis=1)[:, -1:] * row
    orthogonal: FloatArray = rows if shape[0] <= shape[1] else rows.T
    return orthogonal


def set_portable_weights(algorithm: str, policy: Any, seed: int) -> None:
    """Replace the first weights that torch found by portable ones; DQN's are the same but for last bits."""
    with torch.no_grad():
        if algorithm == "DQN":
            generator = torch.Generator().manual_seed(seed)
            for layer in linear_layers(policy.q_net):
                for parameter in (layer.weight, layer.bias):
                    # torch's ``uniform_`` with a fused product and sum: in float64 the product is exact. What torch
                    # computes without fusing differs in the last bit.
                    bound = layer.in_features**-0.5
                    low, high = np.float32(-bound), np.float32(bound)
                    numbers = torch.rand(tuple(parameter.shape), generator=generator).numpy().astype(np.float64)
                    parameter.copy_(torch.from_numpy(numbers * float(high - low) + float(low)))
            policy.q_net_target.load_state_dict(policy.q_net.state_dict())
        elif policy.ortho_init:
            stream = np.random.RandomState(seed)
            for name, gain in GAINS.items():
                for layer in linear_layers(getattr(policy, name)):
                    layer.weight.copy_(torch.from_numpy(gain * portable_orthogonal(tuple(layer.weight.shape), stream)))


def linear_layers(network: Any) -> list[Any]:
    """The linear layers of a network, in the order in which torch makes them."""
    return [layer for layer in network.modules() if isinstance(layer, torch.nn.Linear)]


class Spaces(gymnasium.Env[int, int]):
    """An environment that only has the spaces that a model asks for; it is never stepped."""

    def __init__(self, n_observations: int, n_actions: int) -> None:
        self.observation_space = Discrete(n_observations)  # type: ignore[assignment]
        self.action_space = Discrete(n_actions)  # type: ignore[assignment]


class Model:
    """A model, the states of its generators, and its evaluations of observations."""

    def __init__(self, recipe: Recipe) -> None:
        self.published = recipe.published
        self.first_observation: int | None = None
        self.starts = True
        self.evaluations: dict[int, Evaluation] = {}
        self.numbers = np.random.MT19937(0)
        self.torch_state: Any = None
        python = random.getstate()
        with self.drawing():
            hyperparameters = copying.deepcopy(dict(recipe.hyperparameters))
            hyperparameters.pop("total_timesteps", None)
            spaces = Spaces(recipe.n_observations, recipe.n_actions)
            make = ALGORITHMS[recipe.algorithm]
            try:
                self.model: Any = make("MlpPolicy", spaces, seed=recipe.seed, device="cpu", **hyperparameters)
            except (AssertionError, ValueError, MemoryError) as error:  # how Stable-Baselines3 refuses a value
                reason = " ".join(str(error).split()) or type(error).__name__
                raise SettingError(
                    f"Stable-Baselines3 refuses these settings of {recipe.algorithm}: {reason}"
                ) from error
            if recipe.initial_weights == "portable":
                set_portable_weights(recipe.algorithm, self.model.policy, recipe.seed)
            self.model.set_logger(Logger(folder=None, output_formats=[]))
        random.setstate(python)

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Let everything inside draw from this model's generators, with one thread of torch."""
        with keep_globals():
            set_bit_generator(self.numbers)
            if self.torch_state is not None:
                torch.set_rng_state(self.torch_state)
            yield
            self.torch_state = torch.get_rng_state()

    def copy(self) -> "Model":
        """Return a model that trains apart from now on."""
        self.evaluated(0)  # replaces tensors that a training leaves behind, which torch refuses to copy
        shared = (self.model.env, self.model.logger)
        return copying.deepcopy(self, {id(kept): kept for kept in shared})

    @property
    def parameters(self) -> list[FloatArray]:
        """The network's parameters, as arrays."""
        return [parameter.detach().numpy() for parameter in self.model.policy.parameters()]

    def probabilities(self, observation: int) -> FloatArray:
        """Action probabilities after an observation, shape [n_actions]."""
        return self.evaluated(observation).probabilities

    def evaluated(self, observation: int) -> Evaluation:
        """The evaluation of an observation, computed once an update."""
        if observation not in self.evaluations:
            with torch.no_grad():
                self.evaluations[observation] = self.evaluate(torch.tensor([observation]))
        return self.evaluations[observation]

    def evaluate(self, observation: Any) -> Evaluation:
        """Evaluate a batch of one observation."""
        raise NotImplementedError

    def train_on(self, lot: Sequence[Transition], draws: bytes) -> None:
        """Learn from a lot: as many transitions as the algorithm trains on at a time."""
        if self.first_observation is None:
            self.first_observation = lot[0].observation
        if self.published:
            lot = (lot[0]._replace(observation=self.first_observation), *lot[1:])
            self.starts = True
        with self.drawing():
            if self.published:  # both global generators get states that follow from the digest alone
                np.random.seed(int.from_bytes(draws[:4]))  # noqa: NPY002
                torch.default_generator.manual_seed(int.from_bytes(draws[4:8]))
            self.take(lot)
            self.update()
        self.evaluations = {}

    def take(self, lot: Sequence[Transition]) -> None:
        """Put a lot into the model's buffer."""
        raise NotImplementedError

    def update(self) -> None:
        """Call Stable-Baselines3's own update."""
        raise NotImplementedError


class OnPolicyModel(Model):
    """A2C and PPO: a rollout buffer of one lot."""

    def evaluate(self, observation: Any) -> Evaluation:
        """Run the network once; the parts of it that ``forward`` runs, without drawing an action."""
        policy = self.model.policy
        latent_policy, latent_value = policy.mlp_extractor(policy.extract_features(observation))
        logits = policy._get_action_dist_from_latent(latent_policy).distribution.logits
        return Evaluation(torch.exp(logits[0]).numpy().astype(np.float64), policy.value_net(latent_value), logits)

    def take(self, lot: Sequence[Transition]) -> None:
        """Fill the rollout buffer, with the values that the policy had when it was asked."""
        buffer = self.model.rollout_buffer
        buffer.reset()
        for observation, action, reward, _, ended in lot:
            value, log_probability = self.judge(observation, action)
            start = np.array([self.starts], dtype=np.float32)
            paid = np.array([reward], dtype=np.float32)
            buffer.add(np.array([observation]), np.array([[action]]), paid, start, value, log_probability)
            self.starts = ended
        following = self.evaluated(lot[-1].next_observation).value
        buffer.compute_returns_and_advantage(last_values=following, dones=np.array([self.starts]))
        self.model.num_timesteps += len(lot)

    def judge(self, observation: int, action: int) -> tuple[Any, Any]:
        """Return the value of an observation and the log-probability of an action there.

        The published experiments took the log-probability of an action that the policy drew again, not of the one
        learned.
        """
        evaluation = self.evaluated(observation)
        if self.published:
            cumulated = evaluation.probabilities.cumsum()
            action = int(cumulated[:-1].searchsorted(np.random.random() * cumulated[-1], side="right"))  # noqa: NPY002
        return evaluation.value, evaluation.log_probabilities[:, action]

    def update(self) -> None:
        """Train on the full rollout buffer."""
        self.model.train()


class ReplayModel(Model):
    """DQN: a bounded replay buffer, a target network, and exploration that falls with the steps learned."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.total_timesteps = int(recipe.hyperparameters["total_timesteps"])

    def evaluate(self, observation: Any) -> Evaluation:
        """Run the network once; all probability is on the first action of highest value."""
        values = self.model.q_net(observation)[0].numpy()
        return Evaluation(np.eye(len(values))[values.argmax()], None, None)

    def take(self, lot: Sequence[Transition]) -> None:
        """Add to the replay buffer; move exploration and the target network as ``learn()`` does.

        The published experiments restarted the counter with each lot, so their target network never moved.
        """
        model = self.model
        for transition in lot:
            model.num_timesteps += 1
            self.remember(transition)
            if not self.published:
                model._update_current_progress_remaining(model.num_timesteps, self.total_timesteps)
                model._on_step()

    def remember(self, transition: Transition) -> None:
        """Put one transition into the replay buffer, as its ``add`` does, which is ten times slower."""
        buffer = self.model.replay_buffer
        place = buffer.pos
        buffer.observations[place] = transition.observation
        buffer.next_observations[place] = transition.next_observation
        buffer.actions[place] = transition.action
        buffer.rewards[place] = transition.reward
        buffer.dones[place] = transition.ended
        buffer.pos = (place + 1) % buffer.buffer_size
        buffer.full = buffer.full or buffer.pos == 0

    def update(self) -> None:
        """Train on batches from the replay buffer."""
        model = self.model
        if model.num_timesteps > model.learning_starts:
            steps = model.gradient_steps if model.gradient_steps >= 0 else model.train_freq.frequency
            model.train(gradient_steps=steps, batch_size=model.batch_size)


@contextmanager
def keep_globals() -> Iterator[None]:
    """Leave both global generators and the number of torch's threads as they were; inside, torch has one thread.

    NumPy's generator is exchanged, which takes no time, but a normal number that it has stored would be lost.
    """
    generator, state = get_bit_generator(), np.random.get_state(legacy=False)  # noqa: NPY002
    torch_state, threads = torch.get_rng_state(), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(torch_state)
        set_bit_generator(generator)
        if state["has_gauss"]:
            np.random.set_state(state)  # noqa: NPY002
