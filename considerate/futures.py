"""Sources of the acting agent's knowledge of others' futures.

Alizadeh Alamdari et al. 2021 assume distributions over value functions, reward functions or options. They name as a
limitation that they do not say how to acquire them. Here they come from one of five sources:

- by hand: `Distribution`, `Table`, `Option`;
- exactly, from a tabular decision process: `exact_values`, `policy_values`, `option_values`;
- by Q-learning: `learned_values`;
- from the critic of a Stable-Baselines3 model, or of several of them as a distribution: `critic`, `critics`;
- from observed trajectories, with an ensemble of fitted values (`fitted_values`) or small networks (`fitted_networks`)
  as the distribution.

The last three need experience of the others' task, and not the task itself. The next agent need not start where the
acting agent stopped: `FromStarts` averages a value function over a known distribution of starting states, as section
3.1 asks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Discrete
from numpy.typing import ArrayLike
from scipy.sparse import block_array, csr_array, diags_array

from considerate.distributions import (
    Distribution,
    Number,
    Option,
    RewardFunction,
    State,
    Table,
    ValueFunction,
    as_distribution,
    value_at,
)
from multislot.checks import (
    checked_callable,
    checked_discount,
    checked_float,
    checked_hashable,
    checked_instance,
    checked_items,
    checked_parts,
    checked_seed,
    number,
    python_number,
    refusal,
    share,
    whole,
)
from multislot.errors import MissingExtraError, SettingError, show_value
from multislot.mdp.chains import Floats
from multislot.mdp.solving import TabularMDP

__all__ = [
    "Critic",
    "Distribution",
    "FromStarts",
    "Linear",
    "Network",
    "Option",
    "RewardFunction",
    "Table",
    "Trajectory",
    "ValueFunction",
    "as_distribution",
    "critic",
    "critics",
    "exact_values",
    "fitted_networks",
    "fitted_values",
    "learned_values",
    "option_values",
    "policy_values",
]


@dataclass(frozen=True)
class FromStarts:
    """A value function for others whose starting state depends on where the acting agent ended.

    Section 3.1: V(s') may be "the expected return of future activity considered over a known distribution of starting
    states, given that the acting agent ended in s'".

    Args:
        value: the expected return from a state in which the next agent starts.
        starts: from the acting agent's end state to the distribution of starting states.
    """

    value: ValueFunction
    starts: Callable[[State], Distribution[State]]

    def __post_init__(self) -> None:
        for name, function in (("value", self.value), ("starts", self.starts)):
            checked_callable(name, function, "a function of states")

    def __call__(self, state: State) -> Number:
        """Return the expected value over the starting states, given that the acting agent ended in ``state``."""
        starts = checked_instance(f"starts({state!r})", self.starts(state), Distribution)
        return starts.expect(lambda start: value_at(self.value, start))


def exact_values(
    process: TabularMDP, discount: float = 1, states: Sequence[Any] | None = None, horizon: int | None = None
) -> Table:
    """Return the optimal value function of an agent that acts in ``process``.

    Args:
        process: the next agent's own task, with S states.
        discount: γ of that agent.
        states: [S], the name of each state in the acting agent's environment; by default its index.
        horizon: the number of steps of that agent; None for no bound.

    Raises:
        NeverEndingError: undiscounted, never ending pays.
    """
    checked_instance("process", process, TabularMDP)
    return _table(process.solve(discount, horizon).values, states)


def policy_values(
    process: TabularMDP, policy: ArrayLike, discount: float = 1, states: Sequence[Any] | None = None
) -> Table:
    """Return the value function of a fixed policy.

    Args:
        process: as for `exact_values`.
        policy: [S] action indices or [S, A] probabilities.
        discount: γ of that agent.
        states: as for `exact_values`.
    """
    checked_instance("process", process, TabularMDP)
    return _table(process.evaluate(policy, discount), states)


def option_values(
    process: TabularMDP,
    policy: ArrayLike,
    termination: ArrayLike,
    discount: float = 1,
    states: Sequence[Any] | None = None,
) -> Table:
    """Return the value of an option ⟨I, π, β⟩: V(s) = E[r + γ·(1 − β(s'))·V(s')], the value function of equation 8.

    Args:
        process: the task in which the option runs, with S states and A actions.
        policy: π, [S] action indices or [S, A] probabilities.
        termination: β, [S] probabilities of stopping on arrival in a state.
        discount: γ.
        states: as for `exact_values`.
    """
    checked_instance("process", process, TabularMDP)
    try:
        stop = np.asarray(termination, dtype=float)
    except (TypeError, ValueError, OverflowError):
        stop = np.array(np.nan)
    if stop.shape != (process.n_states,) or not ((stop >= 0) & (stop <= 1)).all():
        raise refusal("termination", termination, f"{process.n_states} probabilities, one a state")
    transitions = tuple(_add_stopping(matrix, stop) for matrix in process.transitions)
    rewards = np.vstack([process.rewards, np.zeros(process.n_actions)])
    run = TabularMDP(transitions, rewards, np.append(process.start, 0))
    followed = np.atleast_1d(policy)
    followed = np.concatenate([followed, np.zeros((1, *followed.shape[1:]), followed.dtype)])
    return _table(run.evaluate(followed, discount)[:-1], states)


def learned_values(
    environment: Env[Any, Any],
    steps: int,
    seed: int,
    discount: float = 1,
    learning_rate: float = 1,
    exploration: float = 0.2,
) -> Table:
    """Learn an agent's values by Q-learning, as the paper does for the agents that come later (appendix C).

    Action values start at 0; actions are ε-greedy, ties to the first action; states never reached are not in the table.

    Args:
        environment: a Gymnasium environment with hashable observations and a `Discrete` action space.
        steps: how many steps to learn for, in all episodes together.
        seed: seeds exploration, and the environment's first reset.
        discount: γ of that agent.
        learning_rate: α in (0, 1]; 1 suits deterministic environments.
        exploration: ε, the probability of a random action.
    """
    actions, first = discrete_actions(environment)
    steps, seed = whole("steps", steps), checked_seed(seed)
    discount = checked_discount(discount)
    learning_rate = number("learning_rate", learning_rate, above=0, most=1)
    exploration = share("exploration", exploration)
    table: dict[Any, list[float]] = {}
    random = np.random.default_rng(seed)
    state, _ = environment.reset(seed=seed)
    for _ in range(steps):
        values = _row(table, state, actions)
        action = int(random.integers(actions)) if random.random() < exploration else values.index(max(values))
        following, reward, terminated, truncated, _ = environment.step(first + action)
        ahead = max(_row(table, following, actions)) * (not terminated)
        gain = number("reward", float(reward))
        values[action] += learning_rate * (gain + discount * ahead - values[action])
        state = environment.reset()[0] if terminated or truncated else following
    return Table({state: max(values) for state, values in table.items()})


@dataclass(frozen=True)
class Critic:
    """The value function that a Stable-Baselines3 model has learned; `critic` makes it."""

    model: Any
    observe: Callable[[State], Any]

    def __call__(self, state: State) -> float:
        """Return the model's estimate of its discounted return from ``state``, in units of the true reward."""
        policy = self.model.policy
        normalization = self.model.get_vec_normalize_env()
        observation = self.observe(state)
        if normalization is not None:
            observation = normalization.normalize_obs(observation)
        tensor, _ = policy.obs_to_tensor(observation)
        like = next(policy.parameters())
        if hasattr(policy, "lstm_hidden_state_shape"):  # at its start it remembers nothing
            memory = (like.new_zeros(policy.lstm_hidden_state_shape),) * 2
            value = float(policy.predict_values(tensor, memory, like.new_zeros(1)).item())
        elif hasattr(policy, "predict_values"):
            value = float(policy.predict_values(tensor).item())
        elif hasattr(policy, "q_net"):
            value = float(policy.q_net(tensor).max().item())
        elif hasattr(policy, "quantile_net"):
            value = float(policy.quantile_net(tensor).mean(1).max().item())
        else:
            action, _ = policy.predict(observation, deterministic=True)
            outputs = policy.critic(tensor, like.new_tensor(policy.scale_action(action))[None])
            value = min(float(output.mean().item()) for output in outputs)
        return value if normalization is None else float(normalization.unnormalize_reward(np.array(value)))


def critic(model: Any, observe: Callable[[State], Any] = lambda state: state) -> Critic:
    """Make a value function of a Stable-Baselines3 model's critic.

    It is V for algorithms such as PPO, the maximum of Q over actions for DQN and QR-DQN, and the least critic's Q of
    the greedy action for SAC, TD3 and DDPG. For QR-DQN Q is the mean of its quantiles, for TQC that of all critics. A
    recurrent model has just started. The value is discounted by the model's own γ. Observations and rewards are
    normalized as in training.

    Args:
        model: the model of the agent that acts later.
        observe: from the acting agent's end state to the observation of that model when it starts.
    """
    policy = getattr(model, "policy", None)
    if not any(hasattr(policy, name) for name in ("predict_values", "q_net", "quantile_net", "critic")):
        raise refusal("model", model, "a model of Stable-Baselines3 or sb3-contrib, which has a critic")
    model.policy.set_training_mode(False)
    return Critic(model, observe)


def critics(models: Iterable[Any], observe: Callable[[State], Any] = lambda state: state) -> Distribution[Critic]:
    """Make a uniform distribution of the critics of several models; its spread shows how much is unknown.

    Args:
        models: models of one agent, trained separately.
        observe: as for `critic`.
    """
    return Distribution.uniform(critic(model, observe) for model in models)


@dataclass(frozen=True)
class Trajectory:
    """An observed episode.

    Args:
        states: [T + 1], the states visited; the last one ended it.
        rewards: [T], the reward of each step.
    """

    states: Sequence[State]
    rewards: Sequence[Number]

    def __post_init__(self) -> None:
        if len(self.states) != len(self.rewards) + 1:
            raise SettingError(
                f"got {len(self.states)} states and {len(self.rewards)} rewards; expected one state more than rewards"
            )
        for step, reward in enumerate(self.rewards):
            checked_float(f"rewards[{step}]", reward)

    def returns(self, discount: Number) -> list[Number]:
        """Return [T + 1] discounted returns from each state on; 0 from the last."""
        ahead: list[Number] = [0]
        for reward in reversed(self.rewards):
            ahead.append(python_number(reward) + discount * ahead[-1])
        return ahead[::-1]


def fitted_values(
    trajectories: Sequence[Trajectory],
    members: int,
    generator: np.random.Generator,
    discount: float = 1,
    features: Callable[[State], ArrayLike] | None = None,
) -> Distribution[ValueFunction]:
    """Fit an ensemble of value functions to observed trajectories; its spread shows how much is unknown.

    Each member is a least-squares fit to the observed returns. Each trajectory has a random, exponentially distributed
    weight (the Bayesian bootstrap of Rubin 1981), so every observed state has a value in each member.

    Args:
        trajectories: of one agent, each from start to end.
        members: how many value functions to fit.
        generator: draws the weights.
        discount: γ of that agent.
        features: from a state to a vector [K], for a linear fit that extends to other states; without features, states
            must be hashable, and each has its own value.
    """
    members = whole("members", members)
    discount = checked_discount(discount)
    trajectories = checked_items("trajectories", trajectories, Trajectory)
    if not trajectories:
        raise refusal("trajectories", trajectories, "at least one Trajectory")
    checked_instance("generator", generator, np.random.Generator, "such as np.random.default_rng(0)")
    states = [state for trajectory in trajectories for state in trajectory.states]
    returns = np.array([float(g) for trajectory in trajectories for g in trajectory.returns(discount)])
    lengths = [len(trajectory.states) for trajectory in trajectories]
    weights = np.repeat(generator.exponential(size=(members, len(trajectories))), lengths, axis=1)
    if features is None:
        return Distribution.uniform(_averages(states, returns, member) for member in weights)
    inputs = _vectors(features, states)
    return Distribution.uniform(Linear(features, _fit(inputs, returns, member)) for member in weights)


def fitted_networks(
    trajectories: Sequence[Trajectory],
    members: int,
    seed: int,
    features: Callable[[State], ArrayLike],
    discount: float = 1,
    hidden: int = 32,
    updates: int = 500,
) -> Distribution[ValueFunction]:
    """Fit an ensemble of small networks to observed returns: the distribution P(V) over value functions.

    As in `fitted_values`, each member gives the trajectories random, exponentially distributed weights. It also has its
    own initial weights. So members agree where much was observed, and differ elsewhere.

    Args:
        trajectories: of one agent, each from start to end.
        members: how many networks to fit.
        seed: of the initial weights and of the weights of trajectories.
        features: from a state to a vector [K].
        discount: γ of that agent.
        hidden: units of the one hidden layer.
        updates: steps of gradient descent, each on all observed states.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("an ensemble of networks", "deep") from None
    members, hidden, updates = whole("members", members), whole("hidden", hidden), whole("updates", updates)
    seed, discount = checked_seed(seed), checked_discount(discount)
    trajectories = checked_items("trajectories", trajectories, Trajectory)
    if not trajectories:
        raise refusal("trajectories", trajectories, "at least one Trajectory")
    states = [state for trajectory in trajectories for state in trajectory.states]
    observed = np.array([float(g) for trajectory in trajectories for g in trajectory.returns(discount)])
    center, spread = float(observed.mean()), float(observed.std()) or 1.0
    inputs = torch.as_tensor(_vectors(features, states), dtype=torch.float32)
    targets = torch.as_tensor((observed - center) / spread, dtype=torch.float32)
    lengths = [len(trajectory.states) for trajectory in trajectories]
    fitted = []
    for stream in np.random.SeedSequence(seed).spawn(members):
        random = np.random.default_rng(stream)
        weights = torch.as_tensor(np.repeat(random.exponential(size=len(lengths)), lengths), dtype=torch.float32)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(random.integers(2**31)))
            network = torch.nn.Sequential(
                torch.nn.Linear(inputs.shape[1], hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 1)
            )
        optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
        for _ in range(updates):
            optimizer.zero_grad()
            (weights * (network(inputs)[:, 0] - targets) ** 2).mean().backward()
            optimizer.step()
        fitted.append(Network(features, network, center, spread))
    return Distribution.uniform(fitted)


@dataclass(frozen=True, eq=False)
class Network:
    """A value function that is a small network of features; `fitted_networks` makes it."""

    features: Callable[[State], ArrayLike]
    network: Any
    center: float
    spread: float

    def __call__(self, state: State) -> float:
        """Return the value of ``state``."""
        import torch

        with torch.no_grad():
            seen = torch.as_tensor(np.asarray(self.features(state), dtype=np.float32))
            return self.center + self.spread * float(self.network(seen))


@dataclass(frozen=True, eq=False)
class Linear:
    """A value function linear in features: V(s) = φ(s)·w."""

    features: Callable[[State], ArrayLike]
    weights: Floats

    def __call__(self, state: State) -> float:
        """Return the value of ``state``."""
        return float(np.asarray(self.features(state), dtype=float) @ self.weights)


def discrete_actions(environment: Env[Any, Any]) -> tuple[int, int]:
    """Read the number of actions of an environment and the first action, for Q-learning."""
    space = checked_parts("environment", environment, "action_space", "reset", "step").action_space
    if not isinstance(space, Discrete):
        raise refusal("environment.action_space", space, "a Discrete space for Q-learning")
    return int(space.n), int(space.start)


def _table(values: Floats, states: Sequence[Any] | None) -> Table:
    if states is None:
        return Table(values)
    names = list(states)
    if len(names) != len(values) or len(set(names)) < len(names):
        raise refusal("states", states, f"{len(values)} different names of states")
    return Table(dict(zip(names, values.tolist(), strict=True)))


def _add_stopping(matrix: csr_array, stop: Floats) -> csr_array:
    """[S + 1, S + 1]: each arrival leads on to a last, terminal state with probability ``stop``."""
    ending = csr_array((matrix @ stop)[:, None])
    blocks: Any = [[matrix @ diags_array(1 - stop), ending], [None, csr_array((1, 1))]]
    stopped = csr_array(block_array(blocks))
    stopped.eliminate_zeros()
    return stopped


def _row(table: dict[Any, list[float]], state: State, actions: int) -> list[float]:
    checked_hashable("observation", state, "wrap the environment so that observations are numbers or tuples")
    return table.setdefault(state, [0.0] * actions)


def _averages(states: Sequence[State], returns: Floats, weights: Floats) -> Table:
    total: dict[State, float] = {}
    weight: dict[State, float] = {}
    for state in states:
        checked_hashable("state", state, "give features of states")
    for state, gain, by in zip(states, returns.tolist(), weights.tolist(), strict=True):
        total[state] = total.get(state, 0.0) + by * gain
        weight[state] = weight.get(state, 0.0) + by
    return Table({state: total[state] / weight[state] for state in total})


def _vectors(features: Callable[[State], ArrayLike], states: Sequence[State]) -> Floats:
    """[N, K], the features of each state."""
    checked_callable("features", features, "a function from a state to a vector")
    vectors = [np.asarray(features(state), dtype=float) for state in states]
    if vectors[0].ndim != 1 or len({vector.shape for vector in vectors}) > 1:
        raise refusal("features", features, "a function from a state to a vector [K]", "K is the same for all states")
    for state, vector in zip(states, vectors, strict=True):
        if not np.isfinite(vector).all():
            raise refusal(f"features({show_value(state)})", vector, "finite numbers")
    return np.array(vectors)


def _fit(inputs: Floats, returns: Floats, weights: Floats) -> Floats:
    """Weighted least squares; the smallest solution if features do not determine one."""
    root = np.sqrt(weights)
    solution, *_ = np.linalg.lstsq(inputs * root[:, None], returns * root, rcond=None)
    return np.asarray(solution, dtype=float)
