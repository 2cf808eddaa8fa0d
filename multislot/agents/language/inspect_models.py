"""Asks Inspect's models (https://inspect.aisi.org.uk): providers, keys, retries, limits, cache and logs are Inspect's.

Needs the extra "language".
"""

import asyncio
import threading
from math import exp, inf

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)

from multislot.agents.language import llama  # noqa: F401  # registers the provider of GGUF files
from multislot.agents.language.model import LanguageModel
from multislot.agents.language.situation import Reply, Request
from multislot.checks import refusal

__all__ = ["inspect_model"]

LARGEST_LOG_PROBABILITY = 0.01
"""Servers round; what is above is no logarithm of a probability."""
TOP_LOG_PROBABILITIES = 20
"""As many as the providers that give log-probabilities allow."""
LEAST_LETTERS = 1 / 20
"""The probability of all letters together, relative to the likeliest token, from which on they are the answer."""
MOCK = "mockllm/"
MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
"""Inspect's messages by who speaks."""


def inspect_model(
    model: str | Model,
    *,
    log_probabilities: bool = True,
    loop: asyncio.AbstractEventLoop | None = None,
) -> LanguageModel:
    """Return a language model for agents that asks a model of Inspect.

    Args:
        model: Inspect's name, such as ``"openai/gpt-4o"``, or its object, which may have settings such as
            ``GenerateConfig(max_tokens=500)``. By default answers have no limit, which reasoning models need, and a
            temperature of 0.
        log_probabilities: ask for log-probabilities of the letters; providers without them answer in text.
        loop: the running loop to ask in, inside a solver; by default a thread with a loop of its own.
    """
    asked = offline(get_model(model) if isinstance(model, str) else model)
    temperature = 0.0 if loop is None else None  # None is that of the evaluation
    if loop is None:
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()

    def answer(request: Request) -> Reply:
        messages: list[ChatMessage] = [MESSAGES[speaker](content=text) for speaker, text in request.messages]
        generated = generate_output(asked, messages, log_probabilities, request.seed, temperature)
        return make_reply(asyncio.run_coroutine_threadsafe(generated, loop).result(), request.letters)

    settings = asked.config.model_dump(exclude_none=True) | ({} if log_probabilities else {"log_probabilities": False})
    return LanguageModel(answer, ", ".join([str(asked), *(f"{name}={value}" for name, value in settings.items())]))


def offline(model: Model) -> Model:
    """Return the model; a mock model counts no tokens from now on, because Inspect would download a vocabulary."""

    async def count_no_tokens(*_: object) -> int:
        return 0

    if str(model).startswith(MOCK):
        model.api.count_tokens = count_no_tokens  # type: ignore[assignment]
    return model


async def generate_output(
    model: Model,
    messages: list[ChatMessage],
    log_probabilities: bool,
    seed: int | None = None,
    temperature: float | None = None,
) -> ModelOutput:
    """Ask a model. Inspect keeps answers for good, so a second run asks nothing; a mock model's are not kept.

    Args:
        model: its own temperature, if it has one, comes first.
        messages: to the model.
        log_probabilities: whether to ask for them.
        seed: of the provider, if it has one.
        temperature: of a model without one; None for that of Inspect's evaluation.

    Raises:
        ConnectionError: the provider gave no answer in time. Inspect would take a TimeoutError for an empty answer.
    """
    own = model.config.temperature
    config = GenerateConfig(
        temperature=temperature if own is None else own,
        seed=seed,
        logprobs=True if log_probabilities else None,
        top_logprobs=TOP_LOG_PROBABILITIES if log_probabilities else None,
    )
    cache = False if str(model).startswith(MOCK) else CachePolicy(expiry=None)
    try:
        return await model.generate(messages, config=config, cache=cache)
    except TimeoutError as error:
        raise ConnectionError(f"the provider of {model} gave no answer in time: {error}") from error


def make_reply(output: ModelOutput, letters: tuple[str, ...]) -> Reply:
    """Return an answer with the probabilities of the letters, where the provider gave log-probabilities.

    Letters below the likeliest tokens get the probability of the least likely one listed, which bounds theirs. If one
    other beginning, such as "I refuse", is more than 20 times as likely as all letters together, the text alone is the
    answer.
    """
    logprobs = output.choices[0].logprobs if output.choices else None
    tokens = logprobs.content[0].top_logprobs if logprobs and logprobs.content else None
    if not tokens:
        return Reply(output.completion)
    for token in tokens:
        if not -inf < token.logprob < LARGEST_LOG_PROBABILITY:
            remedy = "ask another model, or with log_probabilities=False"
            raise refusal("log-probability", token.logprob, f"a finite number of at most 0 from {output.model}", remedy)
    masses = {
        letter: sum(exp(token.logprob) for token in tokens if token.token.strip() == letter) for letter in letters
    }
    likely = [exp(token.logprob) for token in tokens]
    if sum(masses.values()) < LEAST_LETTERS * max(likely):
        return Reply(output.completion)
    least = min(likely)
    whole = sum(mass or least for mass in masses.values())
    return Reply(output.completion, tuple((mass or least) / whole for mass in masses.values()))
