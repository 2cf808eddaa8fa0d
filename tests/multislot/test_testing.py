"""Every check lets a good agent or world pass and refuses one that is broken on purpose, saying how."""

import dataclasses
import random

import pytest

from multislot import Agent, EndlessStream, run
from multislot.agents import ConstantAgent
from multislot.errors import SettingError
from multislot.exact import KernelWorld, UniversalWorld, copy, copy_delete, stay, teleport
from multislot.testing import ConformanceError, check_agent, check_world
from multislot.testing.agents import check_agent_copies, check_semi_determinism, compare, make_up_experience
from multislot.testing.worlds import _compare_traces
from tests.multislot.bustle import Bustle
from tests.multislot.engine.test_agent import TABULAR


@pytest.mark.parametrize("agent", TABULAR)
def test_our_agents_pass(agent):
    check_agent(agent)


@pytest.mark.parametrize(
    "make",
    [
        *(lambda kernel=kernel: KernelWorld(kernel()) for kernel in (stay, teleport, copy, copy_delete)),
        UniversalWorld,
        Bustle,
    ],
)
def test_our_worlds_pass(make):
    check_world(make, steps=8)


class Learner(Agent):
    """A good agent: acts by how much it has learned."""

    def __init__(self, n_observations, n_actions, stream):
        self.n_actions, self.learned = n_actions, [0]

    def act(self, observation):
        return (observation + sum(self.learned)) % self.n_actions

    def learn(self, observation, action, reward, next_observation):
        self.learned.append(int(2 * reward) + next_observation)


class Still(Agent):
    def __init__(self, n_observations, n_actions, stream):
        pass

    def act(self, observation):
        return 0


class Misspelled(Still):
    def lern(self, observation, action, reward, next_observation):
        """Never called."""


class Bare(Agent):
    def act(self, observation):
        return 0

    def learn(self, observation, action, reward, next_observation):
        """Learn nothing."""


class NoAgent:
    def __init__(self, n_observations, n_actions, stream):
        pass

    def act(self, observation):
        return 0


def test_an_agent_that_defines_no_learning_is_warned_about():
    with pytest.warns(UserWarning, match=r"Misspelled does not define learn\(.* did you misspell it as 'lern'"):
        check_agent(Misspelled)
    with pytest.warns(UserWarning, match="no harm if it is meant to be constant"):
        check_agent(Still)


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (Bare, r"the factory Bare.* expected factory\(n_observations, n_actions, stream"),
        (Learner(4, 3, EndlessStream(0, 1)), "got an agent, Learner; .* give its class"),
        (NoAgent, "the factory made an object of class NoAgent; expected a multislot.Agent: subclass it"),
    ],
)
def test_a_factory_is_refused_as_the_measure_refuses_it(factory, message):
    with pytest.raises((SettingError, ConformanceError), match=message):
        check_agent(factory)


def test_a_world_in_place_of_its_maker_is_refused():
    with pytest.raises(TypeError, match=r"give lambda: KernelWorld\(…\)"):
        check_world(KernelWorld(copy()))


class Restless(Learner):
    def act(self, observation):
        self.learned.append(1)
        return super().act(observation)


class Dice(Learner):
    def act(self, observation):
        return random.randrange(self.n_actions)


class CountsIdly(Learner):
    """Counts its questions but does not use the count."""

    asked = 0

    def act(self, observation):
        self.asked += 1
        return super().act(observation)


class CountsQuestions(CountsIdly):
    def learn(self, observation, action, reward, next_observation):
        self.learned.append(self.asked)


class CountsQuestionsModulo2(CountsQuestions):
    def learn(self, observation, action, reward, next_observation):
        self.learned.append(self.asked % 2)


class LearnsByDice(Learner):
    def learn(self, observation, action, reward, next_observation):
        self.learned.append(random.randrange(self.n_actions))


class Unreadable(Learner):
    def __reduce__(self):
        return int, ("no number",)


class OutOfRange(Learner):
    def act(self, observation):
        return self.n_actions


class Fractional(Learner):
    def act(self, observation):
        return 0.0


class IgnoresItsSeed(Learner):
    """Its initial weights are not from the stream."""

    def __init__(self, n_observations, n_actions, stream):
        super().__init__(n_observations, n_actions, stream)
        self.learned.append(random.random())

    def act(self, observation):
        return int(sum(self.learned) * self.n_actions) % self.n_actions


class Forgetful(Learner):
    def copy(self):
        return Learner(0, self.n_actions, None)


class Unpicklable(Learner):
    def __init__(self, n_observations, n_actions, stream):
        super().__init__(n_observations, n_actions, stream)
        self.lambdas = lambda: None


class Generating(Learner):
    """Holds a generator, which cannot be copied, and so says how it is copied and pickled."""

    def __init__(self, n_observations, n_actions, stream, learned=(0,)):
        super().__init__(n_observations, n_actions, stream)
        self.generator, self.learned = (place for place in ()), list(learned)

    def copy(self):
        return Generating(0, self.n_actions, None, self.learned)

    def __reduce__(self):
        return Generating, (0, self.n_actions, None, self.learned)


class LosesItsMemory(Learner):
    def __reduce__(self):
        return Learner, (0, self.n_actions, None)

    def __deepcopy__(self, memo):
        copied = LosesItsMemory(0, self.n_actions, None)
        copied.learned = list(self.learned)
        return copied


