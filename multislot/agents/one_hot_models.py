"""Stable-Baselines3's A2C, PPO and DQN on one-hot observations without torch: the mathematics is in ``one_hot/*.c``.

An update takes some 10 µs instead of 1 ms. Stable-Baselines3 still makes the first parameters, once for each kind of
agent and seed in a process. Everything later is computed in C, with the numbers that it draws from NumPy's generator,
so parameters after one lot agree with those of Stable-Baselines3 to the last bits of single precision. The bits do not
depend on the machine's instructions, nor do those of the first parameters, unless ``initial_weights="torch"``.

What is not served is named by `obstacle`: other layers, schedules, entropy bonuses and the like are
Stable-Baselines3's to train.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha512
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from multislot.agents.deep_models import Model, Recipe, default_hyperparameters
from multislot.engine.agent import FloatArray
from multislot.engine.stream import Stream
from multislot.errors import show_value

if TYPE_CHECKING:
    from multislot.agents._one_hot import Learner, Plan, Run

Array = npt.NDArray[np.float32]
NAMES = ("A2C", "PPO", "DQN")
COMMON = {"learning_rate": float, "gamma": float, "max_grad_norm": float}
ACTOR_CRITIC = {**COMMON, "n_steps": int, "gae_lambda": float, "vf_coef": float, "normalize_advantage": bool}
SERVED: dict[str, dict[str, type]] = {
    "A2C": ACTOR_CRITIC,
    "PPO": {**ACTOR_CRITIC, "batch_size": int, "n_epochs": int, "clip_range": float},
    "DQN": {
        **COMMON,
        **dict.fromkeys(("buffer_size", "learning_starts", "batch_size", "train_freq", "gradient_steps"), int),
        **dict.fromkeys(("target_update_interval", "total_timesteps"), int),
        **dict.fromkeys(("exploration_fraction", "exploration_initial_eps", "exploration_final_eps"), float),
    },
}
WIDTHS = (64, 64)
WORDS = 624
"""The number of words in the Mersenne Twister's state."""


def kernel() -> Any:
    """Return the compiled module, or None where it was not built."""
    try:
        return import_module("multislot.agents._one_hot")
    except ImportError:
        return None


class Layers(NamedTuple):
    """Two hidden layers: their widths, and whether they are rectified (else tanh)."""

    widths: tuple[int, int]
    relu: bool


def read_layers(algorithm: str, policy_kwargs: Mapping[str, Any]) -> Layers | str:
    """Return the layers that `policy_kwargs` ask for, or why they are not served."""
    further = set(policy_kwargs) - {"net_arch", "activation_fn"}
    if further:
        return f"policy_kwargs with {sorted(further)[0]}"
    widths = policy_kwargs.get("net_arch", list(WIDTHS))
    if isinstance(widths, dict):
        towers = list(widths.values())
        widths = towers[0] if set(widths) == {"pi", "vf"} and towers[0] == towers[1] else None
    lanes, most = kernel().LANES, kernel().MOST_WIDTH
    if not isinstance(widths, list | tuple) or len(widths) != 2:
        return "layers other than two hidden ones, the same for policy and values"
    if any(width % lanes or not lanes <= width <= most for width in widths):
        return f"widths {widths[0]} and {widths[1]}, not multiples of {lanes} up to {most}"
    activation = getattr(policy_kwargs.get("activation_fn"), "__name__", "ReLU" if algorithm == "DQN" else "Tanh")
    if activation not in ("Tanh", "ReLU"):
        return f"the activation {activation}"
    return Layers((int(widths[0]), int(widths[1])), activation == "ReLU")


