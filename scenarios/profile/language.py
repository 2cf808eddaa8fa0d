"""Language models as subjects of a profile: Inspect asks them, with the tasks that ``inspect eval`` runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import inspect_ai
from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model, get_model_info

from multislot.agents.language.inspect_models import offline
from multislot.engine.version import __version__
from multislot.errors import SettingError
from multislot.files.foreign import hash_file
from multislot.statistics import student
from scenarios.profile.profiling import EnvironmentGain, SelfReflection, Subject
from scenarios.profile.questions import Answer, Question
from scenarios.profile.tasks import answers_in, question_task, self_reflection

LLAMA = "llama:"
LOGS = Path("results") / "profile"
DIGITS = 12
CHARACTERS_A_TOKEN = 4
USED = ("input_tokens", "output_tokens", "total_cost")
"""What the card shows of Inspect's usage."""


@dataclass(frozen=True)
class ModelSubject(Subject):
    """A language model.

    Attributes:
        name: Inspect's name of a model (``openai/gpt-4o``), or ``llama:FILE.gguf``.
        logprobs: whether to ask for log-probabilities; providers without them answer in text.
        logs: folder of Inspect's logs.
        max_tokens: of an answer, thoughts included; None for no limit.
    """

    logprobs: bool = True
    logs: Path = LOGS
    max_tokens: int | None = None

    @cached_property
    def model(self) -> Model:
        """Inspect's model; a file's name holds its digest, so another file's answers are not taken for its own."""
        if not self.name.startswith(LLAMA):
            try:
                return offline(get_model(self.name, memoize=False))
            except Exception as error:  # providers raise errors of many kinds, of libraries that may be missing
                raise SettingError(f"got the subject {self.name!r}; Inspect says: {str(error).strip()}") from None
        path = Path(self.name.removeprefix(LLAMA))
        if not path.is_file():
            raise SettingError(f"got the subject {self.name!r}; there is no file {str(path)!r}")
        digest = hash_file(path)[:DIGITS]
        return get_model(f"xllamacpp/{path.stem}-{digest}", memoize=False, path=str(path))

    @property
    def runtime(self) -> dict[str, Any]:
        own = {"multislot": __version__, "inspect": inspect_ai.__version__, "model": str(self.model)}
        limit = {} if self.max_tokens is None else {"max_tokens": self.max_tokens}
        return {**own, **getattr(self.model.api, "runtime", {}), "logprobs": self.logprobs, **limit}

    def answer(self, questions: Sequence[Question], seed: int) -> list[Answer]:
        log = self._evaluate(question_task(questions[0].part, questions, seed, self.logprobs))
        for sample in log.samples or []:
            reason = sample.output.stop_reason if sample.output.choices else "nothing"
            self.stops[reason] = self.stops.get(reason, 0) + 1
        scores = [(asked.id, score) for asked in log.samples or [] for score in (asked.scores or {}).values()]
        return answers_in({str(name): (score.metadata or {}).get("chance") for name, score in scores}, questions)

    def estimate(self, prompts: int, characters: int) -> str:
        """The number of prompts and tokens, and the cost of reading them where Inspect knows the price."""
        tokens = characters // CHARACTERS_A_TOKEN
        info = get_model_info(self.model)
        cost = info.cost if info else None
        price = f", ${tokens * cost.input / 1e6:.2f} to read them" if cost else ", at your provider's price"
        return (
            f"at most {prompts:,} prompts with about {tokens:,} tokens{price}; answers cost extra, with thoughts much "
            "more; answers that are in the cache cost nothing"
        )

    def reflect(self) -> SelfReflection:
        """Live as ``inspect eval … self_reflection`` does."""
        log = self._evaluate(self_reflection(logprobs=self.logprobs))
        gains: dict[str, list[float]] = {}
        for sample in log.samples or []:
            lived = sample.metadata
            gains.setdefault(lived["environment"], []).append(lived["own"] - lived["checked"])
        by_seed = [fmean(of_seed) for of_seed in zip(*gains.values(), strict=True)]
        rows = tuple(EnvironmentGain(name, fmean(values), student(values)) for name, values in gains.items())
        return SelfReflection(fmean(by_seed), student(by_seed), rows)

    def _evaluate(self, task: Task) -> EvalLog:
        logs = inspect_ai.eval(
            task,
            model=self.model,
            log_dir=str(self.logs),
            display="none",
            log_level="warning",
            fail_on_error=True,
            max_tokens=self.max_tokens,
        )
        if not logs:  # Inspect returns so when somebody interrupts it
            raise KeyboardInterrupt
        (log,) = logs
        if log.status != "success":
            message = log.error.message if log.error else log.status
            raise SettingError(f"got the subject {self.name!r}; Inspect could not ask it: {message}")
        for used in log.stats.model_usage.values():
            for name in USED:
                if number := getattr(used, name):
                    self.usage[name] = self.usage.get(name, 0) + number
        return log
