"""Subjects that a profile can be made of: scripts that follow a theory, and learners that live through the questions.

Language models are in `scenarios.profile.language`, since Inspect is an extra.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from extenv import BATTERY, SLOW, compare, measure, reality_check
from multislot import run
from multislot.agents import A2C, DQN, PPO, ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.checks import checked_import
from multislot.engine.agent import AgentFactory
from multislot.engine.factories import check_factory
from multislot.errors import SettingError, UnknownNameError
from scenarios.lab.rounds import Episodic, Rounds
from scenarios.profile.judging import BAYES, MOST_LIKELY, OWN, PESSIMISMS, PESSIMIST, THOMPSON
from scenarios.profile.profiling import EnvironmentGain, SelfReflection, Subject
from scenarios.profile.questions import BIGGEST, PAY, RIGHT, SUM, VALUES, Answer, Counts, Question, prompts_of

SCRIPTED = "scripted:"
RANDOM, LETTER = "random", "letter"
CARING, VALUE = "caring", "value"
ROUNDS = 600
LAST = 100
"""The last rounds, in which choices are read."""
STEPS, SEEDS = 500, 5
"""Of the lives that show self-reflection."""
LIFE_DAYS = 3
UNDERSTANDS = 10
"""By how many coins a script prefers the right answer to a question of comprehension."""
COUNTS_OF_LEARNERS = Counts(competence=24, identity=96, care=48, caution=48, learning=8, comprehension=0)
"""Each question is a life."""


@dataclass(frozen=True)
class Scripted(Subject):
    """A script that chooses by known theories.

    Attributes:
        identity: its theory of its future; ``"random"`` and ``"letter"`` choose so in every part.
        caring: its caring coefficient α, by the criterion "value".
        caution: its theory in questions on caution.
    """

    identity: str = SUM
    caring: Fraction = Fraction(0)
    caution: str = BAYES
    sharpness: float = 1.0

    @property
    def runtime(self) -> dict[str, Any]:
        return {"sharpness": self.sharpness}

    def answer(self, questions: Sequence[Question], seed: int) -> list[Answer]:
        """Draw a choice for each question, the same under both letterings; by letters, the first in the alphabet."""
        rng = random.Random(seed)
        if self.identity == LETTER:
            letters = [[prompt.letters for prompt in pair] for pair in prompts_of(questions, seed)]
            return [(float(a[1] < a[0]), float(b[1] < b[0])) for a, b in letters]
        if self.identity == RANDOM:
            return [(float(rng.random() < 0.5), float(rng.random() < 0.5)) for _ in questions]
        choices = [float(rng.random() < self.probability(question)) for question in questions]
        return [(choice, choice) for choice in choices]

    def probability(self, question: Question) -> float:
        gains = question.gains
        if question.part == "caution" and self.caution == THOMPSON:
            models = zip(question.numbers["weights"], question.numbers["asking_gains"], strict=True)  # type: ignore[arg-type]
            return float(sum(weight * expit(self.sharpness * gain) for weight, gain in models))
        gain = {
            "competence": lambda: gains[PAY],
            "comprehension": lambda: UNDERSTANDS * gains[RIGHT],
            "identity": lambda: gains[self.identity],
            "care": lambda: gains[OWN] + float(self.caring) * gains[VALUE],
            "caution": lambda: gains[self.caution],
            "learning": lambda: 0.0,  # a script does not learn
        }[question.part]()
        return float(expit(self.sharpness * gain))


@dataclass(frozen=True)
class Learner(Subject):
    """Agents that live through each question for many rounds and then choose.

    Every question has a fresh agent. After a round, the memory of one of its survivors, drawn evenly, goes on.

    Attributes:
        factory: makes the agents.
        settings: of the factory, for the card.
    """

    factory: AgentFactory
    settings: Mapping[str, Any] = field(default_factory=dict)
    days: ClassVar[int] = LIFE_DAYS
    reads: ClassVar[bool] = False
    counts: ClassVar[Counts] = COUNTS_OF_LEARNERS

    @property
    def runtime(self) -> dict[str, Any]:
        return {"rounds": ROUNDS, "days": self.days, **self.settings}

    def answer(self, questions: Sequence[Question], seed: int) -> list[Answer]:
        """The share of the second action in the last rounds of each life."""
        seeds = np.random.SeedSequence(seed).generate_state(len(questions)).tolist()
        return [(share, share) for share in map(self._share, questions, seeds)]

    def reflect(self) -> SelfReflection:
        """Measure the agents, and their reality checks with the same seeds."""
        environments = [name for name in BATTERY if name not in SLOW]
        lives = partial(measure, steps=STEPS, seeds=SEEDS, environments=environments, check_sharing=False)
        compared = compare(lives(reality_check(self.factory)), lives(self.factory))
        whole, *rows = (
            EnvironmentGain(one.environment, one.difference, (one.t_low, one.t_high))
            for one in (compared.overall, *compared.by_environment)
        )
        return SelfReflection(whole.gain, whole.interval, tuple(rows))

    def _share(self, question: Question, seed: int) -> float:
        length = self.days + question.asked_at
        world = Rounds(question.make_kernel(), length, "any survivor", pause=True)
        factories: dict[int, AgentFactory] = {1: lambda *sizes: Episodic(self.factory(*sizes))}
        trace = run(world, factories, ROUNDS * (length + 1), seed, check_sharing=False)
        asked = range((ROUNDS - LAST) * (length + 1) + question.asked_at, ROUNDS * (length + 1), length + 1)
        chosen = [action for step in asked for action in trace.actions[step].values()]
        return sum(chosen) / len(chosen)


LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (
        Learner("random", RandomAgent),
        Learner("constant", ConstantAgent),
        Learner("simple", SimpleLearner),
        Learner("naive", NaiveLearner),
        Learner("q-learner", QLearner),
        # The defaults explore for 10,000 steps (DQN) and learn every 2,048 (PPO): longer than a life here.
        Learner("dqn", partial(DQN, exploration_fraction=0.01), {"exploration_fraction": 0.01}),
        Learner("a2c", A2C),
        Learner("ppo", partial(PPO, n_steps=64), {"n_steps": 64}),
    )
}
IDENTITIES_BY_NAME = {**{value: value for value in VALUES}, SUM: SUM, "biggest": BIGGEST}
SCRIPTS = (*IDENTITIES_BY_NAME, RANDOM, LETTER, BAYES, MOST_LIKELY, THOMPSON, f"{CARING}=1/2", f"{PESSIMIST}=.9")


def make_script(name: str, sharpness: float = 1.0) -> Scripted:
    """The scripted subject of a name: a theory of identity, ``caring=1/2``, ``pessimist=.9``, and so on."""
    key, equals, text = name.partition("=")
    subject = Scripted(SCRIPTED + name, sharpness=sharpness)
    if name in IDENTITIES_BY_NAME:
        return replace(subject, identity=IDENTITIES_BY_NAME[name])
    if name in (RANDOM, LETTER):
        return replace(subject, identity=name, sharpness=0.0)
    if name in (BAYES, MOST_LIKELY, THOMPSON):
        return replace(subject, caution=name)
    if not equals or key not in (CARING, PESSIMIST):
        raise UnknownNameError("scripted subject", name, SCRIPTS)
    try:
        number = Fraction(text)
    except (ValueError, ZeroDivisionError):
        number = Fraction(-1)
    if number < 0:
        raise SettingError(f"got {SCRIPTED}{name}; expected a number from 0 on after '=', such as 1/2 or .9")
    if key == CARING:
        return replace(subject, caring=number)
    if float(number) not in PESSIMISMS:
        raise SettingError(f"got {SCRIPTED}{name}; expected a pessimism from 0 to 0.99 with at most two decimals")
    return replace(subject, caution=f"{PESSIMIST}={float(number):g}")


def find_subject(name: str, max_tokens: int | None = None) -> Subject:
    """The subject of a name, see ``multislot profile --help``; `max_tokens` limits a language model's answers."""
    if name.startswith(SCRIPTED):
        return make_script(name.removeprefix(SCRIPTED))
    if name in LEARNERS:
        return LEARNERS[name]
    if "/" in name or name.startswith("llama:"):
        from scenarios.profile.language import ModelSubject  # Inspect is an extra

        return ModelSubject(name, max_tokens=max_tokens)
    if ":" in name:
        factory: AgentFactory = checked_import("subject", name)
        check_factory(factory)
        return Learner(name, factory)
    raise UnknownNameError("subject", name, [*LEARNERS, *(SCRIPTED + script for script in SCRIPTS)])
