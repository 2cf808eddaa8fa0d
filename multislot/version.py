"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("multislot")
except PackageNotFoundError:  # the sources are used without being installed
    __version__ = "0+unknown"
