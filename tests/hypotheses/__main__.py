"""Search for the smallest worlds, and write docs/hypotheses.csv and docs/hypotheses.md. Usage::

python -m tests.hypotheses
"""

import csv
import re
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from pathlib import Path

from tests.hypotheses.claims import GUARANTEES, NOTHING, Claim, claims

LONGEST = 80
"""Characters of the longest world that the page shows."""
SLOT_ACTION = re.compile(r"\b(\d[a-l]), action ")
STATE_ACTION = re.compile(r"action \d pays ")
DOCS = Path(__file__).parents[2] / "docs"
TABLE, PAGE = DOCS / "hypotheses.csv", DOCS / "hypotheses.md"

HEAD = """# What each guarantee needs

Each table drops the hypotheses of one guarantee in turn, and shows the smallest world in which the guarantee then
fails. To find it, a program tries random or all worlds up to the first size at which a world breaks the guarantee, and
takes the world with the shortest description. “None” in a table means that no world that was tried breaks the
guarantee; this is no proof. In the first row of each table, the control, all hypotheses hold.

In worlds with slots an agent begins in slot 1. In the tables `1a` means that slot 1 is in its hidden state a, and
`1a/0` that the agent takes action 0 there; actions are named only where they differ. “2a +3” in a table means a copy in
slot 2 that is paid 3 when it arrives; numbers before a colon are probabilities. In these worlds all copies see the
same, unless a table says what they see. In worlds without copies, “state 0: 1 → 0, 1/2 → 1” means that in state 0
action 0 pays 1 and leads to state 0, and action 1 pays 1/2 and leads to state 1. The discount is 1 unless given.

The file {download}`hypotheses.csv` has the worlds that are too long for the tables, and the sizes that were tried.
"""


@dataclass(frozen=True)
class Found:
    """One row: a claim, how many worlds were tried up to which size, the smallest that breaks it, and how."""

    guarantee: str
    dropped: str
    tried: int
    up_to: str
    world: str
    shows: str


def search(claim: Claim) -> Found:
    """Return the smallest world that breaks a claim."""
    tried = 0
    for number, size in enumerate(claim.sizes):
        worlds = list(claim.candidates(number))
        tried += len(worlds)
        breaking = [(claim.show(world), shows) for world in worlds if (shows := claim.breaks(world))]
        if breaking:
            world, shows = min(breaking, key=lambda one: (len(one[0]), one))
            return Found(claim.guarantee, claim.dropped, tried, size, world, shows)
    return Found(claim.guarantee, claim.dropped, tried, claim.sizes[-1], "", "")


def read() -> list[Found]:
    """Return the stored rows."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Found(**row | {"tried": int(row["tried"])}) for row in csv.DictReader(file)]


def page(rows: list[Found]) -> str:
    """The page, from its rows."""
    parts = [HEAD]
    for guarantee, of_guarantee in groupby(rows, key=lambda row: row.guarantee):
        parts += [f"## {guarantee}\n", f"{GUARANTEES[guarantee]}\n"]
        parts += ["| without | smallest world that breaks it | what happens |", "|---|---|---|"]
        for row in of_guarantee:
            dropped = "nothing (control)" if row.dropped == NOTHING else row.dropped
            world = STATE_ACTION.sub("", SLOT_ACTION.sub(r"\1/", row.world)).replace("|", "\\|")
            if not world:
                world = f"none of {row.tried}"
            elif len(world) > LONGEST:
                world = "in the file"
            parts.append(f"| {dropped} | {world} | {row.shows} |")
        parts.append("")
    return "\n".join(parts)


def main() -> None:
    """Search, and write both files."""
    rows = []
    for claim in claims():
        rows.append(search(claim))
        print(rows[-1].guarantee, "|", rows[-1].dropped, "|", rows[-1].tried, "|", rows[-1].shows or "none", flush=True)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Found)])
        writer.writerows(map(astuple, rows))
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
