"""What users bring is validated: one sentence that says what was got, what was expected and the step."""

from functools import partial

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from extenv import AsWorld, SimulatingEnvironment, measure, run
from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.composing.compose import fold, handicap
from extenv.measuring.running import stored_streams
from extenv.measuring.validation import are_trusted, check_agent
from extenv.reality_checks import reality_check
from multislot.agents import QLearner
from multislot.errors import ActionError, ObservationError, RewardError, SettingError, TurnError, UnknownNameError
from tests.extenv.composing.composing import Restless
from tests.extenv.games import Crowd, MatchingBits
from tests.extenv.measuring.test_running import Quiet

pytestmark = pytest.mark.compiled

LATE = 20  # after the rehearsal


def paying(*turn, late=()):
    """Return an environment class that returns `turn`, or `late` after some steps."""

    class Paying(SimulatingEnvironment):
        def start(self):
            self.steps = 0
            return super().start()

        def step(self, action):
            self.steps += 1
            return late if late and self.steps > LATE else turn

    return Paying


def beginning(first):
    """Return an environment class that begins with `first`."""

    class Beginning(SimulatingEnvironment):
        def start(self):
            super().start()
            return first

    return Beginning


class Paralysed(SimulatingEnvironment):
    """Has no actions."""

    n_actions = 0


class Halved(SimulatingEnvironment):
    """Says its number of observations as a float."""

    n_observations = 2.0


def acting(action):
    """Return an agent class that gives `action` once it has learned for a while."""

    class Acting(Quiet):
        def act(self, observation):
            return action if self.learned > LATE else 0

    return Acting


class Labelled(Restless):
    """Shows a label."""

    observation_space = Discrete(3)

    def step(self, action):
        return 2, 1.0, False, False, {}


class Encoding:
    """An encoder that keeps to two indices only if what it is shown does."""

    n_observations = 2

    def __init__(self, of=lambda observation: observation):
        self.of = of

    def __call__(self, observation):
        return self.of(observation)


def played(environment, factory=QLearner):
    return lambda: run(environment, factory, steps=3 * LATE)


def world_of(environment):
    return lambda: AsWorld(environment, QLearner).run(LATE)


TABLE = {
    "observation": (played(paying(1.0, 5)), ObservationError, r"step 1.*observation is 5; send one of range\(1\)"),
    "late": (played(paying(1.0, 0, late=(1.0, -1))), ObservationError, r"step 21.*observation is -1"),
    "half": (played(paying(1.0, 0.5)), ObservationError, "observation is 0.5"),
    "beginning": (played(beginning(3)), ObservationError, "step 0.*observation is 3"),
    "beginning nowhere": (played(beginning(None)), ObservationError, r"step 0.*is None; send one of range\(1\)"),
    "beginning in a world": (world_of(beginning(0.0)), ObservationError, r"step 0.*is 0.0; send one of range\(1\)"),
    "half in a world": (world_of(paying(1.0, 0.5)), ObservationError, "step 1.*observation is 0.5"),
    "NaN": (played(paying(float("nan"), 0)), RewardError, "step 1.*reward is nan; send a finite number"),
    "word": (played(paying("much", 0)), RewardError, "reward is 'much'"),
    "digit": (played(paying("1", 0)), RewardError, "step 1.*reward is '1'; send a finite number"),
    "huge": (played(paying(10**400, 0)), RewardError, "step 1.*reward is 1000.*…; send a finite number"),
    "nothing paid": (played(paying(None, 0)), RewardError, "reward is None"),
    "three": (played(paying(1.0, 0, {})), TurnError, r"step\(action\) returned .*; return \(reward, observation\)"),
    "paralysed": (played(Paralysed), SettingError, "got Paralysed.n_actions=0; expected a whole number, at least 1"),
    "halved": (
        lambda: measure(Quiet, environments=Halved, steps=3),
        SettingError,
        "got Halved.n_observations=2.0; expected a whole number, at least 1",
    ),
    "float action": (played("IgnoreRewards", acting(0.5)), ActionError, "step 22.*action is 0.5; return an int from"),
    "array action": (played("IgnoreRewards", acting(np.array([1]))), ActionError, r"step 22.*action is array\(\[1\]\)"),
    "array at once": (played("IgnoreRewards", lambda o, a, s: Always(np.array([1]))), ActionError, r"array\(\[1\]\)"),
    "no action": (played("IgnoreRewards", acting(None)), ActionError, "action is None"),
    "no action inside": (played("CryingBaby", reality_check(acting(None))), ActionError, "step 22.*action is None"),
    "id": (lambda: handicap("No-v0", "IgnoreRewards"), SettingError, "expected the id of a registered environment"),
    "steps": (lambda: run("IgnoreRewards", steps=2**70), SettingError, r"at most 2\*\*63 - 1"),
    "parameter": (
        played("IgnoreRewards", partial(QLearner, learnin_rate=0.5)),
        UnknownNameError,
        "unknown parameter of QLearner 'learnin_rate'; did you mean 'learning_rate'",
    ),
    "parameter inside": (
        lambda: reality_check(partial(QLearner, epsilo=0.5)),
        UnknownNameError,
        "parameter of QLearner 'epsilo'; did you mean 'epsilon'",
    ),
    "parameter outside": (
        played("IgnoreRewards", partial(reality_check(QLearner), epsilo=0.5)),
        UnknownNameError,
        "did you mean 'epsilon'",
    ),
    "target": (lambda: IncentivizeLearningRate("third"), SettingError, "got target='third'; expected a number, or"),
    "encoder": (
        played(handicap(Labelled, "IgnoreRewards", encoder=Encoding())),
        SettingError,
        r"the encoder of the environment makes 2 of 2; expected one of range\(2\)",
    ),
    "encoder of a player": (
        played(fold(MatchingBits, encoders={"evader": Encoding(lambda seen: None)})),
        SettingError,
        "the encoder of 'evader' makes None of",
    ),
    "unknown player": (
        lambda: fold(Crowd, encoders={"player9": Encoding()}),
        UnknownNameError,
        "unknown player 'player9'; did you mean 'player_",
    ),
    "weight of nobody": (
        lambda: measure(QLearner, environments=["CryingBaby"], weights={"CryingBaby": 1, "CryingBabi": 1}),
        UnknownNameError,
        "unknown environment with a weight 'CryingBabi'; did you mean 'CryingBaby'",
    ),
}


