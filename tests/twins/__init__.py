"""Programs of their own that compute again what scenarios show: they share no code with what they check.

Each writes expected rows beside a scenario, with the command in the column `source`::

    python -m tests.twins.craft_world
    python -m tests.twins.futures
    python -m tests.twins.formal

A test checks that the files are what the programs write.
"""

import csv
from pathlib import Path

SCENARIOS = Path(__file__).parents[2] / "scenarios"
COLUMNS = ("quantity", "condition", "paper", "tolerance", "source", "kind")


def write_rows(path, rows, command):
    """Write rows (quantity, condition, value, kind); rows of other sources in the file stay as they are."""
    source = f"an independent program: python -m {command}"
    kept = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = [line for line in csv.DictReader(file) if not line["source"].startswith(source)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([line.get(name, "") for name in COLUMNS] for line in kept)
        for quantity, condition, value, tolerance in rows:
            writer.writerow((quantity, condition, value, tolerance, source, "formula"))
