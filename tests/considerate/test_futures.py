"""Distributions of futures and the five ways to get them, against values known otherwise."""

import math
from fractions import Fraction

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.wrappers import TransformReward
from hypothesis import given
from hypothesis import strategies as st

from considerate.criteria import augment
from considerate.futures import (
    Distribution,
    FromStarts,
    Option,
    Table,
    Trajectory,
    critic,
    critics,
    exact_values,
    fitted_networks,
    fitted_values,
    learned_values,
    option_values,
    policy_values,
)
from multislot.errors import SettingError
from tests.multislot.mdp.test_mdp import corridor

CELLS = 6


CORRIDOR = corridor(CELLS - 1)
"""Cells 0 to 5 in a row, −1 a step left or right, the last cell ends it."""


class Corridor(gymnasium.Env):
    """The same, starting anywhere but at the end; if `boxed`, the cell is seen as a number in [0, 1]."""

    def __init__(self, boxed=False, limit=50):
        self.boxed, self.limit = boxed, limit
        self.observation_space = Box(0, 1, (1,), np.float32) if boxed else Discrete(CELLS)
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell, self.time = int(self.np_random.integers(CELLS - 1)), 0
        return self.see(), {}

    def step(self, action):
        self.cell, self.time = max(self.cell + (1 if action else -1), 0), self.time + 1
        return self.see(), -1.0, self.cell == CELLS - 1, self.time >= self.limit, {}

    def see(self):
        return np.array([self.cell / CELLS], np.float32) if self.boxed else self.cell


def to_the_right(cell):
    return cell - (CELLS - 1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any))
def test_expectations_are_exact(weights):
    distribution = Distribution(tuple(range(len(weights))), tuple(Fraction(weight, sum(weights)) for weight in weights))
    assert distribution.expect(lambda item: item) == Fraction(sum(i * w for i, w in enumerate(weights)), sum(weights))
    assert [item for _, item in distribution.support()] == [i for i, w in enumerate(weights) if w]
    pooled = Distribution.pooled([distribution, Distribution.certain(100)])
    assert pooled.expect(lambda item: item) == (distribution.expect(lambda item: item) + 100) / Fraction(2)


@pytest.mark.parametrize(
    ("items", "probabilities", "message"),
    [
        ((1, 2), (1,), "2 items and 1 probabilities"),
        ((), (), "0 items"),
        (
            (1, 2),
            (Fraction(3, 2), Fraction(-1, 2)),
            r"got probabilities\[1\]=-1/2; expected a finite number, at",
        ),
        ((1, 2), (0.5, 0.4), r"got probabilities=\(0\.5, 0\.4\); expected a sum of 1; their sum is 0\.9"),
        (
            (1, 2),
            (Fraction(1, 2), Fraction(499_999_999_999, 10**12)),
            r"got probabilities=\(Fraction\(1, 2\), Fraction\(499999999999,",
        ),
        ((1,), (math.nan,), r"got probabilities\[0\]=nan; expected a finite number, at least 0"),
    ],
)
def test_what_is_no_distribution_is_refused(items, probabilities, message):
    with pytest.raises(SettingError, match=message):
        Distribution(items, probabilities)


def test_rounding_is_forgiven():
    assert Distribution((1, 2, 3), (0.1, 0.2, 0.7)).expect(float) == pytest.approx(2.6)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Distribution.uniform([]), "0 items"),
        (lambda: Table({"earth": 1})("moon"), "got state='moon'; expected a state in the table of values; give every"),
        (lambda: Table(np.zeros(3))(7), "got state=7"),
        (lambda: Table([1, 2, 3])(-1), "got state=-1"),
        (lambda: Table([1, 2, 3])(True), "got state=True"),
        (lambda: Table(np.zeros(3))(None), "got state=None"),
        (lambda: exact_values(CORRIDOR, states="abcdea"), "got states='abcdea'; expected 6 different names of"),
        (lambda: FromStarts(abs, 3), "got starts=3; expected a function of states"),
        (lambda: FromStarts(3, abs), "got value=3; expected a function of states"),
        (lambda: FromStarts(abs, abs)(-2), r"starts\(-2\)=2; expected an instance of Distribution"),
        (lambda: Trajectory([0, 1], [1, 1]), "2 states and 2 rewards"),
        (lambda: Trajectory([0, 1], [10**400]), r"got rewards\[0\]=.*; expected a number that a float can hold"),
        (lambda: Option({1}).can_start(np.zeros(1)), r"got state=array\(\[0\.\]\); .*as a function"),
        (lambda: Option(None), "got initiation=None; expected a set of states, or a function of a state"),
        (lambda: Option([[1]]), r"got initiation=\[\[1\]\]; expected hashable states; give a function that says"),
        (lambda: Option({1}, 3), r"got value=3; expected a function of states; Table\(values\) makes one"),
        (lambda: option_values(CORRIDOR, 0, [0] * CELLS), "policy"),
        (lambda: Trajectory([0, 1, 2], [1, math.nan]), r"got rewards\[1\]=nan; expected a finite number"),
        (lambda: fitted_values([], 1, np.random.default_rng(0)), "expected at least one Trajectory"),
    ],
)
def test_tables_starting_states_and_trajectories_are_checked(ask, message):
    with pytest.raises(SettingError, match=message):
        ask()


