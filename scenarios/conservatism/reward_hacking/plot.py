"""The picture of ``reward-hacking``: who takes the keys, over belief and β."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scenarios.conservatism.reward_hacking.run import PESSIMISTIC, STANDARD, Cell
from scenarios.conservatism.reward_hacking.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> "dict[str, Figure]":
    """One figure: the standard agents above, the pessimistic one below, one colour scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[len(STANDARD), len(settings.betas)], sharex=True)
    shares = {(cell.agent, cell.beta, cell.weight): result["taken"] / cell.seeds for cell, result in results}
    standard = np.array([[shares[agent, 0.0, weight] for weight in settings.weights] for agent in STANDARD])
    pessimistic = np.array(
        [[shares[PESSIMISTIC, beta, weight] for weight in settings.weights] for beta in settings.betas]
    )
    _draw(above, standard, STANDARD, "standard agents")
    image = _draw(below, pessimistic, [f"β = {beta}" for beta in settings.betas], "pessimistic agent")
    below.set_xticks(range(len(settings.weights)), [f"{weight:g}" for weight in settings.weights])
    below.set_xlabel("prior weight of “reward is which keys are pressed” (the truth: operators' satisfaction)")
    figure.colorbar(image, ax=[above, below], label="share of lives in which the keys are taken")
    return {"reward-hacking": figure}


def _draw(axes: "Axes", shares: Any, names: Sequence[str], title: str) -> Any:
    axes.set_title(title, loc="left")
    axes.set_yticks(range(len(names)), list(names))
    return axes.imshow(shares, aspect="auto", cmap="RdYlBu_r", vmin=0, vmax=1)
