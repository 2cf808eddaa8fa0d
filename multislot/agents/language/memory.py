"""Answers that are remembered, in a file or for as long as the program runs.

A file is a `multislot.cells.CellStore`: what was answered survives the end of the process, and damage is noticed. The
key is the model, its settings and a hash of the prompt; neither the prompt nor anything about the server is kept.
"""

import json
import threading
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from multislot.agents.language.errors import LanguageError
from multislot.agents.language.situation import Reply, Request
from multislot.cells import CellStore, as_json
from multislot.cells.store import Finished, is_store
from multislot.errors import SettingError


def request_key(model: str, settings: object, request: Request, repeat: int = 0) -> str:
    """Return the name under which the answer to a request is kept.

    Args:
        model: the model's name.
        settings: those that an answer depends on.
        request: the request.
        repeat: how often it was asked before.
    """
    prompt = sha256(as_json([request.messages, request.letters, request.form]).encode()).hexdigest()
    asked = {"model": model, "settings": settings, "seed": request.seed, "prompt": prompt}
    return as_json({**asked, "repeat": repeat} if repeat else asked)


class Memory:
    """Remembered answers; threads may share it.

    Args:
        path: the file; None to remember them only for as long as the program runs.

    Raises:
        SettingError: the path is a folder, lies in none, or is a file of something else.
        StoreError: the file cannot be opened.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._answers: dict[str, tuple[Reply, float]] = {}
        self._store: CellStore | None = None
        if self.path is not None:
            self._store = _opened(self.path)
            for key, cell in self._store.finished.items():
                reply = _reply(cell)
                if reply is not None:
                    self._answers[key] = reply, cell.seconds

    def __len__(self) -> int:
        return len(self._answers)

    @property
    def notes(self) -> list[str]:
        """What was damaged in the file and what was done about it, one sentence each."""
        return list(self._store.notes) if self._store else []

    def get(self, key: str) -> tuple[Reply, float] | None:
        """Return the answer under a key, and how many seconds it took; None if there is none."""
        return self._answers.get(key)

    def add(self, key: str, reply: Reply, seconds: float) -> None:
        """Remember an answer; once this returns, the end of the process does not lose it."""
        with self._lock:
            self._answers.setdefault(key, (reply, seconds))
            if self._store is not None:
                kept = {name: value for name, value in asdict(reply).items() if name != "retries"}
                self._store.add([Finished(key, as_json(kept), float(seconds))])

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.__exit__()


def _opened(path: Path) -> CellStore:
    if path.is_dir():
        raise SettingError(f"got answers={str(path)!r}, a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise SettingError(f"got answers={str(path)!r}; there is no folder {str(path.parent)!r}: make it")
    if path.exists() and path.stat().st_size and not is_store(path):
        raise SettingError(f"got answers={str(path)!r}, which is no file of remembered answers; give a new name")
    return CellStore(path)


def _reply(cell: Finished) -> Reply | None:
    """Return the answer in a row; None if it holds something else, such as a finished run."""
    try:
        value = json.loads(cell.result)
        return Reply(str(value["text"]), int(value["input_tokens"]), int(value["output_tokens"]))
    except (TypeError, KeyError, ValueError):
        return None


def kept(memory: Memory) -> str:
    """Return where the answers so far are, as the end of a sentence."""
    count = f"{len(memory)} answers" if len(memory) != 1 else "1 answer"
    if memory.path is None:
        return f"{count} so far are remembered by this client, give it answers=FILE to keep them longer"
    return f"{count} so far are kept in {memory.path}, run again to go on from them"


def explained(error: LanguageError, memory: Memory) -> LanguageError:
    """Return an error with where the answers so far are kept."""
    return type(error)(f"{error}; {kept(memory)}")
