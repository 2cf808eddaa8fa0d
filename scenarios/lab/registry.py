"""What a scenario is and which ones there are: a folder that holds ``settings.py`` and ``run.py`` is a scenario.

There is no list to edit. A scenario's name is its folder's, with dashes for underscores; its docstring is its
description. ``run.py`` has ``cells``, ``run_cell`` and ``table``, and may have ``story`` and ``figures``; figures that
need more code of their own are in ``plot.py``. `Scenario` is the one way in: it checks settings, lists cells, runs one
and makes the table.
"""

import dataclasses
import importlib
import importlib.util
import pkgutil
import re
import shlex
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from multislot.drawing.styling import house_style
from multislot.errors import SettingError, UnknownNameError
from scenarios.lab.installed import scenario_packages
from scenarios.lab.table import Measured, Row, read_expected

Settings: TypeAlias = Any  # the scenario's own frozen dataclass
Cell: TypeAlias = Any  # likewise
Result: TypeAlias = dict[str, Any]

PRESETS = ("DEFAULT", "QUICK", "FULL")
LONGEST_FOLDER = 48
UNSAFE = re.compile(r"[^\w.,=+-]+")  # in the name of a folder, on any system
OWN = "scenarios"
"""The package of the scenarios that come with the project."""
LARGEST = 10**12  # of a setting: far above what anything here means, far below where floats end
POWER = re.compile(r"[-+\d._]+[eE][-+]?\d{4,}")  # ten to the thousands
SHOWN = 40
CITATION = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*(?: and [A-Z]\w+| et al\.)? \d{4}")


