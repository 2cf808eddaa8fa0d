"""Finished cells become plain columns, and longer lists JSON in one column."""

import io
import json
from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from functools import partial

import pandas
import pytest

from scenarios.lab.exports import MOST_COLUMNS, table_of_cells, table_of_rows
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Cell:
    seed: int
    discount: Fraction
    pays: tuple[float, ...]


def made(*results, pays=(0.3, 0.6)):
    cells = [(Cell(seed, Fraction(9, 10), pays), result) for seed, result in enumerate(results)]
    return read(table_of_cells(cells))


def read(frame):
    return pandas.read_csv(io.StringIO(frame.to_csv(index=False)))


def test_fractions_are_floats_with_their_text_beside_them():
    cells = made({"worth": Fraction(1, 3), "word": "stays"}, {"worth": 2, "word": "1/2 or so"})
    assert list(cells.columns) == [
        *("cell", "seed", "discount", "discount_exact", "pays.0", "pays.1"),
        *("worth", "worth_exact", "word"),
    ]
    assert cells.discount.tolist() == [0.9, 0.9]
    assert cells.worth.tolist() == pytest.approx([1 / 3, 2])
    assert cells.worth_exact.tolist() == ["1/3", "2"]
    assert cells.word.tolist() == ["stays", "1/2 or so"]


def test_a_result_that_shares_a_name_leaves_the_setting_and_the_row_alone_and_a_text_of_zeros_is_a_text():
    cells = table_of_cells(
        (kind(seed), {"seed": seed + 100, "cell": "x", "id": "007"})
        for seed, kind in enumerate((partial(Cell, discount=1, pays=()), make_dataclass("Other", ["cell"])))
    ).astype(object)
    assert cells[["cell", "seed", "result.seed", "result.cell", "id"]].iloc[0].tolist() == [0, 0, 100, "x", "007"]
    assert cells[["cell", "settings.cell", "result.seed", "id"]].iloc[1].tolist() == [1, 1, 101, "007"]
    assert "id_exact" not in cells


def test_parts_of_structures_are_columns_named_with_dots():
    cells = made({"a": {"b": 1, "c": [2, 3]}}, {"d": 4})
    assert cells[["a.b", "a.c.0", "a.c.1"]].iloc[0].tolist() == [1, 2, 3]
    assert cells["d"].isna().tolist() == [True, False]


def test_a_list_that_is_long_in_any_cell_is_json_in_all_of_them():
    short, long = [1, 2], list(range(MOST_COLUMNS + 1))
    cells = made({"x": short}, {"x": long}, {})
    assert [name for name in cells if name.startswith("x")] == ["x"]
    assert [json.loads(text) for text in cells.x.dropna()] == [short, long]
    assert made({"x": short})["x.0"].tolist() == [1]
    assert json.loads(made({"x": [[1, "2/3"], [{"y": "word"}]]}).x[0]) == [[1, "2/3"], [{"y": "word"}]]


def test_the_table_of_a_run_has_numbers_words_and_the_ends_of_intervals_apart():
    table = read(table_of_rows([Row("q", "c", 0.5, 0.1, interval=(0.0, 1.0)), Row("q", "d", "2", paper="holds")]))
    assert table.ours.tolist() == pytest.approx([0.5, float("nan")], nan_ok=True)
    assert table.ours_exact.tolist() == pytest.approx([float("nan"), 2], nan_ok=True)
    assert (table.low[0], table.high[0], "interval" in table) == (0.0, 1.0, False)


def test_rows_of_the_table_are_not_written_again_but_other_lists_of_that_name_are():
    rows = [Row("worth", "n=2", Fraction(1, 3)).as_json(), Row("worth", "n=3", interval=(0.1, 0.2)).as_json()]
    cells = made({"rows": rows, "worth": 3})
    assert "rows" not in " ".join(cells.columns)
    assert cells.worth.tolist() == [3]
    assert json.loads(made({"rows": [{"quantity": 1}]})["rows"][0]) == [{"quantity": 1}]
