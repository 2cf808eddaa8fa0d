"""The picture of ``blind-fork``: decision map, learning curves, lineage."""

from typing import TYPE_CHECKING

from scenarios.identity.blind_fork.run import EXPERIMENT
from scenarios.identity.blind_fork.settings import Settings
from scenarios.identity.experiment import Results
from scenarios.identity.pictures import three_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    return {"blind-fork": three_panels(EXPERIMENT, settings, results, "blind-fork")}
