"""The environments by name: the battery of 25, the three that are too slow for it, and those outside it.

Alexander et al. 2021, sections 3 and 6: the measure of self-reflection is taken over the battery and its opposites.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias

from extenv import catalogue
from extenv.catalogue.newcomb import NewcombEnvironment
from extenv.environment import ExtendedEnvironment
from multislot.checks import checked_instance, known_name, whole
from multislot.errors import SettingError, show_value

MILLIONTH = 1e-6

EnvironmentLike: TypeAlias = "str | ExtendedEnvironment | type[ExtendedEnvironment]"
"""An environment by name, by class or as an object."""

BATTERY: tuple[str, ...] = (
    "FalseMemories",
    "IgnoreRewards",
    "IgnoreRewards2",
    "IgnoreRewards3",
    "IgnoreObservations",
    "IgnoreActions",
    "IncentivizeZero",
    "PunishNondeterministicAgent",
    "CryingBaby",
    "CryingBaby2",
    "TemptingButton",
    "TemptingButtonVariation",
    "ThirdActionForbidden",
    "ShiftedRewards",
    "DelayedRewards",
    "Repeater",
    "AfterImages",
    "SelfRecognition",
    "LimitedMemory",
    "CensoredObservation",
    "NthRewardMultipliedByN",
    "AdversarialSequencePredictor",
    "AdversarialSequenceEvader",
    "IncentivizeLearningRate",
    "FlipEveryOther",
)
"""Names of the 25 environments of the measure."""

SLOW: tuple[str, ...] = ("PunishSlowAgent", "ReverseHistory", "DejaVu")
"""Names of the three environments that are too slow for the measure."""

_CLASSES: dict[str, type[ExtendedEnvironment]] = {
    name: kind
    for found in iter_modules(catalogue.__path__, f"{catalogue.__name__}.")
    for name, kind in vars(import_module(found.name)).items()
    if isinstance(kind, type) and issubclass(kind, ExtendedEnvironment) and kind.__module__ == found.name
}
"""Every class of the catalogue by name."""

OUTSIDE: tuple[str, ...] = tuple(name for name in _CLASSES if name not in BATTERY + SLOW)
"""Names of the environments of the papers that are not in their battery."""

ENVIRONMENTS: dict[str, Callable[[], ExtendedEnvironment]] = {
    **{name: _CLASSES[name] for name in (*BATTERY, *SLOW, *OUTSIDE)},
    "NormalisedNewcombEnvironment": partial(NewcombEnvironment, MILLIONTH),
}
"""Every environment by name; the normalized Newcomb pays in millions."""


def make(name: str) -> ExtendedEnvironment:
    """Make a new environment by its name."""
    known_name("extended environment", checked_instance("name", name, str), ENVIRONMENTS)
    return ENVIRONMENTS[name]()


def resolve_environment(environment: EnvironmentLike) -> ExtendedEnvironment:
    """Turn a name, a class or an object into an environment, and check its sizes."""
    if isinstance(environment, str):
        environment = make(environment)
    elif isinstance(environment, type) and issubclass(environment, ExtendedEnvironment):
        environment = environment()
    if not isinstance(environment, ExtendedEnvironment):
        raise SettingError(
            f"got {show_value(environment)}; expected an ExtendedEnvironment or the name of one (extenv.BATTERY)"
        )
    for name in ("n_observations", "n_actions"):
        whole(f"{type(environment).__name__}.{name}", getattr(environment, name), 1)
    return environment
