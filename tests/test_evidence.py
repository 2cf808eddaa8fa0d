"""The page on evidence says what its tables of mutations say."""

import csv

from tests.build import ROOT

DOCS = ROOT / "docs"
PAGE = (DOCS / "evidence.md").read_text(encoding="utf-8")
PACKAGES = ("multislot", "considerate", "extenv", "scenarios", "all")


def read_rows(name, package="all"):
    """The rows of a table, all or those of a package."""
    with (DOCS / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if package in ("all", row["mutant"].split("/")[0])]


def line(*cells):
    return f"| {' | '.join(map(str, cells))} |\n"


def test_how_many_mutations_of_each_seed_were_noticed():
    seeds = sorted({row["seed"] for row in read_rows("mutants.csv")})
    for seed, package in [*((seed, "all") for seed in seeds), *((seeds[-1], package) for package in PACKAGES)]:
        rows = [row for row in read_rows("mutants.csv", package) if row["seed"] == seed]
        code = [row for row in rows if row["kind"] == "code" and not row["why"].startswith("equivalent")]
        noticed, unexecuted = sum(row["noticed"] != "" for row in code), sum(row["tests"] == "0" for row in code)
        name = f"{seed} {package}".removesuffix(" all")
        assert line(name, len(rows), len(code), noticed, unexecuted) in PAGE


def test_what_the_quick_experiments_noticed():
    for package in PACKAGES:
        seen = [row["experiments"] for row in read_rows("mutants_in_experiments.csv", package)]
        executed = [each for each in seen if each != "not executed"]
        noticed, changed = (sum(mark in each for each in executed) for mark in (": ", "changed in "))
        rest = len(executed) - noticed - changed, len(seen) - len(executed)
        assert line(package, noticed, changed, *rest) in PAGE
