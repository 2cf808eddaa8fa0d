"""A language model as an agent: its situation becomes a prompt, its answer an action.

"In order to get some empirical insight into the self-awareness, or lack thereof, of an NLP system …, one could twist
that system into an RL agent (by means of template programming) and see how well said RL agent performs in extended
environments" (Alexander 2022, conclusion).
"""

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from math import exp, log

from multislot.agents.deep import choose_seed
from multislot.agents.language.model import LanguageModel
from multislot.agents.language.situation import Count, Situation, Transition
from multislot.agents.language.template import Letters, Template
from multislot.checks import checked_float, checked_index, checked_instance, checked_stream, whole
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream

PLAIN = Template.load("plain")
SMALLEST = 1e-300
"""A smaller probability counts as this one, because 0 has no logarithm."""


class LanguageAgent(Agent):
    """An agent that does what a language model answers; ``partial(LanguageAgent, model=…, template=…)`` is a factory.

    Acting never changes it, learning appends to what it is told. Agents with the same history act alike, since an
    answer is remembered (`LanguageModel`). Where the model gives log-probabilities, they are averaged over two
    letterings, and the action is drawn from them by the stream at the number of turns lived. Otherwise its text
    counts; where that cannot be read, the action is drawn at random in the same way.

    Args:
        n_observations: number of observations.
        n_actions: number of actions.
        stream: what the letters of actions, the model's seed, and random actions follow from.
        model: the language model, see `inspect_model`.
        template: how situations are told; `Template.load("plain")` by default.
        learning_rate: if given, the model is told that this is its learning rate.
    """

    asking_costs = True
    """Whether acting costs time or money, so that agents are not asked only to be checked."""

    def __init__(
        self,
        n_observations: int,
        n_actions: int,
        stream: Stream,
        model: LanguageModel | None = None,
        template: Template = PLAIN,
        learning_rate: float | None = None,
    ) -> None:
        remedy = "give partial(LanguageAgent, model=inspect_model(…))"
        self.model = checked_instance("model", model, LanguageModel, remedy)
        self.template = checked_instance("template", template, Template)
        self.n_observations, self.n_actions = whole("n_observations", n_observations), whole("n_actions", n_actions)
        self.stream = checked_stream(stream)
        self.learning_rate = None if learning_rate is None else checked_float("learning_rate", learning_rate, 0, 1)
        self.seed = choose_seed(stream, published=True)
        template.letters_of(n_actions, self.seed)
        self.latest: list[Transition] = []
        self.earlier: dict[tuple[int, int], Count] = {}
        self.learned = 0

    def situation(self, observation: int) -> Situation:
        """Return all that the agent knows, having observed `observation` now."""
        counts = tuple(self.earlier[key] for key in sorted(self.earlier))
        return Situation(
            self.n_observations,
            self.n_actions,
            checked_index("observation", observation, self.n_observations),
            tuple(self.latest),
            counts,
            self.learning_rate,
        )

    def act(self, observation: int) -> int:
        """Return the action that the model answers."""
        situation, drawn = self.situation(observation), float(self.stream.at(self.learned))
        request = self.template.request(situation, self.seed)
        chances = self.model.ask(request).chances
        if chances is None:
            letter = self.model.choose(request, self.template.second_try, self.template.tries)
            if letter is None:
                return int(drawn * self.n_actions)
            return self.template.letters_of(self.n_actions, self.seed).index(letter)
        other: Letters = "drawn" if self.template.letters == "exchanged" else "exchanged"
        averaged = [0.0] * self.n_actions
        for template in (self.template, replace(self.template, letters=other)):
            request = template.request(situation, self.seed)
            chances = self.model.ask(request).chances or (1 / self.n_actions,) * self.n_actions
            for action, letter in enumerate(template.letters_of(self.n_actions, self.seed)):
                averaged[action] += log(max(chances[request.letters.index(letter)], SMALLEST)) / 2
        weights = [exp(number) for number in averaged]
        ends = [*accumulate(weights)]
        return min(bisect_right(ends, drawn * ends[-1]), self.n_actions - 1)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Append a turn to what the agent is told."""
        self._append(
            observation, action, reward, checked_index("next_observation", next_observation, self.n_observations)
        )

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Append a turn after which something ended."""
        self._append(observation, action, reward, None)

    def _append(self, observation: int, action: int, reward: float, following: int | None) -> None:
        """Remember a turn; the oldest that is no longer shown is counted instead."""
        seen = checked_index("observation", observation, self.n_observations)
        done = checked_index("action", action, self.n_actions)
        self.latest.append(Transition(seen, done, checked_float("reward", reward), following))
        self.learned += 1
        if len(self.latest) > self.template.shown:
            old = self.latest.pop(0)
            key = old.observation, old.action
            before = self.earlier.get(key, Count(*key, 0, 0.0))
            self.earlier[key] = Count(*key, before.times + 1, before.reward + old.reward)
