"""Language models that are known policies: they read what an agent has lived out of the prompt."""

from dataclasses import dataclass
from functools import partial

from multislot.agents import QLearner
from multislot.agents.language import LanguageAgent, LanguageModel, Reply, Template
from multislot.engine.stream import published_streams
from tests.multislot.agents.language.prompts import situation_in

PLAIN = Template.load("plain")
NONSENSE = "I would rather not say which one, but it was a pleasure to think about it."


def published_stream(seed):
    return published_streams(seed)[0]


@dataclass(frozen=True)
class behind_the_prompt:  # noqa: N801  # called like the functions beside it, but it must be pickled
    """Answers with the letter of what an agent does after the history in the prompt."""

    factory: object
    template: Template = PLAIN

    def __call__(self, request):
        situation = situation_in(self.template, request.messages, request.seed)
        rate = {} if situation.learning_rate is None else {"learning_rate": situation.learning_rate}
        stream = published_stream(request.seed)
        agent = self.factory(situation.n_observations, situation.n_actions, stream, **rate)
        for turn in situation.latest:
            if turn.following is None:
                agent.learn_last(turn.observation, turn.action, turn.reward)
            else:
                agent.learn(turn.observation, turn.action, turn.reward, turn.following)
        letters = self.template.letters_of(situation.n_actions, request.seed)
        return Reply(letters[agent.act(situation.observation)])


def nonsense(request):
    return Reply(NONSENSE)


def first_letter(request):
    return Reply(min(request.letters))


def factory_of(answer, template=PLAIN):
    return partial(LanguageAgent, model=LanguageModel(answer, "fake"), template=template)


def q_factory(template=PLAIN):
    return factory_of(behind_the_prompt(QLearner, template), template)


def made(factory, n_observations=2, n_actions=2, seed=1):
    return factory(n_observations, n_actions, published_stream(seed))


class Noted:
    """Notes what it is asked, and answers in turn."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def __call__(self, request):
        self.asked.append(request)
        said = self.answers[min(len(self.asked), len(self.answers)) - 1]
        return Reply(said(request) if callable(said) else said)
