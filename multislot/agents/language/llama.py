"""GGUF files in this process, as a provider of Inspect: ``xllamacpp/NAME`` with the model argument ``path``.

    inspect eval … --model xllamacpp/smollm2 -M path=SmolLM2.gguf

Needs the extra "local-language" (xllamacpp: llama.cpp, prebuilt).
"""

from pathlib import Path
from typing import Any

import anyio
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from multislot.errors import MissingExtraError, SettingError

CONTEXT = 4096
TOKENS = 100
"""The number of tokens with log-probabilities; large enough that the letters are among them."""
QUIET = -1
UNLIMITED = -1


@modelapi("xllamacpp")
class LlamaFile(ModelAPI):
    """A GGUF file."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  # as in Inspect's base class
        path: str = "",
        threads: int = 1,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if not Path(path).is_file():
            raise SettingError(f"got the model file {path!r}, which does not exist; expected a file in GGUF format")
        try:
            import xllamacpp  # an extra of its own
        except ImportError:
            raise MissingExtraError("a GGUF file", "local-language") from None
        parameters = xllamacpp.CommonParams()
        parameters.model.path, parameters.n_ctx, parameters.n_parallel = path, CONTEXT, 1
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
        parameters.verbosity = QUIET
        self.server, self.version, self.threads = xllamacpp.Server(parameters), str(xllamacpp.__version__), threads

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002  # Inspect's name
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,  # Inspect's name
    ) -> ModelOutput:
        """Answer a conversation; with log-probabilities only one token is computed."""
        body: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.text} for message in input],
            "seed": config.seed or 0,
            "temperature": config.temperature or 0.0,
            "max_tokens": 1 if config.logprobs else config.max_tokens or UNLIMITED,
            # A cached prefix is computed in other batches, which changes the last bits.
            "cache_prompt": False,
        }
        if config.logprobs:
            body |= {"logprobs": True, "top_logprobs": max(TOKENS, config.top_logprobs or 0)}
        answer = await anyio.to_thread.run_sync(self.server.handle_chat_completions, body)
        said, used = answer["choices"][0], answer["usage"]
        choice = {
            "message": ChatMessageAssistant(content=said["message"]["content"] or ""),
            "logprobs": said.get("logprobs"),
            "stop_reason": "stop" if said["finish_reason"] == "stop" else "max_tokens",
        }
        tokens = (used["prompt_tokens"], used["completion_tokens"], used["total_tokens"])
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice.model_validate(choice)],
            usage=ModelUsage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=tokens[2]),
        )

    @property
    def runtime(self) -> dict[str, Any]:
        """The version of the library and its number of threads."""
        return {"xllamacpp": self.version, "threads": self.threads}

    def max_connections(self) -> int:
        """One question at a time: the context is one conversation's."""
        return 1
