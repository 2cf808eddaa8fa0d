"""``tree``: 1 → {1, 2}, then 2 → {2, 3}; weights ½, ¼, ¼ if the copies are told apart, ⅓ each if not."""

from fractions import Fraction

from multislot.exact import Kernel, world_named
from scenarios.identity import formulas
from scenarios.identity.experiment import Experiment
from scenarios.identity.questions import Asked
from scenarios.identity.tree.settings import Settings

MORAL = (
    "Told apart, the copies are counted where they branch: ½, ¼, ¼. Not told, the three of them are one history in\n"
    "three places: ⅓ each. The same world, paying the same to the same slots, is worth more to the copy-centred agent\n"
    "if it does not know where it is, for the crowded branch then weighs more. Learners count in both ways, told or\n"
    "not: one survivor drawn evenly counts heads, one line followed through fair coins counts branches."
)


def kernel(settings: Settings) -> Kernel:
    """Return the world of these settings."""
    rewards = {name: getattr(settings, name) for name in ("r_s", "r_1", "r_2", "r_3")}
    return world_named("tree", told=int(settings.told), **rewards)


def formula(settings: Settings, kind: str) -> Fraction:
    """Return what accepting is worth."""
    rewards = (settings.r_1, settings.r_2, settings.r_3)
    return formulas.tree_value(kind, settings.discount, settings.horizon, rewards, settings.told)


EXPERIMENT = Experiment(
    name="tree",
    kernel=kernel,
    formula=formula,
    reward="r_3",
    highest=Fraction(12),
    grid={
        "horizon": range(1, 6),
        "r_1": [Fraction(0), Fraction(3, 2)],
        "r_2": [Fraction(1, 3), Fraction(2)],
        "r_3": [Fraction(0), Fraction(5, 7)],
    },
    moral=MORAL,
    agents=(
        Asked("copy-centred, blind", "cpy", {"told": False}),
        Asked("copy-centred, told apart", "cpy", {"told": True}),
        Asked("static", "sta"),
        Asked("dynamic", "dyn"),
    ),
)
cells, run_cell, table = EXPERIMENT.cells, EXPERIMENT.run_cell, EXPERIMENT.table
story, figures = EXPERIMENT.story, EXPERIMENT.figures
