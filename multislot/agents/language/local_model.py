"""A language model in this process: any causal model that `transformers` loads, on a CPU or a GPU."""

import importlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from multislot.agents.language.errors import LanguageError
from multislot.agents.language.situation import Message, Reply, Request
from multislot.checks import number, refusal, whole
from multislot.errors import MissingExtraError

ANSWER = "Answer:"
"""What ends the prompt of a model that knows no conversations."""


@dataclass(frozen=True)
class LocalModel:
    """A model that is loaded in this process, when it is asked first; threads take turns.

    A model with a chat template is given the conversation by it, any other one the plain text. Where one of the letters
    has to be chosen (the forms ``"choice"`` and ``"log-probabilities"``), nothing is generated: the letter of the
    largest probability is the answer.

    Attributes:
        path: a folder with the model and its tokeniser, or a name on the Hugging Face hub.
        temperature: 0 takes the likeliest token.
        max_tokens: the longest answer.
        device: where it runs: ``"cpu"``, ``"cuda"``, …
        options: further arguments of ``AutoModelForCausalLM.from_pretrained``, such as ``{"dtype": "bfloat16"}``.

    Raises:
        SettingError: a number is out of its domain.
    """

    path: str
    temperature: float = 0.0
    max_tokens: int = 16
    device: str = "cpu"
    options: Mapping[str, Any] = field(default_factory=dict)
    _loaded: "_Loaded" = field(default_factory=lambda: _Loaded(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.path:
            raise refusal("path", self.path, "a folder or the name of a model")
        number("temperature", self.temperature, 0)
        whole("max_tokens", self.max_tokens)

    @property
    def name(self) -> str:
        """The model's name: its path."""
        return str(self.path)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that answers depend on."""
        return {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.options}

    def ask(self, request: Request) -> Reply:
        """Return the model's answer.

        Raises:
            LanguageError: the model cannot be loaded, or it cannot answer.
            MissingExtraError: transformers or torch is not installed.
        """
        with self._loaded.lock:
            torch, tokenizer, model = self._parts()
            try:
                prompt = self._encoded(tokenizer, request.messages)
                with torch.no_grad(), torch.random.fork_rng():
                    torch.manual_seed(request.seed)
                    if request.form == "text":
                        tokens = self._generated(tokenizer, model, prompt)
                        text = tokenizer.decode(tokens, skip_special_tokens=True)
                        return Reply(text, prompt.shape[1], len(tokens))
                    return Reply(self._likeliest(torch, tokenizer, model, prompt, request.letters), prompt.shape[1], 1)
            except (RuntimeError, ValueError, IndexError) as error:  # too long a prompt, too little memory
                raise LanguageError(f"the model {self.name!r} cannot answer: {_first_line(error)}") from None

    def close(self) -> None:
        """Let go of the model; it is loaded again if it is asked again."""
        self._loaded.parts = None

    def _parts(self) -> tuple[Any, Any, Any]:
        """Return torch, the tokeniser and the model, loaded once."""
        if self._loaded.parts is None:
            try:
                torch: Any = importlib.import_module("torch")
                transformers: Any = importlib.import_module("transformers")
            except ImportError:
                raise MissingExtraError("a language model in the process", "local-language") from None
            try:
                tokenizer = transformers.AutoTokenizer.from_pretrained(self.path)
                model = transformers.AutoModelForCausalLM.from_pretrained(self.path, **self.options)
                self._loaded.parts = torch, tokenizer, model.to(self.device).eval()
            except (OSError, ValueError, RuntimeError) as error:
                raise LanguageError(f"the model {self.name!r} cannot be loaded: {_first_line(error)}") from None
        return self._loaded.parts

    def _encoded(self, tokenizer: Any, messages: Sequence[Message]) -> Any:
        """Return the tokens of a prompt, shape [1, length]."""
        if getattr(tokenizer, "chat_template", None):
            told = [{"role": role, "content": content} for role, content in messages]
            encoded = tokenizer.apply_chat_template(
                told, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        else:
            text = "\n\n".join([*(content for _, content in messages), ANSWER])
            encoded = tokenizer(text, return_tensors="pt")
        return encoded["input_ids"].to(self.device)

    def _generated(self, tokenizer: Any, model: Any, prompt: Any) -> Any:
        """Return the tokens that follow a prompt."""
        how = {"do_sample": True, "temperature": self.temperature} if self.temperature > 0 else {"do_sample": False}
        padding = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
        mask = prompt.new_ones(prompt.shape)
        tokens = model.generate(
            prompt, attention_mask=mask, max_new_tokens=self.max_tokens, pad_token_id=padding, **how
        )
        return tokens[0, prompt.shape[1] :]

    def _likeliest(self, torch: Any, tokenizer: Any, model: Any, prompt: Any, letters: Sequence[str]) -> str:
        """Return the letter whose tokens are likeliest to follow a prompt; the first of several."""
        chances = []
        for letter in letters:
            tokens = tokenizer(letter, add_special_tokens=False, return_tensors="pt")["input_ids"].to(self.device)
            logits = model(torch.cat([prompt, tokens], dim=1)).logits[0, prompt.shape[1] - 1 : -1]
            chance = torch.log_softmax(logits.float(), dim=-1).gather(1, tokens[0][:, None]).sum()
            chances.append(float(chance))
        return letters[chances.index(max(chances))]


@dataclass
class _Loaded:
    """What is loaded, and who may use it; neither copied nor pickled."""

    parts: tuple[Any, Any, Any] | None = None
    lock: Any = field(default_factory=threading.Lock)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Loaded, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Loaded":
        return self


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
