"""Which modules are compiled, and whether a compiled one is older than its source and would silently shadow it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def compiled_sources(root: Path = ROOT) -> list[Path]:
    """The sources that setup.py lists for compiling."""
    listed = re.search(r"^COMPILED = \[(.*?)^\]", (root / "setup.py").read_text(), re.DOTALL | re.MULTILINE)
    return [root / path for path in re.findall(r'"([^"]+)"', listed.group(1))] if listed else []


def built(source: Path) -> list[Path]:
    """The compiled modules beside a source."""
    return sorted(source.parent.glob(f"{source.stem}.*.so")) + sorted(source.parent.glob(f"{source.stem}.*.pyd"))


def stale_modules(root: Path = ROOT) -> list[Path]:
    """Sources that were edited after they were compiled."""
    return [
        source
        for source in compiled_sources(root)
        if any(module.stat().st_mtime < source.stat().st_mtime for module in built(source))
    ]
