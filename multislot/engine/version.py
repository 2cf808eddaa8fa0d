"""The version of the installed package, and whether its inner loops are compiled."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("multislot")
except PackageNotFoundError:  # the sources are used without being installed
    __version__ = "0+unknown"


def is_compiled() -> bool:
    """Whether the engine's inner loops are compiled; interpreted, results are the same, some 20 times slower."""
    from multislot.engine import stream

    return not str(stream.__file__).endswith(".py")
