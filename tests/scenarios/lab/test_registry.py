"""A module is a scenario; its settings are checked and its mistakes are one sentence."""

import ast
import dataclasses
from fractions import Fraction

import pytest

from multislot.cells import cell_key
from multislot.errors import SettingError
from scenarios.lab import registry, store
from tests.build import ROOT
from tests.scenarios.conftest import TOYS
from tests.scenarios.toys import squares as squares_module

PAPERS = {
    *("Orseau 2014", "Alexander et al. 2021", "Alexander 2022", "Cohen and Hutter 2020"),
    *("Alizadeh Alamdari et al. 2021", "Alizadeh Alamdari et al. 2022"),
    *("Armstrong 2011", "Bostrom 2002", "Hofstadter 1983", "Leslie 1996", "Parfit 1984"),
    "Piccione and Rubinstein 1997",
}
EVERY = sorted(registry.discover().values(), key=lambda one: one.name)


def test_a_module_with_settings_is_found_by_its_name():
    assert list(registry.discover(TOYS)) == ["squares"]


def test_two_modules_of_one_name_are_refused(tmp_path, monkeypatch):
    for family in ("one", "two"):
        folder = tmp_path / "twins" / family / "same_name"
        folder.mkdir(parents=True)
        for file in ("__init__.py", "../__init__.py", "../../__init__.py"):
            (folder / file).write_text("class Settings: pass")
        for file in ("../__init__.py", "../../__init__.py"):
            (folder / file).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingError, match="both called 'same-name'; rename one"):
        registry.discover("twins")


def test_text_is_read_as_the_field_s_type(squares):
    settings = squares.settings({"seeds": "7", "factor": "3/4", "offsets": "1, 2", "seconds": "0.5"})
    assert (settings.seeds, settings.factor, settings.offsets, settings.seconds) == (7, Fraction(3, 4), (1, 2), 0.5)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("seeds", "0", "squares: seeds=0: input should be greater than or equal to 1"),
        ("seeds", "many", "squares: seeds=many: input should be a valid integer"),
        ("factor", "-1/2", "squares: factor=-1/2: input should be greater than 0"),
        ("offsets", "1,b", "squares: offsets.1=b: input should be a valid integer"),
    ],
)
def test_a_bad_value_is_one_sentence(squares, key, value, sentence):
    with pytest.raises(SettingError, match=sentence.replace(".", r"\.")) as caught:
        squares.settings({key: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("factor", text) for text in ("1e400", "1e13", "9e999999999", "1e-999999999", "1" + "0" * 50)],
        *[("seconds", text) for text in ("inf", "nan", "-inf")],
        *[("offsets", "1,10000000000000"), ("factor", Fraction(10) ** 400), ("seconds", float("nan"))],
    ],
)
def test_numbers_beyond_all_measure_are_one_short_sentence(squares, key, value):
    with pytest.raises(SettingError, match=f"squares: {key}=.*: give numbers between -1e\\+12 and 1e\\+12") as caught:
        squares.settings({key: value})
    assert len(str(caught.value)) < 150


def test_more_seeds_than_fit_into_memory_are_refused(squares):
    with pytest.raises(SettingError, match=r"squares: seeds=1000000000: give numbers between -1e\+06 and 1e\+06"):
        squares.settings({"seeds": "1000000000"})


def test_ordinary_powers_are_numbers(squares):
    assert squares.settings({"factor": "25e-2", "seconds": "1e3"}).factor == Fraction(1, 4)


def test_a_text_may_have_100_000_characters(squares):
    longest = "1, 2".ljust(100_000)
    assert squares.settings({"offsets": longest}).offsets == (1, 2)
    with pytest.raises(SettingError, match=r"^squares: offsets has 100001 characters; expected at most 100000$"):
        squares.settings({"offsets": longest + " "})


def test_figures_are_in_the_module_or_in_a_packages_module_plot(squares, monkeypatch):
    settings = squares.settings()
    assert squares.draws
    assert list(squares.figures(settings, [])) == ["squares"]
    monkeypatch.delattr(squares_module, "figures")
    assert not squares.draws
    assert squares.figures(settings, []) == {}
    assert registry.find("precedent").draws


@pytest.mark.parametrize("scenario", EVERY, ids=lambda one: one.name)
def test_every_scenario_keeps_the_contract(scenario):
    assert scenario.paper in PAPERS
    assert scenario.summary[-1:] in tuple(".?!:;"), "the first line of the docstring is the summary"
    assert all(row.source for row in scenario.expected)
    assert "{" not in scenario.moral, "it is shown before anything was run"
    for preset in ("DEFAULT", "QUICK", "FULL"):
        settings = scenario.settings(preset=preset)
        assert type(settings).__dataclass_params__.frozen
        assert dataclasses.replace(settings) == settings
    cells = scenario.cells(scenario.settings(preset="QUICK"))
    assert len({cell_key(cell) for cell in cells}) == len(cells) > 0


@pytest.mark.parametrize("scenario", EVERY, ids=lambda one: one.name)
def test_all_code_that_a_scenario_imports_counts_for_its_results(scenario):
    used, waiting = set(), sources(scenario)
    while waiting:
        used.add(waiting[-1])
        waiting += set(imports(waiting.pop())) - used
    counted = set(store.code_files(scenario).values())
    assert used <= counted


def sources(scenario):
    every = scenario.path.rglob("*.py") if scenario.path.is_dir() else [scenario.path]
    return [path for path in every if path.name != "plot.py"]


def imports(source):
    """The files of scenarios, their families and helpers that a file imports."""
    names = [
        name
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.ImportFrom)
        for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    ]
    paths = [ROOT.joinpath(*name.split(".")) for name in names if name.startswith("scenarios.")]
    return [file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()]


@pytest.mark.parametrize(("preset", "flag"), [("DEFAULT", ""), ("FULL", " --full"), ("QUICK", " --quick")])
def test_a_command_names_the_preset_and_each_change(preset, flag):
    command = registry.SettingsName("squares", preset, ("most=3", "name=a b")).command
    assert command == f"multislot run squares{flag} --set most=3 --set 'name=a b'"
