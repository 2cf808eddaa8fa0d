"""The picture of ``copy``: decision map, learning curves, lineage."""

from typing import TYPE_CHECKING

from scenarios.identity.copy.run import EXPERIMENT
from scenarios.identity.copy.settings import Settings
from scenarios.identity.experiment import Results
from scenarios.identity.pictures import three_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    return {"copy": three_panels(EXPERIMENT, settings, results, "copy")}
