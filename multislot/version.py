"""The version of the installed package; a module of its own, since reading it takes as long as importing the engine."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("multislot")
except PackageNotFoundError:  # the sources are used without being installed
    __version__ = "0+unknown"
