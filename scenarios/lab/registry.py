"""What a scenario is and which ones there are: a module with ``Settings``, ``cells``, ``run_cell`` and ``table``.

There is no list to edit. A scenario's name is its module's, with dashes for underscores; its docstring is its
description; a file ``<module>.csv`` beside it holds the expected numbers. The module may also have:

- ``QUICK`` and ``FULL``: settings for the short reproduction (None: not in it) and for the papers' size;
- ``CORE = True``: it is one of the few that stand for their family;
- ``MORAL``: what is to be learned from it;
- ``story(settings, results)``: text under the table;
- ``figures(settings, results)``: pictures by name. In a package they may be in its module ``plot``, whose changes make
  no cell run again.

A package is a scenario, too, if its ``__init__`` has these names.

Another package adds scenarios by an entry point of the group ``multislot.scenarios``, whose value is a module that is a
scenario or a package that holds some. In its pyproject.toml::

    [project.entry-points."multislot.scenarios"]
    mine = "my_package.scenarios"
"""

import ast
import dataclasses
import importlib
import importlib.util
import pkgutil
import re
import shlex
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

import multislot.engine.interface
import multislot.zoo  # noqa: F401 - scenarios of others may ask for environments by id
from multislot.checks import MOST_SEEDS, checked_import, checked_items, known_name, refusal
from multislot.drawing.styling import house_style
from multislot.errors import SettingError
from multislot.exact.files.worlds import world_names
from multislot.files.foreign import LARGEST_SOURCE, read_text
from scenarios.lab.table import Row, read_expected

__all__ = ["Scenario", "discover", "find"]

Settings: TypeAlias = Any  # the scenario's own frozen dataclass
Cell: TypeAlias = Any  # likewise
Result: TypeAlias = dict[str, Any]

PRESETS = ("DEFAULT", "QUICK", "FULL")
LONGEST_FOLDER = 48
UNSAFE = re.compile(r"[^\w.,=+-]+")  # in the name of a folder, on any system
OWN = "scenarios"
"""The package of the scenarios that come with the project."""
LARGEST = 10**12  # of a setting: far above all sensible values, far below the limits of floats
POWER = re.compile(r"[-+\d._]+[eE][-+]?\d{4,}")  # ten to the thousands, too large to be multiplied out
LONGEST = 100_000
SHOWN = 40
IS_SCENARIO = re.compile(r"^class Settings\b", re.MULTILINE)
IS_PACKAGED = re.compile(r"^(class |from \S+ import .*\b)Settings\b", re.MULTILINE)  # its parts may need them
CITATION = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*(?: and [A-Z]\w+| et al\.)? \d{4}")


