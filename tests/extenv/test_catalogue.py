"""The environments: what fixed policies score as their docstrings say, totals, and their life as objects."""

import ast
import copy
import pickle
import re
from functools import partial
from pathlib import Path

import pytest

import extenv
from extenv import BATTERY, ENVIRONMENTS, OUTSIDE, SLOW, make, reality_check, run
from extenv.catalogue.other_selves import IncentivizeLearningRate
from extenv.composing.compose import handicap
from extenv.environment import ExtendedEnvironment, play
from extenv.measuring.debugger import steps_of_call
from extenv.measuring.running import checked_factory, stored_streams
from extenv.world import AsWorld
from multislot.agents import ConstantAgent, QLearner, RandomAgent, SimpleLearner
from multislot.engine.agent import Agent
from tests.extenv.composing.composing import CARTPOLE

pytestmark = pytest.mark.compiled

SCORES = re.compile(r"Scores a step(?:, of (\d+))?: (.*)\.\n")
SCORE = re.compile(r"always (\d): (about )?(-?[\d.]+)")
CATALOGUE = Path(extenv.catalogue.__path__[0])


class InterpretedConstant(Agent):
    """A constant agent whose steps can be counted."""

    def __init__(self, n_observations, n_actions, stream, action=0, learning_rate=0.0):
        self.action = action

    def act(self, observation):
        return self.action


