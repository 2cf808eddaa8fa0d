"""What eleven futures are worth in the smallest worlds of the scenario `values`, by sums over whole histories.

Usage: ``python -m tests.twins.futures``.
"""

from fractions import Fraction
from unittest.mock import patch

from scenarios.identity.values.worlds import ACTIONS, SEEN, STEPS, WITNESSES, Tiny
from tests.multislot.exact import oracle
from tests.twins import SCENARIOS, write_rows

COMMAND = "tests.twins.futures"
COUNTED = oracle.counts(1)


def worths(kernel, name, history):
    """The worth of each action at γ = 1, with two steps to come."""
    if name in COUNTED:
        return oracle.counted(kernel, 1, STEPS, history, COUNTED[name])
    return {
        "cpy": lambda: oracle.copy_centered(kernel, 1, STEPS, history),
        "sta": lambda: oracle.static(kernel, 1, STEPS, 1, history),
        "dyn": lambda: oracle.dynamic(kernel, 1, STEPS, history),
        "known-slot": lambda: oracle.known_slot(kernel, 1, STEPS, history),
        "same-history": lambda: oracle.weighed(kernel, 1, STEPS, history, oracle.all_alike),
        "acted-sequence": lambda: oracle.acted(kernel, 1, STEPS, history, ("b",)),
    }[name]()


def rows():
    """All rows of the worlds in which one value stands alone."""
    names = (*COUNTED, "cpy", "sta", "dyn", "known-slot", "same-history", "acted-sequence")
    with patch.object(oracle, "OBSERVATIONS", SEEN):
        found = {
            (lonely, name): worths(Tiny(witness.world), name, witness.history)
            for lonely, witness in WITNESSES.items()
            for name in sorted(names)
        }
    for (lonely, name), worth in found.items():
        shown = ", ".join(str(Fraction(worth[action])) for action in ACTIONS)
        yield f"a, b to {name}", f"{lonely} alone, smallest worlds", shown, ""
    for name in ("dyn", "known-slot", "sta"):
        foreseen = max(found["dyn", name].values())
        yield "worth that is foreseen", f"{name}, in the fork where dyn stands alone", foreseen, ""


if __name__ == "__main__":
    write_rows(SCENARIOS / "identity" / "values.csv", rows(), COMMAND)
