"""Links to other projects' documentation, without a network: names and addresses stand in ``inventories.csv``."""

import csv
import zlib
from pathlib import Path


def written(table: Path, folder: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory for each project of the table, and return Sphinx's ``intersphinx_mapping``.

    The table has a row for each name: project, base address, name, role and place below the address. A ``$`` at the
    end of a place stands for the name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    projects: dict[tuple[str, str], list[str]] = {}
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            lines = projects.setdefault((row["project"], row["address"]), [])
            lines.append(f"{row['name']} py:{row['role']} 1 {row['place']} -\n")
    for (project, _), lines in projects.items():
        head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n# The rest is compressed with zlib.\n"
        (folder / f"{project}.inv").write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
    return {project: (address, str(folder / f"{project}.inv")) for project, address in projects}
