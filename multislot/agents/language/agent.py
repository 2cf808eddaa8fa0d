"""A language model as an agent: its situation becomes a prompt, its answer an action.

"In order to get some empirical insight into the self-awareness, or lack thereof, of an NLP system …, one could twist
that system into an RL agent (by means of template programming) and see how well said RL agent performs in extended
environments" (Alexander 2022, conclusion).
"""

from typing import Any

from multislot.agents.deep import seed_of
from multislot.agents.language.client import Client
from multislot.agents.language.situation import Count, Situation, Transition
from multislot.agents.language.template import Template
from multislot.checks import checked_instance, checked_stream, number, refusal, whole
from multislot.engine.agent import Agent
from multislot.engine.stream import Stream

PLAIN = Template.load("plain")


class LanguageAgent(Agent):
    """An agent that does what a language model answers; ``partial(LanguageAgent, client=…, template=…)`` is a factory.

    Acting never changes it, learning appends to what it is told. Agents with the same history act alike, since an
    answer is remembered (`Client`). Where no answer can be read it acts at random, by its stream at the number of turns
    lived.

    Args:
        n_observations: how many observations there are.
        n_actions: how many actions.
        stream: what the letters of actions, the model's seed, and random actions follow from.
        client: asks the model.
        template: how situations are told; `Template.load("plain")` by default.
        learning_rate: if given, the model is told that this is its learning rate.

    Raises:
        SettingError: no client is given, or an argument is out of its domain.
    """

    asking_costs = True
    """Whether acting costs time or money, so that agents are not asked only to be checked."""

    def __init__(
        self,
        n_observations: int,
        n_actions: int,
        stream: Stream,
        client: Client | None = None,
        template: Template = PLAIN,
        learning_rate: float | None = None,
    ) -> None:
        if client is None:
            raise refusal("client", client, "a Client", "give partial(LanguageAgent, client=Client(ChatServer(…)))")
        self.client, self.template = (
            checked_instance("client", client, Client),
            checked_instance("template", template, Template),
        )
        self.n_observations, self.n_actions = whole("n_observations", n_observations), whole("n_actions", n_actions)
        self.stream = checked_stream(stream)
        self.learning_rate = None if learning_rate is None else float(number("learning_rate", learning_rate, 0, 1))
        self.seed = seed_of(stream, published=True)
        template.letters_of(n_actions, self.seed)
        self.latest: list[Transition] = []
        self.earlier: dict[tuple[int, int], Count] = {}
        self.learned = 0

    def situation(self, observation: int) -> Situation:
        """Return all that the agent knows, having observed `observation` now."""
        counts = tuple(self.earlier[key] for key in sorted(self.earlier))
        return Situation(
            self.n_observations, self.n_actions, int(observation), tuple(self.latest), counts, self.learning_rate
        )

    def act(self, observation: int) -> int:
        """Return the action that the model answers.

        Raises:
            LanguageError: the model does not answer, or would be asked too often.
        """
        request = self.template.request(self.situation(observation), self.seed)
        letter = self.client.choose(request, self.template.second_try, self.template.tries)
        if letter is None:
            return int(self.stream.at(self.learned) * self.n_actions)
        return self.template.letters_of(self.n_actions, self.seed).index(letter)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Append a turn to what the agent is told."""
        self._append(Transition(int(observation), int(action), float(reward), int(next_observation)))

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Append a turn after which something ended."""
        self._append(Transition(int(observation), int(action), float(reward), None))

    def _append(self, turn: Transition) -> None:
        """Remember a turn; the oldest that is no longer shown is counted instead."""
        self.learned += 1
        self.latest.append(turn)
        if len(self.latest) > self.template.shown:
            old = self.latest.pop(0)
            key = old.observation, old.action
            before = self.earlier.get(key, Count(*key, 0, 0.0))
            self.earlier[key] = Count(*key, before.times + 1, before.reward + old.reward)

    def copy(self) -> "LanguageAgent":
        """Return an agent that has learned the same and learns independently from now on; the client is shared."""
        copied: LanguageAgent = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.latest, copied.earlier = list(self.latest), dict(self.earlier)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "LanguageAgent":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self.__dict__)

    def native_state(self) -> dict[str, Any]:
        """Return what tells apart agents that have learned different things."""
        return {**self.__dict__, "client": repr(self.client), "template": repr(self.template)}


def _unpickled(cls: type[LanguageAgent], attributes: dict[str, Any]) -> LanguageAgent:
    agent: LanguageAgent = cls.__new__(cls)
    agent.__dict__.update(attributes)
    return agent
