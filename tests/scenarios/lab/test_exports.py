"""Finished cells become plain columns, and longer lists lines of a second table."""

import io
from dataclasses import dataclass
from fractions import Fraction

import pandas
import pytest

from scenarios.lab.exports import MOST_COLUMNS, as_csv, tables


@dataclass(frozen=True)
class Cell:
    seed: int
    discount: Fraction
    pays: tuple[float, ...]


def made(*results, pays=(0.3, 0.6)):
    return tables([(Cell(seed, Fraction(9, 10), pays), result) for seed, result in enumerate(results)])


def read(lines):
    return pandas.read_csv(io.BytesIO(as_csv(lines)))


def test_fractions_are_floats_with_their_text_beside_them():
    cells = read(made({"worth": Fraction(1, 3), "word": "stays"}, {"worth": 2, "word": "1/2 or so"}).cells)
    assert list(cells.columns) == [
        *("cell", "seed", "discount", "discount_exact", "pays.0", "pays.1"),
        *("worth", "worth_exact", "word"),
    ]
    assert cells.discount.tolist() == [0.9, 0.9]
    assert cells.worth.tolist() == pytest.approx([1 / 3, 2])
    assert cells.worth_exact.tolist() == ["1/3", "2"]
    assert cells.word.tolist() == ["stays", "1/2 or so"]


def test_parts_of_structures_are_columns_named_with_dots():
    assert made({"a": {"b": 1, "c": [2, 3]}}).cells[0].items() >= {"a.b": 1, "a.c.0": 2, "a.c.1": 3}.items()


def test_a_list_that_is_long_in_any_cell_is_a_series_in_all_of_them():
    short, long = [1, 2], list(range(MOST_COLUMNS + 1))
    found = made({"x": short}, {"x": long})
    assert not any(name.startswith("x") for line in found.cells for name in line)
    series = read(found.series)
    assert series[series.cell == 1].value.tolist() == long
    assert series[series.cell == 0]["index"].tolist() == [0, 1]
    assert made({"x": short}).series == []


def test_nested_lists_and_words_have_their_place_and_text():
    series = made({"x": [[1, "2/3"], [{"y": "word"}]]}).series
    assert [(line["index"], line["value"], line["value_exact"]) for line in series] == [
        ("0/0", 1, None),
        ("0/1", pytest.approx(2 / 3), "2/3"),
        ("1/0/y", None, "word"),
    ]
