"""A language model as a mentor: the one who acts when the pessimistic agent defers (Cohen and Hutter 2020)."""

from typing import TypeAlias

from multislot.agents.language.agent import PLAIN, LanguageAgent
from multislot.agents.language.model import LanguageModel
from multislot.agents.language.template import Template
from multislot.bayes.models import PerceptKey
from multislot.checks import checked_index
from multislot.engine.stream import EndlessStream

FOUNDER = 2
"""The slot of mentors in `multislot.bayes.MentoredWorld`."""
Summary: TypeAlias = tuple[LanguageAgent, int]
"""What the mentor has seen: an agent that was told all of it and learns no more, and the observation now."""


class LanguageMentor:
    """A mentor that does what a language model answers; it is told every turn, whoever acted.

    Args:
        model: the language model.
        n_observations: number of observations of the world.
        n_actions: number of actions; deferring is not one of them.
        template: how situations are told.
        start: the first observation where nothing is observed first.
        seed: what the letters of actions and the model's seed follow from.
    """

    def __init__(
        self,
        model: LanguageModel,
        n_observations: int,
        n_actions: int,
        template: Template = PLAIN,
        start: int = 0,
        seed: int = 0,
    ) -> None:
        self.agent = LanguageAgent(n_observations, n_actions, EndlessStream(seed, FOUNDER), model, template)
        self.n_observations, self.n_actions = n_observations, n_actions
        self.start = checked_index("start", start, n_observations)

    def begin(self) -> Summary:
        """The summary at the start."""
        return self.agent, self.start

    def begin_at(self, observation: int) -> Summary:
        """The summary where `observation` is observed first."""
        return self.agent, checked_index("first observation", observation, self.n_observations)

    def choose(self, summary: Summary, chance: float) -> int:
        """Return the action that the model answers; `chance` is not used, since answers are remembered."""
        agent, observation = summary
        return agent.act(observation)

    def after(self, summary: Summary, action: int, percept: PerceptKey) -> Summary:
        """The summary one step later."""
        (agent, observation), (following, reward) = summary, percept
        informed = agent.copy()
        informed.learn(observation, action, reward, following)
        return informed, following