@dataclass(frozen=True)
class Scenario:
    """An experiment that can be run by name.

    Args:
        package: dotted name of its folder, such as ``scenarios.identity.blind_fork``.
    """

    package: str

    @property
    def name(self) -> str:
        """The name it is run by, such as ``blind-fork``."""
        return self.package.rpartition(".")[2].replace("_", "-")

    @property
    def family(self) -> str:
        """The question it belongs to: the folder above, ``identity``."""
        return self.package.split(".")[-2].replace("_", "-")

    @cached_property
    def description(self) -> str:
        """The docstring of its folder."""
        return (importlib.import_module(self.package).__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The first line of its description."""
        return self.description.partition("\n")[0]

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return Path(next(iter(importlib.import_module(self.package).__path__)))

    @cached_property
    def expected(self) -> list[Row]:
        """What the papers say, from ``expected.csv``."""
        return read_expected(self.folder / "expected.csv")

    @cached_property
    def paper(self) -> str:
        """The paper it is about, ``Orseau 2014``: the first that its expected numbers, its family or its text cite."""
        family = importlib.import_module(self.package.rpartition(".")[0]).__doc__ or ""
        texts = [*(row.source for row in self.expected), family, self.description]
        found = (CITATION.search(" ".join(text.split())) for text in texts)
        return next((one.group() for one in found if one), "")

    @property
    def settings_type(self) -> type[Any]:
        """The frozen dataclass of its settings."""
        kind: type[Any] = self._module("settings").Settings
        return kind

    @cached_property
    def settings_adapter(self) -> TypeAdapter[Any]:
        """What checks settings and writes them down; making it takes milliseconds."""
        return TypeAdapter(self.settings_type)

    def settings(self, changes: Mapping[str, object] | None = None, preset: str = "DEFAULT") -> Settings:
        """Return the settings of a preset, with `changes`, checked.

        Args:
            changes: by field; text is read as the field's type, a tuple's items separated by commas.
            preset: ``DEFAULT``, ``QUICK`` or ``FULL``; one that ``settings.py`` does not define is the default.

        Raises:
            UnknownNameError: a change names no field; the nearest is suggested.
            SettingError: a value is out of its domain; says which and why in one sentence.
        """
        base = getattr(self._module("settings"), preset, None) or self.settings_type()
        values = {field.name: getattr(base, field.name) for field in dataclasses.fields(base)}
        for key, value in (changes or {}).items():
            if key not in values:
                raise UnknownNameError(f"setting of {self.name}", key, values)
            if _is_long_power(value):
                raise _too_large(self.name, key, value)
            values[key] = _split(value) if isinstance(values[key], tuple) else value
        try:
            checked = self.settings_adapter.validate_python(values)
        except ValidationError as error:
            raise SettingError(_sentence(self.name, error)) from None
        for key, value in (changes or {}).items():
            if _is_huge(getattr(checked, key)):
                raise _too_large(self.name, key, value)
        return checked

    def name_settings(self, settings: Settings) -> "SettingsName":
        """Name settings by the preset that needs the fewest changes, the default before the others."""
        named = []
        for preset in PRESETS:
            base = vars(self.settings(preset=preset))
            changes = [f"{key}={as_text(value)}" for key, value in vars(settings).items() if value != base[key]]
            named.append(SettingsName(self.name, preset, tuple(changes)))
        return min(named, key=lambda name: len(name.changes))

    @property
    def in_quick(self) -> bool:
        """Whether the short reproduction runs it: not if ``settings.py`` says ``QUICK = None``."""
        return getattr(self._module("settings"), "QUICK", True) is not None

    @property
    def in_core(self) -> bool:
        """Whether it is one of the few that stand for its family: if ``settings.py`` says ``CORE = True``."""
        return bool(getattr(self._module("settings"), "CORE", False))

    @property
    def moral(self) -> str:
        """What is to be learned from it, ``MORAL`` in ``run.py``; empty if it has none."""
        return str(getattr(self._module("run"), "MORAL", ""))

    @property
    def has_seeds(self) -> bool:
        """Whether anything in it is random."""
        return any(field.name == "seeds" for field in dataclasses.fields(self.settings_type))

    def cells(self, settings: Settings) -> Sequence[Cell]:
        """Return the independent pieces of work, in the order in which `table` receives them."""
        return tuple(self._module("run").cells(settings))

    def run_cell(self, cell: Cell) -> Result:
        """Run one cell and return its result, which depends on nothing but the cell."""
        result: Result = self._module("run").run_cell(cell)
        return result

    def table(self, settings: Settings, results: Sequence[tuple[Cell, Result]]) -> list[Measured]:
        """Return what the finished cells say."""
        return list(self._module("run").table(settings, results))

    def story(self, settings: Settings, results: Sequence[tuple[Cell, Result]]) -> str:
        """Return text to print under the table: an explanation, a lineage, and last its moral, if it has one."""
        tell = getattr(self._module("run"), "story", None)
        told = str(tell(settings, results)) if tell else ""
        return told if told.endswith(self.moral) else "\n\n".join(filter(None, (told, self.moral)))

    def figures(self, settings: Settings, results: Sequence[tuple[Cell, Result]]) -> dict[str, Any]:
        """Return its pictures by name, matplotlib figures; empty if it draws none.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        draw = self._figures
        if draw is None:
            return {}
        with house_style():
            return dict(draw(settings, results))

    @property
    def draws(self) -> bool:
        """Whether it has figures."""
        return self._figures is not None

    @property
    def _figures(self) -> Callable[..., Mapping[str, Any]] | None:
        has_module = importlib.util.find_spec(f"{self.package}.plot") is not None
        return getattr(self._module("plot" if has_module else "run"), "figures", None)

    def _module(self, name: str) -> types.ModuleType:
        return importlib.import_module(f"{self.package}.{name}")


@dataclass(frozen=True)
class SettingsName:
    """Settings by their nearest preset and what was changed in it, each change as text for ``--set``."""

    scenario: str
    preset: str
    changes: tuple[str, ...]

    @property
    def command(self) -> str:
        """The command that runs the scenario with these settings."""
        preset = [] if self.preset == "DEFAULT" else [f"--{self.preset.lower()}"]
        changes = [part for change in self.changes for part in ("--set", change)]
        return shlex.join(["multislot", "run", self.scenario, *preset, *changes])

    @property
    def label(self) -> str:
        """The name for people, such as ``default r_2=5``."""
        return " ".join([self.preset.lower(), *self.changes])

    @property
    def folder(self) -> str:
        """The label as a part of a folder's name: shortened, without spaces and slashes."""
        return UNSAFE.sub("-", self.label.replace("/", "over"))[:LONGEST_FOLDER].rstrip("-.,=")


def as_text(value: object) -> str:
    """Write a setting as ``--set`` takes it: the items of a tuple separated by commas."""
    return ",".join(map(as_text, value)) if isinstance(value, tuple) else str(value)


def discover(package: str = OWN) -> dict[str, Scenario]:
    """Return every scenario under a package, by name, families in alphabetical order.

    The project's own package is followed by those of installed packages, see `scenarios.lab.installed`.

    Raises:
        SettingError: two folders give the same name.
    """
    found: dict[str, Scenario] = {}
    places = [(package, list(importlib.import_module(package).__path__))]
    if package == OWN:
        places += scenario_packages()
    for one in (one for place in places for one in _walk(*place)):
        if one.name in found:
            raise SettingError(f"{found[one.name].package} and {one.package} are both called {one.name!r}; rename one")
        found[one.name] = one
    return found


def find(name: str, package: str = OWN) -> Scenario:
    """Return the scenario of that name.

    Raises:
        UnknownNameError: there is none; the nearest name is suggested.
    """
    known = discover(package)
    if name not in known:
        raise UnknownNameError("scenario", name, known)
    return known[name]


def _walk(package: str, paths: Iterable[str]) -> Iterator[Scenario]:
    """Yield the scenarios under a package, found by their files, without importing them."""
    for path in sorted(map(Path, paths)):
        for module in sorted(pkgutil.iter_modules([str(path)]), key=lambda one: one.name):
            inner, name = path / module.name, f"{package}.{module.name}"
            if module.ispkg and (inner / "settings.py").exists() and (inner / "run.py").exists():
                yield Scenario(name)
            elif module.ispkg:
                yield from _walk(name, [str(inner)])


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _is_long_power(given: object) -> bool:
    """Return whether text holds a power of ten that is too large to be multiplied out."""
    return isinstance(given, str) and any(POWER.fullmatch(part.strip()) for part in given.split(","))


def _is_huge(value: Any) -> bool:
    """Return whether a number, or one of several, is out of range, infinite, or not a number."""
    numbers = value if isinstance(value, tuple) else (value,)
    return any(isinstance(one, int | float | Fraction) and not -LARGEST <= one <= LARGEST for one in numbers)


def _too_large(name: str, key: str, given: object) -> SettingError:
    words = f"{given[:SHOWN]}" if isinstance(given, str) else "the number given"
    return SettingError(f"{name}: {key}={words}: give numbers between -{LARGEST:g} and {LARGEST:g}")


def _sentence(name: str, error: ValidationError) -> str:
    """Return the first complaint of pydantic as one sentence that names the setting and what was got."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "settings"
    reason = first["msg"].removeprefix("Value error, ")
    return f"{name}: {where}={first['input']}: {reason[0].lower()}{reason[1:]}"
