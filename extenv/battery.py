"""The environments by name: the battery of 25, the three that are too slow for it, and those outside it.

Alexander et al. 2021, sections 3 and 6: the measure of self-reflection is taken over the battery and its opposites.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from extenv.catalogue.as_released import SelfRecognitionAsReleased
from extenv.catalogue.newcomb import NewcombEnvironment
from extenv.catalogue.other_memories import (
    AfterImages,
    CensoredObservation,
    FalseMemories,
    IgnoreActions,
    IgnoreObservations,
    LimitedMemory,
    Repeater,
)
from extenv.catalogue.other_orders import DejaVu, ReverseHistory
from extenv.catalogue.other_rewards import (
    DelayedRewards,
    FlipEveryOther,
    IgnoreRewards,
    IgnoreRewards2,
    IgnoreRewards3,
    NthRewardMultipliedByN,
    ShiftedRewards,
)
from extenv.catalogue.other_roles import (
    AdversarialSequenceEvader,
    AdversarialSequencePredictor,
    CryingBaby,
    CryingBaby2,
    IncentivizeZero,
)
from extenv.catalogue.other_selves import (
    IncentivizeLearningRate,
    PunishNondeterministicAgent,
    PunishSlowAgent,
    ThirdActionForbidden,
)
from extenv.catalogue.self_knowledge import SelfRecognition, TemptingButton, TemptingButtonVariation
from extenv.catalogue.thought_experiments import (
    ActAsIfPaidMore,
    GuardedTreasures,
    LateCryingBaby,
    PunishRealityCheck,
)
from extenv.environment import ExtendedEnvironment
from multislot.errors import SettingError, UnknownNameError, show_value

MILLIONTH = 1e-6

EnvironmentLike: TypeAlias = "str | ExtendedEnvironment | type[ExtendedEnvironment]"
"""An environment by name, by class or as an object."""

_BATTERY: tuple[type[ExtendedEnvironment], ...] = (
    FalseMemories,
    IgnoreRewards,
    IgnoreRewards2,
    IgnoreRewards3,
    IgnoreObservations,
    IgnoreActions,
    IncentivizeZero,
    PunishNondeterministicAgent,
    CryingBaby,
    CryingBaby2,
    TemptingButton,
    TemptingButtonVariation,
    ThirdActionForbidden,
    ShiftedRewards,
    DelayedRewards,
    Repeater,
    AfterImages,
    SelfRecognition,
    LimitedMemory,
    CensoredObservation,
    NthRewardMultipliedByN,
    AdversarialSequencePredictor,
    AdversarialSequenceEvader,
    IncentivizeLearningRate,
    FlipEveryOther,
)
_SLOW: tuple[type[ExtendedEnvironment], ...] = (PunishSlowAgent, ReverseHistory, DejaVu)
_OUTSIDE: tuple[type[ExtendedEnvironment], ...] = (
    NewcombEnvironment,
    ActAsIfPaidMore,
    GuardedTreasures,
    LateCryingBaby,
    PunishRealityCheck,
    SelfRecognitionAsReleased,
)

BATTERY: tuple[str, ...] = tuple(environment.__name__ for environment in _BATTERY)
"""Names of the 25 environments of the measure."""

SLOW: tuple[str, ...] = tuple(environment.__name__ for environment in _SLOW)
"""Names of the three environments that are too slow for the measure."""

OUTSIDE: tuple[str, ...] = tuple(environment.__name__ for environment in _OUTSIDE)
"""Names of the environments of the papers that are not in their battery."""

ENVIRONMENTS: dict[str, Callable[[], ExtendedEnvironment]] = {
    **{environment.__name__: environment for environment in (*_BATTERY, *_SLOW, *_OUTSIDE)},
    "NormalisedNewcombEnvironment": partial(NewcombEnvironment, MILLIONTH),
}
"""Every environment by name; the normalized Newcomb pays in millions."""


def make(name: str) -> ExtendedEnvironment:
    """Make a new environment by its name."""
    if name not in ENVIRONMENTS:
        raise UnknownNameError("extended environment", name, ENVIRONMENTS)
    return ENVIRONMENTS[name]()


def resolve_environment(environment: EnvironmentLike) -> ExtendedEnvironment:
    """Turn a name, a class or an object into an environment."""
    if isinstance(environment, str):
        return make(environment)
    if isinstance(environment, type) and issubclass(environment, ExtendedEnvironment):
        return environment()
    if not isinstance(environment, ExtendedEnvironment):
        raise SettingError(
            f"got {show_value(environment)}; expected an ExtendedEnvironment or the name of one (extenv.BATTERY)"
        )
    return environment
