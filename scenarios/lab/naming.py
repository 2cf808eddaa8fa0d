"""Names that a person can read for settings: the command that runs them, and the folder that holds their results.

Settings are named by the preset they are nearest to and by what was changed: ``quick``, ``default r_2=5``.
"""

import dataclasses
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.lab.registry import PRESETS, Scenario, Settings

LONGEST_LABEL = 48
UNSAFE = re.compile(r"[^\w.,=+-]+")  # in the name of a folder, on any system


@dataclass(frozen=True)
class SettingsName:
    """Which settings these are.

    Attributes:
        scenario: the scenario's name.
        preset: the preset they are nearest to, ``DEFAULT``, ``QUICK`` or ``FULL``.
        changes: what differs from it, as text for ``--set``.
    """

    scenario: str
    preset: str
    changes: Mapping[str, str]

    @property
    def command(self) -> str:
        """The command that runs a scenario with these settings."""
        preset = [] if self.preset == "DEFAULT" else [f"--{self.preset.lower()}"]
        changes = [part for change in self._changed for part in ("--set", change)]
        return shlex.join(["multislot", "run", self.scenario, *preset, *changes])

    @property
    def label(self) -> str:
        """The name for people, such as ``default r_2=5``."""
        return " ".join([self.preset.lower(), *self._changed])

    @property
    def folder(self) -> str:
        """The label as a part of a folder's name: shortened, without spaces and slashes."""
        return UNSAFE.sub("-", self.label.replace("/", "over"))[:LONGEST_LABEL].rstrip("-.,=")

    @property
    def _changed(self) -> list[str]:
        return [f"{key}={value}" for key, value in self.changes.items()]


def name_of(scenario: Scenario, settings: Settings) -> SettingsName:
    """Return the name of settings: by the preset that needs the fewest changes, the default before the others."""
    named = [SettingsName(scenario.name, preset, _changes(scenario, settings, preset)) for preset in PRESETS]
    return min(named, key=lambda one: len(one.changes))


def _changes(scenario: Scenario, settings: Settings, preset: str) -> dict[str, str]:
    base = scenario.settings(preset=preset)
    fields = [field.name for field in dataclasses.fields(base)]
    return {one: as_text(getattr(settings, one)) for one in fields if getattr(settings, one) != getattr(base, one)}


def as_text(value: object) -> str:
    """Return a setting as ``--set`` takes it: the items of a tuple separated by commas."""
    if isinstance(value, tuple):
        return ",".join(map(as_text, value))
    return str(value)
