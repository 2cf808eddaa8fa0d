"""Newcomb's problem (Alexander et al. 2021, Example 7); not in the battery, since its rewards are not −1, 0 and 1."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64, mypyc_attr

from extenv.environment import SimulatingEnvironment

BOTH_BOXES: Final = 1
VISIBLE: Final = 1_000.0
OPAQUE: Final = 1_000_000.0


@mypyc_attr(allow_interpreted_subclasses=True)
class NewcombEnvironment(SimulatingEnvironment):
    """Would you take one box, or both?

    Observations: 0. Actions: 0 take the opaque box, 1 take both boxes. The copy is asked first. The opaque box contains
    1,000,000 if the copy would take one box, otherwise nothing; the visible box contains 1,000. The copy learns the
    agent's turns. Wins: to take one box.

    Scores a step: always 0: 1000000; always 1: 1000.

    Args:
        unit: the reward for one unit of money; 1e-6 makes rewards at most about 1.
    """

    paper = "Alexander et al. 2021, Example 7"

    action_names: Sequence[str] = ("one box", "both boxes")

    def __init__(self, unit: float = 1.0) -> None:
        self.unit = unit

    contents: float

    def start(self) -> i64:
        super().start()
        self.contents = self.predicted()
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        money = self.contents + (VISIBLE if action == BOTH_BOXES else 0.0)
        reward = money * self.unit
        self.simulated.learn(0, action, reward, 0)
        self.contents = self.predicted()
        return reward, 0

    def predicted(self) -> float:
        """Return the money that the predictor puts into the opaque box."""
        return 0.0 if self.simulated.act(0) == BOTH_BOXES else OPAQUE