def test_options_start_in_a_set_or_where_a_function_says():
    assert [Option({1, 2}).can_start(state) for state in range(4)] == [False, True, True, False]
    assert [Option(lambda state: state > 2).can_start(state) for state in range(4)] == [False, False, False, True]


def test_exact_values_are_distances():
    values = exact_values(CORRIDOR)
    assert [values(cell) for cell in range(CELLS)] == [to_the_right(cell) for cell in range(CELLS)]
    named = exact_values(CORRIDOR, discount=0.5, states="abcdef")
    assert named("d") == pytest.approx(-1.5)
    assert exact_values(CORRIDOR, Fraction(1, 2))(3) == named("d")
    assert exact_values(CORRIDOR, horizon=2)(0) == -2
    with pytest.raises(SettingError, match="got states='ab'; expected 6 different names of states"):
        exact_values(CORRIDOR, states="ab")


def test_a_fixed_policy_may_be_worse():
    dithering = np.full((CELLS, 2), 0.5)
    values, best = policy_values(CORRIDOR, dithering), exact_values(CORRIDOR)
    assert [values(cell) - values(cell + 1) for cell in range(CELLS - 1)] == pytest.approx([-2, -4, -6, -8, -10])
    assert all(values(cell) <= best(cell) for cell in range(CELLS))


@pytest.mark.parametrize("stop", [[0, 0, 1, 0, 0, 0], [0.5] * CELLS, [0] * CELLS])
def test_an_options_value_is_what_is_paid_until_it_stops(stop):
    values = option_values(CORRIDOR, [1] * CELLS, stop, discount=0.9)
    for cell in range(CELLS):
        worth, going = 0.0, 1.0
        for step, place in enumerate(range(cell, CELLS - 1)):
            worth -= going * 0.9**step
            going *= 1 - stop[place + 1]
        assert values(cell) == pytest.approx(worth)


def test_an_options_termination_is_checked():
    for wrong in ([1, 0], [2] * CELLS, [math.nan] * CELLS, "x", None, [[1], [1, 2]]):
        with pytest.raises(SettingError, match=r"expected 6 probabilities, one a state"):
            option_values(CORRIDOR, [1] * CELLS, wrong)


def test_q_learning_finds_the_exact_values():
    learned, exact = learned_values(Corridor(), steps=3_000, seed=1), exact_values(CORRIDOR)
    assert [learned(cell) for cell in range(CELLS)] == [exact(cell) for cell in range(CELLS)]
    halved = learned_values(Corridor(), steps=3_000, seed=1, discount=0.5)
    exact = exact_values(CORRIDOR, discount=0.5)
    assert [halved(cell) for cell in range(CELLS)] == pytest.approx([exact(cell) for cell in range(CELLS)])
    assert learned == learned_values(Corridor(), steps=3_000, seed=1)
    with pytest.raises(
        SettingError, match=r"got environment\.action_space=Box\(-2\.0, 2\.0, \(1,\), float32\); expected a"
    ):
        learned_values(gymnasium.make("Pendulum-v1"), steps=1, seed=0)


