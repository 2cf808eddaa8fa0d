"""Lives that are kept: what was done and decided at every step, as columns, and as a file that can be resumed.

A resumed agent learns its life again. At every step it must decide what the record says it decided, so that it goes on
bit for bit as the one that was saved. Settings, models, mentors and stream must be the same. Models and mentors are
compared by their numbers; functions are compared by what they make the agent decide.

A life may consist of episodes. Where the world starts again, models and mentors return to their beginning, and what was
learned of them stays. In the models nothing ever ends; an end itself teaches nothing.
"""

import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from multislot.bayes.models import PerceptKey, as_percept
from multislot.checks import refusal
from multislot.engine.stream import Stream
from multislot.errors import SettingError

FORMAT = 4
STREAM_SAMPLE = 4
PREMISES = ("start", "rows", "reward_rows", "reward_values", "emission", "policy", "script")


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided at one step, and why.

    Attributes:
        step: number of percepts observed before it.
        action: what it takes; None where it defers.
        reason: in a word or two.
        value: the value it decided by: pessimistic, or of whatever the agent believes.
    """

    step: int
    action: int | None
    reason: str
    value: float


class Done(NamedTuple):
    """One step as it happened.

    Attributes:
        action: what was done; None where it is not known: the mentor did it, and an episode ended with it.
        percept: (observation, reward); the observation is None where it is not known: an episode ended with it.
        by_mentor: who did it.
        last: whether an episode ended with it.
        first: what was observed before it, if an episode began with it and something was; else None.
    """

    action: int | None
    percept: tuple[int | None, float]
    by_mentor: bool
    last: bool = False
    first: int | None = None


class Recorded:
    """Base of the agents that keep their life; a subclass writes `settings` and what is not written here.

    Attributes:
        done: the steps so far.
        record: the decisions so far, one for each step done.
        first: what was observed before the first step of the present episode; None where nothing was (λ).
    """

    done: list[Done]
    record: list[Decision]
    first: int | None = None

    def settings(self) -> dict[str, Any]:
        """Return the settings that must match on resume."""
        raise NotImplementedError(f"{type(self).__name__} does not define settings() -> dict")

    def observe(self, action: int, percept: PerceptKey, by_mentor: bool = False) -> None:
        """Learn one step: what was done, what followed, and who did it."""
        raise NotImplementedError(f"{type(self).__name__} does not define observe(action, percept, by_mentor)")

    def observe_last(self, action: int | None, reward: float, by_mentor: bool = False) -> None:
        """Learn the reward of an episode's last step, who acted, and the action unless it is None; then start again."""
        raise NotImplementedError(f"{type(self).__name__} does not define observe_last(action, reward, by_mentor)")

    def end_episode(self) -> None:
        """Start again after the last step observed, if that has not been done; everything learned is kept."""
        if self.is_under_way:
            self.done[-1] = self.done[-1]._replace(last=True)
            self.first = None
            self._begin()

    def begin_episode(self, first: int | None = None) -> None:
        """Start again, as `end_episode` does, with what is observed before the first step.

        Args:
            first: that observation; None where nothing is observed (λ).
        """
        known = None if first is None else as_percept((first, 0.0))[0]
        self.end_episode()
        self._begin(known)
        self.first = known

    @property
    def is_under_way(self) -> bool:
        """Whether a step has been done in the present episode."""
        return bool(self.done) and not self.done[-1].last

    def _note(self, action: int | None, percept: tuple[int | None, float], by_mentor: bool) -> Done:
        """Return a step as it is kept, the first of an episode with what was observed before it."""
        return Done(action, percept, bool(by_mentor), first=None if self.is_under_way else self.first)

    def _begin(self, first: int | None = None) -> None:
        """Go to where an episode begins, with what is observed there."""
        raise NotImplementedError(f"{type(self).__name__} does not define _begin()")

    def columns(self) -> dict[str, list[Any]]:
        """Return the record as columns, ready to plot or to make a data frame of; ``last`` marks ends of episodes."""
        names = [field.name for field in fields(self.record[0])] if self.record else []
        columns = {name: [getattr(decision, name) for decision in self.record] for name in names}
        return {**columns, "last": [done.last for done in self.done]}

    def save(self, path: str | Path) -> None:
        """Write the agent's life so far as JSON; an older file stays whole until the new one is complete."""
        record = [asdict(decision) for decision in self.record]
        life = {"format": FORMAT, "settings": self.settings(), "done": self.done, "record": record}
        if not Path(path).parent.is_dir():
            raise refusal("path", str(path), "a file in a folder that exists", f"make {Path(path).parent}")
        unfinished = Path(f"{path}.part")
        unfinished.write_text(json.dumps(life))
        unfinished.replace(path)

    def resume(self, path: str | Path) -> None:
        """Resume a saved life; the agent must be fresh and made with the same models, settings and stream."""
        if self.done:
            raise SettingError(f"this agent has already lived {len(self.done)} steps; resume with a fresh one")
        saved, steps = _read(path)
        mine = json.loads(json.dumps(self.settings()))
        if saved != mine:
            differ = sorted(name for name in {*mine, *saved} if saved.get(name) != mine.get(name))
            raise SettingError(f"the saved agent had other settings: {', '.join(differ)}; make this one with the same")
        living = deepcopy(self)
        for done, decided in steps:
            action, (observation, reward), by_mentor, last, first = done
            if first is not None:
                living.begin_episode(first)
            if action is None or observation is None:
                living.observe_last(action, reward, by_mentor)
            else:
                living.observe(action, (observation, reward), by_mentor)
                if last:
                    living.end_episode()
            if json.loads(json.dumps(asdict(living.record[-1]))) != decided:
                raise SettingError(f"at step {len(living.done)} this agent decides otherwise than the saved one did")
        self.__dict__.update(living.__dict__)


def digest_of(members: Iterable[object]) -> str:
    """Return a digest of models' or mentors' kinds and numbers, in order."""
    digest = sha256()
    for member in members:
        for part in _numbers(member):
            digest.update(part)
    return digest.hexdigest()


def sample_of(stream: Stream) -> list[float]:
    """Return the first numbers of a stream, by which it is known."""
    return [stream.at(index) for index in range(STREAM_SAMPLE)]


def _numbers(member: object) -> Iterator[bytes]:
    """Return the kind of a model or mentor and all numbers it is made of."""
    yield type(member).__name__.encode()
    for name in PREMISES:
        value: Any = getattr(member, name, None)
        if issparse(value):
            rows: Any = value
            parts = (rows.data, rows.indices, rows.indptr)
            yield from (repr(rows.shape).encode(), *(part.tobytes() for part in parts))
        elif value is not None and not callable(value):
            array = np.asarray(value)
            yield from (repr(array.shape).encode(), array.tobytes())
    for inner in (getattr(member, "hidden", None), getattr(member, "model", None)):
        if inner is not None:
            yield from _numbers(inner)


def _read(path: str | Path) -> tuple[dict[str, Any], list[tuple[Done, dict[str, Any]]]]:
    """Return the settings of a saved life, and each step with its decision."""
    try:
        life = json.loads(Path(path).read_text())
        if life["format"] != FORMAT:
            raise SettingError(f"its format is {life['format']}, expected {FORMAT}")
        done = [Done(action, (seen, paid), *rest) for action, (seen, paid), *rest in life["done"]]
        return dict(life["settings"]), list(zip(done, life["record"], strict=True))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as wrong:
        raise SettingError(f"{path} holds no saved life: {wrong}") from wrong