def docstrings():
    for source in sorted(CATALOGUE.glob("*.py")):
        for node in ast.parse(source.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name in ENVIRONMENTS:
                yield node.name, ast.get_docstring(node) + "\n"


DOCSTRINGS = dict(docstrings())


def stated_scores():
    for name, text in DOCSTRINGS.items():
        if not (stated := SCORES.search(text)):  # nobody has to state scores
            continue
        steps, scores = stated.groups()
        for action, about, score in SCORE.findall(scores):
            yield pytest.param(name, int(action), bool(about), float(score), int(steps or 2000), id=f"{name}-{action}")


@pytest.mark.parametrize(("name", "action", "about", "score", "steps"), list(stated_scores()))
def test_fixed_policies_score_what_the_docstring_says(name, action, about, score, steps):
    kind = InterpretedConstant if name == "PunishSlowAgent" else ConstantAgent
    found = run(name, partial(kind, action=action), steps=steps, seed=1).mean_reward
    assert found == pytest.approx(score, abs=0.06 if about else 1e-9)


def test_every_docstring_asks_a_question_and_says_what_wins():
    assert set(DOCSTRINGS) == set(BATTERY) | set(SLOW) | set(OUTSIDE)
    for text in DOCSTRINGS.values():
        assert "?" in text.split("\n\n")[0]
        assert all(part in text for part in ("bservations", "Actions", "Wins", "copy", "Scores a step"))


def test_the_battery_has_25_environments_and_three_more_are_slow():
    assert (len(BATTERY), len(SLOW), len(set(BATTERY) | set(SLOW))) == (25, 3, 28)


def test_as_released_every_claim_is_false_and_the_copy_learns_all_the_same():
    """An agent that says false to every claim is paid for each; as it was meant, it is right on half of them."""
    says_false = partial(ConstantAgent, action=0)
    slip, meant = (run(f"SelfRecognition{suffix}", says_false, steps=3000) for suffix in ("AsReleased", ""))
    assert slip.mean_reward == pytest.approx(2 / 3, abs=0.03)
    assert abs(meant.mean_reward) < 0.03
    first, second = make("SelfRecognition"), make("SelfRecognitionAsReleased")
    for environment in (first, second):
        environment.begin(QLearner, *stored_streams(1))
        for _ in range(50):
            environment.step(1)
    assert first.observation == second.observation
    assert list(first.simulated.values) != list(second.simulated.values)


def begun(name, seed=2):
    environment = make(name)
    agents, own = stored_streams(seed)
    factory = checked_factory(environment, None)
    observation = environment.begin(factory, agents, own)
    return environment, factory(environment.n_observations, environment.n_actions, agents), observation


DUPLICATES = pytest.mark.parametrize(
    "duplicate", [ExtendedEnvironment.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)


class Room(ExtendedEnvironment):
    """Has as many actions as doors, which are in a slot."""

    __slots__ = ("doors",)
    n_actions = property(lambda self: self.doors)


@DUPLICATES
def test_a_copy_has_slots_and_properties_of_a_subclass(duplicate):
    room = Room()
    room.doors = 3
    assert duplicate(room).n_actions == 3


@DUPLICATES
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_copy_taken_in_the_middle_has_the_same_future_and_its_own(name, duplicate):
    environment, agent, observation = begun(name)
    _, observation = play(environment, agent, observation, environment.n_actions, 12, False)
    copied, follower = duplicate(environment), agent.copy()
    assert type(copied) is type(environment)
    original = play(environment, agent, observation, environment.n_actions, 25, False)
    assert play(copied, follower, observation, environment.n_actions, 25, False) == original


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_can_be_run_again_from_its_start(name):
    environment = make(name)
    first = run(environment, steps=30, seed=3)
    assert run(environment, steps=30, seed=3) == first == run(name, steps=30, seed=3)


def test_the_learning_rate_of_the_copy_is_the_target_or_half_the_agents_own():
    half, quarter = IncentivizeLearningRate("half"), IncentivizeLearningRate(0.25)
    eager = partial(QLearner, learning_rate=0.5)
    assert run(half, eager, steps=300, seed=1) == run(quarter, eager, steps=300, seed=1)
    assert run(IncentivizeLearningRate(0.1), QLearner, steps=300, seed=1).mean_reward == 1.0


def rates_of(environment):
    """Return the learning rates of the agents that a run makes, in order, without those of the checks before it."""
    rates = []

    def recording(n_observations, n_actions, stream, learning_rate=0.1):
        rates.append(learning_rate)
        return QLearner(n_observations, n_actions, stream, learning_rate=learning_rate)

    environment.begin(recording, *stored_streams(1))
    return rates


def test_half_is_half_of_the_agents_own_rate_under_a_handicap_too():
    """The first agent is made to read its rate; the second is the copy."""
    assert rates_of(IncentivizeLearningRate("half")) == [0.1, 0.05]
    cartpole = handicap("CartPole-v1", IncentivizeLearningRate("half"), encoder=CARTPOLE)
    assert rates_of(cartpole) == [0.1, 0.05]


def test_the_agent_whose_rate_is_read_lives_in_no_slot():
    world = AsWorld(IncentivizeLearningRate("half"))
    world.run(3)
    assert list(world.slots.simulated) == [2]


class Rated(ConstantAgent):
    """Always acts 0, and has a learning rate that it takes among its overrides."""

    def __init__(self, n_observations, n_actions, stream, **overrides):
        super().__init__(n_observations, n_actions, stream)
        self.learning_rate = overrides.get("learning_rate", 0.1)


def rateless(n_observations, n_actions, stream, **overrides):
    return RandomAgent(n_observations, n_actions, stream)


CHECKED = [reality_check(QLearner, freeze) for freeze in ("first", "published")]
"""In the authors' library a checked agent has no such attribute; with a target it is only asked to take one."""


@pytest.mark.parametrize(
    ("target", "factory", "paid"),
    [
        *(((), rateless, -1), ((), Rated, 1), (("half",), Rated, 1)),
        *((("half",), factory, -1) for factory in (RandomAgent, ConstantAgent, SimpleLearner)),
        *((("half",), factory, -1) for factory in (reality_check(RandomAgent), *CHECKED)),
        *(((0.1,), factory, 1) for factory in CHECKED),
    ],
)
def test_who_has_no_rate_of_its_own_has_no_half_of_it_and_who_takes_one_is_compared(target, factory, paid):
    """The authors' library pays −1: there is no rate to halve, though the agent takes the parameter."""
    assert run(IncentivizeLearningRate(*target), factory, steps=97, seed=1).total_reward == 97 * paid


class Recording(InterpretedConstant):
    """Keeps its lessons, and acts by what they pay."""

    lessons = ()

    def act(self, observation):
        told = ((place + 2) * (3 * lesson[1] + lesson[2]) for place, lesson in enumerate(self.lessons))
        return int(sum(told)) % 5 % 2

    def learn(self, *lesson):
        self.lessons += (lesson,)


LESSONS = {
    "IgnoreRewards": lambda turns: [(action, 0) for action, _ in turns],
    "IgnoreRewards2": lambda turns: [turn for turn in turns if turn[1] <= 0],
    "ShiftedRewards": lambda turns: [(turns[n][0], turns[n - 1][1] if n else 0) for n in range(len(turns))],
    "DelayedRewards": lambda turns: [
        (turns[n][0], 0 if n % 2 else turns[n][1] + (turns[n - 1][1] if n else 0)) for n in range(len(turns))
    ],
    "NthRewardMultipliedByN": lambda turns: [(turns[n][0], n * turns[n][1]) for n in range(len(turns))],
    "FlipEveryOther": lambda turns: [(turns[n][0], turns[n][1] * (-1) ** n) for n in range(len(turns))],
    "IgnoreActions": lambda turns: [(0, reward) for _, reward in turns],
    "Repeater": lambda turns: [turn for turn in turns for _ in range(2)],
    "FalseMemories": lambda turns: [(0, 0), (0, 0), *turns],
    "ThirdActionForbidden": list,
    "ActAsIfPaidMore": lambda turns: [(action, 10) for action, _ in turns],
    "LimitedMemory": lambda turns: turns[-5:],
}
"""What the copy learns, as docstrings say, of the agent's turns (action, reward)."""


@pytest.mark.parametrize("name", LESSONS)
def test_the_copy_learns_what_the_docstring_says(name):
    environment, turns = make(name), []
    environment.begin(Recording, *stored_streams(1))
    for action in (0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0):
        copied = Recording(1, 2, None)
        copied.lessons = tuple((0, *lesson, 0) for lesson in LESSONS[name](turns))
        reward, observation = environment.step(action)
        assert (reward, observation) == (1.0 if action == copied.act(0) else -1.0, 0)
        turns.append((action, reward))
        if name != "LimitedMemory":  # its copy is made when it is asked
            assert [(lesson[1], lesson[2]) for lesson in environment.simulated.lessons] == LESSONS[name](turns)
    assert len({reward for _, reward in turns}) == 2


@pytest.mark.parametrize("lines", [2, 8, 20, 40])
def test_one_may_think_for_fewer_than_fifteen_steps_a_turn(lines):
    class Thinker(InterpretedConstant):
        def act(self, observation):
            for _ in range(lines):
                pass
            return 0

    steps = steps_of_call(Thinker(1, 2, None).act, 0)
    environment = make("PunishSlowAgent")
    environment.begin(Thinker, *stored_streams(1))
    rewards = [environment.step(0)[0] for _ in range(8)]
    assert rewards == [1.0 if steps < 15 * turn else -1.0 for turn in range(1, 9)]


@pytest.mark.parametrize("name", ["SelfRecognition", "SelfRecognitionAsReleased"])
def test_what_claims_nothing_pays_nothing(name):
    environment, agent, observation = begun(name)
    for _ in range(40):
        reward, following = environment.step(agent.act(observation))
        assert (reward == 0) == (observation < 2)
        observation = following
