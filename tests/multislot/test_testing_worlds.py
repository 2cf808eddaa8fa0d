"""Every check lets a good world or environment pass and refuses one that is broken on purpose, saying how."""

import random

import numpy as np
import pytest

from multislot import EndlessStream, Percept, Turn
from multislot.engine.stream import WORLD_FOUNDER
from multislot.errors import SettingError
from multislot.testing import ConformanceError, check_environment, check_world
from multislot.zoo import DynamicView
from tests.multislot.bustle import Bustle


class Walk(Bustle):
    """A good world: one agent, whose observations are drawn from the world's stream."""

    def start(self, seed):
        super().start(seed)
        return {1: Percept(0)}

    def step(self, actions):
        return Turn({1: [1]}, {1: Percept(1 + int(3 * self.draw()), float(actions[1]))})


class Greeting(Walk):
    def start(self, seed):
        super().start(seed)
        return {1: Percept(2)}


class Silent(Walk):
    def step(self, actions):
        return Turn({1: [1]}, {1: Percept(0)})


class Gambling(Walk):
    def draw(self):
        return random.random()


class NeverTidies(Walk):
    drawn = 0

    def start(self, seed):
        self.stream = EndlessStream(seed, WORLD_FOUNDER)
        return {1: Percept(0)}


class SharesItsGenerator(Walk):
    """Its copy draws from the same generator: a planner would use up the real world's numbers."""

    def start(self, seed):
        self.generator = np.random.default_rng(seed)
        return {1: Percept(0)}

    def draw(self):
        return self.generator.random()

    def copy(self):
        copied = SharesItsGenerator()
        copied.generator = self.generator
        return copied


class CopiesOnlyItsBeginning(Walk):
    def copy(self):
        copied = CopiesOnlyItsBeginning()
        copied.stream, copied.drawn = self.stream, 0
        return copied


class KeepsALambda(Walk):
    def start(self, seed):
        self.greet = lambda: None
        return super().start(seed)


class ForgetsInPickles(Walk):
    def __getstate__(self):
        return {**vars(self), "drawn": 0}

    def __deepcopy__(self, memo):
        copied = ForgetsInPickles()
        copied.stream, copied.drawn = self.stream, self.drawn
        return copied


class TwoMinds(Walk):
    def step_many(self, slots, actions):
        return Turn({1: [1]}, {1: Percept(1 + int(3 * self.draw()), float(actions[0]) + 1)})


class CopiesFromNowhere(Walk):
    def step(self, actions):
        return Turn({2: [1]}, {1: Percept(1)})


class StartsWithNothing(Walk):
    def start(self, seed):
        return None


class Alternates(Walk):
    """Observes 1 and 2 in turn, and does not reset in `start`."""

    drawn = 0

    def start(self, seed):
        return {1: Percept(0)}

    def step(self, actions):
        self.drawn += 1
        return Turn({1: [1]}, {1: Percept(1 + self.drawn % 2)})


class Ransacking(Walk):
    """Empties the actions that it receives, which belong to it."""

    def step(self, actions):
        turn = super().step(actions)
        actions.clear()
        return turn


def test_a_good_world_passes():
    check_world(Walk)
    check_world(Ransacking)
    check_world(Greeting, starts_empty=False)


@pytest.mark.parametrize(
    ("world", "message"),
    [
        (Greeting, "slot 1 first observes 2; the first observation is λ, index 0"),
        (Silent, "slot 1 observes 0 at step 1; 0 is reserved for λ"),
        (Gambling, r"two worlds started with the same seed differ; .* \(they differ from step \d+ on\)"),
        (NeverTidies, r"a world started again with the same seed differs; start\(\) must set everything"),
        (
            SharesItsGenerator,
            "a world copied during a run and given the same actions has another future; copy everything",
        ),
        (CopiesOnlyItsBeginning, "a world copied during a run and given the same actions has another future"),
        (KeepsALambda, "KeepsALambda cannot be pickled"),
        (ForgetsInPickles, "a world read back from a pickle has another future"),
        (TwoMinds, r"step_many\(\) and step\(\) answer the same actions differently"),
        (CopiesFromNowhere, "the world breaks the protocol: step 1, slot 2: the world copies from a slot that holds"),
        (StartsWithNothing, "the world breaks the protocol: the world starts with no occupied slot"),
        (Alternates, r"a world started again with the same seed differs; start\(\) must set everything"),
    ],
)
def test_broken_worlds_are_refused(world, message):
    with pytest.raises(ConformanceError, match=message):
        check_world(world)


def test_what_is_asked_is_checked_and_the_largest_seed_passes():
    check_world(Walk, seed=2**64 - 1)
    for asked, message in (({"seed": -1}, "^got seed=-1; expected"), ({"steps": 0}, "^got steps=0; expected")):
        with pytest.raises(SettingError, match=message):
            check_world(Walk, **asked)


def test_a_world_that_notices_its_copies_is_refused():
    class Haunted(Walk):
        """Every change of a copy changes the original too."""

        original = None

        def copy(self):
            copied = Haunted()
            copied.stream, copied.drawn, copied.original = self.stream, self.drawn, self
            return copied

        def draw(self):
            if self.original is not None:
                self.original.drawn += 1
            return super().draw()

    with pytest.raises(ConformanceError, match="a world notices what happens to its copy"):
        check_world(Haunted)


class Gamble(DynamicView):
    """Its rewards do not follow from the seed."""

    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, {name: random.random() for name in rewards}, *rest


class HidesTheNewborn(DynamicView):
    def step(self, actions):
        observations, *rest = super().step(actions)
        return {name: seen for name, seen in observations.items() if name in actions}, *rest


class Resurrects(DynamicView):
    """Names occupants by their slots."""

    def _name(self, occupant):
        return f"copy_{occupant.slot}"


class NewSpaces(DynamicView):
    def action_space(self, agent):
        return type(super().action_space(agent))(2)


class OutOfSpace(DynamicView):
    def step(self, actions):
        observations, *rest = super().step(actions)
        return dict.fromkeys(observations, np.int64(99)), *rest


class KeepsTheDead(DynamicView):
    def step(self, actions):
        answer = super().step(actions)
        self.agents = list(answer[0])
        return answer


class Restarts(DynamicView):
    """Copying it resets it, since the copy is made from its arguments."""

    def __deepcopy__(self, memo):
        copied = Restarts(Bustle(), max_cycles=20)
        copied.reset(seed=0)
        copied.action_space("copy_0").seed(0)
        return copied


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (Gamble, "two environments with the same seed differ at step 1: rewards of copy_0"),
        (HidesTheNewborn, "the observations hold .*; expected all that acted or were born"),
        (Resurrects, "had finished and returns; give newborn agents new names|all that acted or were born"),
        (NewSpaces, "copy_0 has a new action space at every call, which cannot be seeded"),
        (OutOfSpace, r"copy_\d observes .*99.*, which is not in its observation space"),
        (KeepsTheDead, r"copy_\d has finished and is still among the agents"),
        (Restarts, "a copied environment has another future at step 1: "),
    ],
)
def test_broken_environments_are_refused(view, message):
    with pytest.raises(ConformanceError, match=message):
        check_environment(lambda: view(Bustle(spawning=True), max_cycles=20), seed=1)