@pytest.mark.parametrize(("steps", "questions"), [(60, 1305), (10, 379)])
def test_a_good_agent_passes_and_is_asked_as_often_as_documented(steps, questions, monkeypatch):
    asked, act = [], Learner.act
    monkeypatch.setattr(Learner, "act", lambda agent, observation: asked.append(observation) or act(agent, observation))
    check_agent(Learner, steps=steps)
    assert len(asked) == questions


def test_an_agent_that_says_how_it_is_copied_needs_no_deep_copy():
    check_agent(Generating)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Restless, r"act\(0\) answered \[.*\] with nothing learned in between; acting must not change the agent"),
        (Dice, r"act\(\d\) answered .* read random numbers from its stream"),
        (CountsQuestions, "after 1 learning steps an agent that was asked often acts differently"),
        (CountsQuestionsModulo2, r"after \d+ learning steps an agent that was asked often acts differently"),
        (LearnsByDice, "acts? differently"),
        (CountsIdly, "an agent's pickle differs after acting; acting must not change the agent"),
        (OutOfRange, r"act\(0\) returned 3; return an int from 0 to 2"),
        (Fractional, r"act\(0\) returned 0.0; return an int from 0 to 2"),
        (Forgetful, "a copy acts differently from what its original would have done; copy everything"),
        (Unpicklable, "Unpicklable cannot be pickled: .*; keep only what can"),
        (Unreadable, "Unreadable cannot be pickled: invalid literal for int.*; keep only what can"),
        (LosesItsMemory, "an agent read back from a pickle acts differently; keep all its state"),
        (lambda *_: 3, "the factory made an object of class int; expected a multislot.Agent"),
    ],
)
def test_broken_agents_are_refused(agent, message):
    with pytest.raises(ConformanceError, match=message):
        check_agent(agent)


@pytest.mark.parametrize("generator_seed", range(20))
def test_an_agent_that_ignores_its_seed_hears_of_its_initial_weights(generator_seed):
    random.seed(generator_seed)
    with pytest.raises(ConformanceError, match="already act differently before anything is learned; take initial"):
        check_agent(IgnoresItsSeed)


def test_agents_unlike_though_trained_alike_are_refused():
    class Numbered(Learner):
        made = 0

        def __init__(self, n_observations, n_actions, stream):
            super().__init__(n_observations, n_actions, stream)
            Numbered.made += 1
            self.number = Numbered.made

        def act(self, observation):
            return (observation + self.number) % self.n_actions

    with pytest.raises(ConformanceError, match="two agents made and trained in the same way act differently"):
        check_semi_determinism(lambda: Numbered(3, 3, EndlessStream(1, 1)), make_up_experience(3, 20, 1))


def test_originals_that_notice_their_copies_are_refused():
    class Linked(Learner):
        """Its copies tell it what they learn."""

        parent = None

        def copy(self):
            copied = Linked(0, self.n_actions, None)
            copied.learned, copied.parent = list(self.learned), self
            return copied

        __deepcopy__ = None

        def learn(self, observation, action, reward, next_observation):
            super().learn(observation, action, reward, next_observation)
            if self.parent is not None:
                self.parent.learned.append(1)

    with pytest.raises(ConformanceError, match="its copy learns too"):
        check_agent(Linked)
    with pytest.raises(ConformanceError, match="the original acts differently after a copy has learned"):
        check_agent_copies(lambda: Linked(4, 3, None), make_up_experience(4, 60, 0))


def test_copies_that_notice_their_original_are_refused():
    class Dictating(Learner):
        """Tells its copies what it learns."""

        def __init__(self, n_observations, n_actions, stream):
            super().__init__(n_observations, n_actions, stream)
            self.copies = []

        def copy(self):
            copied = Dictating(0, self.n_actions, None)
            copied.learned = list(self.learned)
            self.copies.append(copied)
            return copied

        def learn(self, observation, action, reward, next_observation):
            super().learn(observation, action, reward, next_observation)
            for copied in self.copies:
                copied.learned.append(1)

    with pytest.raises(ConformanceError, match="its copy learns too"):
        check_agent(Dictating)
    with pytest.raises(ConformanceError, match="a copy acts differently after its original has learned"):
        check_agent_copies(lambda: Dictating(4, 3, None), make_up_experience(4, 60, 0))


def test_a_difference_names_the_step_and_both_actions():
    compare([0, 1, 2], [0, 1, 2], "same")
    for place in range(3):
        expected, got = [0, 1, 2], [0, 1, 2]
        got[place] += 5
        with pytest.raises(ConformanceError, match=rf"unlike \(step {place + 1}: action {place + 5}, not {place}\)"):
            compare(expected, got, "unlike")


@pytest.mark.parametrize("change", [-1, 1])
def test_traces_that_differ_name_the_first_step_in_which_they_do(change):
    trace = run(KernelWorld(copy_delete()), {1: ConstantAgent}, 4, 1)
    rewards = trace.reward.copy()
    rewards[trace.rows(2)] += change
    with pytest.raises(ConformanceError, match=r"unlike \(they differ from step 2 on\)"):
        _compare_traces(trace, dataclasses.replace(trace, reward=rewards), "unlike")
    longer = run(KernelWorld(copy_delete()), {1: ConstantAgent}, 4 + abs(change), 1)
    with pytest.raises(ConformanceError, match=r"unlike \(they differ from step 5 on\)"):
        _compare_traces(*((trace, longer)[::change]), "unlike")
