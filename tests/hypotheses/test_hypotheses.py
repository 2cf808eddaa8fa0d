"""The page of hypotheses is what the search finds."""

from dataclasses import replace

import pytest

from tests.hypotheses.__main__ import PAGE, page, read, search
from tests.hypotheses.claims import GUARANTEES, NOTHING, claims

CLAIMS = claims()
STORED = read()


def test_the_page_is_made_from_the_stored_rows():
    assert PAGE.read_text(encoding="utf-8") == page(STORED), "run python -m tests.hypotheses"
    assert [(row.guarantee, row.dropped) for row in STORED] == [(claim.guarantee, claim.dropped) for claim in CLAIMS]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_with_all_hypotheses_nothing_is_found_and_without_one_something(guarantee):
    worlds = {row.dropped: row.world for row in STORED if row.guarantee == guarantee}
    assert worlds.pop(NOTHING) == ""
    assert any(worlds.values())


@pytest.mark.parametrize(
    ("claim", "stored"),
    [
        pytest.param(claim, row, marks=[pytest.mark.slow] if claim.is_slow else [])
        for claim, row in zip(CLAIMS, STORED, strict=True)
    ],
    ids=lambda one: f"{one.guarantee}-{one.dropped}",
)
def test_the_search_finds_what_is_stored(claim, stored):
    assert search(claim) == stored


def test_a_guarantee_that_is_false_is_not_none():
    """The control: a guarantee that every world breaks is broken by the smallest."""
    (claim, *_) = CLAIMS
    found = search(replace(claim, breaks=lambda world: "always"))
    assert (found.up_to, found.shows) == (claim.sizes[0], "always")
    assert found.tried == len(list(claim.candidates(0)))
