"""The file from which a measurement goes on where it stopped: a line of JSON for every finished run.

What was run is known again by name, so what has no name of its own cannot be: two lambdas would share their numbers.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from extenv.environment import ExtendedEnvironment
from extenv.reality_checks import RealityCheck
from multislot.errors import SettingError

NAMELESS = ("<lambda>", "<locals>", " at 0x")
COLUMNS: dict[str, type | tuple[type, ...]] = {
    "agent": str,
    "environment": str,
    "opposite": bool,
    "seed": int,
    "steps": int,
    "total_reward": (int, float),
}


@dataclass(frozen=True)
class Cell:
    """One run of the measure.

    Attributes:
        environment: its name.
        opposite: whether the opposite is run.
        seed: of the streams.
        steps: how many.
    """

    environment: str
    opposite: bool
    seed: int
    steps: int


@dataclass(frozen=True)
class FinishedRuns:
    """The finished runs of one agent in a file, which others may share; it need not exist yet.

    Attributes:
        path: the file.
        agent: the key of the agent, see `key_of`.
        environments: the key of every environment by name, see `keys_of`.

    Raises:
        SettingError: `path` is a folder, or in one that does not exist.
    """

    path: Path
    agent: str
    environments: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.path.is_dir():
            raise SettingError(f"got resume={str(self.path)!r}, a folder; give the name of a file in it")
        if not self.path.parent.is_dir():
            raise SettingError(f"got resume={str(self.path)!r}; there is no folder {str(self.path.parent)!r}: make it")

    def totals(self) -> dict[Cell, float]:
        """Return the total rewards of the runs in the file; none if there is no file.

        A last line that was cut off while it was written is taken out of the file.

        Raises:
            SettingError: a line is no finished run.
        """
        text = self.path.read_text() if self.path.exists() else ""
        whole_lines = text[: text.rfind("\n") + 1]
        rows = [self.row(number, line) for number, line in enumerate(whole_lines.splitlines(), 1)]
        if whole_lines != text:
            self.path.write_text(whole_lines)
        names = {key: name for name, key in self.environments.items()}
        return {
            Cell(names[row["environment"]], row["opposite"], row["seed"], row["steps"]): row["total_reward"]
            for row in rows
            if row["agent"] == self.agent and row["environment"] in names
        }

    def row(self, number: int, line: str) -> dict[str, Any]:
        """Return what line `number` of the file says, or raise SettingError."""
        try:
            row: Any = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not all(isinstance(row.get(name), kind) for name, kind in COLUMNS.items()):
            raise SettingError(
                f"line {number} of {str(self.path)!r} is no finished run: {line[:40]!r}; give resume= a file that "
                "extenv.measure wrote, or a new name"
            )
        return row

    def add(self, cell: Cell, total_reward: float) -> None:
        """Add a finished run to the file."""
        run = {**asdict(cell), "environment": self.environments[cell.environment]}
        with self.path.open("a") as file:
            file.write(json.dumps({"agent": self.agent, **run, "total_reward": total_reward}) + "\n")


def key_of(factory: Callable[..., Any]) -> str:
    """Return what a factory is known by: module and name, and the parameters that a partial sets.

    Raises:
        SettingError: it has no name of its own.
    """
    return named(described(factory), "the agent")


def keys_of(environments: Mapping[str, str | ExtendedEnvironment | type[ExtendedEnvironment]]) -> dict[str, str]:
    """Return what environments are known by, by name: one's name, a class's module and name, an object's own name too.

    Raises:
        SettingError: one has no name of its own.
    """
    return {name: environment_key(name, environment) for name, environment in environments.items()}


def environment_key(name: str, environment: str | ExtendedEnvironment | type[ExtendedEnvironment]) -> str:
    """Return what an environment is known by; see `keys_of`."""
    if isinstance(environment, str):
        return name
    if isinstance(environment, type):
        return named(described(environment), "the environment")
    if not environment.name:
        raise SettingError(
            f"resume= knows environments by name, and one object of {name} may differ from the next; give it a name "
            'that tells it apart, as in  environment.name = "..."'
        )
    return f"{type(environment).__module__}.{type(environment).__qualname__} {name!r}"


def described(factory: Callable[..., Any]) -> str:
    """Return module and name of a factory, those of the factory inside, and the parameters set."""
    if isinstance(factory, partial):
        given = [*map(repr, factory.args), *(f"{name}={value!r}" for name, value in sorted(factory.keywords.items()))]
        return f"{described(factory.func)}({', '.join(given)})"
    if isinstance(factory, RealityCheck):
        return f"reality_check({described(factory.factory)}, freeze={factory.freeze!r})"
    name = getattr(factory, "__qualname__", None)
    return repr(factory) if name is None else f"{factory.__module__}.{name}"


def named(key: str, whose: str) -> str:
    """Return `key`, or raise SettingError if it is a name that others may have."""
    if any(mark in key for mark in NAMELESS):
        raise SettingError(
            f"resume= knows agents and environments by name, and {whose} {key} has none of its own; define a class or "
            "function at the top of a module, or measure without resume="
        )
    return key