def test_values_come_from_the_critic_of_a_model():
    import torch
    from stable_baselines3 import A2C, DDPG, DQN, SAC

    for algorithm in (A2C, DQN):
        model = algorithm("MlpPolicy", Corridor(boxed=True), seed=0)
        state = np.array([0.5], np.float32)
        tensor, _ = model.policy.obs_to_tensor(state)
        outputs = model.policy.q_net(tensor) if algorithm is DQN else model.policy.predict_values(tensor)
        assert critic(model)(state) == pytest.approx(outputs.max().item())
        assert critic(model, observe=lambda cell: np.array([cell / CELLS], np.float32))(3) == critic(model)(state)
    for algorithm in (SAC, DDPG):
        model, state = algorithm("MlpPolicy", "Pendulum-v1", seed=0), np.array([1, 0, 0.5], np.float32)
        action, _ = model.policy.predict(state, deterministic=True)
        seen, action = torch.as_tensor(state)[None], torch.as_tensor(model.policy.scale_action(action))[None]
        assert critic(model)(state) == pytest.approx(min(one.item() for one in model.critic(seen, action)), rel=1e-4)
    with pytest.raises(SettingError, match=r"got model=<object object at .*>; expected a model of Stable-Baselines3"):
        critic(object())


def test_values_come_from_the_critics_of_sb3_contrib():
    contrib = pytest.importorskip("sb3_contrib")
    states = pytest.importorskip("sb3_contrib.common.recurrent.type_aliases").RNNStates
    torch, state = pytest.importorskip("torch"), np.array([0.5], np.float32)
    model = contrib.QRDQN("MlpPolicy", Corridor(boxed=True), seed=0)
    quantiles = model.policy.quantile_net(model.policy.obs_to_tensor(state)[0])[0]
    assert critic(model)(state) == pytest.approx(max(each.mean().item() for each in quantiles.T))
    model = contrib.RecurrentPPO("MlpLstmPolicy", Corridor(boxed=True), seed=0)
    nothing = (torch.zeros(1, 1, 256), torch.zeros(1, 1, 256))
    seen, _ = model.policy.obs_to_tensor(state)
    _, value, _, _ = model.policy.forward(seen, states(nothing, nothing), torch.ones(1))
    assert critic(model)(state) == pytest.approx(value.item())
    model, state = contrib.TQC("MlpPolicy", "Pendulum-v1", seed=0), np.array([1, 0, 0.5], np.float32)
    action, _ = model.policy.predict(state, deterministic=True)
    quantiles = model.critic(torch.as_tensor(state)[None], torch.as_tensor(model.policy.scale_action(action))[None])
    assert critic(model)(state) == pytest.approx(np.mean(quantiles.tolist()), rel=1e-4)


def test_a_critic_undoes_normalisation():
    from stable_baselines3 import A2C
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    normalized = VecNormalize(DummyVecEnv([lambda: Corridor(boxed=True)]))
    model = A2C("MlpPolicy", normalized, seed=0)
    raw = critic(model)(np.array([0.5], np.float32))
    normalized.ret_rms.var = 4 * normalized.ret_rms.var
    assert critic(model)(np.array([0.5], np.float32)) == pytest.approx(2 * raw, rel=1e-4)


def test_an_ensemble_of_critics_is_a_distribution():
    from stable_baselines3 import A2C

    ensemble = critics(A2C("MlpPolicy", Corridor(boxed=True), seed=seed) for seed in (1, 2))
    state = np.array([0.5], np.float32)
    single = [value(state) for value in ensemble.items]
    assert single[0] != single[1]
    assert augment("value", acting="me", caring=1, futures=ensemble).term(state, state) == pytest.approx(
        np.mean(single)
    )
    assert augment("worst", acting="me", caring=1, futures=ensemble).term(state, state) == min(single)


def walk(start):
    cells = list(range(start, CELLS))
    return Trajectory(cells, [-1] * (len(cells) - 1))


def test_values_fitted_to_sure_returns_are_those_returns():
    for features in (None, lambda cell: [1, cell]):
        ensemble = fitted_values([walk(0), walk(3)], 5, np.random.default_rng(0), features=features)
        for member in ensemble.items:
            assert [member(cell) for cell in range(CELLS)] == pytest.approx([to_the_right(c) for c in range(CELLS)])


