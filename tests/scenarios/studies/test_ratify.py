"""Ratification: every row agrees at small settings, and the page says what the rows say."""

import re
from functools import cache

from scenarios.anthropics import absent_minded_driver
from scenarios.studies import ratify
from tests.build import ROOT
from tests.multislot.exact.copies.test_caring import REACH
from tests.multislot.exact.copies.test_coins import Blind, plan

SMALL = ratify.Settings(worlds=60)


@cache
def results():
    return [(cell, ratify.run_cell(cell)) for cell in ratify.cells(SMALL)]


def test_every_row_agrees():
    rows = ratify.table(SMALL, results())
    claims = [row for row in rows if row.kind != "control"]
    assert [row for row in claims if row.agrees is False] == []
    assert any(row.kind == "control" and row.agrees for row in rows)
    assert ratify.story(SMALL, results())
    assert all(figure.axes for figure in ratify.figures(SMALL, results()).values())


WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")
PAGE = " ".join((ROOT / "docs" / "deciding.md").read_text(encoding="utf-8").partition("## References")[0].split())


def numbers_said():
    """Each sentence of the page that gives a number, as the rows and the settings of the scenarios have it."""
    worths = {(coins, α): plan(Blind(), coins, caring=α).value for coins in ("private", "none") for α in (0, 1)}
    gain = worths["private", 0] - worths["none", 0]
    assert worths["private", 1] == worths["none", 1]
    pay, cost = (Blind().outcomes(slot, "parted", "A")[0][1][slot].reward for slot in (1, 2))
    yield f"Action A pays the first copy {pay} and costs the second copy {-cost}"
    yield f"the best policy with private coins is worth {gain} more than the best plan."
    yield "For the total (α = 1) it is worth no more, as Theorem 0 says."

    broken = {
        row.case.split(", ", 1)[1] for row in ratify.table(SMALL, results()) if row.kind == "control" and row.case
    }
    kept = {", ".join(pair) for pair in ratify.PAIRS} - broken
    assert kept == {", ".join(pair) for pair in ratify.SAFE}
    pairs, others = WORDS[len(ratify.PAIRS)].lower(), WORDS[len(broken)].lower()
    yield f"{WORDS[len(kept)]} of the {pairs} pairs always keep to the best plan, and we prove this."
    yield f"The other {others} sometimes depart from it."
    yield f"the other {others} pairs regret the best policy"
    assert ratify.Settings().worlds == 10_000
    yield "## Ten thousand worlds"
    yield f"with private coins exactly for {ratify.Settings().worlds:,} problems"
    (shown,) = re.findall(r"ratify\.Settings\(worlds=(\d+)\)", PAGE)
    yield f"This page uses the first {shown}."
    assert {
        len(sights) for seed in range(50) for tale in ratify.draw_world(seed).kernels for _, sights in tale.waking
    } == {
        1,
        2,
    }
    yield "copied by chance into at most two copies"

    pays = absent_minded_driver.Settings()
    yield f"The first exit pays {pays.a}, the second pays {pays.b}, and driving on pays {pays.c}."
    best = absent_minded_driver.Road((pays.a, pays.b, pays.c)).best()
    yield f"The best policy without memory drives on with probability {best.policy['junction']['continue']}."

    told, untold = REACH[True], REACH[False]
    yield f"the planner finds the best plan for {told} or {untold} steps."


def test_every_number_in_the_prose_of_the_page_is_made_by_the_scenarios():
    prose = PAGE
    for sentence in numbers_said():
        assert sentence in PAGE, sentence
        prose = prose.replace(sentence, "")
    prose = re.sub(r"```.*?```|\$.*?\$|\]\([^)]*\)", "", prose)  # code prints its own; formulas define; links lead
    prose = re.sub(r"\b(19|20)\d\d\b|(Theorems?|Lemma) \d( and \d)?|equation \(\d\)|α = \d", "", prose)
    assert re.findall(r"\d[\d.,/]*", prose) == []