class Always(Quiet):
    """An agent that gives one answer."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, observation):
        return self.answer


@pytest.mark.parametrize("name", TABLE)
def test_what_is_wrong_is_said_in_one_sentence(name):
    attempt, kind, message = TABLE[name]
    with pytest.raises(kind, match=message):
        attempt()


def test_what_is_a_number_of_another_library_passes():
    environment = paying(np.float32(0.5), np.int64(0))
    assert run(environment, acting(np.int64(1)), steps=40).total_reward == 20


@pytest.mark.parametrize("name", ["IgnoreRewards", "SelfRecognition", "LimitedMemory"])
def test_validation_changes_nothing(name):
    class Own(QLearner):
        """The same agent, validated."""

    assert run(name, Own, steps=100, seed=2) == run(name, QLearner, steps=100, seed=2)


class Losing(QLearner):
    """Returns its losses."""

    def learn(self, *turn):
        super().learn(*turn)
        return 0.5

    def learn_last(self, *turn):
        super().learn_last(*turn)
        return 0.5


@pytest.mark.parametrize("name", ["IgnoreRewards", "CryingBaby", "FalseMemories", "TemptingButton", "LimitedMemory"])
@pytest.mark.parametrize("check", [lambda factory: factory, reality_check])
def test_what_learning_returns_is_ignored(name, check):
    assert run(name, check(Losing), steps=50) == run(name, check(QLearner), steps=50)


def test_so_is_what_a_last_turn_and_teaching_return():
    class Plain(Quiet):
        def learn(self, *turn):
            return 0.5

    class Teaching(IgnoreRewards):
        def teach(self, action, reward):
            super().teach(action, reward)
            return 0.5

    Plain(1, 2, None).learn_last(0, 0, 1.0)
    reality_check(Losing)(1, 2, stored_streams(1)[0]).learn_last(0, 0, 1.0)
    assert run(Teaching, QLearner, steps=50) == run("IgnoreRewards", QLearner, steps=50)


def test_agents_and_environments_of_this_project_are_not_validated():
    agent, wrapped = (reality_check(factory)(1, 2, stored_streams(1)[0]) for factory in (QLearner, acting(0)))
    assert are_trusted(IncentivizeLearningRate(), agent)
    assert not are_trusted(IncentivizeLearningRate(), wrapped)
    assert not are_trusted(IncentivizeLearningRate(), acting(0)(1, 2, None))
    assert not are_trusted(paying(1.0, 0)(), agent)


def test_a_rehearsing_agent_learns_valid_actions_alone():
    learned = []

    class Unsure(Quiet):
        def act(self, observation):
            return 7 if self.learned in (3, 4) else 1

        def learn(self, observation, action, reward, next_observation):
            super().learn(observation, action, reward, next_observation)
            learned.append(action)

    check_agent(Unsure(2, 2, None), 2, 2)
    assert learned == [1, 1, 1, 0, 0, 1, 1, 1, 1, 1]
