"""Coins, ratification and the moving coin: every row agrees at small settings, and the smallest worlds are told."""

import pytest

from scenarios.anthropics import coins, moving_coin, ratify

SMALL = {
    coins: coins.Settings(worlds=50, compared=1),
    ratify: ratify.Settings(worlds=60),
    moving_coin: moving_coin.Settings(resolution=12),
}


@pytest.mark.parametrize("scenario", SMALL, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_row_agrees(scenario):
    settings = SMALL[scenario]
    results = [(cell, scenario.run_cell(cell)) for cell in scenario.cells(settings)]
    rows = scenario.table(settings, results)
    claims = [row for row in rows if row.kind != "control"]
    assert [row for row in claims if row.agrees is False] == []
    assert any(row.kind == "control" and row.agrees for row in rows)
    assert scenario.story(settings, results)
    figures = scenario.figures(settings, results)
    assert all(figure.axes for figure in figures.values())


def test_the_price_of_the_paper_s_agent_depends_on_where_the_coin_stands():
    """Two copies, price 3/5: it buys if the coin is inside, and refuses if it is between worlds."""
    for rule, between in (("own", False), ("sequential", False), ("count", True)):
        buys = moving_coin.by_value("cpy", rule)
        tails = moving_coin.stories(moving_coin.Settings())["n copies"]
        price = moving_coin.Settings().x
        assert [buys(place, price, tails) for place in moving_coin.PLACES] == [between, True, True]