def obstacle(algorithm: str, n_observations: int, n_actions: int, hyperparameters: Mapping[str, Any]) -> str | None:
    """Describe the first setting that the one-hot trainer does not support. Return None if it supports all of them."""
    limits = kernel()
    if limits is None:
        return "a build without its compiled module"
    if n_observations > limits.MOST_OBSERVATIONS or n_actions > limits.MOST_ACTIONS:
        return f"more than {limits.MOST_OBSERVATIONS} observations or {limits.MOST_ACTIONS} actions"
    defaults = default_hyperparameters(algorithm)
    for name, value in hyperparameters.items():
        kind = SERVED[algorithm].get(name)
        if name == "policy_kwargs" or (kind is None and value == defaults.get(name)):
            continue
        numeric = isinstance(value, (int, float) if kind is float else (int,))
        if kind is None or not numeric or isinstance(value, bool) != (kind is bool):
            return f"{name}={show_value(value)}"
    for name, (least, most) in {
        **dict.fromkeys(("n_steps", "train_freq", "batch_size", "n_epochs"), (1, limits.MOST_LOT)),
        "gradient_steps": (1, limits.MOST_LOT),
        "buffer_size": (1, limits.MOST_TRANSITIONS),
    }.items():
        value = hyperparameters.get(name, least)
        if not least <= value <= most and (name, value) != ("gradient_steps", AS_MANY):
            return f"{name}={show_value(value)}, beyond {least} to {most}"
    layers = read_layers(algorithm, hyperparameters.get("policy_kwargs") or {})
    return layers if isinstance(layers, str) else None


AS_MANY = -1
"""Gradient steps: as many as there were transitions."""


def twister(words: Any, position: int) -> bytes:
    """Return a Mersenne Twister's state as the kernel reads it."""
    return np.append(np.asarray(words, dtype=np.uint32), np.uint32(position)).tobytes()


def seed_twister(seed: Any) -> bytes:
    """Return the state of ``numpy.random.RandomState(seed)``."""
    _, words, position, *_ = np.random.RandomState(seed).get_state(legacy=True)
    return twister(words, int(position))


def torch_state(state: Any) -> bytes:
    """Return the state that ``torch.get_rng_state()`` gave: seed, words left, seeded, next word, 624 words, ..."""
    data = state.numpy().tobytes()
    left = int(np.frombuffer(data, np.int32, 1, 8)[0])
    return twister(np.frombuffer(data, np.uint64, WORDS, 24), WORDS + 1 - left)


ACTOR = ("mlp_extractor.policy_net.0", "mlp_extractor.policy_net.2", "action_net")
CRITIC = ("mlp_extractor.value_net.0", "mlp_extractor.value_net.2", "value_net")
Q_NET = ("q_net.q_net.0", "q_net.q_net.2", "q_net.q_net.4")
Q_TARGET = ("q_net_target.q_net.0", "q_net_target.q_net.2", "q_net_target.q_net.4")


def name_towers(algorithm: str) -> tuple[tuple[str, str, str], ...]:
    """Return the names of the trained networks' layers in Stable-Baselines3's policy."""
    return (Q_NET,) if algorithm == "DQN" else (ACTOR, CRITIC)


def pack(state: Mapping[str, Any], names: tuple[tuple[str, str, str], ...]) -> bytes:
    """Return the arrays of a policy's ``state_dict`` in the kernel's order, as bytes; hidden weights are transposed."""
    parts = []
    for tower in names:
        for layer in tower:
            weight = np.asarray(state[f"{layer}.weight"], dtype=np.float32)
            parts += [weight if layer == tower[-1] else weight.T, np.asarray(state[f"{layer}.bias"], dtype=np.float32)]
    return b"".join(part.tobytes() for part in parts)


def unpack(data: bytes, names: tuple[tuple[str, str, str], ...], shapes: Mapping[str, Any]) -> dict[str, Array]:
    """Return the arrays that `pack` wrote, by name; `shapes` holds arrays of the same shapes."""
    numbers, at, arrays = np.frombuffer(data, np.float32), 0, {}
    for tower in names:
        for layer, kind in ((layer, kind) for layer in tower for kind in ("weight", "bias")):
            shape = tuple(shapes[f"{layer}.{kind}"].shape)
            size = int(np.prod(shape))
            stored = numbers[at : at + size]
            turned = kind == "weight" and layer != tower[-1]
            arrays[f"{layer}.{kind}"] = stored.reshape(shape[::-1]).T if turned else stored.reshape(shape)
            at += size
    return arrays


class Beginning(NamedTuple):
    """What agents of one kind begin with: the kernel's plan, and the model that Stable-Baselines3 made for it."""

    plan: "Plan"
    first_model: Model
    settings: dict[str, Any]


