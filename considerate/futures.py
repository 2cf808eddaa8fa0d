"""Where the acting agent's knowledge of others' futures comes from.

Alizadeh Alamdari et al. 2021 assume distributions over value functions, reward functions or options, and name as a
limitation that they do not say how to acquire them. Here they come from one of five places:

- by hand: `Distribution`, `Table`, `Option`;
- exactly, from a tabular decision process: `exact_values`, `policy_values`, `option_values`;
- by Q-learning: `learned_values`;
- from the critic of a Stable-Baselines3 model, or of several of them as a distribution: `critic`, `critics`;
- from observed trajectories, with an ensemble of fitted values as the distribution: `fitted_values`.

Whoever acts next need not start where the acting agent stopped: `FromStarts` averages a value function over a known
distribution of starting states, as section 3.1 asks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Discrete
from numpy.typing import ArrayLike, NDArray
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
    finite,
    value_at,
)
from multislot.checks import checked_seed, whole
from multislot.errors import SettingError
from multislot.mdp import TabularMDP

__all__ = [
    "Critic",
    "Distribution",
    "FromStarts",
    "Linear",
    "Option",
    "RewardFunction",
    "Table",
    "Trajectory",
    "ValueFunction",
    "as_distribution",
    "critic",
    "critics",
    "exact_values",
    "fitted_values",
    "learned_values",
    "option_values",
    "policy_values",
]

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class FromStarts:
    """A value function where others start somewhere that depends on where the acting agent ended.

    Section 3.1: V(s') may be "the expected return of future activity considered over a known distribution of starting
    states, given that the acting agent ended in s'".

    Args:
        value: the expected return from a state in which the next agent starts.
        starts: from the acting agent's end state to the distribution of starting states.

    Raises:
        SettingError: one of them is no function, or ``starts`` gives no distribution.
    """

    value: ValueFunction
    starts: Callable[[State], Distribution[State]]

    def __post_init__(self) -> None:
        for name, function in (("value", self.value), ("starts", self.starts)):
            if not callable(function):
                raise SettingError(f"{name} is {function!r}; expected a function of states")

    def __call__(self, state: State) -> Number:
        """Returns the expected value over the starting states, given that the acting agent ended in ``state``."""
        starts = self.starts(state)
        if not isinstance(starts, Distribution):
            raise SettingError(f"{self.starts!r} gave {starts!r} for {state!r}; expected a Distribution of states")
        return starts.expect(lambda start: value_at(self.value, start))


def exact_values(
    process: TabularMDP, discount: float = 1, states: Sequence[Any] | None = None, horizon: int | None = None
) -> Table:
    """Returns the optimal value function of whoever acts in ``process``.

    Args:
        process: the next agent's own task, with S states.
        discount: γ of that agent.
        states: [S], what each state is called in the acting agent's environment; by default its index.
        horizon: how many steps that agent has; None for no bound.

    Raises:
        SettingError: an argument is out of its domain.
        NeverEndingError: undiscounted, never ending pays.
    """
    return _table(process.solve(discount, horizon).values, states)


def policy_values(
    process: TabularMDP, policy: ArrayLike, discount: float = 1, states: Sequence[Any] | None = None
) -> Table:
    """Returns the value function of a fixed policy.

    Args:
        process: the next agent's own task, with S states and A actions.
        policy: [S] action indices or [S, A] probabilities.
        discount: γ of that agent.
        states: [S], what each state is called in the acting agent's environment; by default its index.

    Raises:
        SettingError: an argument is out of its domain.
    """
    return _table(process.evaluate(policy, discount), states)


def option_values(
    process: TabularMDP,
    policy: ArrayLike,
    termination: ArrayLike,
    discount: float = 1,
    states: Sequence[Any] | None = None,
) -> Table:
    """Returns what an option ⟨I, π, β⟩ is worth: V(s) = E[r + γ·(1 − β(s'))·V(s')], the value function of equation 8.

    Args:
        process: the task in which the option runs, with S states and A actions.
        policy: π, [S] action indices or [S, A] probabilities.
        termination: β, [S] probabilities of stopping on arrival in a state.
        discount: γ.
        states: [S], what each state is called in the acting agent's environment; by default its index.

    Raises:
        SettingError: ``termination`` is no array of S probabilities, or another argument is out of its domain.
    """
    try:
        stop = np.asarray(termination, dtype=float)
    except (TypeError, ValueError):
        stop = np.array(np.nan)
    if stop.shape != (process.n_states,) or not ((stop >= 0) & (stop <= 1)).all():
        raise SettingError(f"termination has to be {process.n_states} probabilities, one a state; got {termination!r}")
    transitions = tuple(_stopping(matrix, stop) for matrix in process.transitions)
    rewards = np.vstack([process.rewards, np.zeros(process.n_actions)])
    run = TabularMDP(transitions, rewards, np.append(process.start, 0))
    followed = np.asarray(policy)
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
    """Learns an agent's values by Q-learning, as the paper does for the agents that come later (appendix C).

    Action values start at 0; actions are ε-greedy, ties to the first action; states never reached are not in the table.

    Args:
        environment: a Gymnasium environment with hashable observations and a `Discrete` action space.
        steps: how many steps to learn for, over as many episodes as they make.
        seed: seeds exploration, and the environment's first reset.
        discount: γ of that agent.
        learning_rate: α in (0, 1]; 1 suits deterministic environments.
        exploration: ε, the probability of a random action.

    Raises:
        SettingError: the actions are not discrete, an observation cannot be hashed, or a number is out of its domain.
    """
    if not isinstance(environment.action_space, Discrete):
        raise SettingError(f"the action space is {environment.action_space}; Q-learning needs a Discrete one")
    steps, seed = whole("steps", steps), checked_seed(seed)
    for name, share in (("discount", discount), ("learning_rate", learning_rate), ("exploration", exploration)):
        _check_share(name, share)
    if not learning_rate:
        raise SettingError("learning_rate is 0, so that nothing is learned; expected a number above 0, at most 1")
    actions, first = int(environment.action_space.n), int(environment.action_space.start)
    table: dict[Any, list[float]] = {}
    random = np.random.default_rng(seed)
    state, _ = environment.reset(seed=seed)
    for _ in range(steps):
        values = _row(table, state, actions)
        action = int(random.integers(actions)) if random.random() < exploration else values.index(max(values))
        following, reward, terminated, truncated, _ = environment.step(first + action)
        ahead = max(_row(table, following, actions)) * (not terminated)
        values[action] += learning_rate * (float(reward) + discount * ahead - values[action])
        state = environment.reset()[0] if terminated or truncated else following
    return Table({state: max(values) for state, values in table.items()})


@dataclass(frozen=True)
class Critic:
    """The value function that a Stable-Baselines3 model has learned; made by `critic`."""

    model: Any
    observe: Callable[[State], Any]

    def __call__(self, state: State) -> float:
        """Returns the model's estimate of its discounted return from ``state``, in units of the true reward."""
        policy = self.model.policy
        normalization = self.model.get_vec_normalize_env()
        observation = self.observe(state)
        if normalization is not None:
            observation = normalization.normalize_obs(observation)
        tensor, _ = policy.obs_to_tensor(observation)
        value = _critic_value(policy, tensor)
        return value if normalization is None else float(normalization.unnormalize_reward(np.array(value)))


def critic(model: Any, observe: Callable[[State], Any] = lambda state: state) -> Critic:
    """Returns the value function in a Stable-Baselines3 model's critic.

    That is V for A2C and PPO, max over a of Q for DQN, and the least critic's Q of the actor's action for SAC, TD3 and
    DDPG. The model's own γ discounts it, and if observations or rewards were normalised, so they are here.

    Args:
        model: the model of the agent that acts later.
        observe: from the acting agent's end state to what that model would observe when it starts.

    Raises:
        SettingError: the model has no critic that is known here.
    """
    policy = getattr(model, "policy", None)
    if not any(hasattr(policy, name) for name in ("predict_values", "q_net", "critic")):
        raise SettingError(f"{type(model).__name__} has no critic; expected A2C, PPO, DQN, SAC, TD3 or DDPG")
    model.policy.set_training_mode(False)
    return Critic(model, observe)


def critics(models: Iterable[Any], observe: Callable[[State], Any] = lambda state: state) -> Distribution[Critic]:
    """Returns the critics of several models as a uniform distribution: what an ensemble does not agree on is unknown.

    Args:
        models: models of one agent, trained apart.
        observe: as for `critic`.
    """
    return Distribution.uniform(critic(model, observe) for model in models)


@dataclass(frozen=True)
class Trajectory:
    """What somebody was seen to do, from start to end.

    Args:
        states: [T + 1], the states passed through; the last one ended it.
        rewards: [T], the reward of each step.

    Raises:
        SettingError: the lengths do not fit, or a reward is not a finite number.
    """

    states: Sequence[State]
    rewards: Sequence[Number]

    def __post_init__(self) -> None:
        if len(self.states) != len(self.rewards) + 1:
            raise SettingError(
                f"a trajectory has {len(self.states)} states and {len(self.rewards)} rewards; "
                "expected one state more than rewards"
            )
        for step, reward in enumerate(self.rewards):
            finite(reward, f"the reward of step {step}")

    def returns(self, discount: Number) -> list[Number]:
        """Returns [T + 1] discounted returns from each state on; 0 from the last."""
        ahead: list[Number] = [0]
        for reward in reversed(self.rewards):
            ahead.append(reward + discount * ahead[-1])
        return ahead[::-1]


def fitted_values(
    trajectories: Sequence[Trajectory],
    members: int,
    generator: np.random.Generator,
    discount: float = 1,
    features: Callable[[State], ArrayLike] | None = None,
) -> Distribution[ValueFunction]:
    """Fits value functions to observed trajectories: an ensemble whose spread says how little is known.

    Each member is a least-squares fit to the observed returns with the trajectories weighted at random, each with an
    exponential weight (the Bayesian bootstrap of Rubin 1981), so that every state that was seen has a value in each.

    Args:
        trajectories: complete ones, of one agent.
        members: how many value functions to fit.
        generator: draws the weights.
        discount: γ of that agent.
        features: from a state to a vector [K], for a linear fit that extends to states not seen; without it states are
            hashable and each has a value of its own.

    Raises:
        SettingError: there are no trajectories, what should be one is none, states without features cannot be hashed,
            ``generator`` is no generator, or a number is out of its domain.
    """
    members = whole("members", members)
    _check_share("discount", discount)
    _check_trajectories(trajectories)
    if not isinstance(generator, np.random.Generator):
        raise SettingError(f"generator is {generator!r}; expected a generator, such as np.random.default_rng(0)")
    states = [state for trajectory in trajectories for state in trajectory.states]
    returns = np.array([float(g) for trajectory in trajectories for g in trajectory.returns(discount)])
    lengths = [len(trajectory.states) for trajectory in trajectories]
    weights = np.repeat(generator.exponential(size=(members, len(trajectories))), lengths, axis=1)
    if features is None:
        return Distribution.uniform(_averages(states, returns, member) for member in weights)
    inputs = np.array([np.asarray(features(state), dtype=float) for state in states])
    return Distribution.uniform(Linear(features, _fit(inputs, returns, member)) for member in weights)


@dataclass(frozen=True, eq=False)
class Linear:
    """A value function linear in features: V(s) = φ(s)·w."""

    features: Callable[[State], ArrayLike]
    weights: Floats

    def __call__(self, state: State) -> float:
        """Returns the value of ``state``."""
        return float(np.asarray(self.features(state), dtype=float) @ self.weights)


def _check_share(name: str, share: Number) -> None:
    """Raises SettingError if something is no number from 0 to 1."""
    if not 0 <= finite(share, name) <= 1:
        raise SettingError(f"{name} is {share!r}; expected a number from 0 to 1")


def _check_hashable(state: State, remedy: str) -> None:
    try:
        hash(state)
    except TypeError:
        raise SettingError(f"the state {state!r} cannot be hashed, so a table cannot hold it; {remedy}") from None


def _check_trajectories(trajectories: Sequence[Trajectory]) -> None:
    if not trajectories:
        raise SettingError("got 0 trajectories; expected at least one")
    for trajectory in trajectories:
        if not isinstance(trajectory, Trajectory):
            raise SettingError(f"a trajectory is {trajectory!r}; expected a Trajectory")


def _row(table: dict[Any, list[float]], state: State, actions: int) -> list[float]:
    """The action values of a state, 0 at first."""
    _check_hashable(state, "wrap the environment so that observations are numbers or tuples")
    return table.setdefault(state, [0.0] * actions)


def _table(values: Floats, states: Sequence[Any] | None) -> Table:
    if states is None:
        return Table(values)
    if len(states) != len(values):
        raise SettingError(f"got names for {len(states)} states, expected {len(values)}")
    return Table(dict(zip(states, values.tolist(), strict=True)))


def _stopping(matrix: csr_array, stop: Floats) -> csr_array:
    """[S + 1, S + 1]: on arrival in a state one goes on to a last, terminal state with probability ``stop``."""
    ending = csr_array((matrix @ stop)[:, None])
    blocks: Any = [[matrix @ diags_array(1 - stop), ending], [None, csr_array((1, 1))]]
    stopped = csr_array(block_array(blocks))
    stopped.eliminate_zeros()
    return stopped


def _critic_value(policy: Any, observation: Any) -> float:
    if hasattr(policy, "predict_values"):
        return float(policy.predict_values(observation).item())
    if hasattr(policy, "q_net"):
        return float(policy.q_net(observation).max().item())
    return min(float(value.item()) for value in policy.critic(observation, policy.actor(observation)))


def _averages(states: Sequence[State], returns: Floats, weights: Floats) -> Table:
    total: dict[State, float] = {}
    weight: dict[State, float] = {}
    for state in states:
        _check_hashable(state, "give features of states")
    for state, gain, by in zip(states, returns.tolist(), weights.tolist(), strict=True):
        total[state] = total.get(state, 0.0) + by * gain
        weight[state] = weight.get(state, 0.0) + by
    return Table({state: total[state] / weight[state] for state in total})


def _fit(inputs: Floats, returns: Floats, weights: Floats) -> Floats:
    """Weighted least squares; of all solutions the smallest, if features do not determine one."""
    root = np.sqrt(weights)
    solution, *_ = np.linalg.lstsq(inputs * root[:, None], returns * root, rcond=None)
    return np.asarray(solution, dtype=float)