@dataclass(frozen=True)
class Scenario:
    """An experiment that can be run by name.

    Args:
        module: dotted name of its module, such as ``scenarios.identity.blind_fork``.
    """

    module: str

    @property
    def name(self) -> str:
        """The name it is run by, such as ``blind-fork``."""
        return self.module.rpartition(".")[2].replace("_", "-")

    @property
    def family(self) -> str:
        """The question it belongs to: the package of its module, ``identity``; ``own`` if there is none."""
        return ("own." + self.module).split(".")[-2].replace("_", "-")

    @cached_property
    def description(self) -> str:
        """The docstring of its module, read without importing it."""
        source = self.path / "__init__.py" if self.path.is_dir() else self.path
        return ast.get_docstring(ast.parse(read_text(source, LARGEST_SOURCE))) or ""

    @property
    def summary(self) -> str:
        """The first line of its description."""
        return self.description.partition("\n")[0]

    @cached_property
    def path(self) -> Path:
        """Its file, or its folder."""
        spec = importlib.util.find_spec(self.module)
        if spec is None or spec.origin is None:
            raise SettingError(f"{self.module} cannot be imported; install it, or start where its file is")
        return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)

    @property
    def expected_file(self) -> Path:
        """Where its expected numbers are, if it has any."""
        return self.path.with_suffix(".csv")

    @cached_property
    def expected(self) -> list[Row]:
        """The expected numbers."""
        return read_expected(self.expected_file)

    @property
    def printed(self) -> list[Row]:
        """The expected numbers that papers give, without those of independent programs."""
        return [row for row in self.expected if row.kind != "formula"]

    @cached_property
    def paper(self) -> str:
        """The paper it is about, ``Orseau 2014``: the first that its expected numbers, its family or its text cite."""
        parent = self.module.rpartition(".")[0]
        family = (importlib.import_module(parent).__doc__ or "") if parent else ""
        texts = [*(row.source for row in self.printed), family, self.description]
        citations = (CITATION.search(" ".join(text.split())) for text in texts)
        return next((citation.group() for citation in citations if citation), "")

    @property
    def settings_type(self) -> type[Any]:
        """The frozen dataclass of its settings."""
        kind: type[Any] = self._code.Settings
        return kind

    @cached_property
    def settings_adapter(self) -> TypeAdapter[Any]:
        """The pydantic adapter of the settings; making it takes milliseconds."""
        return TypeAdapter(self.settings_type)

    def settings(self, changes: Mapping[str, object] | None = None, preset: str = "DEFAULT") -> Settings:
        """The settings of a preset, with `changes`, checked.

        Args:
            changes: by field; text is read as the field's type, a tuple's items separated by commas.
            preset: ``DEFAULT``, ``QUICK`` or ``FULL``; one that the module does not define is the default.
        """
        base = getattr(self._code, preset, None) or self.settings_type()
        values = {field.name: getattr(base, field.name) for field in dataclasses.fields(base)}
        for key, value in (changes or {}).items():
            known_name(f"setting of {self.name}", key, values)
            if isinstance(value, str) and len(value) > LONGEST:  # each of its items may be looked for as a module
                raise SettingError(f"{self.name}: {key} has {len(value)} characters; expected at most {LONGEST}")
            if isinstance(value, str) and any(POWER.fullmatch(part.strip()) for part in value.split(",")):
                raise _too_large(self.name, key, value)
            several = isinstance(values[key], tuple) and isinstance(value, str)
            values[key] = [part.strip() for part in str(value).split(",")] if several else value
        try:
            checked = self.settings_adapter.validate_python(values)
        except ValidationError as error:
            raise SettingError(_sentence(self.name, error)) from None
        for key, value in (changes or {}).items():
            parts = getattr(checked, key)
            numbers = parts if isinstance(parts, tuple) else (parts,)
            most = MOST_SEEDS if key == "seeds" else LARGEST  # each seed has cells, which take memory
            if any(isinstance(n, int | float | Fraction) and not -most <= n <= most for n in numbers):  # or NaN
                raise _too_large(self.name, key, value, most)
        return checked

    def name_settings(self, settings: Settings) -> "SettingsName":
        """Name settings by the preset that needs the fewest changes, the default before the others."""
        named = []
        for preset in PRESETS:
            base = vars(self.settings(preset=preset))
            changes = [f"{key}={as_text(value)}" for key, value in vars(settings).items() if value != base[key]]
            named.append(SettingsName(_REGISTERED.get(self.module, self.name), preset, tuple(changes)))
        return min(named, key=lambda name: len(name.changes))

    @property
    def in_quick(self) -> bool:
        """Whether the short reproduction runs it: not if the module says ``QUICK = None``."""
        return getattr(self._code, "QUICK", True) is not None

    @property
    def in_core(self) -> bool:
        """Whether it is one of the few that stand for its family: if the module says ``CORE = True``."""
        return bool(getattr(self._code, "CORE", False))

    @property
    def moral(self) -> str:
        """What is to be learned from it, its ``MORAL``; empty if it has none."""
        return str(getattr(self._code, "MORAL", ""))

    @property
    def has_seeds(self) -> bool:
        """Whether anything in it is random."""
        return any(field.name == "seeds" for field in dataclasses.fields(self.settings_type))

    def cells(self, settings: Settings) -> Sequence[Cell]:
        """The independent pieces of work, in the order in which `table` receives them."""
        return tuple(self._code.cells(settings))

    def run_cell(self, cell: Cell) -> Result:
        """Run one cell and return its result, which depends on nothing but the cell."""
        result: Result = self._code.run_cell(cell)
        return result

    def table(self, settings: Settings, results: Sequence[tuple[Cell, Result]]) -> list[Row]:
        """Make the table of the finished cells."""
        rows = checked_items(f"{self.name}.table", self._code.table(settings, results), Row)
        if not rows:
            raise refusal(f"{self.name}.table", rows, "at least one row")
        return rows

    def story(self, settings: Settings, results: Sequence[tuple[Cell, Result]]) -> str:
        """Text to print under the table: an explanation, a lineage, and last its moral, if it has one."""
        tell = getattr(self._code, "story", None)
        text = str(tell(settings, results)) if tell else ""
        return text if text.endswith(self.moral) else "\n\n".join(filter(None, (text, self.moral)))

    def figures(self, settings: Settings, results: Sequence[tuple[Cell, Result]]) -> dict[str, Any]:
        """Return its pictures by name, matplotlib figures; empty if it draws none."""
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
        has_plot = self.path.is_dir() and (self.path / "plot.py").exists()
        module = importlib.import_module(f"{self.module}.plot") if has_plot else self._code
        return getattr(module, "figures", None)

    @property
    def _code(self) -> types.ModuleType:
        return importlib.import_module(self.module)