@lru_cache(maxsize=256)
def beginning(recipe: Recipe) -> Beginning:
    """Return what agents of one recipe begin with; Stable-Baselines3 makes it once in a process."""
    algorithm, hyperparameters = recipe.algorithm, recipe.hyperparameters
    small = {"buffer_size": 1} if algorithm == "DQN" else {}
    first_model = Model(replace(recipe, hyperparameters={**hyperparameters, **small}))
    settings = {**default_hyperparameters(algorithm), **hyperparameters}
    layers = read_layers(algorithm, hyperparameters.get("policy_kwargs") or {})
    assert isinstance(layers, Layers)  # `obstacle` found none
    state = {name: array.numpy() for name, array in first_model.model.policy.state_dict().items()}
    sampler = np.frombuffer(sha512(str(recipe.seed).encode()).digest()[:8], np.uint32)
    plan = kernel().Plan(
        (NAMES.index(algorithm), recipe.published),
        (recipe.n_observations, recipe.n_actions, *layers.widths),
        int(layers.relu),
        counts(algorithm, settings),
        numbers(settings),
        pack(state, name_towers(algorithm)),
        seed_twister(recipe.seed),
        torch_state(first_model.torch_state),
        seed_twister(sampler),  # the generator of Gym 0.18's ``Discrete`` space: a hash of the seed seeds NumPy's
    )
    return Beginning(plan, first_model, settings)


def counts(algorithm: str, settings: Mapping[str, Any]) -> tuple[int, int, int, int, int, int]:
    """Return lot, batch, epochs (or updates a lot), capacity, and DQN's first update and target interval."""
    if algorithm == "DQN":
        lot = settings["train_freq"]
        updates = settings["gradient_steps"] if settings["gradient_steps"] >= 0 else lot
        steps = settings["learning_starts"], settings["target_update_interval"]
        return lot, settings["batch_size"], updates, settings["buffer_size"], *steps
    lot = settings["n_steps"]
    batch = min(lot, settings.get("batch_size", lot))
    return lot, batch, settings.get("n_epochs", 1), lot, 0, 1


def numbers(settings: Mapping[str, Any]) -> tuple[float, float, float, float, float, float, bool]:
    """Return rate, discount, trace decay, weight of the value's loss, clip range, largest norm, normalization."""
    names = ("learning_rate", "gamma", "gae_lambda", "vf_coef", "clip_range", "max_grad_norm")
    values = [float(settings.get(name, 0.0)) for name in names]
    return *values, bool(settings.get("normalize_advantage"))  # type: ignore[return-value]  # six of them


class OneHotModel:
    """A learner seen as `multislot.agents.deep_models.Model` is."""

    def __init__(self, algorithm: str, learner: "Learner", start: Beginning) -> None:
        self.algorithm, self.learner, self.start = algorithm, learner, start

    @property
    def parameters(self) -> list[Array]:
        """The network's parameters, as arrays in the order of Stable-Baselines3's policy."""
        shapes = self.start.first_model.model.policy.state_dict()
        return [self.arrays(shapes)[name] for name, _ in self.start.first_model.model.policy.named_parameters()]

    def arrays(self, shapes: Mapping[str, Any]) -> dict[str, Array]:
        """Return all parameters by their name in Stable-Baselines3's policy."""
        weights, _, _, target, _ = self.learner.parameters()
        arrays = unpack(weights, name_towers(self.algorithm), shapes)
        return arrays | (unpack(target, (Q_TARGET,), shapes) if self.algorithm == "DQN" else {})

    def probabilities(self, observation: int) -> FloatArray:
        """Action probabilities after an observation, shape [n_actions]; DQN's is all on its greedy action."""
        row = np.array(self.learner.policy(observation))
        chances: FloatArray = np.eye(len(row))[row.argmax()] if self.algorithm == "DQN" else np.exp(row)
        return chances


_runs: "WeakValueDictionary[int, Run]" = WeakValueDictionary()


def find_run(stream: Stream) -> "Run":
    """Return the run that published agents on one stream object share, as long as one of them is alive."""
    run = _runs.get(id(stream))
    if run is None:
        run = _runs[id(stream)] = kernel().Run()
    return run
