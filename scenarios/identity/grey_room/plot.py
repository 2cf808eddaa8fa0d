"""The picture of ``grey-room``: decision map, learning curves, lineage."""

from typing import TYPE_CHECKING

from scenarios.identity.experiment import Results
from scenarios.identity.grey_room.run import EXPERIMENT
from scenarios.identity.grey_room.settings import Settings
from scenarios.identity.pictures import three_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    return {"grey-room": three_panels(EXPERIMENT, settings, results, "grey-room")}
