"""The picture of ``teleport``: decision map, learning curves, lineage."""

from typing import TYPE_CHECKING

from scenarios.identity.experiment import Results
from scenarios.identity.pictures import three_panels
from scenarios.identity.teleport.run import EXPERIMENT
from scenarios.identity.teleport.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    return {"teleport": three_panels(EXPERIMENT, settings, results, "teleport")}
