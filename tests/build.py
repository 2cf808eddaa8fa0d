"""Which modules are compiled, and whether a compiled one is older than its source and would silently shadow it."""

import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def compiled_sources(root: Path = ROOT) -> list[Path]:
    """The sources that setup.py lists for compiling."""
    listed = re.search(r"^COMPILED = \[(.*?)^\]", (root / "setup.py").read_text(), re.DOTALL | re.MULTILINE)
    return [root / path for path in re.findall(r'"([^"]+)"', listed.group(1))] if listed else []


def built(source: Path) -> list[Path]:
    """The compiled modules beside a source."""
    return sorted(source.parent.glob(f"{source.stem}.*.so")) + sorted(source.parent.glob(f"{source.stem}.*.pyd"))


def imports_compiled(module: ModuleType) -> bool:
    """Whether a module imports a name whose definition setup.py lists for compiling, or the C trainer itself."""
    names = {".".join(source.relative_to(ROOT).with_suffix("").parts) for source in compiled_sources()}
    names.add("multislot.agents._one_hot")
    values = vars(module).values()
    return any(
        value.__name__ in names if isinstance(value, ModuleType) else getattr(value, "__module__", None) in names
        for value in values
    )


def stale_modules(root: Path = ROOT) -> list[Path]:
    """Sources edited after they were compiled, those of the trainer in C included, or shadowed by what is left over."""
    listed = set(compiled_sources(root))
    packages = {source.relative_to(root).parts[0] for source in listed}
    modules = [path for package in packages for path in (root / package).rglob("*") if path.suffix in (".so", ".pyd")]
    sources = {module.with_name(module.name.split(".")[0] + ".py"): module for module in modules}
    return [
        source
        for source, module in sorted(sources.items())
        if source.exists() and (source not in listed or older(module, source))
    ] + [
        source
        for module in modules
        if module.name.startswith("_one_hot.")
        for source in sorted(module.parent.glob("one_hot/*.[ch]"))
        if older(module, source)
    ]


def older(module: Path, source: Path) -> bool:
    """Whether a module was built before its source was edited."""
    return module.stat().st_mtime < source.stat().st_mtime
