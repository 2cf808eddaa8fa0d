"""A 7×7 gridworld with ground that may give way, ready to be varied.

From the start S in the lower left the goal G in the lower right is 8 steps away over the suspect cells ``a``–``e``, 10
over the row above them. Where that row (``f``–``j``) is suspect, too, the sure path takes 12 steps. A cliff is never
left and pays nothing. The goal pays 1 and leads back to the start, any other cell pays a little.
"""

from multislot.bayes.builders import Grid
from multislot.checks import refusal

ROWS = (".......", ".......", ".......", ".......", ".fghij.", ".abcde.", "S#####G")
SUSPECTS = "abcdefghij"
FLOOR, CLIFF = ".", "x"
PAY = {"G": 1.0, "S": 0.05, FLOOR: 0.05}
START = 42


def cliff_grid(cliffs: str = "") -> Grid:
    """Return the world in which the named suspect cells are cliffs, the others floor.

    Args:
        cliffs: letters from ``a`` to ``j``.
    """
    if not set(cliffs) <= set(SUSPECTS):
        raise refusal("cliffs", cliffs, f"letters of {SUSPECTS!r}")
    kinds = {name: CLIFF if name in cliffs else FLOOR for name in SUSPECTS}
    rows = tuple("".join(kinds.get(kind, kind) for kind in row) for row in ROWS)
    return Grid(rows, PAY, absorbing=CLIFF, back="G")
