"""The page on deciding: its code shows what it says, and every number in its prose is computed."""

import re

from scenarios.anthropics import absent_minded_driver
from tests.build import ROOT
from tests.multislot.exact.copies.test_caring import REACH
from tests.multislot.exact.copies.test_coins import Blind, plan

TEXT = (ROOT / "docs" / "deciding.md").read_text(encoding="utf-8").partition("## References")[0]
PAGE = " ".join(TEXT.split())
SAFE = {("causal", "count"), ("evidential", "exists")}
"""The pairs of the two theorems."""
WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


def shown_regrets():
    """The regret of each pair in the world of the page, by its own code."""
    names = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(block, names)
    return names["regrets"]


def numbers_said():
    """Each sentence of the page that gives a number, as it is computed."""
    worths = {(coins, α): plan(Blind(), coins, caring=α).value for coins in ("private", "none") for α in (0, 1)}
    gain = worths["private", 0] - worths["none", 0]
    assert worths["private", 1] == worths["none", 1]
    pay, cost = (Blind().outcomes(slot, "parted", "A")[0][1][slot].reward for slot in (1, 2))
    yield f"Action A pays the first copy {pay} and costs the second copy {-cost}"
    yield f"the best policy for their average reward is worth {gain} more than the best plan without chance."

    regrets = shown_regrets()
    kept = {pair for pair, regret in regrets.items() if regret == 0}
    assert kept == SAFE
    pairs, others = WORDS[len(regrets)].lower(), WORDS[len(regrets) - len(kept)].lower()
    yield f"{WORDS[len(kept)]} of the {pairs} ways to weigh and to decide always keep to the best plan"
    yield f"The other {others} ways to weigh and to decide sometimes depart from the best plan."
    yield f"## A world that the other {others} pairs get wrong"

    pays = absent_minded_driver.Settings()
    yield f"the first exit pays {pays.a}, the second pays {pays.b}, and driving on pays {pays.c}."
    best = absent_minded_driver.Road((pays.a, pays.b, pays.c)).best()
    yield f"The driver's best policy without memory drives on with probability {best.policy['junction']['continue']}."

    told, untold = REACH[True], REACH[False]
    yield f"the planner finds the best plan for {told} or {untold} steps."


def test_every_number_in_the_prose_of_the_page_is_computed():
    prose = PAGE
    for sentence in numbers_said():
        assert sentence in PAGE, sentence
        prose = prose.replace(sentence, "")
    prose = re.sub(r"```.*?```|\$.*?\$|\]\([^)]*\)", "", prose)  # code prints its own; formulas define; links lead
    prose = re.sub(r"\b(19|20)\d\d\b|(Theorems?|Lemma) \d( and \d)?|equation \(\d\)|α = \d", "", prose)
    assert re.findall(r"\d[\d.,/]*", prose) == []
