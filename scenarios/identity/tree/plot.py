"""The picture of ``tree``: decision map, learning curves, lineage."""

from typing import TYPE_CHECKING

from scenarios.identity.experiment import Results
from scenarios.identity.pictures import three_panels
from scenarios.identity.tree.run import EXPERIMENT
from scenarios.identity.tree.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    return {"tree": three_panels(EXPERIMENT, settings, results, "tree")}
