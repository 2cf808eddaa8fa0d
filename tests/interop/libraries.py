"""The libraries of ``libraries.toml``, and the versions with which their tests passed."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
VERSIONS = HERE / "versions.json"


@dataclass(frozen=True)
class Library:
    """One library.

    Attributes:
        name: as it calls itself.
        package: to install, as on the package index.
        test: the module of tests in this folder.
        views: what of the project it is given.
        ran: what the tests do with it.
        limits: what does not work, or what has to be set.
    """

    name: str
    package: str
    test: str
    views: str
    ran: str
    limits: str


LIBRARIES = [Library(**entry) for entry in tomllib.loads((HERE / "libraries.toml").read_text())["library"]]
