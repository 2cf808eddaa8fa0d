"""The settings from which untrained deep models follow; this module needs no torch."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

InitialWeights = Literal["portable", "torch"]


@dataclass(frozen=True)
class Recipe:
    """What an untrained model follows from; `multislot.agents.deep` explains ``published`` and ``initial_weights``.

    Attributes:
        algorithm: ``"A2C"``, ``"PPO"`` or ``"DQN"``.
        seed: of its initial parameters and its training.
        hyperparameters: of the algorithm's class in Stable-Baselines3, and DQN's ``total_timesteps``.
    """

    algorithm: str
    n_observations: int
    n_actions: int
    seed: int
    published: bool
    hyperparameters: Mapping[str, Any]
    initial_weights: InitialWeights = "portable"

    @property
    def key(self) -> tuple[object, ...]:
        """The same for equal recipes; hyperparameters need not be hashable."""
        return *(getattr(self, field.name) for field in fields(self) if field.name != "hyperparameters"), repr(
            sorted(self.hyperparameters.items())
        )