def test_discounting_and_linear_fits_reach_states_not_seen():
    ensemble = fitted_values([walk(2)], 1, np.random.default_rng(0), features=lambda cell: [1, cell])
    assert ensemble.items[0](0) == pytest.approx(-5)
    assert walk(2).returns(Fraction(1, 2)) == [Fraction(-7, 4), Fraction(-3, 2), -1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"discount": math.nan}, "got discount=nan; expected a finite number, at least 0 and at most 1"),
        ({"learning_rate": 7}, "got learning_rate=7; expected a finite number, above 0 and at most 1"),
        ({"exploration": 7}, "got exploration=7; expected a finite number, at least 0 and at most 1"),
        ({"steps": -1}, "steps=-1; expected a whole number, at least 1"),
        (
            {"environment": Corridor(boxed=True)},
            r"got observation=array\(\[0\.6666667\], dtype=float32\); expected a hashable",
        ),
        (
            {"environment": TransformReward(Corridor(), lambda reward: math.nan)},
            "got reward=nan; expected a finite number",
        ),
    ],
)
def test_what_q_learning_cannot_do_is_said(arguments, message):
    with pytest.raises(SettingError, match=message):
        learned_values(**{"environment": Corridor(), "steps": 10, "seed": 0, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"discount": math.nan}, "got discount=nan; expected a finite number, at least 0 and at most 1"),
        ({"members": 0}, "members=0; expected a whole number, at least 1"),
        ({"generator": 3}, "got generator=3; expected an instance of Generator; such as"),
        ({"features": 3}, "got features=3; expected a function from a state to a vector"),
        ({"features": ord}, r"got features=.*ord.*; expected a function from a state to a vector \[K\]"),
        ({"features": lambda state: [1.0] * (1 + (state == "a"))}, r"a vector \[K\]; K is the same for all states"),
        ({"features": lambda state: [1.0, math.nan]}, r"got features\('a'\)=array\(\[ 1\., nan\]\); expected finite"),
        ({"trajectories": [[0, 1]]}, r"got trajectories\[0\]=\[0, 1\]; expected an instance of Trajectory"),
        (
            {"trajectories": [Trajectory([[0], [1]], [1])]},
            r"got state=\[0\]; expected a hashable value; give features of states",
        ),
    ],
)
def test_what_cannot_be_fitted_is_said(arguments, message):
    fine = {"trajectories": [Trajectory("ab", [1])], "members": 2, "generator": np.random.default_rng(0)}
    with pytest.raises(SettingError, match=message):
        fitted_values(**{**fine, **arguments})


def test_a_known_distribution_of_starting_states_is_respected():
    # The next agent enters by one of two doors, whichever way the acting agent went.
    doors = Distribution((0, 4), (Fraction(1, 4), Fraction(3, 4)))
    value = FromStarts(to_the_right, lambda end: doors)
    for name in ("value", "worst", "per_agent", "min"):
        assert augment(name, acting="me", caring=2, futures={"you": value}).term(end=3, start=0) == -4
    beside = FromStarts(to_the_right, lambda end: Distribution.uniform((end - 1, end + 1)))
    assert beside(3) == to_the_right(3)


def test_networks_fit_returns_in_units_of_their_spread_and_are_the_same_again():
    torch = pytest.importorskip("torch")
    before = torch.get_rng_state()

    features = {"a": [1, 0], "b": [0, 0], "c": [0, 1]}.__getitem__

    def fitted(scale):
        lives = [Trajectory("ab", [scale * pay]) for pay in (0, 4)] + [Trajectory("cb", [scale * 10])]
        members = fitted_networks(lives, 3, 5, features, hidden=8, updates=300).items
        return [[member(state) for member in members] for state in "abc"]

    between, end, sure = fitted(1)
    assert all(0 < value < 4 for value in between)
    assert len(set(between)) == 3
    assert end + sure == pytest.approx([0] * 3 + [10] * 3, abs=1)
    assert np.array(fitted(1000)) == pytest.approx(1000 * np.array([between, end, sure]), rel=1e-3, abs=1)
    alike = fitted_networks([Trajectory("ab", [0])], 2, 0, lambda state: [1.0], updates=40)
    assert [member("a") for member in alike.items] == pytest.approx([0, 0], abs=0.2)
    assert torch.equal(before, torch.get_rng_state())
