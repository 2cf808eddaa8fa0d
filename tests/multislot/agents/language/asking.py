"""Clients with known subjects, and agents that use them."""

from functools import partial

from multislot.agents import QLearner
from multislot.agents.language import AgentSubject, Client, LanguageAgent, SubjectSource, Template
from multislot.agents.language.subjects import published_stream

PLAIN = Template.load("plain")


def client_of(subject, **settings):
    return Client(SubjectSource(subject), **settings)


def factory_of(subject, template=PLAIN, **settings):
    return partial(LanguageAgent, client=client_of(subject, **settings), template=template)


def q_factory(template=PLAIN, **settings):
    return factory_of(AgentSubject(QLearner, template), template, **settings)


def made(factory, n_observations=2, n_actions=2, seed=1):
    return factory(n_observations, n_actions, published_stream(seed))


class Noted:
    """A source that notes what it is asked, and answers as it is told: words, or an error to raise."""

    def __init__(self, *answers, name="noted", settings=()):
        self.answers, self.name, self.settings, self.asked = list(answers), name, dict(settings), []

    def ask(self, request):
        from multislot.agents.language import Reply

        self.asked.append(request)
        said = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(said, Exception):
            raise said
        return Reply(said(request) if callable(said) else said, 3, 1)
