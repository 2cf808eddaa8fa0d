"""Language models as agents: a prompt from what an agent has lived, an action from the answer.

Inspect asks the model (its providers, limits, cache and logs)::

    from functools import partial
    import extenv
    from multislot.agents.language import LanguageAgent
    from multislot.agents.language.inspect_models import inspect_model

    model = inspect_model("openai/gpt-4o-mini")
    print(extenv.measure(partial(LanguageAgent, model=model), steps=100, seeds=5, threads=16).mean)

`multislot.agents.language.inspect_models` needs the extra "language", GGUF files "local-language".
"""

from multislot.agents.language.agent import LanguageAgent
from multislot.agents.language.model import LanguageModel, UnreadableAnswersWarning
from multislot.agents.language.situation import Reply, Request, Situation
from multislot.agents.language.template import TEMPLATES, Template, Texts

__all__ = [
    "TEMPLATES",
    "LanguageAgent",
    "LanguageModel",
    "Reply",
    "Request",
    "Situation",
    "Template",
    "Texts",
    "UnreadableAnswersWarning",
]