@dataclass(frozen=True)
class SettingsName:
    """Settings by their nearest preset and what was changed in it, each change as text for ``--set``.

    Attributes:
        scenario: its name, or the file that it was registered by.
    """

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
    """Every scenario under a package, by name, families in alphabetical order.

    The project's own package is followed by the scenarios of installed packages, and by those registered.
    """
    modules = list(walk(package, importlib.import_module(package).__path__))
    if package == OWN:
        modules += _installed()
        modules += [module for module in _REGISTERED if module not in modules]
    scenarios: dict[str, Scenario] = {}
    for scenario in map(Scenario, modules):
        other = scenarios.setdefault(scenario.name, scenario)
        if other is not scenario:
            raise SettingError(f"{other.module} and {scenario.module} are both called {scenario.name!r}; rename one")
    return scenarios


def _installed() -> Iterator[str]:
    """Yield the scenarios of installed packages; warn of an entry that cannot be imported."""
    for entry in sorted(entry_points(group="multislot.scenarios"), key=lambda entry: entry.name):
        place = entry.module
        try:
            spec = importlib.util.find_spec(place)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            owner = entry.dist.name if entry.dist else "an installed package"
            warnings.warn(
                f"{owner} says that its scenarios are in {place!r}, which cannot be imported; they are left out",
                stacklevel=3,
            )
        else:
            yield from walk(place, spec.submodule_search_locations) if spec.submodule_search_locations else [place]


def register(file: Path | str) -> Scenario:
    """Register a scenario by the file of its module; its folder becomes importable."""
    path = Path(file).resolve()
    if not IS_SCENARIO.search(read_text(path, LARGEST_SOURCE)):
        raise SettingError(f"{file} is not an experiment: give a Python file with a class Settings")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # last: it hides nothing that is installed
    scenario = Scenario(path.stem)
    if scenario.path != path:
        raise SettingError(f"{file}: {scenario.path} is called {path.stem}, too; rename one")
    for part in ("Settings", "cells", "run_cell", "table"):
        checked_import("experiment", f"{path.stem}:{part}")
    if not dataclasses.is_dataclass(scenario.settings_type):
        raise refusal(
            f"{path.stem}.Settings", scenario.settings_type, "a dataclass: write @dataclass(frozen=True) above it"
        )
    _REGISTERED[scenario.module] = str(file)
    return scenario


_REGISTERED: dict[str, str] = {}
"""The modules of registered scenarios, each with the file as it was given."""


def find(name: str, package: str = OWN) -> Scenario:
    """Find a scenario by its name, or by the file of its module, which is then registered."""
    if name.endswith(".py"):
        return register(name)
    scenarios = discover(package)
    if name not in scenarios and (name.endswith(".toml") or name in world_names()):
        raise SettingError(f"{name!r} is a world and not an experiment; solve it with  multislot solve {name}")
    known_name("experiment", name, scenarios)
    return scenarios[name]


def walk(package: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield the modules of all scenarios under a package, found by their source, without importing them."""
    for folder in sorted(map(Path, folders)):
        for module in sorted(pkgutil.iter_modules([str(folder)]), key=lambda module: module.name):
            path, name = folder / module.name, f"{package}.{module.name}"
            source = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
            if source.exists() and _is_scenario(source, source.stat().st_mtime_ns):
                yield name
            elif module.ispkg:
                yield from walk(name, [str(path)])


@cache
def _is_scenario(source: Path, modified: int) -> bool:
    sign = IS_PACKAGED if source.name == "__init__.py" else IS_SCENARIO
    return sign.search(read_text(source, LARGEST_SOURCE)) is not None


def _too_large(name: str, key: str, written: object, most: int = LARGEST) -> SettingError:
    words = f"{written[:SHOWN]}" if isinstance(written, str) else "the number given"
    return SettingError(f"{name}: {key}={words}: give numbers between -{most:g} and {most:g}")


def _sentence(name: str, error: ValidationError) -> str:
    """Pydantic's first error as one sentence that names the setting and its value."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "settings"
    reason = first["msg"].removeprefix("Value error, ")
    return f"{name}: {where}={first['input']}: {reason[0].lower()}{reason[1:]}"
