"""The agent and its mentor in PettingZoo: conformance, whose turn it is, and what is refused."""

import copy

import gymnasium
import pettingzoo
import pytest
from gymnasium.wrappers import TransformReward

from multislot.bayes.zoo import AGENT, MENTOR, GymnasiumWorld, MentoredEnv, mentor_cliff
from multislot.errors import SettingError
from tests.conformance import conform

ID = "multislot/mentor-cliff-v0"
RIGHT, UP = 1, 2


def make(**settings):
    return pettingzoo.make("aec", ID, **settings)


def frozen_lake(**settings):
    return MentoredEnv(gymnasium.make("FrozenLake-v1", is_slippery=True), **settings)


def taxi(**settings):
    return MentoredEnv(positive(gymnasium.make("Taxi-v4")), **settings)


def blackjack(**settings):
    return MentoredEnv(positive(gymnasium.make("Blackjack-v1")), **settings)


def positive(environment):
    return TransformReward(environment, lambda paid: (paid + 10) / 30)


@pytest.mark.parametrize(
    "environment", [make, frozen_lake, taxi, blackjack], ids=["cliff", "frozen lake", "taxi", "blackjack"]
)
@pytest.mark.parametrize(
    "check",
    [
        lambda suite, environment: suite.api_test(environment(max_cycles=30), num_cycles=100),
        lambda suite, environment: suite.seed_test(environment, num_cycles=50),
        lambda suite, environment: suite.render_test(environment),
    ],
    ids=["api", "seed", "render"],
)
def test_pettingzoos_conformance(environment, check):
    conform(check, environment)


def test_the_mentor_is_asked_only_where_the_agent_defers():
    environment = mentor_cliff()
    environment.reset(seed=0)
    assert environment.action_space(AGENT).n == environment.action_space(MENTOR).n + 1 == 5
    environment.step(UP)
    assert environment.agent_selection == AGENT
    assert environment.infos[MENTOR] == {"means": "agent: up → (0, 5) '.'", "by_mentor": False}
    environment.step(4)
    assert environment.agent_selection == MENTOR
    assert environment.rewards == {AGENT: 0.0, MENTOR: 0.0}
    environment.step(RIGHT)
    assert environment.agent_selection == AGENT
    assert environment.infos[AGENT] == {"means": "mentor: right → (1, 5) '.'", "by_mentor": True}
    assert environment.rewards == {AGENT: 0.05, MENTOR: 0.05}
    observation, *_ = environment.last()
    assert environment.unwrapped.world.code.decode(int(observation)) == (36, RIGHT, True)


def test_a_copy_taken_mid_episode_has_the_same_future():
    environment = frozen_lake()
    environment.reset(seed=5)
    environment.step(2)
    copied = copy.deepcopy(environment)
    seen = []
    for one in (environment, copied):
        for _ in range(3):
            if not any(one.terminations.values()):
                one.step(1)
        seen.append(int(one.observe(AGENT)))
    assert seen[0] == seen[1]


def test_only_finite_spaces_and_known_cliffs_will_do():
    with pytest.raises(SettingError, match="got the observation space Box"):
        GymnasiumWorld(gymnasium.make("CartPole-v1"))
    with pytest.raises(SettingError, match="got cliffs='z'; expected letters of 'abcdefghij'"):
        mentor_cliff(cliffs="z")


@pytest.mark.parametrize("make", [taxi, blackjack])
def test_the_beginnings_of_other_games_are_told_apart(make):
    environment, inner = make(), make().world.inner.environment
    means = set()
    for seed in range(20):
        environment.reset(seed=seed)
        observation, _ = inner.reset(seed=seed)
        assert environment.infos[AGENT]["means"] == f"beginning: {observation}"
        means.add(environment.infos[AGENT]["means"])
    assert len(means) > 5


def test_nothing_is_paid_before_the_first_step():
    env = mentor_cliff()
    for _ in range(2):
        env.reset(seed=1)
        assert (set(env.rewards.values()), set(env.terminations.values()), set(env.truncations.values())) == (
            {0.0},
            {False},
            {False},
        )
        env.step(0)
