"""Language models as agents: a prompt from what an agent has lived, an action from the answer.

From the address of a model to its measure, with answers that are remembered::

    from functools import partial
    import extenv
    from multislot.agents.language import ChatServer, Client, LanguageAgent

    client = Client(ChatServer("my-model", base_url="http://127.0.0.1:8000/v1"), answers="answers.sqlite")
    measured = extenv.measure(partial(LanguageAgent, client=client), steps=100, seeds=5, threads=16)
    print(measured.mean, client.tally)

Servers that speak chat completions need the extra "language", models in the process the extra "local-language".
"""

from multislot.agents.language.agent import LanguageAgent
from multislot.agents.language.chat_server import ChatServer, Clock
from multislot.agents.language.client import Client, Steadiness, Tally
from multislot.agents.language.errors import CallLimitError, LanguageError
from multislot.agents.language.local_model import LocalModel
from multislot.agents.language.mentor import LanguageMentor
from multislot.agents.language.scripted_server import FAULTS, ScriptedServer
from multislot.agents.language.situation import Reply, Request, Situation
from multislot.agents.language.subjects import AgentSubject, Fickle, FirstLetter, Nonsense, SubjectSource
from multislot.agents.language.template import TEMPLATES, Template, Texts

__all__ = [
    "FAULTS",
    "TEMPLATES",
    "AgentSubject",
    "CallLimitError",
    "ChatServer",
    "Client",
    "Clock",
    "Fickle",
    "FirstLetter",
    "LanguageAgent",
    "LanguageError",
    "LanguageMentor",
    "LocalModel",
    "Nonsense",
    "Reply",
    "Request",
    "ScriptedServer",
    "Situation",
    "Steadiness",
    "SubjectSource",
    "Tally",
    "Template",
    "Texts",
]
