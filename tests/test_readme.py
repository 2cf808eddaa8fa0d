"""Every command that README prints exists, is complete, and names what exists."""

import re
import shlex

import pytest
import typer

from scenarios.lab import cli, registry
from tests.build import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = re.search(r"^\| paper \| experiments.*?\n\n", README, re.MULTILINE | re.DOTALL)[0]
PRINTED = re.findall(r"^\$ (.*?)(?: +#.*)?$", README, re.MULTILINE)
IN_SENTENCES = re.findall(r"`((?:multislot|make) [^`\n]+)`", README)
PLACES = {"NAME": "copy", "FILE": "mine.toml", "SUBJECT": "scripted:cpy"}


def check(command):
    """Raise an error if a command could not run in a clone."""
    program, *arguments = shlex.split(command)
    if program == "make":
        for target in arguments:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target
    elif program == ".":
        assert arguments == [".venv/bin/activate"]
    else:
        assert program == "multislot"
        commands = typer.main.get_command(cli.app)
        name, *rest = (PLACES.get(argument, argument) for argument in arguments)
        commands.commands[name].make_context(name, list(rest), typer.Context(commands, info_name="multislot"))
        if name in ("run", "show"):
            registry.find(rest[0])


@pytest.mark.parametrize("command", [*PRINTED, *IN_SENTENCES])
def test_each_command_is_one(command):
    check(command)


@pytest.mark.parametrize(
    "wrong", ['pip install "multislot[plot]"', "make nothing", "multislot runs copy", "multislot run no-such --quick"]
)
def test_a_command_that_does_not_exist_would_be_found(wrong):
    with pytest.raises((AssertionError, KeyError, ValueError)):
        check(wrong)


def test_each_experiment_that_is_named_is_short_as_it_is_named():
    """With ``--quick``; all experiments take two minutes together so."""
    names = [name for row in TABLE.strip().splitlines()[2:] for name in re.findall("`([a-z-]+)`", row.split("|")[2])]
    assert len(names) > 15
    assert "`multislot run NAME --quick` runs an experiment in seconds" in README
    assert all(registry.find(name).in_quick for name in names)


def test_the_page_is_built_before_it_is_saved():
    """A clone does not contain it, and only the installation beside the clone finds it."""
    assert PRINTED[:2] == ["make explorer", ". .venv/bin/activate"]
