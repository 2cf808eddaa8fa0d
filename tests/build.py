"""Which modules are compiled, and whether one was compiled from another source and would silently shadow this one."""

import re
import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def load_script(place: str) -> ModuleType:
    """Import a script of the repository, which is in no package."""
    spec = spec_from_file_location(Path(place).stem, ROOT / place)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_sources(root: Path = ROOT) -> list[Path]:
    """The sources that setup.py lists for compiling."""
    listed = re.search(r"^COMPILED = \[(.*?)^\]", (root / "setup.py").read_text(), re.DOTALL | re.MULTILINE)
    return [root / path for path in re.findall(r'"([^"]+)"', listed.group(1))] if listed else []


def built(source: Path) -> list[Path]:
    """The compiled modules beside a source."""
    return sorted(source.parent.glob(f"{source.stem}.*.so")) + sorted(source.parent.glob(f"{source.stem}.*.pyd"))


def stale_modules(root: Path = ROOT) -> list[Path]:
    """Sources whose compiled module was built from something else, or is left over; the C trainer's included.

    The build writes the hashes of what it compiled. Times of files say nothing: a copy has new ones.
    """
    listed, compiled = set(compiled_sources(root)), compiled_hashes(root)
    packages = {source.relative_to(root).parts[0] for source in listed}
    modules = [path for package in packages for path in (root / package).rglob("*") if path.suffix in (".so", ".pyd")]
    sources = {module.with_name(module.name.split(".")[0] + ".py") for module in modules}
    left_over = {source for source in sources if source.exists() and source not in listed}
    trainers = {
        source for module in modules if module.name.startswith("_one_hot.") for source in one_hot_sources(module.parent)
    }
    used = trainers | (sources & listed)
    return sorted(left_over | {source for source in used if compiled.get(source) != digest(source)})


def compiled_hashes(root: Path) -> dict[Path, str]:
    """What the compiled modules were built from: the hash of every source, as the build wrote it."""
    record = root / "multislot" / "_compiled.hashes"
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return {root / path: written for written, path in (line.split("  ", 1) for line in lines)}


def one_hot_sources(folder: Path) -> list[Path]:
    """The sources of the trainer in C."""
    return sorted((folder / "one_hot").glob("*.[ch]"))


def digest(source: Path) -> str:
    """The hash of a file."""
    return sha256(source.read_bytes()).hexdigest()
